//! The publication protocol on real threads: small enough for Miri, which checks every access.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use crate::ring::{POINTER, Refused, Ring};

#[test]
fn readers_see_whole_slots_in_order() {
    let rounds = if cfg!(miri) { 100 } else { 200_000 };
    let (cell, ring) = (AtomicU64::new(0), Ring::<AtomicU64, 4, 3>::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut done = 0;
                while done < rounds {
                    let old = cell.load(Ordering::Acquire);
                    let v = if old & POINTER == 0 { Some([0; 3]) } else { ring.read(&cell, old) };
                    let Some([v, ..]) = v else { continue };
                    match ring.publish(&cell, old, &[v + 1, !(v + 1), (v + 1).rotate_left(32)]) {
                        Ok(_) => done += 1,
                        Err(Refused::Lost | Refused::Full) => thread::yield_now(),
                    }
                }
            });
        }
        scope.spawn(|| {
            let mut last = 0;
            while last < rounds {
                let pointer = cell.load(Ordering::Acquire);
                if let Some([a, b, c]) = ring.read(&cell, pointer).filter(|_| pointer & POINTER != 0) {
                    assert_eq!((b, c), (!a, a.rotate_left(32)), "a torn slot");
                    assert!(a >= last);
                    last = a;
                }
                thread::yield_now();
            }
        });
    });
    let [v, ..] = ring.read(&cell, cell.load(Ordering::Relaxed)).expect("nobody writes any more");
    assert_eq!((v, ring.taken()), (2 * rounds, 1));
}
