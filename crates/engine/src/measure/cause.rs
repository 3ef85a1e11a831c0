//! Why the reader stood still: looked up right after a gap, never inside a timed loop.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// What a gap is called across which a counter moves, the first that did. The counters: times that the thread was
/// preempted; ns that it waited for a CPU while it could have run; times that it blocked; its page faults; clock ticks
/// that the hypervisor took from this CPU; interrupts that this CPU took.
const NAMES: [&str; 6] = ["preempted", "preempted", "blocked", "page-fault", "stolen", "interrupt"];

/// Looks for causes of interruptions. Opens its files once, so that a look costs some microseconds.
pub struct Causes {
    schedstat: Option<File>,
    stat: Option<File>,
    interrupts: Option<File>,
    cpu: Option<u32>,
    last: [u64; NAMES.len()],
    buffer: Vec<u8>,
    /// Bytes of /proc/stat and /proc/interrupts that may still be read: on a machine with hundreds of CPUs
    /// one look takes the kernel a millisecond, and the survey has three seconds.
    bytes_left: usize,
}

/// Most bytes read of one file.
const LONGEST: usize = 1 << 20;

impl Causes {
    /// Ready to look, for a reader pinned to `cpu`.
    pub fn new(cpu: Option<u32>) -> Self {
        let mut causes = Self {
            schedstat: File::open("/proc/thread-self/schedstat").ok(),
            stat: File::open("/proc/stat").ok(),
            interrupts: File::open("/proc/interrupts").ok(),
            cpu,
            last: Default::default(),
            buffer: Vec::new(),
            bytes_left: 4 * LONGEST,
        };
        causes.settle();
        causes
    }

    /// Forgets what happened until now.
    pub fn settle(&mut self) {
        self.last = self.counters();
    }

    /// The cause of the gap that has just ended; `migrated`: the CPU changed over it.
    pub fn look(&mut self, migrated: bool) -> &'static str {
        let before = self.last;
        self.settle();
        let mut moved = NAMES.iter().zip(self.last.iter().zip(before)).filter(|(_, (now, before))| *now > before);
        if migrated { "migrated" } else { moved.next().map_or("unknown", |(name, _)| name) }
    }

    /// The counters now; the last two as they were once the budget is spent.
    fn counters(&mut self) -> [u64; NAMES.len()] {
        // SAFETY: all zeros is a value of rusage, and the call writes one. Straight to the kernel: a library
        // that interposes getrusage should not be asked for evidence.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::syscall(libc::SYS_getrusage, libc::RUSAGE_THREAD, &raw mut usage);
            usage
        };
        let waited_ns = field(read(self.schedstat.as_ref(), &mut self.buffer), 1).unwrap_or(0);
        let [.., mut stolen, mut interrupts] = self.last;
        if let Some(cpu) = self.cpu.filter(|_| self.bytes_left > 0) {
            let text = read(self.stat.as_ref(), &mut self.buffer);
            let spent = text.len();
            stolen = stolen_ticks(text, cpu).unwrap_or(stolen);
            let text = read(self.interrupts.as_ref(), &mut self.buffer);
            interrupts = interrupts_taken(text, cpu).unwrap_or(interrupts);
            self.bytes_left = self.bytes_left.saturating_sub(spent + text.len());
        }
        let faults = usage.ru_minflt + usage.ru_majflt;
        let [preempted, blocked, faults] = [usage.ru_nivcsw, usage.ru_nvcsw, faults].map(|count| count as u64);
        [preempted, waited_ns, blocked, faults, stolen, interrupts]
    }
}

/// A whole /proc file, from its start; empty if it can't be read.
fn read<'a>(file: Option<&File>, buffer: &'a mut Vec<u8>) -> &'a str {
    buffer.clear();
    if let Some(file) = file {
        let mut filled = 0;
        while filled < LONGEST {
            buffer.resize(filled + (16 << 10), 0);
            match file.read_at(&mut buffer[filled..], filled as u64) {
                Ok(0) | Err(_) => break,
                Ok(n) => filled += n,
            }
        }
        buffer.truncate(filled);
    }
    std::str::from_utf8(buffer).unwrap_or("")
}

fn field(text: &str, index: usize) -> Option<u64> {
    text.split_ascii_whitespace().nth(index)?.parse().ok()
}

/// Field 8 of a CPU's line in /proc/stat (proc_stat(5)).
fn stolen_ticks(stat: &str, cpu: u32) -> Option<u64> {
    let name = format!("cpu{cpu}");
    let line = stat.lines().find(|line| line.split_ascii_whitespace().next() == Some(&name))?;
    field(line, 8)
}

/// Sum of a CPU's column in /proc/interrupts.
fn interrupts_taken(interrupts: &str, cpu: u32) -> Option<u64> {
    let mut lines = interrupts.lines();
    let name = format!("CPU{cpu}");
    let column = lines.next()?.split_ascii_whitespace().position(|head| head == name)?;
    Some(lines.filter_map(|line| field(line, column + 1)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let interrupts = "      CPU0  CPU2\n  0:   5  7  IO-APIC timer\nLOC: 100 200 Local timer\nERR: 3\n";
        assert_eq!(interrupts_taken(interrupts, 2), Some(207));
        assert_eq!(interrupts_taken(interrupts, 0), Some(108));
        assert_eq!(interrupts_taken(interrupts, 1), None);
        let stat = "cpu  1 2 3 4 5 6 7 8 9\ncpu1 1 2 3 4 5 6 7 88 9\ncpu10 0 0 0 0 0 0 0 99 0\n";
        assert_eq!(stolen_ticks(stat, 1), Some(88));
        assert_eq!(stolen_ticks("garbage", 1), None);
    }

    #[test]
    fn a_migration_is_the_first_suspect() {
        assert_eq!(Causes::new(None).look(true), "migrated");
    }
}
