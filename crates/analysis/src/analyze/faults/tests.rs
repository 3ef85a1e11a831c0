//! Watches fed with made-up clocks whose faults are known.

use proptest::prelude::*;

use super::*;
use crate::record::{EventKind, Monotonic};

const TERMS: Terms = Terms {
    count_ns: 1.0,
    witness_ns: 1.0,
    rate: [0.999_9, 1.000_1],
    slack_ns: 25.0,
    standstill_ns: 12.0,
    read_ns: 20.0,
    wide_ns: 1500.0,
    may_pause: false,
};

/// A made-up clock of 1 ns, read in rows, with a fault before chosen reads.
struct MadeUp {
    time: u64,
    offset: i64,
    watch: Watch,
}

impl MadeUp {
    fn new(terms: Terms) -> Self {
        Self { time: 1_000_000, offset: 5_000_000_000, watch: Watch::new(terms, 1_000_000) }
    }

    fn value(&self) -> u64 {
        (self.time as i64 + self.offset) as u64
    }

    /// A row of `reads` reads, 22 ns apart; `fault` says by how much the clock steps before which read.
    fn row(&mut self, reads: usize, fault: Option<(usize, i64)>) {
        self.row_with(reads, |made_up, i| {
            if let Some((at, step)) = fault
                && at == i
            {
                made_up.offset += step;
            }
            made_up.value()
        });
    }

    fn row_with(&mut self, reads: usize, mut value: impl FnMut(&mut Self, usize) -> u64) {
        let before = self.time;
        let mut values = Vec::new();
        for i in 0..reads {
            self.time += 22;
            values.push(value(self, i));
        }
        self.time += 20;
        let row = Reads { before, values: &values, after: self.time, cpu: Some(0), trusted: true };
        self.watch.row(&row);
        self.time += 15;
    }

    fn interruption(&mut self, length: u64) {
        self.time += length;
    }
}

fn reads(before: u64, values: &[u64], after: u64, trusted: bool) -> Reads<'_> {
    Reads { before, values, after, cpu: None, trusted }
}

fn counts(found: &Found) -> (u64, u64, u64) {
    (found.regressions.count, found.warps.count, found.stalls.count)
}

#[test]
fn a_good_clock_is_good() {
    let mut clock = MadeUp::new(TERMS);
    for i in 0..1000 {
        clock.row(1 + i % 300, None);
        if i % 50 == 0 {
            clock.interruption(3_000_000);
        }
    }
    let found = clock.watch.finish();
    assert_eq!(counts(&found), (0, 0, 0));
    assert_eq!((found.monotonic, found.undecided, found.smallest_step), (Monotonic::Strict, 0, Some(22)));
}

#[test]
fn a_coarse_clock_stalls_and_is_no_liar() {
    let terms = Terms { slack_ns: 4_000_015.0, standstill_ns: 4_800_000.0, ..TERMS };
    let mut clock = MadeUp::new(terms);
    for i in 0..3000 {
        clock.row_with(1 + i % 300, |c, _| c.value() / 4_000_000 * 4_000_000);
    }
    let found = clock.watch.finish();
    assert_eq!((found.regressions.count, found.warps.count, found.stalls.unexplained), (0, 0, 0));
    assert!(
        found.stalls.count > 1 && found.stalls.longest_ns <= 4_000_100.0 && found.undecided == 0,
        "{found:?}"
    );
}

#[test]
fn an_interruption_in_the_bracket_is_undecided_and_one_outside_is_judged() {
    let mut clock = MadeUp::new(TERMS);
    for _ in 0..10 {
        clock.row(1, None);
    }
    clock.interruption(2_000_000);
    clock.row(1, None);
    clock.row_with(1, |c, _| {
        c.time += 2_000_000;
        c.value()
    });
    clock.row(1, None);
    let found = clock.watch.finish();
    assert_eq!(counts(&found), (0, 0, 0));
    assert_eq!(found.undecided, 1);
}

#[test]
fn a_fault_hidden_in_an_undecided_read_is_found_at_the_next() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(1, None);
    clock.row_with(1, |c, _| {
        c.time += 2_000_000;
        c.offset += 100_000;
        c.value()
    });
    clock.row(1, None);
    let found = clock.watch.finish();
    assert_eq!(counts(&found), (0, 1, 0));
    assert!((found.warps.largest_ns - 100_000.0).abs() < 200.0, "{found:?}");
}

