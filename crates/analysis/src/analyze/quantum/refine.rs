//! Sharpens a quantum over an ever longer baseline.

use num_complex::Complex;

use super::phase::{cycles, length, unit};
use super::{FINEST, Quantum};
use crate::analyze::stats::Z95;

/// Sharpens `seed`, which is good enough to count the quanta between neighbours, and gives its interval.
///
/// Doubling the lag each time keeps the count of quanta unambiguous: a fit over one lag is precise enough for
/// the next. It ends at the whole baseline, or where the readings lose step with one another (a kernel that
/// trims its rate, a clock that jumps): then the pieces that keep step are fitted each with an offset of its
/// own and a common q.
pub(super) fn found(x: &[i64], seed: f64, steps: bool) -> Quantum {
    let mut q = seed;
    let mut in_step = 1;
    let mut first_score = None;
    let mut lag = 1;
    while lag * 8 <= x.len() {
        let Some((better, score)) = at_lag(x, q, lag) else { break };
        let reference = *first_score.get_or_insert(score);
        if score < IN_STEP * reference || (better / q - 1.0).abs() > ASTRAY {
            break;
        }
        q = better;
        in_step = lag;
        lag *= 2;
    }
    let whole = lag * 8 > x.len();
    if !whole && in_step < LEAST_IN_STEP {
        return Quantum::Unknown("readings that lie on a lattice now and then, but do not keep step".into());
    }
    let x = &in_order(x);
    let fit = pieces(x, q, if whole { x.len() } else { in_step });
    let fit = fit.map(|fit| Fit { half_width: libm::hypot(fit.half_width, TRIM * fit.value), ..fit });
    match fit {
        Some(Fit { value, half_width }) if half_width <= SHARPEST * value => {
            Quantum::Found { value, half_width, steps }
        }
        Some(Fit { value, half_width }) if value >= 1.0 && half_width < 0.1 * value => {
            Quantum::NotCoarserThan((value + 3.0 * half_width).max(FINEST))
        }
        _ => Quantum::Unknown("the lattice is too blurred to give its spacing".into()),
    }
}

/// Readings that follow the one before and precede the one after: a wrong reading far away would have all the
/// leverage in a fit over the baseline.
pub(super) fn in_order(x: &[i64]) -> Vec<i64> {
    x.windows(3).filter(|w| w[0] <= w[1] && w[1] <= w[2]).map(|w| w[1]).collect()
}

/// Share of the score between neighbours from which on readings are in step: a drift over 0.45 of a quantum leaves
/// sinc(0.45) = 0.7, and over half a quantum their quanta could be counted wrongly.
const IN_STEP: f64 = 0.7;
/// A seed that a fit moves by more than this was none: spectrum and steps give it to a few parts in a thousand.
const ASTRAY: f64 = 0.02;
/// Readings that have to keep step for a lattice to be one: the rhythm of a reader that is regular to a hundredth (pauses
/// of whole cycles) is out of step before, (0.845 · 100 / 2π)² = 181 reads on, and that of most readers by far.
const LEAST_IN_STEP: usize = 512;
/// Phases that a mean phase or score is taken from: known to 1/√(2 · 4096) = 0.011 then.
const PHASES: usize = 4096;
/// Relative half width below which none is stated. A kernel that disciplines its clock sets the rate anew at every
/// tick, one unit of its multiplier up or down (kernel/time/timekeeping.c, timekeeping_apply_adjustment; 0.15 ppm for a
/// counter of 2.6 GHz), and readings over a few ticks weigh those in their midst more than the others.
pub(super) const TRIM: f64 = 5e-8;
/// Relative half width above which a quantum is not called resolved: no figure is given that may be wrong by
/// more than 0.01 %.
const SHARPEST: f64 = 5e-5;

/// Least squares through the origin of differences over `lag` readings on their whole numbers of quanta, with
/// the Rayleigh score at the old q.
fn at_lag(x: &[i64], q: f64, lag: usize) -> Option<(f64, f64)> {
    let differences = || x.iter().zip(&x[lag..]).map(|(a, b)| b.wrapping_sub(*a) as f64);
    let mut sorted: Vec<f64> = differences().collect();
    let middle = sorted.len() / 2;
    let median = *sorted.select_nth_unstable_by(middle, f64::total_cmp).1;
    // An interruption makes a difference so long that q is not yet good enough to count its quanta. (Two quanta more and
    // rounding are left for a clock whose median step is a single one.)
    let longest = 3.0 * median + 3.5 * q;
    let (mut nn, mut nr) = (0.0, 0.0);
    let (mut turned, mut counted) = (Complex::default(), 0.0);
    let stride = (x.len() - lag) / PHASES + 1;
    for (i, d) in differences().enumerate().filter(|(_, d)| (0.0..longest).contains(d)) {
        let n = (d / q).round();
        let r = d - n * q;
        if i % stride == 0 {
            turned += unit(r / q);
            counted += 1.0;
        }
        if r.abs() <= near(q) {
            nn += n * n;
            nr += n * r;
        }
    }
    (nn > 0.0).then(|| (q + nr / nn, length(turned) / f64::max(counted, 1.0)))
}

