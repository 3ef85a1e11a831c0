//! The errors of timings, by length.

use super::super::stats::{Z95, sort};
use super::truth::{Centre, Truth, centre};
use crate::record::{Interval, SpanPoint};
use crate::trace::Chain;

/// Lots below which nothing is said: with fewer, the largest of them is the 95th percentile.
pub(super) const FEWEST: usize = 60;

/// An error is taken for the CPU's unsteadiness at most up to this share of its standard deviation.
const MOST_UNSTEADY: f64 = 0.6;

/// What a clock's timings come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// [`ClockSpans::overhead_ns`](crate::record::ClockSpans::overhead_ns).
    pub overhead: Interval,
    /// One a length, the shortest first, without the empty ones.
    pub points: Vec<Point>,
}

/// One length's.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// As in the record.
    pub shown: SpanPoint,
    /// What 95 of 100 of the clock's errors do not exceed, between the ends of its interval, ns.
    pub raw: [f64; 3],
    /// The same once the overhead is subtracted.
    pub subtracted: [f64; 3],
    /// The clock's mean error once the overhead is subtracted, ns.
    pub mean_ns: f64,
    /// Half the width of its 95 % interval, ns.
    pub mean_off_ns: f64,
    /// The standard deviation of the clock's errors, between the ends of its 95 % interval, ns.
    pub sd_ns: [f64; 3],
}

/// Timings of one length.
struct Column {
    length_ns: f64,
    length_off_ns: f64,
    /// Less the mean length of as many steps.
    errors: Vec<f64>,
    mean: Centre,
    /// Less what the witness showed of the same chain.
    beside: Vec<f64>,
    mean_beside: Centre,
    /// What the witness showed, less the mean length.
    shown: Centre,
}

/// The curve of lots of chains of which `count_ns` and `witness_ns` say what a count is worth, and the quanta, ns, how
/// coarse clock and witness are. `None`: there are fewer than 60 lots.
///
/// The clock's error is that of its two reads, whatever stands between them. Beside the mean length of a chain it shows where
/// chains are so short that the CPU's unsteady speed is nothing beside it; whether it grows with the length, the witness around
/// each chain shows, however long that one took.
pub fn curve(lots: &[&[Chain]], count_ns: f64, witness_ns: f64, quanta: [f64; 2]) -> Option<Curve> {
    if lots.len() < FEWEST {
        return None;
    }
    let [quantum, witness_quantum] = quanta;
    let truth = Truth::of(lots, witness_quantum / witness_ns)?;
    let column = |place: usize| column(lots, place, &truth, [count_ns, witness_ns], quantum + witness_quantum);
    let columns = (1..truth.beside.len()).map(column).collect::<Option<Vec<_>>>()?;
    let overhead = overhead(&columns, truth.all_off * witness_ns);
    // From here on the two reads are apart, and the lengths spread over two of the clock's steps: its phases are independent.
    let apart = columns.iter().position(|of| of.length_ns >= 2.0 * quantum.max(overhead.value.abs()));
    let apart = apart.unwrap_or(columns.len().checked_sub(1)?);
    let spread = |of: &Column| {
        let middle = of.mean_beside.mean;
        quantile(&sorted(of.beside.iter().map(|error| (error - middle).abs())), 0.95)
    };
    let least = spread(&columns[apart]);
    // The CPU's unsteadiness, which errors of a length have in proportion to it, is taken out of them.
    let unsteady = sorted(columns.iter().skip(apart + 1).map(|of| of.unsteady(witness_quantum)));
    // Of all longer lengths the middle half, so that the interval has room for the doubt.
    let unsteady = [0.75, 0.5, 0.25].map(|share| quantile(&unsteady, share)[1]);
    let shrunk = |of: &Column, unsteady: f64| {
        let share = (unsteady * of.length_ns / of.mean.sd.max(f64::MIN_POSITIVE)).clamp(0.0, MOST_UNSTEADY);
        (1.0 - share * share).sqrt()
    };
    let points = columns.iter().enumerate().map(|(place, of)| {
        let of_reads = &columns[place.min(apart)];
        let spread = spread(of);
        let grown = if place > apart && spread[0] > least[2] { spread[1] - least[1] } else { 0.0 };
        let moved = if place > apart { of.mean_beside.mean - of_reads.mean_beside.mean } else { 0.0 };
        let errors = |less: f64| {
            let middle = of_reads.mean.mean;
            [0, 1, 2].map(|end| {
                let part = shrunk(of_reads, unsteady[end]);
                let error = |error: &f64| (middle + part * (error - middle) + moved - less).abs();
                quantile(&sorted(of_reads.errors.iter().map(error)), 0.95)[end] + grown
            })
        };
        let (raw, subtracted) = (errors(0.0), errors(overhead.value));
        let mean_ns = of_reads.mean.mean + moved - overhead.value;
        let moved_off = if place > apart { libm::hypot(of.mean_beside.off, of_reads.mean_beside.off) } else { 0.0 };
        let offs = [of_reads.mean.off, of_reads.length_off_ns, overhead.high - overhead.value, moved_off];
        let mean_off_ns = offs.into_iter().fold(0.0, libm::hypot);
        let n = of.errors.len() as f64;
        let mean = of.errors.iter().sum::<f64>() / n;
        let variance = of.errors.iter().map(|error| (error - mean) * (error - mean)).sum::<f64>() / (n - 1.0);
        let all = sorted(of.errors.iter().copied());
        let shown = SpanPoint {
            length_ns: of.length_ns,
            length_off_ns: of.length_off_ns,
            timings: of.errors.len() as u64,
            bias_ns: mean_ns + overhead.value,
            p95_ns: raw[1],
            p95_subtracted_ns: subtracted[1],
            low_ns: quantile(&all, 0.025)[1],
            high_ns: quantile(&all, 0.975)[1],
            sd_ns: variance.sqrt(),
        };
        // The ends of a normal distribution's, by which a clock in steps has no more; and the doubt of the unsteadiness.
        let doubt = Z95 / (2.0 * n).sqrt();
        let sd_ns = [0, 1, 2].map(|end| shrunk(of_reads, unsteady[end]) * of_reads.mean.sd);
        let sd_ns = [sd_ns[0] * (1.0 - doubt), sd_ns[1], sd_ns[2] * (1.0 + doubt)];
        Point { shown, raw, subtracted, mean_ns, mean_off_ns, sd_ns }
    });
    // The length of the shortest chains may be less than its own error, and even below nothing.
    let points = points.filter(|point| point.shown.length_ns > 0.0).collect();
    Some(Curve { overhead, points })
}

