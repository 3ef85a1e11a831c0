//! A reading by a line, of x86-64's own instructions.
//!
//! [`Chain::read`] says what is done, and is what all other machines do (and loom, and Miri). A compiler loads each atomic word
//! into a register of its own and puts the counter's two halves together before it subtracts: on an Intel of 2024 that takes four
//! cycles more than the bare `rdtsc`, and this one (docs/truetick/measured.md). Operands come from memory, and of the counter
//! the low half alone is computed with, as no line goes on where that wraps ([`Line::new`](crate::line::Line::new)). In which
//! order the loads stand beside `rdtsc` is worth a cycle there; this one was as good as any of 300, however the loop was aligned
//! but for two of eight ways.

use core::{arch::asm, mem::offset_of, num::NonZeroU64, sync::atomic::Ordering::Acquire};

use super::{Chain, SLOTS};
use crate::{
    discipline::START,
    native::Native,
    ring::{INDEX_SHIFT, POINTER},
};

/// Where the words of a slot are that a pointer points at: so far behind the ring's start, in units of half its bits.
const INDEX: u64 = (SLOTS as u64 - 1) << INDEX_SHIFT;
const STATE: usize = offset_of!(Chain, state);

// The ring comes first, and a slot is twice as long as one step of a pointer's index.
const _: () = assert!(offset_of!(Chain, ring) == 0 && STATE == SLOTS * ((2 << INDEX_SHIFT) + 8));

/// `$read` puts the counter into EDX:EAX. Then RAX is the stamp, and `seen` the state after everything else was loaded, or
/// the index where the counter is not on the line, which no pointer is equal to: it lacks [`POINTER`].
///
/// Words are loaded in the order of the program (x86 keeps the order of loads), each whole, being aligned; which of them are
/// from a later filling of the slot is told by the last load, as in [`ring`](crate::ring).
macro_rules! along {
    ($read:literal, $chain:expr, $state:expr, $seen:ident, $($counter:tt)*) => {
        asm!(
            "mov {high:e}, dword ptr [{ring} + 2*{at} + 4]",
            $read,
            "mov {low:e}, dword ptr [{ring} + 2*{at}]",
            // On the line: no less than its start, of the same upper half, and less than its length further. (The first follows
            // from the others, as no line goes beyond the wrap; without the branch it is a cycle slower.)
            "sub eax, {low:e}",
            "jb 2f",
            "cmp edx, {high:e}",
            "jne 2f",
            "cmp rax, qword ptr [{ring} + 2*{at} + 8]",
            "jae 2f",
            "imul rax, qword ptr [{ring} + 2*{at} + 24]",
            "shr rax, 32",
            "add rax, qword ptr [{ring} + 2*{at} + 64]",
            "mov {at}, qword ptr [{ring} + {STATE}]",
            "2:",
            ring = in(reg) core::ptr::from_ref::<Chain>($chain),
            at = inout(reg) $state & INDEX => $seen,
            high = out(reg) _,
            low = out(reg) _,
            STATE = const STATE,
            $($counter)*
            options(nostack),
        )
    };
}

impl Chain {
    /// The time as an [`Instant`](crate::Instant)'s word; ordered as [`now`](Self::now), or as [`now_relaxed`](Self::now_relaxed).
    #[inline(always)]
    pub(crate) fn stamp(&self, ordered: bool) -> NonZeroU64 {
        let state = self.state.load(Acquire);
        if state & POINTER != 0 {
            let (stamp, seen): (u64, u64);
            // SAFETY: loads words of this clock, all of them atomics; nothing is written.
            unsafe {
                if ordered {
                    along!("lfence\n\trdtsc", self, state, seen, out("rax") stamp, out("rdx") _,);
                } else {
                    along!("rdtsc", self, state, seen, out("rax") stamp, out("rdx") _,);
                }
            }
            if seen == state {
                // SAFETY: from 2^63 to 2^64 - 2^33 at the line's start (`Fit::words`), and less than 2^32 is added.
                return unsafe { NonZeroU64::new_unchecked(stamp) };
            }
        }
        START | self.slow(&Native).ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{discipline::Fit, hardware::Anchor, line::Line, wall::Wall};
    use proptest::prelude::*;

    /// What the reading makes of `ticks` under `state`, and the state that it saw.
    fn stamped(clock: &Chain, state: u64, ticks: u64) -> (u64, u64) {
        let (stamp, seen): (u64, u64);
        // SAFETY: as in `stamp`.
        unsafe {
            along!("", clock, state, seen, inout("rax") ticks & 0xffff_ffff => stamp, inout("rdx") ticks >> 32 => _,);
        };
        (stamp, seen)
    }

    /// A clock on that line, after some others.
    fn on(line: Line, others: usize) -> (Box<Chain>, u64) {
        let clock = Box::new(Chain::new());
        let now = Anchor { ticks: line.start, ns: line.base, half: 10 };
        let fit =
            |line| Fit { line, rate: 1.0, rate_off: 0.0, now, mid: now, old: now, lead: 0, wall: Wall::default() };
        let mut state = 0;
        for n in 0..=others {
            let line = if n == others { line } else { Line { base: 1, mult: 1, ..line } };
            state = clock.ring.publish(&clock.state, state, &fit(line).words()).unwrap();
        }
        (clock, state)
    }

    fn is_the_lines(line: Line, clock: &Chain, state: u64, ticks: u64) {
        let (stamp, seen) = stamped(clock, state, ticks);
        match line.at(ticks) {
            Some(ns) => assert_eq!((stamp, seen), (START.get() | ns, state), "{ticks} on {line:?}"),
            None => assert_ne!(seen, state, "{ticks} on {line:?}"),
        }
    }

    proptest! {
        #[test]
        fn is_what_the_line_says(
            start: u64, near in 0u64..4, base in 0u64..(1 << 63) - (1 << 33), hz in 3f64..12.0, ns in 0f64..31.0, others in 0usize..200,
            part in 0f64..1.0, far: u64, beside in -3i64..4,
        ) {
            // Half of the lines begin just before the lower half wraps.
            let start = if near < 2 { start | 0xffff_ff00 } else { start };
            let line = Line::new(start, base, 1e9 / 10f64.powf(hz), ns.exp2() as u64).unwrap();
            let (clock, state) = on(line, others);
            for end in [start, start.wrapping_add((line.len as f64 * part) as u64), start.wrapping_add(line.len), far] {
                for whole in [0, 1, u64::MAX, far] {
                    let ticks = end.wrapping_add_signed(beside).wrapping_add(whole << 32);
                    is_the_lines(line, &clock, state, ticks);
                }
            }
        }
    }

    #[test]
    fn an_earlier_state_does_not_count() {
        let line = Line::new(5000, 100, 1.0, 1000).unwrap();
        let (clock, state) = on(line, SLOTS + 3);
        is_the_lines(line, &clock, state, 5100);
        // The same slot, filled 64 lines before.
        let before = state - (2 << 13);
        assert_eq!(before & INDEX, state & INDEX);
        assert_ne!(stamped(&clock, before, 5100).1, before);
        // A clock without a line by now.
        clock.ring.replace(&clock.state, state, 100 << 2);
        assert_ne!(stamped(&clock, state, 5100).1, state);
    }

    #[test]
    fn the_longest_time_is_no_null() {
        let line = Line::new(5000, u64::MAX - 10, 1.0, 1000).unwrap();
        let (clock, state) = on(line, 0);
        assert_eq!(stamped(&clock, state, 5900), (u64::MAX - (1 << 33) + 1 + 900, state));
    }
}
