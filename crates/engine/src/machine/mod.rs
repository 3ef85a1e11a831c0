//! Facts about the machine that explain its clocks' numbers.

/// Whether this process may execute RDTSC.
pub fn counter_readable() -> bool {
    let mut mode: libc::c_int = 0;
    // SAFETY: PR_GET_TSC writes one int.
    let ok = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut mode) } == 0;
    !ok || mode != libc::PR_TSC_SIGSEGV
}
