/* The inline readings and the library's see one time, in one order; and most of them are inline. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "truetick_inline.h"

#if TRUETICK_HAS_INLINE

_Static_assert(offsetof(struct truetick_clock_1, state) == 16896, "as crates/truetick/src/layout.rs has it");

static int later(uint64_t now, uint64_t *last, const char *which) {
    if (now < *last) {
        printf("%s went back by %" PRIu64 " ns\n", which, *last - now);
        return 0;
    }
    *last = now;
    return 1;
}

int main(void) {
    const int by_counter = truetick_source() == TRUETICK_SOURCE_COUNTER;
    uint64_t last = 0, relaxed = 0, inlined = 0, reads = 300000, ns;
    if (!truetick_clock_1) return puts("the library keeps its clock otherwise"), 1;
    for (uint64_t i = 0; i < reads; i++) {
        if (truetick_by_line_(true, &ns)) {
            inlined++;
            if (!later(ns, &last, "an inline reading")) return 2;
        }
        if (!later(truetick_now_ns(), &last, "the library's reading")) return 3;
        if (!later(truetick_now(), &last, "a reading")) return 4;
        if (!later(truetick_now_relaxed(), &relaxed, "a relaxed reading")) return 5;
    }
    printf("%" PRIu64 " of %" PRIu64 " readings inline\n", inlined, reads);
    if (by_counter ? inlined < reads / 2 : inlined > 0) return 6;
    if (by_counter) {
        const uint64_t before = truetick_now(), ticks = truetick_ticks(), after = truetick_now();
        if (!truetick_ns_at(ticks, &ns)) return 7;
        /* Along one line: a slew that begins here shows. */
        if (ns + 1000000 < before || ns > after + 1000000) return 8;
        if (!truetick_ns_at(ticks, NULL)) return 9;
    }
    return 0;
}

#else

int main(void) { return truetick_now() > truetick_now_relaxed() + 1000000000u; }

#endif
