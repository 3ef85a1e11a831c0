//! The clocks of C and C++: measured where `--chrono` names the shared object made of chrono.cpp.

use std::sync::OnceLock;

use crate::object::Object;

/// What chrono.cpp exports: ticks that so many reads take.
type Batch = extern "C" fn(u32, bool) -> u64;

/// The clocks, in chrono.cpp's order.
static CLOCKS: OnceLock<[Batch; 6]> = OnceLock::new();

/// Loads it.
pub(crate) fn load(path: &str) -> Result<(), String> {
    let object = Object::load(path)?;
    let of = |name| {
        // SAFETY: this is the type that chrono.cpp gives each of them.
        object.symbol(name).map(|s| unsafe { std::mem::transmute::<*mut libc::c_void, Batch>(s) })
    };
    let clocks = [
        of(c"steady_clock")?,
        of(c"truetick_clock")?,
        of(c"truetick_relaxed")?,
        of(c"truetick_call")?,
        of(c"system_clock")?,
        of(c"truetick_system_clock")?,
    ];
    let _ = CLOCKS.set(clocks);
    Ok(())
}

pub(crate) fn loaded() -> bool {
    CLOCKS.get().is_some()
}

/// Ticks that `calls` reads of the clock number `CLOCK` take; 0 where it is not loaded.
pub(crate) fn batch<const CLOCK: usize>(calls: u32, serialized: bool) -> u64 {
    CLOCKS.get().map_or(0, |clocks| clocks[CLOCK](calls, serialized))
}
