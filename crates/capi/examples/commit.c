/* Stamps an event with UNIX time and waits until that is certainly past on every machine whose bounds hold (Spanner's commit
   wait). Nobody who stamps after that, wherever, gets an earlier UTC. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "truetick_inline.h"

/* Waits until `stamp` is certainly past; where nobody knows, returns why at once. */
static TruetickUnbounded wait_out(int64_t stamp) {
    for (;;) {
        const TruetickBounds bounds = truetick_utc_now_with_bounds().bounds;
        if (bounds.unbounded || bounds.earliest_ns > stamp) return bounds.unbounded;
        /* The rest, by the clock; the bound may have grown by then. */
        const int64_t rest = stamp - bounds.earliest_ns + 10000;
        const struct timespec pause = {rest / 1000000000, rest % 1000000000};
        nanosleep(&pause, NULL);
    }
}

int main(void) {
    const TruetickUtcReading event = truetick_utc_now_with_bounds();
    /* The latest that UTC may have been: no clock that is right showed more before. */
    const int64_t stamp = event.bounds.unbounded ? event.ns : event.bounds.latest_ns;
    printf("stamped %" PRId64 ".%09" PRId64 "\n", stamp / 1000000000, stamp % 1000000000);

    const TruetickUnbounded why = wait_out(stamp);
    if (why) {
        /* Order by the stamp is a guess now: ask whoever keeps the order (a log's sequence, a lock), or refuse. */
        printf("not committed: %s\n", truetick_unbounded_text(why));
        return 0;
    }
    const TruetickUtcReading now = truetick_utc_now_with_bounds();
    printf("committed after %" PRId64 " us; UTC was within %" PRId64 " ns, %" PRId64 " if the clock runs steadily\n",
           (now.ns - event.ns) / 1000, event.bounds.latest_ns - event.ns, event.bounds_if_steady.latest_ns - event.ns);
    return now.bounds.earliest_ns <= stamp;
}
