//! Busy loops, as many as asked for on each CPU that this process may run on.

use std::hint::black_box;
use std::mem::{size_of, zeroed};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use anyhow::{Result, bail};

/// Running loops; they end when it is dropped.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts `each` loops on each of the CPUs.
    pub(crate) fn start(cpus: &[usize], each: usize) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let threads = cpus
            .iter()
            .flat_map(|cpu| std::iter::repeat_n(*cpu, each))
            .map(|cpu| {
                let stop = Arc::clone(&stop);
                thread::spawn(move || {
                    // A loop that can't be pinned still is a load; the scheduler spreads it.
                    let _ = pin(cpu);
                    let mut turns = 0_u64;
                    while !stop.load(Ordering::Relaxed) {
                        turns = black_box(turns.wrapping_add(1));
                    }
                })
            })
            .collect();
        Self { stop, threads }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// CPUs that this process may run on.
pub(crate) fn allowed_cpus() -> Result<Vec<usize>> {
    // SAFETY: cpu_set_t is an array of integers, for which zero bytes are a valid value.
    let mut set: libc::cpu_set_t = unsafe { zeroed() };
    // SAFETY: the pointer is to a live set of the size given; 0 names the calling thread.
    let result = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) };
    if result != 0 {
        bail!("sched_getaffinity: {}", std::io::Error::last_os_error());
    }
    // SAFETY: the numbers asked for are below CPU_SETSIZE, the number of the set's bits.
    Ok((0..libc::CPU_SETSIZE as usize).filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) }).collect())
}

fn pin(cpu: usize) -> Result<()> {
    // SAFETY: as in `allowed_cpus`; `cpu` came out of such a set, so it is below CPU_SETSIZE.
    let result = unsafe {
        let mut set: libc::cpu_set_t = zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if result != 0 {
        bail!("sched_setaffinity: {}", std::io::Error::last_os_error());
    }
    Ok(())
}
