//! The catalog as a list.

use super::error::Error;
use crate::catalog::{self, Clock, Description, Register, names};
use crate::measure::{Meter, metered};
use clockscope_analysis::trace::{Kind, Path, Unavailable};

/// One line of the catalog, as `clockscope list` shows it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Listed {
    /// The clock's id.
    pub id: String,
    /// The exact call.
    pub api: String,
    /// What kind of time it tells.
    pub kind: Kind,
    /// The path that a read takes.
    pub path: Path,
    /// What the API claims to resolve, ns.
    pub reported_ns: Option<f64>,
    /// Whether this is a way of reading that nobody takes by itself.
    pub forced: bool,
    /// What other languages' programs call it by on this system.
    pub read_by: &'static [&'static str],
    /// Why it can't be read; `None`: it can.
    pub reason: Option<String>,
}

/// Every clock of the catalog, readable or not.
pub fn list() -> Vec<Listed> {
    struct List(Vec<Listed>);
    impl List {
        fn add(&mut self, d: Description, reason: Option<String>) {
            let Description { id, api, kind, path, reported_ns, forced, .. } = d;
            let read_by = names::readers(&id);
            self.0.push(Listed { id, api, kind, path, reported_ns, forced, read_by, reason });
        }
    }
    impl Register for List {
        fn clock<C: Clock>(&mut self, description: Description, _: C) {
            self.add(description, None);
        }
        fn unavailable(&mut self, description: Description, reason: String) {
            self.add(description, Some(reason));
        }
    }
    let mut list = List(Vec::new());
    catalog::all(&mut list);
    list.0
}

/// The clocks that can be read, each with its loops, and those that can't.
#[derive(Default)]
pub(crate) struct Readable {
    pub(crate) meters: Vec<Box<dyn Meter>>,
    pub(crate) unavailable: Vec<Unavailable>,
}

impl Register for Readable {
    fn clock<C: Clock>(&mut self, description: Description, clock: C) {
        self.meters.push(metered(description, clock));
    }
    fn unavailable(&mut self, description: Description, reason: String) {
        self.unavailable.push(Unavailable { id: description.id, reason });
    }
}

impl Readable {
    pub(crate) fn new() -> Self {
        let mut readable = Self::default();
        catalog::all(&mut readable);
        readable
    }

    /// The place of the clock that somebody calls `typed`.
    pub(crate) fn find(&self, typed: &str) -> Result<usize, Error> {
        let id = names::meaning(typed).id;
        if let Some(at) = self.meters.iter().position(|m| m.description().id == id) {
            return Ok(at);
        }
        if let Some(u) = self.unavailable.iter().find(|u| u.id == id) {
            return Err(Error::Machine(format!("clock '{id}' can't be read here: {}", u.reason)));
        }
        let readable = self.meters.iter().map(|meter| meter.description().id.as_str());
        let ids = readable.chain(self.unavailable.iter().map(|u| u.id.as_str()));
        Err(Error::Usage(names::unknown(typed, ids)))
    }
}
