//! Why the reader stood still: looked up right after a gap, never inside a timed loop.

use clockscope_analysis::trace::Counted;

use super::counters::Counters;

/// Looks for causes of interruptions.
pub struct Causes {
    counters: Counters,
    last: Counted,
    /// Bytes of /proc/stat and /proc/interrupts that may still be read: on a machine with hundreds of CPUs
    /// one look takes the kernel a millisecond, and the survey has three seconds.
    bytes_left: usize,
}

/// Most bytes of those files in a run.
const BYTES: usize = 4 << 20;

impl Causes {
    /// Ready to look, for a reader pinned to `cpu`.
    pub fn new(cpu: Option<u32>) -> Self {
        let mut causes = Self { counters: Counters::new(cpu), last: Counted::default(), bytes_left: BYTES };
        causes.settle();
        causes
    }

    /// Forgets what happened until now.
    pub fn settle(&mut self) {
        let slow = self.bytes_left > 0;
        self.last = self.counters.read(slow);
        self.bytes_left = self.bytes_left.saturating_sub(self.counters.spent);
    }

    /// The cause of the gap that has just ended, the first of which a counter moved; `migrated`: the CPU changed over it.
    pub fn look(&mut self, migrated: bool) -> &'static str {
        let before = self.last;
        self.settle();
        let seen = self.last.since(&before);
        let causes = [
            ("preempted", seen.involuntary),
            ("preempted", seen.waited_ns),
            ("blocked", seen.voluntary),
            ("page-fault", seen.minor_faults),
            ("page-fault", seen.major_faults),
            ("stolen", seen.stolen_ns),
            ("interrupt", seen.interrupts),
        ];
        let mut moved = causes.iter().filter(|(_, grown)| grown.is_some_and(|grown| grown > 0));
        if migrated { "migrated" } else { moved.next().map_or("unknown", |(name, _)| name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_is_the_first_suspect() {
        assert_eq!(Causes::new(None).look(true), "migrated");
    }
}
