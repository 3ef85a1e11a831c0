/* Wall time by the header and by the library is one, within bounds that hold or for a reason. SAYS: synchronized.c. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "truetick_inline.h"

static int64_t half(TruetickBounds bounds) { return (bounds.latest_ns - bounds.earliest_ns) / 2; }

/* Around `ns`; or nothing, for the reason `why`. */
static int sound(TruetickBounds bounds, int64_t ns, TruetickUnbounded why) {
    if (why) return bounds.unbounded == why && bounds.earliest_ns == INT64_MIN && bounds.latest_ns == INT64_MAX;
    return !bounds.unbounded && ns - bounds.earliest_ns == bounds.latest_ns - ns;
}

static int is_sound(TruetickUtcReading reading, TruetickUnbounded why) {
    if (sound(reading.bounds, reading.ns, why) && sound(reading.bounds_if_steady, reading.ns, why)) return 1;
    printf("not sound: %s\n", truetick_unbounded_text(reading.bounds.unbounded));
    return 0;
}

/* Along one line bounds grow, so that of three readings the middle one's lie between the others'. */
static int between(TruetickUtcReading a, TruetickUtcReading b, TruetickUtcReading c) {
    return half(a.bounds) <= half(b.bounds) && half(b.bounds) <= half(c.bounds) &&
           half(a.bounds_if_steady) <= half(b.bounds_if_steady) && half(b.bounds_if_steady) <= half(c.bounds_if_steady);
}

int main(void) {
    const char *says = getenv("SAYS");
    const TruetickUnbounded why = says ? TRUETICK_UNBOUNDED_NONE : TRUETICK_UNBOUNDED_UNSYNCHRONIZED;
    const uint64_t reads = 100000, start = truetick_now();
    uint64_t inlined = 0, bounded = 0, alike = 0, ns;
    int64_t last = truetick_utc_now();
    for (uint64_t i = 0; i < reads; i++) {
        TruetickUtcReading before = truetick_utc_reading(), middle = truetick_utc_now_with_bounds(), line = middle;
#if TRUETICK_HAS_INLINE
        int64_t time = middle.ns;
        inlined += truetick_utc_by_line_(&time);
        if (time < middle.ns) return puts("an inline reading went back"), 2;
        bounded += truetick_utc_reading_by_line_(&line);
#endif
        const TruetickUtcReading after = truetick_utc_reading();
        if (!is_sound(before, why) || !is_sound(middle, why) || !is_sound(line, why) || !is_sound(after, why)) return 1;
        /* Nobody sets the clock here: it is as ordered as the other. */
        const int64_t times[] = {before.ns, middle.ns, line.ns, after.ns, truetick_utc_now_ns(), truetick_utc_now()};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            if (times[k] < last) return printf("reading %zu went back by %" PRId64 " ns\n", k, last - times[k]), 2;
            last = times[k];
        }
        if (why) continue;
        alike += between(before, middle, after) && between(before, line, after);
        /* What was said, in us, and 500 us for the second that may begin. */
        if (half(after.bounds_if_steady) < (atol(says) + 500) * 1000) return 3;
        if (half(after.bounds_if_steady) > half(after.bounds)) return 4;
    }
    printf("%" PRIu64 " of %" PRIu64 " inline, %" PRIu64 " with bounds, %" PRIu64 " bounds between the library's\n",
           inlined, reads, bounded, alike);
    const bool by_counter = TRUETICK_HAS_INLINE && truetick_source() == TRUETICK_SOURCE_COUNTER;
    if (by_counter ? inlined < reads / 2 : inlined > 0) return 5;
    if (by_counter && !why ? bounded < reads / 2 || alike < reads / 2 : bounded > 0) return 6;

    const TruetickUtcReading then = truetick_to_utc(start);
    if (then.ns > last || !is_sound(then, why)) return 7;
    if (!truetick_from_utc(then.ns, &ns) || ns + 1000000 < start || ns > start + 1000000) return 8;
    if (!truetick_from_utc(then.ns, NULL) || truetick_from_utc(INT64_MIN, &ns)) return 9;
    return 0;
}
