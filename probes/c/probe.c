/* Reads the C library's clocks: probe SAMPLES PAIRS. The protocol is in ../README.md. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

static int64_t nanoseconds(struct timespec at) { return at.tv_sec * INT64_C(1000000000) + at.tv_nsec; }
static int64_t microseconds(struct timeval at) { return at.tv_sec * INT64_C(1000000) + at.tv_usec; }
static int64_t posix(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    return nanoseconds(at);
}
static int64_t timer(void) { return posix(CLOCK_MONOTONIC); }

/* What was read is kept, so that the compiler can't leave the reads out. */
static volatile int64_t kept;

/* A clock is its read and its two loops, in which the read is inlined. */
#define CLOCK(name, ...)                                                           \
    static inline int64_t name##_read(void) { __VA_ARGS__ }                        \
    static void name##_batch(long n) { while (n-- > 0) kept = name##_read(); }     \
    static void name##_row(int64_t *to, long n) { for (long i = 0; i < n; i++) to[i] = name##_read(); }

CLOCK(time, return time(NULL);)
CLOCK(gettimeofday, struct timeval at; gettimeofday(&at, NULL); return microseconds(at);)
CLOCK(getrusage, struct rusage used; getrusage(RUSAGE_SELF, &used);
      return microseconds(used.ru_utime) + microseconds(used.ru_stime);)
CLOCK(monotonic, return posix(CLOCK_MONOTONIC);)
#ifdef CLOCK_MONOTONIC_RAW
CLOCK(raw, return posix(CLOCK_MONOTONIC_RAW);)
#endif
CLOCK(process, return posix(CLOCK_PROCESS_CPUTIME_ID);)
CLOCK(clock, return clock();)

static const struct {
    const char *label;
    long per_second;
    clockid_t id; /* of which clock_getres is asked; -1: none */
    void (*batch)(long);
    void (*row)(int64_t *, long);
} clocks[] = {
    {"time", 1, -1, time_batch, time_row},
    {"gettimeofday", 1000000, -1, gettimeofday_batch, gettimeofday_row},
    {"getrusage", 1000000, -1, getrusage_batch, getrusage_row},
    {"clock_gettime(CLOCK_MONOTONIC)", 1000000000, CLOCK_MONOTONIC, monotonic_batch, monotonic_row},
#ifdef CLOCK_MONOTONIC_RAW
    {"clock_gettime(CLOCK_MONOTONIC_RAW)", 1000000000, CLOCK_MONOTONIC_RAW, raw_batch, raw_row},
#endif
    {"clock_gettime(CLOCK_PROCESS_CPUTIME_ID)", 1000000000, CLOCK_PROCESS_CPUTIME_ID, process_batch, process_row},
    {"clock", CLOCKS_PER_SEC, -1, clock_batch, clock_row},
};
enum { CLOCKS = sizeof clocks / sizeof clocks[0] };

static int64_t timed(void (*batch)(long), long n) {
    int64_t start = timer();
    batch(n);
    return timer() - start;
}

/* Of three, since one may be interrupted. */
static int64_t least(void (*batch)(long), long n) {
    int64_t shortest = timed(batch, n);
    for (int i = 0; i < 2; i++) {
        int64_t next = timed(batch, n);
        if (next < shortest) shortest = next;
    }
    return shortest;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    long samples = atol(argv[1]), pairs = atol(argv[2]);
    puts("# clockscope-probe/1");
#ifdef __GLIBC__
    printf("# runtime glibc %d.%d\n", __GLIBC__, __GLIBC_MINOR__);
#else
    puts("# runtime libc unknown");
#endif
    puts("# timer clock_gettime(CLOCK_MONOTONIC)");
#ifndef CLOCK_MONOTONIC_RAW
    puts("# absent clock_gettime(CLOCK_MONOTONIC_RAW) this C library does not declare it");
#endif
    for (int i = 0; i < CLOCKS; i++) {
        struct timespec step;
        printf("# clock %s 1/%ld\n", clocks[i].label, clocks[i].per_second);
        if (clocks[i].id == (clockid_t)-1) continue;
        if (clock_getres(clocks[i].id, &step) == 0)
            printf("# claim %s clock_getres %" PRId64 " ns\n", clocks[i].label, nanoseconds(step));
        else
            printf("# claim %s clock_getres %s\n", clocks[i].label, strerror(errno));
    }
    for (int i = 0; i < CLOCKS; i++) {
        long n = 20;
        while (pairs > 0 && least(clocks[i].batch, n) < 100000) n *= 2;
        for (long pair = 0; pair < pairs; pair++) {
            int64_t once = timed(clocks[i].batch, n);
            int64_t twice = timed(clocks[i].batch, 2 * n);
            printf("# pair %s %ld %" PRId64 " %" PRId64 "\n", clocks[i].label, n, once, twice);
        }
    }
    int64_t *values = malloc((size_t)samples * sizeof *values);
    if (samples > 0 && !values) return 1;
    memset(values, 1, (size_t)samples * sizeof *values); /* so that the pages are there */
    for (int i = 0; i < CLOCKS; i++) {
        clocks[i].row(values, samples);
        for (long at = 0; at < samples; at++) printf("%s %" PRId64 "\n", clocks[i].label, values[at]);
    }
    puts("# end");
    return fflush(stdout) == 0 ? 0 : 1;
}
