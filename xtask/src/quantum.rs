//! Whether what a record says of a clock's quantum can be true.

use serde_json::Value;

/// Two figures of one quantum differ by no more than this share of it: nanoseconds are the kernel's, whose rate is off
/// by some ppm, and an interval may miss the truth one time in twenty.
const SHARE: f64 = 1e-4;

/// What a record's `tick_ns` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Quantum {
    /// It is this, ns.
    Is(f64),
    /// It is not coarser than this, ns.
    AtMost(f64),
}

impl Quantum {
    /// By the two figures; `None` where they say nothing.
    pub(crate) fn new(quantum: Option<f64>, quantum_high: Option<f64>) -> Option<Self> {
        quantum.map(Self::Is).or(quantum_high.map(Self::AtMost))
    }

    /// Of a `tick_ns`.
    pub(crate) fn of(tick: &Value) -> Option<Self> {
        let at = |name: &str| tick.get(name).and_then(Value::as_f64);
        Self::new(at("quantum"), at("quantum_high"))
    }

    /// Whether both can be said of clocks that stand on one lattice, the first one's values being whole multiples of
    /// `unit`: a lattice finer than its unit leaves the unit itself.
    pub(crate) fn fits(self, other: Self, unit: f64) -> bool {
        let most = |limit: f64| limit.max(unit) * (1.0 + SHARE);
        match (self, other) {
            (Self::Is(one), Self::Is(true_one)) => {
                (one - true_one).abs() <= SHARE * true_one || (true_one < unit && one == unit)
            }
            (Self::Is(one), Self::AtMost(limit)) => one <= most(limit),
            (Self::AtMost(limit), Self::Is(true_one)) => true_one <= most(limit),
            (Self::AtMost(_), Self::AtMost(_)) => true,
        }
    }
}

/// Whether the two `tick_ns` of a record can be those of two clocks on one lattice. Nothing fits what says nothing.
pub(crate) fn agree(one: &Value, other: &Value) -> bool {
    let unit = one.get("nominal").and_then(Value::as_f64).unwrap_or(0.0);
    Quantum::of(one).zip(Quantum::of(other)).is_some_and(|(one, other)| one.fits(other, unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn machines_of_each_kind() {
        let is = |q: f64| json!({ "nominal": 1.0, "quantum": q, "quantum_high": q });
        let limit = |most: f64| json!({ "nominal": 1.0, "quantum": null, "quantum_high": most });
        for (clock, counter, fits) in [
            // 26 ticks of 2.596 GHz.
            (is(10.0149), is(10.0150), true),
            (is(10.0149), is(0.3852), false),
            (limit(12.0), is(10.0150), true),
            (limit(3.0), is(10.0150), false),
            // 2 ticks of 2.6 GHz, below the clock's unit.
            (limit(3.0), is(0.76923), true),
            (limit(1.0), is(0.76923), true),
            (is(0.76923), is(0.76923), true),
            (is(1.0), is(0.76923), true),
            (is(3.3333), is(0.76923), false),
            (is(1.4286), is(0.76923), false),
            // No lattice.
            (limit(3.0), limit(0.9), true),
            (is(1.0), limit(0.9), true),
            (is(10.0149), limit(0.9), false),
            (json!({}), is(10.0), false),
        ] {
            assert_eq!(agree(&clock, &counter), fits, "{clock} {counter}");
        }
    }
}
