//! What two threads share, and the read that is made before and after it.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::catalog::Clock;

/// Two lines' worth: x86's prefetcher fetches lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Line {
    /// The last message: the sender's reading without its highest bit, and below it a bit that is A's when set. One
    /// word, for two would let the receiver snatch the line away between the stores.
    message: AtomicU64,
    /// The last reading under the lock.
    reading: AtomicU64,
    /// Whether one of the two is at work under the lock.
    lock: AtomicBool,
    /// Who made the last reading under the lock: 0 nobody, else 1 for A and 2 for B.
    last_by: AtomicU32,
    /// Whether the thread at whose side the line is to lie has written to it.
    settled: AtomicBool,
}

/// Tries before a waiting thread looks whether it is to stop, and lets its sibling on the core run in between.
const TRIES: u32 = 128;

impl Line {
    /// Has the line lie on the NUMA node of the thread that is `at_home`: the kernel takes a page from where it is first
    /// written. The other one waits for that; false where `stop` came first.
    pub(super) fn settle(&self, at_home: bool, stop: &AtomicBool) -> bool {
        if at_home {
            self.settled.store(true, Ordering::Release);
        }
        while !self.settled.load(Ordering::Acquire) {
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            std::hint::spin_loop();
        }
        true
    }

    /// Passes a reading on. The store can't be seen before the reading was made: it holds it.
    #[inline(always)]
    pub(super) fn send(&self, from_a: bool, reading: u64) {
        self.message.store(reading << 1 | u64::from(from_a), Ordering::Release);
    }

    /// Waits for a message of A's, or of B's: its reading without the highest bit. `None` where `stop` came first.
    #[inline(always)]
    pub(super) fn wait(&self, from_a: bool, stop: &AtomicBool) -> Option<u64> {
        loop {
            for _ in 0..TRIES {
                let message = self.message.load(Ordering::Acquire);
                if message & 1 == u64::from(from_a) {
                    return Some(message >> 1);
                }
            }
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            std::hint::spin_loop();
        }
    }

    /// Takes the lock; false where `stop` came first.
    #[inline(always)]
    pub(super) fn take(&self, stop: &AtomicBool) -> bool {
        loop {
            for _ in 0..TRIES {
                if !self.lock.load(Ordering::Relaxed) && !self.lock.swap(true, Ordering::Acquire) {
                    return true;
                }
                std::hint::spin_loop();
            }
            if stop.load(Ordering::Relaxed) {
                return false;
            }
        }
    }

    /// Under the lock: the reading before and who made it, with `reading` of `by` put in its place.
    #[inline(always)]
    pub(super) fn swap(&self, by: u32, reading: u64) -> (u32, u64) {
        let before = (self.last_by.load(Ordering::Relaxed), self.reading.load(Ordering::Relaxed));
        self.last_by.store(by, Ordering::Relaxed);
        self.reading.store(reading, Ordering::Relaxed);
        before
    }

    /// Gives the lock back.
    #[inline(always)]
    pub(super) fn give(&self) {
        self.lock.store(false, Ordering::Release);
    }
}

/// `later` less `earlier` where either may lack its highest bit.
#[inline(always)]
pub(super) fn difference(later: u64, earlier: u64) -> i64 {
    (later.wrapping_sub(earlier) << 1) as i64 >> 1
}

/// One read, made after everything before it; `None` where the call fails. What is stored of the value can't be seen
/// by others before it was read.
#[inline(always)]
pub(super) fn ordered<C: Clock>(clock: &C) -> Option<u64> {
    barrier();
    let mut raw = C::room();
    (clock.call(&mut raw) == 0).then(|| C::count(&raw))
}

/// Waits until what stands before it is done, loads included: a counter may otherwise be read before the message that
/// it is to answer has come.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn barrier() {
    // SAFETY: LFENCE has no effect but order (Intel SDM vol. 2; AMD APM vol. 3, dispatch serializing under Linux).
    unsafe { core::arch::asm!("lfence", options(nostack, preserves_flags)) };
}

/// A load of the message is followed by a branch on its value, and ISB holds up what follows until that is settled.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn barrier() {
    // SAFETY: ISB has no effect but order (Arm ARM, Context synchronization event).
    unsafe { core::arch::asm!("isb", options(nostack, preserves_flags)) };
}

/// Elsewhere: the strongest order that the language knows.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[inline(always)]
fn barrier() {
    std::sync::atomic::fence(Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_its_reading_and_its_sender() {
        let (line, stop) = (Line::default(), AtomicBool::new(true));
        assert_eq!(line.wait(true, &stop), None);
        for reading in [0, 1, 12_345, u64::MAX >> 1, u64::MAX, 1 << 63] {
            line.send(true, reading);
            assert_eq!(line.wait(false, &stop), None);
            let received = line.wait(true, &stop).expect("it was sent");
            assert_eq!(difference(reading, received), 0);
            assert_eq!(difference(reading.wrapping_add(70), received), 70);
            assert_eq!(difference(received, reading.wrapping_add(70)), -70);
        }
    }
}