#[test]
fn a_reading_off_the_line_is_one_fault_and_the_return_none() {
    for reads in [1, 40] {
        let mut clock = MadeUp::new(TERMS);
        clock.row(reads, None);
        clock.row_with(reads, |c, i| c.value() - if i == reads / 2 { 50_000 } else { 0 });
        clock.row(reads, None);
        assert_eq!(counts(&clock.watch.finish()), (1, 0, 0), "{reads} reads a row");
    }
}

#[test]
fn a_reading_ahead_is_a_warp_and_its_return_a_regression() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(1, None);
    clock.row_with(1, |c, _| c.value() + 50_000);
    clock.row(1, None);
    assert_eq!(counts(&clock.watch.finish()), (1, 1, 0));
}

#[test]
fn a_clock_that_stops_for_a_moment_and_catches_up_only_stalls() {
    for reads in [1, 40] {
        let mut clock = MadeUp::new(TERMS);
        clock.row(reads, None);
        let stood = clock.value() - 15;
        for _ in 0..3 {
            clock.row_with(reads, |_, _| stood);
        }
        clock.row(reads, None);
        let found = clock.watch.finish();
        assert_eq!(counts(&found), (0, 0, 1), "{reads} reads a row");
        assert_eq!((found.stalls.unexplained, found.monotonic), (1, Monotonic::Weak));
    }
}

#[test]
fn a_stall_may_end_in_the_midst_of_the_next_row() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(40, None);
    let mut stood = 0;
    clock.row_with(40, |c, i| {
        if i < 30 {
            stood = c.value();
        }
        stood
    });
    clock.row_with(40, |c, i| if i < 20 { stood } else { c.value() });
    clock.row(40, None);
    let found = clock.watch.finish();
    assert_eq!(counts(&found), (0, 0, 1), "{found:?}");
}

#[test]
fn a_step_back_in_a_row_that_an_interruption_follows_is_one_fault() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(40, None);
    clock.row_with(40, |c, i| {
        if i == 0 {
            c.time += 5_000;
        }
        if i == 20 {
            c.offset -= 300_000;
        }
        c.value()
    });
    clock.row(40, None);
    assert_eq!(counts(&clock.watch.finish()), (1, 0, 0));
}

#[test]
fn two_steps_in_a_row_share_what_is_left_of_the_bracket() {
    // The second read at a fault takes 300 ns longer than an ordinary one: which of the two it was can't be told.
    let mut clock = MadeUp::new(TERMS);
    clock.row(5, None);
    clock.row_with(200, |c, i| {
        match i {
            50 => c.offset += 20_000,
            150 => {
                c.time += 300;
                c.offset += 1_000_000;
            }
            _ => {}
        }
        c.value()
    });
    clock.row(5, None);
    let found = clock.watch.finish();
    assert_eq!(counts(&found), (0, 2, 0));
    for (event, injected) in found.events.iter().zip([20_000.0, 1_000_000.0]) {
        let bound = event.size_uncertainty_ns.unwrap();
        assert!((event.size_ns - injected).abs() <= bound && bound < 400.0, "{event:?} {injected}");
    }
}

#[test]
fn an_interruption_in_the_row_and_one_beside_it_leave_the_size_open() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(5, None);
    clock.row_with(100, |c, i| {
        match i {
            // Before the first read, where no reading shows it.
            0 => c.time += 7_000,
            40 => c.time += 3_100,
            70 => c.offset += 9_000,
            _ => {}
        }
        c.value()
    });
    clock.row(5, None);
    let found = clock.watch.finish();
    assert_eq!(found.warps.count, 1, "{found:?}");
    let event = &found.events[0];
    assert!((event.size_ns - 9_000.0).abs() <= event.size_uncertainty_ns.unwrap(), "{event:?}");
}

#[test]
fn a_row_with_an_interruption_and_a_fault_is_undecided() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(40, None);
    clock.row_with(40, |c, i| {
        match i {
            10 => c.offset -= 300_000,
            // Hidden by the interruption after the last read, and the way back to the line is barred.
            30 => c.offset += 4_000,
            _ => {}
        }
        let value = c.value();
        c.time += if i == 39 { 9_000 } else { 0 };
        value
    });
    clock.row(40, None);
    let found = clock.watch.finish();
    assert_eq!(counts(&found), (1, 0, 0));
    assert_eq!(found.undecided, 40);
}

