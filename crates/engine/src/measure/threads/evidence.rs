//! What a thread looks at after a long pair.

use std::path::PathBuf;

use clockscope_analysis::trace::Counted;

use crate::measure::Counters;
use crate::measure::continued::await_continued;

/// Bytes of /proc/stat and /proc/interrupts that a thread may read at first, and more for each nanosecond that passes: with
/// hundreds of CPUs a look takes the kernel a millisecond, and looks are to take a few hundredths of the time.
const BYTES: f64 = 1e6;
const BYTES_A_NS: f64 = 0.02;

/// Where the thread is, and what the kernel has counted for it.
pub trait Evidence {
    /// As of now, the CPU's number first; `long`: the pair before was one in which the process may have been stopped.
    fn look(&mut self, long: bool) -> (Option<u32>, Counted);
}

/// The calling thread's own.
pub(super) struct Own {
    counters: Counters,
    bytes_left: f64,
    before: Counted,
}

impl Own {
    pub(super) fn new(throttling: &[PathBuf]) -> Self {
        let counters = Counters::new(None).with(throttling, true);
        Self { counters, bytes_left: BYTES, before: Counted::default() }
    }

    /// What it can't look at, in words.
    pub(super) fn unread(&self) -> &[String] {
        &self.counters.unread
    }
}

impl Evidence for Own {
    fn look(&mut self, long: bool) -> (Option<u32>, Counted) {
        // SAFETY: sched_getcpu takes nothing and returns a number.
        let cpu = u32::try_from(unsafe { libc::sched_getcpu() }).ok();
        self.counters.on(cpu);
        let mut now = self.counters.read(self.bytes_left > 0.0);
        let passed_ns = now.since(&self.before).raw_ns.unwrap_or(0);
        self.bytes_left = (self.bytes_left + passed_ns as f64 * BYTES_A_NS).min(BYTES) - self.counters.spent as f64;
        // The handler that counts it may run later, and on another thread.
        if long && now.voluntary > self.before.voluntary {
            now.continued = self.before.continued.map(await_continued);
        }
        self.before = now;
        (cpu, now)
    }
}
