/* Preloaded into a program, makes the C library's clocks lie in ways that are known exactly. README.md in the folder
 * above has the script's grammar and the log's.
 *
 *   INTERPOSE        the script, or @FILE
 *   INTERPOSE_SEED   where the faults of `count=` fall, and sizes within a range (default 1)
 *   INTERPOSE_LOG    the file that says what was injected
 */
#define _GNU_SOURCE
#include "interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>


/* All else is hidden, so that no name in here gets in the way of one in the program. */
#define EXPORT __attribute__((visibility("default")))

/* <sys/timeb.h> is gone from some C libraries while the function is still there. */
struct timeb {
    time_t time;
    unsigned short millitm;
    short timezone;
    short dstflag;
};
EXPORT int ftime(struct timeb *out);

static int (*next_timeofday)(struct timeval *, void *);
static time_t (*next_time)(time_t *);
static int (*next_ftime)(struct timeb *);
static clock_t (*next_clock)(void);
static clock_t (*next_times)(struct tms *);
static int (*next_getrusage)(int, struct rusage *);
static int64_t ns_a_times_tick = 10000000;

/* One reader at a time. A signal handler that reads a clock within a read of its own thread must not wait for it. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Thread_local volatile int inside __attribute__((tls_model("initial-exec")));

static void child_of_fork(void)
{
    abandon_log();
    atomic_flag_clear(&busy);
}

__attribute__((constructor)) static void start(void)
{
    const char *script = getenv("INTERPOSE");
    const char *seed = getenv("INTERPOSE_SEED");
    next_timeofday = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    next_time = (time_t (*)(time_t *))dlsym(RTLD_NEXT, "time");
    next_ftime = (int (*)(struct timeb *))dlsym(RTLD_NEXT, "ftime");
    next_clock = (clock_t (*)(void))dlsym(RTLD_NEXT, "clock");
    next_times = (clock_t (*)(struct tms *))dlsym(RTLD_NEXT, "times");
    next_getrusage = (int (*)(int, struct rusage *))dlsym(RTLD_NEXT, "getrusage");
    ns_a_times_tick = NS_A_SECOND / sysconf(_SC_CLK_TCK);
    if (script != NULL)
        read_script(script, seed != NULL ? strtoull(seed, NULL, 10) : 1);
    open_log(getenv("INTERPOSE_LOG"));
    pthread_atfork(NULL, NULL, child_of_fork);
    find_true_gettime();
}

__attribute__((destructor)) static void finish(void)
{
    close_log();
}

/* Whether this clock is one that the script names. */
static int wrapped(int clock)
{
    return has_true_gettime() && states[clock].wrapped;
}

static int read_clock(int clock, truth *read, void *what, int64_t *value)
{
    if (inside) {
        states[clock].bypassed++;
        if (read(what, value) != 0)
            return -1;
        *value = line(&states[clock], *value);
        return 0;
    }
    inside = 1;
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        syscall(SYS_sched_yield);
    int result = lie(clock, read, what, value);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    inside = 0;
    return result;
}

/* Splits ns into seconds and the rest, rounded down also below 0. */
static int64_t seconds(int64_t ns, int64_t *rest)
{
    *rest = ns % NS_A_SECOND;
    if (*rest < 0)
        *rest += NS_A_SECOND;
    return (ns - *rest) / NS_A_SECOND;
}

static int gettime_truth(void *id, int64_t *ns)
{
    struct timespec t;
    if (true_gettime(*(clockid_t *)id, &t) != 0)
        return -1;
    *ns = (int64_t)t.tv_sec * NS_A_SECOND + t.tv_nsec;
    return 0;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *out)
{
    if (id < 0 || id >= GETTIMEOFDAY || !wrapped(id))
        return true_gettime(id, out);
    int64_t ns, rest;
    if (read_clock(id, gettime_truth, &id, &ns) != 0)
        return -1;
    out->tv_sec = (time_t)seconds(ns, &rest);
    out->tv_nsec = (long)rest;
    return 0;
}

