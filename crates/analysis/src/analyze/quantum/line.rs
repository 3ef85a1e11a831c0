//! A line that rounding has left weak: looked for in the differences over many lags at once.
//!
//! A lattice leaves the same line in the differences over every lag, with phase zero, since readings a whole number of
//! quanta apart are in step; what the rhythm of the reads leaves dies out as the lag grows, and noise has any phase.
//! So the histograms of all lags are added up, and the real part of one transform is their mean score.

use num_complex::Complex;

use super::lattice::vertex;
use super::phase::{length, unit};
use super::{NORMAL_QUARTILES, fourier};

/// Readings that a line is looked for in: more cost time and add little.
const MOST: usize = 1 << 17;
/// Differences that a spread is taken from: known to some percent then.
const ENOUGH: usize = 1 << 14;
/// Lags that are added up.
const LAGS: usize = 32;
/// Largest transform: some 3 ms.
const LARGEST: usize = 1 << 17;
/// Points of the transform for each count of the longest difference: half a bin off, a line still keeps cos(π/8) = 0.92.
const OVERSAMPLING: f64 = 8.0;
/// Wanted spread of the differences, in counts. Their own rhythm leaves exp(−(2πfσ)²/2) at a frequency f: nothing from
/// f = 1/σ on (3·10⁻⁹).
const SPREAD: f64 = 16.0;
/// Least spread: below it too little of the spectrum is free of the rhythm.
const LEAST_SPREAD: f64 = 4.0;
/// Longest lag that the spread is waited for.
const LONGEST_LAG: usize = 256;
/// A line stands so many standard deviations above the noise around it. Chance of taking noise for one: 10⁻⁶ in the
/// 65 537 frequencies of the largest transform (normal distribution: exp(−z²/2) · 65 537 = 10⁻⁶, z = 7.05), and a
/// seventh for the noise itself being known from some ten independent points.
const CLEAR: f64 = 8.0;
/// Aliases that are looked at on either side, and the share of the line's score from which on one may be the truth.
const ALIASES: u32 = 8;
const RIVAL: f64 = 0.7;
/// Points of the spectrum that one value of the noise is taken from.
const AROUND: usize = 512;

/// Mean scores of the differences over many lags, for frequencies up to half a cycle a count.
pub(super) struct Spectrum {
    score: Vec<f64>,
    /// Score from which on a line is one, for each [`AROUND`] points.
    threshold: Vec<f64>,
    size: f64,
    /// Below this frequency nothing can be told from the rhythm of the reads.
    pub(super) lowest: f64,
    /// Reads after which their own rhythm leaves nothing at those frequencies by itself.
    pub(super) lag: usize,
    /// Median spacing of the reads, in counts.
    step: f64,
    /// How wide a line is at most.
    pub(super) width: f64,
}

impl Spectrum {
    /// `None` where the readings are too few, too regular or too far apart.
    pub(super) fn of(x: &[i64]) -> Option<Self> {
        let x = &x[..x.len().min(MOST)];
        let mut lag = 2;
        let (step, spread) = loop {
            lag *= 2;
            let (median, spread) = spread(x, lag)?;
            if spread >= SPREAD || lag >= LONGEST_LAG || lag * 128 > x.len() {
                break (median / lag as f64, spread);
            }
        };
        if spread < LEAST_SPREAD || step <= 0.0 {
            return None;
        }
        // An interruption adds more than half to a difference.
        let longest = |lag: usize| 1.5 * step * lag as f64;
        let stride = (lag / LAGS).max(1);
        let lags: Vec<usize> = (0..LAGS)
            .map(|i| lag + i * stride)
            .take_while(|at| *at == lag || OVERSAMPLING * longest(*at) <= LARGEST as f64)
            .collect();
        let reach = OVERSAMPLING * longest(*lags.last()?);
        if reach > 4.0 * LARGEST as f64 {
            return None;
        }
        let size = (reach as usize).next_power_of_two().clamp(8 * AROUND, LARGEST);
        let mut counts = vec![0_u32; size];
        for at in lags {
            let longest = longest(at) as i64;
            for (a, b) in x.iter().zip(&x[at..]) {
                let difference = b.wrapping_sub(*a);
                if difference > 0 && difference <= longest {
                    counts[difference as usize & (size - 1)] += 1;
                }
            }
        }
        let all = counts.iter().map(|n| f64::from(*n)).sum::<f64>().max(1.0);
        let shares: Vec<f64> = counts.into_iter().map(|n| f64::from(n) / all).collect();
        let score: Vec<f64> = fourier::spectrum(&shares).into_iter().map(|z| z.re).collect();
        let threshold = score.chunks(AROUND).map(noise).map(|noise| CLEAR * noise).collect();
        Some(Self {
            score,
            threshold,
            size: size as f64,
            lowest: 1.0 / spread,
            lag,
            step,
            width: OVERSAMPLING / size as f64,
        })
    }

