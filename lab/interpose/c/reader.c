/* Reads one of the C library's clocks over and over and writes down what it saw, a line a read:
 *   BEFORE VALUE AFTER ERRNO
 * all in ns; ERRNO is 0 where the read succeeded, VALUE 0 where not. BEFORE and AFTER are raw system calls for the same
 * clock, which no preloaded library sees, so that value minus true time is known to lie in an interval.
 *
 * usage: reader CLOCK READS
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

struct timeb {
    time_t time;
    unsigned short millitm;
    short timezone;
    short dstflag;
};

struct clock {
    const char *name;
    clockid_t id; /* of clock_gettime, for clock_gettime's clocks; for the others the clock that they show */
    int64_t (*read)(const struct clock *); /* the reading in ns; -1 where it failed */
};

static int (*ftime_here)(struct timeb *);

static int64_t by_gettime(const struct clock *c)
{
    struct timespec t;
    return clock_gettime(c->id, &t) != 0 ? -1 : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t by_timeofday(const struct clock *c)
{
    (void)c;
    struct timeval t;
    return gettimeofday(&t, NULL) != 0 ? -1 : (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

static int64_t by_time(const struct clock *c)
{
    (void)c;
    time_t t = time(NULL);
    return t == (time_t)-1 ? -1 : (int64_t)t * 1000000000;
}

static int64_t by_ftime(const struct clock *c)
{
    (void)c;
    struct timeb t;
    return ftime_here(&t) != 0 ? -1 : (int64_t)t.time * 1000000000 + (int64_t)t.millitm * 1000000;
}

static int64_t by_clock(const struct clock *c)
{
    (void)c;
    clock_t t = clock();
    return t == (clock_t)-1 ? -1 : (int64_t)t * (1000000000 / CLOCKS_PER_SEC);
}

static int64_t by_times(const struct clock *c)
{
    (void)c;
    struct tms unused;
    clock_t t = times(&unused);
    return t == (clock_t)-1 ? -1 : (int64_t)t * (1000000000 / sysconf(_SC_CLK_TCK));
}

static int64_t by_getrusage(const struct clock *c)
{
    (void)c;
    struct rusage u;
    if (getrusage(RUSAGE_SELF, &u) != 0)
        return -1;
    return ((int64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static const struct clock clocks[] = {
    { "realtime", CLOCK_REALTIME, by_gettime },
    { "monotonic", CLOCK_MONOTONIC, by_gettime },
    { "thread-cputime", CLOCK_THREAD_CPUTIME_ID, by_gettime },
    { "process-cputime", CLOCK_PROCESS_CPUTIME_ID, by_gettime },
    { "boottime", CLOCK_BOOTTIME, by_gettime },
    { "gettimeofday", CLOCK_REALTIME, by_timeofday },
    { "time", CLOCK_REALTIME, by_time },
    { "ftime", CLOCK_REALTIME, by_ftime },
    { "clock", CLOCK_PROCESS_CPUTIME_ID, by_clock },
    { "times", CLOCK_BOOTTIME, by_times },
    { "getrusage", CLOCK_PROCESS_CPUTIME_ID, by_getrusage },
};

static int64_t truth(clockid_t id)
{
    struct timespec t = { 0 };
    syscall(SYS_clock_gettime, id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct seen {
    int64_t before, value, after;
    int error;
};

int main(int argc, char **argv)
{
    const struct clock *c = clocks, *end = clocks + sizeof clocks / sizeof *clocks;
    while (argc == 3 && c < end && strcmp(c->name, argv[1]) != 0)
        c++;
    if (argc != 3 || c == end) {
        fprintf(stderr, "usage: reader CLOCK READS\n");
        return 2;
    }
    ftime_here = (int (*)(struct timeb *))dlsym(RTLD_DEFAULT, "ftime");
    if (c->read == by_ftime && ftime_here == NULL) {
        fprintf(stderr, "reader: this C library has no ftime\n");
        return 3;
    }
    size_t count = strtoul(argv[2], NULL, 10);
    struct seen *seen = calloc(count + 1, sizeof *seen);
    if (seen == NULL)
        return 1;
    for (size_t i = 0; i < count; i++) {
        struct seen *s = &seen[i];
        s->before = truth(c->id);
        errno = 0;
        s->value = c->read(c);
        s->error = s->value == -1 ? errno : 0;
        s->after = truth(c->id);
    }
    for (size_t i = 0; i < count; i++)
        printf("%lld %lld %lld %d\n", (long long)seen[i].before, (long long)(seen[i].error != 0 ? 0 : seen[i].value),
               (long long)seen[i].after, seen[i].error);
    free(seen);
    return 0;
}
