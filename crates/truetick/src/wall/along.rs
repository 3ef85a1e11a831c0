//! The wall clock along a line: what is published with it.

use super::{Accuracy, Unbounded, WallReading, accuracy::word};
use crate::{
    discipline::{Fit, STEADY},
    hardware::Rules,
    line::SHIFT,
};

/// In [`Wall::within`]: it has to be asked for.
pub(crate) const UNASKED: u64 = u64::MAX;

/// The wall clock along a line, as words beside the line's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wall {
    /// What is added to the line, ns; 0: nobody has asked for it.
    pub(crate) offset: u64,
    /// At the line's start, UTC is within this, ns; or a reason why that is not known; or [`UNASKED`].
    pub(crate) within: u64,
    /// By how much that grows, ns a tick times 2^[`SHIFT`], whatever slew the kernel permits.
    pub(crate) wide: u64,
    /// The same, if its clock runs steadily.
    pub(crate) tight: u64,
    /// The hypervisor's disruption marker when the line was laid; 0 where there is none.
    pub(crate) marker: u64,
}

impl Default for Wall {
    /// Nobody has asked for it.
    fn default() -> Self {
        Self { offset: 0, within: UNASKED, wide: 0, tight: 0, marker: 0 }
    }
}

impl Wall {
    /// Along the line of `fit`, by an answer given since it was laid: what is added to the line may be wrong by `off` ns.
    ///
    /// When it was given, UTC was within the answer of the system's clock, and that within its uncertainty of the line. Since
    /// then the system's clock may have gone away from UTC by any slew, the line not: it runs at a rate that clock had, so
    /// within 22.6 % of time, for which the slew allows that is in the uncertainty already. If steady, by what the answer grows by.
    pub(crate) fn along(mut self, accuracy: Accuracy, fit: &Fit, off: u64, rules: Rules) -> Self {
        let growth = accuracy.error.map_or(0.0, |e| (f64::from(e.growth_ppb) * 1e-9).min(1.0));
        let start = fit.line.base;
        let leap = accuracy.leap.ns_at(start.wrapping_add(self.offset) as i64);
        let error = accuracy.after(0);
        let within = rules.slew.ok_or(Unbounded::NobodySays).and_then(|slew| {
            let line = fit.uncertainty_ns(fit.line.start, rules.step_ns, slew) as u64 + 1;
            Ok(error?.saturating_add(line).saturating_add(off).saturating_add(leap))
        });
        self.within = word(within);
        let a_tick = |part: f64| (fit.rate * (part + fit.rate_off + growth) * (1u64 << SHIFT) as f64) as u64 + 1;
        self.wide = a_tick(rules.slew.unwrap_or(0.0));
        self.tight = a_tick(STEADY);
        self
    }

    /// The reading where the line shows `ns`, `run` ticks from its start.
    #[inline(always)]
    pub(crate) fn reading(&self, ns: u64, run: u64) -> WallReading {
        reading(ns, run, [self.offset, self.within, self.wide, self.tight])
    }

    pub(crate) fn words(&self) -> [u64; 5] {
        [self.offset, self.within, self.wide, self.tight, self.marker]
    }

    pub(crate) fn of_words([offset, within, wide, tight, marker]: [u64; 5]) -> Self {
        Self { offset, within, wide, tight, marker }
    }

    /// Whether how far it is off has to be asked for.
    pub(crate) fn is_unasked(&self) -> bool {
        self.within == UNASKED
    }

    /// Whether the counter was disrupted since the line was laid.
    pub(crate) fn is_before(&self, marker: u64) -> bool {
        self.marker != marker && self.marker != 0 && marker != 0
    }

    /// While the system's clocks fail.
    pub(crate) fn failing(self) -> Self {
        Self { within: word(Err(Unbounded::ClockFails)), ..self }
    }
}

/// The reading of a line that shows `ns`, `run` ticks from its start, by its words. A bound does not overflow: the
/// greatest is below 2^60, and a line of 2^30 ns grows by less than 2^32 (its rate's doubt, the slew and the growth are each at
/// most 1).
#[inline(always)]
pub(crate) const fn reading(ns: u64, run: u64, [offset, within, wide, tight]: [u64; 4]) -> WallReading {
    WallReading::of_words(
        ns.wrapping_add(offset) as i64,
        within.wrapping_add(run.wrapping_mul(wide) >> SHIFT),
        within.wrapping_add(run.wrapping_mul(tight) >> SHIFT),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        discipline::SLEW,
        hardware::Anchor,
        line::{Line, PERIOD_NS},
    };

    const RULES: Rules = Rules { period_ns: PERIOD_NS, step_ns: 1, slew: Some(SLEW) };
    const SECOND: u64 = 1_000_000_000;

    /// A line from second 100 on of a counter of 1 GHz, compared at its start within 20 ns.
    fn fit() -> Fit {
        let now = Anchor { ticks: 5000, ns: 100 * SECOND, half: 20 };
        let line = Line::new(5000, 100 * SECOND, 1.0, PERIOD_NS).unwrap();
        Fit { line, rate: 1.0, rate_off: 0.0, now, mid: now, old: now, lead: 0, wall: Wall::default() }
    }

    const SAID: Accuracy = Accuracy::within(10_000, 1000);

    fn wall(rules: Rules) -> Wall {
        Wall { offset: 7, ..Wall::default() }.along(SAID, &fit(), 50, rules)
    }

    #[test]
    fn the_bound_is_the_answer_the_line_and_the_offset() {
        let wall = wall(RULES);
        let start = wall.reading(100 * SECOND, 0);
        // 10 µs, the bracket by a clock that may be slewed, steps and roundings.
        let within = start.within().unwrap();
        assert!((10_000 + 50 + 32..10_000 + 50 + 32 + 12).contains(&within), "{within}");
        assert_eq!((start.ns, start.within_if_steady()), (100 * SECOND as i64 + 7, Ok(within)));
        // A millisecond later: 60 % or 500 ppm of it, and the answer's 1 ppm.
        let later = wall.reading(100 * SECOND + 1_000_000, 1_000_000);
        assert!((within + 600_001..within + 600_003).contains(&later.within().unwrap()), "{later:?}");
        assert!((within + 501..within + 503).contains(&later.within_if_steady().unwrap()), "{later:?}");
    }

    #[test]
    fn without_an_answer_it_has_to_be_asked_for_and_without_a_rule_there_is_none() {
        assert!(Wall::default().is_unasked() && !wall(RULES).is_unasked());
        let no_rule = wall(Rules { slew: None, ..RULES });
        assert_eq!(no_rule.reading(0, 1000).within(), Err(Unbounded::NobodySays));
        assert_eq!(wall(RULES).failing().reading(0, 1 << 30).within(), Err(Unbounded::ClockFails));
    }

    #[test]
    fn all_of_it_survives_its_words() {
        let fit = Fit { wall: Wall { marker: 9, ..wall(RULES) }, lead: 3, ..fit() };
        assert_eq!(Fit::of_words(&fit.words()), fit);
    }

    #[test]
    fn a_marker_that_is_not_there_ends_nothing() {
        let wall = Wall { marker: 9, ..Wall::default() };
        assert_eq!([0, 9, 10].map(|marker| wall.is_before(marker)), [false, false, true]);
        assert!(!Wall::default().is_before(9));
    }
}
