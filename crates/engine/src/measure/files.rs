//! How many files the process may have open at once.

use std::io;

/// The process's limit raised as far as it may by itself; dropped, it is what it was.
pub struct ManyFiles {
    before: libc::rlimit,
}

fn limit() -> io::Result<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one rlimit.
    let failed = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if failed == 0 { Ok(limit) } else { Err(io::Error::last_os_error()) }
}

fn set(limit: libc::rlimit) -> io::Result<()> {
    // SAFETY: the kernel reads one rlimit.
    let failed = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    if failed == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

impl ManyFiles {
    /// As many as the hard limit allows.
    pub fn allowed() -> io::Result<Self> {
        let before = limit()?;
        set(libc::rlimit { rlim_cur: before.rlim_max, ..before })?;
        Ok(Self { before })
    }
}

impl Drop for ManyFiles {
    fn drop(&mut self) {
        // What is open stays open; a limit that went down meanwhile is somebody else's will.
        let _ = set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_goes_up_and_back() {
        let before = limit().unwrap();
        let many = ManyFiles::allowed().unwrap();
        assert_eq!(limit().unwrap().rlim_cur, before.rlim_max);
        drop(many);
        assert_eq!(limit().unwrap().rlim_cur, before.rlim_cur);
    }
}
