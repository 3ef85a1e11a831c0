//! The process-wide clock and what it says of itself.

use core::time::Duration;

use crate::{
    Instant, Source, Why,
    chain::{Basis, Chain, Epoch, Reading},
    discipline::START,
    native::{self, Native},
    os,
    provider::{self, AlreadyNamed, Provider},
    source,
    wall::Accuracy,
};

/// Nothing happens before its first reading.
pub(crate) static CLOCK: Chain = Chain::new();

/// The clock behind [`Instant`]: what it is made of, why, and how far it may be off.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Clock;

impl Clock {
    /// Makes the choice of the source now instead of in the first reading, for programs that forbid themselves system calls
    /// afterwards. On Linux this opens, reads and closes two files (/proc/self/environ; the clocksource, in /sys), asks
    /// `prctl(PR_GET_TSC)` on x86-64, and reads the clock; where a filter ends the process for one of these, so does this.
    /// Later readings make no system call but the one that reading the system's clock may need, and those with the wall
    /// clock's bounds what their provider needs: with the kernel `adjtimex`, and before Linux 5.3 `clock_gettime`. Takes some
    /// 50 µs.
    pub fn init() -> Source {
        Self::source()
    }

    /// The ordered time, ns of the system's monotonic clock: `Instant::now().as_nanos()`.
    #[inline]
    pub fn now_ns() -> u64 {
        #[cfg(feature = "test-clock")]
        if let Some(ns) = crate::test_clock::now_ns() {
            return ns;
        }
        CLOCK.stamp(true).get() ^ START.get()
    }

    /// The unordered time, ns of the system's monotonic clock: `Instant::now_relaxed().as_nanos()`.
    #[inline]
    pub fn now_relaxed_ns() -> u64 {
        #[cfg(feature = "test-clock")]
        if let Some(ns) = crate::test_clock::now_ns() {
            return ns;
        }
        CLOCK.stamp(false).get() ^ START.get()
    }

    /// The ordered time with its uncertainty, both from one reading. Slower than `now`: about 40 ns.
    pub fn reading() -> Reading {
        #[cfg(feature = "test-clock")]
        if let Some(reading) = crate::test_clock::reading() {
            return reading;
        }
        CLOCK.slow(&Native)
    }

    /// The ordered time with an uncertainty that was looked up instead of bounded: the kernel's clock is read before and
    /// after. It holds whatever either clock does, and is some 100 ns where the others' are up to 1.2 ms. About 0.1 µs.
    pub fn verified() -> Reading {
        #[cfg(feature = "test-clock")]
        if let Some(reading) = crate::test_clock::reading() {
            return reading;
        }
        CLOCK.verified(&Native)
    }

    /// How far a reading made now may lie from the kernel's clock, whatever slew the kernel permits. `None`: that clock
    /// fails or has just been set back, or nobody says how it may be slewed.
    ///
    /// A bound, not a typical error: the bracket in which the two clocks were compared last (some 20 ns), for every
    /// nanosecond since then 0.6 ns (the most that Linux permits), and by how much the line began ahead of the kernel. So it
    /// grows to 1.2 ms until the next comparison; the error against a clock that nobody slews stays at some 20 ns.
    pub fn uncertainty() -> Option<Duration> {
        Self::reading().uncertainty_ns.map(Duration::from_nanos)
    }

    /// The same, if the kernel's clock has kept its rate to within 500 ppm for the last half a second (or the last two
    /// pauses between readings, where those are longer), from which the rate is measured. So it grows from some 20 ns to
    /// 1 µs. [`epoch`](Self::epoch) tells afterwards whether it has.
    pub fn uncertainty_if_steady() -> Option<Duration> {
        Self::reading().uncertainty_if_steady_ns.map(Duration::from_nanos)
    }

    /// What comparisons of the two clocks have found so far. Where it is after a [`check`](Self::check) what it was before
    /// a reading, the uncertainties stated with that reading have held, to within what [`Epoch`] says.
    pub fn epoch() -> Epoch {
        CLOCK.epoch()
    }

