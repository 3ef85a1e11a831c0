// truetick as a clock of <chrono> (C++11 or newer).

#ifndef TRUETICK_HPP
#define TRUETICK_HPP

#include <chrono>
#include <cstdint>

#include "truetick_inline.h"

namespace truetick {

/// Drop-in for std::chrono::steady_clock: a TrivialClock of nanoseconds that never goes back, on any thread.
struct clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<clock>;
    static constexpr bool is_steady = true;

    /// Now. Never less than any reading that happened before, on any thread, but for what truetick_now_ns names.
    static time_point now() noexcept { return of_ns(truetick_now()); }

    /// Now, at the cost of the bare counter. Never less than an earlier reading of the same thread.
    static time_point now_relaxed() noexcept { return of_ns(truetick_now_relaxed()); }

    /// The time of so many nanoseconds, as the C interface has them.
    static time_point of_ns(std::uint64_t ns) noexcept { return time_point(duration(static_cast<rep>(ns))); }
};

struct utc_reading;

/// Drop-in for std::chrono::system_clock, whose time_points it makes: UNIX time in nanoseconds, without a call.
struct system_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<std::chrono::system_clock, duration>;
    static constexpr bool is_steady = false;

    /// Now, by the system's wall clock (truetick_utc_now_ns).
    static time_point now() noexcept { return of_ns(truetick_utc_now()); }

    /// Now, with what is known of how far that is from UTC (truetick_utc_reading). Calls the library where there is no bound.
    static utc_reading now_with_bounds() noexcept;

    /// So many nanoseconds of UNIX time, as the C interface has them.
    static time_point of_ns(std::int64_t ns) noexcept { return time_point(duration(ns)); }
};

/// Between what UTC was when a reading was made, or why nobody knows.
struct utc_bounds {
    /// UTC was not before this; the least time_point where nothing is known.
    system_clock::time_point earliest;
    /// UTC was not after this; the greatest time_point where nothing is known.
    system_clock::time_point latest;
    /// Why nothing is known; TRUETICK_UNBOUNDED_NONE: the two above hold.
    TruetickUnbounded unbounded;

    explicit utc_bounds(const TruetickBounds &of) noexcept
        : earliest(system_clock::of_ns(of.earliest_ns)), latest(system_clock::of_ns(of.latest_ns)), unbounded(of.unbounded) {}

    /// Whether there is a bound.
    explicit operator bool() const noexcept { return unbounded == TRUETICK_UNBOUNDED_NONE; }

    /// Whether `time` was certainly past (Spanner's TT.after). Never where nothing is known.
    bool is_after(system_clock::time_point time) const noexcept { return earliest > time; }

    /// Whether `time` was certainly still to come (TT.before). Never where nothing is known.
    bool is_before(system_clock::time_point time) const noexcept { return latest < time; }

    /// From the earliest to the latest; duration::max() where nothing is known.
    system_clock::duration width() const noexcept {
        return unbounded == TRUETICK_UNBOUNDED_NONE ? latest - earliest : system_clock::duration::max();
    }
};

/// A reading of the wall clock with what is known of its error.
struct utc_reading {
    /// What the wall clock showed.
    system_clock::time_point time;
    /// Between what UTC was, whatever slew the system permits.
    utc_bounds bounds;
    /// The same, if the system's clock runs steadily (TruetickUtcReading).
    utc_bounds bounds_if_steady;

    explicit utc_reading(const TruetickUtcReading &of) noexcept
        : time(system_clock::of_ns(of.ns)), bounds(of.bounds), bounds_if_steady(of.bounds_if_steady) {}
};

inline utc_reading system_clock::now_with_bounds() noexcept { return utc_reading(truetick_utc_now_with_bounds()); }

/// The wall clock at a point of the other clock, past or to come, also before the system's start (truetick_to_utc).
inline utc_reading to_utc(clock::time_point time) noexcept {
    return utc_reading(truetick_to_utc(time.time_since_epoch().count()));
}

/// When the wall clock shows `utc`, into `time` (truetick_from_utc). False, and nothing written: not to be told.
inline bool from_utc(system_clock::time_point utc, clock::time_point &time) noexcept {
    std::uint64_t ns;
    if (!truetick_from_utc(utc.time_since_epoch().count(), &ns)) return false;
    time = clock::of_ns(ns);
    return true;
}

/// Stamps for a log, as cheap as stamps can be, that are made times of later. Make one of these at the program's start; it
/// has the source of time chosen.
class stamps {
public:
    /// Ticks of the counter; nanoseconds of the clock where the counter is not used.
    struct stamp {
        std::uint64_t value;
    };

    stamps() noexcept : ticks_(TRUETICK_HAS_INLINE != 0 && truetick_source() == TRUETICK_SOURCE_COUNTER) {}

    /// The bare counter, where that is used. Unordered between threads.
    stamp now() const noexcept {
#if TRUETICK_HAS_INLINE
        if (ticks_) return stamp{truetick_ticks()};
#endif
        return stamp{truetick_now_relaxed()};
    }

    /// When `made` was made, into `time`, along the line fitted last: off by what the kernel's clock has drifted since. False:
    /// not known yet (some milliseconds of readings after the first), or the counter is not used any more.
    bool instant_at(stamp made, clock::time_point &time) const noexcept {
        std::uint64_t ns = made.value;
        if (ticks_ && !truetick_ns_at(made.value, &ns)) return false;
        time = clock::of_ns(ns);
        return true;
    }

private:
    bool ticks_;
};

}  // namespace truetick

#endif
