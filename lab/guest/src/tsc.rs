//! Another CPU's time-stamp counter, through /dev/cpu/N/msr: the kernel reads and writes it on that CPU.

#[cfg(target_arch = "x86_64")]
use std::os::unix::fs::FileExt;
use std::time::Duration;

#[cfg(target_arch = "x86_64")]
use anyhow::Context;
use anyhow::{Result, bail};
use lab_guest::notes::Ahead;

/// A register of another CPU.
#[cfg(target_arch = "x86_64")]
struct Msr {
    file: std::fs::File,
    cpu: u32,
    number: u64,
}

#[cfg(target_arch = "x86_64")]
impl Msr {
    fn open(cpu: u32, number: u64) -> Result<Self> {
        let path = format!("/dev/cpu/{cpu}/msr");
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path);
        Ok(Self { file: file.with_context(|| format!("can't open {path}"))?, cpu, number })
    }

    fn read(&self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, self.number).with_context(|| format!("can't read {self}"))?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn write(&self, value: u64) -> Result<()> {
        self.file.write_all_at(&value.to_le_bytes(), self.number).with_context(|| format!("can't write {self}"))
    }
}

#[cfg(target_arch = "x86_64")]
impl std::fmt::Display for Msr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MSR {:X}H of CPU {}", self.number, self.cpu)
    }
}

/// Puts the counter of `cpu` about so far ahead of CPU 0's, and tells how far it is then.
#[cfg(target_arch = "x86_64")]
pub(crate) fn write(cpu: u32, by_ticks: i64) -> Result<Ahead> {
    // A thread of its own: the program inherits where this one may run.
    let written = std::thread::spawn(move || write_from_cpu_0(cpu, by_ticks)).join();
    written.unwrap_or_else(|_| bail!("the thread that writes the counter panicked"))
}

#[cfg(target_arch = "x86_64")]
fn write_from_cpu_0(cpu: u32, by_ticks: i64) -> Result<Ahead> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    use truetick::counter::rdtscp_lfence;

    /// IA32_TIME_STAMP_COUNTER.
    const COUNTER: u64 = 0x10;
    /// Each comparison bounds the offset; the narrowest bounds of this many count.
    const COMPARISONS: u32 = 200;
    /// Writes until the offset is about what was asked for.
    const TRIES: u32 = 20;

    let mut first = CpuSet::new();
    first.set(0);
    sched_setaffinity(None, &first).context("can't stay on CPU 0")?;
    let counter = Msr::open(cpu, COUNTER)?;
    let compare = || -> Result<Ahead> {
        let mut ahead = Ahead { low: i64::MIN, high: i64::MAX };
        for _ in 0..COMPARISONS {
            let (before, on) = rdtscp_lfence();
            let there = counter.read()?;
            let (after, still_on) = rdtscp_lfence();
            if on & 0xfff != 0 || still_on & 0xfff != 0 {
                bail!("the comparison did not stay on CPU 0");
            }
            ahead.low = ahead.low.max(there.wrapping_sub(after).cast_signed());
            ahead.high = ahead.high.min(there.wrapping_sub(before).cast_signed());
        }
        Ok(ahead)
    };
    let mut missing = by_ticks;
    let mut ahead = Ahead { low: 0, high: 0 };
    for _ in 0..TRIES {
        // Between reading and writing time passes, and is lost: on a busy host more than what was asked for.
        counter.write(counter.read()?.wrapping_add_signed(missing))?;
        ahead = compare()?;
        missing = by_ticks - i64::midpoint(ahead.low, ahead.high);
        if missing.abs() < by_ticks.abs() / 2 {
            break;
        }
    }
    Ok(ahead)
}

/// Makes the counter of `cpu` run faster by so much, ppb, for that long, and tells by how much it did.
#[cfg(target_arch = "x86_64")]
pub(crate) fn drift(cpu: u32, ppb: f64, every: Duration, time: Duration) -> Result<f64> {
    use std::time::Instant;

    use truetick::counter::rdtscp_lfence;

    /// IA32_TSC_ADJUST: what is added to it is added to the counter at once, however long that takes.
    const ADJUST: u64 = 0x3b;

    let adjust = Msr::open(cpu, ADJUST)?;
    let first = adjust.read()?;
    let (start, from) = (Instant::now(), rdtscp_lfence().0);
    let (mut passed, mut added) = (0, 0);
    while start.elapsed() < time {
        std::thread::sleep(every);
        passed = rdtscp_lfence().0.wrapping_sub(from);
        added = (passed as f64 * ppb * 1e-9).round() as i64;
        adjust.write(first.wrapping_add_signed(added))?;
    }
    Ok(added as f64 / passed as f64 * 1e9)
}

/// No such register here.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn drift(cpu: u32, _ppb: f64, _every: Duration, _time: Duration) -> Result<f64> {
    bail!("CPU {cpu} has no time-stamp counter that could be written")
}

/// No such register here.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn write(cpu: u32, _by_ticks: i64) -> Result<Ahead> {
    bail!("CPU {cpu} has no time-stamp counter that could be written")
}