#[test]
fn what_a_row_catches_up_with_is_not_time_of_the_row() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(8, None);
    let stood = clock.value() - 15;
    clock.row_with(8, |_, _| stood);
    clock.row_with(8, |c, i| if i < 1 { stood } else { c.value() });
    clock.row(8, None);
    let found = clock.watch.finish();
    assert_eq!(counts(&found), (0, 0, 1), "{found:?}");
}

#[test]
fn a_clock_that_loses_time_is_found() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(1, None);
    clock.interruption(1_000_000);
    clock.offset -= 200_000;
    clock.row(1, None);
    assert_eq!(counts(&clock.watch.finish()), (0, 1, 0));
    let mut paused = MadeUp::new(Terms { may_pause: true, ..TERMS });
    paused.row(1, None);
    paused.interruption(1_000_000);
    paused.offset -= 200_000;
    paused.row(1, None);
    assert_eq!(counts(&paused.watch.finish()), (0, 0, 0));
}

#[test]
fn across_a_time_apart_only_order_is_judged() {
    let mut clock = MadeUp::new(TERMS);
    clock.row(1, None);
    clock.watch.apart();
    clock.row(1, Some((0, 40_000_000)));
    assert_eq!(counts(&clock.watch.clone().finish()), (0, 0, 0));
    clock.row(1, Some((0, 40_000_000)));
    assert_eq!(counts(&clock.watch.clone().finish()), (0, 1, 0));
    clock.watch.apart();
    clock.row(1, Some((0, -1_000_000)));
    assert_eq!(counts(&clock.watch.finish()), (1, 1, 0));
}

#[test]
fn where_the_witness_is_contradicted_only_order_is_judged() {
    let mut watch = Watch::new(TERMS, 0);
    watch.row(&reads(100, &[5], 140, true));
    watch.row(&reads(150, &[900_000], 190, false));
    watch.row(&reads(200, &[900_060], 240, true));
    watch.row(&reads(90, &[900_100], 80, true));
    watch.row(&reads(260, &[800_000], 280, true));
    let found = watch.finish();
    assert_eq!((found.warps.count, found.regressions.count, found.undecided), (0, 1, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Known steps, in rows of any length: exactly those are found, with their sizes.
    #[test]
    fn injected_steps_are_found_one_by_one(
        faults in prop::collection::vec((1_000..10_000_000_i64, any::<bool>(), 1..80_usize, 0..80_usize), 1..40)
    ) {
        let mut clock = MadeUp::new(TERMS);
        clock.row(5, None);
        let (mut back, mut ahead) = (Vec::new(), Vec::new());
        for (size, backwards, reads, at) in faults {
            let step = if backwards { -size } else { size };
            // A step back must exceed the time between two reads to be one: 57 ns between rows, 22 within.
            if backwards { back.push(size) } else { ahead.push(size) }
            clock.row(reads, Some((at % reads, step)));
            for _ in 0..RETURNS_WITHIN + 2 {
                clock.row(2, None);
            }
        }
        let found = clock.watch.finish();
        prop_assert_eq!(counts(&found), (back.len() as u64, ahead.len() as u64, 0));
        let sizes = |kind| found.events.iter().filter(move |e| e.kind == kind).map(|e| e.size_ns);
        for (found, injected) in sizes(EventKind::Regression).zip(&back) {
            prop_assert!((found - *injected as f64).abs() < 60.0, "{found} {injected}");
        }
        for (event, injected) in found.events.iter().filter(|e| e.kind == EventKind::Warp).zip(&ahead) {
            let bound = event.size_uncertainty_ns.unwrap_or(0.0);
            prop_assert!((event.size_ns - *injected as f64).abs() <= bound && bound < 140.0, "{event:?} {injected}");
        }
    }

    #[test]
    fn anything_goes_in_and_an_answer_comes_out(
        rows in prop::collection::vec((any::<u64>(), prop::collection::vec(any::<u64>(), 0..20), any::<u64>(), any::<bool>()), 0..40)
    ) {
        let mut watch = Watch::new(TERMS, 0);
        for (before, values, after, trusted) in rows {
            watch.row(&reads(before, &values, after, trusted));
        }
        watch.failed(1);
        let found = watch.finish();
        prop_assert!(found.undecided <= found.reads);
    }
}
