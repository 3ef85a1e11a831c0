//! Threads that stay on one CPU.

/// Does the work on a thread that is pinned to one CPU.
pub(crate) fn pinned(cpu: usize, work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin(cpu);
            work();
        });
    });
}

/// Pins this thread to one CPU; where the system refuses, it stays where it is.
pub(crate) fn pin(cpu: usize) {
    // SAFETY: an all-zero set is an empty one; the set has the size given.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
    }
}
