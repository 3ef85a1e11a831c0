//! One estimator under one kind of noise, over many seeds.

use std::thread;

/// What an estimator said of one trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Answer {
    pub(crate) truth: f64,
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// A kind of trace with a known truth.
pub(crate) struct Case {
    /// The estimator, where its group has several.
    pub(crate) estimator: &'static str,
    /// What was put in.
    pub(crate) injected: String,
    /// The trace of a seed made and estimated; several answers where a trace has several truths, none where the
    /// estimator gave no figure.
    pub(crate) run: fn(&Case, u64) -> Vec<Answer>,
    /// The truth, or its centre where it differs from seed to seed.
    pub(crate) truth: f64,
    /// Further parameters of the trace, as `run` reads them.
    pub(crate) with: [f64; 4],
    /// Why more than 97 % may be held; `None`: it may not.
    pub(crate) wider: Option<&'static str>,
}

/// A case over all its seeds.
pub(crate) struct Result {
    pub(crate) seeds: u64,
    /// Seeds without an answer.
    pub(crate) silent: u64,
    pub(crate) answers: Vec<Answer>,
}

impl Case {
    /// All seeds, on all CPUs.
    pub(crate) fn over(&self, seeds: u64) -> Result {
        let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
        let parts: Vec<Vec<Vec<Answer>>> = thread::scope(|scope| {
            let handles: Vec<_> = (0..threads)
                .map(|part| {
                    let seeds = (part..seeds).step_by(threads as usize);
                    scope.spawn(move || seeds.map(|seed| (self.run)(self, seed)).collect())
                })
                .collect();
            handles.into_iter().map(|handle| handle.join().unwrap_or_default()).collect()
        });
        let all: Vec<Vec<Answer>> = parts.into_iter().flatten().collect();
        let silent = all.iter().filter(|answers| answers.is_empty()).count() as u64;
        Result { seeds, silent, answers: all.into_iter().flatten().collect() }
    }
}

impl Result {
    /// Share of the intervals that hold the truth.
    pub(crate) fn coverage(&self) -> f64 {
        let held = self.answers.iter().filter(|a| (a.low..=a.high).contains(&a.truth)).count();
        held as f64 / self.answers.len().max(1) as f64
    }

    /// Median of value less truth, relative to the truth.
    pub(crate) fn bias(&self) -> f64 {
        self.quantile(0.5, |a| a.value / a.truth - 1.0)
    }

    /// 95 % of the relative errors are within this.
    pub(crate) fn error(&self) -> f64 {
        self.quantile(0.95, |a| (a.value / a.truth - 1.0).abs())
    }

    /// Median half width, relative to the truth.
    pub(crate) fn half_width(&self) -> f64 {
        self.quantile(0.5, |a| (a.high - a.low) / 2.0 / a.truth.abs())
    }

    fn quantile(&self, at: f64, of: impl Fn(&Answer) -> f64) -> f64 {
        let mut values: Vec<f64> = self.answers.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        let place = (at * values.len() as f64) as usize;
        values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }

    /// Whether the coverage agrees with `wanted`, sampling error (2.6 standard deviations, 99 %) allowed for.
    pub(crate) fn holds_between(&self, wanted: [f64; 2]) -> bool {
        let allowed = |p: f64| 2.6 * (p * (1.0 - p) / self.answers.len().max(1) as f64).sqrt();
        let [low, high] = wanted;
        let coverage = self.coverage();
        coverage >= low - allowed(low) && coverage <= high + allowed(high)
    }
}
