//! Other Unix systems, and Linux where there is no counter to choose: the environment as it is in memory, without a lock,
//! as `getenv` reads it.
//!
//! No lock is taken that a signal handler or a forked child would wait for. In return no other thread may change the
//! environment during the first reading; `Clock::init` at the start of `main` sees to that.

use core::ffi::{CStr, c_char};

use crate::os::name::Name;

/// Null, or the entries' addresses with a null at their end.
#[cfg(target_vendor = "apple")]
fn entries() -> *const *const c_char {
    unsafe extern "C" {
        fn _NSGetEnviron() -> *mut *mut *mut c_char;
    }
    // SAFETY: the address of `environ`, which is there as long as the process.
    unsafe { (*_NSGetEnviron()).cast_const().cast() }
}

#[cfg(not(target_vendor = "apple"))]
fn entries() -> *const *const c_char {
    unsafe extern "C" {
        static mut environ: *const *const c_char;
    }
    // SAFETY: the C library's own variable; nobody changes it meanwhile (above).
    unsafe { environ }
}

/// The values of variables; `None` for one that is not set.
pub(in crate::os) fn read<const N: usize>(names: [&str; N]) -> [Option<Name>; N] {
    let mut found = [None; N];
    let mut entry = entries();
    if entry.is_null() {
        return found;
    }
    loop {
        // SAFETY: up to the null at their end the entries' addresses may be read.
        let text = unsafe { *entry };
        if text.is_null() {
            return found;
        }
        // SAFETY: an entry is terminated text.
        let bytes = unsafe { CStr::from_ptr(text) }.to_bytes();
        for (name, found) in names.iter().zip(&mut found) {
            let value = bytes.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            // Of two entries of one name the first counts.
            if let (Some(value), None) = (value, &found) {
                *found = Some(Name::of(value));
            }
        }
        // SAFETY: this one is not the null at the end.
        entry = unsafe { entry.add(1) };
    }
}
