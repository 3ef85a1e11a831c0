//! A lattice below the spacing of the reads: a line in the spectrum of their differences.
//!
//! For a candidate q the Rayleigh score of differences D is R(q) = |mean exp(2πi D/q)|: 1 if all are multiples
//! of q, about 1/√n if they know nothing of q. For whole D the scores of all q = M/k are the discrete Fourier
//! transform of D's histogram modulo M, so that none is left out.
//!
//! Differences of neighbours are too alike (a read always takes about the same time, which alone scores high
//! at q = that time). So D spans L reads, L being such that D spreads over more than the largest q in question:
//! whatever periodicity is left comes from the clock.

use super::phase::{length, rounded};
use super::{FINEST, NORMAL_QUARTILES, Quantum, fourier, place, refine};

/// Largest transform: 2^20 points take about 30 ms.
const LARGEST: usize = 1 << 20;
/// A line at q ≥ [`FINEST`] counts if it keeps this share of what rounding to whole counts would leave of it.
const SHARE: f64 = 0.5;
/// Lines this strong are not touched by rounding and have no such mirror image.
const PURE: f64 = 0.9;
/// Multiples of a line are as high as itself, but for noise and what rounding leaves of them.
const ALMOST: f64 = 0.97;
/// A score is explained by another one beside it up to this factor.
const ALIKE: f64 = 1.25;
/// A multiple of a quantum up to this share above the smallest step counts against it.
const BEYOND: f64 = 1.1;
/// Chance of taking noise for a line.
const ALPHA: f64 = 1e-6;

/// Looks for a lattice; `smallest` is the smallest step, outliers aside. Without one the error says what is left.
pub(super) fn find(x: &[i64], smallest: f64) -> Result<Quantum, Quantum> {
    let Some(spread) = spread_differences(x, smallest) else {
        return Err(Quantum::Unknown("the readings differ too little, or too wildly, to look for a lattice".into()));
    };
    let largest = (smallest + 1.0).min(spread.deviation);
    let span = spread.range() as f64;
    // Four points a cycle over the span: half a point off a line still keeps sinc(1/8) = 0.97.
    let size = (4.0 * span).max(16.0 * largest).clamp(1024.0, LARGEST as f64) as usize;
    let size = size.next_power_of_two();
    let score = spectrum(&spread.differences, size);
    // P(any of M noise scores > R) ≈ M exp(−n R²) for n independent differences (Mardia and Jupp, 5.3).
    let independent = (x.len() / spread.lag) as f64;
    let noise = (libm::log(size as f64 / ALPHA) / independent).sqrt();
    let passes = |k: usize| {
        let q = size as f64 / k as f64;
        let left = rounded(1.0 / q);
        score[k] > noise && (score[k] >= PURE || (q >= FINEST && score[k] >= SHARE * left))
    };
    let from = (size as f64 / largest).ceil().max(1.0) as usize;
    let Some(first) = (from..=size / 2).find(|k| passes(*k)) else {
        // The finest lattice that would have stood out of the noise.
        let visible = |q: f64| SHARE * rounded(1.0 / q) > noise;
        let mut finest = FINEST;
        while finest <= largest && !visible(finest) {
            finest *= 1.01;
        }
        return Err(if finest > largest {
            Quantum::Unknown(format!("{} readings are too few, or too even, to find a lattice in", x.len()))
        } else {
            Quantum::NotCoarserThan(finest)
        });
    };
    // A score that passes may stand beside the line's top: around a line stands what stands around 0, the shape of the
    // differences' own distribution (of multiples of q the spectrum has the period size/q). Where they lie in heaps, as of
    // reads that take 1000 and 1800 ns, that is a row of side lobes, the nearer ones almost as high as the line.
    let top = |k: usize| {
        let beside = |top: &usize| score[k] <= ALIKE * score[*top] * score[*top - k] + 2.0 * noise;
        let reach = (k + k / 2).min(size / 2);
        (k..=reach).filter(beside).max_by(|a, b| score[*a].total_cmp(&score[*b])).unwrap_or(k)
    };
    // Where the reads are so regular that multiples of this q could not be told apart from their rhythm, the
    // quantum may as well be such a multiple.
    let k = top(first);
    let multiple = |m: usize| {
        let near = (k / m).max(1);
        (near.saturating_sub(1)..=near + 1).any(|k| k > 0 && passes(k))
    };
    let most = (BEYOND * (smallest + 1.0) * k as f64 / size as f64).ceil() as usize;
    let sharpened = |k: usize| refine::found(x, size as f64 / vertex(&score, k), false);
    let found = sharpened(k);
    if largest < smallest && (2..=most).any(multiple) {
        let spacing = place::spacing(x, &found, (2..=most).filter(|m| multiple(*m)));
        return Ok(spacing.map_or_else(
            || Quantum::Unknown("the reads are too regular to tell a lattice from their own rhythm".into()),
            |times| found.times(times as f64),
        ));
    }
    if matches!(found, Quantum::Found { .. }) {
        return Ok(found);
    }
    // The heaps themselves are a lattice of sorts, which loses step soon. What the clock leaves is purer.
    let highest = score[from..=size / 2].iter().copied().fold(0.0, f64::max);
    let pure = (from..=size / 2).find(|k| passes(*k) && score[*k] >= ALMOST * highest).map_or(k, top);
    Ok(Some(sharpened(pure)).filter(|found| matches!(found, Quantum::Found { .. })).unwrap_or(found))
}

