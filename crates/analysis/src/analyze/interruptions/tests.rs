//! Made-up watches of a CPU from which it was taken away for known times by known causes.

mod evidence;
mod world;

use proptest::prelude::*;
use world::{LOOK, TICK, World};

use super::*;
use crate::analyze::attribution::Cause;
use crate::trace::{Absence, Noticing};

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
    // The kernel counted those on in the looks.
    assert!((cpu.interrupts_per_s["Local timer interrupts"] - 1000.0 / 4.02).abs() < 1e-9);
    assert_eq!(cpu.interrupts_per_s.len(), 1);
    assert!((cpu.read_ns.unwrap() - 20.0).abs() < 1e-6);
    assert_eq!(cpu.longest_ns, Some(4000.0));
    let median = cpu.median_ns.unwrap();
    assert!((median.value - 4000.0).abs() <= 4.0 && median.low <= 4000.0 && 3996.0 <= median.high);
    assert_eq!((cpu.lengths[0].from_ns, cpu.lengths[0].below_ns, cpu.lengths[0].count), (2000.0, 5000.0, 1000));
    assert!(cpu.missing.is_empty(), "{:?}", cpu.missing);
    // In the brief looks they would have been noticed, in the others not.
    world.vigil.noticing = [Noticing { from: 7900, time: 16_000_000 }, Noticing { from: 8100, time: 24_000_000 }];
    let cpu = world.end();
    let near = |value: Option<f64>, wanted: f64| (value.unwrap() / wanted - 1.0).abs() < 1e-12;
    assert!(near(cpu.lost_share, 4e6 / 4008e6) && near(cpu.per_s, 1000.0 / 4.008), "{cpu:?}");
}

/// Short times away, and long ones, which are noticed also where they come into a look. Both come at random, and are as
/// frequent and take as long a part of the time as they were made to.
#[test]
fn what_looks_hide_is_not_missed_and_what_they_show_is_not_counted_twice() {
    const US: u64 = 2000;
    const WHOLE: u64 = 20_000_000 * US;
    // The short and the long: how long one takes, and after how much of the thread's own time the next comes, on average.
    const KINDS: [(u64, u64); 2] = [(3 * US, 120 * US), (300 * US, 5000 * US)];
    let (look, noticed_from) = (15 * US, 45 * US);
    for seed in 0..5 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut wait = |mean: u64| (-libm::log(1.0 - random.f64()) * mean as f64) as u64;
        let mut next = KINDS.map(|(_, mean)| wait(mean));
        let (mut now, mut truth_lost, mut truth_count) = (0, 0, 0);
        let mut vigil = Vigil { reads: 1, longer_than: 2 * US, ..Vigil::default() };
        let mut lot = Absences { cpu: 0, absences: Vec::new() };
        let mut looking_until = None;
        while now < WHOLE {
            let is_long = next[1] <= next[0];
            let kind = usize::from(is_long);
            let (at, (length, mean)) = (next[kind], KINDS[kind]);
            if let Some(until) = looking_until.filter(|until| *until <= at) {
                (now, looking_until) = (until, None);
                continue;
            }
            (truth_lost, truth_count, now) = (truth_lost + length, truth_count + 1, at + length);
            // The other kind comes no sooner than this one is over.
            next[1 - kind] += length;
            next[kind] = now + wait(mean);
            match &mut looking_until {
                Some(until) if !is_long => {
                    *until += length;
                    vigil.looking += length;
                }
                in_look => {
                    let absence = Absence { from: at, length, in_look: in_look.is_some(), ..Absence::default() };
                    lot.absences.push(absence);
                    // Where one look ends early the next begins.
                    vigil.looking += in_look.map_or(look, |until| look - (until - at));
                    *in_look = Some(now + look);
                }
            }
        }
        vigil.end = now;
        vigil.noticing[0] = Noticing { from: noticed_from, time: vigil.looking };
        let mut all = Interruptions::default();
        all.absences(&lot, TICK);
        all.vigil(&vigil);
        let cpu = all.state(0, TICK).remove(0);
        let (share, rate) = (truth_lost as f64 / now as f64, f64::from(truth_count) / (now as f64 / 2e9));
        assert!((cpu.lost_share.unwrap() / share - 1.0).abs() < 0.01, "{seed}: {:?}, {share} is true", cpu.lost_share);
        assert!((cpu.per_s.unwrap() / rate - 1.0).abs() < 0.01, "{seed}: {:?}, {rate} is true", cpu.per_s);
    }
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
    assert_eq!((first.length_ns, first.at_ns, first.cause), (7e6, at_ns as f64, Cause::Unknown));
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
    all.vigil(&Vigil { cpu: 7, start: 5, end: 5, ..Vigil::default() });
    assert!(all.state(0, TICK)[2].missing["lost_share"].contains("before the thread on this CPU had read"));
    let brief = Vigil { looks: 9, brief_looks: 4, reads: 1, end: 50, ..Vigil::default() };
    all.vigil(&Vigil { cpu: 2, ..brief });
    assert!(all.state(0, TICK)[1].missing["causes"].contains("4 of 9"));
}

proptest! {
    #[test]
    fn garbage_does_no_harm(
        lots in prop::collection::vec((any::<u64>(), any::<u64>(), prop::collection::vec(any::<Option<u64>>(), 0..14)), 0..40),
        ends in any::<[u64; 10]>(),
        tick in any::<f64>(),
    ) {
        let absence = |(from, length, row): (u64, u64, Vec<Option<u64>>)| {
            Absence { from, length, seen: row.into(), migrated: from % 2 == 0, in_look: from % 3 == 0 }
        };
        let [start, end, reads, looks, looking, wall, ..] = ends;
        let noticing = [Noticing { from: ends[6], time: ends[7] }, Noticing { from: ends[8], time: ends[9] }];
        let mut all = Interruptions::default();
        all.wall(start, wall);
        all.absences(&Absences { cpu: 0, absences: lots.into_iter().map(absence).collect() }, Interval::exactly(tick));
        all.vigil(&Vigil { cpu: 0, start, end, reads, looks, looking, noticing, ..Vigil::default() });
        let _ = all.state(end, Interval::exactly(tick));
    }
}
