//! What the kernel turns the counter into nanoseconds by for perf's users, as the page of an event holds it
//! (perf_event_open(2), `time_mult` and `time_shift`; kernel, arch/x86/events/core.c, arch_perf_update_userpage).

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{Ordering::Acquire, fence};

use clockscope_analysis::record::Frequency;

/// The source's name.
pub(super) const SOURCE: &str = "perf-page";

const PAGE: usize = 4096;
/// PERF_TYPE_SOFTWARE and PERF_COUNT_SW_DUMMY: an event that never comes, which needs no counter of the CPU's.
const SOFTWARE: u32 = 1;
const DUMMY: u64 = 9;
/// PERF_ATTR_SIZE_VER5, which kernels since 4.1 take.
const SIZE: u32 = 112;
/// Bits of `perf_event_attr`: disabled, exclude_kernel, exclude_hv. An event of one's own needs no privilege.
const FLAGS: u64 = 1 | 1 << 5 | 1 << 6;
/// `perf_event_mmap_page.capabilities`, bit 3: cap_user_time.
const USER_TIME: u64 = 1 << 3;

/// The beginning of `struct perf_event_attr`.
#[repr(C)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    rest: [u64; 8],
}

/// The beginning of `struct perf_event_mmap_page`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Head {
    version: u32,
    compat_version: u32,
    lock: u32,
    index: u32,
    offset: i64,
    time_enabled: u64,
    time_running: u64,
    capabilities: u64,
    pmc_width: u16,
    time_shift: u16,
    time_mult: u32,
}

/// The counter's frequency by the page's factor.
pub(super) fn stated() -> Result<Frequency, String> {
    let head = page()?;
    frequency(head.capabilities, head.time_mult, head.time_shift)
}

fn frequency(capabilities: u64, multiplier: u32, shift: u16) -> Result<Frequency, String> {
    if capabilities & USER_TIME == 0 {
        return Err("the kernel offers no time by perf's page (cap_user_time is 0): its own clock is not the bare counter, as in a \
                    guest that has its time from the hypervisor"
            .into());
    }
    let hz = 1e9 * 2f64.powi(i32::from(shift.min(64))) / f64::from(multiplier);
    if !(1e6..1e11).contains(&hz) {
        return Err(format!("perf's page: time_mult {multiplier}, time_shift {shift} are of no counter's frequency"));
    }
    let from = format!("perf's page: time_mult {multiplier}, time_shift {shift}");
    Ok(Frequency::read(SOURCE, hz, from, hz / f64::from(multiplier)))
}

/// The head of an event's page.
fn page() -> Result<Head, String> {
    let attributes = Attributes {
        kind: SOFTWARE,
        size: SIZE,
        config: DUMMY,
        sample_period: 0,
        sample_type: 0,
        read_format: 0,
        flags: FLAGS,
        rest: [0; 8],
    };
    let failed = |call: &str| format!("{call}: {}", std::io::Error::last_os_error());
    let (this, any, none): (libc::pid_t, libc::c_int, libc::c_int) = (0, -1, -1);
    // SAFETY: the structure is as long as its `size` says or longer, and lives through the call, which only reads it.
    let file =
        unsafe { libc::syscall(libc::SYS_perf_event_open, &raw const attributes, this, any, none, CLOSE_ON_EXEC) };
    let file = libc::c_int::try_from(file).unwrap_or(-1);
    if file < 0 {
        return Err(failed("perf_event_open"));
    }
    // SAFETY: the kernel has just handed this descriptor out; nobody else owns it.
    let file = unsafe { OwnedFd::from_raw_fd(file) };
    // SAFETY: a new mapping of one page at a place that the kernel chooses.
    let map = unsafe { libc::mmap(ptr::null_mut(), PAGE, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if map == libc::MAP_FAILED {
        return Err(failed("mmap of perf's page"));
    }
    let at = map.cast::<Head>();
    // The kernel writes it at the mapping and when the event is scheduled, which a disabled one is not.
    let look = || {
        // SAFETY: the page is mapped, longer than the head and aligned; a field torn by the kernel's writing is compared below.
        let head = unsafe { ptr::read_volatile(at) };
        fence(Acquire);
        head
    };
    let mut head = look();
    for _ in 0..TRIES {
        let again = look();
        let is_same = head.lock == again.lock && again.lock.is_multiple_of(2);
        head = again;
        if is_same {
            break;
        }
    }
    // SAFETY: the mapping is ours, and nothing refers to it any more.
    unsafe { libc::munmap(map, PAGE) };
    Ok(head)
}

const TRIES: usize = 1000;
/// PERF_FLAG_FD_CLOEXEC.
const CLOSE_ON_EXEC: libc::c_ulong = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_gives_the_frequency_to_a_hertz() {
        // 2 445 424 kHz: 10^6 · 2^31 / khz, cut.
        let of = |capabilities, multiplier, shift| frequency(capabilities, multiplier, shift);
        let found = of(USER_TIME | 2, 878_164_133, 31).unwrap();
        assert!((found.hz - 2_445_424_000.0).abs() < 10.0 && found.step_hz.unwrap() < 10.0, "{found:?}");
        assert!(of(2, 878_164_133, 31).unwrap_err().contains("cap_user_time"));
        for (multiplier, shift) in [(0, 31), (1, 60), (u32::MAX, 0), (5, u16::MAX)] {
            assert!(of(USER_TIME, multiplier, shift).unwrap_err().contains("no counter's"), "{multiplier} {shift}");
        }
    }

    #[test]
    fn here_it_says_something_or_why_not() {
        match stated() {
            Ok(frequency) => assert!(frequency.hz > 1e6 && !frequency.read_from.is_empty()),
            Err(why) => assert!(!why.is_empty()),
        }
    }
}
