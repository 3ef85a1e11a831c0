//! The latest phases of a series, and the sums of squares of their second differences and of the third differences of
//! their running sums, from which the Allan variances are made (NIST SP 1065, 5.2.4 and 5.2.5).

use std::collections::VecDeque;

/// Phases and running sums at even distances.
#[derive(Debug, Clone)]
pub(super) struct Ring {
    /// Averaging times, in the ring's own distances.
    factors: Vec<usize>,
    phases: VecDeque<f64>,
    sums: VecDeque<f64>,
    allan: Vec<Mean>,
    modified: Vec<Mean>,
    /// Steps between two entries.
    every: u64,
}

/// The mean of squares.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value * value;
        self.count += 1;
    }

    fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

impl Ring {
    /// For these averaging times, in its own distances, each `every` steps of the series.
    pub(super) fn new(factors: Vec<usize>, every: u64) -> Self {
        let means = vec![Mean::default(); factors.len()];
        let sums = VecDeque::from([0.0]);
        Self { factors, phases: VecDeque::new(), sums, allan: means.clone(), modified: means, every }
    }

    pub(super) fn every(&self) -> u64 {
        self.every
    }

    /// The next phase.
    pub(super) fn phase(&mut self, phase: f64) {
        let longest = self.factors.iter().max().copied().unwrap_or(0);
        keep(&mut self.phases, phase, 2 * longest + 1);
        for (factor, mean) in self.factors.iter().zip(&mut self.allan) {
            if let Some([now, middle, first]) = ago(&self.phases, [0, *factor, 2 * factor]) {
                mean.add(now - 2.0 * middle + first);
            }
        }
    }

    /// The sum of all phases of the series up to now.
    pub(super) fn sum(&mut self, sum: f64) {
        let longest = self.factors.iter().max().copied().unwrap_or(0);
        keep(&mut self.sums, sum, 3 * longest + 1);
        for (factor, mean) in self.factors.iter().zip(&mut self.modified) {
            if let Some([now, second, third, first]) = ago(&self.sums, [0, *factor, 2 * factor, 3 * factor]) {
                mean.add(now - 3.0 * (second - third) - first);
            }
        }
    }

    /// Averaging times, in steps of the series, with the Allan variance and the modified one, each times the square of that
    /// time.
    pub(super) fn variances(&self) -> impl Iterator<Item = (u64, [Option<f64>; 2])> {
        let means = self.allan.iter().zip(&self.modified);
        self.factors.iter().zip(means).map(|(factor, (allan, modified))| {
            let steps = *factor as u64 * self.every;
            let allan = allan.value().map(|mean| mean / 2.0);
            let modified = modified.value().map(|mean| mean / 2.0 / (steps as f64 * steps as f64));
            (steps, [allan, modified])
        })
    }
}

fn keep(kept: &mut VecDeque<f64>, value: f64, most: usize) {
    if kept.len() == most {
        kept.pop_front();
    }
    kept.push_back(value);
}

/// The entries so many places before the last one; `None` where there are not so many.
fn ago<const N: usize>(kept: &VecDeque<f64>, places: [usize; N]) -> Option<[f64; N]> {
    let last = kept.len().checked_sub(1)?;
    let mut found = [0.0; N];
    for (value, place) in found.iter_mut().zip(places) {
        *value = *kept.get(last.checked_sub(place)?)?;
    }
    Some(found)
}
