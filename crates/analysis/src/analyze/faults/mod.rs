//! Clock faults, judged against the witness's bounds.
//!
//! A [`Watch`] is fed every read that is made of a clock, in the order of the reads, as rows: the witness's
//! stamp before, one or many values, the stamp after. It keeps counts, not reads, so that it may run for ever.
//!
//! A row of one read bounds it from both sides: between two such reads as much time passed as lies between
//! the brackets at least, and as their outer ends are apart at most. In a row of many reads an advance is
//! judged with all others of the row: together they can't exceed the row's bracket.
//!
//! * **stall** — equal neighbours. Exact.
//! * **regression** — a read less than the one before. Exact.
//! * **warp** — an advance above or below the bounds, widened by the quanta and the rate's uncertainty.
//! * A clock that comes back to the line that it left by a fault is well again; that is no fault of its own
//!   (but coming back from ahead is a regression, for a program saw time go back).
//! * **undecided** — the bracket is as wide as an interruption, and the read within even that; and the reads of a row
//!   that has an interruption and a fault in it, for a second fault could hide there.

mod row;
mod tally;
#[cfg(test)]
mod tests;
mod third;

pub use tally::Found;
pub use third::agree;

use row::Row;
use tally::Tally;

/// What a watch has to know of the clock and its witness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Nanoseconds a count of the clock.
    pub count_ns: f64,
    /// Nanoseconds a count of the witness.
    pub witness_ns: f64,
    /// Least and greatest rate that the clock may run at by the witness, ns per ns.
    pub rate: [f64; 2],
    /// How far a difference of two readings may be off by the quanta of clock and witness alone, ns.
    pub slack_ns: f64,
    /// How long the clock may stand still without a fault, ns.
    pub standstill_ns: f64,
    /// Least time that a read takes, ns: how long a clock stood still within a row is reckoned by it.
    pub read_ns: f64,
    /// A bracket this wide has an interruption in it, ns.
    pub wide_ns: f64,
    /// Whether the clock may stand still while time passes (it counts CPU time): no lower bound then.
    pub may_pause: bool,
}

/// One reading and when it was taken, by the witness.
#[derive(Debug, Clone, Copy)]
struct Reading {
    value: u64,
    earliest: u64,
    latest: u64,
}

/// Readings after a fault within which a return to the old line is a return.
const RETURNS_WITHIN: u32 = 16;

/// Watches one clock.
#[derive(Debug, Clone)]
pub struct Watch {
    terms: Terms,
    settled: bool,
    waiting: Vec<(u64, Vec<u64>, u64, Option<u32>, bool)>,
    tally: Tally,
    /// The last reading with a narrow bracket: what the next one is measured from.
    prev: Option<Reading>,
    /// The last value, whatever its bracket.
    last: Option<u64>,
    /// The first reading of a run of equal ones, how many, and the least time that it has lasted, ns.
    equal: Option<(u64, f64)>,
    /// The reading before the last fault, and for how many more readings the clock may return to its line.
    line: Option<(Reading, u32)>,
    /// A reading off the bounds in a bracket so wide that the next reading will tell more.
    pending: Option<(f64, f64)>,
    /// When the run of equal readings began at the latest.
    equal_since: u64,
}

/// A row of reads between two stamps of the witness.
#[derive(Debug, Clone, Copy)]
pub struct Reads<'a> {
    /// The witness before the first.
    pub before: u64,
    /// What was read.
    pub values: &'a [u64],
    /// The witness after the last.
    pub after: u64,
    /// The CPU.
    pub cpu: Option<u32>,
    /// False where a third clock contradicts the witness over this row: its bounds are void then, and only the
    /// order of the values is judged.
    pub trusted: bool,
}

/// What is wrong with a reading, if anything.
enum Verdict {
    Good,
    Warp { size: f64, uncertainty: f64 },
}

impl Watch {
    /// A watch that starts at `origin`, by the witness; events are dated from it.
    pub fn new(origin: u64) -> Self {
        Self {
            terms: Terms {
                count_ns: 1.0,
                witness_ns: 1.0,
                rate: [1.0, 1.0],
                slack_ns: f64::INFINITY,
                standstill_ns: f64::INFINITY,
                read_ns: 0.0,
                wide_ns: f64::INFINITY,
                may_pause: false,
            },
            settled: false,
            waiting: Vec::new(),
            tally: Tally::new(origin),
            prev: None,
            last: None,
            equal: None,
            line: None,
            pending: None,
            equal_since: 0,
        }
    }

    /// Better knowledge of rate or quantum.
    pub fn set_terms(&mut self, terms: Terms) {
        self.terms = terms;
        self.settled = true;
        for (before, values, after, cpu, trusted) in std::mem::take(&mut self.waiting) {
            self.row(&Reads { before, values: &values, after, cpu, trusted });
        }
    }
    pub fn standstill_ns(&self) -> f64 {
        self.so_far().standstill_ns
    }

