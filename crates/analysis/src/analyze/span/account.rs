//! What is kept of a run.

use std::collections::BTreeMap;

use super::super::thinning::Thinned;
use super::curve::{FEWEST, curve};
use super::empties::Counted;
use super::shortest::{SHARES, by_quantum, spans};
use crate::record::{ClockSpans, Interval};
use crate::trace::{Chain, Empties, Timed};

/// Most lots kept of a clock, and most lengths in one.
const MOST_LOTS: usize = 8192;
const MOST_LENGTHS: usize = 64;
/// Steps of the clock that the longest chains have to take, else its quantum alone tells what it can time.
const FEWEST_STEPS: f64 = 8.0;

/// One clock's timings, in bounded memory.
#[derive(Debug, Clone)]
pub struct Spans {
    lots: Thinned<Vec<Chain>>,
    taken: u64,
    failed: u64,
    pinned: Counted,
    anywhere: Counted,
}

impl Default for Spans {
    fn default() -> Self {
        let (pinned, anywhere) = (Counted::default(), Counted::default());
        Self { lots: Thinned::new(MOST_LOTS), taken: 0, failed: 0, pinned, anywhere }
    }
}

impl Spans {
    /// One more lot. One that has not as many lengths as the first one can't be, and is passed over.
    pub fn timed(&mut self, lot: &Timed) {
        self.failed = self.failed.saturating_add(lot.failed);
        let lengths = self.lots.as_slice().first().map_or(lot.chains.len(), Vec::len);
        if lot.failed == 0 && lot.chains.len() == lengths && (2..=MOST_LENGTHS).contains(&lengths) {
            self.lots.push(lot.chains.clone());
            self.taken += 1;
        }
    }

    /// One more lot of empty pairs.
    pub fn empty(&mut self, lot: &Empties) {
        if lot.pinned { &mut self.pinned } else { &mut self.anywhere }.take(lot);
    }

    /// What they come to: of the clock with that id, a count of which is worth `count_ns`, by a witness a count of which is
    /// worth `witness_ns`; with the quanta of both where they are known, ns.
    pub fn state(
        &self,
        clock: &str,
        [count_ns, witness_ns]: [f64; 2],
        quantum: Option<Interval>,
        witness_quantum: Option<f64>,
    ) -> ClockSpans {
        let quantum_ns = quantum.map(|quantum| quantum.value);
        let mut missing = BTreeMap::new();
        let lots: Vec<&[Chain]> = self.lots.as_slice().iter().map(Vec::as_slice).collect();
        let still = lots.iter().filter(|lot| lot.last().is_some_and(|longest| longest.counts == 0)).count();
        // What a few steps' lengths tell of the next ones is little.
        let longest_ns: f64 =
            lots.iter().filter_map(|lot| lot.last()).map(|chain| chain.counts as f64 * count_ns).sum();
        let is_coarse = quantum_ns.is_some_and(|quantum| longest_ns < FEWEST_STEPS * quantum * lots.len() as f64);
        let found = if 2 * still > lots.len() || is_coarse {
            None
        } else {
            curve(&lots, count_ns, witness_ns, [quantum_ns, witness_quantum].map(Option::unwrap_or_default))
        };
        let spans = match (&found, quantum) {
            (Some(curve), _) => spans(curve),
            (None, Some(quantum)) if still > 0 || is_coarse => by_quantum(quantum),
            (None, _) => Vec::new(),
        };
        let why = match &found {
            Some(_) => "the error grows with the length, beyond the longest that was timed".to_owned(),
            None if is_coarse => format!("the longest chains take less than {FEWEST_STEPS} of its steps"),
            None if still > 0 => format!("it did not move within {still} of {} of the longest chains", lots.len()),
            None => format!("{} lots of chains were timed, and {FEWEST} are needed", lots.len()),
        };
        let lacks_some = SHARES.iter().any(|share| !spans.iter().any(|span| span.is_for(*share, 1, true)));
        let lacks = [("overhead_ns", found.is_none()), ("curve", found.is_none()), ("spans", lacks_some)];
        missing.extend(lacks.into_iter().filter(|(_, lacks)| *lacks).map(|(field, _)| (field.to_owned(), why.clone())));
        let empty = [(&self.pinned, true), (&self.anywhere, false)];
        ClockSpans {
            clock: clock.into(),
            count_ns,
            quantum_ns,
            overhead_ns: found.as_ref().map(|curve| curve.overhead),
            spans,
            curve: found.map(|curve| curve.points.iter().map(|point| point.shown).collect()).unwrap_or_default(),
            empty: empty.into_iter().filter_map(|(counted, pinned)| counted.pairs(pinned, count_ns)).collect(),
            lots: self.taken,
            failed_reads: self.failed + self.pinned.failed + self.anywhere.failed,
            missing,
        }
    }
}
