//! The watch over one clock: the order of its values, which needs no bounds, and what waits for the bounds.

use super::line::Line;
use super::row::{Frame, Row};
use super::stall::Equal;
use super::tally::{Found, Tally};
use super::terms::{Reads, Terms};
use super::waiting::Waiting;

/// Watches one clock.
#[derive(Debug, Clone)]
pub struct Watch {
    terms: Terms,
    /// What came before the terms; `None` once they are known.
    waiting: Option<Waiting>,
    /// The next row is not measured from what was.
    apart: bool,
    tally: Tally,
    line: Line,
    /// The last value, whatever its bracket, and when its row was over.
    last: Option<(u64, u64)>,
    equal: Option<Equal>,
    /// When the run of equal readings began at the latest.
    equal_since: u64,
}

impl Watch {
    /// A watch that starts at `origin`, by the witness; events are dated from it.
    ///
    /// Rows wait until there are terms to judge them by, as many as hold 2^18 changes of value; of more the oldest are
    /// judged for their order only, a count being taken for a nanosecond, and are undecided beyond that.
    pub fn new(origin: u64) -> Self {
        Self {
            terms: Terms::UNKNOWN,
            waiting: Some(Waiting::default()),
            apart: false,
            tally: Tally::new(origin),
            line: Line::default(),
            last: None,
            equal: None,
            equal_since: 0,
        }
    }

    /// What to judge by from now on. The first terms judge all that has waited for them.
    pub fn set_terms(&mut self, terms: Terms) {
        self.terms = terms;
        if let Some(waiting) = self.waiting.take() {
            self.judge_waiting(waiting, true);
        }
    }

    /// The terms in force; `None` before the first.
    pub fn terms(&self) -> Option<Terms> {
        self.waiting.is_none().then_some(self.terms)
    }

    /// A row of reads.
    pub fn row(&mut self, row: &Reads) {
        if row.values.is_empty() {
            return;
        }
        let apart = std::mem::take(&mut self.apart);
        let Some(mut waiting) = self.waiting.take() else { return self.judge(row, apart) };
        waiting.push(row, apart);
        let mut values = Vec::new();
        while waiting.is_over_full()
            && let Some(oldest) = waiting.pop(&mut values)
        {
            self.judge(&Reads { trusted: false, ..oldest.with(&values) }, oldest.apart);
        }
        self.waiting = Some(waiting);
    }

    /// What comes is not measured from what was: meanwhile the clock may have run faster than time, as the CPU time of
    /// a process does whose threads all run. Its order is still judged.
    pub fn apart(&mut self) {
        self.apart = true;
    }

    /// Reads that returned an error.
    pub fn failed(&mut self, reads: u64) {
        self.tally.found.failed = self.tally.found.failed.saturating_add(reads);
    }

    /// The reader stood still for `length_ns` up to the witness's `at`; `cause` names why.
    pub fn interruption(&mut self, length_ns: f64, at: u64, cpu: Option<u32>, cause: &str) {
        self.tally.at(at, cpu);
        self.tally.interruption(length_ns, cause);
    }

    /// How long the reader stood still so far, ns.
    pub fn standstill_ns(&self) -> f64 {
        self.tally.found.standstill_ns
    }

    /// What was found, once the clock is no longer read. Of what still waits for terms the order is judged.
    pub fn finish(mut self) -> Found {
        if let Some(waiting) = self.waiting.take() {
            self.judge_waiting(waiting, false);
        }
        self.end_of_equals();
        self.line.cut(&mut self.tally);
        self.tally.found(&self.terms)
    }

    /// What was found so far.
    pub fn so_far(&self) -> Found {
        self.clone().finish()
    }

    fn judge_waiting(&mut self, mut waiting: Waiting, by_terms: bool) {
        let mut values = Vec::new();
        while let Some(row) = waiting.pop(&mut values) {
            let reads = row.with(&values);
            self.judge(&Reads { trusted: reads.trusted && by_terms, ..reads }, row.apart);
        }
    }

    fn judge(&mut self, row: &Reads, apart: bool) {
        let Reads { before, values, after, cpu, .. } = *row;
        let bracket_ns = self.terms.passed(before, after);
        let trusted = row.trusted && bracket_ns >= 0.0;
        self.tally.at(before, cpu);
        self.tally.found.reads += values.len() as u64;
        if apart || !trusted {
            self.line.cut(&mut self.tally);
        }
        let last = self.last.map(|(value, _)| value);
        let frame = Frame { at: before, bracket_ns, last, open: self.line.open() };
        let cut = trusted.then(|| Row::new(values, frame, &self.terms));
        let mut pieces = cut.iter().flat_map(|row| &row.pieces).peekable();
        if trusted {
            self.tally.runs.took(self.terms.read_ns.min(bracket_ns / values.len() as f64));
        }
        let mut judged = true;
        for (index, value) in values.iter().enumerate() {
            self.order(*value, index == 0, row, trusted);
            if let Some(piece) = pieces.next_if(|piece| piece.at == index) {
                if index == 0 {
                    let late = piece.start.late.max(0.0) / self.terms.witness_ns;
                    self.equal_since = before.wrapping_add(late as u64);
                }
                judged = self.line.comes(piece, &self.terms, &mut self.tally);
            }
        }
        self.tally.found.undecided += match (&cut, values.len()) {
            (None, reads) => reads as u64,
            (Some(_), 1) => u64::from(!judged),
            (Some(row), reads) if row.hides => reads as u64 - 1,
            _ => 0,
        };
    }

    /// The order of a value and the one before it; over a row whose witness is not `trusted` no more time is known to have
    /// passed.
    fn order(&mut self, value: u64, is_first: bool, row: &Reads, trusted: bool) {
        let last = self.last.replace((value, row.after));
        let Some((last, over)) = last else {
            self.equal_since = row.after;
            return;
        };
        let step = value.wrapping_sub(last) as i64;
        if step == 0 {
            let mut equal = self.equal.unwrap_or(Equal { reads: 1, witnessed_ns: 0.0, gaps: 0 });
            equal.reads += 1;
            if !trusted {
                self.equal_since = row.after;
            } else if is_first && !self.terms.may_pause {
                equal.witnessed(self.terms.passed(self.equal_since, row.before), self.tally.runs.least_ns());
            } else {
                // A clock of CPU time stands still with its thread: only the reads themselves count.
                equal.gaps += 1;
            }
            self.equal = Some(equal);
            return;
        }
        self.end_of_equals();
        self.equal_since = row.after;
        if step < 0 {
            let size = step.unsigned_abs() as f64 * self.terms.count_ns;
            self.tally.regression(size, if is_first { over } else { row.before });
        } else {
            self.tally.step(step);
        }
    }

    fn end_of_equals(&mut self) {
        if let Some(equal) = self.equal.take() {
            self.tally.stall(equal, self.terms.standstill_ns, self.equal_since);
        }
    }
}
