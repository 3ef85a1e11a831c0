//! The whole clock's readings, never back in any order of what its threads do.

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicU64 as Real, Ordering},
    },
};

use loom::thread;

use super::{Loom, check};
use crate::{
    chain::{Basis, Chain},
    hardware::Hardware,
    source::{Choice, Source, Why},
    wall::Accuracy,
    word::Word,
};

/// A counter of 1 tick a nanosecond that advances by 100 at each read; the kernel shows the same. Between two
/// reads of the counter it takes its time to return, so that lines run 2.5 µs behind it. Not loom's words:
/// hardware orders nothing.
#[derive(Default)]
struct Machine {
    ticks: Real,
    jump: Real,
}

/// The wall clock beside the kernel's, ns.
const AHEAD: i64 = 7_000_000_000;

/// The machine as one thread sees it.
struct Cpu(Arc<Machine>, Cell<bool>);

impl Cpu {
    fn of(machine: &Arc<Machine>) -> Self {
        Self(machine.clone(), Cell::new(false))
    }
}

impl Machine {
    fn advance(&self) -> u64 {
        (1 << 20) + self.ticks.fetch_add(100, Ordering::Relaxed)
    }
    /// Lets time pass.
    fn pass(&self, ns: u64) {
        self.ticks.fetch_add(ns, Ordering::Relaxed);
    }
    /// Moves the counter alone.
    fn jump(&self, by: u64) {
        self.jump.fetch_add(by, Ordering::Relaxed);
    }
}

impl Hardware for Cpu {
    fn relaxed(&self) -> u64 {
        self.ordered()
    }
    fn ordered(&self) -> u64 {
        self.1.set(true);
        self.0.advance().wrapping_add(self.0.jump.load(Ordering::Relaxed))
    }
    fn system_ns(&self) -> Option<u64> {
        let now = self.0.advance();
        if self.1.replace(false) {
            self.0.pass(5000);
        }
        Some(now)
    }
    fn wall_ns(&self) -> Option<i64> {
        Some(self.0.advance() as i64 + AHEAD)
    }
    fn accuracy(&self) -> Accuracy {
        Accuracy::within(1000, 0)
    }
    fn choose(&self) -> Choice {
        Choice::new(Source::Counter, Why::Forced)
    }
}

type Clock = Chain<Loom, 2>;

/// Two readers of one clock. What one says it has read is never more than what the other reads afterwards.
/// `between` happens to the machine between the other's two readings.
fn two_readers(clock: &Arc<Clock>, machine: &Arc<Machine>, between: impl Fn(&Machine) + Send + 'static) {
    let said = Arc::new(Loom::new(0));
    let other = {
        let (clock, machine, said) = (clock.clone(), machine.clone(), said.clone());
        thread::spawn(move || {
            let cpu = Cpu::of(&machine);
            clock.now(&cpu);
            between(&machine);
            said.store(clock.now(&cpu), Ordering::Release);
        })
    };
    let (mut last, cpu) = (0, Cpu::of(machine));
    for _ in 0..2 {
        let heard = said.load(Ordering::Acquire);
        let now = clock.now(&cpu);
        assert!(now >= heard.max(last), "{now} after the other's {heard} and this thread's {last}");
        last = now;
    }
    other.join().unwrap();
    let heard = said.load(Ordering::Relaxed);
    let now = clock.now(&cpu);
    assert!(now >= heard.max(last), "{now} after the other's {heard} and this thread's {last}");
}

fn clock(readings: usize) -> (Arc<Clock>, Arc<Machine>) {
    let (clock, machine) = (Arc::new(Clock::of_words()), Arc::new(Machine::default()));
    for _ in 0..readings {
        clock.now(&Cpu::of(&machine));
        machine.pass(1_000_000);
    }
    (clock, machine)
}

/// Three comparisons make the first line; it reaches 1 ms.
fn with_a_line() -> (Arc<Clock>, Arc<Machine>) {
    let (clock, machine) = clock(2);
    clock.now(&Cpu::of(&machine));
    assert!(matches!(clock.basis(), Basis::Line(_)));
    (clock, machine)
}

#[test]
fn never_back_while_lines_are_refitted() {
    check(2, || {
        let (clock, machine) = with_a_line();
        machine.pass(2_000_000);
        two_readers(&clock, &machine, |machine| machine.pass(2_000_000));
    });
}

#[test]
fn never_back_while_a_slot_is_used_again_in_the_middle_of_a_reading() {
    check(2, || {
        let (clock, machine) = with_a_line();
        let cpu = Cpu::of(&machine);
        machine.pass(500_000);
        let before = clock.now(&cpu);
        let other = {
            let (clock, machine) = (clock.clone(), machine.clone());
            thread::spawn(move || {
                let cpu = Cpu::of(&machine);
                for _ in 0..2 {
                    machine.pass(30_000_000);
                    clock.now(&cpu);
                }
            })
        };
        let now = clock.now(&cpu);
        assert!(now >= before, "{now} after {before}");
        other.join().unwrap();
        assert!(clock.now(&cpu) >= now);
    });
}

#[test]
fn never_back_while_the_first_line_is_found() {
    check(2, || {
        let (clock, machine) = clock(2);
        two_readers(&clock, &machine, |_| {});
    });
}

#[test]
fn never_back_when_the_counter_jumps() {
    for jump in [10_000_000_000, 10_000_000_000u64.wrapping_neg()] {
        check(1, move || {
            let (clock, machine) = with_a_line();
            let cpu = Cpu::of(&machine);
            // So little that nobody notices; the clock is ahead of the kernel's now.
            machine.jump(900_000);
            let before = clock.now(&cpu);
            machine.jump(jump);
            two_readers(&clock, &machine, |_| {});
            assert!(clock.now(&cpu) >= before);
        });
    }
}

/// A line is published again with the wall clock's part by the first who wants that, and again with its bounds.
#[test]
fn whole_and_never_back_while_the_same_line_is_published_again() {
    check(2, || {
        let (clock, machine) = with_a_line();
        machine.pass(300_000);
        let said = Arc::new(Loom::new(0));
        let wanting = |clock: Arc<Clock>, machine: Arc<Machine>, said: Arc<Loom>| {
            let cpu = Cpu::of(&machine);
            let heard = said.load(Ordering::Acquire);
            let before = clock.now(&cpu);
            assert!(before >= heard, "{before} after the other's {heard}");
            let wall = clock.wall_with_bounds(&cpu);
            let after = clock.now(&cpu);
            // Each reading of the machine takes 100 ns, one of the kernel's clock 5 µs more.
            let [low, high] = [before as i64 - 10_000, after as i64 + 10_000].map(|ns| ns + AHEAD);
            assert!(after >= before && (low..=high).contains(&wall.ns), "{wall:?} between {before} and {after}");
            // What was said, the line's own 0.6 of some 0.3 ms, and the brackets.
            assert!(wall.within().is_ok_and(|ns| (1000..1_000_000).contains(&ns)), "{wall:?}");
            said.store(after, Ordering::Release);
        };
        let other = {
            let (clock, machine, said) = (clock.clone(), machine.clone(), said.clone());
            thread::spawn(move || wanting(clock, machine, said))
        };
        wanting(clock.clone(), machine.clone(), said.clone());
        other.join().unwrap();
        let heard = said.load(Ordering::Relaxed);
        assert!(clock.now(&Cpu::of(&machine)) >= heard);
    });
}
