//! Shared objects that are measured where an option names them.

use std::ffi::{CStr, CString, c_void};

/// A loaded one; it stays.
pub(crate) struct Object<'a> {
    path: &'a str,
    handle: *mut c_void,
}

impl<'a> Object<'a> {
    pub(crate) fn load(path: &'a str) -> Result<Self, String> {
        let file = CString::new(path).map_err(|e| e.to_string())?;
        // SAFETY: a terminated path; what the object does when loaded is its own constructors.
        let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW) };
        if handle.is_null() { Err(format!("{path} can't be loaded")) } else { Ok(Self { path, handle }) }
    }

    pub(crate) fn symbol(&self, name: &CStr) -> Result<*mut c_void, String> {
        // SAFETY: an open object and a terminated name.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        if address.is_null() { Err(format!("{} has no {}", self.path, name.to_string_lossy())) } else { Ok(address) }
    }
}
