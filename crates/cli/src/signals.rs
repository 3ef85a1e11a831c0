//! Ctrl-C and its kin: the first asks for an orderly end, the second ends at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

/// Which signal has asked this process to end, if any.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    number: Arc<AtomicUsize>,
}

impl Signals {
    /// Takes over SIGINT, SIGTERM and SIGHUP. The handlers do no more than store a number; a second signal
    /// ends the process with 128 + its number. A SIGHUP that is ignored already (nohup) stays ignored.
    ///
    /// # Errors
    /// Where the system refuses a handler; the signals then act as they always do.
    pub fn install() -> io::Result<Self> {
        // A file that may not grow any more is to be an error of the write, not the end of the program.
        flag::register(SIGXFSZ, Arc::default())?;
        let signals = Self::default();
        let armed = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if signal == SIGHUP && is_ignored(signal) {
                continue;
            }
            // In this order: the first signal finds the exit disarmed and arms it.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&armed))?;
            flag::register(signal, Arc::clone(&armed))?;
            let number = usize::try_from(signal).unwrap_or_default();
            flag::register_usize(signal, Arc::clone(&signals.number), number)?;
        }
        Ok(signals)
    }

    /// The signal that asked for the end; `None`: none did.
    pub fn received(&self) -> Option<i32> {
        i32::try_from(self.number.load(Ordering::Relaxed)).ok().filter(|number| *number != 0)
    }
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
