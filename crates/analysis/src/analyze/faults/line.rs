//! The line that a clock runs on: where a reading puts it, and whether the next one lies on it.

use super::kept::When;
use super::tally::Tally;
use super::terms::{Excess, Terms};

/// What one fault is: a clock that is off its line for no more readings than this and then on it again has failed once,
/// and its way back is no fault. Few, so that two faults of about one size are seldom taken for one; more than the
/// readings that a torn value, or a visit to a CPU whose clock is apart, spoils.
pub(super) const RETURNS_WITHIN: u64 = 16;

/// A reading.
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
}

/// Readings of a row that share a line, as far as the row by itself can tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// The place of the first one in the row.
    pub(super) at: usize,
    pub(super) reads: u64,
    pub(super) by: By,
    /// The first one, by what all of them say.
    pub(super) start: Reading,
    /// The last one, whichever advance within the piece was a leap.
    pub(super) end: Reading,
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
    /// How far the clock went off its line on the way to `later`, if it did.
    fn excess(&self, later: &Self, terms: &Terms) -> (Excess, bool) {
        let apart = terms.passed(self.at, later.at);
        let (shortest, longest) = (later.early + apart - self.late, later.late + apart - self.early);
        let low = shortest.max(0.0) * terms.rate[0] - terms.slack_ns;
        let high = longest.max(0.0) * terms.rate[1] + terms.slack_ns;
        let advance = terms.advance(self.value, later.value);
        let size = (advance - f64::midpoint(low, high)).abs();
        let is_off = advance > high || (advance < low && !terms.may_pause);
        (Excess { size, uncertainty: (high - low) / 2.0 }, is_off)
    }

    /// Whether one line runs through both.
    pub(super) fn meets(&self, later: &Self, terms: &Terms) -> bool {
        !self.excess(later, terms).1
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

    /// The next readings. Whether they could be judged: an interruption beside them leaves room for a fault.
    pub(super) fn comes(&mut self, piece: &Piece, terms: &Terms, tally: &mut Tally) -> bool {
        let now = piece.start;
        let on = self.on.replace(now);
        if matches!(piece.by, By::Onward)
            && let Some(on) = on.filter(|on| on.meets(&now, terms))
        {
            self.settle(Some((&now, terms)), tally);
            self.on = Some(on.better(now));
            self.spend(piece, terms);
            return !now.wide;
        }
        self.settle(None, tally);
        let returned = self.left.take().filter(|left| left.line.meets(&now, terms));
        match (piece.by, returned, on) {
            // The way back from ahead leads to the old line.
            (By::Back(_), Some(_), _) if !now.wide => return true,
            (By::Back(from), _, Some(on)) => self.on = Some(after(on, from, now, terms)),
            (By::Onward | By::Leap(_), Some(left), _) => {
                self.on = Some(left.line.better(now));
                return !now.wide;
            }
            (By::Leap(excess), None, on) => {
                let when = tally.when(on.map(|on| on.at));
                tally.warp(excess, when);
            }
            (By::Onward, None, Some(on)) => {
                self.on = Some(piece.end);
                let when = tally.when(Some(on.at));
                self.unsure = Some((on, on.excess(&piece.end, terms).0, when));
                if piece.reads == 1 && !now.wide {
                    self.settle(None, tally);
                }
            }
            (_, _, None) => {}
        }
        self.left = on.map(|line| Left { line, reads: RETURNS_WITHIN });
        self.spend(piece, terms);
        true
    }

    /// What comes is not measured from what was.
    pub(super) fn cut(&mut self, tally: &mut Tally) {
        self.settle(None, tally);
        (self.on, self.left) = (None, None);
    }

    /// Counts the warp that is open, whose size `now` tells if it runs on the same line.
    pub(super) fn settle(&mut self, now: Option<(&Reading, &Terms)>, tally: &mut Tally) {
        if let Some((from, excess, when)) = self.unsure.take() {
            let better = now.map(|(now, terms)| from.excess(now, terms).0);
            let better = better.filter(|better| better.uncertainty < excess.uncertainty);
            tally.warp(better.unwrap_or(excess), when);
        }
    }

    /// Readings after which a return is none any more; what lies on both lines does not tell that it was late.
    fn spend(&mut self, piece: &Piece, terms: &Terms) {
        self.left = self.left.take().and_then(|left| {
            let open = piece.start.wide && left.line.meets(&piece.start, terms);
            let reads = if open { left.reads } else { left.reads.checked_sub(piece.reads)? };
            Some(Left { reads, ..left })
        });
    }
}

/// The reading `now`, made after one of the value `from` on the line `on`: however wide its bracket is, it is no older
/// than that one.
fn after(on: Reading, from: u64, now: Reading, terms: &Terms) -> Reading {
    let least = on.early + terms.advance(on.value, from) / terms.rate[1] - terms.passed(on.at, now.at) - terms.slack_ns;
    Reading { early: if least <= now.late { least.max(now.early) } else { now.early }, ..now }
}