static int timeofday_truth(void *zone, int64_t *ns)
{
    struct timeval t;
    if (next_timeofday(&t, zone) != 0)
        return -1;
    *ns = (int64_t)t.tv_sec * NS_A_SECOND + (int64_t)t.tv_usec * 1000;
    return 0;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    if (!wrapped(GETTIMEOFDAY))
        return next_timeofday != NULL ? next_timeofday(out, zone) : (int)syscall(SYS_gettimeofday, out, zone);
    int64_t ns, rest;
    if (read_clock(GETTIMEOFDAY, timeofday_truth, zone, &ns) != 0)
        return -1;
    out->tv_sec = (time_t)seconds(ns, &rest);
    out->tv_usec = (suseconds_t)(rest / 1000);
    return 0;
}

static int time_truth(void *nothing, int64_t *ns)
{
    (void)nothing;
    time_t now = next_time(NULL);
    *ns = (int64_t)now * NS_A_SECOND;
    return now == (time_t)-1 ? -1 : 0;
}

EXPORT time_t time(time_t *out)
{
    int64_t ns, rest;
    time_t value = -1;
    if (!wrapped(TIME)) {
        struct timespec now = { 0 };
        if (next_time != NULL)
            return next_time(out);
        syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
        value = now.tv_sec;
    } else if (read_clock(TIME, time_truth, NULL, &ns) == 0) {
        value = (time_t)seconds(ns, &rest);
    }
    if (out != NULL)
        *out = value;
    return value;
}

static int ftime_truth(void *out, int64_t *ns)
{
    struct timeb *t = out;
    if (next_ftime == NULL) {
        errno = ENOSYS;
        return -1;
    }
    if (next_ftime(t) != 0)
        return -1;
    *ns = (int64_t)t->time * NS_A_SECOND + (int64_t)t->millitm * 1000000;
    return 0;
}

EXPORT int ftime(struct timeb *out)
{
    int64_t ns, rest;
    if (!wrapped(FTIME))
        return ftime_truth(out, &ns);
    if (read_clock(FTIME, ftime_truth, out, &ns) != 0)
        return -1;
    out->time = (time_t)seconds(ns, &rest);
    out->millitm = (unsigned short)(rest / 1000000);
    return 0;
}

static int clock_truth(void *nothing, int64_t *ns)
{
    (void)nothing;
    clock_t now = next_clock();
    *ns = (int64_t)now * (NS_A_SECOND / CLOCKS_PER_SEC);
    return now == (clock_t)-1 ? -1 : 0;
}

EXPORT clock_t clock(void)
{
    int64_t ns;
    if (!wrapped(CLOCK))
        return next_clock != NULL ? next_clock() : (clock_t)-1;
    if (read_clock(CLOCK, clock_truth, NULL, &ns) != 0)
        return (clock_t)-1;
    return (clock_t)(ns / (NS_A_SECOND / CLOCKS_PER_SEC));
}

static int times_truth(void *out, int64_t *ns)
{
    clock_t now = next_times(out);
    *ns = (int64_t)now * ns_a_times_tick;
    return now == (clock_t)-1 ? -1 : 0;
}

EXPORT clock_t times(struct tms *out)
{
    int64_t ns;
    if (!wrapped(TIMES))
        return next_times != NULL ? next_times(out) : (clock_t)syscall(SYS_times, out);
    if (read_clock(TIMES, times_truth, out, &ns) != 0)
        return (clock_t)-1;
    return (clock_t)(ns / ns_a_times_tick);
}

struct usage {
    int who;
    struct rusage *out;
};

static int64_t micros(const struct timeval *t)
{
    return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

static int usage_truth(void *what, int64_t *ns)
{
    const struct usage *u = what;
    if (next_getrusage(u->who, u->out) != 0)
        return -1;
    *ns = (micros(&u->out->ru_utime) + micros(&u->out->ru_stime)) * 1000;
    return 0;
}

/* The clock is the sum of user and system time; what it lies by goes to the user's part. */
EXPORT int getrusage(__rusage_who_t who, struct rusage *out)
{
    if (who != RUSAGE_SELF || !wrapped(GETRUSAGE))
        return next_getrusage != NULL ? next_getrusage(who, out) : (int)syscall(SYS_getrusage, who, out);
    struct usage u = { .who = who, .out = out };
    int64_t ns;
    if (read_clock(GETRUSAGE, usage_truth, &u, &ns) != 0)
        return -1;
    int64_t user = ns / 1000 - micros(&out->ru_stime);
    out->ru_utime.tv_sec = (time_t)(user / 1000000);
    out->ru_utime.tv_usec = (suseconds_t)(user % 1000000);
    return 0;
}
