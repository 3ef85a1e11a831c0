//! The quantum: the largest q such that a clock's values lie on a lattice of spacing q.
//!
//! Readings are ⌊kq + φ⌋ in whole counts, so an exact greatest common divisor finds 1. The ways to q, one after the other
//! (docs/method/quantum.md):
//!
//! * **steps** — the clock updates more slowly than it is read; its steps are one quantum, rounded, or a few;
//! * **lattice** — the reads are farther apart than q; a spectrum of their differences has a line at 1/q, which `refine`
//!   sharpens over an ever longer baseline;
//! * **image** — q is below three counts, where rounding leaves a weak `line` under several names; `blocks` sharpens it
//!   and measures its strength, which tells the true name;
//! * **ticks** — a count is a tick of the hardware and nothing is rounded: the greatest common divisor tells more.
//!
//! What no line shows is said to be 'not coarser than' the smallest spacing of which all coarser ones would have shown.

mod blocks;
mod fourier;
mod image;
mod lattice;
mod line;
mod phase;
mod place;
mod refine;
mod steps;
mod ticks;

pub use steps::from_steps;

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

impl Quantum {
    /// So many times what was found.
    fn times(self, factor: f64) -> Self {
        match self {
            Self::Found { value, half_width, steps } => {
                Self::Found { value: value * factor, half_width: half_width * factor, steps }
            }
            other => other,
        }
    }
}

/// Interquartile range of a normal distribution, in standard deviations.
const NORMAL_QUARTILES: f64 = 1.349;

/// Fewest readings that a lattice is looked for in.
const FEWEST: usize = 256;

/// Finest quantum, in counts, that can be told from rounding by the strong lines alone: below it a line may be the mirror
/// image of one at 1/(1 − 1/q) ≤ 1.5 counts, of which rounding leaves a sixth.
const FINEST: f64 = 3.0;

/// What a clock's readings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// Units of time, into which what stands behind them was rounded.
    Units,
    /// The hardware's own ticks, of which none is rounded.
    Ticks,
}

/// The quantum from readings taken one after the other, with random pauses between them.
///
/// A quantum above three counts shows in some 1000 readings. A finer one takes 16 384 down to 1.2 counts and from 0.8 to
/// 0.67, 65 536 for most down to 0.5, and 300 000 down to 0.4; where rounding leaves nothing of it (a whole number of
/// quanta in a count, or all but) it never shows. Where nothing does, 16 384 readings give a limit of at most 1.5.
///
/// Memory: some five times the readings, and 5 MB for the transforms; 45 MB where differences are wild. Cost, on a machine
/// with a core of 2.6 GHz: 3 ms for 16 384 readings, 4 to 15 ms for 65 536, 50 ms for a million.
pub fn quantum(readings: &[u64], counts: Counts) -> Quantum {
    match counts {
        Counts::Units => by_spacing(readings, |x, limit| image::find(x).unwrap_or(limit)),
        Counts::Ticks => ticks::whole_ticks(readings, by_spacing(readings, |_, limit| limit)),
    }
}

/// `finer`: what the readings say where no lattice of three counts or more does; it is given the limit that this leaves.
fn by_spacing(readings: &[u64], finer: impl FnOnce(&[i64], Quantum) -> Quantum) -> Quantum {
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
    lattice::find(&x, smallest).unwrap_or_else(|limit| finer(&x, limit))
}

#[cfg(test)]
mod tests;
