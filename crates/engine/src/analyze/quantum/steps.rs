//! Clocks that update more slowly than they are read.

use super::{FEWEST, FINEST, Quantum, refine};
use crate::analyze::stats::Z95;

/// The quantum from the distinct values that a clock took one after the other: for clocks that update more
/// slowly than they are read, down to those so slow that only a few changes are seen.
pub fn from_changes(values: &[u64]) -> Quantum {
    let mut steps: Vec<i64> =
        values.windows(2).map(|w| w[1].wrapping_sub(w[0]) as i64).filter(|step| *step > 0).collect();
    steps.sort_unstable();
    match steps[..] {
        [] => Quantum::Unknown("the clock was not seen to move".into()),
        // The clock's own count: nothing finer can be, and few steps can't show anything coarser.
        [1, ..] if steps.len() < FEWEST && steps.iter().all(|s| *s < 1000) => {
            Quantum::Found { value: 1.0, half_width: 0.0, steps: true }
        }
        [step, _] | [step] => Quantum::NotCoarserThan((step as f64).max(FINEST)),
        _ => {
            let Some(seed) = seed(&steps) else {
                return Quantum::NotCoarserThan((steps[0] as f64).max(FINEST));
            };
            if steps.len() >= FEWEST {
                let x: Vec<i64> = values.iter().map(|v| v.wrapping_sub(values[0]) as i64).collect();
                return refine::found(&x, seed, true);
            }
            let fit = steps.iter().fold(Fit::default(), |fit, step| fit.add(*step as f64, seed));
            let value = seed + fit.nr / fit.nn;
            // Each step has the rounding of two readings in it: variance 1/6 count² at least.
            let variance = (fit.rr / steps.len() as f64).max(1.0 / 6.0);
            Quantum::Found { value, half_width: Z95 * (variance / fit.nn).sqrt(), steps: true }
        }
    }
}

/// Least squares of steps on their whole numbers of quanta.
#[derive(Default)]
struct Fit {
    nn: f64,
    nr: f64,
    rr: f64,
}

impl Fit {
    fn add(self, step: f64, seed: f64) -> Self {
        let n = (step / seed).round();
        let r = step - n * seed;
        // A step far off the lattice (the clock was set) has no say.
        if n < 1.0 || r.abs() > tolerance(seed) {
            return self;
        }
        Self { nn: self.nn + n * n, nr: self.nr + n * r, rr: self.rr + r * r }
    }
}

/// How far a step may lie off a multiple of the quantum: rounding of two readings, and a kernel that trims
/// its tick by some ppm.
fn tolerance(seed: f64) -> f64 {
    1.5 + seed * 1e-3
}

/// A first estimate from sorted steps: the mean of the smallest cluster, if most steps are multiples of it.
pub(super) fn seed(sorted: &[i64]) -> Option<f64> {
    let smallest = *sorted.get(sorted.len() / 10)? as f64;
    let cluster: Vec<f64> =
        sorted.iter().map(|s| *s as f64).filter(|s| (s - smallest).abs() <= tolerance(smallest)).collect();
    let seed = cluster.iter().sum::<f64>() / cluster.len() as f64;
    let fits = |step: &&i64| {
        let n = (**step as f64 / seed).round();
        n >= 1.0 && (**step as f64 - n * seed).abs() <= tolerance(seed) + n
    };
    let on_lattice = sorted.iter().filter(fits).count();
    (cluster.len() * 2 >= sorted.len() && on_lattice * 10 >= sorted.len() * 9 && seed >= 1.0).then_some(seed)
}
