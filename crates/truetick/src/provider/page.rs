//! A device's page, mapped to be read.

use core::{
    ffi::c_void,
    ptr::{self, NonNull},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use std::{
    fs::File,
    io,
    os::{fd::AsRawFd, unix::fs::FileTypeExt},
    path::Path,
};

unsafe extern "C" {
    fn mmap(at: *mut c_void, len: usize, protection: i32, flags: i32, fd: i32, offset: i64) -> *mut c_void;
    fn munmap(at: *mut c_void, len: usize) -> i32;
}

const PROT_READ: i32 = 1;
const MAP_SHARED: i32 = 1;
/// One page: what the system makes of a length of one byte.
const LEN: usize = 1;
/// The least that a page has.
const LEAST: usize = 4096;

/// Words that somebody else writes.
#[derive(Debug)]
pub(super) struct Page {
    words: NonNull<AtomicU64>,
    len: usize,
}

// SAFETY: memory that stays mapped as long as this lives, read by atomic loads alone.
unsafe impl Send for Page {}
// SAFETY: as above.
unsafe impl Sync for Page {}

impl Page {
    /// Maps the first page of the device at `path`, of which `words` words are to be read.
    pub(super) fn open(path: &Path, words: usize) -> io::Result<Self> {
        let file = File::open(path)?;
        if !file.metadata()?.file_type().is_char_device() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a character device"));
        }
        Self::map(file.as_raw_fd(), words)
    }

    fn map(fd: i32, words: usize) -> io::Result<Self> {
        // SAFETY: a new mapping of a file, where the system likes.
        let at = unsafe { mmap(ptr::null_mut(), LEN, PROT_READ, MAP_SHARED, fd, 0) };
        // MAP_FAILED is -1.
        if at as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        let words = NonNull::new(at.cast()).map(|at| Self { words: at, len: words.min(LEAST / 8) });
        words.ok_or_else(|| io::Error::other("mapped at address 0"))
    }

    /// The word at `index`; 0 beyond the end.
    pub(super) fn load(&self, index: usize) -> u64 {
        if index >= self.len {
            return 0;
        }
        // SAFETY: a word of the page, which is mapped as long as this lives; mappings begin at a page, so it is aligned.
        unsafe { self.words.add(index).as_ref() }.load(Relaxed)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `map`, of which nothing is left to be read.
        unsafe { munmap(self.words.as_ptr().cast(), LEN) };
    }
}

#[cfg(test)]
impl Page {
    /// A page of zeros with these words, for tests.
    pub(super) fn of(words: &[u64]) -> (Self, File) {
        use std::{io::Write, os::fd::FromRawFd};
        // SAFETY: a new file of memory, whose descriptor belongs to nobody else.
        let mut file = unsafe { File::from_raw_fd(libc::memfd_create(c"page".as_ptr(), 0)) };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        file.write_all(&bytes).unwrap();
        file.set_len(LEAST as u64).unwrap();
        (Self::map(file.as_raw_fd(), words.len()).unwrap(), file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        use std::os::unix::fs::FileExt;
        let (page, file) = Page::of(&[1, 2, 3]);
        assert_eq!((page.load(0), page.load(2), page.load(3), page.load(usize::MAX)), (1, 3, 0, 0));
        file.write_all_at(&7u64.to_le_bytes(), 8).unwrap();
        assert_eq!(page.load(1), 7);
    }

    #[test]
    fn only_devices_are_mapped() {
        let refused = |path: &str| Page::open(path.as_ref(), 1).unwrap_err().kind();
        assert_eq!(refused("/proc/self/stat"), io::ErrorKind::InvalidInput);
        assert_eq!(refused("/there/is/no/such"), io::ErrorKind::NotFound);
        assert!(Page::open("/dev/null".as_ref(), 1).is_err());
    }
}
