//! truetick against its peers, interleaved in one run.

mod cost;

use std::time::Duration;

fn main() {
    pin(1);
    let hz = 2596.1e6;
    for r in cost::measure(Duration::from_secs(3), hz) {
        println!("{:40} {:7.2} [{:.2} {:.2}]", r.name, r.median, r.low, r.high);
    }
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
