//! What the kernel counts for the calling thread and for its CPU, read outside of timed loops.

use std::fs::File;
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
    cpu: Option<u32>,
    stops: bool,
    /// What /proc/stat said last of the CPU: time in interrupts and stolen, ns.
    of_stat: [Option<u64>; 2],
    buffer: Vec<u8>,
    /// Bytes that the last reading took of the two files that grow with the number of CPUs.
    pub spent: usize,
}

impl Counters {
    /// For the calling thread, pinned to `cpu`.
    pub fn new(cpu: Option<u32>) -> Self {
        Self {
            schedstat: File::open("/proc/thread-self/schedstat").ok(),
            stat: File::open("/proc/stat").ok(),
            interrupts: File::open("/proc/interrupts").ok(),
            throttling: Vec::new(),
            boottime: kernel_clock(libc::CLOCK_BOOTTIME),
            monotonic: kernel_clock(libc::CLOCK_MONOTONIC),
            cpu,
            stops: false,
            of_stat: [None; 2],
            buffer: Vec::new(),
            spent: 0,
        }
    }

    /// The same, with the cgroups' throttling by these files ([`crate::machine::throttling`]), and the process's stops
    /// where [`super::Continued`] counts them.
    #[must_use]
    pub fn with(self, throttling: &[PathBuf], stops: bool) -> Self {
        let throttling = throttling.iter().filter_map(|path| File::open(path).ok()).collect();
        Self { throttling, stops, ..self }
    }

    /// The counters now; `slow`: also those in files that take the longer the more CPUs there are. Else the CPU's interrupts
    /// are not told, and what else those files hold stands as it was.
    /// The thread is on that CPU from now on.
    pub(super) fn on(&mut self, cpu: Option<u32>) {
        self.cpu = cpu;
    }

    /// The counters now; `slow`: also those in files that take the longer the more CPUs there are.
    pub fn read(&mut self, slow: bool) -> Counted {
        // Those that are held against one another stand together: an interruption between them would tear them apart.
        let waited_ns = field(read(self.schedstat.as_ref(), &mut self.buffer), 1);
        let now = |clock: Option<Gettime>| clock.and_then(|clock| clock.read().ok());
        let (monotonic_ns, ran_ns) = (now(self.monotonic), ran_ns());
        let slept_ns = slept_ns(|| now(self.boottime), || now(self.monotonic));
        let usage = usage();
        let usage = |of: fn(&libc::rusage) -> libc::c_long| usage.as_ref().map(|usage| of(usage) as u64);
        let mut counted = Counted {
            monotonic_ns,
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
        assert!(grown.ran_ns > Some(0) && grown.monotonic_ns >= grown.ran_ns.map(|ran| ran / 2), "{grown:?}");
    }
}
