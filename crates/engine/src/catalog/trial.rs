//! Tries out in a child process what may kill the process that does it.

use std::io::Read;
use std::os::fd::AsRawFd;

/// Whether a copy of this process lives through `look`. `Err`: that could not be tried.
///
/// `look` runs between fork and exit of a process that may have had more threads: it must not allocate, lock or
/// call anything that is not async-signal-safe (signal-safety(7)).
pub(super) fn survives(look: impl FnOnce()) -> Result<bool, String> {
    let (mut reader, writer) = std::io::pipe().map_err(|error| format!("pipe: {error}"))?;
    // SAFETY: the child calls async-signal-safe functions only, and `look`, which promises the same.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        let word = [1u8];
        // SAFETY: as above; the structures are the child's own. A handler of the parent's must not outlive the
        // fault, and a core file would tell nothing.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
            // A handler that core dumps are piped to does not obey the limit (core(5)).
            libc::prctl(libc::PR_SET_DUMPABLE, 0);
            for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL] {
                libc::signal(signal, libc::SIG_DFL);
            }
            look();
            libc::write(writer.as_raw_fd(), word.as_ptr().cast(), 1);
            libc::_exit(0)
        }
    }
    if child < 0 {
        return Err(format!("fork: {}", std::io::Error::last_os_error()));
    }
    drop(writer);
    // Not by the exit status: a parent that ignores SIGCHLD gets none.
    let survived = reader.read_exact(&mut [0]).is_ok();
    // SAFETY: waits for our own child, which is over or about to be.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    Ok(survived)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_living_and_the_dead() {
        assert_eq!(survives(|| ()), Ok(true));
        // SAFETY: kills the child alone.
        let dies = || unsafe {
            libc::raise(libc::SIGSEGV);
        };
        assert_eq!(survives(dies), Ok(false));
    }
}
