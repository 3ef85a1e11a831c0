//! Which line comes next: pure arithmetic on comparisons of the two clocks.
//!
//! A new line starts at the kernel's time, or at the old line's last value where that is later, and meets the
//! kernel's time at its own end. Its slope is the rate measured over a window of [`WINDOW_NS`] to twice that.
//! Where the last interval alone contradicts that rate, by more than the brackets allow, the kernel has begun
//! to slew its clock: the window is dropped and the last interval's rate counts. No line is trusted further
//! than half the window that its rate comes from; so the rate's error adds at most what the brackets add.

use crate::{hardware::Anchor, line::Line};

/// The shortest that a line is made for, and the shortest interval that a first rate is taken from, ns.
pub const SHORTEST_NS: u64 = 1_000_000;
/// The rate is measured over one to two of these, ns.
pub const WINDOW_NS: u64 = 250_000_000;
/// The fastest that a kernel slews its clock (Linux: MAXFREQ), as a fraction. The uncertainty allows for it,
/// because nothing tells a reader that it has begun.
pub const SLEW: f64 = 500e-6;
/// How far a counter value may lie before a line's start and still be taken for its start, ns: the start was
/// read on another CPU, or by a later instruction that ran earlier.
pub const SLACK_NS: f64 = 100_000.0;
/// The two clocks disagree about an interval by more than this and [`JUMP_RATE`]: one of them jumped. ns.
const JUMP_NS: f64 = 20_000.0;
/// As a fraction of the interval: from slewed one way at most, to slewed the other way, and some.
const JUMP_RATE: f64 = 1200e-6;
/// What happened in an interval longer than this is unknown: its rate alone is not trusted. ns.
pub(crate) const STALE_NS: f64 = 1e9;
/// The clock waits for the kernel's, handing out one value, when it is further ahead than this, ns.
pub const LEAD_NS: f64 = 1_000_000.0;

/// A line with all that the next one, and its uncertainty, is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// From ticks to nanoseconds.
    pub line: Line,
    /// The rate measured, ns a tick.
    pub rate: f64,
    /// How far off that may be, as a fraction.
    pub rate_off: f64,
    /// The comparison it was made from.
    pub now: Anchor,
    /// An older one, which becomes `old` when that has aged.
    pub mid: Anchor,
    /// The one that the rate is measured from.
    pub old: Anchor,
    /// How far the line starts ahead of the kernel's clock, ns.
    pub lead: u64,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Next {
    /// Use this line.
    Fit(Fit),
    /// One of the two clocks jumped: take the kernel's word and begin anew.
    Jump,
}

/// What follows `fit`, given the comparison `now`, for readers from tick `start` on.
pub fn next(fit: &Fit, now: Anchor, start: u64, period_ns: u64) -> Next {
    let (Some(last), Some(long)) = (Interval::of(fit.now, now), Interval::of(fit.old, now)) else {
        return Next::Jump;
    };
    let expected = last.ticks * fit.rate;
    if (last.ns - expected).abs() > JUMP_NS + JUMP_RATE * expected + (last.halves * fit.rate) {
        return Next::Jump;
    }
    let agree = (last.rate() - long.rate()).abs() <= last.rate() * (last.rate_off() + long.rate_off());
    // A jump and a slew look the same over so long: a second in 1000 s is within what slews may differ by.
    if !agree && last.ns > STALE_NS {
        return Next::Jump;
    }
    let interval = if agree { long } else { last };
    let (mid, old) = match (agree, Interval::of(fit.mid, now)) {
        (true, Some(since)) if since.ns >= WINDOW_NS as f64 => (now, fit.mid),
        (true, _) => (fit.mid, fit.old),
        (false, _) => (now, fit.now),
    };
    lay(interval, [now, mid, old], start, fit.line.last(), period_ns).map_or(Next::Jump, Next::Fit)
}

/// The first line, from three comparisons of which the two intervals must agree about the rate. `floor` is the
/// greatest value handed out so far.
pub fn first(old: Anchor, mid: Anchor, now: Anchor, start: u64, floor: u64, period_ns: u64) -> Next {
    let (Some(a), Some(b), Some(all)) = (Interval::of(old, mid), Interval::of(mid, now), Interval::of(old, now)) else {
        return Next::Jump;
    };
    let allowed = b.rate() * (a.rate_off() + b.rate_off() + JUMP_RATE);
    if (a.rate() - b.rate()).abs() > allowed {
        return Next::Jump;
    }
    lay(all, [now, mid, old], start, floor, period_ns).map_or(Next::Jump, Next::Fit)
}

