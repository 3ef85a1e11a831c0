//! The phase of a line over the whole baseline: readings summed in blocks, blocks in longer blocks.

use num_complex::Complex;

use super::phase::{cycles, length, unit};
use crate::analyze::stats::Z95;

/// Fewest pieces that a phase is fitted through.
const FEWEST_PIECES: usize = 8;
/// Share of the score between the shortest blocks that has to be left between longer ones: a phase that drifts over 0.26 of
/// a turn within each leaves sinc(0.26)² = 0.8.
const IN_STEP: f64 = 0.8;
/// Least power of a piece over its noise: its phase is then known to 1/√(2·20) = 0.16 rad, and no step from piece to
/// piece is mistaken for another.
const CLEAR: f64 = 20.0;
/// Least power of a block over its noise for products of three of them to be worth as much as their readings.
const AUDIBLE: f64 = 5.0;

/// Sums over a block of readings.
#[derive(Clone, Copy)]
struct Block {
    /// Of exp(2πi f x).
    first: Complex<f64>,
    /// Of exp(4πi f x).
    second: Complex<f64>,
    /// Mean reading.
    at: f64,
    readings: f64,
}

impl Block {
    fn turned(self, frequency: f64) -> Self {
        let by = unit(-frequency * self.at);
        Self { first: self.first * by, second: self.second * by * by, ..self }
    }

    fn and(self, other: Self) -> Self {
        let readings = self.readings + other.readings;
        Self {
            first: self.first + other.first,
            second: self.second + other.second,
            at: (self.at * self.readings + other.at * other.readings) / readings,
            readings,
        }
    }
}

/// What the readings say of a line.
pub(super) struct Line {
    /// Cycles a count.
    pub(super) frequency: f64,
    /// Half width of its 95 % interval.
    pub(super) half_width: f64,
    /// The score R = c₁², and its standard deviation.
    pub(super) score: (f64, f64),
    /// c₁² c₂, c₂ being the line of twice the frequency, and its standard deviation.
    pub(super) product: (f64, f64),
}

/// Follows a line of about that frequency over all readings, in blocks of `length` at first. `None` where the readings are
/// too few for that, or don't keep step.
pub(super) fn follow(x: &[i64], frequency: f64, length: usize) -> Option<Line> {
    let mut all = blocks(x, frequency, length);
    let mut off = 0.0;
    let (mut at_first, mut strengths, mut pieces) = (None, None, None);
    while let Some((by, score)) = turn(&all) {
        if score < IN_STEP * *at_first.get_or_insert(score) {
            break;
        }
        off += by;
        for block in &mut all {
            *block = block.turned(by);
        }
        let power = score * all[0].readings;
        if power >= AUDIBLE {
            strengths.get_or_insert_with(|| (strength(&all), product(&all)));
        }
        if power >= CLEAR {
            pieces = Some((off, all.clone()));
        }
        all = all.chunks_exact(2).map(|pair| pair[0].and(pair[1])).collect();
    }
    let ((score, product), (off, pieces)) = (strengths?, pieces?);
    let (by, half_width) = slope(&pieces);
    Some(Line { frequency: frequency - off - by, half_width, score, product })
}

fn blocks(x: &[i64], frequency: f64, length: usize) -> Vec<Block> {
    let table: Vec<Complex<f64>> = (0..4096).map(|d| unit(frequency * f64::from(d))).collect();
    let mut phase = Complex::new(1.0, 0.0);
    let mut before = x.first().copied().unwrap_or(0);
    x.chunks_exact(length)
        .map(|readings| {
            let start = readings[0];
            let mut sum = 0.0;
            let (mut first, mut second) = (Complex::default(), Complex::default());
            for reading in readings {
                let step = reading.wrapping_sub(before);
                before = *reading;
                phase *= usize::try_from(step)
                    .ok()
                    .and_then(|step| table.get(step).copied())
                    .unwrap_or_else(|| unit(frequency * step as f64));
                first += phase;
                second += phase * phase;
                sum += reading.wrapping_sub(start) as f64;
            }
            let at = start as f64 + sum / length as f64;
            Block { first, second, at, readings: length as f64 }
        })
        .collect()
}

