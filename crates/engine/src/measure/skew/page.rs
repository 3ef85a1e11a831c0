//! A page of its own for every line: where it lies decides how long a message takes.

use std::io;
use std::ops::Deref;

use super::line::Line;

/// As large as the pages of any system here, so that no two lines share one.
const SIZE: usize = 64 << 10;

/// A line on pages that nobody has written to yet.
#[derive(Debug)]
pub(super) struct Page(*mut Line);

// SAFETY: the mapping is the value's own until it is dropped, and what lies in it is shared by atomics alone.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

impl Page {
    /// Fresh pages.
    pub(super) fn fresh() -> io::Result<Self> {
        let (of, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, of nothing that exists.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), SIZE, of, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // Neighbouring mappings become one, and a huge page would put many lines where the first of them was written.
        #[cfg(target_os = "linux")]
        // SAFETY: of the mapping just made. Where the kernel knows no huge pages it refuses, and nothing is lost.
        unsafe {
            libc::madvise(at, SIZE, libc::MADV_NOHUGEPAGE)
        };
        Ok(Self(at.cast()))
    }

    /// The NUMA node that it lies on; `None` where the system does not tell, or forbids the question.
    #[cfg(target_os = "linux")]
    pub(super) fn node(&self) -> Option<u32> {
        // linux/mempolicy.h
        const MPOL_F_NODE: libc::c_ulong = 1;
        const MPOL_F_ADDR: libc::c_ulong = 2;
        let (mut node, no_mask) = (-1_i32, std::ptr::null_mut::<libc::c_ulong>());
        let flags = MPOL_F_NODE | MPOL_F_ADDR;
        // SAFETY: the kernel writes one int to `node` and nothing to the mask, which there is none of.
        let refused = unsafe { libc::syscall(libc::SYS_get_mempolicy, &raw mut node, no_mask, 0_usize, self.0, flags) };
        (refused == 0).then(|| u32::try_from(node).ok()).flatten()
    }

    /// Not asked for elsewhere.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn node(&self) -> Option<u32> {
        None
    }
}

impl Deref for Page {
    type Target = Line;

    fn deref(&self) -> &Line {
        // SAFETY: mapped until the value is dropped, aligned as a page is, and all zeros is a line: it consists of atomic
        // integers and bools.
        unsafe { &*self.0 }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and nobody can refer to it any more. It can't fail for a whole mapping.
        unsafe { libc::munmap(self.0.cast(), SIZE) };
    }
}
