//! Where a C function that this process calls really lives.

use std::ffi::{CStr, c_void};

/// The shared object that serves `name`, if it is not the C library (or the vDSO, or this program itself):
/// a library interposed by `LD_PRELOAD` or the like.
#[cfg(target_env = "gnu")]
pub(super) fn interposer(name: &CStr) -> Option<String> {
    let (base, file) = home(address(name)?)?;
    let own = home((interposer as *const ()).cast()).map(|(base, _)| base);
    let short = file.rsplit('/').next().unwrap_or(&file);
    let usual = ["libc.so", "libc-", "librt", "ld-", "linux-vdso", "linux-gate"];
    (Some(base) != own && !usual.iter().any(|u| short.starts_with(u))).then_some(file)
}

/// Only glibc is linked dynamically here; a static C library can't be interposed.
#[cfg(not(target_env = "gnu"))]
pub(super) fn interposer(_: &CStr) -> Option<String> {
    None
}

/// The address that calls of `name` reach; `None` where no loaded library has it.
pub(super) fn address(name: &CStr) -> Option<*const c_void> {
    // SAFETY: a plain look-up with a terminated name.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found.cast_const())
}

/// Base address and file of the shared object that holds `address`.
#[cfg(target_env = "gnu")]
fn home(address: *const c_void) -> Option<(usize, String)> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: dladdr fills the structure or returns 0.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr succeeded: dli_fname is a terminated string that lives as long as the object is loaded.
    let file = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
    Some((info.dli_fbase as usize, file))
}
