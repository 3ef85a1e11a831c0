//! The line that a clock runs on: where a reading puts it, and whether the next one lies on it.

use super::tally::{Tally, When};
use super::terms::Terms;

/// What one fault is: a clock that is off its line for no more readings than this and then on it again has failed once,
/// and its way back is no fault. Few, so that two faults of about one size are seldom taken for one; more than the
/// readings that a torn value, or a visit to a CPU whose clock is apart, spoils.
pub(super) const RETURNS_WITHIN: u64 = 16;

/// A reading, or some of a row that share a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub(super) value: u64,
    /// The witness's stamp from which the times count.
    pub(super) at: u64,
    /// A clock without quantum came to the value no earlier than this, ns,
    pub(super) early: f64,
    /// and no later than this.
    pub(super) late: f64,
    /// An interruption stands beside it.
    pub(super) wide: bool,
    /// How many readings it stands for.
    pub(super) reads: u64,
}

/// How a clock came to a reading.
#[derive(Debug, Clone, Copy)]
pub(super) enum By {
    /// Forward, by no more than time can have passed in the row.
    Onward,
    /// Backward, from this value.
    Back(u64),
    /// Forward, by so much more than the row's bracket allows.
    Leap(Excess),
}

/// How far off the bounds, ns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Excess {
    pub(super) size: f64,
    /// Half width of the bounds.
    pub(super) uncertainty: f64,
}

/// The line, and what has become of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    /// The reading that tells best where it runs.
    on: Option<Reading>,
    left: Option<Left>,
    /// A warp whose size the next reading tells better: from where, and how far as known so far.
    unsure: Option<(Reading, Excess, When)>,
}

/// The line before the last fault, to which the clock may return.
#[derive(Debug, Clone, Copy)]
struct Left {
    line: Reading,
    /// Readings within which a return is one.
    reads: u64,
}

impl Reading {
    /// How far the clock was off when it came to `later`; `None`: it runs on one line through both.
    fn off(&self, later: &Self, terms: &Terms) -> Option<Excess> {
        let apart = terms.passed(self.at, later.at);
        let (shortest, longest) = (later.early + apart - self.late, later.late + apart - self.early);
        let low = shortest.max(0.0) * terms.rate[0] - terms.slack_ns;
        let high = longest.max(0.0) * terms.rate[1] + terms.slack_ns;
        let advance = terms.advance(self.value, later.value);
        let off = advance > high || (advance < low && !terms.may_pause);
        off.then(|| Excess {
            size: (advance - f64::midpoint(low, high)).abs(),
            uncertainty: (high - low) / 2.0,
        })
    }

    /// Whether one line runs through both.
    pub(super) fn meets(&self, later: &Self, terms: &Terms) -> bool {
        self.off(later, terms).is_none()
    }

    /// The better one of two readings of one line: the later, if no interruption stands beside it.
    fn better(self, later: Self) -> Self {
        if later.wide && later.late - later.early >= self.late - self.early { self } else { later }
    }
}

impl Line {
    /// Readings within which the clock may return to the line that it left.
    pub(super) fn open(&self) -> u64 {
        self.left.map_or(0, |left| left.reads)
    }

    /// The next reading. Whether it could be judged: an interruption beside it leaves room for a fault.
    pub(super) fn comes(&mut self, now: Reading, by: By, terms: &Terms, tally: &mut Tally) -> bool {
        let on = self.on.replace(now);
        let off = match (by, on) {
            (By::Onward, Some(on)) => match on.off(&now, terms) {
                None => {
                    self.settle(Some((&now, terms)), tally);
                    self.on = Some(on.better(now));
                    self.spend(&now, terms);
                    return !now.wide;
                }
                off => off,
            },
            (By::Leap(excess), _) => Some(excess),
            (By::Onward | By::Back(_), _) => None,
        };
        self.settle(None, tally);
        let left = self.left.take();
        let returned = left.filter(|left| left.line.meets(&now, terms));
        match by {
            By::Back(from) => {
                // The way back from ahead leads to the old line.
                if let Some(on) = on.filter(|_| now.wide || returned.is_none()) {
                    self.left = Some(Left { line: on, reads: RETURNS_WITHIN });
                    self.on = Some(after(on, from, now, terms));
                    self.spend(&now, terms);
                }
                true
            }
            _ if returned.is_some() => {
                self.on = returned.map(|left| left.line.better(now));
                !now.wide
            }
            _ => {
                if let Some(excess) = off {
                    let when = tally.when(on.map(|on| on.at));
                    match on.filter(|_| now.wide && matches!(by, By::Onward)) {
                        Some(on) => self.unsure = Some((on, excess, when)),
                        None => tally.warp(excess, when),
                    }
                    self.left = on.map(|line| Left { line, reads: RETURNS_WITHIN });
                    self.spend(&now, terms);
                }
                true
            }
        }
    }

    /// What comes is not measured from what was.
    pub(super) fn cut(&mut self, tally: &mut Tally) {
        self.settle(None, tally);
        (self.on, self.left) = (None, None);
    }

    /// Counts the warp that is open, whose size `now` tells if it runs on the same line.
    pub(super) fn settle(&mut self, now: Option<(&Reading, &Terms)>, tally: &mut Tally) {
        if let Some((from, excess, when)) = self.unsure.take() {
            let better = now.and_then(|(now, terms)| from.off(now, terms));
            let better = better.filter(|better| better.uncertainty < excess.uncertainty);
            tally.warp(better.unwrap_or(excess), when);
        }
    }

    /// Readings after which a return is none any more; one that lies on both lines does not tell that it was late.
    fn spend(&mut self, now: &Reading, terms: &Terms) {
        self.left = self.left.take().and_then(|left| {
            let open = now.wide && left.line.meets(now, terms);
            let reads = if open { left.reads } else { left.reads.checked_sub(now.reads)? };
            Some(Left { reads, ..left })
        });
    }
}

/// The reading `now`, made after one of the value `from` on the line `on`: however wide its bracket is, it is no older
/// than that one.
fn after(on: Reading, from: u64, now: Reading, terms: &Terms) -> Reading {
    let least = on.early + terms.advance(on.value, from) / terms.rate[1]
        - terms.passed(on.at, now.at)
        - terms.slack_ns;
    Reading { early: if least <= now.late { least.max(now.early) } else { now.early }, ..now }
}
