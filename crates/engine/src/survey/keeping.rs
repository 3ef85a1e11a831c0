//! Looks now and then, all through the run, at how the clocks are kept: the wall clock and the sleeping machine's clock
//! beside the monotonic one, and every clock of the survey beside the reference.

use super::phases::Survey;
use super::subject::{Subject, add_anchor, add_anchors};
use crate::catalog::{Gettime, kernel_boottime, kernel_wall};
use crate::measure::{Meter, Singles, Witness};
use clockscope_analysis::analyze::keeping::{Kept, Moment, Offset, explain};
use clockscope_analysis::record::{Clock, Interval, Kind, Ntp, Run, WallStep};
use clockscope_analysis::trace::Bracketed;

/// Looks a run, where its time allows.
const LOOKS: f64 = 256.0;
/// Least and most time between two looks, ns. The longer the gaps, the less is known of when a clock was set.
const APART_NS: (f64, f64) = (1e6, 20e6);
/// The looks may take one part in so many of the time.
const SHARE: f64 = 50.0;
/// A read that takes longer, ns, is not made in every look.
const SLOW_NS: f64 = 100_000.0;
/// Tries for a tight bracket.
const TRIES: usize = 3;

/// What is gathered of the keeping.
pub(super) struct Keeping {
    monotonic: Option<Gettime>,
    wall: Option<Gettime>,
    boottime: Option<Gettime>,
    /// The wall clock from the clock that counts sleep, or where there is none, from the monotonic one.
    steps: Offset,
    /// The clock that counts sleep from the monotonic one.
    sleeps: Offset,
    /// When to look again, ns since the start.
    next_ns: f64,
    apart_ns: f64,
}

impl Keeping {
    /// For a run of `time` ns, with the kernel's monotonic clock if it can be read.
    pub(super) fn new(time: f64, kernel: Option<Witness>) -> Self {
        let monotonic = kernel.and_then(|kernel| match kernel {
            Witness::Kernel(_, clock) => Some(clock),
            Witness::Counter => None,
        });
        Self {
            monotonic,
            wall: kernel_wall(),
            boottime: kernel_boottime(),
            steps: Offset::default(),
            sleeps: Offset::default(),
            next_ns: 0.0,
            apart_ns: (time / LOOKS).clamp(APART_NS.0, APART_NS.1),
        }
    }

    /// One look at the kernel's clocks: some ten reads.
    fn look(&mut self, at: Moment) {
        let Some(monotonic) = self.monotonic else { return };
        if let Some(wall) = self.wall
            && let Some(anchor) = bracketed(self.boottime.unwrap_or(monotonic), wall)
        {
            self.steps.add(anchor, at);
        }
        if let Some(boottime) = self.boottime
            && let Some(anchor) = bracketed(monotonic, boottime)
        {
            self.sleeps.add(anchor, at);
        }
    }

    /// Writes what was seen into the record of the run.
    pub(super) fn state(&self, run: &mut Run) {
        run.suspended_ns = self.sleeps.growth().map(|growth| {
            // Time can't be slept back; what is within the brackets of none is none.
            let value = if growth.low <= 0.0 { 0.0 } else { growth.value };
            Interval { value, low: growth.low.max(0.0), high: growth.high.max(0.0) }
        });
        if run.suspended_ns.is_none() {
            let why = "CLOCK_BOOTTIME and CLOCK_MONOTONIC could not be read past the C library, or only once";
            run.missing.insert("suspended_ns".into(), why.into());
        }
        if self.steps.growth().is_none() {
            let why = "CLOCK_REALTIME and CLOCK_MONOTONIC could not be read past the C library, or only once";
            run.missing.insert("wall_steps_ns".into(), why.into());
        }
        run.wall_steps_omitted = self.steps.omitted();
        run.wall_steps_ns = self
            .steps
            .changes()
            .iter()
            .map(|change| WallStep {
                size_ns: change.size,
                at_ns: f64::midpoint(change.from.kernel_ns, change.to.kernel_ns),
                at_uncertainty_ns: (change.to.kernel_ns - change.from.kernel_ns) / 2.0,
            })
            .collect();
    }

