//! The C library's clock, for programs that stand in front of it.

use std::{
    mem::transmute,
    sync::atomic::{AtomicPtr, Ordering},
};

pub(crate) type Gettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> libc::c_int;

/// The C library's own `clock_gettime`.
pub(crate) fn gettime() -> Gettime {
    static FOUND: AtomicPtr<libc::c_void> = AtomicPtr::new(std::ptr::null_mut());
    let mut found = FOUND.load(Ordering::Relaxed);
    if found.is_null() {
        // SAFETY: a terminated name; every C library has this function.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"clock_gettime".as_ptr()) };
        FOUND.store(found, Ordering::Relaxed);
    }
    // SAFETY: the address of a function of this type.
    unsafe { transmute::<*mut libc::c_void, Gettime>(found) }
}
