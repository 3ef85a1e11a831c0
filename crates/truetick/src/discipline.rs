//! Which line comes next: pure arithmetic on comparisons of the two clocks.
//!
//! A new line starts at the kernel's time, or at the old line's last value where that is later, and meets the
//! kernel's time at its own end. Its slope is the rate measured over a window of [`WINDOW_NS`] to twice that.
//! Where the last interval alone contradicts that rate, by more than the brackets allow, the kernel has begun
//! to slew its clock: the window is dropped and the last interval's rate counts. Only what no slew can do is a jump.
//! No line is trusted further than half the window that its rate comes from; so the rate's error adds at most what
//! the brackets add.

use core::num::NonZeroU64;

use crate::{
    hardware::{Anchor, Rules},
    line::Line,
    wall::Wall,
};

/// The shortest that a line is made for, and the shortest interval that a first rate is taken from, ns.
pub(crate) const SHORTEST_NS: u64 = 1_000_000;
/// The rate is measured over one to two of these, ns.
pub(crate) const WINDOW_NS: u64 = 250_000_000;
/// By how much a system's clock may come to run faster or slower than it did, as a fraction.
///
/// Linux (kernel/time/ntp.c): to either side of the clocksource's rate there may be 10 % of ADJ_TICK
/// (`ntp_validate_timex`), 500 ppm of ADJ_FREQUENCY (MAXFREQ), 125,000 ppm of ADJ_OFFSET (MAXPHASE is 0.5 s, of which
/// a second takes one part in 2^(SHIFT_PLL + time_constant), at least 4) and 500 ppm of adjtime (MAX_TICKADJ): 22.6 %.
/// From one end to the other the rate rises by 1.226 / 0.774, 58.4 %, or falls by 36.9 %. Not in it: a clock that
/// a pulse per second steers (CONFIG_NTP_PPS, which a tickless kernel can't have), and `ntp_tick_adj` at boot.
///
/// FreeBSD, NetBSD and DragonFly permit less (there a second takes a sixteenth of 0.5 s, and adjtime 0.5 %); Apple's
/// CLOCK_UPTIME_RAW and Windows' counter are not slewed.
pub(crate) const SLEW: f64 = 0.6;
/// By how much an interval of the kernel's monotonic clock may differ from time itself, as a fraction of the interval: it
/// runs by 22.6 % too fast or too slow at most (the sum at [`SLEW`]), and 0.226 / 0.774 is 29.2 %.
pub(crate) const WRONG: f64 = 0.3;
/// The rate's change that the tight bound allows for, as a fraction: what a daemon does to a clock that is nearly
/// right (MAXFREQ, MAX_TICKADJ).
pub(crate) const STEADY: f64 = 500e-6;
/// How far a counter value may lie before a line's start and still be taken for its start, ns: the start was
/// read on another CPU, or by a later instruction that ran earlier.
pub(crate) const SLACK_NS: f64 = 100_000.0;
/// What happened in an interval longer than this is unknown: its rate alone is not trusted. ns.
pub(crate) const STALE_NS: f64 = 1e9;

/// A line with all that the next one, and its uncertainty, is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// From ticks to nanoseconds.
    pub(crate) line: Line,
    /// The rate measured, ns a tick.
    pub(crate) rate: f64,
    /// How far off that may be, as a fraction.
    pub(crate) rate_off: f64,
    /// The comparison it was made from.
    pub(crate) now: Anchor,
    /// An older one, which becomes `old` when that has aged.
    pub(crate) mid: Anchor,
    /// The one that the rate is measured from.
    pub(crate) old: Anchor,
    /// How far the line starts ahead of the kernel's clock, ns.
    pub(crate) lead: u64,
    /// The wall clock along it.
    pub(crate) wall: Wall,
}

/// Words that a [`Fit`] is published as.
pub(crate) const WORDS: usize = 22;
/// What an [`Instant`](crate::Instant)'s word has beyond the nanoseconds: never 0 so, and in order also before the system's start.
pub(crate) const START: NonZeroU64 = NonZeroU64::new(1 << 63).unwrap();
/// The greatest time that a line's stamp can begin with, ns: 292 years, but for what a line may add.
const MAX_STAMP_NS: u64 = START.get() - (1 << 33);

/// What a comparison says of the line that it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The system's clock went as it did before, to within [`STEADY`]: the tight bound has held.
    Steady,
    /// The same, but so long after the line that either clock may have gone astray on it and come back.
    Untold,
    /// It went otherwise, by no more than it may: the wide bound has held.
    Unsteady,
    /// More than that: one of the clocks jumped.
    Jump,
    /// The system's clock shows less than it did.
    SetBack,
}

