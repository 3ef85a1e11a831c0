//! The kernel takes its clock off the counter after the source was chosen and before anything else was read, as in a
//! server that forks its workers: it is seen all the same. Alone in its program, whose `clock_gettime` it replaces.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64", not(any(loom, miri))))]

mod behind;

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};

use truetick::{Clock, Source, Why};

/// Whether reading the monotonic clock is a system call.
static DEMOTED: AtomicBool = AtomicBool::new(false);

/// Stands in front of the C library's, for this whole program.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    if clock == libc::CLOCK_MONOTONIC && DEMOTED.load(Relaxed) {
        let mut rc = 0;
        // As slow as a device is, so that no busy host hides it.
        for _ in 0..8 {
            // SAFETY: passed on.
            rc = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) };
        }
        return rc as libc::c_int;
    }
    // SAFETY: passed on.
    unsafe { behind::gettime()(clock, time) }
}

#[test]
fn a_counter_is_left_that_the_kernel_left_before_the_first_line() {
    if Clock::init() != Source::Counter {
        println!("there is no counter to leave: {}", Clock::why());
        return;
    }
    DEMOTED.store(true, Relaxed);
    let begun = Instant::now();
    // Three answers, the first within a second of the first line; the rest is for a host with more to do.
    while begun.elapsed() < Duration::from_secs(20) && Clock::source() == Source::Counter {}
    println!("left after {:?}", begun.elapsed());
    assert_eq!((Clock::source(), Clock::why()), (Source::System, Why::KernelLeftIt), "{}", Clock::explain());
}