/// Differences over `lag` reads, without the outermost ones.
struct Spread {
    differences: Vec<i64>,
    deviation: f64,
    lag: usize,
}

impl Spread {
    fn range(&self) -> i64 {
        let (min, max) = self.differences.iter().fold((i64::MAX, i64::MIN), |(a, b), d| (a.min(*d), b.max(*d)));
        max.saturating_sub(min)
    }
}

/// Differences over the smallest lag (a power of two) at which they spread as wide as `wanted`, or the
/// widest-spread ones there are.
fn spread_differences(x: &[i64], wanted: f64) -> Option<Spread> {
    let mut lag = 4;
    loop {
        let mut differences: Vec<i64> = x.iter().zip(x.get(lag..)?).map(|(a, b)| b.wrapping_sub(*a)).collect();
        let n = differences.len();
        if n < 4 {
            return None;
        }
        let mut at = |p: usize| *differences.select_nth_unstable(p).1;
        let (low, high) = (at(n / 4), at(n * 3 / 4));
        let iqr = high.wrapping_sub(low);
        let spread = iqr as f64 / NORMAL_QUARTILES;
        if spread >= wanted || lag * 64 > x.len() {
            // Outliers and interruptions would only make the transform longer; of a normal distribution this leaves out
            // what is beyond 3.4 standard deviations.
            let reach = iqr.saturating_mul(2).clamp(1, LARGEST as i64 / 16);
            differences.retain(|d| (low.saturating_sub(reach)..=high.saturating_add(reach)).contains(d));
            return (spread > 0.0 && !differences.is_empty()).then_some(Spread { differences, deviation: spread, lag });
        }
        lag *= 2;
    }
}

/// Rayleigh scores at q = size/k for k = 0 … size/2.
fn spectrum(differences: &[i64], size: usize) -> Vec<f64> {
    let mut bins = vec![0.0; size];
    let weight = 1.0 / differences.len() as f64;
    for d in differences {
        bins[d.rem_euclid(size as i64) as usize] += weight;
    }
    fourier::spectrum(&bins).into_iter().map(length).collect()
}

/// Where the parabola through a peak and its neighbours has its vertex.
pub(super) fn vertex(score: &[f64], k: usize) -> f64 {
    let (Some(&left), Some(&right)) = (score.get(k.wrapping_sub(1)), score.get(k + 1)) else {
        return k as f64;
    };
    let curvature = left - 2.0 * score[k] + right;
    if curvature >= 0.0 {
        return k as f64;
    }
    k as f64 + ((left - right) / (2.0 * curvature)).clamp(-0.5, 0.5)
}
