//! The quantum: the largest q such that a clock's values lie on a lattice of spacing q.
//!
//! Readings are floor(kq + φ) in whole counts, so an exact greatest common divisor finds 1. Two ways lead to
//! q all the same:
//!
//! * **steps** — the clock updates more slowly than it is read; its steps are one quantum, rounded, or a few;
//! * **lattice** — the reads are farther apart than q; a spectrum of their differences has a line at 1/q.
//!
//! Both give a seed, which `refine` sharpens over an ever longer baseline. What no line shows is said to be
//! 'not coarser than' the smallest spacing that a line would have shown. Only where a count is a tick of the
//! hardware, and nothing is rounded, does the greatest common divisor tell more.

mod lattice;
mod refine;
mod steps;
mod ticks;

pub use steps::from_steps;
pub use ticks::whole_ticks;

/// What is known of a quantum, in counts of the clock.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantum {
    /// Found, with its 95 % interval.
    Found {
        /// Best estimate.
        value: f64,
        /// Half width of the 95 % interval.
        half_width: f64,
        /// Whether from steps (else from a lattice).
        steps: bool,
    },
    /// No lattice coarser than this.
    NotCoarserThan(f64),
    /// Nothing can be said, for this reason.
    Unknown(String),
}

/// Fewest readings that a lattice is looked for in.
const FEWEST: usize = 256;

/// Finest quantum, in counts, that can be told from rounding: below it a line may be the mirror image of one at
/// 1/(1 − 1/q) ≤ 1.5 counts, of which rounding leaves a sixth.
const FINEST: f64 = 3.0;

/// The quantum from readings taken one after the other, with random pauses between them. Cost: a Fourier
/// transform and some passes over the readings, about 2 ms for 16 384 of them.
pub fn quantum(readings: &[u64]) -> Quantum {
    let Some(&first) = readings.first() else { return Quantum::Unknown("no reading was made".into()) };
    let x: Vec<i64> = readings.iter().map(|r| r.wrapping_sub(first) as i64).collect();
    let mut zero = 0;
    let mut back = 0;
    let mut steps = Vec::with_capacity(x.len());
    for pair in x.windows(2) {
        match pair[1].wrapping_sub(pair[0]) {
            0 => zero += 1,
            ..0 => back += 1,
            step => steps.push(step),
        }
    }
    let pairs = x.len().saturating_sub(1);
    // A clock that steps back once in a hundred reads has no lattice to speak of.
    if back * 100 > pairs {
        return Quantum::Unknown(format!("the clock stepped back in {back} of {pairs} pairs of reads"));
    }
    if steps.is_empty() {
        return Quantum::Unknown(format!("the clock did not move in {} reads", readings.len()));
    }
    steps.sort_unstable();
    // Equal neighbours now and then: the clock updates more slowly than it is read, at times at least.
    // Or it counts by a unit about as long as a read takes.
    let by_units = steps[steps.len() / 10] == 1;
    if zero * 2 >= pairs || by_units || (zero * 8 >= pairs && steps::seed(&steps).is_some()) {
        let mut changes = readings.to_vec();
        changes.dedup();
        return steps::dense(&changes);
    }
    if steps.len() < FEWEST {
        return Quantum::Unknown(format!("{} readings are too few to find a lattice in", readings.len()));
    }
    // Not the very smallest: one in a hundred reads may be wrong, and a CPU may keep repeated counter reads
    // distinct by a count.
    let smallest = steps[steps.len() / 10] as f64;
    lattice::find(&x, smallest)
}

/// sin(πx) / (πx): what rounding to whole counts leaves of a line at x = count / q.
fn sinc(x: f64) -> f64 {
    let a = std::f64::consts::PI * x;
    if a.abs() < 1e-9 { 1.0 } else { a.sin() / a }
}

#[cfg(test)]
mod tests;
