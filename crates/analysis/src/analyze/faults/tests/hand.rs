//! Single faults and interruptions in chosen places.

use proptest::prelude::*;

use super::*;
use crate::record::Monotonic;

/// A clock between two sound rows of so many reads, and what is found of it.
fn between(reads: usize, happens: impl FnOnce(&mut MadeUp)) -> Found {
    let mut clock = MadeUp::new(TERMS);
    clock.rows(1, reads);
    happens(&mut clock);
    clock.rows(1, reads);
    clock.watch.finish()
}

#[test]
fn a_good_clock_is_good() {
    let mut clock = MadeUp::new(TERMS);
    for i in 0..1000 {
        clock.rows(1, 1 + i % 300);
        clock.time += if i % 50 == 0 { 3_000_000 } else { 0 };
    }
    let found = clock.watch.finish();
    assert_eq!(counts(&found), [0; 3]);
    assert_eq!((found.monotonic, found.undecided, found.smallest_step), (Monotonic::Strict, 0, Some(22)));
}

#[test]
fn a_coarse_clock_stalls_and_is_no_liar() {
    let mut clock = MadeUp::new(Terms { slack_ns: 4_000_015.0, standstill_ns: 4_800_000.0, ..TERMS });
    for i in 0..3000 {
        clock.row(1 + i % 300, |c, _| c.value() / 4_000_000 * 4_000_000);
    }
    let found = clock.watch.finish();
    assert_eq!((found.regressions.count, found.warps.count, found.stalls.unexplained), (0, 0, 0));
    assert!(found.stalls.count > 1 && found.stalls.longest_ns <= 4_000_100.0, "{found:?}");
    assert_eq!(found.undecided, 0);
}

#[test]
fn an_interruption_in_the_bracket_is_undecided_and_what_it_hides_is_found_at_the_next_reading() {
    let cases = [(0, 0, 0, 1), (0, 100_000, 1, 0), (2_000_000, 100_000, 1, 1), (2_000_000, 3_000_000, 1, 0)];
    for (after, size, warps, undecided) in cases {
        let found = between(1, |clock| {
            clock.time += 2_000_000;
            clock.rows(1, 1);
            clock.row(1, |c, _| {
                c.time += 2_000_000 - after;
                c.offset += size;
                let value = c.value();
                c.time += after;
                value
            });
        });
        assert_eq!((counts(&found), found.undecided), ([0, warps, 0], undecided), "{after} {size}");
        // Of a warp in a wide bracket the next reading tells the size.
        let unsure = found.events.first().and_then(|warp| warp.size_uncertainty_ns).unwrap_or(0.0);
        assert!((found.warps.largest_ns - size as f64).abs() <= unsure && unsure < 500.0, "{found:?}");
    }
}

#[test]
fn a_reading_off_the_line_is_one_fault_and_the_return_none() {
    for reads in [1, 40] {
        for (off, expected) in [(-50_000, [1, 0, 0]), (50_000, [1, 1, 0])] {
            let found = between(reads, |clock| {
                clock.row(reads, |c, i| (c.value() as i64 + if i == reads / 2 { off } else { 0 }) as u64);
            });
            assert_eq!(counts(&found), expected, "{reads} reads a row, {off} ns");
        }
    }
    // Ahead in every other reading: each time a program sees time that has not passed, and time going back.
    let found = between(1, |clock| {
        for i in 0..20 {
            clock.row(1, |c, _| c.value() + i % 2 * 50_000);
        }
    });
    assert_eq!(counts(&found), [10, 10, 0]);
}

#[test]
fn a_clock_that_stops_for_a_moment_and_catches_up_only_stalls() {
    // Through three rows; into the midst of the next one; up to the first read of the next one.
    for (reads, stops_at, rows, until) in [(1, 0, 3, 0), (40, 0, 3, 0), (40, 30, 1, 20), (8, 0, 1, 1)] {
        let found = between(reads, |clock| {
            let mut stood = clock.value() - 15;
            for row in 0..=rows {
                clock.row(reads, |c, i| {
                    let stands = if row == 0 { i >= stops_at } else { row < rows || i < until };
                    stood = if stands { stood } else { c.value() };
                    stood
                });
            }
        });
        assert_eq!(counts(&found), [0, 0, 1], "{reads} {stops_at} {rows} {until}: {found:?}");
        assert_eq!((found.stalls.unexplained, found.monotonic), (1, Monotonic::Weak));
    }
}