    /// The share of a line's score that the rhythm of the reads makes appear so many cycles a count beside it.
    pub(super) fn carried(&self, beside: f64) -> f64 {
        let beside = beside.abs();
        let score = self.near(beside);
        if beside < self.lowest || score > self.threshold(beside) { score.max(0.0) } else { 0.0 }
    }

    /// Score from which on a line of this frequency stands out.
    pub(super) fn threshold(&self, frequency: f64) -> f64 {
        let at = (frequency * self.size) as usize / AROUND;
        self.threshold[at.min(self.threshold.len() - 1)]
    }

    /// The best score close to a frequency.
    pub(super) fn near(&self, frequency: f64) -> f64 {
        let at = (frequency * self.size).round() as usize;
        let last = self.score.len() - 1;
        self.score[at.saturating_sub(1).min(last)..=(at + 1).min(last)].iter().copied().fold(f64::MIN, f64::max)
    }

    /// Of a line and its aliases by the rhythm of the reads, which differ from it by whole cycles a read, the one that the
    /// readings keep step with after that rhythm is lost; `None` where they are too few or too regular to tell.
    pub(super) fn without_rhythm(&self, x: &[i64], line: f64) -> Option<f64> {
        let score = self.near(line);
        let is_other = |alias: f64| alias >= self.lowest && (alias - line).abs() > self.width;
        let is_rival = |alias: &f64| is_other(*alias) && self.near(*alias) > RIVAL * score;
        let aliases =
            (1..=ALIASES).flat_map(|k| [-1.0, 1.0].map(|side| (line + side * f64::from(k) / self.step).abs()));
        let rivals: Vec<f64> = aliases.map(|alias| (alias - alias.round()).abs()).filter(is_rival).collect();
        if rivals.is_empty() {
            return Some(line);
        }
        let mut lag = self.lag;
        while spread(x, lag)?.1 < self.step / 2.0 {
            lag *= 2;
            if lag * 8 > x.len() {
                return None;
            }
        }
        let kept = rivals.into_iter().chain([line]).map(|line| (kept(x, line, lag), line));
        kept.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(kept, _)| *kept > RIVAL * score).map(|(_, line)| line)
    }

    /// Frequencies and scores of all lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = (f64, f64)> {
        let from = (self.lowest * self.size).ceil() as usize;
        let is_top = |k: usize| {
            let around = &self.score[k.saturating_sub(1)..=(k + 1).min(self.score.len() - 1)];
            self.score[k] > self.threshold[k / AROUND] && around.iter().all(|beside| *beside <= self.score[k])
        };
        (from..self.score.len()).filter(move |k| is_top(*k)).map(|k| (k as f64 / self.size, self.score[k]))
    }

    /// The frequency of the strongest line.
    pub(super) fn strongest(&self) -> Option<f64> {
        let from = (self.lowest * self.size).ceil() as usize;
        let clear = |k: &usize| self.score[*k] > self.threshold[*k / AROUND];
        let top = (from..self.score.len()).filter(clear).max_by(|a, b| self.score[*a].total_cmp(&self.score[*b]))?;
        Some(vertex(&self.score, top) / self.size)
    }
}

/// The score of a line in the differences over `lag` reads, whatever its phase.
fn kept(x: &[i64], line: f64, lag: usize) -> f64 {
    let differences = x.iter().zip(&x[lag..]).take(ENOUGH).map(|(a, b)| b.wrapping_sub(*a) as f64);
    let (n, sum) = differences.fold((0.0, Complex::default()), |(n, sum), d| (n + 1.0, sum + unit(line * d)));
    length(sum) / f64::max(n, 1.0)
}

/// Median and standard deviation of the differences over `lag` reads; the deviation from the quartiles.
fn spread(x: &[i64], lag: usize) -> Option<(f64, f64)> {
    let pairs = x.iter().zip(x.get(lag..)?).take(ENOUGH);
    let mut differences: Vec<i64> = pairs.map(|(a, b)| b.wrapping_sub(*a)).collect();
    let n = differences.len();
    if n < 4 {
        return None;
    }
    let mut at = |p: usize| *differences.select_nth_unstable(p).1 as f64;
    let (low, median, high) = (at(n / 4), at(n / 2), at(n * 3 / 4));
    Some((median, (high - low) / NORMAL_QUARTILES))
}

/// Standard deviation of scores around zero of which a few are lines.
fn noise(scores: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = scores.iter().map(|score| score.abs()).collect();
    let middle = sizes.len() / 2;
    *sizes.select_nth_unstable_by(middle, f64::total_cmp).1 / (NORMAL_QUARTILES / 2.0)
}
