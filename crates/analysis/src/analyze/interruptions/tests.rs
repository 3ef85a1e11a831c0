//! Made-up watches of a CPU from which it was taken away for known times by known causes.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::analyze::attribution::Cause;
use crate::trace::{Absence, Counted};

/// Nanoseconds a count.
const TICK: Interval = Interval::exactly(0.5);
/// A read every 20 ns.
const READ: u64 = 40;
/// What a look takes, in counts.
const LOOK: u64 = 40_000;

/// A CPU as a thread sees it that watches.
struct World {
    now: u64,
    start: u64,
    /// What the kernel counted since the start, no more than this thread can see.
    counted: Counted,
    last: Counted,
    random: Rng,
    vigil: Vigil,
    lot: Absences,
}

fn grow(count: &mut Option<u64>, by: u64) {
    *count = Some(count.unwrap_or(0) + by);
}

impl World {
    fn new(seed: u64) -> Self {
        let zero = Some(0);
        let counted = Counted {
            monotonic_ns: zero,
            slept_ns: zero,
            ran_ns: zero,
            waited_ns: zero,
            involuntary: zero,
            voluntary: zero,
            minor_faults: zero,
            major_faults: zero,
            throttled_ns: zero,
            continued: zero,
            stolen_ns: zero,
            interrupts: zero,
            interrupted_ns: None,
        };
        // The counter begins anew on the way.
        let start = u64::MAX - 1_000_000;
        let vigil = Vigil { cpu: 3, start, longer_than: 2000, ..Vigil::default() };
        let lot = Absences { cpu: 3, absences: Vec::new() };
        Self { now: start, start, counted, last: counted, random: Rng::with_seed(seed), vigil, lot }
    }

    /// Time passes in which the thread runs.
    fn run(&mut self, ns: u64) {
        self.now = self.now.wrapping_add(2 * ns);
        grow(&mut self.counted.monotonic_ns, ns);
        grow(&mut self.counted.ran_ns, ns);
        self.vigil.reads += 2 * ns / READ;
    }

    /// It is taken away for so long, which the kernel shows by `how`; then the cause is looked for.
    fn away(&mut self, ns: u64, how: impl FnOnce(&mut Counted)) {
        let from = self.now;
        self.now = self.now.wrapping_add(2 * ns);
        grow(&mut self.counted.monotonic_ns, ns);
        how(&mut self.counted);
        let seen = self.counted.since(&self.last);
        self.lot.absences.push(Absence { from, length: 2 * ns, seen, migrated: false, in_look: false });
        self.last = self.counted;
        self.now = self.now.wrapping_add(LOOK);
        grow(&mut self.counted.monotonic_ns, LOOK / 2);
        grow(&mut self.counted.ran_ns, LOOK / 2);
        self.vigil.looks += 1;
        self.vigil.looking += LOOK;
    }

    fn end(&self) -> CpuInterruptions {
        let mut all = Interruptions::default();
        all.wall(self.start, 1_234_567_890_000_000_000);
        // In lots, as they come.
        for lot in self.lot.absences.chunks(7) {
            all.absences(&Absences { cpu: 3, absences: lot.to_vec() }, TICK);
        }
        all.vigil(&Vigil { end: self.now, ..self.vigil.clone() });
        all.state(self.start, TICK).remove(0)
    }

    /// An interrupt of some microseconds, as each of those below brings one.
    fn interrupt(counted: &mut Counted, ns: u64) {
        grow(&mut counted.ran_ns, ns);
        grow(&mut counted.interrupts, 1);
    }

