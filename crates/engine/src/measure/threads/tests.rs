//! The loop on a clock that follows a script, and the crowd on the machine's own.

use std::cell::Cell;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clockscope_analysis::analyze::attribution::{Cause, attribute};
use clockscope_analysis::trace::{Counted, Paired};

use super::evidence::Evidence;
use super::{Asked, Member, Pairing, Terms, crowd};
use crate::catalog::{Clock, clock};
use crate::measure::Witness;

/// Pairs in a script.
const PAIRS: u64 = 100_000;
/// Usual length of a pair, and of what lies between two, counts of 1 ns.
const USUAL: u64 = 26;
/// Every so many pairs something happens, beginning with the first one after the loop has learnt.
const EVERY: u64 = 1000;
const LEARNT: u64 = 256;
/// How long it lasts.
const LOST: u64 = 50_000;

thread_local! {
    /// Reads made so far, what the clock shows, what has happened, and the CPU that the thread is on.
    static SCRIPT: Cell<(u64, u64, Counted, u32)> = const { Cell::new((0, 0, NOTHING, 0)) };
}

const NOTHING: Counted = Counted {
    raw_ns: Some(0),
    slept_ns: Some(0),
    ran_ns: Some(0),
    waited_ns: Some(0),
    involuntary: Some(0),
    voluntary: Some(0),
    minor_faults: Some(0),
    major_faults: Some(0),
    throttled_ns: Some(0),
    continued: Some(0),
    stolen_ns: Some(0),
    interrupts: Some(0),
    interrupted_ns: None,
};

/// Adds what happens to a thread while it stands still for that cause.
fn happen(seen: &mut Counted, cause: Cause) {
    let add = |count: &mut Option<u64>, by: u64| *count = count.map(|count| count + by);
    add(&mut seen.raw_ns, LOST);
    let on_cpu = matches!(cause, Cause::PageFault | Cause::Interrupt | Cause::Unknown);
    add(&mut seen.ran_ns, if on_cpu { LOST } else { 0 });
    match cause {
        Cause::Preempted | Cause::Migrated => {
            add(&mut seen.waited_ns, LOST);
            add(&mut seen.involuntary, 1);
        }
        Cause::Throttled => {
            add(&mut seen.waited_ns, LOST);
            add(&mut seen.throttled_ns, LOST);
        }
        Cause::Stopped => {
            add(&mut seen.voluntary, 1);
            add(&mut seen.continued, 1);
        }
        Cause::PageFault => add(&mut seen.minor_faults, 1),
        Cause::Stolen => add(&mut seen.stolen_ns, LOST),
        Cause::Interrupt => add(&mut seen.interrupts, 1),
        _ => {}
    }
}

/// What happens in turn, each within a pair.
const CAUSES: [Cause; 7] = [
    Cause::Preempted,
    Cause::Throttled,
    Cause::Stopped,
    Cause::PageFault,
    Cause::Stolen,
    Cause::Interrupt,
    Cause::Unknown,
];

#[derive(Clone, Copy)]
struct Scripted {
    /// Whether the thread is also moved in each of the preemptions.
    moves: bool,
}

clock!(
    Scripted,
    u64 = 0,
    |self, out| {
        SCRIPT.with(|script| {
            let (reads, mut now, mut seen, mut cpu) = script.get();
            let (pair, is_stop) = (reads / 2, reads % 2 == 1);
            now += USUAL;
            if is_stop && pair >= LEARNT && (pair - LEARNT).is_multiple_of(EVERY) {
                let cause = CAUSES[((pair - LEARNT) / EVERY) as usize % CAUSES.len()];
                now += LOST;
                happen(&mut seen, cause);
                cpu ^= u32::from(self.moves && cause == Cause::Preempted);
            }
            // Now and then the thread stands still between two pairs; that is no pair's.
            if !is_stop && pair > LEARNT && (pair - LEARNT) % EVERY == EVERY / 2 {
                now += LOST;
                happen(&mut seen, Cause::Preempted);
            }
            script.set((reads + 1, now, seen, cpu));
            *out = now;
        });
        0
    },
    |raw| *raw
);

