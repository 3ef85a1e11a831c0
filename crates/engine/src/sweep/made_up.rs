//! A made-up kernel for tests.

use std::cell::{RefCell, RefMut};

use super::kernel::{Error, Kernel};
use clockscope_analysis::record::{Interval, Record, Run};

#[derive(Debug, Default)]
pub(super) struct MadeUp(RefCell<State>);

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) available: Vec<String>,
    pub(super) current: String,
    pub(super) asked: Vec<String>,
    /// A name that is taken without an error and without effect.
    pub(super) ignored: String,
    pub(super) refused: String,
}

impl MadeUp {
    pub(super) fn new(available: &str, current: &str) -> Self {
        let available = available.split(' ').map(str::to_owned).collect();
        Self(RefCell::new(State { available, current: current.into(), ..State::default() }))
    }

    /// What it has, to be looked at and changed.
    pub(super) fn state(&self) -> RefMut<'_, State> {
        self.0.borrow_mut()
    }

    pub(super) fn withdraw(&self, name: &str) {
        self.state().available.retain(|offered| offered != name);
    }
}

impl Kernel for MadeUp {
    fn available(&self) -> Result<Vec<String>, Error> {
        Ok(self.state().available.clone())
    }

    fn current(&self) -> Result<String, Error> {
        Ok(self.state().current.clone())
    }

    fn ask_for(&self, name: &str) -> Result<(), Error> {
        let mut state = self.state();
        state.asked.push(name.into());
        if state.refused == name && !name.is_empty() {
            return Err(Error::Refused(format!("can't write '{name}'")));
        }
        if state.available.iter().any(|offered| offered == name) && state.ignored != name {
            state.current = name.into();
        }
        Ok(())
    }
}

/// A record of no clocks, its witness a TSC of 0.385 ns a tick.
pub(super) fn record() -> Record {
    let witness_tick_ns = Some(Interval { value: 0.385, low: 0.384, high: 0.386 });
    let (witness_base, reference) = ("tsc".into(), "monotonic@vdso".into());
    Record { run: Run { witness_tick_ns, witness_base, reference, ..Run::default() }, ..Record::default() }
}
