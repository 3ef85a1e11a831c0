//! The publication protocol under loom, which tries every order that the memory model allows.
//! `RUSTFLAGS="--cfg loom" cargo test -p truetick --release --lib loom_protocol`

mod clock;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64 as Real, Ordering},
    },
    time::Duration,
};

use loom::{
    sync::{Condvar, atomic},
    thread,
};

use crate::{
    ring::{POINTER, Refused, Ring},
    word::Word,
};

/// A word and a condition variable that nobody waits for.
///
/// Of the accesses to an atomic, loom remembers only the last one when it looks for orders still to be tried; so a
/// thread's own load, just before its compare-and-swap, hides another thread's load before it, and orders are left
/// out. Notifying nobody orders no memory, but loom takes each such call for a conflict with all others, and so
/// tries every order of the accesses.
struct Loom(atomic::AtomicU64, Condvar);

impl Word for Loom {
    fn new(value: u64) -> Self {
        Self(atomic::AtomicU64::new(value), Condvar::new())
    }
    fn load(&self, order: Ordering) -> u64 {
        self.1.notify_one();
        self.0.load(order)
    }
    fn store(&self, value: u64, order: Ordering) {
        self.1.notify_one();
        self.0.store(value, order);
    }
    fn swap_if(&self, old: u64, new: u64) -> bool {
        self.1.notify_one();
        self.0.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
    fn fence(order: Ordering) {
        atomic::fence(order);
    }
}

/// A search that takes longer ends there and says so: 20 s, or `TRUETICK_LOOM_S`.
fn longest() -> Duration {
    Duration::from_secs(std::env::var("TRUETICK_LOOM_S").ok().and_then(|s| s.parse().ok()).unwrap_or(20))
}

fn check(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.max_branches = 100_000;
    model.max_duration = Some(longest());
    model.preemption_bound = Some(preemptions);
    let begun = std::time::Instant::now();
    let runs = Arc::new(Real::new(0));
    let count = runs.clone();
    model.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        test();
    });
    let cut = if begun.elapsed() < longest() { "all" } else { "not all: out of time" };
    println!("{} orders tried, {cut}", runs.load(Ordering::Relaxed));
}

/// A cell and its ring.
struct Shared<const N: usize> {
    cell: Loom,
    ring: Ring<Loom, N, 2>,
}

impl<const N: usize> Shared<N> {
    fn new() -> Arc<Self> {
        Arc::new(Self { cell: Loom::new(0), ring: Ring::of_words() })
    }

    /// Publishes (v + 1, -(v + 1)) after (v, -v), as often as it loses, at most `tries` times.
    fn step(&self, tries: u32) {
        for _ in 0..tries {
            let old = self.cell.load(Ordering::Acquire);
            let v = if old & POINTER == 0 { 0 } else { self.look(old).unwrap_or(u64::MAX) };
            if v == u64::MAX {
                continue;
            }
            match self.ring.publish(&self.cell, old, &[v + 1, (v + 1).wrapping_neg()]) {
                Ok(_) | Err(Refused::Full) => return,
                Err(Refused::Lost) => {}
            }
        }
    }

    /// What the cell holds, whole; `None`: it has changed.
    fn look(&self, pointer: u64) -> Option<u64> {
        let [a, b] = self.ring.read(&self.cell, pointer)?;
        assert_eq!(a, b.wrapping_neg(), "a torn slot was taken for a whole one");
        Some(a)
    }
}

#[test]
fn what_is_read_is_whole_and_never_older_than_before() {
    check(3, || {
        let shared = Shared::<2>::new();
        shared.step(1);
        let writer = {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.step(1);
                shared.step(1);
                shared.step(1);
            })
        };
        let mut last = 0;
        for _ in 0..2 {
            let pointer = shared.cell.load(Ordering::Acquire);
            if let Some(v) = shared.look(pointer) {
                assert!(v >= last);
                last = v;
            }
        }
        writer.join().unwrap();
    });
}

#[test]
fn of_two_writers_each_publication_counts_once() {
    check(2, || {
        // Two slots: a writer that is late finds the slot free that the other one has just retired.
        let shared = Shared::<2>::new();
        shared.step(1);
        let writers: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let old = shared.cell.load(Ordering::Acquire);
                    let Some(v) = shared.look(old) else { return 0 };
                    u64::from(shared.ring.publish(&shared.cell, old, &[v + 1, (v + 1).wrapping_neg()]).is_ok())
                })
            })
            .collect();
        shared.look(shared.cell.load(Ordering::Acquire));
        let done: u64 = writers.into_iter().map(|w| w.join().unwrap()).sum();
        let v = shared.look(shared.cell.load(Ordering::Acquire)).unwrap();
        assert_eq!(v, 1 + done);
        assert_eq!(shared.ring.taken(), 1, "a slot was lost");
    });
}