    /// One time away for a cause; returns how long.
    fn by(&mut self, cause: Cause) -> u64 {
        let short = 1500 + self.random.u64(0..3000);
        let long = 1_000_000 + self.random.u64(0..7_000_000);
        let wait = |counted: &mut Counted, ns: u64, switch: u64| {
            grow(&mut counted.waited_ns, ns - switch);
            grow(&mut counted.ran_ns, switch);
            grow(&mut counted.involuntary, 1);
            grow(&mut counted.interrupts, 1 + ns / 4_000_000);
        };
        let away = |counted: &mut Counted| {
            grow(&mut counted.voluntary, 1);
            grow(&mut counted.interrupts, 2);
        };
        match cause {
            Cause::Interrupt => self.away(short, |c| Self::interrupt(c, short)),
            Cause::PageFault => self.away(short, |c| {
                grow(&mut c.ran_ns, short);
                grow(&mut c.minor_faults, 1);
            }),
            Cause::Preempted => self.away(long, |c| wait(c, long, 3000)),
            Cause::Throttled => {
                // A quota of 20 ms in 100.
                let rest = 80_000_000;
                self.away(rest, |c| {
                    wait(c, rest, 3000);
                    grow(&mut c.throttled_ns, rest - 50_000);
                });
                return rest;
            }
            Cause::Stopped => self.away(long, |c| {
                away(c);
                grow(&mut c.continued, 1);
            }),
            Cause::Blocked => self.away(long, away),
            Cause::Stolen => {
                // The kernel shows it tick by tick.
                let stolen = long / 10_000_000 * 10_000_000;
                self.away(long, |c| {
                    grow(&mut c.stolen_ns, stolen);
                    grow(&mut c.interrupts, 1);
                });
            }
            Cause::Suspend => self.away(long, |c| {
                grow(&mut c.slept_ns, long);
                grow(&mut c.ran_ns, 0);
                *c = Counted { monotonic_ns: c.monotonic_ns.map(|ns| ns - long), ..*c };
            }),
            Cause::Unknown | Cause::Migrated => self.away(short, |c| grow(&mut c.ran_ns, short)),
        }
        if [Cause::Interrupt, Cause::PageFault, Cause::Unknown].contains(&cause) { short } else { long }
    }
}

/// So many times away by a cause, with the timer's interrupts in between.
fn storm(cause: Cause, times: u64, seed: u64) -> (CpuInterruptions, u64, u64) {
    let mut world = World::new(seed);
    let (mut lost, mut by_it) = (0, 0);
    for _ in 0..times {
        let quiet = 10_000 + world.random.u64(0..2_000_000);
        world.run(quiet);
        by_it += world.by(cause);
        if world.random.u8(0..10) == 0 {
            world.run(50_000);
            lost += world.by(Cause::Interrupt);
        }
    }
    world.run(1_000_000);
    (world.end(), lost + by_it, by_it)
}

