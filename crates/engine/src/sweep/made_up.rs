//! A made-up kernel for tests.

use std::cell::RefCell;
use std::io::{self, ErrorKind};

use super::kernel::{Error, Kernel};
use clockscope_analysis::record::{Because, Interval, Machine, Record, Run, SCHEMA, Tool, Verdict};

/// A kernel that keeps its clocksource in memory.
#[derive(Debug, Default)]
pub(super) struct MadeUp {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    available: Vec<String>,
    current: String,
    asked: Vec<String>,
    ignored: Vec<String>,
    refused: Vec<String>,
}

impl MadeUp {
    /// Offers the names in `available` and uses `current`.
    pub(super) fn new(available: &str, current: &str) -> Self {
        let available = available.split(' ').map(str::to_owned).collect();
        Self { state: RefCell::new(State { available, current: current.into(), ..State::default() }) }
    }

    /// From now on `name` is taken without an error and without effect.
    pub(super) fn ignore(&self, name: &str) {
        self.state.borrow_mut().ignored.push(name.into());
    }

    /// From now on writing `name` fails.
    pub(super) fn refuse(&self, name: &str) {
        self.state.borrow_mut().refused.push(name.into());
    }

    /// From now on `name` is not on offer.
    pub(super) fn withdraw(&self, name: &str) {
        self.state.borrow_mut().available.retain(|offered| offered != name);
    }

    /// The kernel takes another one by itself.
    pub(super) fn turn_to(&self, name: &str) {
        self.state.borrow_mut().current = name.into();
    }

    /// The clocksource in use.
    pub(super) fn now(&self) -> String {
        self.state.borrow().current.clone()
    }

    /// All names asked for so far.
    pub(super) fn asked(&self) -> Vec<String> {
        self.state.borrow().asked.clone()
    }
}

impl Kernel for MadeUp {
    fn available(&self) -> Result<Vec<String>, Error> {
        Ok(self.state.borrow().available.clone())
    }

    fn current(&self) -> Result<String, Error> {
        Ok(self.now())
    }

    fn ask_for(&self, name: &str) -> Result<(), Error> {
        let mut state = self.state.borrow_mut();
        state.asked.push(name.into());
        if state.refused.iter().any(|refused| refused == name) {
            let error = io::Error::from(ErrorKind::InvalidInput);
            return Err(Error::Write { text: name.into(), path: "current_clocksource".into(), error });
        }
        if state.available.iter().any(|offered| offered == name) && !state.ignored.iter().any(|i| i == name) {
            state.current = name.into();
        }
        Ok(())
    }
}

/// A record of no clocks, its witness a TSC of 0.385 ns a tick.
pub(super) fn record() -> Record {
    let nobody = || "not asked".to_owned();
    Record {
        schema: SCHEMA.into(),
        tool: Tool { name: "clockscope".into(), version: "0.0.0".into() },
        run: Run {
            witness_tick_ns: Some(Interval { value: 0.385, low: 0.384, high: 0.386 }),
            ..clockscope_analysis::record::Run::default()
        },
        machine: Machine::default(),
        skew: vec![],
        clocks: Vec::new(),
        unavailable: Vec::new(),
        findings: Vec::new(),
        verdict: Verdict {
            intervals: None,
            wall: None,
            cheap: None,
            because: Because { intervals: nobody(), wall: nobody(), cheap: nobody() },
        },
    }
}
