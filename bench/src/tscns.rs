//! tscns, a C++ header in no registry: measured where `--tscns` names the shared object made of tscns.cpp.

use std::sync::OnceLock;

use crate::object::Object;

/// What tscns.cpp exports.
struct Tscns {
    now: extern "C" fn() -> i64,
    batch: extern "C" fn(u32, bool) -> u64,
}

static TSCNS: OnceLock<Tscns> = OnceLock::new();

/// Loads it and has it calibrate itself.
pub(crate) fn load(path: &str) -> Result<(), String> {
    let object = Object::load(path)?;
    let (start, now, batch) =
        (object.symbol(c"tscns_start")?, object.symbol(c"tscns_now")?, object.symbol(c"tscns_batch")?);
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
