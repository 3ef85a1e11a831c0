/* Reads one clock of clock_gettime() over and over and tells what it saw, one line a fault:
 *   regression INDEX NS NS     a value less than the one before; exact, so both sizes are equal
 *   warp INDEX LOW HIGH        the clock moved forward beyond the time that passed; bounds of the size
 *   stall INDEX READS READS    equal reads in a row, INDEX the first of them
 * and `reads COUNT`. Each read is bracketed by two raw system calls for the same clock, which no preloaded library
 * sees, so that value minus true time is known to lie in an interval; disjoint intervals are a step.
 *
 * usage: reader CLOCK READS. Exit 3 with `error ERRNO INDEX` when the clock can't be read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t nanoseconds(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static int64_t truth(clockid_t id)
{
    struct timespec t = { 0 };
    syscall(SYS_clock_gettime, id, &t);
    return nanoseconds(&t);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: reader CLOCK READS\n");
        return 2;
    }
    clockid_t id = (clockid_t)atoi(argv[1]);
    long count = atol(argv[2]);
    int64_t low = 0, high = 0, before = 0;
    long equal = 1;
    for (long i = 0; i < count; i++) {
        struct timespec t;
        int64_t w0 = truth(id);
        if (clock_gettime(id, &t) != 0) {
            printf("error %d %ld\n", errno, i);
            return 3;
        }
        int64_t w1 = truth(id);
        int64_t value = nanoseconds(&t);
        int64_t a = value - w1, b = value - w0;
        if (i > 0 && value == before) {
            equal++;
            continue;
        }
        if (equal > 1)
            printf("stall %ld %ld %ld\n", i - equal, equal, equal);
        equal = 1;
        if (i > 0 && value < before) {
            printf("regression %ld %lld %lld\n", i, (long long)(before - value), (long long)(before - value));
            low = a;
            high = b;
        } else if (i > 0 && a > high) {
            printf("warp %ld %lld %lld\n", i, (long long)(a - high), (long long)(b - low));
            low = a;
            high = b;
        } else if (i > 0 && b < low) {
            printf("lost %ld %lld %lld\n", i, (long long)(low - b), (long long)(high - a));
            low = a;
            high = b;
        } else if (i == 0) {
            low = a;
            high = b;
        } else {
            low = a > low ? a : low;
            high = b < high ? b : high;
        }
        before = value;
    }
    if (equal > 1)
        printf("stall %ld %ld %ld\n", count - equal, equal, equal);
    printf("reads %ld\n", count);
    return 0;
}