struct Told;

impl Evidence for Told {
    fn look(&mut self, _: bool) -> (Option<u32>, Counted) {
        let (_, _, seen, cpu) = SCRIPT.get();
        (Some(cpu), seen)
    }
}

fn terms(per_cpu: bool) -> Option<Terms> {
    let watch = (Witness::kernel()?, 1.0);
    Some(Terms { count_ns: 1.0, quantum: 0.0, per_cpu, most: Some(PAIRS), watch })
}

fn scripted(moves: bool) -> Option<Paired> {
    SCRIPT.set((0, 0, NOTHING, 0));
    Some(Scripted { moves }.pairs(&terms(moves)?, &mut Told, &AtomicBool::new(false)))
}

#[test]
fn each_long_pair_is_found_with_its_cause_and_no_other() {
    let Some(seen) = scripted(false) else { return };
    assert_eq!(seen.lengths.seen.values().sum::<u64>(), PAIRS);
    assert_eq!(seen.lengths.seen.get(&(USUAL as u32)), Some(&(PAIRS - PAIRS / EVERY)));
    assert_eq!((seen.lengths.long.least, seen.lengths.long.greatest), (USUAL + LOST, USUAL + LOST));
    assert_eq!((seen.threshold, seen.backward, seen.failed, seen.migrations, seen.retried), (1000, 0, 0, 0, 0));
    assert_eq!(seen.between_counts, PAIRS / EVERY * (USUAL + LOST));
    assert_eq!((seen.long.len(), seen.longest.len()), (CAUSES.len(), 8));
    for (at, cause) in CAUSES.into_iter().enumerate() {
        let of_it = PAIRS / EVERY / 7 + u64::from((at as u64) < PAIRS / EVERY % 7);
        let named = seen.long.iter().filter(|long| {
            let shares = attribute(long.counts as f64, &long.grown, long.migrated);
            shares.of(cause) >= 0.95 * long.counts as f64
        });
        let named: Vec<_> = named.map(|long| (long.pairs, long.counts)).collect();
        assert_eq!(named, [(of_it, of_it * (USUAL + LOST))], "{cause:?}");
    }
}

#[test]
fn two_reads_of_a_cpus_own_counter_on_two_cpus_are_no_interval() {
    let Some(seen) = scripted(true) else { return };
    let moved = (PAIRS / EVERY).div_ceil(7);
    assert_eq!((seen.migrations, seen.retried, seen.retried_counts), (moved, moved, moved * (USUAL + LOST)));
    assert_eq!(seen.lengths.seen.values().sum::<u64>(), PAIRS - moved);
    assert!(seen.long.iter().all(|long| !long.migrated));
}

/// A clock that goes back, fails, or stands still.
#[derive(Clone, Copy)]
struct Odd;

clock!(
    Odd,
    u64 = 0,
    |self, out| {
        SCRIPT.with(|script| {
            let (reads, ..) = script.get();
            script.set((reads + 1, 0, NOTHING, 0));
            // After what is learnt from, pair for pair: one that goes back by 7, one that fails, one of no length.
            let pair = reads / 2;
            *out = if pair >= LEARNT && pair % 3 == 0 && reads % 2 == 1 { 993 } else { 1000 };
            -i32::from(pair >= LEARNT && pair % 3 == 1 && reads % 2 == 0)
        })
    },
    |raw| *raw
);

#[test]
fn a_clock_that_goes_back_or_fails_is_counted_and_does_no_harm() {
    let Some(mut terms) = terms(false) else { return };
    terms.most = Some(300);
    SCRIPT.set((0, 0, NOTHING, 0));
    let seen = Odd.pairs(&terms, &mut Told, &AtomicBool::new(false));
    // Pairs 256 to 555: of 300 each third.
    assert_eq!((seen.failed, seen.backward, seen.farthest_back), (100, 100, 7));
    assert_eq!(seen.lengths.seen.into_iter().collect::<Vec<_>>(), [(0, 100)]);
}

