//! Made-up clocks of runtimes.

use crate::record::{Beneath, Finding, RuntimeClock, RuntimeFound, RuntimesReport, SampledClock, Tick};

/// A clock that counts units of so many ns and moves in steps of a quantum.
pub(super) fn sampled(label: &str, unit_ns: f64, quantum: Option<f64>) -> SampledClock {
    let tick_ns = Tick {
        nominal: Some(unit_ns),
        nominal_source: Some("stated in the file".into()),
        quantum,
        quantum_low: quantum.map(|quantum| quantum * 0.999),
        quantum_high: quantum.map(|quantum| quantum * 1.001),
        ..Tick::default()
    };
    SampledClock {
        label: label.into(),
        unit_ns,
        claims: [].into(),
        samples: 100_000,
        tick_ns,
        monotonic: None,
        stalls: None,
        backward: None,
        steps_back: Vec::new(),
        longest_gap_ns: None,
        cost_ns: None,
        values: None,
        values_exact: None,
        differences_ns: None,
        missing: [].into(),
    }
}

/// One that tells seconds, to nine decimals.
pub(super) fn seconds(label: &str, quantum: Option<f64>) -> SampledClock {
    sampled(label, 1e9, quantum).last_digit(1.0)
}

impl SampledClock {
    pub(super) fn last_digit(mut self, ns: f64) -> Self {
        self.tick_ns.nominal = Some(ns);
        self
    }

    pub(super) fn claim(mut self, key: &str, value: &str) -> Self {
        self.claims.insert(key.into(), value.into());
        self
    }

    /// Over that clock of the system's.
    pub(super) fn over(self, id: &str) -> RuntimeClock {
        let beneath =
            Beneath { clock: Some(id.into()), call: None, by: None, matched: 500, of: 500, evidence: "made up".into() };
        RuntimeClock { beneath: Some(beneath), for_intervals: false, sampled: self }
    }

    /// Over a clock that nobody knows.
    pub(super) fn unwatched(self) -> RuntimeClock {
        RuntimeClock { beneath: None, for_intervals: false, sampled: self }
    }
}

impl RuntimeClock {
    pub(super) fn for_intervals(self) -> Self {
        Self { for_intervals: true, ..self }
    }

    /// Over a clock that nobody knows.
    pub(super) fn unwatched(self) -> Self {
        Self { beneath: None, ..self }
    }
}

/// A runtime of these clocks.
pub(super) fn runtimes(clocks: Vec<RuntimeClock>) -> RuntimesReport {
    let found = RuntimeFound { name: "made-up".into(), title: "Made-up".into(), clocks, ..RuntimeFound::default() };
    RuntimesReport { runtimes: vec![found], ..RuntimesReport::default() }
}

pub(super) fn found(report: &RuntimesReport) -> Vec<Finding> {
    crate::judge::judge_runtimes(report)
}
