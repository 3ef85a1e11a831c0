/* Times a loop, and says how far the clock may be off. */
#include <inttypes.h>
#include <stdio.h>

#include "truetick.h"

int main(void) {
    uint64_t start = truetick_now_ns(), last = start;
    for (int i = 0; i < 1000000; i++) {
        uint64_t now = truetick_now_ns();
        if (now < last) {
            fprintf(stderr, "went back by %" PRIu64 " ns\n", last - now);
            return 1;
        }
        last = now;
    }
    TruetickReading reading = truetick_reading();
    printf("a reading takes %.1f ns\n", (double)truetick_elapsed_ns(start) / 1e6);
    if (reading.uncertainty_ns != UINT64_MAX) {
        printf("within %" PRIu64 " ns of the kernel's clock, within %" PRIu64 " if that runs steadily\n",
               reading.uncertainty_ns, reading.uncertainty_if_steady_ns);
    }
    double hz;
    if (truetick_frequency_hz(&hz)) printf("%.3f MHz\n", hz / 1e6);
    char story[4096];
    truetick_explain(story, sizeof story);
    fputs(story, stdout);
    return truetick_elapsed_ns(UINT64_MAX) != 0;
}
