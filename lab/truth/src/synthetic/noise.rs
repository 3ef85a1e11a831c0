//! Noise as machines have it.

/// A seeded generator of numbers that are distributed as noise is.
pub(crate) struct Random(fastrand::Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0.f64()
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Standard normal (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Exponential with that mean.
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.uniform()).ln()
    }

    /// Uniform in the logarithm.
    pub(crate) fn log_uniform(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.uniform())
    }
}

/// A first-order autoregressive process: what a frequency governor, a neighbour on the other hyper-thread or a warming
/// crystal do to a frequency. Stationary, mean 0.
pub(crate) struct Wander {
    value: f64,
    deviation: f64,
    length: f64,
}

impl Wander {
    /// `deviation`: standard deviation; `length`: after this many steps a 1/e of a deviation is left.
    pub(crate) fn new(deviation: f64, length: f64, random: &mut Random) -> Self {
        Self { value: deviation * random.normal(), deviation, length }
    }

    /// The value after `steps` more.
    pub(crate) fn after(&mut self, steps: f64, random: &mut Random) -> f64 {
        let keeps = (-steps / self.length).exp();
        self.value = keeps * self.value + self.deviation * (1.0 - keeps * keeps).sqrt() * random.normal();
        self.value
    }
}

/// What interrupts a reader.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interruptions {
    /// Timer ticks, device interrupts: how many a second of work, and their mean length, ns.
    pub(crate) short: (f64, f64),
    /// Slices of other threads and of the hypervisor's other guests, likewise.
    pub(crate) long: (f64, f64),
}

impl Interruptions {
    /// A quiet machine: the timer at 250 Hz, a slice lost now and then.
    pub(crate) const QUIET: Self = Self { short: (250.0, 3_000.0), long: (2.0, 500_000.0) };
    /// Two busy loops share the CPU.
    pub(crate) const LOADED: Self = Self { short: (1_000.0, 5_000.0), long: (250.0, 4_000_000.0) };

    /// How much longer `ns` of work takes by them.
    pub(crate) fn during(self, ns: f64, random: &mut Random) -> f64 {
        let mut added = 0.0;
        for (a_second, length) in [self.short, self.long] {
            let mut left = ns;
            loop {
                left -= random.exponential(1e9 / a_second);
                if left < 0.0 {
                    break;
                }
                added += random.exponential(length);
            }
        }
        added
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_asked_for() {
        let mut random = Random::new(1);
        let n = 100_000;
        let mean = |draw: &mut dyn FnMut() -> f64| (0..n).map(|_| draw()).sum::<f64>() / f64::from(n);
        assert!(mean(&mut || random.normal()).abs() < 0.01);
        assert!((mean(&mut || random.normal().powi(2)) - 1.0).abs() < 0.02);
        assert!((mean(&mut || random.exponential(7.0)) - 7.0).abs() < 0.1);
        let mut wander = Wander::new(2.0, 10.0, &mut random);
        let values: Vec<f64> = (0..n).map(|_| wander.after(1.0, &mut random)).collect();
        let variance = values.iter().map(|v| v * v).sum::<f64>() / f64::from(n);
        let lag = values.iter().zip(&values[10..]).map(|(a, b)| a * b).sum::<f64>() / f64::from(n);
        assert!((variance - 4.0).abs() < 0.3 && (lag / variance - 0.368).abs() < 0.05, "{variance} {lag}");
    }
}