    /// Compares the two clocks now (about 0.1 µs), and says what comparisons have found so far.
    pub fn check() -> Epoch {
        CLOCK.check(&Native)
    }

    /// By how much the kernel's monotonic clock has been set back since the first reading: in a child after
    /// `unshare(CLONE_NEWTIME)`, or by checkpoint and restore. Readings never go back; they go on from where they were, at
    /// the kernel's rate, and are ahead of the kernel's clock by this for good.
    pub fn set_back() -> Duration {
        Duration::from_nanos(CLOCK.set_back_ns())
    }

    /// Whom to ask how far the wall clock is from UTC, instead of the kernel's `adjtimex`. For the process, and once: best
    /// before the first reading. Counts on Linux alone.
    ///
    /// # Errors
    /// Another was named before.
    pub fn set_provider(provider: impl Provider + 'static) -> Result<(), AlreadyNamed> {
        provider::name(Box::new(provider))
    }

    /// How far the wall clock is from UTC, as the provider says just now, and whether a leap second is due. With the kernel 1 to 6 µs.
    pub fn accuracy() -> Accuracy {
        provider::accuracy()
    }

    /// TAI - UTC, s, as a daemon has told the kernel; `None`: none has, or the system does not say. With it,
    /// `UtcInstant::now()` plus so many seconds is TAI, but in a leap second. A system call, about 0.3 µs.
    pub fn tai_offset() -> Option<i32> {
        os::tai_offset()
    }

    /// What time is made of. Makes the choice where nothing was read yet.
    pub fn source() -> Source {
        CLOCK.slow(&Native);
        CLOCK.choice().map_or(Source::System, |choice| choice.source)
    }

    /// Why. Makes the choice where nothing was read yet.
    pub fn why() -> Why {
        CLOCK.slow(&Native);
        CLOCK.choice().map_or(Why::InDoubt, |choice| choice.why)
    }

    /// The counter's rate against the kernel's clock, Hz. `None`: the counter is not used, or its rate not known
    /// yet (some milliseconds of readings after the first).
    pub fn frequency_hz() -> Option<f64> {
        CLOCK.frequency_hz()
    }

    /// The counter, unordered; `None` where this kind of CPU has none. Where the system forbids this process to read
    /// it (`PR_SET_TSC` on Linux), this raises the signal that the system promised for that.
    #[inline]
    pub fn ticks() -> Option<u64> {
        native::HAS_COUNTER.then(native::relaxed)
    }

    /// A difference of [`ticks`](Self::ticks) as time, at the rate measured last. `None` as
    /// [`frequency_hz`](Self::frequency_hz), or where it is longer than 584 years.
    pub fn ticks_to_duration(ticks: u64) -> Option<Duration> {
        let ns = ticks as f64 * 1e9 / Self::frequency_hz()?;
        (ns < u64::MAX as f64).then(|| Duration::from_nanos(ns as u64))
    }

    /// The time at a value of [`ticks`](Self::ticks), past or to come, along the line fitted last. `None` as
    /// [`frequency_hz`](Self::frequency_hz). Not a reading: it may differ from the one made at that tick by the
    /// uncertainties of both, by drift of the kernel's clock in between, and by all that a sleep of the machine or a jump of
    /// the counter made of that difference.
    pub fn instant_at(ticks: u64) -> Option<Instant> {
        let Basis::Line(fit) = CLOCK.basis() else { return None };
        let run = ticks.wrapping_sub(fit.now.ticks) as i64;
        let ns = (run as f64 * fit.rate) as i64;
        Some(Instant::from_nanos((fit.now.ns as i64).saturating_add(ns)))
    }

    /// The whole story, for people: the source, why, the evidence, the fit. Several lines; allocates, and reads
    /// what the choice was made from once more.
    pub fn explain() -> String {
        let reading = Self::reading();
        source::explain(CLOCK.choice(), CLOCK.basis(), reading)
    }
}
