// A C interface of tscns, which is a C++ header; compiled by `cargo xtask bench truetick --tscns FILE`.
#include "tscns.h"
#include <x86intrin.h>

static TSCNS counter;

// 20 ms of calibration. Nobody calls calibrate() afterwards: that is the caller's business with tscns, and the
// peers are measured as a program gets them that only reads.
extern "C" void tscns_start() { counter.init(); }

extern "C" int64_t tscns_now() { return counter.rdns(); }

static inline uint64_t fenced() {
    _mm_lfence();
    return __rdtsc();
}

// Ticks that `calls` reads take, in a loop as cost.rs has it.
extern "C" uint64_t tscns_batch(uint32_t calls, bool serialized) {
    uint64_t begin = fenced();
    for (uint32_t i = 0; i < calls; i++) {
        int64_t now = counter.rdns();
        asm volatile("" : : "r"(now) : "memory");
        if (serialized) _mm_lfence();
    }
    return fenced() - begin;
}
