//! Keeps the reader on one CPU and its buffers in memory, and puts everything back.

use std::io;

/// Words of an affinity mask: 64 × 1024 CPUs, more than Linux supports (8192).
const WORDS: usize = 1024;

type Mask = Box<[u64; WORDS]>;

fn affinity() -> io::Result<Mask> {
    let mut mask: Mask = Box::new([0; WORDS]);
    // SAFETY: the kernel writes at most the given number of bytes.
    let got = unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(&*mask), mask.as_mut_ptr()) };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(mask) }
}

fn set_affinity(mask: &Mask) -> io::Result<()> {
    // SAFETY: the kernel reads the given number of bytes.
    let got = unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, size_of_val(&**mask), mask.as_ptr()) };
    if got < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// CPUs that the calling thread may run on, ascending.
pub fn allowed_cpus() -> io::Result<Vec<u32>> {
    let mask = affinity()?;
    Ok((0..WORDS as u32 * 64).filter(|cpu| mask[*cpu as usize / 64] >> (cpu % 64) & 1 == 1).collect())
}

/// Lets the calling thread run on these CPUs and no others.
pub(super) fn allow(cpus: &[u32]) -> io::Result<()> {
    let mut mask: Mask = Box::new([0; WORDS]);
    for &cpu in cpus {
        let word = mask.get_mut(cpu as usize / 64).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        *word |= 1 << (cpu % 64);
    }
    set_affinity(&mask)
}

/// The calling thread, pinned; dropped, it may run again wherever it might before.
pub struct Pinned {
    before: Mask,
    /// The CPU.
    pub cpu: u32,
}

impl Pinned {
    /// Pins the calling thread to `cpu`.
    pub fn to(cpu: u32) -> io::Result<Self> {
        let before = affinity()?;
        allow(&[cpu])?;
        Ok(Self { before, cpu })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // Nothing to be done if a cpuset took the CPUs away meanwhile.
        let _ = set_affinity(&self.before);
    }
}

/// What was mapped, locked into memory: without it a page fault may look like a slow read. Dropped, it is unlocked,
/// unless the process had locked memory before.
pub struct Locked {
    ours: bool,
}

impl Locked {
    /// Locks what is mapped now.
    pub fn new() -> io::Result<Self> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let locked = status.lines().find_map(|line| line.strip_prefix("VmLck:")).map(str::trim);
        // SAFETY: changes paging only.
        if unsafe { libc::mlockall(libc::MCL_CURRENT) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { ours: locked.is_some_and(|locked| locked.starts_with("0 ")) })
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if self.ours {
            // SAFETY: changes paging only.
            unsafe { libc::munlockall() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinning_narrows_the_allowed_set_and_dropping_restores_it() {
        let before = allowed_cpus().unwrap();
        let pinned = Pinned::to(before[0]).unwrap();
        assert_eq!(allowed_cpus().unwrap(), [before[0]]);
        drop(pinned);
        assert_eq!(allowed_cpus().unwrap(), before);
        assert!(Pinned::to(u32::MAX).is_err());
    }
}
