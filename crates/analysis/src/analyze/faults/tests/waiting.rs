//! Reads that come before the terms, and events beyond what is kept.

use super::*;
use crate::record::EventKind;

/// Rows with a regression, a warp and a stall, and a time apart: what is found where the terms come after so many rows.
fn with_terms_after(rows: usize) -> Found {
    let mut watch = Watch::new(0);
    for row in 0..40_u64 {
        if row as usize == rows {
            watch.set_terms(TERMS);
        }
        let at = 1000 * row;
        let step = [(10, -5_000), (20, 70_000), (30, 1_000_000)].iter().filter(|(from, _)| *from <= row);
        let offset = 1_000_000 + step.map(|(_, step)| step).sum::<i64>();
        if row == 30 {
            watch.apart();
        }
        let value = |after: u64| (at + after).wrapping_add_signed(offset);
        let repeats = if row == 5 { value(20) } else { value(45) };
        watch.row(&reads(at, &[value(20), repeats, value(70)], at + 80, row != 35));
        watch.interruption(900.0, at + 980, None, "interrupt");
        watch.failed(1);
    }
    watch.finish()
}

#[test]
fn reads_wait_for_their_terms_and_are_judged_as_if_they_had_not() {
    let at_once = with_terms_after(0);
    assert_eq!((counts(&at_once), at_once.undecided, at_once.failed), ([1, 1, 1], 3, 40));
    for rows in [1, 15, 39] {
        assert_eq!(with_terms_after(rows), at_once, "{rows}");
    }
    // Without terms the order is known all the same.
    let never = with_terms_after(usize::MAX);
    assert_eq!((counts(&never), never.undecided, never.reads), ([1, 0, 1], 120, 120));
    assert_eq!((never.regressions.largest_ns, never.standstill_ns), (at_once.regressions.largest_ns, 36_000.0));
}

#[test]
fn of_more_than_may_wait_the_oldest_are_undecided_and_none_is_lost() {
    let mut watch = Watch::new(0);
    let rows = 700_u64;
    for row in 0..rows {
        let at = row * 100_000;
        let mut values: Vec<u64> = (1..=1000).map(|read| at + 50 * read).collect();
        // One step back in the oldest, and a warp in the latest.
        values[500] -= if row == 1 { 2_000 } else { 0 };
        let ahead = if row == rows - 1 { 5_000 } else { 0 };
        values[600..].iter_mut().for_each(|value| *value += ahead);
        watch.row(&reads(at, &values, at + 50_020, true));
        // Runs of equal values take little room.
        watch.row(&reads(at + 60_000, &[at + ahead + 60_010; 1000], at + 60_020, true));
    }
    watch.set_terms(TERMS);
    let found = watch.finish();
    assert_eq!((found.reads, counts(&found)), (2000 * rows, [1, 1, rows]));
    let undecided = found.undecided / 2000;
    assert!((rows - 263..rows - 260).contains(&undecided), "{undecided}");
}

#[test]
fn the_first_the_largest_and_the_latest_events_are_kept() {
    let mut watch = watch(TERMS, 0);
    let mut value = 1 << 40;
    let size = |i: u64| if i % 50 == 7 { 90_000 + i } else { 100 + i };
    for i in 0..10_000_u64 {
        watch.row(&reads(1000 * i, &[value + 1000, value + 1000 - size(i)], 1000 * i + 60, true));
        value += 1000;
    }
    let found = watch.finish();
    let kept: Vec<u64> = found.events.iter().map(|event| event.at_ns as u64 / 1000).collect();
    assert_eq!((found.regressions.count, kept.len() as u64 + found.events_omitted), (10_000, 10_000));
    assert!(kept.is_sorted() && found.events.iter().all(|event| event.kind == EventKind::Regression));
    let between = 128..10_000 - 128;
    let mut largest: Vec<u64> = between.clone().collect();
    largest.sort_unstable_by_key(|i| std::cmp::Reverse(size(*i)));
    let mut expected: Vec<u64> =
        (0..10_000).filter(|i| !between.contains(i)).chain(largest.into_iter().take(256)).collect();
    expected.sort_unstable();
    assert_eq!(kept, expected);
    assert_eq!(found.since_ns.len(), kept.len());
}
