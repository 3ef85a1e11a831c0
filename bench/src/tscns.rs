//! tscns, a C++ header in no registry: measured where `--tscns` names the shared object made of tscns.cpp.

use std::{ffi::CString, sync::OnceLock};

/// What tscns.cpp exports.
struct Tscns {
    now: extern "C" fn() -> i64,
    batch: extern "C" fn(u32, bool) -> u64,
}

static TSCNS: OnceLock<Tscns> = OnceLock::new();

/// Loads it and has it calibrate itself.
pub(crate) fn load(path: &str) -> Result<(), String> {
    let file = CString::new(path).map_err(|e| e.to_string())?;
    // SAFETY: a terminated path; what the object does when loaded is its own C++ constructors.
    let object = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW) };
    if object.is_null() {
        return Err(format!("{path} can't be loaded"));
    }
    let symbol = |name: &std::ffi::CStr| {
        // SAFETY: an open object and a terminated name.
        let address = unsafe { libc::dlsym(object, name.as_ptr()) };
        if address.is_null() { Err(format!("{path} has no {}", name.to_string_lossy())) } else { Ok(address) }
    };
    let (start, now, batch) = (symbol(c"tscns_start")?, symbol(c"tscns_now")?, symbol(c"tscns_batch")?);
    // SAFETY: these are the types that tscns.cpp gives them.
    let (start, now, batch) = unsafe {
        (
            std::mem::transmute::<*mut libc::c_void, extern "C" fn()>(start),
            std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> i64>(now),
            std::mem::transmute::<*mut libc::c_void, extern "C" fn(u32, bool) -> u64>(batch),
        )
    };
    start();
    let _ = TSCNS.set(Tscns { now, batch });
    Ok(())
}

pub(crate) fn loaded() -> bool {
    TSCNS.get().is_some()
}

/// Wall time, ns; 0 where it is not loaded.
pub(crate) fn now() -> u64 {
    TSCNS.get().map_or(0, |t| (t.now)() as u64)
}

/// Ticks that `calls` reads take; 0 where it is not loaded.
pub(crate) fn batch(calls: u32, serialized: bool) -> u64 {
    TSCNS.get().map_or(0, |t| (t.batch)(calls, serialized))
}
