//! Linux: the kernel's verdict from sysfs, and the same later from what reading its clock costs.
//!
//! The first reading makes system calls, no allocation: it may be made in a signal handler. Later ones make none that
//! the system's clock does not make: a filter of system calls (seccomp) that came in between has nothing to catch.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::choose::Kernel;
use crate::{
    discipline, native,
    os::{self, own::raw},
};

/// The clocksource that is the counter itself.
const NAME: &[u8] = if cfg!(target_arch = "x86_64") {
    b"tsc"
} else if cfg!(target_arch = "aarch64") {
    b"arch_sys_counter"
} else {
    b"riscv_clocksource"
};

pub(crate) const SLEW: Option<f64> = Some(discipline::SLEW);

/// The current clocksource; the length that is filled. 0: it could not be read.
pub(crate) fn clocksource(buffer: &mut [u8; 64]) -> usize {
    let path = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let got = raw::File::open(path).map_or(0, |file| file.read(buffer));
    buffer[..got].trim_ascii().len()
}

/// The kernel's verdict.
pub(crate) fn kernel() -> Option<Kernel> {
    let mut buffer = [0; 64];
    let n = clocksource(&mut buffer);
    STEP_NS.store(step_of(&buffer[..n]), Relaxed);
    verdict_of(&buffer[..n])
}

fn verdict_of(name: &[u8]) -> Option<Kernel> {
    match name {
        b"" => None,
        // tsc-early stands in while the kernel has not finished calibrating; it is the same counter.
        _ if name == NAME || name == b"tsc-early" => Some(Kernel::Uses),
        b"kvm-clock" | b"xen" | b"hyperv_clocksource_tsc_page" if cfg!(target_arch = "x86_64") => Some(Kernel::Page),
        _ => Some(Kernel::Rejects),
    }
}

/// How far the kernel's clock goes in one step, ns; 0: not asked yet.
static STEP_NS: AtomicU64 = AtomicU64::new(0);

/// How far the kernel's clock goes in one step, ns, by the clocksource as it was at the first reading.
pub(crate) fn step_ns() -> u64 {
    STEP_NS.load(Relaxed).max(1)
}

/// The step of the clock that is made of this clocksource, ns. (`clock_getres` says 1 ns of each of them.)
fn step_of(name: &[u8]) -> u64 {
    match name {
        _ if name == NAME => 1,
        b"tsc-early" | b"kvm-clock" | b"xen" => 1,
        // An HPET has 10 MHz at least (its specification); Hyper-V's reference time has just that.
        b"hpet" | b"" => 100,
        _ if name.starts_with(b"hyperv_") => 100,
        // 3.579545 MHz.
        b"acpi_pm" => 280,
        // 1.193182 MHz.
        b"pit" => 839,
        // Ticks of the scheduler, at 100 Hz the fewest; and what is not known.
        _ => 10_000_000,
    }
}

