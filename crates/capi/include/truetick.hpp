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

    /// Now. Never less than any reading that happened before, on any thread.
    static time_point now() noexcept { return of_ns(truetick_now()); }

    /// Now, at the cost of the bare counter. Never less than an earlier reading of the same thread.
    static time_point now_relaxed() noexcept { return of_ns(truetick_now_relaxed()); }

    /// The time of so many nanoseconds, as the C interface has them.
    static time_point of_ns(std::uint64_t ns) noexcept { return time_point(duration(static_cast<rep>(ns))); }
};

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