#[test]
fn a_step_back_in_a_row_that_an_interruption_follows_is_one_fault() {
    let found = between(40, |clock| {
        clock.row(40, |c, i| {
            c.time += if i == 0 { 5_000 } else { 0 };
            c.offset -= if i == 20 { 300_000 } else { 0 };
            c.value()
        });
    });
    assert_eq!(counts(&found), [1, 0, 0]);
}

#[test]
fn two_steps_in_a_row_share_what_is_left_of_the_bracket() {
    // The second read at a fault takes 300 ns longer than an ordinary one: which of the two it was can't be told.
    let found = between(5, |clock| {
        clock.row(200, |c, i| {
            c.time += if i == 150 { 300 } else { 0 };
            c.offset += [(50, 20_000), (150, 1_000_000)].iter().find(|(at, _)| *at == i).map_or(0, |f| f.1);
            c.value()
        });
    });
    assert_eq!(counts(&found), [0, 2, 0]);
    for (event, injected) in found.events.iter().zip([20_000.0, 1_000_000.0]) {
        let bound = event.size_uncertainty_ns.unwrap();
        assert!((event.size_ns - injected).abs() <= bound && bound < 400.0, "{event:?} {injected}");
    }
}

#[test]
fn an_interruption_in_the_row_and_one_beside_it_leave_the_size_open() {
    let found = between(5, |clock| {
        clock.row(100, |c, i| {
            // The first stands before the first read, where no reading shows it.
            c.time += [(0, 7_000), (40, 3_100)].iter().find(|(at, _)| *at == i).map_or(0, |gap| gap.1);
            c.offset += if i == 70 { 9_000 } else { 0 };
            c.value()
        });
    });
    assert_eq!(found.warps.count, 1, "{found:?}");
    let event = &found.events[0];
    assert!((event.size_ns - 9_000.0).abs() <= event.size_uncertainty_ns.unwrap(), "{event:?}");
}

#[test]
fn a_row_with_an_interruption_and_a_fault_is_undecided_but_bounds_the_next() {
    // An interruption stands before the first read or after the last. It hides the step forward in the row, and of one
    // that follows the row no more than time can hide that does not run back.
    for (before, at) in [(9_000, 30), (0, 30), (9_000, 40)] {
        let found = between(40, |clock| {
            clock.row(40, |c, i| {
                c.time += if i == 0 { before } else { 0 };
                c.offset += [(10, -300_000), (at, 4_000)].iter().find(|(at, _)| *at == i).map_or(0, |step| step.1);
                let value = c.value();
                c.time += if i == 39 { 9_000 - before } else { 0 };
                value
            });
            clock.offset += if at == 40 { 4_000 } else { 0 };
        });
        assert_eq!((counts(&found), found.undecided), ([1, 1, 0], 39), "{before} {at}");
        let warp = found.events.iter().find(|event| event.size_uncertainty_ns.is_some()).unwrap();
        assert!((warp.size_ns - 4_000.0).abs() <= warp.size_uncertainty_ns.unwrap(), "{warp:?}");
    }
}

#[test]
fn a_return_that_idle_time_of_the_row_hides_is_one() {
    // The first value of a row is behind, or one in its midst; 600 ns pass after its last one.
    for behind in [0, 20] {
        let found = between(40, |clock| {
            clock.row(40, |c, i| {
                let value = c.value() - if i == behind { 300 } else { 0 };
                c.time += if i == 39 { 600 } else { 0 };
                value
            });
        });
        assert_eq!(counts(&found), [1, 0, 0], "{behind}");
    }
}