/// Judges the comparison `now` by the line `fit`.
pub(crate) fn judge(fit: &Fit, now: Anchor, rules: Rules) -> Seen {
    let Some(ticks) = forward(fit.now.ticks, now.ticks) else { return Seen::Jump };
    let Some(gained) = forward(fit.now.ns, now.ns) else { return Seen::SetBack };
    let (expected, noise) = (ticks * fit.rate, fit.noise(now, rules));
    let off = (gained - expected).abs();
    let slew = rules.slew.unwrap_or(SLEW);
    if off <= noise + expected * (fit.rate_off + STEADY) {
        // On a line, and as long again: what hides there is no more than the tight bound of the time since.
        if ticks <= 2.0 * fit.whole(rules) { Seen::Steady } else { Seen::Untold }
    } else if off <= noise * (1.0 + slew) + expected * (fit.rate_off + slew) {
        Seen::Unsteady
    } else {
        Seen::Jump
    }
}

/// What follows `fit`, given the comparison `now`, for readers from tick `start` on. `None`: nothing is known of the
/// rate any more; begin anew.
pub(crate) fn next(fit: &Fit, now: Anchor, start: u64, rules: Rules) -> Option<Fit> {
    let expected = forward(fit.now.ticks, now.ticks)? * fit.rate;
    let gained = forward(fit.now.ns, now.ns)?;
    // What is left of a line that was cut short is too little to tell a rate from.
    let told = !fit.line.is_cut() || gained >= rules.period_ns as f64 / 4.0;
    let agree = !told || (gained - expected).abs() <= fit.noise(now, rules) + expected * fit.rate_off;
    // A jump and a slew look the same over so long: a second in 1000 s is within what slews may differ by.
    if !agree && gained > STALE_NS {
        return None;
    }
    let interval = Interval::of(if agree { fit.old } else { fit.now }, now, rules)?;
    let (mid, old) = match (agree, Interval::of(fit.mid, now, rules)) {
        (true, Some(since)) if since.ns >= WINDOW_NS as f64 => (now, fit.mid),
        (true, _) => (fit.mid, fit.old),
        (false, _) => (now, fit.now),
    };
    lay(interval, [now, mid, old], start, fit.line.last(), rules)
}

/// The first line, from three comparisons of which the two intervals must agree about the rate. `floor` is the
/// greatest value handed out so far.
pub(crate) fn first(old: Anchor, mid: Anchor, now: Anchor, start: u64, floor: u64, rules: Rules) -> Option<Fit> {
    let a = Interval::of(old, mid, rules)?;
    let b = Interval::of(mid, now, rules)?;
    let all = Interval::of(old, now, rules)?;
    let allowed = b.rate() * (a.rate_off() + b.rate_off() + 2.0 * STEADY);
    if (a.rate() - b.rate()).abs() > allowed {
        return None;
    }
    lay(all, [now, mid, old], start, floor, rules)
}

/// What follows `fit` while the system's clock can't be read: the same rate from `start` on. The comparison it
/// rests on stays the old one, so its uncertainty goes on growing. `None`: the counter went back.
pub(crate) fn coast(fit: &Fit, start: u64, rules: Rules) -> Option<Fit> {
    let kernel = fit.now.ns as f64 + forward(fit.now.ticks, start)? * fit.rate;
    if kernel >= u64::MAX as f64 {
        return None;
    }
    let base = (kernel as u64).max(fit.line.last());
    let lead = base - kernel as u64;
    Some(Fit { line: Line::new(start, base, fit.rate, rules.period_ns)?, lead, ..*fit })
}

fn lay(interval: Interval, anchors: [Anchor; 3], start: u64, floor: u64, rules: Rules) -> Option<Fit> {
    let [now, mid, old] = anchors;
    let rate = interval.rate();
    let run = forward(now.ticks, start)? * rate;
    // Half of what the system's clock cut off at most.
    let kernel = now.ns.checked_add((run + rules.step_ns as f64 / 2.0) as u64)?;
    let base = kernel.max(floor);
    let lead = base - kernel;
    let period = rules.period_ns;
    let reach = ((interval.ns / 2.0) as u64).clamp(SHORTEST_NS, period.max(SHORTEST_NS)).min(period);
    // Meets the system's time at its end, but never runs at less than half the rate: time does not stand still.
    let part = (1.0 - lead as f64 / reach as f64).max(0.5);
    // For so long by the system's clock, in which it runs that part as far.
    let line = Line::new(start, base, rate * part, (reach as f64 * part) as u64)?;
    Some(Fit { line, rate, rate_off: interval.rate_off(), now, mid, old, lead, wall: Wall::default() })
}

