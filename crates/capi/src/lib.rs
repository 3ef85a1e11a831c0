//! The C interface of truetick. Every function may be called from any thread, from signal handlers (but for
//! `truetick_explain`) and after `fork`; none waits, none throws. The first call that reads the clock also chooses its source;
//! `truetick_init` says what that does.

mod shared;
pub mod utc;

use core::ffi::c_char;

use truetick::{Clock, Cycles, Epoch, Reading, Source};

/// What time is made of.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruetickSource {
    /// The CPU's counter, fitted to the system's clock over and over.
    Counter = 1,
    /// The operating system's clock.
    System = 2,
}

/// A time with its uncertainty.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TruetickReading {
    /// Nanoseconds of the system's monotonic clock.
    pub ns: u64,
    /// The system's clock lay within this of `ns`, whatever slew the system permits; `UINT64_MAX`: nothing is known, because
    /// that clock fails or has just been set back.
    pub uncertainty_ns: u64,
    /// The same, if that clock has kept its rate to within 500 ppm for the last half a second (or the last two pauses between
    /// readings, where those are longer); `truetick_epoch` tells afterwards.
    pub uncertainty_if_steady_ns: u64,
}

impl From<Reading> for TruetickReading {
    fn from(reading: Reading) -> Self {
        Self {
            ns: reading.ns,
            uncertainty_ns: reading.uncertainty_ns.unwrap_or(u64::MAX),
            uncertainty_if_steady_ns: reading.uncertainty_if_steady_ns.unwrap_or(u64::MAX),
        }
    }
}

/// What comparisons of the two clocks have found so far.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TruetickEpoch {
    /// How often the system's clock was found outside of the bound that a steady rate allows.
    pub unsteady: u64,
    /// How often a comparison came so long after its line (the program did not read) that what went astray on it may have
    /// come back.
    pub untold: u64,
    /// How often a jump was found that no slew explains, of either clock, or that the system's clock was set back.
    pub discontinuities: u64,
}

impl From<Epoch> for TruetickEpoch {
    fn from(Epoch { unsteady, untold, discontinuities, .. }: Epoch) -> Self {
        Self { unsteady, untold, discontinuities }
    }
}

/// Chooses the source now instead of in the first reading, for programs that forbid themselves system calls afterwards. On
/// Linux this opens, reads and closes /proc/self/environ and the clocksource's file in /sys, and calls prctl(PR_GET_TSC) on
/// x86-64, all past the C library; later readings call nothing but clock_gettime, those of wall time with bounds and
/// truetick_to_utc adjtimex too. On other Unix systems, and on Linux where there is no counter, the environment is read as
/// getenv reads it: no other thread may change it meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_init() -> TruetickSource {
    Clock::init();
    truetick_source()
}

/// Now, ns of the system's monotonic clock. Never less than any such reading that happened before, on any thread; but on
/// RISC-V, whose harts agree to a tick only, by one tick; by up to 2 ms where the counter itself steps back by less than that;
/// and by up to 0.2 ms where the system's clock does, unseen, and time is made of that (`TRUETICK_SOURCE_SYSTEM`).
#[unsafe(no_mangle)]
pub extern "C" fn truetick_now_ns() -> u64 {
    Clock::now_ns()
}

/// Now, at the cost of the bare counter. Never less than an earlier reading of the same thread.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_now_relaxed_ns() -> u64 {
    Clock::now_relaxed_ns()
}

/// The cheapest stamp: up to one scheduler tick (1 to 10 ms) old.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_coarse_ns() -> u64 {
    truetick::coarse().as_nanos().max(0) as u64
}

/// Nanoseconds from `since_ns` to now; 0 where that lies ahead.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_elapsed_ns(since_ns: u64) -> u64 {
    Clock::now_ns().saturating_sub(since_ns)
}

/// Now, with its uncertainty.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_reading() -> TruetickReading {
    Clock::reading().into()
}

/// Now, with an uncertainty that was looked up: the system's clock is read before and after. It holds whatever either clock
/// does.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_verified() -> TruetickReading {
    Clock::verified().into()
}

/// What comparisons of the two clocks have found so far.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_epoch() -> TruetickEpoch {
    Clock::epoch().into()
}

/// Compares the two clocks now. Where the epoch is then what it was before a reading, what that stated has held.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_check() -> TruetickEpoch {
    Clock::check().into()
}

/// By how much the system's clock has been set back since the first reading, ns: readings are ahead of it by this for good.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_set_back_ns() -> u64 {
    u64::try_from(Clock::set_back().as_nanos()).unwrap_or(u64::MAX)
}

/// What time is made of.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_source() -> TruetickSource {
    match Clock::source() {
        Source::Counter => TruetickSource::Counter,
        _ => TruetickSource::System,
    }
}

/// The counter's rate, Hz. False, and nothing written: the counter is not used, or its rate not known yet.
///
/// # Safety
/// `hz` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn truetick_frequency_hz(hz: *mut f64) -> bool {
    let Some(found) = Clock::frequency_hz() else { return false };
    if !hz.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { hz.write(found) };
    }
    true
}

/// Writes the story of the choice as text of at most `size` bytes, the ending zero among them, and returns the
/// whole text's length without it, as snprintf does. Allocates.
///
/// # Safety
/// `text` is null, or `size` bytes may be written there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn truetick_explain(text: *mut c_char, size: usize) -> usize {
    let story = Clock::explain();
    if !text.is_null() && size > 0 {
        let len = story.len().min(size - 1);
        // SAFETY: len + 1 bytes are at most `size`, which the caller vouches for.
        unsafe {
            text.cast::<u8>().copy_from_nonoverlapping(story.as_ptr(), len);
            text.add(len).write(0);
        }
    }
    story.len()
}

/// Begins to count ticks: everything before it has been done, nothing after it has begun.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_cycles_begin() -> u64 {
    Cycles::begin().ticks()
}

/// The ticks since `begun`: everything before it has been done. 0 where the counter went back.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_cycles_end(begun: u64) -> u64 {
    truetick::Begun::at(begun).end().0
}

/// The least that an empty measurement shows, ticks, the calls included. Takes some tens of microseconds.
#[unsafe(no_mangle)]
pub extern "C" fn truetick_cycles_overhead() -> u64 {
    (0..1000).map(|_| truetick_cycles_end(truetick_cycles_begin())).min().unwrap_or(0)
}

/// The time at a value of `truetick_ticks` (truetick_inline.h), past or to come, ns of the system's monotonic clock, along
/// the line fitted last. For logs that keep ticks and are read later: one that is minutes old is off by what the kernel's
/// clock has drifted since. False, and nothing written: as `truetick_frequency_hz`.
///
/// # Safety
/// `ns` is null or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn truetick_ns_at(ticks: u64, ns: *mut u64) -> bool {
    let Some(at) = Clock::instant_at(ticks) else { return false };
    if !ns.is_null() {
        // SAFETY: the caller vouches for it.
        unsafe { ns.write(at.as_nanos().max(0) as u64) };
    }
    true
}

/// The examples of docs/truetick/wall.md run as tests: here, as truetick's own package has no file from outside of it.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/truetick/wall.md")]
struct WallPage;