/// How far off the lattice a reading may be and still count: rounding, and a tenth of the quantum.
fn near(q: f64) -> f64 {
    1.0 + 0.1 * q
}

struct Fit {
    value: f64,
    half_width: f64,
}

/// Fits x = c + n q with one q for all pieces of `length` readings and a c for each.
fn pieces(x: &[i64], seed: f64, length: usize) -> Option<Fit> {
    let mut q = seed;
    let mut fit = None;
    for _ in 0..3 {
        let mut all = Sums::default();
        for piece in x.chunks(length) {
            all.add_piece(piece, q);
        }
        fit = all.solve(q);
        q = fit.as_ref()?.value;
    }
    fit
}

/// Sums over all pieces, each centred on its own mean.
#[derive(Default)]
struct Sums {
    nn: f64,
    nr: f64,
    rr: f64,
    kept: f64,
    parameters: f64,
    /// Σ over blocks of (Σ (n − n̄) r)²: the variance of `nr` where neighbours' residuals hang together.
    blocks: f64,
    widest: f64,
}

/// Readings a short block of the block variance.
const SHORT_BLOCK: usize = 32;
/// Long blocks a piece.
const LONG_BLOCKS: usize = 16;

impl Sums {
    fn add_piece(&mut self, piece: &[i64], q: f64) {
        let Some(&start) = piece.first() else { return };
        let value = |v: &i64| v.wrapping_sub(start) as f64;
        // The piece's offset: the circular mean of its values modulo q, which outliers hardly move.
        let phases = piece.iter().step_by(piece.len() / PHASES + 1).map(|v| unit(value(v) / q));
        let offset = cycles(phases.sum()) * q;
        let points: Vec<(f64, f64)> = piece
            .iter()
            .map(|v| {
                let n = ((value(v) - offset) / q).round();
                (n, value(v) - offset - n * q)
            })
            .filter(|(_, r)| r.abs() <= near(q))
            .collect();
        let count = points.len() as f64;
        if count < 8.0 {
            return;
        }
        let mean_n = points.iter().map(|p| p.0).sum::<f64>() / count;
        let mean_r = points.iter().map(|p| p.1).sum::<f64>() / count;
        let products: Vec<f64> = points
            .iter()
            .map(|(n, r)| {
                let (n, r) = (n - mean_n, r - mean_r);
                self.nn += n * n;
                self.rr += r * r;
                n * r
            })
            .collect();
        self.nr += products.iter().sum::<f64>();
        let variance =
            |block: usize| products.chunks(block).map(|b| b.iter().sum::<f64>()).map(|sum| sum * sum).sum::<f64>();
        // Short blocks see rounding that repeats itself, long ones a lattice that shifts now and then.
        self.blocks += variance(SHORT_BLOCK).max(variance((products.len() / LONG_BLOCKS).max(1)));
        self.kept += count;
        self.parameters += 1.0;
        let (low, high) = points.iter().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p.0), b.max(p.0)));
        self.widest = self.widest.max(high - low);
    }

    fn solve(&self, q: f64) -> Option<Fit> {
        let freedom = self.kept - self.parameters - 1.0;
        if self.nn <= 0.0 || freedom < 1.0 {
            return None;
        }
        let slope = self.nr / self.nn;
        let variance = (self.rr - slope * self.nr).max(0.0) / freedom;
        let independent = variance / self.nn;
        let blocked = (self.blocks - slope * self.nr).max(0.0) / (self.nn * self.nn);
        // Rounding to whole counts leaves a variance of 1/12. Where much less is left, the rounding repeats
        // itself (q is all but a ratio of small numbers) and hides a drift of up to the missing width over
        // the longest piece.
        let missing = (1.0 - 12.0 * variance - 3.0 * (0.8 / freedom).sqrt()).max(0.0).sqrt();
        let hidden = 0.5 * missing / self.widest.max(1.0);
        Some(Fit { value: q + slope, half_width: Z95 * independent.max(blocked).sqrt() + hidden })
    }
}
