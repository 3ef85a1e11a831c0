//! Whether the counter's instruction may be executed.

/// Whether this process may read the counter: `false` only where `prctl(PR_SET_TSC, PR_TSC_SIGSEGV)` has made
/// RDTSC deadly. Where nobody can forbid it (other architectures) or the kernel does not say: `true`. One
/// system call, see `PR_GET_TSC(2const)`.
#[cfg(all(target_os = "linux", any(target_arch = "x86", target_arch = "x86_64")))]
pub fn counter_readable() -> bool {
    let mut mode: libc::c_int = 0;
    // SAFETY: PR_GET_TSC writes one int to the address given, which is that of a live local.
    let status = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut mode, 0, 0, 0) };
    status != 0 || mode != libc::PR_TSC_SIGSEGV
}

/// Whether this process may read the counter: nothing here can forbid it.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86", target_arch = "x86_64"))))]
pub fn counter_readable() -> bool {
    true
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn follows_the_threads_setting() {
        assert!(counter_readable());
        // A thread of its own: the setting is the thread's, and ends with it. Nothing in it reads a clock.
        let forbidden = std::thread::spawn(|| {
            // SAFETY: only sets a flag of this thread.
            let set = |mode: libc::c_int| unsafe { libc::prctl(libc::PR_SET_TSC, mode, 0, 0, 0) };
            let status = set(libc::PR_TSC_SIGSEGV);
            let readable = counter_readable();
            set(libc::PR_TSC_ENABLE);
            (status, readable)
        });
        assert_eq!(forbidden.join().unwrap(), (0, false));
    }
}
