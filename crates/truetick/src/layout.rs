//! Where the process-wide clock keeps its line: for a fast path in another language, as crates/capi has for C and C++.
//!
//! What [`Instant::now`](crate::Instant::now) does where a line is in use, and what such a path has to do, with these memory
//! orders (C11's names):
//!
//! 1. `state` is loaded (acquire). Bit 0 clear: there is no line, call the library.
//! 2. The slot is number `state >> 7 & 63`. The counter is read: for `now` by `lfence; rdtsc`, or AArch64's `isb`, `mrs` of
//!    CNTVCT_EL0 and a load that depends on it; for `now_relaxed` barely.
//! 3. Four words of the slot are loaded (relaxed): `start`, `len`, `base`, `mult`. A fence (acquire). `state` is loaded
//!    again (relaxed).
//! 4. If it is the same and `ticks - start < len` (modulo 2^64, unsigned), the time is
//!    `base + ((ticks - start) * mult >> 32)`. Else call the library.
//!
//! The wall clock's words are in the slot behind these and are loaded with them, for
//! [`UtcInstant::now`](crate::UtcInstant::now): `offset`; 0: call the library. UNIX time is the time above plus that (modulo
//! 2^64, ns, then signed). For [`now_with_bounds`](crate::UtcInstant::now_with_bounds) also `within`, `wide` and `tight`. Where
//! bit 63 of `within` is set, there is no bound, or it has to be asked for: call the library. Else UTC is within
//! `within + ((ticks - start) * wide >> 32)` ns, whatever slew the kernel permits, and with `tight` for `wide` if its clock
//! runs steadily.
//!
//! No lock, no write: the library's readers and such paths see the same time, in the same order.

use core::sync::atomic::AtomicU64;

use crate::{chain::Chain, clock::CLOCK};

/// The clock in memory, version 1, as 64-bit words in the machine's order:
///
/// - from byte 0 on 64 slots of 256 bytes. Each begins with the words `start` (ticks), `len` (ticks), `base` (ns), `mult`
///   (2^-32 ns a tick), `offset` (ns), `within` (ns), `wide` and `tight` (2^-32 ns a tick);
/// - at byte 16896 `state`, which says which slot counts.
///
/// All else of it is the library's own business.
#[derive(Debug)]
#[repr(C)]
pub struct Clock1 {
    slots: [[AtomicU64; 32]; 64],
    _claims: [AtomicU64; 64],
    state: AtomicU64,
}

/// The process-wide clock. `None` in a version of this library that keeps it otherwise.
pub const fn clock_1() -> Option<&'static Clock1> {
    Some(of(&CLOCK))
}

const fn of(chain: &Chain) -> &Clock1 {
    // SAFETY: both are `repr(C)` and begin with the same words (the tests below); all of them are atomics.
    unsafe { &*core::ptr::from_ref(chain).cast() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chain::Basis,
        hardware::Hardware,
        source::{Choice, Source, Why},
        wall::Accuracy,
    };
    use core::{mem::offset_of, sync::atomic::Ordering::Relaxed};

    #[test]
    fn lies_where_the_headers_say() {
        assert_eq!(offset_of!(Clock1, slots), 0);
        assert_eq!(offset_of!(Clock1, state), 16896);
        assert!(size_of::<Clock1>() <= size_of::<Chain>() && align_of::<Clock1>() <= align_of::<Chain>());
    }

    struct Board(AtomicU64);

    impl Hardware for Board {
        fn relaxed(&self) -> u64 {
            self.0.fetch_add(100, Relaxed)
        }
        fn ordered(&self) -> u64 {
            self.relaxed()
        }
        fn system_ns(&self) -> Option<u64> {
            Some(self.relaxed())
        }
        fn wall_ns(&self) -> Option<i64> {
            Some(self.relaxed() as i64 + 7_000_000_000)
        }
        fn accuracy(&self) -> Accuracy {
            Accuracy::within(5000, 0)
        }
        fn choose(&self) -> Choice {
            Choice::new(Source::Counter, Why::Forced)
        }
    }

    #[test]
    fn what_it_shows_is_the_line() {
        let (chain, board) = (Chain::<AtomicU64>::new(), Board(AtomicU64::new(1 << 30)));
        let clock = of(&chain);
        assert_eq!(clock.state.load(Relaxed) & 1, 0);
        let mut lines = 0;
        for _ in 0..100 {
            board.0.fetch_add(1_000_000, Relaxed);
            chain.now(&board);
            let state = clock.state.load(Relaxed);
            let Basis::Line(fit) = chain.basis() else {
                assert_eq!(state & 1, 0);
                continue;
            };
            assert_eq!(state & 1, 1);
            let [start, len, base, mult] =
                core::array::from_fn(|i| clock.slots[(state >> 7) as usize & 63][i].load(Relaxed));
            assert_eq!((start, len, base, mult), (fit.line.start, fit.line.len, fit.line.base, fit.line.mult));
            // What the library makes of the counter's next value.
            let run = board.0.load(Relaxed) - start;
            assert!(run < len, "{run} of {len}");
            assert_eq!(chain.now(&board), base + ((run * mult) >> 32));
            lines += 1;
        }
        assert!(lines > 50, "{lines} lines");
    }

    #[test]
    fn what_it_shows_of_the_wall_clock_is_the_readings() {
        let (chain, board) = (Chain::<AtomicU64>::new(), Board(AtomicU64::new(1 << 30)));
        let clock = of(&chain);
        let words = || {
            let slot = &clock.slots[(clock.state.load(Relaxed) >> 7) as usize & 63];
            core::array::from_fn::<u64, 8, _>(|i| slot[i].load(Relaxed))
        };
        while clock.state.load(Relaxed) & 1 == 0 {
            board.0.fetch_add(1_000_000, Relaxed);
            chain.now(&board);
        }
        assert_eq!(words()[4], 0, "nobody has asked for it");
        chain.wall(&board);
        assert!(words()[4] != 0 && words()[5] >> 63 == 1, "nobody has asked how far it is off: {:?}", words());
        chain.wall_with_bounds(&board);
        let [start, len, base, mult, offset, within, wide, tight] = words();
        let run = board.0.load(Relaxed) - start;
        assert!(run < len, "{run} of {len}");
        let reading = chain.wall_with_bounds(&board);
        assert_eq!(reading.ns, (base + ((run * mult) >> 32)).wrapping_add(offset) as i64);
        assert_eq!(reading.within(), Ok(within + ((run * wide) >> 32)));
        assert_eq!(reading.within_if_steady(), Ok(within + ((run * tight) >> 32)));
        assert!(wide > tight && tight > 0);
    }
}
