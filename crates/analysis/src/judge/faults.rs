//! What counts as a fault of a clock, which faults are not its own, and what a comparison between CPUs says of it.

use std::borrow::Cow;

use crate::analyze::keeping::{CLOCK_SET, LEAP_SECOND};
use crate::analyze::skew::is_apart;
use crate::record::{Clock, ClocksourceChange, Event, EventKind, Kind, Monotonic, Run, Skew, SkewPair};

const KINDS: [EventKind; 3] = [EventKind::Regression, EventKind::Warp, EventKind::Stall];

/// How many faults of that kind the clock showed, and the largest of them, ns. A stall counts where the quantum does not
/// explain it; an interruption is no fault.
pub(super) fn shown(clock: &Clock, kind: EventKind) -> (u64, f64) {
    match kind {
        EventKind::Regression => (clock.regressions.count, clock.regressions.largest_ns),
        EventKind::Warp => (clock.warps.count, clock.warps.largest_ns),
        EventKind::Stall => (clock.stalls.unexplained, clock.stalls.longest_ns),
        EventKind::Interruption => (0, clock.interruptions.longest_ns),
    }
}

pub(super) fn count(clock: &Clock, kind: EventKind) -> u64 {
    shown(clock, kind).0
}

/// How many there are of all kinds together.
fn count_all(clock: &Clock) -> u64 {
    KINDS.iter().map(|kind| count(clock, *kind)).fold(0, u64::saturating_add)
}

/// Whether no fault of any sort was seen.
pub fn is_faultless(clock: &Clock) -> bool {
    count_all(clock) == 0 && clock.failed_reads == 0 && clock.monotonic != Monotonic::Violated
}

/// Whether every fault that was seen came of the clock having been set, or of a leap second: it did as it was asked.
pub(super) fn was_only_set(clock: &Clock) -> bool {
    let faults = count_all(clock);
    let was_set = |e: &&Event| e.kind != EventKind::Interruption && (e.cause == CLOCK_SET || e.cause == LEAP_SECOND);
    faults > 0
        && clock.promises.may_step
        && clock.events.iter().filter(was_set).count() as u64 == faults
        && clock.failed_reads == 0
}

/// How many faults of its own were seen: steps back, jumps, standstills, and reads that failed.
pub fn faults(clock: &Clock) -> u64 {
    if was_only_set(clock) { 0 } else { count_all(clock).saturating_add(clock.failed_reads) }
}

/// The clocks without the faults that are the kernel's: those of its clocks while it changed its clocksource.
pub(crate) fn without_changes<'a>(run: &Run, clocks: &'a [Clock]) -> Cow<'a, [Clock]> {
    if run.clocksource_changes.is_empty() {
        return Cow::Borrowed(clocks);
    }
    let mut clocks = clocks.to_vec();
    for clock in &mut clocks {
        // Counters are judged by the kernel's clock, but for their order.
        let kinds = match clock.kind {
            Kind::Counter => &KINDS[1..],
            kind if kind.is_kernels() => &KINDS[..],
            _ => continue,
        };
        let (gone, kept) = std::mem::take(&mut clock.events).into_iter().partition::<Vec<Event>, _>(|event| {
            kinds.contains(&event.kind) && run.clocksource_changes.iter().any(|c| is_of(event, c))
        });
        clock.events = kept;
        for kind in KINDS {
            excuse(clock, kind, gone.iter().filter(|event| event.kind == kind).count() as u64);
        }
    }
    Cow::Owned(clocks)
}

/// How long after a look all clocks have been read again, ns: looks come 20 ms apart, and a busy machine delays some.
const LATER_NS: f64 = 100e6;

/// Whether the fault may have come while the kernel changed its clocksource: from its last look before to the first
/// read of each clock after, as far as the event's own bounds tell.
fn is_of(event: &Event, change: &ClocksourceChange) -> bool {
    let unsure = event.size_uncertainty_ns.unwrap_or(0.0);
    let lasted = if event.kind == EventKind::Stall { event.size_ns } else { 0.0 };
    event.at_ns + lasted + unsure >= change.since_ns && event.at_ns - unsure <= change.at_ns + LATER_NS
}

/// Takes so many faults of that kind off the clock's counts; `events` has lost them already.
fn excuse(clock: &mut Clock, kind: EventKind, excused: u64) {
    if excused == 0 {
        return;
    }
    let sizes = clock.events.iter().filter(|event| event.kind == kind).map(|event| event.size_ns);
    // NaN where no fault that is left is listed: its size is not known.
    let largest = sizes.fold(f64::NAN, f64::max);
    let left = count(clock, kind).saturating_sub(excused);
    match kind {
        EventKind::Regression => {
            (clock.regressions.count, clock.regressions.largest_ns) = (left, largest);
            if left == 0 && clock.monotonic == Monotonic::Violated {
                clock.monotonic = Monotonic::Weak;
            }
        }
        EventKind::Warp => (clock.warps.count, clock.warps.largest_ns) = (left, largest),
        EventKind::Stall => (clock.stalls.unexplained, clock.stalls.longest_ns) = (left, largest),
        EventKind::Interruption => {}
    }
}

/// Whether the clock's readings disagree between any two CPUs.
pub(super) fn is_disagreeing(skew: &Skew) -> bool {
    skew.agree == Some(false) || skew.backward.count > 0 || skew.pairs.iter().any(is_apart)
}

/// Whether what `own` was found to differ by leaves out, for every pair on which `counter` is apart, what that one differs
/// by.
pub(super) fn leaves_out(own: &Skew, counter: &Skew) -> bool {
    let bounds = |pair: &SkewPair| pair.low_ns.zip(pair.high_ns);
    let mut apart = counter.pairs.iter().filter(|pair| is_apart(pair)).peekable();
    apart.peek().is_some()
        && apart.all(|there| {
            let here = own.pairs.iter().find(|p| (p.cpu_a, p.cpu_b) == (there.cpu_a, there.cpu_b));
            here.and_then(bounds).zip(bounds(there)).is_some_and(|(here, there)| here.1 < there.0 || there.1 < here.0)
        })
}
