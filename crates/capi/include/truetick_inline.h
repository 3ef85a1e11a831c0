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

/* The time in *ns by the line in use, without a call; false: there is no line for now. *run: ticks since its start. Into `wall`,
   which may be null if `count` is 0, the first `count` (0, 1 or 4) of the words for the wall clock. */
static inline __attribute__((always_inline)) bool truetick_along_(bool ordered, int count, uint64_t *ns, uint64_t *run,
                                                                  uint64_t *wall) {
    const struct truetick_clock_1 *clock = truetick_clock_1;
    if (__builtin_expect(!clock, 0)) return false;
    const uint64_t state = __atomic_load_n(&clock->state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!(state & 1), 0)) return false;
    const uint64_t *words = clock->slots[state >> 7 & 63];
    if (count == 4) {
        /* Without a bound the library says why: nothing is read in vain. */
        wall[1] = __atomic_load_n(&words[5], __ATOMIC_RELAXED);
        if (__builtin_expect(wall[1] >> 63 != 0, 0)) return false;
        wall[2] = __atomic_load_n(&words[6], __ATOMIC_RELAXED);
        wall[3] = __atomic_load_n(&words[7], __ATOMIC_RELAXED);
    }
    const uint64_t ticks = ordered ? truetick_ticks_ordered() : truetick_ticks();
    *run = ticks - __atomic_load_n(&words[0], __ATOMIC_RELAXED);
    const uint64_t len = __atomic_load_n(&words[1], __ATOMIC_RELAXED);
    const uint64_t base = __atomic_load_n(&words[2], __ATOMIC_RELAXED);
    const uint64_t mult = __atomic_load_n(&words[3], __ATOMIC_RELAXED);
    if (count != 0) wall[0] = __atomic_load_n(&words[4], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__builtin_expect(*run >= len || __atomic_load_n(&clock->state, __ATOMIC_RELAXED) != state, 0)) return false;
    *ns = base + (*run * mult >> 32);
    return true;
}

/* The monotonic time. */
static inline bool truetick_by_line_(bool ordered, uint64_t *ns) {
    uint64_t run;
    return truetick_along_(ordered, 0, ns, &run, 0);
}

/* UNIX time. */
static inline bool truetick_utc_by_line_(int64_t *utc_ns) {
    uint64_t ns, run, offset;
    if (!truetick_along_(true, 1, &ns, &run, &offset) || __builtin_expect(!offset, 0)) return false;
    *utc_ns = (int64_t)(ns + offset);
    return true;
}

static inline TruetickBounds truetick_bounds_(int64_t ns, uint64_t within) {
    TruetickBounds bounds;
    if (__builtin_sub_overflow(ns, (int64_t)within, &bounds.earliest_ns)) bounds.earliest_ns = INT64_MIN;
    if (__builtin_add_overflow(ns, (int64_t)within, &bounds.latest_ns)) bounds.latest_ns = INT64_MAX;
    bounds.unbounded = TRUETICK_UNBOUNDED_NONE;
    return bounds;
}

/* UNIX time and its bounds. */
static inline bool truetick_utc_reading_by_line_(TruetickUtcReading *reading) {
    uint64_t ns, run, wall[4];
    if (!truetick_along_(true, 4, &ns, &run, wall)) return false;
    reading->ns = (int64_t)(ns + wall[0]);
    reading->bounds = truetick_bounds_(reading->ns, wall[1] + (run * wall[2] >> 32));
    reading->bounds_if_steady = truetick_bounds_(reading->ns, wall[1] + (run * wall[3] >> 32));
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

/* As truetick_utc_now_ns. */
static inline int64_t truetick_utc_now(void) {
    int64_t ns;
    return truetick_utc_by_line_(&ns) ? ns : truetick_utc_now_ns();
}

/* As truetick_utc_reading, which it calls where there is no bound. */
static inline TruetickUtcReading truetick_utc_now_with_bounds(void) {
    TruetickUtcReading reading;
    return truetick_utc_reading_by_line_(&reading) ? reading : truetick_utc_reading();
}

#ifdef __cplusplus
}
#endif

#else

static inline uint64_t truetick_now(void) { return truetick_now_ns(); }

static inline uint64_t truetick_now_relaxed(void) { return truetick_now_relaxed_ns(); }

static inline int64_t truetick_utc_now(void) { return truetick_utc_now_ns(); }

static inline TruetickUtcReading truetick_utc_now_with_bounds(void) { return truetick_utc_reading(); }

#endif

#endif
