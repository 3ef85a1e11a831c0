//! What the figures and promises of one clock come to.

use crate::record::{Clock, Kind};
use crate::resolution::Resolution;
use crate::text;

/// A clock of this unit, such as time(2), shows what the kernel last kept and is not computed at each read.
const KEPT_NS: f64 = 1e9;

/// A figure that may be reasoned with: finite and not negative.
pub(super) fn figure(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite() && *v >= 0.0)
}

fn positive(value: Option<f64>) -> Option<f64> {
    figure(value).filter(|v| *v > 0.0)
}

/// Median cost of a read, ns, if it is known.
pub(super) fn cost(clock: &Clock) -> Option<f64> {
    positive(clock.cost_ns.map(|c| c.median))
}

/// Whether reading `clock` costs less than `factor` of what reading `than` does, by the intervals of both.
pub(super) fn costs_less(clock: &Clock, factor: f64, than: &Clock) -> bool {
    let both = clock.certain_cost().zip(than.certain_cost());
    both.is_some_and(|(cost, than)| cost.high < factor * than.low)
}

/// The quantum, ns, if one was resolved.
pub(super) fn quantum(clock: &Clock) -> Option<f64> {
    positive(clock.tick_ns.quantum)
}

/// What a read costs, with its ±: `23.3 ± 0.1 ns`; nothing where the run leaves it too open.
pub(super) fn told_cost(clock: &Clock) -> Option<String> {
    text::cost(clock.cost_ns.as_ref()?)
}

/// The same, or `an unknown time`.
pub(super) fn cost_text(clock: &Clock) -> String {
    told_cost(clock).unwrap_or_else(|| "an unknown time".into())
}

/// What the clock resolves, ns: at most, where no more is known.
pub(super) fn resolution(clock: &Clock) -> Option<f64> {
    clock.resolution().map(Resolution::at_most_ns)
}

/// The same in words: `10.0 ns`, `≤ 4.5 ns`, `unknown`.
pub(super) fn resolution_text(clock: &Clock) -> String {
    clock.resolution().map_or_else(|| "unknown".into(), text::resolution)
}

pub(super) fn is_measured(clock: &Clock) -> bool {
    clock.reads > 0 || cost(clock).is_some()
}

/// The id that it goes by where the forced ways of reading go without saying.
pub(super) fn name(clock: &Clock) -> &str {
    if clock.forced { clock.base_id() } else { &clock.id }
}

/// Whether the kernel computes it from its clocksource at each read.
pub(super) fn is_computed(clock: &Clock) -> bool {
    matches!(clock.kind, Kind::Monotonic | Kind::Boot | Kind::Wall)
        && figure(clock.tick_ns.nominal).is_none_or(|ns| ns < KEPT_NS)
}

/// Whether the kernel's timekeeping has it ready for all processes: computed, or as the last tick of the timer left it
/// (which jiffies, that nobody slews, are not).
pub(super) fn is_shared(clock: &Clock) -> bool {
    let coarse = clock.kind == Kind::Coarse && clock.promises.slewed;
    clock.for_timing && (coarse || matches!(clock.kind, Kind::Monotonic | Kind::Boot | Kind::Wall))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::clock;

    #[test]
    fn figures_that_are_none_are_not_known() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert_eq!(figure(Some(value)), None);
            assert_eq!(cost(&clock("x").cost(value)), None);
            assert_eq!(quantum(&clock("x").quantum(value)), None);
        }
        assert_eq!(cost(&clock("x").cost(0.0)), None, "a read that costs nothing was not measured");
        assert_eq!(figure(Some(0.0)), Some(0.0));
    }
}
