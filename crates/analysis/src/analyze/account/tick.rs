//! How finely a clock moves, as the record states it.

use std::collections::BTreeMap;

use super::Account;
use crate::analyze::quantum::Quantum;
use crate::record::{Interval, QuantumMethod, Tick};

/// What a count is worth by its own statement, ns, and whose statement that is; or why nobody states it.
pub(in crate::analyze) type Nominal = Result<(f64, String), String>;

/// What a clock's readings tell of how finely it moves.
pub(in crate::analyze) struct Told {
    /// Nanoseconds a count.
    pub(in crate::analyze) count: Interval,
    /// What the API claims, ns, or why that is not known.
    pub(in crate::analyze) reported: Result<f64, &'static str>,
    /// In counts.
    pub(in crate::analyze) quantum: Option<Quantum>,
    /// The smallest step, in counts.
    pub(in crate::analyze) smallest: Option<u64>,
    /// Readings that the quantum rests on.
    pub(in crate::analyze) readings: u64,
}

/// The record's entry; reasons for what is not known go into `missing`. `smallest`: the smallest step, in counts.
pub(in crate::analyze) fn tick(
    account: &Account,
    nominal: Nominal,
    smallest: Option<u64>,
    unfinished: &str,
    missing: &mut BTreeMap<String, String>,
) -> Tick {
    let told = Told {
        count: account.count(),
        reported: account.description().reported_ns.ok_or("this call has no function that states its resolution"),
        quantum: account.quantum(),
        smallest,
        readings: account.quantum_readings(),
    };
    entry(told, nominal, unfinished, missing)
}

/// The same of what is told.
pub(in crate::analyze) fn entry(
    told: Told,
    nominal: Nominal,
    unfinished: &str,
    missing: &mut BTreeMap<String, String>,
) -> Tick {
    let Told { count, reported, quantum, smallest, readings } = told;
    let ns = count.value;
    let mut lacking = |field: &str, why: &str| drop(missing.insert(format!("tick_ns.{field}"), why.into()));
    if let Err(why) = reported {
        lacking("reported", why);
    }
    if smallest.is_none() {
        lacking("smallest_step", "the clock was not seen to advance between two reads");
    }
    let (nominal, nominal_source) = match nominal {
        Ok((ns, source)) => (Some(ns), Some(source)),
        Err(why) => {
            lacking("nominal", &why);
            (None, None)
        }
    };
    // What is measured in ticks is as uncertain in ns as the tick is.
    let unsure = (count.high - count.low) / 2.0 / count.value;
    let (value, half, limit, method) = match quantum {
        Some(Quantum::Found { value, half_width, steps }) => {
            let method = if steps { QuantumMethod::Steps } else { QuantumMethod::Lattice };
            let relative = half_width / value;
            let half = (relative * relative + unsure * unsure).sqrt() * value * ns;
            (Some(value * ns), Some(half), None, method)
        }
        Some(Quantum::NotCoarserThan(limit)) => {
            lacking(
                "quantum",
                "no lattice stands out of the readings; quantum_high is the coarsest that they leave possible",
            );
            (None, None, Some(limit * ns), QuantumMethod::Limit)
        }
        Some(Quantum::Unknown(why)) => {
            lacking("quantum", &why);
            (None, None, None, QuantumMethod::None)
        }
        None => {
            lacking("quantum", unfinished);
            (None, None, None, QuantumMethod::None)
        }
    };
    Tick {
        nominal,
        nominal_source,
        reported: reported.ok(),
        smallest_step: smallest.map(|counts| counts as f64 * ns),
        smallest_step_counts: smallest,
        quantum: value,
        quantum_low: value.zip(half).map(|(value, half)| value - half),
        quantum_high: value.zip(half).map(|(value, half)| value + half).or(limit),
        method,
        readings,
    }
}
