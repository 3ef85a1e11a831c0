// truetick as a clock of <chrono>.
#include <chrono>
#include <iostream>

#include "truetick.h"

struct true_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<true_clock>;
    static constexpr bool is_steady = true;
    static time_point now() noexcept { return time_point(duration(truetick_now_ns())); }
};

int main() {
    const auto start = true_clock::now();
    const auto std_start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - std_start < std::chrono::milliseconds(20)) {
    }
    const auto taken = true_clock::now() - start;
    std::cout << std::chrono::duration_cast<std::chrono::microseconds>(taken).count() << " us by truetick\n";

    const auto own = truetick_cycles_overhead();
    const auto begun = truetick_cycles_begin();
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 1000; i++) sum = sum + i;
    const auto ticks = truetick_cycles_end(begun);
    std::cout << (ticks > own ? ticks - own : 0) << " ticks for the loop\n";
    // The clock started before std's and was read after it: it can't have seen less but for its uncertainty.
    return taken < std::chrono::milliseconds(19);
}
