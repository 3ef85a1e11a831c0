//! Ctrl-C and its kin: the first asks for an orderly end, the second ends at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level};

/// A signal this soon after the first, ms, is the same wish: `timeout` sends its signal to the program and then to its group.
const SAME_MS: u64 = 250;

/// Which signal has asked this process to end, if any.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    number: Arc<AtomicUsize>,
}

impl Signals {
    /// Takes over SIGINT, SIGTERM and SIGHUP. The handlers do no more than store a number; a second signal, a quarter of a
    /// second later or more, ends the process with 128 + its number. A SIGHUP that is ignored already (nohup) stays ignored.
    ///
    /// # Errors
    /// Where the system refuses a handler; the signals then act as they always do.
    pub fn install() -> io::Result<Self> {
        // A file that may not grow any more is to be an error of the write, not the end of the program.
        flag::register(SIGXFSZ, Arc::<AtomicBool>::default())?;
        let signals = Self::default();
        let first_ms = Arc::new(AtomicU64::new(0));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            let (number, first_ms) = (Arc::clone(&signals.number), Arc::clone(&first_ms));
            let came = move || {
                let now = boot_ms();
                match first_ms.compare_exchange(0, now, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => number.store(usize::try_from(signal).unwrap_or_default(), Ordering::Relaxed),
                    Err(first) if now < u64::MAX && now.saturating_sub(first) < SAME_MS => {}
                    Err(_) => low_level::exit(128 + signal),
                }
            };
            // SAFETY: loads and stores of atomics, a system call and _exit, which a handler may do.
            unsafe { low_level::register(signal, came) }?;
        }
        Ok(signals)
    }

    /// The signal that asked for the end; `None`: none did.
    pub fn received(&self) -> Option<i32> {
        i32::try_from(self.number.load(Ordering::Relaxed)).ok().filter(|number| *number != 0)
    }
}

/// The time since the machine started, ms, and never 0; the end of time where there is none, so that a second signal ends
/// the process. By the system call: the C library's may execute RDTSC, which may be forbidden.
fn boot_ms() -> u64 {
    let mut now = std::mem::MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the kernel writes no more than a timespec.
    let refused = unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, now.as_mut_ptr()) };
    // SAFETY: all zeroes is a timespec too.
    let now = unsafe { now.assume_init() };
    if refused != 0 {
        return u64::MAX;
    }
    (now.tv_sec.unsigned_abs() * 1000 + now.tv_nsec.unsigned_abs() / 1_000_000).max(1)
}

/// Whether the process ignores `signal`, as a parent may have arranged before starting it.
fn is_ignored(signal: i32) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null new action sigaction only writes the current one to `now`, which is large enough
    // and lives on this stack; on failure the zeroed value stands, and all zeroes is a valid sigaction.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr());
        now.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}