fn monotonic() -> Box<dyn Pairing> {
    #[derive(Clone, Copy)]
    struct Std(Instant);
    clock!(
        Std,
        u64 = 0,
        |self, out| {
            *out = self.0.elapsed().as_nanos() as u64;
            0
        },
        |raw| *raw
    );
    debug_assert!(Std(Instant::now()).read().is_ok());
    Box::new(Std(Instant::now()))
}

#[test]
fn every_thread_of_a_crowd_has_seen_something_however_short_the_time() {
    let Some(terms) = terms(false).map(|terms| Terms { most: None, ..terms }) else { return };
    let cpus = crate::measure::allowed_cpus().unwrap();
    for (threads, pin) in [(1, false), (24, false), (24, true)] {
        let asked = Asked { threads, cpus: &cpus, pin, throttling: &[] };
        let seen = crowd(&asked, terms, monotonic, &mut || None);
        assert_eq!(seen.len(), threads as usize);
        for (at, Member { cpu, seen: paired, .. }) in seen.iter().enumerate() {
            assert_eq!(*cpu, pin.then(|| cpus[at % cpus.len()]));
            // A machine so busy that a thread does not run for two seconds says so.
            let paired =
                paired.as_ref().map_or_else(|why| why.contains("two seconds"), |one| !one.lengths.seen.is_empty());
            assert!(paired, "{seen:?}");
        }
    }
}

#[test]
fn a_crowd_ends_by_itself_once_each_has_its_number() {
    let Some(terms) = terms(false).map(|terms| Terms { most: Some(1000), ..terms }) else { return };
    let asked = Asked { threads: 3, cpus: &[], pin: false, throttling: &[] };
    for Member { seen, .. } in crowd(&asked, terms, monotonic, &mut || Some(Duration::from_secs(60))) {
        assert_eq!(seen.unwrap().lengths.seen.values().sum::<u64>(), 1000);
    }
}

#[test]
fn who_asked_for_no_cpu_reads_on_where_the_system_refuses_some() {
    let Some(terms) = terms(false).map(|terms| Terms { most: Some(1000), ..terms }) else { return };
    for pin in [false, true] {
        // No such CPU; a filter of system calls refuses in the same way.
        let asked = Asked { threads: 2, cpus: &[60_000], pin, throttling: &[] };
        for Member { seen, remarks, .. } in crowd(&asked, terms, monotonic, &mut || Some(Duration::from_secs(60))) {
            let refused = |why: &String| why.starts_with("the system refused the thread its CPUs: ");
            let read = seen.as_ref().is_ok_and(|seen| seen.lengths.seen.values().sum::<u64>() == 1000);
            assert_eq!((read, remarks.iter().any(refused)), (!pin, !pin), "{seen:?} {remarks:?}");
            assert!(!pin || seen.is_err_and(|why| refused(&why)));
        }
    }
}

/// A clock of which every other start is less than the stop before it.
#[derive(Clone, Copy)]
struct Leaps;

clock!(
    Leaps,
    u64 = 0,
    |self, out| {
        SCRIPT.with(|script| {
            let (reads, ..) = script.get();
            script.set((reads + 1, 0, NOTHING, 0));
            *out = 1000 + reads % 4 * 10 - reads % 4 / 2 * 25;
        });
        0
    },
    |raw| *raw
);

#[test]
fn a_start_that_went_back_costs_no_pair() {
    let Some(mut terms) = terms(false) else { return };
    terms.most = Some(300);
    SCRIPT.set((0, 0, NOTHING, 0));
    let seen = Leaps.pairs(&terms, &mut Told, &AtomicBool::new(false));
    assert_eq!((seen.lengths.seen.values().sum::<u64>(), seen.failed, seen.retried), (300, 0, 0));
    // Of every second pair the start is less than the stop before it by 15; after it is looked, and nothing compared.
    assert_eq!((seen.backward, seen.farthest_back), (150, 15));
}