    /// The terms in force.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// A row of reads.
    pub fn row(&mut self, row: &Reads) {
        let Reads { before, values, after, cpu, .. } = *row;
        let [first, ..] = *values else { return };
        if !self.settled {
            self.waiting.push((before, values.to_vec(), after, cpu, row.trusted));
            return;
        }
        let bracket = after.wrapping_sub(before) as i64;
        let trusted = row.trusted && bracket >= 0;
        self.tally.at(before, cpu, self.terms.witness_ns);
        self.tally.reads += values.len() as u64;
        // A clock that stood still when the row began may catch up in it.
        let standing = self.prev.filter(|_| self.last == Some(first));
        let since = standing.map_or(0, |prev| (before.wrapping_sub(prev.earliest) as i64).max(0));
        let ns = |counts: i64| counts.max(0) as f64 * self.terms.witness_ns;
        let row = Row::new(values, ns(bracket), ns(since), &self.terms);

        let advance = (row.elapsed_at_least / self.terms.witness_ns) as u64;
        let latest = after.wrapping_sub(advance.min(bracket.max(0) as u64));
        let wide = if values.len() == 1 {
            bracket as f64 * self.terms.witness_ns > self.terms.wide_ns
        } else {
            row.interrupted
        };
        self.first(Reading { value: first, earliest: before, latest }, wide, trusted);
        let least_ns = row.step_ns.min(self.terms.read_ns);
        let left_line =
            !row.warps.is_empty() || values.windows(2).any(|pair| (pair[1].wrapping_sub(pair[0]) as i64) < 0);
        let mut passed = 0.0;
        for (index, pair) in values.windows(2).enumerate() {
            // When the one before was taken: what the clock has advanced in the row lies behind, the rest ahead.
            let counts = |ns: f64| (ns / self.terms.witness_ns).max(0.0) as u64;
            let left = Reading {
                value: pair[0],
                earliest: before.wrapping_add(counts(passed - self.terms.slack_ns)).min(after),
                latest: after.wrapping_sub(counts(row.elapsed_at_least - passed)).max(before),
            };
            let more = RETURNS_WITHIN.checked_sub((values.len() - 2 - index) as u32);
            self.neighbour(left, pair[1], least_ns, after, more);
            passed += (pair[1].wrapping_sub(pair[0]) as i64).max(0) as f64 * self.terms.count_ns;
            if let Some(warp) = row.warps.iter().find(|warp| trusted && warp.pair == index) {
                self.tally.warp(warp.size, warp.uncertainty, "unknown");
                passed -= warp.size;
            }
        }
        if !trusted {
            self.tally.undecided += values.len() as u64;
            self.prev = None;
            self.line = None;
        } else if row.ambiguous || (row.interrupted && left_line) {
            // Of a clock that has left its line the reading before tells nothing, and in what the interruption hides
            // there may be another fault. The first one was judged by itself.
            self.tally.undecided += values.len() as u64 - 1;
        }
        if let [.., last] = *values
            && values.len() > 1
        {
            self.last = Some(last);
            // Of a run of equal reads the first one counts; when in this row that was is not known.
            let earliest =
                if self.equal.is_some() || row.interrupted { before } else { before.wrapping_add(advance) };
            let began_here = self.equal.is_none_or(|(reads, _)| reads < values.len() as u64);
            // The reading before an interruption tells more than one with the interruption beside it, but not of
            // a clock that has left its line since.
            if trusted && began_here && (!row.interrupted || left_line) {
                self.prev = Some(Reading { value: last, earliest, latest: after });
            }
        }
    }

    /// What comes is not measured from what was: meanwhile the clock may have run faster than time, as the CPU time of
    /// a process does whose threads all run. Its order is still judged.
    pub fn apart(&mut self) {
        self.settle_pending();
        self.prev = None;
        self.line = None;
    }

    /// Reads that returned an error.
    pub fn failed(&mut self, reads: u64) {
        self.tally.failed += reads;
    }

    /// The reader stood still for `length_ns` up to the witness's `at`; `cause` names why.
    pub fn interruption(&mut self, length_ns: f64, at: u64, cpu: Option<u32>, cause: &str) {
        self.tally.at(at, cpu, self.terms.witness_ns);
        self.tally.interruption(length_ns, cause);
    }

    /// What was found, once the clock is no longer read.
    pub fn finish(mut self) -> Found {
        self.end_of_equals();
        self.settle_pending();
        self.tally.found()
    }

    /// What was found so far.
    pub fn so_far(&self) -> Found {
        self.clone().finish()
    }

