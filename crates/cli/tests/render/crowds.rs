//! Threads that read at once.

use clockscope_analysis::record::{Cause, PairFigures};
use clockscope_cli::render::csv;

use super::*;

#[test]
fn threads_that_read_at_once() {
    for width in [40, 80, 200] {
        insta::assert_snapshot!(format!("threads_{width}"), threads::threads(&crowds(), false, at(width)));
    }
    insta::assert_snapshot!("threads_all", threads::threads(&crowds(), true, View::default()));
    insta::assert_snapshot!("threads_markdown", threads::markdown(&crowds()));
    insta::assert_snapshot!("threads_csv", csv::threads(&crowds().clocks));
    let mut pinned = crowds();
    let rows = pinned.clocks.iter_mut().flat_map(|clock| &mut clock.crowds).flat_map(|crowd| &mut crowd.rows);
    rows.for_each(|row| row.cpu = Some(row.thread % 2));
    assert!(threads::threads(&pinned, false, View::default()).contains("Thread  CPU"));
}

#[test]
fn what_made_a_thread_wait_is_not_the_scheduler() {
    let mut report = crowds();
    for pairs in report.clocks.iter_mut().flat_map(|clock| &mut clock.crowds).map(|crowd| &mut crowd.pairs) {
        pairs.tail.shares = [(Cause::Blocked, 1.0)].into();
    }
    let text = threads::threads(&report, false, at(200)).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Blocked") && !text.contains("Scheduler"), "{text}");
    assert!(text.contains("100.0 % by a freezer, a debugger or a lock of the kernel's"), "{text}");
}

#[test]
fn threads_of_which_none_came_to_read_are_told_as_such() {
    let mut report = crowds();
    report.interrupted = true;
    for crowd in report.clocks.iter_mut().flat_map(|clock| &mut clock.crowds) {
        (crowd.pairs, crowd.on_quantum_share) = (PairFigures::default(), None);
        (crowd.commonest, crowd.longest) = (Vec::new(), Vec::new());
        crowd.rows.iter_mut().for_each(|row| row.missing = Some("the thread did not come to run".into()));
    }
    let text = threads::threads(&report, false, at(80));
    assert!(
        text.contains("Cut short") && text.contains("Thread 0 of 1, 0 of 4, 1 of 4 and 2 more: the thread"),
        "{text}"
    );
    report.clocks.clear();
    let text = threads::threads(&report, false, at(80));
    assert!(text.contains("Cut short") && text.starts_with("Nothing was measured yet."), "{text}");
    assert!(threads::markdown(&report).contains("Nothing was measured yet."));
}
