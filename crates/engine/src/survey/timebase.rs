//! What a count of the witness is worth, by the reference.

use super::Error;
use super::list::Readable;
use crate::catalog::Unit;
use crate::measure::{Meter, Singles, Witness};
use clockscope_analysis::analyze::rate::{Quanta, edge, rate};
use clockscope_analysis::record::{Interval, Kind};
use clockscope_analysis::trace::Bracketed;

/// A reference that has not moved over this many reads is known by its edges.
const READS_OF_ONE_STEP: usize = 256;

/// References where CLOCK_MONOTONIC can't be read (a sandbox may forbid `clock_gettime` and forget the older calls),
/// best first.
const NEXT_BEST: [&str; 4] = ["realtime@vdso", "realtime", "gettimeofday@syscall", "gettimeofday"];

/// The reference beside the witness.
pub(super) struct Timebase {
    id: String,
    /// Nanoseconds a count of the reference.
    count_ns: f64,
    /// Whether the witness is the reference.
    same: bool,
    /// Whether only the moments are taken at which the reference moves: it moves more slowly than it is read.
    by_edges: bool,
    anchors: Vec<Bracketed>,
    tick: Interval,
}

impl Timebase {
    /// Picks the reference: the one asked for, or the kernel's monotonic clock by its straightest way.
    pub(super) fn new(
        wanted: Option<&str>,
        readable: &Readable,
        witness: Witness,
        kernel: Option<Witness>,
    ) -> Result<(Self, Option<usize>), Error> {
        let id = match (wanted, kernel) {
            (Some(id), _) => id.to_owned(),
            (None, Some(kernel)) => kernel.id().to_owned(),
            (None, None) => {
                let there = |id: &&str| readable.find(id).is_ok();
                let next = NEXT_BEST.into_iter().find(there).ok_or_else(|| {
                    let why = "CLOCK_MONOTONIC can't be read, nor any clock of the wall, so that nothing says what a tick \
                               of the counter is worth";
                    Error::NoWitness(why.into())
                })?;
                next.to_owned()
            }
        };
        let place = readable.find(&id)?;
        let Unit::Ns(count_ns) = readable.meters[place].description().unit else {
            let reason =
                "what its ticks are worth has to be measured against a clock that has nanoseconds".into();
            return Err(Error::Reference { id, reason });
        };
        let kind = readable.meters[place].description().kind;
        if matches!(kind, Kind::Coarse | Kind::CpuTime) || count_ns > 1000.0 {
            let reason =
                "it is too coarse, or does not tell the time of day; take one that moves in 1 us or less"
                    .into();
            return Err(Error::Reference { id, reason });
        }
        let same = id == witness.id();
        let tick = Interval { value: count_ns, low: count_ns, high: count_ns };
        let timebase = Self { id, count_ns, same, by_edges: false, anchors: Vec::new(), tick };
        Ok((timebase, (!same).then_some(place)))
    }

    /// The reference's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Nanoseconds a count of the reference.
    pub(super) fn count_ns(&self) -> f64 {
        self.count_ns
    }

    /// Takes one bracketed reading of the reference; none of one that is known by its edges.
    pub(super) fn anchor(&mut self, meter: &mut dyn Meter, witness: &Witness, singles: &mut Singles) {
        if self.by_edges {
            return;
        }
        meter.singles(witness, 1, i64::MAX, singles);
        super::subject::add_anchors(&mut self.anchors, singles);
    }

    /// Whether the reference is known by its edges.
    pub(super) fn is_by_edges(&self) -> bool {
        self.by_edges
    }

    /// Looks whether the reference moves within a few hundred reads. If it does not, what was read of it is forgotten
    /// and its edges count from now on: a clock that moves with the timer's tick (4 ms where the kernel has nothing
    /// but jiffies) tells no rate between two readings that lie within one step.
    pub(super) fn look_for_edges(
        &mut self,
        meter: &mut dyn Meter,
        witness: &Witness,
        singles: &mut Singles,
    ) -> bool {
        meter.singles(witness, READS_OF_ONE_STEP, i64::MAX, singles);
        let mut values = singles.reads.iter().filter_map(|read| read.value);
        let first = values.next();
        self.by_edges = first.is_some_and(|first| values.all(|value| value == first));
        if self.by_edges {
            self.anchors.clear();
        }
        self.by_edges
    }

    /// Reads until the reference has moved `wanted` times, for at most `longest` counts of the witness.
    pub(super) fn edges(
        &mut self,
        meter: &mut dyn Meter,
        witness: &Witness,
        singles: &mut Singles,
        wanted: usize,
        longest: i64,
    ) {
        let start = witness.stamp();
        let (mut last, mut found) = (None::<Bracketed>, 0);
        while found < wanted && witness.stamp().since(start) < longest {
            meter.singles(witness, 16, i64::MAX, singles);
            if singles.reads.is_empty() {
                return;
            }
            for read in &singles.reads {
                let Some(value) = read.value else { continue };
                let read = Bracketed { before: read.before.count, value, after: read.after.count };
                if let Some(edge) = last.and_then(|last| edge(last, read)) {
                    self.anchors.push(edge);
                    found += 1;
                }
                last = Some(read);
            }
        }
    }

    /// Reckons the tick anew from all anchors so far.
    pub(super) fn settle(&mut self) {
        if self.same {
            return;
        }
        let found = rate(&self.anchors, Quanta { clock: 1.0, by: 1.0 });
        if let Some(rate) = found.filter(|r| r.low > 0.0) {
            let ns = |counts_per_tick: f64| counts_per_tick * self.count_ns;
            self.tick = Interval { value: ns(rate.value), low: ns(rate.low), high: ns(rate.high) };
        }
    }

    /// Whether reference and witness agree on a rate to within 1 %; if not, no figure in ns would mean anything.
    pub(super) fn is_settled(&self) -> bool {
        let Interval { value, low, high } = self.tick;
        self.same || (self.anchors.len() > 1 && low > 0.0 && high - low < 0.01 * value && low < high)
    }

    /// Nanoseconds a count of the witness.
    pub(super) fn tick(&self) -> Interval {
        self.tick
    }
}
