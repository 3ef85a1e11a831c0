//! How stable a clock is: the Allan deviation (overlapping), the modified one, the time deviation and the maximum time
//! interval error over averaging times in octaves, from a series of phases that comes one by one. Method:
//! docs/method/monitor.md.
//!
//! * `rings` — the latest phases, decimated where averaging times are long
//! * `windows` — ranges of the phase over windows, each made of two of half the length
//! * `noise` — which power law the deviations follow
//! * `freedom` — how many degrees of freedom an estimate has
//! * `chi` — quantiles of the chi-squared distribution

mod chi;
mod freedom;
mod noise;
mod rings;
#[cfg(test)]
mod tests;
mod windows;

use rings::Ring;
use windows::Windows;

use crate::record::{Deviation, StabilityPoint};

/// Every window is taken up to averaging times of so many steps; beyond, windows begin at each 2nd, 4th … step, so that
/// as many of them fit into an averaging time.
const EXACT: usize = 1024;
/// Longest averaging time, in octaves above the step: 2^36 steps are no run's.
const OCTAVES: usize = 36;

/// A series of phases, as far as it has come. Memory grows with the logarithm of the series: some 50 KiB an octave beyond
/// 1024 steps, 100 KiB below.
#[derive(Debug, Clone)]
pub struct Stability {
    step_ns: f64,
    /// The first phase, and by how much the second differs: what a line takes away changes no deviation, and small
    /// numbers keep more digits.
    line: Option<(f64, Option<f64>)>,
    points: u64,
    /// Sum of all phases less that line.
    sum: f64,
    rings: Vec<Ring>,
    windows: Windows,
}

impl Stability {
    /// Of phases that are `step_ns` apart.
    pub fn new(step_ns: f64) -> Self {
        let factors = (0..=EXACT.ilog2()).map(|octave| 1 << octave).collect();
        Self::with(step_ns, factors)
    }

    /// The same over these averaging times, in steps, and octaves beyond 1024.
    fn with(step_ns: f64, factors: Vec<usize>) -> Self {
        let longer = (1..OCTAVES).map(|octave| Ring::new(vec![EXACT], 1 << octave));
        let rings = std::iter::once(Ring::new(factors, 1)).chain(longer).collect();
        Self { step_ns, line: None, points: 0, sum: 0.0, rings, windows: Windows::default() }
    }

    /// The next phase, ns.
    pub fn push(&mut self, phase_ns: f64) {
        self.windows.push(phase_ns);
        let (origin, slope) = match self.line {
            None => (phase_ns, None),
            Some((origin, slope)) => (origin, slope.or(Some(phase_ns - origin))),
        };
        self.line = Some((origin, slope));
        let phase = phase_ns - origin - slope.unwrap_or(0.0) * self.points as f64;
        for ring in self.rings.iter_mut().take_while(|ring| self.points.is_multiple_of(ring.every())) {
            ring.phase(phase);
        }
        self.points += 1;
        self.sum += phase;
        for ring in self.rings.iter_mut().take_while(|ring| self.points.is_multiple_of(ring.every())) {
            ring.sum(self.sum);
        }
    }

    /// Phases that have come.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// What the series comes to, the shortest averaging time first; those of which no window has come are left out.
    pub fn table(&self) -> Vec<StabilityPoint> {
        let found: Vec<(u64, [Option<f64>; 2])> =
            self.rings.iter().flat_map(Ring::variances).filter(|(_, [allan, _])| allan.is_some()).collect();
        let modified: Vec<(u64, Option<f64>)> =
            found.iter().map(|(steps, [_, modified])| (*steps, *modified)).collect();
        let one = |(at, (steps, [allan, modified_here])): (usize, &(u64, [Option<f64>; 2]))| {
            let tau_ns = *steps as f64 * self.step_ns;
            let law = noise::law(&modified, at, self.points);
            let deviation = |variance: Option<f64>, modified: bool, scale: f64| {
                let freedom = law.and_then(|law| freedom::freedom(law, *steps, self.points, modified));
                Some(deviation(variance?, freedom, scale))
            };
            StabilityPoint {
                tau_s: tau_ns / 1e9,
                adev: deviation(*allan, false, 1.0 / tau_ns),
                mdev: deviation(*modified_here, true, 1.0 / tau_ns),
                // tau / √3 of the modified deviation.
                tdev_ns: deviation(*modified_here, true, 1.0 / 3.0_f64.sqrt()),
                mtie_ns: self.windows.largest(*steps),
                noise: law.map(noise::name),
            }
        };
        found.iter().enumerate().map(one).collect()
    }
}

/// The root of a variance times `scale`, with the interval that so many degrees of freedom leave.
fn deviation(variance: f64, freedom: Option<f64>, scale: f64) -> Deviation {
    let value = variance.sqrt() * scale;
    let [low, high] = freedom.map(chi::factors).map_or([None, None], |factors| factors.map(|by| Some(value * by)));
    Deviation { value, low, high }
}