    /// The first reading of a row, against the last one of the row before; `wide`: an interruption stands beside it.
    fn first(&mut self, now: Reading, wide: bool, trusted: bool) {
        let Some(last) = self.last.replace(now.value) else {
            self.prev = trusted.then_some(now);
            self.equal_since = now.latest;
            return;
        };
        let step = now.value.wrapping_sub(last) as i64;
        if step == 0 {
            let by_reads = self.equal.map_or(0.0, |(_, lasted)| lasted) + self.terms.read_ns;
            let by_witness =
                (now.earliest.wrapping_sub(self.equal_since) as i64).max(0) as f64 * self.terms.witness_ns;
            // A clock of CPU time stands still with its thread: only the reads themselves count.
            self.more_equal(1, if self.terms.may_pause { by_reads } else { by_witness });
            return;
        }
        self.end_of_equals();
        self.equal_since = now.latest;
        if step < 0 {
            self.step_back(step);
            self.line = self.prev.map(|prev| (prev, RETURNS_WITHIN));
            self.prev = trusted.then_some(now);
            return;
        }
        self.tally.step(step);
        if !trusted {
            return;
        }
        let Some(prev) = self.prev else {
            self.prev = Some(now);
            return;
        };
        match self.judge(prev, now) {
            Verdict::Good if wide => self.tally.undecided += 1,
            Verdict::Warp { size, uncertainty } if wide => {
                // Further off than the last one, by more than both can be wrong: that one was a fault of its own.
                let further =
                    self.pending.map(|(before, unsure)| ((size - before).abs(), unsure + uncertainty));
                self.pending = match further {
                    Some((further, unsure)) if further > unsure => {
                        self.settle_pending();
                        Some((further, unsure))
                    }
                    _ => Some((size, uncertainty)),
                };
            }
            Verdict::Good => {
                // Good again: what was off in between was a fault of its own.
                self.settle_pending();
                self.prev = Some(now);
            }
            Verdict::Warp { size, uncertainty } => {
                self.pending = None;
                let returned =
                    self.line.is_some_and(|(line, _)| matches!(self.judge(line, now), Verdict::Good));
                if returned {
                    self.line = None;
                } else {
                    self.tally.warp(size, uncertainty, "unknown");
                    self.line = Some((prev, RETURNS_WITHIN + 1));
                }
                self.prev = Some(now);
            }
        }
        self.line = self.line.and_then(|(line, left)| Some((line, left.checked_sub(1)?)));
    }

    /// Two neighbours within a row, at least `least_ns` apart: what needs no bounds. `left` is the one before, taken
    /// at some time of the row, which ended at `after`; `more`: how many reads after the row may return to its line.
    fn neighbour(&mut self, left: Reading, value: u64, least_ns: f64, after: u64, more: Option<u32>) {
        match value.wrapping_sub(left.value) as i64 {
            0 => self.more_equal(1, self.equal.map_or(0.0, |(_, lasted)| lasted) + least_ns),
            step @ ..0 => {
                self.end_of_equals();
                self.equal_since = after;
                self.step_back(step);
                self.line = more.map(|more| (left, more));
            }
            step => {
                self.end_of_equals();
                self.equal_since = after;
                self.tally.step(step);
            }
        }
    }

    fn settle_pending(&mut self) {
        if let Some((size, uncertainty)) = self.pending.take() {
            self.tally.warp(size, uncertainty, "unknown");
        }
    }

    fn step_back(&mut self, step: i64) {
        let size = step.unsigned_abs() as f64 * self.terms.count_ns;
        self.tally.regression(size);
    }

    fn more_equal(&mut self, reads: u64, lasted_ns: f64) {
        let (seen, longest) = self.equal.unwrap_or((1, 0.0));
        self.equal = Some((seen + reads, longest.max(lasted_ns)));
    }

    fn end_of_equals(&mut self) {
        if let Some((reads, lasted_ns)) = self.equal.take() {
            let long = lasted_ns > self.terms.standstill_ns;
            self.tally.stall(reads, lasted_ns, long, self.equal_since, self.terms.witness_ns);
        }
    }

    fn judge(&self, from: Reading, to: Reading) -> Verdict {
        let t = &self.terms;
        let ns = |a: u64, b: u64| (a.wrapping_sub(b) as i64).max(0) as f64 * t.witness_ns;
        let advance = to.value.wrapping_sub(from.value) as i64 as f64 * t.count_ns;
        let (shortest, longest) = (ns(to.earliest, from.latest), ns(to.latest, from.earliest));
        let low = shortest * t.rate[0] - t.slack_ns;
        let high = longest * t.rate[1] + t.slack_ns;
        let uncertainty = (high - low) / 2.0;
        if advance > high || (advance < low && !t.may_pause) {
            Verdict::Warp { size: (advance - f64::midpoint(low, high)).abs(), uncertainty }
        } else {
            Verdict::Good
        }
    }
}