/// What follows `fit` while the kernel's clock can't be read: the same rate from `start` on. The comparison it
/// rests on stays the old one, so its uncertainty goes on growing.
pub fn coast(fit: &Fit, start: u64, period_ns: u64) -> Next {
    let Some(run) = forward(fit.now.ticks, start) else { return Next::Jump };
    let kernel = fit.now.ns as f64 + run * fit.rate;
    if kernel >= u64::MAX as f64 {
        return Next::Jump;
    }
    let base = (kernel as u64).max(fit.line.last());
    let lead = base - kernel as u64;
    Line::new(start, base, fit.rate, period_ns).map_or(Next::Jump, |line| Next::Fit(Fit { line, lead, ..*fit }))
}

fn lay(interval: Interval, anchors: [Anchor; 3], start: u64, floor: u64, period_ns: u64) -> Option<Fit> {
    let [now, mid, old] = anchors;
    let rate = interval.rate();
    let run = forward(now.ticks, start)? * rate;
    // Half a nanosecond for what the kernel cut off.
    let kernel = now.ns.checked_add((run + 0.5) as u64)?;
    let base = kernel.max(floor);
    let lead = base - kernel;
    if lead as f64 > LEAD_NS {
        return None;
    }
    let reach = ((interval.ns / 2.0) as u64).clamp(SHORTEST_NS, period_ns.max(SHORTEST_NS)).min(period_ns);
    // Meets the kernel's time at its end, but never runs at less than half the rate.
    let slope = rate * (1.0 - lead as f64 / reach as f64).max(0.5);
    let line = Line::new(start, base, slope, reach)?;
    Some(Fit { line, rate, rate_off: interval.rate_off(), now, mid, old, lead })
}

impl Fit {
    /// How far the line's value at `ticks` may lie from the kernel's clock, ns: the bracket, the tick that the
    /// counter may be about to make, the nanosecond that the kernel cuts off, what the line began ahead, and for
    /// every nanosecond since the comparison the doubt about the rate and [`SLEW`].
    pub fn uncertainty_ns(&self, ticks: u64) -> f64 {
        let age = (ticks.wrapping_sub(self.now.ticks) as i64).unsigned_abs() as f64 * self.rate;
        let bracket = (self.now.half as f64 + 1.0) * self.rate + 2.0;
        bracket + self.lead as f64 + age * (self.rate_off + SLEW)
    }

    /// Whether a counter value lies so little before the line's start that the start is meant.
    pub fn just_before(&self, ticks: u64) -> bool {
        (self.line.start.wrapping_sub(ticks) as f64) * self.rate <= SLACK_NS
    }

    /// As words to publish.
    pub fn words(&self) -> [u64; 16] {
        let Line { start, len, base, mult } = self.line;
        let (n, m, o) = (self.now, self.mid, self.old);
        let (rate, off) = (self.rate.to_bits(), self.rate_off.to_bits());
        [
            start, len, base, mult, rate, off, n.ticks, n.ns, n.half, m.ticks, m.ns, m.half, o.ticks, o.ns, o.half,
            self.lead,
        ]
    }

    /// From published words.
    pub fn of_words(w: &[u64; 16]) -> Self {
        let anchor = |i: usize| Anchor { ticks: w[i], ns: w[i + 1], half: w[i + 2] };
        Self {
            line: Line { start: w[0], len: w[1], base: w[2], mult: w[3] },
            rate: f64::from_bits(w[4]),
            rate_off: f64::from_bits(w[5]),
            now: anchor(6),
            mid: anchor(9),
            old: anchor(12),
            lead: w[15],
        }
    }
}

/// What both clocks say about the time between two comparisons.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval {
    ticks: f64,
    pub(crate) ns: f64,
    halves: f64,
}

impl Interval {
    /// `None` where either clock did not advance, or the brackets fill more than half of the interval.
    pub(crate) fn of(a: Anchor, b: Anchor) -> Option<Self> {
        let ticks = forward(a.ticks, b.ticks)?;
        let ns = forward(a.ns, b.ns)?;
        let halves = a.half as f64 + b.half as f64;
        (ticks > 2.0 * halves && ns > 0.0).then_some(Self { ticks, ns, halves })
    }

    fn rate(self) -> f64 {
        self.ns / self.ticks
    }

    /// Each end is off by up to half its bracket, and by what the kernel cut off.
    fn rate_off(self) -> f64 {
        self.halves / (self.ticks - self.halves) + 1.0 / self.ns
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
