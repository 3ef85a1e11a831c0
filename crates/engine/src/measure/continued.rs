//! Counts how often the process was stopped and continued.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Times that this process was continued after a stop, while somebody counts them.
static CONTINUED: AtomicU64 = AtomicU64::new(0);

/// How often it was, since somebody counts.
pub(super) fn count() -> u64 {
    CONTINUED.load(Ordering::Relaxed)
}

/// Counts how often the process is continued after a stop, until it is dropped: a handler of SIGCONT, which else does
/// nothing but continue.
pub struct Continued {
    before: libc::sigaction,
}

extern "C" fn continued(_: libc::c_int) {
    CONTINUED.fetch_add(1, Ordering::Relaxed);
}

impl Continued {
    /// Begins to count; `None` where the system refuses.
    pub fn watch() -> Option<Self> {
        let handler: extern "C" fn(libc::c_int) = continued;
        // SAFETY: all zeros is a sigaction; the handler is safe at any moment, as it adds to an atomic number alone; the
        // kernel reads one sigaction and writes another.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_RESTART;
            let mut before: libc::sigaction = std::mem::zeroed();
            (libc::sigaction(libc::SIGCONT, &raw const action, &raw mut before) == 0).then_some(Self { before })
        }
    }
}

/// Waits for the handler, which may run on another thread, if the process was continued: 50 ms at most, for who
/// keeps this thread waiting keeps that one as well. The count then.
pub(super) fn await_continued(before: u64) -> u64 {
    for _ in 0..50 {
        if count() > before {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    count()
}

impl Drop for Continued {
    fn drop(&mut self) {
        // SAFETY: the action is the one that the system gave.
        unsafe { libc::sigaction(libc::SIGCONT, &raw const self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::Counters;
    use super::*;

    #[test]
    fn a_stop_is_counted_while_somebody_counts() {
        let counted = || Counters::new(None).with(&[], true).read(false).continued;
        let watch = Continued::watch().unwrap();
        let before = counted().unwrap();
        // SAFETY: the handler is installed; SIGCONT to a process that runs does nothing else.
        unsafe { libc::raise(libc::SIGCONT) };
        assert_eq!(counted(), Some(before + 1));
        drop(watch);
        // SAFETY: the system's own action is to continue what runs.
        unsafe { libc::raise(libc::SIGCONT) };
        assert_eq!(counted(), Some(before + 1));
        assert_eq!(Counters::new(None).read(false).continued, None);
    }
}
