// truetick as a clock of <chrono>, and stamps whose ticks are made times of later.
#include <chrono>
#include <iostream>
#include <type_traits>
#include <vector>

#include "truetick.hpp"

static_assert(truetick::clock::is_steady && noexcept(truetick::clock::now()), "a TrivialClock that is steady");
static_assert(std::is_same<truetick::clock::duration, std::chrono::nanoseconds>::value &&
                  std::is_same<truetick::clock::time_point::clock, truetick::clock>::value,
              "a clock of nanoseconds");

int main() {
    const truetick::stamps log;
    std::vector<truetick::stamps::stamp> made;
    const auto start = truetick::clock::now();
    const auto std_start = std::chrono::steady_clock::now();
    auto last = start;
    while (std::chrono::steady_clock::now() - std_start < std::chrono::milliseconds(20)) {
        const auto now = truetick::clock::now();
        if (now < last) return 1;
        last = now;
        made.push_back(log.now());
    }
    const auto end = truetick::clock::now();
    std::cout << std::chrono::duration_cast<std::chrono::microseconds>(end - start).count() << " us by truetick\n";

    for (std::size_t i = 1; i < made.size(); i += 100) {
        truetick::clock::time_point then;
        if (!log.instant_at(made[i], then)) return 2;
        // Along one line, so off by what the kernel's clock was slewed by since.
        if (then < start - std::chrono::milliseconds(1) || then > end + std::chrono::milliseconds(1)) return 3;
    }

    const auto own = truetick_cycles_overhead();
    const auto begun = truetick_cycles_begin();
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 1000; i++) sum = sum + i;
    const auto ticks = truetick_cycles_end(begun);
    std::cout << (ticks > own ? ticks - own : 0) << " ticks for the loop\n";
    // The clock started before std's and was read after it: it can't have seen less but for its uncertainty.
    return end - start < std::chrono::milliseconds(19) ? 4 : 0;
}
