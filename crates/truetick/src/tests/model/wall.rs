//! The wall clock: one that is off, that is set and slewed, and that leaps.

use crate::{source::Source, wall::Leap};
use proptest::prelude::*;

use super::{MS, SECOND};
use crate::tests::sim::{Event, Plan, WallPlan};

const DAY: i64 = 86_400 * SECOND as i64;
const LEAPS: [Leap; 3] = [Leap::None, Leap::Insert, Leap::Delete];

fn quiet() -> Plan {
    let wall = WallPlan { utc: 20_000 * DAY + DAY / 2, ahead: 300_000, spare: MS, leap: Leap::None };
    Plan { wall, wall_reads: 8, ..super::quiet() }
}

fn plan() -> impl Strategy<Value = Plan> {
    let event = prop_oneof![
        4 => prop_oneof![-250.0f64..250.0, -226_000.0f64..226_000.0].prop_map(|ppm| Event::Slew { ppm }),
        2 => prop_oneof![-1000i64..1000, -5_000_000_000i64..5_000_000_000].prop_map(|ns| Event::SetWall { ns }),
        4 => (0u64..10_000_000).prop_map(|spare| Event::Sync { spare }),
        1 => (1u32..6).prop_map(|calls| Event::KernelFails { calls }),
        4 => prop_oneof![1u64..100_000_000, 1u64..5_000_000_000].prop_map(|ns| Event::Pass { ns }),
    ];
    (
        prop_oneof![Just(2.596e9f64), Just(62.5e6), 1e6f64..5e9],
        proptest::collection::vec((0u64..2000, event), 0..12),
        (prop_oneof![4 => Just(Source::Counter), 1 => Just(Source::System)], 1usize..4),
        any::<u64>(),
        0u32..64,
        // Near the day's end and far from it; before 1970 too.
        (-2000i64..30_000, prop_oneof![Just(DAY / 2), DAY - 3_000_000_000..DAY + 1_000_000_000]),
        (-1_000_000_000i64..1_000_000_000, 0u64..10_000_000, 0usize..3),
        1u64..9,
    )
        .prop_map(
            |(hz, events, (source, threads), seed, preempt, (day, of_day), (ahead, spare, leap), wall_reads)| Plan {
                hz,
                events,
                source,
                threads,
                seed,
                preempt,
                sleep: 3 * SECOND,
                reads: 700,
                max_gap: 4 * MS,
                wall: WallPlan { utc: day * DAY + of_day, ahead, spare, leap: LEAPS[leap] },
                wall_reads,
                ..quiet()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Where the kernel's own bound on its wall clock was true when it was asked for it, UTC lies inside what each reading
    /// states, and inside the tighter one while that clock's rate is kept. And reading the wall clock takes nothing from what the other readings promise.
    #[test]
    fn utc_is_never_outside_of_what_is_stated(plan in plan()) {
        let (source, leap) = (plan.source, plan.wall.leap);
        let run = plan.run();
        prop_assert!(run.wall_outside.is_none(), "{:?}", run.wall_outside);
        prop_assert!(run.back.is_none() && run.outside.is_none() && run.untold.is_none(), "{:?}", run);
        // The system's own clock leaps; and where it fails, what was found of it last goes on.
        let alone = source == Source::Counter && leap == Leap::None;
        prop_assert!(!alone || run.wall_back.is_none(), "{:?}", run.wall_back);
    }
}

#[test]
fn shows_what_the_wall_clock_shows() {
    let run = quiet().run();
    assert!(run.worst_wall(0, u64::MAX) <= 120, "{}", run.worst_wall(0, u64::MAX));
    assert_eq!((&run.wall_back, &run.wall_outside, run.wall_unbounded), (&None, &None, 0));
    // 1.3 ms and a bump by the kernel's word; lines of 2 ms under any slew.
    let most = run.wall.iter().filter_map(|seen| seen.within).max().expect("bounds");
    assert!((1_800_000..1_800_000 + 2 * MS * 6 / 10 + 600_000).contains(&most), "{most}");
}

#[test]
fn a_clock_that_is_set_is_seen_within_a_line_and_nothing_is_stated_until_it_is_right_again() {
    for ns in [-3600 * SECOND as i64, -2000, 2000, 20_000, 86_400 * SECOND as i64] {
        let events = vec![(1000, Event::SetWall { ns }), (3000, Event::Sync { spare: MS })];
        let run = Plan { events, reads: 40_000, ..quiet() }.run();
        let at = run.wall_set_at.expect("set");
        assert!(run.worst_wall(0, at) <= 120);
        // A line that is in use, and no longer.
        assert!(run.worst_wall(at, at + 2 * MS) >= ns.unsigned_abs() - 200);
        let after = at + 2 * MS + 1000;
        assert!(run.worst_wall(after, u64::MAX) <= 120, "{ns}: {}", run.worst_wall(after, u64::MAX));
        let mut stated = run.wall.iter().filter(|seen| seen.at > after && seen.within.is_some());
        assert!(stated.next().is_some(), "no bound after it was set right");
        assert!(run.wall_unbounded > 100, "{}", run.wall_unbounded);
        assert_eq!(run.wall_outside, None);
    }
}

#[test]
fn after_a_pause_a_set_clock_is_seen_at_once() {
    let events = vec![(1000, Event::SetWall { ns: -7_000_000 }), (1000, Event::Pass { ns: 3 * MS })];
    let run = Plan { events, ..quiet() }.run();
    assert!(run.worst_wall(0, u64::MAX) <= 120, "{}", run.worst_wall(0, u64::MAX));
}

#[test]
fn a_clock_that_is_set_while_its_accuracy_is_asked_for_has_none() {
    for source in [Source::Counter, Source::System] {
        // 5 s ahead, and said to be; then set right, and said to be right within a millisecond.
        let set = Event::SetWhenAsked { ns: -5 * SECOND as i64, spare: MS };
        let wall = WallPlan { ahead: 5 * SECOND as i64, ..quiet().wall };
        let run = Plan { source, events: vec![(2000, set)], wall, reads: 40_000, ..quiet() }.run();
        assert!(run.wall_outside.is_none() && run.wall_unbounded > 0, "{:?} {}", run.wall_outside, run.wall_unbounded);
        let last = run.wall.iter().rev().find_map(|seen| seen.within);
        assert!(last.is_some_and(|within| within < 100 * MS), "{last:?}");
    }
}

/// A thread may sleep between the clock and its accuracy, while the clock is slewed towards UTC and the kernel told how far
/// it still is.
#[test]
fn an_answer_is_of_the_moment_at_which_it_is_given() {
    for (seed, source) in (0..60).zip([Source::Counter, Source::System].into_iter().cycle()) {
        let sign = if seed % 4 < 2 { 1 } else { -1 };
        let slew = (100, Event::Slew { ppm: 200_000.0 * f64::from(sign) });
        let behind = Event::SetWall { ns: -400 * i64::from(sign) * MS as i64 };
        let told = (0..20).map(|i| (150 + 100 * i, Event::Sync { spare: MS }));
        let events = [slew, (101, behind)].into_iter().chain(told).collect();
        let seed = seed as u64;
        let run = Plan { source, events, threads: 3, seed, preempt: 4, sleep: SECOND, reads: 700, ..quiet() }.run();
        assert_eq!(run.wall_outside, None, "{source:?}");
    }
}

/// It is set right while it is asked for, and the thread sleeps as long as it was set by while it looks whether it was.
#[test]
fn a_clock_that_is_set_is_not_hidden_by_a_thread_that_sleeps() {
    for (seed, source) in (0..3000).zip([Source::Counter, Source::System].into_iter().cycle()) {
        let by = if seed % 4 < 2 { 1 } else { -1 } * 3 * MS as i64;
        let wall = WallPlan { ahead: by, ..quiet().wall };
        let events = vec![(20, Event::SetWhenAsked { ns: -by, spare: 0 })];
        let run = Plan { source, events, wall, seed, preempt: 300, sleep: 20 * MS, reads: 40, ..quiet() }.run();
        assert_eq!(run.wall_outside, None, "{source:?} {seed}");
    }
}

#[test]
fn a_disrupted_counter_ends_its_line_within_its_length() {
    let run = Plan { events: vec![(1000, Event::Disrupt)], ..quiet() }.run();
    assert_eq!((run.epoch.discontinuities, run.given_up), (1, false));
    assert!(run.worst_wall(0, u64::MAX) <= 200, "{}", run.worst_wall(0, u64::MAX));
}

#[test]
fn slews_leave_the_difference_alone() {
    for ppm in [500.0, -83_000.0, 226_000.0, -226_000.0] {
        let run = Plan { events: vec![(1000, Event::Slew { ppm })], ..quiet() }.run();
        let began = run.slewed.expect("a slew");
        assert!(run.worst_wall(began + 20 * MS, u64::MAX) <= 200, "{ppm}");
        assert_eq!((&run.wall_back, &run.wall_outside), (&None, &None));
    }
}

#[test]
fn a_leap_second_lies_within_what_is_stated() {
    for leap in LEAPS {
        for ahead in [0, 700_000_000, -700_000_000] {
            let wall = WallPlan { utc: 20_000 * DAY - 2 * SECOND as i64, ahead, spare: MS, leap };
            // Through the leap by both clocks, to a minute after it.
            let events = vec![(39_000, Event::Pass { ns: 60 * SECOND })];
            let run = Plan { wall, events, max_gap: 2 * MS, reads: 40_000, ..quiet() }.run();
            assert_eq!((&run.wall_outside, run.wall_unbounded), (&None, 0), "{leap:?}");
            let ends = [run.wall[100], *run.wall.last().expect("readings")].map(|seen| seen.at);
            assert!(ends[0] < SECOND && ends[1] > 60 * SECOND, "{ends:?}");
            // A second's doubt near the leap, and not a minute later.
            let wide = |from: u64, to: u64| {
                let seen = run.wall.iter().filter(|seen| (from..to).contains(&seen.at));
                seen.filter_map(|seen| seen.within).max().expect("bounds") > SECOND
            };
            assert_eq!((wide(0, 10 * SECOND), wide(30 * SECOND, u64::MAX)), (leap != Leap::None, false));
        }
    }
}

#[test]
fn by_the_systems_clock_it_is_the_systems_wall_clock() {
    let events = vec![(500, Event::SetWall { ns: 1_000_000 }), (2000, Event::Sync { spare: MS })];
    let run = Plan { source: Source::System, events, ..quiet() }.run();
    assert!(run.worst_wall(0, u64::MAX) <= 60, "{}", run.worst_wall(0, u64::MAX));
    assert_eq!((run.wall_outside, run.by_line), (None, 0));
    assert!(run.wall_unbounded > 300 && run.wall.iter().filter(|seen| seen.within.is_some()).count() > 1000);
}

#[test]
fn says_so_while_the_clocks_fail() {
    let run = Plan { events: vec![(1000, Event::KernelFails { calls: 200 })], ..quiet() }.run();
    assert_eq!((&run.wall_back, &run.wall_outside), (&None, &None));
    assert!(run.wall_unbounded > 0, "{}", run.wall_unbounded);
    assert!(run.worst_wall(0, u64::MAX) <= 500, "{}", run.worst_wall(0, u64::MAX));
}
