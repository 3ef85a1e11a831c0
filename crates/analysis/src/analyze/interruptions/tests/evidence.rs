//! Evidence that comes late, or only now and then.

use super::world::{LOOK, World, grow};
use super::*;
use crate::trace::{Absence, Counted};

/// An interrupt; and while its cause is looked for, another absence begins right after the first of the counters was read: the
/// others tell of it at once, that one only when they are all read again.
fn torn(first: fn(&Counted, &Counted) -> Counted, long: impl Fn(&mut Counted)) -> CpuInterruptions {
    let mut world = World::new(1);
    world.run(1_000_000);
    let before = world.counted;
    let (short, length) = (4000, 20_000_000);
    world.now = world.now.wrapping_add(2 * short);
    grow(&mut world.counted.raw_ns, short);
    World::interrupt(&mut world.counted, short);
    let early = world.counted;
    grow(&mut world.counted.raw_ns, length);
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
    let by_clock: fn(&Counted, &Counted) -> Counted = |early, late| Counted { raw_ns: early.raw_ns, ..*late };
    let by_usage: fn(&Counted, &Counted) -> Counted = |early, late| Counted {
        raw_ns: early.raw_ns,
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
fn interrupts_that_the_kernel_timed_need_not_be_counted() {
    // A kernel that takes them out of the thread's time; one look in four counts them, and misses some.
    let mut world = World::new(4);
    world.counted.interrupted_ns = Some(0);
    world.last = world.counted;
    for _ in 0..4 {
        world.run(1_000_000);
        world.away(50_000, |c| grow(&mut c.interrupts, 1));
    }
    for (at, absence) in world.lot.absences.iter_mut().enumerate() {
        absence.seen.interrupts = (at == 3).then_some(2);
    }
    let cpu = world.end();
    let by_interrupts = cpu.causes.iter().find(|lost| lost.cause == Cause::Interrupt).map_or(0.0, |lost| lost.lost_ns);
    assert!(by_interrupts >= 1.5e5, "{:?}", cpu.causes);
}

#[test]
fn interrupts_that_were_counted_later_explain_no_more_than_handlers_take() {
    // System management interrupts of 10 ms, each with the tick that was due; of the four, the last look counts them.
    let mut world = World::new(3);
    for _ in 0..4 {
        world.run(1_000_000);
        world.away(10_000_000, |c| World::interrupt(c, 10_000_000));
    }
    for (at, absence) in world.lot.absences.iter_mut().enumerate() {
        absence.seen.interrupts = (at == 3).then_some(4);
    }
    let cpu = world.end();
    let lost = |cause| cpu.causes.iter().find(|lost| lost.cause == cause).map_or(0.0, |lost| lost.lost_ns);
    assert!(lost(Cause::Interrupt) <= 0.3 * 4e7 && lost(Cause::Unknown) >= 0.7 * 4e7, "{:?}", cpu.causes);
}
