//! What the kernel counts for the calling thread and for its CPU, read outside of timed loops.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use clockscope_analysis::trace::Counted;

use super::continued;
use super::proc::{cpu_field, field, interrupts_taken, read, throttled_ns};
use crate::catalog::{Clock, Gettime, kernel_clock};

/// Nanoseconds of a clock tick in which /proc/stat counts: USER_HZ is 100 on every architecture but Alpha and IA-64.
const TICK_NS: u64 = 10_000_000;

/// Sleeps of the machine are told to this, ns.
const FINE_NS: u64 = 100_000;

/// Reads the counters of the calling thread. Its files are opened once, so that a reading takes some microseconds, and some
/// tens with the CPU's interrupts and stolen time.
pub struct Counters {
    schedstat: Option<File>,
    stat: Option<File>,
    interrupts: Option<File>,
    throttling: Vec<File>,
    boottime: Option<Gettime>,
    monotonic: Option<Gettime>,
    /// The clock that nobody slews, as the scheduler's is not: with [`ran_ns`] it tells the time off the CPU.
    raw: Option<Gettime>,
    cpu: Option<u32>,
    stops: bool,
    /// What /proc/stat said last of the CPU: time in interrupts and stolen, ns.
    of_stat: [Option<u64>; 2],
    buffer: Vec<u8>,
    /// Bytes that the last reading took of the two files that grow with the number of CPUs.
    pub spent: usize,
    /// Files that could not be opened, with the reason: what they tell of is told by nothing.
    pub unread: Vec<String>,
}

impl Counters {
    /// For the calling thread, pinned to `cpu`.
    pub fn new(cpu: Option<u32>) -> Self {
        let mut unread = Vec::new();
        let mut open = |path: &str| kept(path, File::open(path), &mut unread);
        Self {
            schedstat: open("/proc/thread-self/schedstat"),
            stat: open("/proc/stat"),
            interrupts: open("/proc/interrupts"),
            throttling: Vec::new(),
            boottime: kernel_clock(libc::CLOCK_BOOTTIME),
            monotonic: kernel_clock(libc::CLOCK_MONOTONIC),
            raw: kernel_clock(libc::CLOCK_MONOTONIC_RAW),
            cpu,
            stops: false,
            of_stat: [None; 2],
            buffer: Vec::new(),
            spent: 0,
            unread,
        }
    }

    /// The same, with the cgroups' throttling by these files ([`crate::machine::throttling`]), and the process's stops
    /// where [`super::Continued`] counts them.
    #[must_use]
    pub fn with(mut self, throttling: &[PathBuf], stops: bool) -> Self {
        // All of them are the cgroup's to whoever is told of one that can't be read; their paths are names of the machine's.
        let mut open = |path: &PathBuf| kept("the cgroup's cpu.stat", File::open(path), &mut self.unread);
        self.throttling = throttling.iter().filter_map(&mut open).collect();
        Self { stops, ..self }
    }

    /// The thread is on that CPU from now on.
    pub(super) fn on(&mut self, cpu: Option<u32>) {
        self.cpu = cpu;
    }

    /// The counters now; `slow`: also those in files that take the longer the more CPUs there are. Else the CPU's interrupts
    /// are not told, and what else those files hold stands as it was.
    pub fn read(&mut self, slow: bool) -> Counted {
        // Those that are held against one another stand together: an interruption between them would tear them apart.
        let waited_ns = waited_ns(read(self.schedstat.as_ref(), &mut self.buffer));
        let now = |clock: Option<Gettime>| clock.and_then(|clock| clock.read().ok());
        let (raw_ns, ran_ns) = (now(self.raw), ran_ns());
        let slept_ns = slept_ns(|| now(self.boottime), || now(self.monotonic));
        let usage = usage();
        let usage = |of: fn(&libc::rusage) -> libc::c_long| usage.as_ref().map(|usage| of(usage) as u64);
        let mut counted = Counted {
            raw_ns,
            slept_ns,
            ran_ns,
            waited_ns,
            involuntary: usage(|usage| usage.ru_nivcsw),
            voluntary: usage(|usage| usage.ru_nvcsw),
            minor_faults: usage(|usage| usage.ru_minflt),
            major_faults: usage(|usage| usage.ru_majflt),
            continued: self.stops.then(continued::count),
            ..Counted::default()
        };
        for file in &self.throttling {
            let more = throttled_ns(read(Some(file), &mut self.buffer));
            counted.throttled_ns = counted.throttled_ns.map_or(more, |sum| Some(sum + more?));
        }
        self.spent = 0;
        if let Some(cpu) = self.cpu.filter(|_| slow) {
            let text = read(self.stat.as_ref(), &mut self.buffer);
            self.spent = text.len();
            // A column that is 0 since the machine started is one that the kernel does not keep.
            let column = |index| cpu_field(text, cpu, index).filter(|ticks| *ticks > 0).map(|ticks| ticks * TICK_NS);
            self.of_stat = [6, 8].map(column);
            let text = read(self.interrupts.as_ref(), &mut self.buffer);
            self.spent += text.len();
            counted.interrupts = interrupts_taken(text, cpu);
        }
        [counted.interrupted_ns, counted.stolen_ns] = self.of_stat;
        counted
    }
}

