//! Accounts fed with made-up readings of which the truth is known.

use super::{Account, Scale};
use crate::record::{Interval, Kind};
use crate::trace::{Bracketed, Description, Purpose, Role, Row, Singles, Unit};

/// Where the run's witness is the kernel's clock, in ns, and a counter's frequency is stated wrong.
fn by_kernel() -> Scale {
    Scale {
        tick: Interval::exactly(1.0),
        tick_of_counters: Interval::exactly(0.5),
        is_by_ticks: false,
        by_kernel: true,
        witness_quantum_ns: 1.0,
    }
}

fn account(kind: Kind, unit: Unit) -> Account {
    Account::new(&Description::new("odd", "odd", kind, unit), by_kernel(), 0)
}

/// Single reads, one each 10 ms, of a clock of so many counts a ns of the witness.
fn reads(account: &mut Account, from: u64, reads: u64, counts_a_ns: impl Fn(u64) -> f64) {
    for i in from..from + reads {
        let before = i * 10_000_000;
        let value = 1_000_000_000 + ((before + 30) as f64 * counts_a_ns(i)) as u64;
        let reads = vec![Bracketed { before, value, after: before + 60 }];
        account.singles(&Singles { purpose: Purpose::Rate, reads, ..Singles::default() });
    }
}

/// All that the quantum rests on has come: readings with a lattice of one count.
fn turn(account: &mut Account) {
    let mut random = fastrand::Rng::with_seed(1);
    let mut at = 0;
    let mut next = || {
        at += random.u64(20..400);
        at
    };
    let values: Vec<u64> = (0..4096).map(|_| next()).collect();
    // Long before everything else, and not judged.
    account.row(&Row { role: Role::Foreign, values, ..Row::default() });
    account.turn(by_kernel());
}

#[test]
fn a_counter_without_a_witness_of_its_ticks_is_worth_what_its_readings_say() {
    let mut counter = account(Kind::Counter, Unit::Ticks);
    assert_eq!(counter.count(), Interval::exactly(0.5));
    reads(&mut counter, 1, 100, |_| 2.6);
    turn(&mut counter);
    let Interval { value, low, high } = counter.count();
    assert!(low <= 1.0 / 2.6 && 1.0 / 2.6 <= high && (high - low) / value < 1e-6, "{low} {value} {high}");
    reads(&mut counter, 101, 100, |_| 2.6);
    assert_eq!(counter.found().warps.count, 0);
}

/// The kernel removes an offset at 300 ppm (ADJ_OFFSET, a new frequency): nothing is wrong with the clock.
#[test]
fn what_the_kernel_slews_is_no_warp_and_what_nobody_slewed_is_one() {
    for (told, warps) in [(true, 0), (false, 50)] {
        let mut clock = account(Kind::Monotonic, Unit::Ns(1.0));
        turn(&mut clock);
        reads(&mut clock, 1, 200, |_| 1.0);
        clock.settle(by_kernel());
        for i in 201..251 {
            if told {
                clock.slewed([1.0 + 295e-6, 1.0 + 305e-6]);
            }
            reads(&mut clock, i, 1, |i| 1.0 + 300e-6 * (i - 200) as f64 / i as f64);
        }
        assert_eq!(clock.found().warps.count, warps);
    }
}

/// 3 counts more a ns, as after a change of the clocksource: only the order counts.
#[test]
fn of_a_clock_that_is_another_one_only_the_order_is_judged() {
    let mut clock = account(Kind::Monotonic, Unit::Ns(1.0));
    turn(&mut clock);
    reads(&mut clock, 1, 100, |_| 1.0);
    clock.settle(by_kernel());
    clock.unbind();
    reads(&mut clock, 101, 50, |i| if i == 120 { 1.0 } else { 3.0 });
    let found = clock.found();
    assert_eq!((found.warps.count, found.regressions.count, found.undecided), (0, 1, 4096 + 50));
}