    /// Names the faults of this clock that the keeping accounts for.
    pub(super) fn explain(
        &self,
        clock: &mut Clock,
        subject: &Subject,
        before: Option<&Ntp>,
        after: Option<&Ntp>,
    ) {
        let (steps, sleeps) = (self.steps.changes(), self.sleeps.changes());
        let mut found = subject.watch.so_far();
        let quantum_ns = clock.tick_ns.quantum.or(clock.tick_ns.nominal);
        explain(&mut found, subject.meter.description(), quantum_ns, Kept { steps, sleeps, before, after });
        (clock.warps, clock.interruptions, clock.events) = (found.warps, found.interruptions, found.events);
        (clock.regressions, clock.stalls, clock.reads) = (found.regressions, found.stalls, found.reads);
        (clock.undecided, clock.events_omitted) = (found.undecided, found.events_omitted);
    }
}

/// A reading of `clock` between two of `by`, the tightest of some; `None` where a read fails or none is in order.
fn bracketed(by: Gettime, clock: Gettime) -> Option<Bracketed> {
    let once = || {
        let (before, value, after) = (by.read().ok()?, clock.read().ok()?, by.read().ok()?);
        Some(Bracketed { before, value, after })
    };
    let width = |anchor: &Bracketed| anchor.after.wrapping_sub(anchor.before) as i64;
    (0..TRIES).filter_map(|_| once()).filter(|anchor| width(anchor) >= 0).min_by_key(width)
}

/// Reads the reference on its own, without stamps where it can be had as a witness.
enum ReferenceRead<'a> {
    Stamp(Witness),
    Meter(&'a mut dyn Meter, Witness, Singles),
}

impl ReferenceRead<'_> {
    fn now(&mut self) -> Option<u64> {
        match self {
            Self::Stamp(witness) => Some(witness.stamp().count),
            Self::Meter(meter, witness, room) => {
                meter.singles(witness, 1, i64::MAX, room);
                room.reads.first()?.value
            }
        }
    }
}

impl Survey {
    /// Looks at the clocks if it is time to. Called between measured windows.
    pub(super) fn look(&mut self) {
        if self.elapsed_ns() >= self.keeping.next_ns {
            self.look_now(false);
        }
    }

    /// Looks at the clocks; `all`: at those that take long as well.
    pub(super) fn look_now(&mut self, all: bool) {
        let now = Moment { witness_ns: self.witnessed_ns(), kernel_ns: self.elapsed_ns() };
        self.keeping.look(now);
        let id = self.timebase.id();
        let by = [Some(self.reader.witness), self.reader.kernel].into_iter().flatten().find(|w| w.id() == id);
        let mut reference = match (by, self.reference.as_deref_mut()) {
            (Some(witness), _) => ReferenceRead::Stamp(witness),
            (None, Some(meter)) => ReferenceRead::Meter(meter, self.reader.witness, Singles::default()),
            (None, None) => return,
        };
        for subject in self.subjects.iter_mut().filter(|s| all || s.read_ns < SLOW_NS) {
            let description = subject.meter.description();
            if description.kind != Kind::CpuTime && description.id != id {
                look_at(subject, &mut reference, &mut self.singles);
            }
        }
        let after = self.elapsed_ns();
        self.keeping.next_ns = after + self.keeping.apart_ns.max(SHARE * (after - now.kernel_ns));
    }
}

/// One read of a clock between two of the reference; it goes to the clock's watch as any other read.
fn look_at(subject: &mut Subject, reference: &mut ReferenceRead, singles: &mut Singles) {
    let before = reference.now();
    subject.meter.singles(&subject.witness, 1, i64::MAX, singles);
    let after = reference.now();
    let value = singles.reads.first().and_then(|read| read.value);
    if let (Some(before), Some(value), Some(after)) = (before, value, after) {
        add_anchor(&mut subject.track, Bracketed { before, value, after });
    }
    add_anchors(&mut subject.anchors, singles);
    if subject.quantum.is_some() {
        subject.watch_singles(singles, true);
    } else {
        subject.keep_early(singles);
    }
}
