// Two events with UNIX time and its bounds: which one was first, and when that is certain everywhere.
#include <chrono>
#include <ctime>
#include <iostream>
#include <thread>
#include <type_traits>

#include "truetick.hpp"

using truetick::system_clock;
using truetick::utc_bounds;

static_assert(!system_clock::is_steady && noexcept(system_clock::now()), "a TrivialClock that may be set");
static_assert(std::is_same<system_clock::time_point::clock, std::chrono::system_clock>::value,
              "its points are the standard clock's");

// Waits until `stamp` is certainly past on every machine whose bounds hold (Spanner's commit wait).
static utc_bounds wait_out(system_clock::time_point stamp) {
    for (;;) {
        const utc_bounds bounds = system_clock::now_with_bounds().bounds;
        if (!bounds || bounds.is_after(stamp)) return bounds;
        std::this_thread::sleep_for(stamp - bounds.earliest + std::chrono::microseconds(10));
    }
}

int main() {
    const auto event = system_clock::now_with_bounds();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(event.time));
    std::cout << "stamped " << std::ctime(&seconds);

    const auto stamp = event.bounds ? event.bounds.latest : event.time;
    const utc_bounds committed = wait_out(stamp);
    if (!committed) {
        // Order by the stamp is a guess now: ask whoever keeps the order (a log's sequence, a lock), or refuse.
        std::cout << "not committed: " << truetick_unbounded_text(committed.unbounded) << '\n';
    } else {
        const auto later = system_clock::now_with_bounds();
        if (!later.bounds.is_after(stamp) || later.bounds.is_before(stamp)) return 1;
        std::cout << "committed: UTC was known to " << event.bounds.width().count() << " ns, "
                  << event.bounds_if_steady.width().count() << " if the clock runs steadily\n";
    }

    // A stamp of the steady clock, as UNIX time, and back.
    const auto before = truetick::clock::now();
    truetick::clock::time_point back;
    if (!truetick::from_utc(truetick::to_utc(before).time, back)) return 2;
    const auto off = back > before ? back - before : before - back;
    if (off >= std::chrono::milliseconds(1)) return 3;

    // What a machine that has just started calls an hour ago lies before its clock's start.
    const truetick::clock::time_point start;
    const auto ago = truetick::to_utc(start).time - truetick::to_utc(start - std::chrono::hours(1)).time;
    return ago > std::chrono::minutes(59) && ago < std::chrono::minutes(61) ? 0 : 4;
}
