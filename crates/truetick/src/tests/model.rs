//! The clock on simulated hardware: a counter and a kernel of known rates that slew, jump, wrap and fail, and
//! threads that are put to sleep before any access to shared memory and any read of a clock. Every order of
//! events follows from the seed.

mod wall;

use proptest::prelude::*;

use super::sim::{Event, Plan, Run, WallPlan};
use crate::{source::Source, wall::Leap};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

/// A wall clock that is right, some day.
const RIGHT: WallPlan = WallPlan { utc: 1_800_000_000 * SECOND as i64, ahead: 0, spare: MS, leap: Leap::None };

fn plan() -> impl Strategy<Value = Plan> {
    let event = prop_oneof![
        4 => prop_oneof![-250.0f64..250.0, -100_000.0f64..100_000.0, Just(-226_000.0), Just(226_000.0)]
            .prop_map(|ppm| Event::Slew { ppm }),
        // Back by less than a line's length is what nobody can notice at the price of the counter.
        1 => prop_oneof![Just(10.0f64), Just(-10.0), -20.0f64..-0.003, 0.0f64..0.1].prop_map(|s| Event::Jump { s }),
        1 => prop_oneof![1 => 1_000u64..100_000_000, 1 => 0u64..86_400 * SECOND].prop_map(|ns| Event::SetBack { ns }),
        1 => (1u64..200).prop_map(|ms| Event::Suspend { ms }),
        1 => (1u32..6).prop_map(|calls| Event::KernelFails { calls }),
        4 => (1u64..100_000_000).prop_map(|ns| Event::Pass { ns }),
    ];
    (
        prop_oneof![Just(2.596e9f64), Just(62.5e6), Just(24e6), 1e6f64..5e9],
        // Now and then the counter wraps, or the kernel has just been started, during the test.
        prop_oneof![any::<u64>(), (0u64..100_000_000).prop_map(u64::wrapping_neg)],
        prop_oneof![86_400 * SECOND..86_401 * SECOND, 86_400 * SECOND..1 << 60],
        proptest::collection::vec((0u64..3000, event), 0..12),
        (prop_oneof![4 => Just(Source::Counter), 1 => Just(Source::System)], 1usize..4),
        any::<u64>(),
        0u32..64,
        prop_oneof![Just(0u64), 0u64..2000],
    )
        .prop_map(|(hz, ticks, kernel, events, (source, threads), seed, preempt, late)| Plan {
            hz,
            ticks,
            kernel,
            events,
            source,
            threads,
            seed,
            preempt,
            sleep: 60 * SECOND,
            reads: 1000,
            late,
            lag: 0,
            max_gap: 4 * MS,
            wall: RIGHT,
            wall_reads: 0,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens: what is read never goes back, on any thread, nor between threads where one reading
    /// happens before another. And as long as neither clock jumps nor fails: the kernel's clock lies inside the
    /// uncertainty that is reported.
    #[test]
    fn never_back_and_never_further_off_than_it_says(plan in plan()) {
        let source = plan.source;
        let run = plan.run();
        prop_assert!(run.back.is_none(), "{:?}", run.back);
        if !run.jumped {
            prop_assert!(run.outside.is_none(), "{:?}", run.outside);
            prop_assert!(run.untold.is_none(), "{:?}", run.untold);
            prop_assert_eq!(run.epoch.discontinuities, 0);
            prop_assert!(source == Source::System || !run.given_up);
        }
    }
}

fn quiet() -> Plan {
    Plan {
        hz: 2.596e9,
        ticks: 1 << 40,
        kernel: 1000 * SECOND,
        events: Vec::new(),
        source: Source::Counter,
        threads: 1,
        seed: 1,
        preempt: 0,
        sleep: 60 * SECOND,
        reads: 4000,
        late: 0,
        lag: 0,
        max_gap: MS,
        wall: RIGHT,
        wall_reads: 0,
    }
}

/// The error's greatest size from `from` to `to` ns after the start.
fn worst(run: &Run, from: u64, to: u64) -> u64 {
    let errors = run.errors.iter().filter(|(at, _)| (from..to).contains(at)).map(|&(_, e)| e.unsigned_abs());
    errors.max().expect("readings in that time")
}

#[test]
fn stays_with_a_quiet_kernel() {
    let run = quiet().run();
    assert!(worst(&run, 0, SECOND) <= 60, "{}", worst(&run, 0, SECOND));
    assert!(run.by_line > 3000, "{} readings by line", run.by_line);
    assert_eq!((&run.back, &run.outside), (&None, &None));
}

#[test]
fn follows_a_slew_within_a_few_lines_and_says_so() {
    for ppm in [500.0, 2000.0, 20_000.0, 83_000.0, 100_000.0, 226_000.0] {
        for ppm in [ppm, -ppm] {
            let run = Plan { events: vec![(1000, Event::Slew { ppm })], ..quiet() }.run();
            let began = run.slewed.expect("a slew");
            // The rest of a line of 2 ms, and the bracket.
            let most = (ppm.abs() * 2.0 + 60.0) as u64;
            assert!(worst(&run, began, u64::MAX) <= most, "{ppm}: {}", worst(&run, began, u64::MAX));
            assert!(worst(&run, began + 20 * MS, u64::MAX) <= 100, "{ppm}: {}", worst(&run, began + 20 * MS, u64::MAX));
            assert_eq!((&run.back, &run.outside, &run.untold), (&None, &None, &None));
            assert!(!run.given_up && run.epoch.discontinuities == 0);
            assert_eq!(run.epoch.unsteady > 0, ppm.abs() > 500.0, "{ppm}: {:?}", run.epoch);
            // Half the rate of a clock that is slewed by 22.6 %.
            never_stands_still(&run, 3);
        }
    }
}

/// Within any millisecond time goes on by at least so much of one.
fn never_stands_still(run: &Run, part: u64) {
    let mut from = 0;
    for (i, &(at, ns)) in run.values.iter().enumerate() {
        while run.values[from].0 + MS <= at {
            let (then, was) = run.values[from];
            assert!(ns - was >= (at - then) / part, "{} ns in {} ns, at reading {i}", ns - was, at - then);
            from += 1;
        }
    }
}

#[test]
fn a_kernel_that_slews_for_ever_does_not_cost_the_counter() {
    let events = (1..40).map(|i| (i * 100, Event::Slew { ppm: if i % 2 == 0 { 226_000.0 } else { -226_000.0 } }));
    let run = Plan { events: events.collect(), ..quiet() }.run();
    assert_eq!((&run.back, &run.outside, &run.untold), (&None, &None, &None));
    assert!(!run.given_up && run.epoch.discontinuities == 0, "{:?}", run.epoch);
    assert!(run.by_line > 3000, "{} readings by line", run.by_line);
}

#[test]
fn goes_on_where_the_kernels_clock_is_set_back() {
    for source in [Source::Counter, Source::System] {
        for ns in [MS, 3 * MS / 2, 3 * MS, 10 * MS, 3 * SECOND, 900 * SECOND] {
            // At some places within a line.
            for at in 1000..1010 {
                let run = Plan { source, events: vec![(at, Event::SetBack { ns })], reads: 3000, ..quiet() }.run();
                assert_eq!(run.back, None);
                // A millisecond less in two looks like a clock at half its rate.
                never_stands_still(&run, 5);
                let at = run.jumped_at.expect("set back");
                // By the kernel's clock and what it lost; or near it where that is little enough to be made up for.
                assert!(worst(&run, at + 10 * MS, u64::MAX) <= 200, "{ns}: {}", worst(&run, at + 10 * MS, u64::MAX));
                // Too little for that is made up for instead, by running slower.
                assert!(source == Source::System || ns >= 2 * MS || run.set_back == 0, "{} of {ns}", run.set_back);
                if ns >= 3 * MS {
                    assert!(run.set_back.abs_diff(ns) < MS, "{} of {ns}", run.set_back);
                    assert!(run.epoch.discontinuities > 0 && run.unknown <= 1, "{:?} {}", run.epoch, run.unknown);
                }
                assert!(source == Source::System || run.by_line > 2000, "{} readings by line", run.by_line);
            }
        }
    }
}

/// As after a restore on a machine that was started later: both clocks show less than they did.
#[test]
fn goes_on_where_both_clocks_are_set_back() {
    for ns in [20 * MS, 3 * SECOND, 900 * SECOND] {
        let events = vec![(1000, Event::Jump { s: -(ns as f64 * 1e-9) }), (1000, Event::SetBack { ns })];
        let run = Plan { events, reads: 3000, ..quiet() }.run();
        assert_eq!(run.back, None);
        never_stands_still(&run, 5);
        let at = run.jumped_at.expect("set back");
        assert!(worst(&run, at + 10 * MS, u64::MAX) <= 200, "{ns}: {}", worst(&run, at + 10 * MS, u64::MAX));
        assert!(run.set_back.abs_diff(ns) < 5 * MS && run.epoch.discontinuities > 0, "{} of {ns}", run.set_back);
    }
}

#[test]
fn takes_the_kernels_word_when_the_counter_has_jumped() {
    for s in [10.0, -10.0, 0.1, -0.1] {
        let run = Plan { events: vec![(1000, Event::Jump { s })], ..quiet() }.run();
        let at = run.jumped_at.expect("a jump");
        // Ahead by no more than the line had left, and that waits for the kernel.
        assert!(worst(&run, at, at + 10 * MS) <= 2 * MS, "{}", worst(&run, at, at + 10 * MS));
        assert!(worst(&run, at + 10 * MS, u64::MAX) <= 100, "{}", worst(&run, at + 10 * MS, u64::MAX));
        assert!(run.by_line > 3000, "{} readings by line", run.by_line);
        assert_eq!(run.back, None);
    }
}

#[test]
fn a_jump_hidden_in_a_long_gap_makes_no_rate() {
    // Over 1000 s a second is within what two slews may differ by.
    for s in [1.0, -1.0] {
        let events = vec![(1000, Event::Pass { ns: 1000 * SECOND }), (1000, Event::Jump { s })];
        let run = Plan { events, ..quiet() }.run();
        let at = run.jumped_at.expect("a jump");
        assert!(worst(&run, at, u64::MAX) <= 100, "{}", worst(&run, at, u64::MAX));
        assert!(run.by_line > 3000, "{} readings by line", run.by_line);
        assert_eq!((&run.back, &run.outside), (&None, &None));
    }
}

#[test]
fn gives_up_a_counter_that_jumps_again_and_again() {
    let events = (1..40).map(|i| (i * 100, Event::Jump { s: 5.0 })).collect();
    let run = Plan { events, ..quiet() }.run();
    assert_eq!(run.back, None);
    assert!(run.given_up);
}

#[test]
fn gives_up_a_counter_that_another_cpus_is_ahead_of() {
    // The leading CPU finds every line's end first, so it lays them all; the other one is before a line's start at times.
    for lag in [20_000, 80_000] {
        let run = Plan { threads: 2, preempt: 20, sleep: 50_000, reads: 40_000, lag, ..quiet() }.run();
        assert!(run.given_up, "{lag}: {:?}", run.epoch);
    }
}

#[test]
fn leaves_a_counter_that_the_kernel_has_left() {
    // A reading each 2 ms at most.
    let run = Plan { events: vec![(1000, Event::Demote)], reads: 40_000, ..quiet() }.run();
    let at = run.demoted.expect("demoted");
    assert_eq!((&run.back, &run.outside, &run.untold), (&None, &None, &None));
    assert!(run.given_up);
    assert!(run.last_by_line - at < 3 * SECOND, "{} ns later", run.last_by_line - at);
}

#[test]
fn a_question_without_an_answer_is_asked_again() {
    for (questions, left) in [(1, true), (2, true), (3, false)] {
        let events = vec![(500, Event::Unanswered { questions }), (4000, Event::Demote)];
        let run = Plan { events, reads: 40_000, ..quiet() }.run();
        let at = run.demoted.expect("demoted");
        assert_eq!(run.given_up, left, "{questions}");
        assert!(!left || run.last_by_line - at < 3 * SECOND, "{questions}: {} ns later", run.last_by_line - at);
    }
}

#[test]
fn goes_on_while_the_kernels_clock_fails() {
    let run = Plan { events: vec![(1000, Event::KernelFails { calls: 40 })], ..quiet() }.run();
    assert_eq!((&run.back, &run.outside), (&None, &None));
    assert!(worst(&run, 0, SECOND) <= 200, "{}", worst(&run, 0, SECOND));
}

#[test]
fn stands_still_while_the_kernels_clock_fails_and_is_all_there_is() {
    let events: Vec<_> = (10..20).map(|i| (i * 100, Event::KernelFails { calls: 3 })).collect();
    for threads in [1, 3] {
        let run = Plan { source: Source::System, threads, preempt: 20, events: events.clone(), ..quiet() }.run();
        assert_eq!((&run.back, &run.outside), (&None, &None));
        // 30 readings fail; every other one asks for the uncertainty.
        assert!(run.by_line == 0 && run.unknown > 5, "{} {}", run.by_line, run.unknown);
        // What was handed out without the kernel's word was ahead of it by a millisecond at most.
        assert!(run.errors.iter().all(|&(_, e)| e <= MS as i64), "ahead by more");
    }
}

#[test]
fn says_nothing_known_where_the_kernels_clock_has_never_worked() {
    let run = Plan { events: vec![(0, Event::KernelFails { calls: u32::MAX })], reads: 100, ..quiet() }.run();
    assert_eq!(run.back, None);
    assert!(run.unknown > 30, "{}", run.unknown);
}

#[test]
fn crosses_the_counters_wrap() {
    let run = Plan { ticks: 2_596_000_000u64.wrapping_neg(), ..quiet() }.run();
    assert_eq!((&run.back, &run.outside), (&None, &None));
    assert!(worst(&run, 0, u64::MAX) <= 60);
}

#[test]
fn a_reader_asleep_for_a_minute_in_the_middle_of_a_reading_does_no_harm() {
    let plan = Plan { threads: 3, preempt: 3, reads: 2000, ..quiet() };
    let run = plan.run();
    assert_eq!((&run.back, &run.outside), (&None, &None));
}

#[test]
fn the_same_plan_is_the_same_run() {
    let plan = Plan { threads: 3, preempt: 40, reads: 500, ..quiet() };
    assert_eq!(plan.run().errors, plan.run().errors);
}
