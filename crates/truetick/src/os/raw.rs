//! System calls of Linux without the C library: a program that stands in front of `open` or `read` and reads the time
//! there does not come back here, and `errno` stays as it is. For the CPUs whose counter is read.

use core::ffi::{CStr, c_int};

#[cfg(target_arch = "x86_64")]
mod number {
    pub(super) const READ: usize = 0;
    pub(super) const CLOSE: usize = 3;
    pub(super) const OPENAT: usize = 257;
    pub(super) const ADJTIMEX: usize = 159;
}

/// The numbers of include/uapi/asm-generic/unistd.h.
#[cfg(not(target_arch = "x86_64"))]
mod number {
    pub(super) const READ: usize = 63;
    pub(super) const CLOSE: usize = 57;
    pub(super) const OPENAT: usize = 56;
    pub(super) const ADJTIMEX: usize = 171;
}

const AT_FDCWD: usize = -100isize as usize;
const O_CLOEXEC: usize = 0o2_000_000;

/// A file that is open for reading.
pub(crate) struct File(c_int);

impl File {
    /// `None`: it can't be opened.
    pub(crate) fn open(path: &CStr) -> Option<Self> {
        // SAFETY: a terminated path.
        let fd = unsafe { call(number::OPENAT, [AT_FDCWD, path.as_ptr() as usize, O_CLOEXEC, 0]) };
        c_int::try_from(fd).ok().filter(|&fd| fd >= 0).map(Self)
    }

    /// The next bytes: how many. 0 at the end, and where that fails. (Files of /proc and /sys are not interrupted by
    /// signals.)
    pub(crate) fn read(&self, buffer: &mut [u8]) -> usize {
        // SAFETY: a buffer of the length given, and this file's own descriptor.
        let got = unsafe { call(number::READ, [self.0 as usize, buffer.as_mut_ptr() as usize, buffer.len(), 0]) };
        usize::try_from(got).unwrap_or(0).min(buffer.len())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: this file's own descriptor, closed once.
        unsafe { call(number::CLOSE, [self.0 as usize, 0, 0, 0]) };
    }
}

/// The kernel's state of time (`struct __kernel_timex`, include/uapi/linux/timex.h) as words, of which the first says
/// what is wanted. The result is negative where the call fails.
pub(crate) fn adjtimex(words: &mut [u64; 26]) -> isize {
    // SAFETY: the structure has 208 bytes, which the kernel reads and writes.
    unsafe { call(number::ADJTIMEX, [words.as_mut_ptr() as usize, 0, 0, 0]) }
}

/// Whether the system makes this thread's reads of the counter fail (`PR_SET_TSC`).
#[cfg(target_arch = "x86_64")]
pub(crate) fn counter_is_forbidden() -> bool {
    const PRCTL: usize = 157;
    const PR_GET_TSC: usize = 25;
    const PR_TSC_SIGSEGV: c_int = 2;
    let mut mode: c_int = 0;
    // SAFETY: PR_GET_TSC writes one int to the address given.
    let rc = unsafe { call(PRCTL, [PR_GET_TSC, (&raw mut mode) as usize, 0, 0]) };
    rc == 0 && mode == PR_TSC_SIGSEGV
}

/// # Safety
/// What the system call `number` does with `arguments` must be sound.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, arguments: [usize; 4]) -> isize {
    let [a, b, c, d] = arguments;
    let result: isize;
    // SAFETY: the caller vouches for the call; SYSCALL overwrites RCX and R11 besides the result.
    unsafe {
        core::arch::asm!("syscall", inlateout("rax") number as isize => result, in("rdi") a, in("rsi") b, in("rdx") c,
            in("r10") d, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// # Safety
/// What the system call `number` does with `arguments` must be sound.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: usize, arguments: [usize; 4]) -> isize {
    let [a, b, c, d] = arguments;
    let result: isize;
    // SAFETY: the caller vouches for the call; SVC keeps all registers but the result's.
    unsafe {
        core::arch::asm!("svc 0", in("x8") number, inlateout("x0") a as isize => result, in("x1") b, in("x2") c,
            in("x3") d, options(nostack));
    }
    result
}

/// # Safety
/// What the system call `number` does with `arguments` must be sound.
#[cfg(target_arch = "riscv64")]
unsafe fn call(number: usize, arguments: [usize; 4]) -> isize {
    let [a, b, c, d] = arguments;
    let result: isize;
    // SAFETY: the caller vouches for the call; ECALL keeps all registers but the result's.
    unsafe {
        core::arch::asm!("ecall", in("a7") number, inlateout("a0") a as isize => result, in("a1") b, in("a2") c,
            in("a3") d, options(nostack));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_std_reads() {
        let path = c"/proc/self/cmdline";
        let mut bytes = [0; 4096];
        let file = File::open(path).unwrap();
        let got = file.read(&mut bytes);
        let whole = std::fs::read(path.to_str().unwrap()).unwrap();
        assert_eq!(bytes[..got], whole[..whole.len().min(got)]);
        assert_eq!((got > 0, file.read(&mut bytes[..0])), (true, 0));
        assert!(File::open(c"/there/is/no/such").is_none());
    }

    #[test]
    fn the_files_are_closed_again() {
        let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        // Other tests open files as well: not once in a hundred looks as many as would have been left open.
        for _ in 0..1000 {
            File::open(c"/proc/self/stat").unwrap();
        }
        assert!(open() < 900);
    }
}