/// Blocks with one between them, whose own rhythm is then forgotten: by how much their phase turns a count, and the
/// score over that distance. Pairs across an interruption, more than twice as far apart as most, are left out: over them
/// the turns could be miscounted.
fn turn(blocks: &[Block]) -> Option<(f64, f64)> {
    if blocks.len() < FEWEST_PIECES {
        return None;
    }
    let pairs = || blocks.iter().zip(&blocks[2..]);
    let mut distances: Vec<f64> = pairs().map(|(a, b)| b.at - a.at).collect();
    let middle = distances.len() / 2;
    let longest = 2.0 * *distances.select_nth_unstable_by(middle, f64::total_cmp).1;
    let (mut product, mut distance, mut weight) = (Complex::default(), 0.0, 0.0);
    for (a, b) in pairs().filter(|(a, b)| b.at - a.at <= longest) {
        product += a.first.conj() * b.first;
        distance += b.at - a.at;
        weight += 1.0;
    }
    let score = length(product) / (weight * blocks[0].readings * blocks[0].readings);
    (distance > 0.0).then(|| (cycles(product) * weight / distance, score))
}

/// By how much the phase of the pieces turns a count, and the half width of that.
fn slope(pieces: &[Block]) -> (f64, f64) {
    let count = pieces.len();
    let mut phase = 0.0;
    let mut before: Option<&Block> = None;
    let points: Vec<(f64, f64)> = pieces
        .iter()
        .map(|piece| {
            if let Some(before) = before {
                phase += cycles(piece.first * before.first.conj());
            }
            before = Some(piece);
            (piece.at, phase)
        })
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count as f64;
    let (mean_at, mean_phase) = (mean(|p| p.0), mean(|p| p.1));
    let centred = || points.iter().map(|(at, phase)| (at - mean_at, phase - mean_phase));
    let tt: f64 = centred().map(|(t, _)| t * t).sum();
    let slope = centred().map(|(t, p)| t * p).sum::<f64>() / tt;
    let residuals: Vec<(f64, f64)> = centred().map(|(t, p)| (t, p - slope * t)).collect();
    let freedom = count as f64 - 2.0;
    let alone = residuals.iter().map(|(_, r)| r * r).sum::<f64>() / freedom / tt;
    // A rate that is trimmed now and then makes neighbours' residuals alike.
    let long = (count / FEWEST_PIECES).max(1);
    let together =
        residuals.chunks(long).map(|c| c.iter().map(|(t, r)| t * r).sum::<f64>()).map(|s| s * s).sum::<f64>()
            / (tt * tt);
    // Student's t for 95 %, to the first order: z (1 + (z² + 1) / 4ν).
    (slope, Z95 * (1.0 + 1.21 / freedom) * alone.max(together).sqrt())
}

/// Mean and standard deviation of the mean of products in which each block stands `alike` times: so often are the
/// covariances of neighbouring products counted, at most.
fn mean(values: impl Iterator<Item = f64> + Clone, alike: f64) -> (f64, f64) {
    let (n, sum) = values.clone().fold((0.0, 0.0), |(n, sum), v| (n + 1.0, sum + v));
    let mean = sum / n;
    let variance = values.map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, (alike * variance / n).sqrt())
}

/// c₁²: blocks beside the next but one.
fn strength(blocks: &[Block]) -> (f64, f64) {
    mean(blocks.windows(3).map(|b| (b[0].first.conj() * b[2].first).re / (b[0].readings * b[2].readings)), 2.0)
}

/// c₁² c₂: a block's second harmonic beside the first of those two before and two after, so that a turning phase
/// cancels.
fn product(blocks: &[Block]) -> (f64, f64) {
    let real = |b: &[Block]| (b[0].first * b[4].first * b[2].second.conj()).re;
    mean(blocks.windows(5).map(|b| real(b) / (b[0].readings * b[2].readings * b[4].readings)), 3.0)
}
