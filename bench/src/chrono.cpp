// The clocks of C and C++; compiled by `cargo xtask bench truetick`, with truetick's C library in it.
#include "truetick.hpp"
#include <x86intrin.h>

static inline uint64_t fenced() {
    _mm_lfence();
    return __rdtsc();
}

// Ticks that `calls` reads take, in a loop as cost.rs has it.
template <class Read> static inline uint64_t batch(uint32_t calls, bool serialized, Read read) {
    uint64_t begin = fenced();
    for (uint32_t i = 0; i < calls; i++) {
        auto now = read();
        asm volatile("" : : "r"(now) : "memory");
        if (serialized) _mm_lfence();
    }
    return fenced() - begin;
}

extern "C" uint64_t steady_clock(uint32_t calls, bool serialized) {
    return batch(calls, serialized, [] { return std::chrono::steady_clock::now().time_since_epoch().count(); });
}

extern "C" uint64_t truetick_clock(uint32_t calls, bool serialized) {
    return batch(calls, serialized, [] { return truetick::clock::now().time_since_epoch().count(); });
}

extern "C" uint64_t truetick_relaxed(uint32_t calls, bool serialized) {
    return batch(calls, serialized, [] { return truetick::clock::now_relaxed().time_since_epoch().count(); });
}

extern "C" uint64_t truetick_call(uint32_t calls, bool serialized) {
    return batch(calls, serialized, [] { return truetick_now_ns(); });
}

extern "C" uint64_t system_clock(uint32_t calls, bool serialized) {
    return batch(calls, serialized, [] { return std::chrono::system_clock::now().time_since_epoch().count(); });
}

extern "C" uint64_t truetick_system_clock(uint32_t calls, bool serialized) {
    return batch(calls, serialized, [] { return truetick::system_clock::now().time_since_epoch().count(); });
}
