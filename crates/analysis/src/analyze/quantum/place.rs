//! What the places of readings say of a lattice, where their differences are too alike to tell.

use num_complex::Complex;

use super::Quantum;
use super::phase::{rounded, unit};

/// Shortest block that is summed, readings.
const SHORTEST: usize = 64;
/// Fewest blocks: the mean over them then tells half a line from none.
const FEWEST_BLOCKS: usize = 16;
/// Share of what rounding leaves of a line that is left in each block, if the readings keep in step with it there.
const IN_STEP: f64 = 0.9;
/// What keeps in step with a lattice does so with a coarser one that it lies on, too; this share is too little.
const TOO_LITTLE: f64 = 0.5;
/// Least share of differences of one length for it to be more than chance.
const SOME: f64 = 0.05;

/// Of the multiples of `found` that `may_be` the true spacing, too, the one that the readings lie on: 1 if on none of them.
/// `None` where that can't be told.
///
/// Regular reads have differences of which all are multiples of much. But readings on a coarse lattice keep in step with it
/// wherever they keep in step with a finer one that it is part of, for their phase is off by less; and blocks longer than the
/// reader's rhythm takes to come round tell whether they do.
pub(super) fn spacing(x: &[i64], found: &Quantum, may_be: impl Iterator<Item = usize>) -> Option<usize> {
    let Quantum::Found { value, .. } = *found else { return None };
    let mut coarsest = 1;
    for multiple in may_be {
        let least = least_in_step(x, value, multiple)?;
        if least >= IN_STEP {
            coarsest = multiple;
        } else if least >= TOO_LITTLE {
            return None;
        }
    }
    // A reader may keep in step by itself, but not if it takes now so many of them and now one more.
    (coarsest == 1 || takes_turns(x, value * coarsest as f64)).then_some(coarsest)
}

/// The least share of its line that a lattice of `multiple` times `q` has in blocks in which that of `q` has its own.
fn least_in_step(x: &[i64], q: f64, multiple: usize) -> Option<f64> {
    let (fine, coarse) = (1.0 / q, 1.0 / (q * multiple as f64));
    let lengths = std::iter::successors(Some(SHORTEST), |length| Some(length * 4));
    lengths
        .take_while(|length| length * FEWEST_BLOCKS <= x.len())
        .take_while(|length| power(x, fine, *length) >= IN_STEP * rounded(fine))
        .map(|length| power(x, coarse, length) / rounded(coarse))
        .reduce(f64::min)
}

/// |mean exp(2πi f x)|² in blocks of `length` readings, less what noise leaves of it; in the mean of all blocks.
fn power(x: &[i64], frequency: f64, length: usize) -> f64 {
    let n = length as f64;
    let of = |block: &[i64]| {
        let sum: Complex<f64> = block.iter().map(|x| unit(frequency * x.wrapping_sub(block[0]) as f64)).sum();
        (sum.norm_sqr() - n) / (n * (n - 1.0))
    };
    x.chunks_exact(length).map(of).sum::<f64>() / (x.len() / length) as f64
}

/// Whether two differences that are `q` apart are both there often.
fn takes_turns(x: &[i64], q: f64) -> bool {
    let mut quanta: Vec<i64> =
        x.windows(2).map(|pair| (pair[1].wrapping_sub(pair[0]) as f64 / q).round() as i64).collect();
    quanta.sort_unstable();
    let often = SOME * quanta.len() as f64;
    let frequent: Vec<i64> =
        quanta.chunk_by(|a, b| a == b).filter(|alike| alike.len() as f64 >= often).map(|alike| alike[0]).collect();
    frequent.windows(2).any(|pair| pair[1] - pair[0] == 1)
}
