//! Linux: the kernel's verdict from sysfs, and a look at several CPUs where it gives none.
//!
//! System calls only, no allocation: the first reading may be made in a signal handler.

use core::ffi::{c_char, c_int, c_ulong, c_void};

use super::choose::{Counter, Kernel};
use crate::native;

unsafe extern "C" {
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn read(fd: c_int, buffer: *mut c_void, count: usize) -> isize;
    fn close(fd: c_int) -> c_int;
    fn sched_getaffinity(pid: c_int, size: usize, mask: *mut c_ulong) -> c_int;
    fn sched_setaffinity(pid: c_int, size: usize, mask: *const c_ulong) -> c_int;
    #[cfg(target_arch = "x86_64")]
    fn syscall(number: core::ffi::c_long, ...) -> core::ffi::c_long;
}

/// The clocksource that is the counter itself.
const NAME: &[u8] = if cfg!(target_arch = "x86_64") {
    b"tsc"
} else if cfg!(target_arch = "aarch64") {
    b"arch_sys_counter"
} else {
    b"riscv_clocksource"
};

/// The current clocksource; the length that is filled. 0: it could not be read.
pub(crate) fn current(buffer: &mut [u8; 64]) -> usize {
    const O_CLOEXEC: c_int = 0o2_000_000;
    let path = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";
    // SAFETY: a terminated path and a buffer of the length given; the descriptor is this function's own.
    let got = unsafe {
        let fd = open(path.as_ptr(), O_CLOEXEC);
        if fd < 0 {
            return 0;
        }
        let got = read(fd, buffer.as_mut_ptr().cast(), buffer.len());
        close(fd);
        got
    };
    let got = usize::try_from(got).unwrap_or(0);
    buffer[..got].trim_ascii().len()
}

/// The kernel's verdict.
pub(crate) fn kernel() -> Option<Kernel> {
    let mut buffer = [0; 64];
    match current(&mut buffer) {
        0 => None,
        // tsc-early stands in while the kernel has not finished calibrating; it is the same counter.
        n if &buffer[..n] == NAME || &buffer[..n] == b"tsc-early" => Some(Kernel::Uses),
        _ => Some(Kernel::Rejects),
    }
}

/// Whether this process may read the counter.
pub(crate) fn counter() -> Counter {
    if !native::HAS_COUNTER {
        return Counter::Absent;
    }
    #[cfg(target_arch = "x86_64")]
    {
        const SYS_PRCTL: core::ffi::c_long = 157;
        const PR_GET_TSC: c_int = 25;
        const PR_TSC_SIGSEGV: c_int = 2;
        let mut mode: c_int = 0;
        // SAFETY: PR_GET_TSC writes one int to the address given.
        let rc = unsafe { syscall(SYS_PRCTL, PR_GET_TSC, core::ptr::from_mut(&mut mode)) };
        if rc == 0 && mode == PR_TSC_SIGSEGV {
            return Counter::Forbidden;
        }
    }
    Counter::Readable
}

/// CPUs looked at, at most.
const CPUS: usize = 8;
const WORDS: usize = 16;

/// Moves this thread from one allowed CPU to the next, reading the counter on each, and back again: it must
/// never go back. Bounds the disagreement by what a move takes, some microseconds. The thread's set of CPUs is
/// put back as it was. `None`: there is but one CPU, or the system does not let this thread move.
pub(crate) fn cpus_agree() -> Option<bool> {
    const BITS: usize = c_ulong::BITS as usize;
    let size = WORDS * size_of::<c_ulong>();
    let mut all: [c_ulong; WORDS] = [0; WORDS];
    // SAFETY: the mask has the size given, here and below.
    if unsafe { sched_getaffinity(0, size, all.as_mut_ptr()) } < 0 {
        return None;
    }
    let allowed = (0..WORDS * BITS).filter(|&cpu| all[cpu / BITS] >> (cpu % BITS) & 1 == 1);
    let mut before = native::ordered();
    let (mut seen, mut agree) = (0, true);
    // Around twice: a counter that is ahead shows when its CPU is left.
    for _ in 0..2 {
        for cpu in allowed.clone().take(CPUS) {
            let mut one: [c_ulong; WORDS] = [0; WORDS];
            one[cpu / BITS] = 1 << (cpu % BITS);
            // SAFETY: as above.
            if unsafe { sched_setaffinity(0, size, one.as_ptr()) } == 0 {
                let now = native::ordered();
                agree &= now.wrapping_sub(before) < 1 << 63;
                before = now;
                seen += 1;
            }
        }
    }
    // SAFETY: as above; it was this thread's own set a moment ago.
    unsafe { sched_setaffinity(0, size, all.as_ptr()) };
    (seen > 2).then_some(agree)
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn looking_at_the_cpus_leaves_the_threads_set_as_it_was() {
        let set = || {
            let mut mask: [c_ulong; WORDS] = [0; WORDS];
            // SAFETY: the mask has the size given.
            unsafe { sched_getaffinity(0, size_of_val(&mask), mask.as_mut_ptr()) };
            mask
        };
        let before = set();
        let first = cpus_agree();
        assert_eq!(set(), before);
        assert_eq!(cpus_agree(), first);
    }
}
