//! What a count of the witness is worth, by the reference.

use super::Error;
use super::list::Readable;
use crate::analyze::rate::{Anchor, rate};
use crate::catalog::Unit;
use crate::measure::{Meter, Singles, Witness};
use crate::record::{Interval, Kind};

/// The reference beside the witness.
pub(super) struct Timebase {
    id: String,
    /// Nanoseconds a count of the reference.
    count_ns: f64,
    /// Whether the witness is the reference.
    same: bool,
    anchors: Vec<Anchor>,
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
            // The counter alone: its own ticks are all there is, and an architecture that states their length.
            (None, None) => witness.id().to_owned(),
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
        Ok((Self { id, count_ns, same, anchors: Vec::new(), tick }, (!same).then_some(place)))
    }

    /// The reference's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Nanoseconds a count of the reference.
    pub(super) fn count_ns(&self) -> f64 {
        self.count_ns
    }

    /// Takes one bracketed reading of the reference.
    pub(super) fn anchor(&mut self, meter: &mut dyn Meter, witness: &Witness, singles: &mut Singles) {
        meter.singles(witness, 1, i64::MAX, singles);
        super::subject::add_anchors(&mut self.anchors, singles);
    }

    /// Reckons the tick anew from all anchors so far.
    pub(super) fn settle(&mut self) {
        if self.same {
            return;
        }
        if let Some(rate) = rate(&self.anchors, 1.0).filter(|r| r.low > 0.0) {
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
