//! What a record says of a clock's figure.

use crate::judge::faults;
use crate::record::{Clock, Figure, Told};
use crate::resolution::Resolution;

/// All figures, in the order of the table.
pub(super) const FIGURES: [Figure; 8] = [
    Figure::Cost,
    Figure::P99,
    Figure::Quantum,
    Figure::Rate,
    Figure::Stalls,
    Figure::Backward,
    Figure::Jumps,
    Figure::Failed,
];

/// A figure of one clock of one record, or why there is none.
pub(super) fn told(clock: &Clock, figure: Figure) -> Result<Told, String> {
    let why = |field: &str| clock.missing.get(field).cloned().unwrap_or_else(|| "the record does not have it".into());
    match figure {
        Figure::Cost => {
            let cost = clock.cost_ns.ok_or_else(|| why("cost_ns"))?;
            let (low, high) = cost.between_runs();
            positive(cost.median, low, high)
        }
        Figure::P99 => {
            let cost = clock.cost_ns.ok_or_else(|| why("cost_ns"))?;
            let value = cost.p99.ok_or_else(|| why("cost_ns.p99"))?;
            let (low, high) = cost.p99_low.zip(cost.p99_high).ok_or("the record has no interval of it")?;
            positive(value, low, high)
        }
        Figure::Quantum => match clock.resolution().ok_or_else(|| why("tick_ns.quantum"))? {
            Resolution::Of { ns, half_width_ns } => positive(ns, ns - half_width_ns, ns + half_width_ns),
            Resolution::AtMost(ns) => Ok(Told { low: Some(0.0), high: Some(ns), runs: 1, ..Told::default() }),
        },
        Figure::Rate => {
            let rate = clock.rate.as_ref().ok_or_else(|| why("rate"))?;
            within(rate.ppm, rate.low_ppm, rate.high_ppm)
        }
        Figure::Stalls | Figure::Backward | Figure::Jumps | Figure::Failed => {
            // Of reads that could not be judged only the order is known.
            let judged = clock.reads.saturating_sub(clock.undecided);
            let reads = Some(if matches!(figure, Figure::Stalls | Figure::Jumps) { judged } else { clock.reads });
            Ok(Told { value: Some(faults_of(clock, figure) as f64), reads, runs: 1, ..Told::default() })
        }
    }
}

/// How many faults of that kind; none where all came of the clock having been set.
pub(super) fn faults_of(clock: &Clock, figure: Figure) -> u64 {
    if faults(clock) == 0 {
        return 0;
    }
    match figure {
        Figure::Stalls => clock.stalls.unexplained,
        Figure::Backward => clock.regressions.count,
        Figure::Jumps => clock.warps.count,
        Figure::Failed => clock.failed_reads,
        Figure::Cost | Figure::P99 | Figure::Quantum | Figure::Rate => 0,
    }
}

/// Whether the figure counts faults.
pub(super) const fn is_count(figure: Figure) -> bool {
    matches!(figure, Figure::Stalls | Figure::Backward | Figure::Jumps | Figure::Failed)
}

fn positive(value: f64, low: f64, high: f64) -> Result<Told, String> {
    if value > 0.0 { within(value, low.max(0.0), high) } else { Err(format!("{value} is no figure of it")) }
}

/// Ends that do not hold the value, as no clockscope writes them, are moved to it.
fn within(value: f64, low: f64, high: f64) -> Result<Told, String> {
    if value.is_finite() && low.is_finite() && high.is_finite() {
        let (low, high) = (Some(low.min(value)), Some(high.max(value)));
        Ok(Told { value: Some(value), low, high, reads: None, runs: 1 })
    } else {
        Err("the record has no finite figure of it".into())
    }
}