#[test]
fn lost_time_has_its_right_name() {
    let causes = [
        Cause::Interrupt,
        Cause::PageFault,
        Cause::Preempted,
        Cause::Throttled,
        Cause::Stopped,
        Cause::Blocked,
        Cause::Stolen,
        Cause::Suspend,
        Cause::Unknown,
    ];
    for cause in causes {
        let (cpu, lost, by_it) = storm(cause, 400, 7);
        assert!((cpu.lost_ns - lost as f64).abs() < 1.0, "{cause:?}: {} of {lost}", cpu.lost_ns);
        let named = cpu.causes.iter().find(|lost| lost.cause == cause).map_or(0.0, |lost| lost.lost_ns);
        let wanted = if cause == Cause::Interrupt { lost } else { by_it } as f64;
        assert!(named >= 0.95 * wanted && named <= 1.05 * wanted, "{cause:?}: {named} of {wanted}: {:?}", cpu.causes);
        assert!((cpu.causes.iter().map(|lost| lost.share).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

/// An interrupt; and while its cause is looked for, another absence begins right after the first of the counters was read: the
/// others tell of it at once, that one only when they are all read again.
fn torn(first: fn(&Counted, &Counted) -> Counted, long: impl Fn(&mut Counted)) -> CpuInterruptions {
    let mut world = World::new(1);
    world.run(1_000_000);
    let before = world.counted;
    let (short, length) = (4000, 20_000_000);
    world.now = world.now.wrapping_add(2 * short);
    grow(&mut world.counted.monotonic_ns, short);
    World::interrupt(&mut world.counted, short);
    let early = world.counted;
    grow(&mut world.counted.monotonic_ns, length);
    long(&mut world.counted);
    let late = world.counted;
    let read = first(&early, &late);
    let from = world.start.wrapping_add(2_000_000);
    let at =
        |from: u64, ns: u64, seen: Counted, in_look| Absence { from, length: 2 * ns, seen, migrated: false, in_look };
    world.lot.absences.push(at(from, short, read.since(&before), false));
    world.lot.absences.push(at(from.wrapping_add(2 * short + LOOK), length, late.since(&read), true));
    world.now = from.wrapping_add(2 * (short + length) + 2 * LOOK);
    world.vigil.looking = 2 * LOOK;
    world.end()
}

#[test]
fn an_interruption_of_the_look_gets_its_own_evidence() {
    let preempted = |counted: &mut Counted| {
        grow(&mut counted.waited_ns, 19_990_000);
        grow(&mut counted.involuntary, 1);
    };
    let stopped = |counted: &mut Counted| {
        grow(&mut counted.voluntary, 1);
        grow(&mut counted.continued, 1);
    };
    let by_clock: fn(&Counted, &Counted) -> Counted =
        |early, late| Counted { monotonic_ns: early.monotonic_ns, ..*late };
    let by_usage: fn(&Counted, &Counted) -> Counted = |early, late| Counted {
        monotonic_ns: early.monotonic_ns,
        voluntary: early.voluntary,
        involuntary: early.involuntary,
        ..*late
    };
    for first in [by_clock, by_usage, |early: &Counted, _: &Counted| *early] {
        for (cause, cpu) in [(Cause::Preempted, torn(first, preempted)), (Cause::Stopped, torn(first, stopped))] {
            let lost = cpu.causes.iter().find(|lost| lost.cause == cause).expect("it has a share");
            assert!(lost.count >= 1 && lost.lost_ns >= 19.9e6, "{cause:?}: {:?}", cpu.causes);
        }
    }
}

#[test]
fn interrupts_that_are_counted_now_and_then_stand_for_what_nothing_else_explains() {
    // Nine looks of ten leave them out; of the quiet ones one time away in five comes with an interrupt.
    for (each, by_interrupts) in [(1, 1.0), (5, 0.2)] {
        let mut world = World::new(2);
        for at in 0..1000 {
            world.run(20_000);
            world.away(5000, |c| {
                grow(&mut c.ran_ns, 5000);
                grow(&mut c.interrupts, u64::from(at % each == 0));
            });
        }
        let mut since = 0;
        for (at, absence) in world.lot.absences.iter_mut().enumerate() {
            since += absence.seen.interrupts.unwrap();
            absence.seen.interrupts = (at % 10 == 9).then(|| std::mem::take(&mut since));
        }
        let cpu = world.end();
        let share = |cause| cpu.causes.iter().find(|lost| lost.cause == cause).map_or(0.0, |lost| lost.share);
        assert_eq!((cpu.count, cpu.lost_ns), (1000, 5e6));
        assert!((share(Cause::Interrupt) - by_interrupts).abs() < 1e-9, "{:?}", cpu.causes);
        assert!((share(Cause::Unknown) - (1.0 - by_interrupts)).abs() < 1e-9, "{:?}", cpu.causes);
    }
}

#[test]
fn all_of_the_time_is_accounted_for() {
    let mut world = World::new(1);
    for _ in 0..1000 {
        world.run(3_996_000);
        world.away(4000, |c| World::interrupt(c, 4000));
    }
    world.vigil.interrupts = [("Local timer interrupts".to_owned(), 1000), ("none".to_owned(), 0)].into();
    let cpu = world.end();
    assert_eq!((cpu.cpu, cpu.count), (3, 1000));
    assert_eq!((cpu.lost_ns, cpu.seen_ns, cpu.looking_ns), (4e6, 3996e6, 20e6));
    assert_eq!(cpu.lost_share, Some(0.001));
    assert_eq!(cpu.per_s, Some(250.0));
    assert!((cpu.interrupts_per_s["Local timer interrupts"] - 250.0).abs() < 1e-9);
    assert_eq!(cpu.interrupts_per_s.len(), 1);
    assert!((cpu.read_ns.unwrap() - 20.0).abs() < 1e-6);
    assert_eq!(cpu.longest_ns, Some(4000.0));
    let median = cpu.median_ns.unwrap();
    assert!((median.value - 4000.0).abs() <= 4.0 && median.low <= 4000.0 && 3996.0 <= median.high);
    assert_eq!((cpu.lengths[0].from_ns, cpu.lengths[0].below_ns, cpu.lengths[0].count), (2000.0, 5000.0, 1000));
    assert!(cpu.missing.is_empty(), "{:?}", cpu.missing);
}

#[test]
fn the_longest_come_first_and_have_their_time_of_day() {
    let mut world = World::new(1);
    for at in 0..50 {
        world.run(10_000_000);
        let ns = if at == 20 { 7_000_000 } else { 2000 + at };
        world.away(ns, |c| World::interrupt(c, ns));
    }
    let cpu = world.end();
    assert_eq!(cpu.longest.len(), 10);
    let first = &cpu.longest[0];
    // Twenty times a run, an absence and a look before it.
    let at_ns: u64 = 21 * 10_000_000 + (0..20).map(|at| 2000 + at + LOOK / 2).sum::<u64>();
    assert_eq!((first.length_ns, first.at_ns, first.cause), (7e6, at_ns as f64, Cause::Interrupt));
    assert_eq!(first.time.as_deref(), Some("2009-02-13T23:31:30.210Z"));
    assert_eq!(cpu.longest[1].length_ns, 2049.0);
    assert!(cpu.longest.windows(2).all(|pair| pair[0].length_ns >= pair[1].length_ns));
}

#[test]
fn what_was_not_watched_is_absent_with_its_reason() {
    let mut all = Interruptions::default();
    all.vigil(&Vigil { cpu: 1, trouble: Some("no thread could be pinned to it".into()), ..Vigil::default() });
    all.absences(&Absences { cpu: 2, absences: vec![Absence { from: 9, length: 8000, ..Absence::default() }] }, TICK);
    let [one, two] = &all.state(0, TICK)[..] else { panic!("two CPUs") };
    assert_eq!((one.lost_share, one.per_s, one.read_ns, one.longest_ns, one.median_ns), (None, None, None, None, None));
    assert_eq!(one.missing["lost_share"], "no thread could be pinned to it");
    assert_eq!((two.count, two.longest_ns, two.lost_share), (1, Some(4000.0), None));
    assert_eq!((two.longest[0].cause, two.longest[0].time.as_ref()), (Cause::Unknown, None));
    assert!(two.missing["lost_share"].contains("ends before"));
    let brief = Vigil { looks: 9, brief_looks: 4, reads: 1, end: 50, ..Vigil::default() };
    all.vigil(&Vigil { cpu: 2, ..brief });
    assert!(all.state(0, TICK)[1].missing["causes"].contains("4 of 9"));
}

proptest! {
    #[test]
    fn garbage_does_no_harm(
        lots in prop::collection::vec((any::<u64>(), any::<u64>(), prop::collection::vec(any::<Option<u64>>(), 0..14)), 0..40),
        ends in any::<[u64; 6]>(),
        tick in any::<f64>(),
    ) {
        let absence = |(from, length, row): (u64, u64, Vec<Option<u64>>)| {
            Absence { from, length, seen: row.into(), migrated: from % 2 == 0, in_look: from % 3 == 0 }
        };
        let [start, end, reads, looks, looking, wall] = ends;
        let mut all = Interruptions::default();
        all.wall(start, wall);
        all.absences(&Absences { cpu: 0, absences: lots.into_iter().map(absence).collect() }, Interval::exactly(tick));
        all.vigil(&Vigil { cpu: 0, start, end, reads, looks, looking, ..Vigil::default() });
        let _ = all.state(end, Interval::exactly(tick));
    }
}