impl Column {
    /// By which share chains of this length take longer or shorter than another one, as a standard deviation: what the witness
    /// shows of them, without the two phases of its steps.
    fn unsteady(&self, witness_quantum: f64) -> f64 {
        let variance = self.shown.sd * self.shown.sd - witness_quantum * witness_quantum / 6.0;
        variance.max(0.0).sqrt() / self.length_ns
    }
}

fn column(lots: &[&[Chain]], place: usize, truth: &Truth, worth: [f64; 2], quantum: f64) -> Option<Column> {
    let [count_ns, witness_ns] = worth;
    let (mut sum, mut errors, mut beside, mut witnessed) = (0.0, Vec::new(), Vec::new(), Vec::new());
    for (at, lot) in lots.iter().enumerate() {
        let (chain, shown) = (lot[place], lot[place].counts as f64 * count_ns);
        let length = truth.length(at, place, chain) * witness_ns;
        sum += length;
        errors.push(shown - length);
        let by_witness = (chain.witness as f64 - truth.empty) * witness_ns;
        beside.push(shown - by_witness);
        witnessed.push(by_witness - length);
    }
    let (mean, mean_beside, shown) =
        (centre(&errors, quantum)?, centre(&beside, quantum)?, centre(&witnessed, quantum)?);
    let length_off_ns = libm::hypot(truth.all_off * witness_ns, truth.beside[place].off * witness_ns);
    Some(Column { length_ns: sum / lots.len() as f64, length_off_ns, errors, mean, beside, mean_beside, shown })
}

/// The mean of all lengths' mean errors, each with the weight that its doubt leaves it; `all_off`: what all of them are wrong
/// by alike, which does not grow less by taking many.
fn overhead(columns: &[Column], all_off: f64) -> Interval {
    let off = |of: &Column| libm::hypot(of.mean.off, of.length_off_ns).max(f64::MIN_POSITIVE);
    let weights = columns.iter().map(|of| 1.0 / (off(of) * off(of)));
    let (sum, weight) = columns
        .iter()
        .zip(weights)
        .fold((0.0, 0.0), |(sum, all), (of, weight)| (sum + weight * of.mean.mean, all + weight));
    let (value, off) = (sum / weight, libm::hypot((1.0 / weight).sqrt(), all_off));
    Interval { value, low: value - off, high: value + off }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sort(&mut sorted);
    sorted
}

/// A quantile of sorted values between the ends of its distribution-free 95 % interval, by the normal approximation of the
/// binomial (David and Nagaraja, Order Statistics, 7.1).
fn quantile(sorted: &[f64], share: f64) -> [f64; 3] {
    let n = sorted.len() as f64;
    let spread = Z95 * (n * share * (1.0 - share)).sqrt();
    let at = |rank: f64| {
        let rank = (rank.ceil().max(1.0) as usize).min(sorted.len());
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    };
    [at(n * share - spread), at(n * share), at(n * share + spread + 1.0)]
}