impl Fit {
    /// How far the line's value at `ticks` may lie from what the system's clock shows, ns, if that clock's rate has
    /// changed since the comparison by no more than `slew` (a fraction): the bracket, the tick that the counter may
    /// be about to make, what the system's clock cut off then (half of a step is assumed) and may cut off now, what the
    /// line began ahead, and for every nanosecond since the comparison the doubt about the rate and `slew`.
    pub(crate) fn uncertainty_ns(&self, ticks: u64, step_ns: u64, slew: f64) -> f64 {
        let age = (ticks.wrapping_sub(self.now.ticks) as i64).unsigned_abs() as f64 * self.rate;
        let bracket = (self.now.half as f64 + 1.0) * self.rate * (1.0 + slew);
        // A nanosecond more: what the line's arithmetic cuts off.
        bracket + 1.5 * step_ns as f64 + 1.0 + self.lead as f64 + age * (self.rate_off + slew)
    }

    /// Ticks that the line is valid for, or would be if it had not been cut short.
    fn whole(&self, rules: Rules) -> f64 {
        let len = self.line.len as f64;
        if self.line.is_cut() { len.max(rules.period_ns as f64 / self.rate) } else { len }
    }

    /// Half of a bracket that is as good as the ones before, ticks; a quarter more, for the counter's own steps.
    pub(crate) fn enough(&self) -> u64 {
        let half = self.now.half.min(self.mid.half).min(self.old.half);
        half + half / 4
    }

    /// What the brackets of two comparisons and the steps of the system's clock may make of a difference, ns.
    fn noise(&self, now: Anchor, rules: Rules) -> f64 {
        (self.now.half as f64 + now.half as f64) * self.rate + rules.step_ns as f64
    }

    /// Whether a counter value lies so little before the line's start that the start is meant.
    pub(crate) fn just_before(&self, ticks: u64) -> bool {
        (self.line.start.wrapping_sub(ticks) as f64) * self.rate <= SLACK_NS
    }

    /// As words to publish: what a reading needs comes first, within one cache line, and in the next one `base` once more, as
    /// an [`Instant`](crate::Instant)'s word.
    pub(crate) fn words(&self) -> [u64; WORDS] {
        let Line { start, len, base, mult } = self.line;
        let [offset, within, wide, tight, marker] = self.wall.words();
        let (n, m, o) = (self.now, self.mid, self.old);
        let (rate, off) = (self.rate.to_bits(), self.rate_off.to_bits());
        let stamp = START.get() | base.min(MAX_STAMP_NS);
        [
            start, len, base, mult, offset, within, wide, tight, stamp, rate, off, n.ticks, n.ns, n.half, m.ticks,
            m.ns, m.half, o.ticks, o.ns, o.half, self.lead, marker,
        ]
    }

    /// From published words.
    pub(crate) fn of_words(w: &[u64; WORDS]) -> Self {
        let anchor = |i: usize| Anchor { ticks: w[i], ns: w[i + 1], half: w[i + 2] };
        Self {
            line: Line { start: w[0], len: w[1], base: w[2], mult: w[3] },
            rate: f64::from_bits(w[9]),
            rate_off: f64::from_bits(w[10]),
            now: anchor(11),
            mid: anchor(14),
            old: anchor(17),
            lead: w[20],
            wall: Wall::of_words([w[4], w[5], w[6], w[7], w[21]]),
        }
    }
}

/// What both clocks say about the time between two comparisons.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval {
    ticks: f64,
    pub(crate) ns: f64,
    halves: f64,
    step: f64,
}

impl Interval {
    /// `None` where either clock did not advance, or brackets or steps fill more than half of the interval.
    pub(crate) fn of(a: Anchor, b: Anchor, rules: Rules) -> Option<Self> {
        let ticks = forward(a.ticks, b.ticks)?;
        let ns = forward(a.ns, b.ns)?;
        let (halves, step) = (a.half as f64 + b.half as f64, rules.step_ns as f64);
        (ticks > 2.0 * halves && ns > 2.0 * step).then_some(Self { ticks, ns, halves, step })
    }

    fn rate(self) -> f64 {
        self.ns / self.ticks
    }

    /// Each end is off by up to half its bracket, and by what the system's clock cut off.
    fn rate_off(self) -> f64 {
        self.halves / (self.ticks - self.halves) + self.step / (self.ns - self.step)
    }
}

/// `b - a` on a circle of 2^64, if `b` is the later one.
fn forward(a: u64, b: u64) -> Option<f64> {
    let run = b.wrapping_sub(a);
    (run < 1 << 63).then_some(run as f64)
}

#[cfg(test)]
#[path = "discipline_tests.rs"]
mod tests;
