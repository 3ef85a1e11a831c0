//! Times away whose causes are known.

use super::*;
use proptest::prelude::*;

/// A millisecond in which nothing but what the test says happened, all that was to be read having been read.
fn quiet(ran: u64) -> Counted {
    Counted::quiet(WHOLE, ran)
}

const WHOLE: u64 = 1_010_000;
const LENGTH: f64 = 1e6;

#[test]
fn each_cause_gets_the_time_that_it_took() {
    let one = Some(1);
    let cases = [
        (Cause::Unknown, quiet(WHOLE)),
        (Cause::Interrupt, Counted { interrupts: one, ..quiet(WHOLE) }),
        (Cause::PageFault, Counted { minor_faults: one, interrupts: one, ..quiet(WHOLE) }),
        (Cause::PageFault, Counted { minor_faults: Some(64), involuntary: one, interrupts: one, ..quiet(WHOLE) }),
        (Cause::PageFault, Counted { major_faults: one, voluntary: one, interrupts: one, ..quiet(10_000) }),
        (
            Cause::Preempted,
            Counted { waited_ns: Some(990_000), involuntary: one, interrupts: Some(9), ..quiet(20_000) },
        ),
        (Cause::Preempted, Counted { waited_ns: None, ran_ns: None, involuntary: one, interrupts: one, ..quiet(0) }),
        (
            Cause::Throttled,
            Counted { waited_ns: Some(990_000), throttled_ns: Some(980_000), involuntary: one, ..quiet(20_000) },
        ),
        (Cause::Stopped, Counted { voluntary: one, continued: one, ..quiet(10_000) }),
        (Cause::Blocked, Counted { voluntary: one, ..quiet(10_000) }),
        // Shorter than the tick in which the kernel shows it.
        (Cause::Stolen, Counted { interrupts: one, ..quiet(20_000) }),
        (Cause::Stolen, Counted { ran_ns: None, stolen_ns: Some(10_000_000), interrupts: one, ..quiet(0) }),
        // A kernel that counts interrupts' time, and no hypervisor that takes any.
        (Cause::Interrupt, Counted { stolen_ns: None, interrupts: one, interrupted_ns: Some(0), ..quiet(20_000) }),
        // A network driver's softirqs in a guest, and a hypervisor that took the CPU for as long.
        (Cause::Interrupt, Counted { interrupts: one, interrupted_ns: Some(0), ..quiet(20_000) }),
        (
            Cause::Stolen,
            Counted { interrupts: one, interrupted_ns: Some(0), stolen_ns: Some(10_000_000), ..quiet(20_000) },
        ),
        // How long it waited is not known, but that something else ran is.
        (Cause::Preempted, Counted { waited_ns: None, involuntary: one, interrupts: one, ..quiet(20_000) }),
        (Cause::Suspend, Counted { slept_ns: Some(2_000_000), interrupts: Some(90), ..quiet(10_000) }),
    ];
    for (cause, seen) in cases {
        let shares = attribute(LENGTH, &seen, false);
        assert!(shares.of(cause) >= 0.95 * LENGTH, "{cause:?}: {shares:?}");
        assert_eq!(shares.principal(), cause);
    }
    assert_eq!(attribute(LENGTH, &Counted::default(), true).principal(), Cause::Migrated);
    assert_eq!(attribute(LENGTH, &Counted::default(), false).principal(), Cause::Unknown);
}

#[test]
fn a_kernel_that_counts_the_time_of_interrupts_counts_it_as_theirs() {
    let seen = Counted { raw_ns: Some(60_000), interrupts: Some(1), interrupted_ns: Some(0), ..quiet(10_000) };
    assert_eq!(attribute(5e4, &seen, false).principal(), Cause::Interrupt);
}

/// Looks that leave out the CPU's interrupts tell of the rest as it stood.
#[test]
fn interrupts_that_were_not_counted_may_have_been_there() {
    let seen = Counted { raw_ns: Some(60_000), interrupts: None, interrupted_ns: Some(0), ..quiet(10_000) };
    assert_eq!(attribute(5e4, &seen, false).principal(), Cause::Interrupt);
    // Where they were counted and there was none, there was none.
    let none = Counted { interrupts: Some(0), ..seen };
    assert_eq!(attribute(5e4, &none, false).principal(), Cause::Stolen);
}

/// A kernel that counts steal, and leaves it in the thread's time.
#[test]
fn steal_that_counts_as_running_is_told_by_its_column() {
    let away = |length: u64, stolen| Counted {
        raw_ns: Some(length),
        stolen_ns: Some(stolen),
        interrupts: Some(1),
        ..quiet(length)
    };
    let shares = attribute(5e7, &away(50_000_000, 20_000_000), false);
    assert_eq!((shares.of(Cause::Stolen), shares.of(Cause::Interrupt)), (2e7, HANDLER_NS));
    // The larger part; the rest is its next tick.
    assert_eq!(attribute(3e7, &away(30_000_000, 20_000_000), false).of(Cause::Stolen), 3e7);
    assert_eq!(attribute(8e6, &away(8_000_000, 10_000_000), false).of(Cause::Stolen), 8e6);
    // A tick of the column that came due in a handler's time is of many times away.
    assert_eq!(attribute(5e4, &away(50_000, 10_000_000), false).principal(), Cause::Interrupt);
}

#[test]
fn an_interrupt_takes_no_longer_than_a_handler_may() {
    // A system management interrupt of 10 ms; the tick that was due meanwhile is served after it.
    let seen = Counted { raw_ns: Some(10_000_000), interrupts: Some(1), ..quiet(10_000_000) };
    let shares = attribute(1e7, &seen, false);
    assert_eq!((shares.principal(), shares.of(Cause::Interrupt)), (Cause::Unknown, HANDLER_NS));
    let storm = Counted { interrupts: Some(20), ..seen };
    assert_eq!(attribute(1e7, &storm, false).of(Cause::Interrupt), 1e7);
}

#[test]
fn two_causes_share_a_time_as_they_were_measured() {
    let seen = Counted {
        waited_ns: Some(600_000),
        throttled_ns: Some(200_000),
        involuntary: Some(2),
        ..quiet(WHOLE - 900_000)
    };
    let shares = attribute(LENGTH, &seen, false);
    for (cause, wanted) in [(Cause::Throttled, 2e5), (Cause::Preempted, 5e5), (Cause::Stolen, 3e5)] {
        assert!((shares.of(cause) - wanted).abs() < 1.0, "{cause:?}: {shares:?}");
    }
}

#[test]
fn clocks_that_run_apart_in_a_long_quiet_time_are_no_steal() {
    let seen = Counted { raw_ns: Some(10_000_000_000), interrupts: Some(1), ..quiet(9_996_000_000) };
    assert_eq!(attribute(5e3, &seen, false).principal(), Cause::Interrupt);
}

proptest! {
    #[test]
    fn shares_add_up_whatever_was_counted(row: Vec<Option<u64>>, length in 0.0..1e12f64, migrated: bool) {
        let shares = attribute(length, &row.into(), migrated);
        let sum: f64 = shares.each().map(|(_, ns)| ns).sum();
        prop_assert!((sum - length).abs() <= 1e-9 * length, "{sum} of {length}: {shares:?}");
    }
}