/// A file, or a note why there is none.
fn kept(name: &str, opened: io::Result<File>, unread: &mut Vec<String>) -> Option<File> {
    opened
        .map_err(|error| unread.push(format!("{name} can't be opened, and what it tells of is not known: {error}")))
        .ok()
}

/// Time waited for a CPU, of a thread's schedstat. A kernel that keeps none says "0 0 0" (fs/proc/base.c), which no thread
/// that runs can have.
fn waited_ns(schedstat: &str) -> Option<u64> {
    (0..3).any(|at| field(schedstat, at) > Some(0)).then(|| field(schedstat, 1)).flatten()
}

/// What the clock that counts sleep is ahead, in whole 0.1 ms; `None` where an interruption came between the reads.
fn slept_ns(boottime: impl Fn() -> Option<u64>, monotonic: impl Fn() -> Option<u64>) -> Option<u64> {
    let (before, ahead, after) = (monotonic()?, boottime()?, monotonic()?);
    (after.saturating_sub(before) < FINE_NS).then(|| ahead.saturating_sub(before) / FINE_NS * FINE_NS)
}

/// What getrusage(2) says of the calling thread.
fn usage() -> Option<libc::rusage> {
    // SAFETY: all zeros is a value of rusage, and the call writes one. Straight to the kernel: a library
    // that interposes getrusage should not be asked for evidence.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let failed = libc::syscall(libc::SYS_getrusage, libc::RUSAGE_THREAD, &raw mut usage);
        (failed == 0).then_some(usage)
    }
}

/// The calling thread's time on a CPU, past the C library; it is brought up to date by asking, as schedstat is not.
fn ran_ns() -> Option<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the kernel writes one timespec.
    let failed = unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    (failed == 0).then_some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_is_told_and_an_interruption_of_the_reads_is_none() {
        let reads = |times: [u64; 2]| {
            let left = std::cell::Cell::new(times.into_iter());
            move || {
                let mut times = left.take();
                let next = times.next();
                left.set(times);
                next
            }
        };
        assert_eq!(slept_ns(|| Some(5_000_400_070), reads([400_000, 400_100])), Some(5_000_000_000));
        assert_eq!(slept_ns(|| Some(9_000_000), reads([400_000, 9_000_100])), None);
        assert_eq!(slept_ns(|| None, reads([1, 2])), None);
    }

    #[test]
    fn a_thread_that_runs_is_counted_as_running() {
        let mut counters = Counters::new(None);
        let before = counters.read(true);
        std::hint::black_box((0..1_000_000_u64).fold(0, |sum, i| std::hint::black_box(sum ^ i)));
        let grown = counters.read(true).since(&before);
        assert!(grown.ran_ns > Some(0) && grown.raw_ns >= grown.ran_ns.map(|ran| ran / 2), "{grown:?}");
    }

    #[test]
    fn time_passes_by_the_clock_that_nobody_slews() {
        let raw = kernel_clock(libc::CLOCK_MONOTONIC_RAW).unwrap();
        let mut counters = Counters::new(None);
        let before = raw.read().ok();
        let seen = counters.read(false).raw_ns;
        assert!(before <= seen && seen <= raw.read().ok() && seen.is_some(), "{before:?}, then {seen:?}");
    }

    #[test]
    fn a_kernel_that_does_not_keep_how_long_a_thread_waited_says_nothing() {
        assert_eq!((waited_ns("0 0 0\n"), waited_ns(""), waited_ns("17 x 3")), (None, None, None));
        assert_eq!((waited_ns("17 0 3\n"), waited_ns("0 5 1\n")), (Some(0), Some(5)));
    }

    #[test]
    fn what_can_not_be_opened_is_said() {
        let counters = Counters::new(None).with(&[PathBuf::from("/proc/no-such-file")], false);
        let of_cgroup = counters.unread.iter().filter(|why| why.starts_with("the cgroup's cpu.stat can't be opened"));
        assert_eq!(of_cgroup.count(), 1, "{:?}", counters.unread);
    }
}
