//! The calling thread's scheduling policy, by the system calls themselves: musl's functions of these names do nothing.

/// The policy without its flags; `None` where the system does not tell.
pub(super) fn policy() -> Option<libc::c_int> {
    // SAFETY: asks, touches no memory.
    let policy = unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) };
    (policy >= 0).then_some(policy as libc::c_int & !libc::SCHED_RESET_ON_FORK)
}

/// Puts a thread that reads without pause below the one that started it, where a realtime policy makes them equals: that one
/// could never run again on the CPU that both are bound to, and it is the one that ends the reading. A thread may always take
/// less; where it can't, it stays as it is.
pub(super) fn below_the_starter() {
    let Some(policy) = policy().filter(|policy| [libc::SCHED_FIFO, libc::SCHED_RR].contains(policy)) else { return };
    // The kernel's `struct sched_param` is this one number; musl's has more.
    let mut priority: libc::c_int = 0;
    // SAFETY: writes one sched_param.
    let failed = unsafe { libc::syscall(libc::SYS_sched_getparam, 0, &raw mut priority) };
    if failed != 0 {
        return;
    }
    let (policy, priority) = if priority > 1 { (policy, priority - 1) } else { (libc::SCHED_OTHER, 0) };
    // SAFETY: reads one sched_param.
    unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority) };
}
