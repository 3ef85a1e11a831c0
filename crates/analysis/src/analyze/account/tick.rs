//! How finely a clock moves, as the record states it.

use std::collections::BTreeMap;

use super::Account;
use crate::analyze::quantum::Quantum;
use crate::record::{QuantumMethod, Tick};

/// What a count is worth by its own statement, ns, and whose statement that is; or why nobody states it.
pub(in crate::analyze) type Nominal = Result<(f64, String), String>;

/// The record's entry; reasons for what is not known go into `missing`. `smallest`: the smallest step, in counts.
pub(in crate::analyze) fn tick(
    account: &Account,
    nominal: Nominal,
    smallest: Option<u64>,
    unfinished: &str,
    missing: &mut BTreeMap<String, String>,
) -> Tick {
    let description = account.description();
    let ns = account.count_ns();
    let mut lacking = |field: &str, why: &str| drop(missing.insert(format!("tick_ns.{field}"), why.into()));
    if description.reported_ns.is_none() {
        lacking("reported", "this call has no function that states its resolution");
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
    let count = account.count();
    let unsure = (count.high - count.low) / 2.0 / count.value;
    let (value, half, limit, method) = match account.quantum() {
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
        reported: description.reported_ns,
        smallest_step: smallest.map(|counts| counts as f64 * ns),
        smallest_step_counts: smallest,
        quantum: value,
        quantum_low: value.zip(half).map(|(value, half)| value - half),
        quantum_high: value.zip(half).map(|(value, half)| value + half).or(limit),
        method,
        readings: account.quantum_readings(),
    }
}
