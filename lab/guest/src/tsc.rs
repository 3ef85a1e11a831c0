//! Another CPU's time-stamp counter, through /dev/cpu/N/msr: the kernel reads and writes it on that CPU.

use std::time::Duration;

use anyhow::{Result, bail};
use lab_guest::notes::Ahead;

/// Puts the counter of `cpu` about so far ahead of CPU 0's, and tells how far it is then.
#[cfg(target_arch = "x86_64")]
pub(crate) fn write(cpu: u32, by_ticks: i64) -> Result<Ahead> {
    // A thread of its own: the program inherits where this one may run.
    let written = std::thread::spawn(move || write_from_cpu_0(cpu, by_ticks)).join();
    written.unwrap_or_else(|_| bail!("the thread that writes the counter panicked"))
}

#[cfg(target_arch = "x86_64")]
fn write_from_cpu_0(cpu: u32, by_ticks: i64) -> Result<Ahead> {
    use std::fs::OpenOptions;
    use std::os::unix::fs::FileExt;

    use anyhow::Context;
    use rustix::thread::{CpuSet, sched_setaffinity};
    use truetick::counter::rdtscp_lfence;

    /// IA32_TIME_STAMP_COUNTER.
    const MSR: u64 = 0x10;
    /// Each comparison bounds the offset; the narrowest bounds of this many count.
    const COMPARISONS: u32 = 200;
    /// Writes until the offset is about what was asked for.
    const TRIES: u32 = 20;

    let mut first = CpuSet::new();
    first.set(0);
    sched_setaffinity(None, &first).context("can't stay on CPU 0")?;
    let path = format!("/dev/cpu/{cpu}/msr");
    let msr = OpenOptions::new().read(true).write(true).open(&path);
    let msr = msr.with_context(|| format!("can't open {path}"))?;
    let read = || -> Result<u64> {
        let mut bytes = [0; 8];
        msr.read_exact_at(&mut bytes, MSR).with_context(|| format!("can't read {path}"))?;
        Ok(u64::from_le_bytes(bytes))
    };
    let compare = || -> Result<Ahead> {
        let mut ahead = Ahead { low: i64::MIN, high: i64::MAX };
        for _ in 0..COMPARISONS {
            let (before, on) = rdtscp_lfence();
            let there = read()?;
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
        let ticks = read()?.wrapping_add_signed(missing);
        msr.write_all_at(&ticks.to_le_bytes(), MSR).with_context(|| format!("can't write {path}"))?;
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
    use std::fs::OpenOptions;
    use std::os::unix::fs::FileExt;
    use std::time::Instant;

    use anyhow::Context;
    use truetick::counter::rdtscp_lfence;

    /// IA32_TSC_ADJUST: what is added to it is added to the counter at once, however long that takes.
    const MSR: u64 = 0x3b;

    let path = format!("/dev/cpu/{cpu}/msr");
    let msr = OpenOptions::new().read(true).write(true).open(&path);
    let msr = msr.with_context(|| format!("can't open {path}"))?;
    let mut bytes = [0; 8];
    msr.read_exact_at(&mut bytes, MSR).with_context(|| format!("can't read MSR 3BH by {path}"))?;
    let first = i64::from_le_bytes(bytes);
    let (start, from) = (Instant::now(), rdtscp_lfence().0);
    let (mut passed, mut added) = (0, 0);
    while start.elapsed() < time {
        std::thread::sleep(every);
        passed = rdtscp_lfence().0.wrapping_sub(from);
        added = (passed as f64 * ppb * 1e-9).round() as i64;
        let adjusted = first.wrapping_add(added).to_le_bytes();
        msr.write_all_at(&adjusted, MSR).with_context(|| format!("can't write MSR 3BH by {path}"))?;
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