#[test]
fn a_leap_anywhere_in_a_row_is_one() {
    // A clock of 1 µs. The first step of the second row is an interruption's; the second one a leap that bracket and
    // quanta just hold, so that the row shows only as a whole that it is off the line.
    let mut watch = watch(Terms { count_ns: 1000.0, slack_ns: 2010.0, standstill_ns: 1200.0, ..TERMS }, 0);
    for (before, values, after) in [
        (8_123, [57, 57, 57, 58, 58, 58, 58, 58], 8_320),
        (8_345, [58, 58, 64, 64, 64, 72, 72, 72], 14_345),
        (14_369, [72, 72, 73, 73, 73, 73, 73, 73], 14_561),
        (15_383, [73, 73, 74, 74, 74, 74, 74, 74], 15_570),
    ] {
        watch.row(&reads(before, &values, after, true));
    }
    let found = watch.finish();
    assert_eq!(found.warps.count, 1, "{found:?}");
    let warp = &found.events[0];
    assert!((warp.size_ns - 8_760.0).abs() <= warp.size_uncertainty_ns.unwrap(), "{warp:?}");
}

#[test]
fn a_clock_that_loses_time_is_found_if_it_may_not_pause() {
    for (may_pause, warps) in [(false, 1), (true, 0)] {
        let mut clock = MadeUp::new(Terms { may_pause, ..TERMS });
        clock.rows(1, 1);
        clock.time += 1_000_000;
        clock.offset -= 200_000;
        clock.rows(1, 1);
        assert_eq!(counts(&clock.watch.finish()), [0, warps, 0]);
    }
}

#[test]
fn across_a_time_apart_only_order_is_judged() {
    let mut clock = MadeUp::new(TERMS);
    clock.rows(1, 1);
    for (apart, step, expected) in
        [(true, 40_000_000, [0; 3]), (false, 40_000_000, [0, 1, 0]), (true, -1_000_000, [1, 1, 0])]
    {
        if apart {
            clock.watch.apart();
        }
        clock.step(1, 0, step);
        assert_eq!(counts(&clock.watch.so_far()), expected);
    }
}

#[test]
fn where_the_witness_is_contradicted_only_order_is_judged() {
    let mut watch = watch(TERMS, 0);
    watch.row(&reads(100, &[5], 140, true));
    watch.row(&reads(150, &[900_000], 190, false));
    watch.row(&reads(200, &[900_060], 240, true));
    watch.row(&reads(90, &[900_100], 80, true));
    watch.row(&reads(260, &[800_000], 280, true));
    let found = watch.finish();
    assert_eq!((counts(&found), found.undecided), ([1, 0, 0], 2));
}

#[test]
fn a_contradicted_witness_says_not_how_long_a_clock_stood_still() {
    for (trusted, unexplained) in [(true, 1), (false, 0)] {
        let mut watch = watch(TERMS, 0);
        watch.row(&reads(100, &[5], 140, true));
        watch.row(&reads(1_000_150, &[5], 1_000_190, trusted));
        watch.row(&reads(1_000_195, &[5, 30], 1_000_240, true));
        assert_eq!(watch.finish().stalls.unexplained, unexplained);
    }
}

proptest! {
    #[test]
    fn anything_goes_in_and_an_answer_comes_out(
        rows in prop::collection::vec((any::<u64>(), prop::collection::vec(any::<u64>(), 0..20), any::<u64>(), any::<bool>()), 0..40),
        terms_at in 0..60_usize
    ) {
        let mut watch = Watch::new(0);
        for (row, (before, values, after, trusted)) in rows.into_iter().enumerate() {
            if row == terms_at {
                watch.set_terms(TERMS);
            }
            watch.row(&reads(before, &values, after, trusted));
        }
        let found = watch.finish();
        prop_assert!(found.undecided <= found.reads);
    }
}

/// A timer's 279.365 ns, read every 95 ns by a program that took 300 ns at its first look; an interruption in the row makes
/// the mean of that one long as well.
#[test]
fn reads_that_have_become_quicker_make_no_standstill_of_a_quantum() {
    let mut watch = watch(Terms { slack_ns: 560.0, standstill_ns: 335.0, read_ns: 300.0, ..TERMS }, 0);
    let mut time = 1_000_000;
    for row in 0..100_u64 {
        let before = time;
        let values: Vec<u64> = (0..64)
            .map(|read| {
                time += if row % 10 == 5 && read == 20 { 900_000 } else { 95 };
                (time as f64 / 279.365) as u64 * 279
            })
            .collect();
        time += 20;
        watch.row(&reads(before, &values, time, true));
    }
    let found = watch.finish();
    assert_eq!(found.stalls.unexplained, 0, "{found:?}");
    assert!(found.stalls.count > 1000, "{found:?}");
}
