//! Clocks that update more slowly than they are read.

use super::{FEWEST, FINEST, Quantum, refine};
use crate::analyze::stats::Z95;

/// The quantum of a clock so slow that it is known by its changes: `steps` are the differences of neighbouring reads
/// that lay much closer together than the clock's value moved between them, so that no change was passed over.
pub fn from_steps(steps: &[u64]) -> Quantum {
    let steps: Vec<i64> = steps.iter().map(|step| *step as i64).filter(|step| *step > 0).collect();
    let mut sorted = steps.clone();
    sorted.sort_unstable();
    match sorted[..] {
        [] => Quantum::Unknown("the clock was not seen to change between two reads close together".into()),
        // The clock's own count, a millisecond or a second: it is not finer, and the steps bound what it is more.
        [1, .., 1] => Quantum::Found { value: 1.0, half_width: above_one(&steps), steps: true },
        [1, ..] => Quantum::NotCoarserThan(1.0 + above_one(&steps)),
        [step, _] | [step] => Quantum::NotCoarserThan((step as f64).max(FINEST)),
        [smallest, ..] => match seed(&sorted) {
            Some(seed) if seed <= smallest as f64 + tolerance(seed) => fit_steps(&sorted, seed),
            _ => Quantum::NotCoarserThan((smallest as f64).max(FINEST)),
        },
    }
}

/// By how much a quantum is at most more than one count, by its steps in the order of time: of 1 + 1/m no m neighbouring
/// counts are all taken.
fn above_one(steps: &[i64]) -> f64 {
    let longest = steps.split(|step| *step != 1).map(<[i64]>::len).max().unwrap_or(0);
    1.0 / longest.max(1) as f64
}

/// The quantum of a clock that stood still between some of the reads, `values` being its distinct ones.
pub(super) fn dense(values: &[u64]) -> Quantum {
    let mut steps = ahead(values);
    let above = above_one(&steps);
    steps.sort_unstable();
    // Whole counts fit a quantum of one count whatever the truth; a tenth of the steps may be wrong.
    if steps.get(steps.len() / 10).is_some_and(|step| *step == 1) {
        return if above <= ONE_COUNT {
            Quantum::Found { value: 1.0, half_width: above, steps: true }
        } else {
            Quantum::NotCoarserThan(1.0 + above)
        };
    }
    if steps.is_empty() {
        return Quantum::Unknown("the clock was not seen to move".into());
    }
    fit(values, &steps)
}

/// A quantum this close to one count is called one: what the digits of a table would show as one.
const ONE_COUNT: f64 = 1e-3;

fn ahead(values: &[u64]) -> Vec<i64> {
    values.windows(2).map(|w| w[1].wrapping_sub(w[0]) as i64).filter(|step| *step > 0).collect()
}

fn fit(values: &[u64], steps: &[i64]) -> Quantum {
    let at_most = Quantum::NotCoarserThan((steps[0] as f64).max(FINEST));
    // One step, or two, may as well be several quanta each, which an interrupted reader passed over.
    let Some(seed) = (if steps.len() < 3 { None } else { seed(steps) }) else { return at_most };
    if steps.len() >= FEWEST && seed < FAST {
        let x: Vec<i64> = values.iter().map(|v| v.wrapping_sub(values[0]) as i64).collect();
        return refine::found(&x, seed, true);
    }
    fit_steps(steps, seed)
}

fn fit_steps(steps: &[i64], seed: f64) -> Quantum {
    let fit = steps.iter().fold(Fit::default(), |fit, step| fit.add(*step as f64, seed));
    let value = seed + fit.nr / fit.nn;
    // Each step has the rounding of two readings in it: variance 1/6 count² at least.
    let variance = (fit.rr / steps.len() as f64).max(1.0 / 6.0);
    Quantum::Found { value, half_width: Z95 * (variance / fit.nn).sqrt(), steps: true }
}

/// Below this a quantum, in counts, needs a long baseline to be sharp; above it single steps, known to a count, give it to
/// 10 ppm.
const FAST: f64 = 100_000.0;

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

/// How far a step may lie off a multiple of the quantum: rounding of two readings (± 1 count, and half a count of the
/// seed's own), and 1000 ppm, twice what adjtimex slews; of quanta of one and two counts, half a count, so that they are
/// told apart.
fn tolerance(seed: f64) -> f64 {
    if seed < FINEST { 0.5 } else { 1.5 + seed * 1e-3 }
}

/// A first estimate from sorted steps: the mean of the smallest cluster, if most steps are multiples of it. The
/// smallest step itself may be an outlier; the next try is a tenth of the way up.
pub(super) fn seed(sorted: &[i64]) -> Option<f64> {
    [0, sorted.len() / 10].into_iter().find_map(|at| seed_at(sorted, *sorted.get(at)? as f64))
}

fn seed_at(sorted: &[i64], smallest: f64) -> Option<f64> {
    let cluster: Vec<f64> =
        sorted.iter().map(|s| *s as f64).filter(|s| (s - smallest).abs() <= tolerance(smallest)).collect();
    let seed = cluster.iter().sum::<f64>() / cluster.len() as f64;
    let fits = |step: &&i64| {
        let n = (**step as f64 / seed).round();
        n >= 1.0 && (**step as f64 - n * seed).abs() <= tolerance(seed) + n
    };
    let on_lattice = sorted.iter().filter(fits).count();
    // The larger the quantum beside the tolerance, the less it can be chance that all steps are multiples of it: from
    // 1000 counts on a step lies on the lattice by chance once in 200, and nine in ten must.
    let clear = cluster.len() * 2 >= sorted.len() || seed > 1000.0;
    (clear && on_lattice * 10 >= sorted.len() * 9 && seed >= 1.0).then_some(seed)
}
