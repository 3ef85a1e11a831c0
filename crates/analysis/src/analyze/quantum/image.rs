//! Which of the images of a line is the truth: below three units, whole numbers show a line at frequency f as any of
//! f, 1 − f, 1 + f, 2 − f …, and what rounding has left of it tells which.

use std::iter::once;

use super::blocks::{Line, follow};
use super::line::Spectrum;
use super::phase::{rounded, sinc};
use super::{FINEST, Quantum, refine};

/// Images looked at go up to this many cycles a count.
const WHOLE_CYCLES: u32 = 4;
/// Share of its score that a line may have lost and still fit an image: the next image has 0.6 at most.
const LEFT: f64 = 0.9;
/// Share that a line has at least where a limit is stated.
const SEEN: f64 = 0.5;
/// The same where a line shows and nothing can be said but a limit: half of the readings anywhere, (1 − 0.55)², or a
/// lattice that shivers by a fifth of its spacing, exp(−(2π/5)²).
const BLURRED: f64 = 0.2;
/// Standard deviations that a strength may be off.
const CLEAR: f64 = 4.0;
/// More remainders than these change a line by less than a part in a thousand.
const MOST_REMAINDERS: u32 = 64;
/// By how much a strength may be off where readings favour some of the remainders.
const SWAY: f64 = 1.5;
/// Harmonics whose lines are known: rounding leaves a hundredth of those beyond at most.
const HARMONICS: u32 = 32;
/// Amplitude of another line, as a share of a line's own, with which [`SWAY`] is not yet exceeded.
const FAVOUR: f64 = 0.25;
/// The margin for lines of known frequency, three standard deviations, as a share of that for lines anywhere.
const KNOWN: f64 = 3.0 / 8.0;
/// Harmonics of a frequency so close to p/a may stay in step with it: 1 cycle in 10 000 counts, some hundred reads.
const COINCIDENT: f64 = 1e-4;
/// Shortest block, in readings.
const BLOCK: usize = 64;

/// The quantum by a line that rounding has left weak, or which lattices would have shown one. `None` where the readings
/// are too few, too regular or too far apart for either.
pub(super) fn find(x: &[i64]) -> Option<Quantum> {
    let spectrum = Spectrum::of(x)?;
    let limit = limit(&spectrum)?;
    let Some(frequency) = spectrum.strongest() else { return Some(Quantum::NotCoarserThan(limit)) };
    let Some(frequency) = spectrum.without_rhythm(x, frequency) else {
        return Some(Quantum::Unknown("the reads are too regular to tell a lattice from their own rhythm".into()));
    };
    let line = follow(&refine::in_order(x), frequency, spectrum.lag.max(BLOCK));
    if let Some(found) = line.and_then(|line| decide(&line, &spectrum)) {
        return Some(found);
    }
    let coarsest = images(frequency)
        .filter(|image| near(*image, spectrum.near(frequency), BLURRED))
        .flat_map(|image| once(image).chain(divisors(image).filter(|coarser| !excluded(*coarser, &spectrum))))
        .reduce(f64::min);
    Some(match coarsest.map(|image| 1.0 / (image - spectrum.width)) {
        Some(coarsest) if coarsest > FINEST => Quantum::Unknown("a lattice shows, but not its spacing".into()),
        coarsest => Quantum::NotCoarserThan(coarsest.map_or(limit, |coarsest| coarsest.max(limit))),
    })
}

/// Whether the score is about what an image would have left.
fn near(image: f64, score: f64, share: f64) -> bool {
    (share..=1.0 / share).contains(&(score / rounded(image)))
}

/// What a line of that frequency may be, in cycles a count; the coarsest lattice first.
fn images(frequency: f64) -> impl Iterator<Item = f64> {
    (0..WHOLE_CYCLES).map(f64::from).flat_map(move |n| [n + frequency, n + 1.0 - frequency])
}

/// The quantum, where one image fits and no other.
fn decide(line: &Line, spectrum: &Spectrum) -> Option<Quantum> {
    let remainders = remainders(line.frequency);
    let mut fitting = images(line.frequency).filter(|image| fits(*image, line, remainders));
    let image = fitting.next().filter(|image| *image > 1.0 / FINEST)?;
    // Nor may it be a harmonic of a coarser one; where lines coincide, nor may another image be.
    let may_be = |other: &f64| *other == image || remainders.is_some() && near(*other, line.score.0, SEEN);
    let mut coarser = images(line.frequency).filter(may_be).flat_map(divisors);
    if fitting.next().is_some()
        || !coarser.all(|image| excluded(image, spectrum))
        || has_others(image, remainders, spectrum)
    {
        return None;
    }
    let value = 1.0 / image;
    let half_width = libm::hypot(line.half_width * value, refine::TRIM) * value;
    Some(Quantum::Found { value, half_width, steps: false })
}