/// Whether the system forbids this process to read the counter.
pub(crate) fn forbidden() -> bool {
    #[cfg(target_arch = "x86_64")]
    return raw::counter_is_forbidden();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Calls timed at once: a counter of 24 MHz hardly moves in one.
const CALLS: u32 = 16;
/// Of so many times the shortest counts.
const ROUNDS: u32 = 3;
/// The same where the answer stands for good: a CPU that is taken away all the time may interrupt three of them.
const PATIENT: u32 = 15;
/// Reading the kernel's clock in user space costs a read of the counter and some arithmetic, about one of the coarse
/// clock: 1.0 to 1.2 times their sum; a system call 5 times and more.
const CALL: f64 = 3.0;

/// How often the coarse clock is tried singly: an emulated CPU, and one that has slept, takes five or six calls to come up
/// to its speed.
const TRIES: u32 = 16;

/// What reading the kernel's clock costs, as a multiple of what the counter and the coarse clock cost, which needs no
/// system call, by the shortest of so many rounds each. `None`: they are too quick for the counter, or the coarse clock
/// needs one as well.
fn cost(rounds: u32) -> Option<f64> {
    let counter = || Some(native::ordered());
    // Where the coarse clock is a system call as well (no vDSO, or one that does not know it) a call may take 10 µs: single
    // ones tell that, before there are hundreds.
    let quick = |_| ticks_of(1, counter).saturating_mul(16) >= ticks_of(1, os::coarse_ns);
    if !(0..TRIES).any(quick) {
        return None;
    }
    let mut least = [u64::MAX; 3];
    for _ in 0..rounds {
        let times = [counter, os::coarse_ns, os::monotonic_ns].map(|read| ticks_of(CALLS, read));
        least = core::array::from_fn(|i| least[i].min(times[i]));
    }
    multiple(least)
}

/// What so many calls take, ticks. One code for all that are compared, so that it is as warm for each.
#[inline(never)]
fn ticks_of(calls: u32, read: fn() -> Option<u64>) -> u64 {
    let before = native::ordered();
    for _ in 0..calls {
        core::hint::black_box(read());
    }
    native::ordered().wrapping_sub(before)
}

fn multiple([counter, coarse, clock]: [u64; 3]) -> Option<f64> {
    let whole = counter.saturating_add(coarse);
    (whole >= 4 && coarse <= counter.saturating_mul(8)).then_some(clock as f64 / whole as f64)
}

/// Whether the kernel's clock is read in user space (through the vDSO). It offers that only for clocksources that are a
/// counter which it trusts, on all CPUs alike: the counter itself, or KVM's and Hyper-V's pages over it, as long as their
/// hosts call it stable. Costs about 15 µs, no system call but what reading the clock may need.
pub(crate) fn in_user_space() -> Option<bool> {
    cost(PATIENT).map(|cost| cost <= CALL)
}

/// The least that [`cost`] was found to be, as the bits of an `f64`; 0: not asked yet.
static LEAST: AtomicU64 = AtomicU64::new(0);

/// Whether the kernel still makes its clock of the counter: no, once reading it costs several times what it did before.
/// In a program that stands in front of `clock_gettime` it may have cost more than a call from the start.
pub(crate) fn still_used() -> Option<bool> {
    let cost = cost(ROUNDS)?;
    let least = match LEAST.load(Relaxed) {
        0 => cost,
        bits => f64::from_bits(bits).min(cost),
    };
    LEAST.store(least.to_bits(), Relaxed);
    Some(cost <= CALL * least.max(1.0))
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_system_call_shows_in_what_the_clock_costs() {
        let call = |times| multiple(times).map(|m| m <= CALL);
        // Ticks of 16 reads of the counter, the coarse clock and the clock: AMD at 2.6 GHz, a counter of 24 MHz.
        assert_eq!(call([780, 190, 960]), Some(true));
        assert_eq!(call([780, 190, 12_000]), Some(false));
        assert_eq!(call([6, 2, 8]), Some(true));
        assert_eq!(call([6, 2, 40]), Some(false));
        // A counter of 1 MHz; no vDSO at all.
        assert_eq!(call([1, 0, 2]), None);
        assert_eq!(call([780, 10_000, 12_000]), None);
    }

    #[test]
    fn verdicts_are_known_by_name() {
        let page = if cfg!(target_arch = "x86_64") { Kernel::Page } else { Kernel::Rejects };
        for (name, verdict) in [
            (NAME, Some(Kernel::Uses)),
            (b"", None),
            (b"kvm-clock", Some(page)),
            (b"xen", Some(page)),
            (b"hyperv_clocksource_tsc_page", Some(page)),
            // Hyper-V's register takes an exit to the host; HPET and the power management timer are other clocks.
            (b"hyperv_clocksource_msr", Some(Kernel::Rejects)),
            (b"hpet", Some(Kernel::Rejects)),
            (b"acpi_pm", Some(Kernel::Rejects)),
        ] {
            assert_eq!(verdict_of(name), verdict, "{}", String::from_utf8_lossy(name));
        }
    }

    #[test]
    fn steps_are_known_by_name() {
        for (name, step) in
            [("hpet", 100), ("acpi_pm", 280), ("jiffies", 10_000_000), ("hyperv_clocksource_tsc_page", 100)]
        {
            assert_eq!(step_of(name.as_bytes()), step);
        }
        assert_eq!(step_of(NAME), 1);
    }

    #[test]
    fn the_cost_agrees_with_the_kernels_own_word() {
        // Elsewhere the clock is read in user space too (KVM's page), or nothing can be told.
        if let (Some(Kernel::Uses), Some(answer)) = (kernel(), in_user_space()) {
            assert!(answer, "{:?}", cost(PATIENT));
        }
    }
}
