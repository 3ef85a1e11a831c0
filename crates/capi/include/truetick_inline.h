/* truetick without a call, where the compiler knows how (GCC, Clang; x86-64, AArch64); else the library's functions.
   Reads the clock in memory as crates/truetick/src/layout.rs describes it, in its version 1. A library that keeps it
   otherwise says so by a null pointer, and the functions are called. */

#ifndef TRUETICK_INLINE_H
#define TRUETICK_INLINE_H

#include "truetick.h"

#if defined(__GNUC__) && !defined(_WIN32) && (defined(__x86_64__) || defined(__aarch64__))
#define TRUETICK_HAS_INLINE 1
#else
#define TRUETICK_HAS_INLINE 0
#endif

#if TRUETICK_HAS_INLINE

#ifdef __cplusplus
extern "C" {
#endif

/* The clock in memory, version 1. */
struct truetick_clock_1 {
    uint64_t slots[64][32];
    uint64_t claims[64];
    uint64_t state;
};

extern const struct truetick_clock_1 *const truetick_clock_1;

/* The bare counter. Only where truetick_source() is TRUETICK_SOURCE_COUNTER: a system may forbid a process to read it. */
static inline uint64_t truetick_ticks(void) {
#if defined(__x86_64__)
    uint64_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;
#else
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
#endif
}

/* The counter, not before everything earlier in the program has been done, and before any release that follows. */
static inline uint64_t truetick_ticks_ordered(void) {
#if defined(__x86_64__)
    uint64_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;
#else
    uint64_t ticks, address;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\teor %1, %0, %0\n\tadd %1, sp, %1\n\tldr xzr, [%1]"
                     : "=&r"(ticks), "=&r"(address)
                     :
                     : "memory");
    return ticks;
#endif
}

/* The time in *ns, without a call; false: there is no line for now. */
static inline bool truetick_by_line_(bool ordered, uint64_t *ns) {
    const struct truetick_clock_1 *clock = truetick_clock_1;
    if (__builtin_expect(!clock, 0)) return false;
    const uint64_t state = __atomic_load_n(&clock->state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!(state & 1), 0)) return false;
    const uint64_t *words = clock->slots[state >> 7 & 63];
    const uint64_t ticks = ordered ? truetick_ticks_ordered() : truetick_ticks();
    const uint64_t run = ticks - __atomic_load_n(&words[0], __ATOMIC_RELAXED);
    const uint64_t len = __atomic_load_n(&words[1], __ATOMIC_RELAXED);
    const uint64_t base = __atomic_load_n(&words[2], __ATOMIC_RELAXED);
    const uint64_t mult = __atomic_load_n(&words[3], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__builtin_expect(run >= len || __atomic_load_n(&clock->state, __ATOMIC_RELAXED) != state, 0)) return false;
    *ns = base + (run * mult >> 32);
    return true;
}

/* As truetick_now_ns. */
static inline uint64_t truetick_now(void) {
    uint64_t ns;
    return truetick_by_line_(true, &ns) ? ns : truetick_now_ns();
}

/* As truetick_now_relaxed_ns. */
static inline uint64_t truetick_now_relaxed(void) {
    uint64_t ns;
    return truetick_by_line_(false, &ns) ? ns : truetick_now_relaxed_ns();
}

#ifdef __cplusplus
}
#endif

#else

static inline uint64_t truetick_now(void) { return truetick_now_ns(); }

static inline uint64_t truetick_now_relaxed(void) { return truetick_now_relaxed_ns(); }

#endif

#endif