/// Whether the line and its second harmonic have what rounding leaves of that image.
fn fits(image: f64, line: &Line, remainders: Option<f64>) -> bool {
    let left = |k: f64| sinc(k * image) / remainders.map_or(1.0, |a| sinc(k / a));
    let (first, second) = (left(1.0), left(2.0));
    let (score, of_score) = (line.score.0 / (first * first), line.score.1 / line.score.0);
    let (harmonic, of_product) = (line.product.0 / (line.score.0 * second), line.product.1 / line.product.0.abs());
    let within = |ratio: f64, error: f64, least: f64, sway: f64| {
        let sway = if remainders.is_some() { sway } else { 1.0 };
        ratio * (1.0 + CLEAR * error) >= least / sway && ratio * (1.0 - CLEAR * error) <= sway
    };
    CLEAR * of_product < 1.0
        && within(score, of_score, LEFT, SWAY)
        && within(harmonic, libm::hypot(of_score, of_product), LEFT * LEFT, SWAY)
}

/// Whether there are lines that are no harmonics of that image, nor what the rhythm of the reads carries over from one.
/// Reads that favour some of the counter's values, as of a counter that moves in beats of its own, make such lines, and
/// add to those of the lattice.
///
/// Where the frequency is p/a they lie at other multiples of 1/a, or of a fraction of that where the line is a harmonic
/// itself. Those are few: less of a margin is clear there.
fn has_others(image: f64, remainders: Option<f64>, spectrum: &Spectrum) -> bool {
    let own = spectrum.near(fold(image)).sqrt();
    let known = remainders.into_iter().flat_map(|a| (1..=3).map(move |part| a * f64::from(part)));
    let known = known.flat_map(|a| (1..=(a / 2.0) as u32).map(move |j| f64::from(j) / a));
    let known = known.filter(|at| *at >= spectrum.lowest).map(|at| (at, spectrum.near(at)));
    let known = known.filter(|(at, score)| *score > KNOWN * spectrum.threshold(*at));
    spectrum.lines().chain(known).any(|(at, score)| {
        let harmonics = (1..=HARMONICS).map(|k| f64::from(k) * image);
        let expected: f64 = harmonics.map(|it| sinc(it).abs() * spectrum.carried(at - fold(it)).sqrt()).sum();
        score.sqrt() > expected + FAVOUR * own
    })
}

/// Where the frequency is p/a, values have only that many remainders, and rounding leaves 1/sinc(1/a) more: the harmonics
/// 1 ± a, 1 ± 2a … are then in step with the line. And what remainders the readings favour shows.
fn remainders(frequency: f64) -> Option<f64> {
    (2..=MOST_REMAINDERS).map(f64::from).find(|a| fold(a * frequency) < COINCIDENT)
}

/// Lattices below three counts of which this is a harmonic.
fn divisors(image: f64) -> impl Iterator<Item = f64> {
    (2..).map(move |k| image / f64::from(k)).take_while(|image| *image > 1.0 / FINEST)
}

fn fold(image: f64) -> f64 {
    (image - image.round()).abs()
}

/// Whether a lattice would have shown.
fn visible(image: f64, spectrum: &Spectrum) -> bool {
    let frequency = fold(image);
    frequency >= spectrum.lowest && SEEN * rounded(image) > spectrum.threshold(frequency)
}

fn excluded(image: f64, spectrum: &Spectrum) -> bool {
    visible(image, spectrum) && spectrum.near(fold(image)) < SEEN * rounded(image)
}

/// The finest quantum of which all coarser ones would have shown. Those coarser than the lowest frequency would have
/// shown by their harmonics.
fn limit(spectrum: &Spectrum) -> Option<f64> {
    let mut image = spectrum.lowest;
    if !visible(image, spectrum) {
        return None;
    }
    while image < 1.0 && visible(image, spectrum) {
        image *= 1.001;
    }
    Some(1.001 / image)
}
