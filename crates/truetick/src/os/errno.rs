//! `errno`, left as it was: the source may be chosen in a signal handler.

/// Does `f`, whose system calls may fail, and puts this thread's `errno` back.
pub(crate) fn kept<T>(f: impl FnOnce() -> T) -> T {
    use core::ffi::c_int;

    unsafe extern "C" {
        #[cfg_attr(target_os = "freebsd", link_name = "__error")]
        #[cfg_attr(target_os = "netbsd", link_name = "__errno")]
        fn errno_location() -> *mut c_int;
    }
    // SAFETY: the address of this thread's own errno, valid as long as the thread.
    let errno = unsafe { errno_location() };
    // SAFETY: as above; nobody else reads or writes it.
    let before = unsafe { errno.read() };
    let result = f();
    // SAFETY: as above.
    unsafe { errno.write(before) };
    result
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_failing_call_leaves_no_trace() {
        let fail = || {
            // SAFETY: closes a descriptor that can't be open.
            assert_eq!(unsafe { libc::close(-1) }, -1);
            std::io::Error::last_os_error().raw_os_error()
        };
        assert_eq!(fail(), Some(libc::EBADF));
        // SAFETY: fails for want of a directory of that name.
        assert_eq!(unsafe { libc::chdir(c"/there/is/no/such".as_ptr()) }, -1);
        assert_eq!(kept(fail), Some(libc::EBADF));
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::ENOENT));
    }
}
