/* Preloaded into a program, makes one clock of clock_gettime() lie in ways that are known exactly.
 *
 * Settings, from the environment:
 *   INTERPOSE_CLOCK        the clock id to wrap (number, default 1: CLOCK_MONOTONIC)
 *   INTERPOSE_MODE         faults (default) | garbage | backwards | frozen | slow | eperm | eperm-after
 *   INTERPOSE_AFTER        eperm-after: reads that still succeed (default 1000)
 *   INTERPOSE_SEED         faults: seed of the places and sizes (default 1)
 *   INTERPOSE_REGRESSIONS, INTERPOSE_WARPS, INTERPOSE_STALLS   faults: how many of each (default 0)
 *   INTERPOSE_FIRST        faults: reads before the first one (default 2000)
 *   INTERPOSE_SPACING      faults: mean number of reads between two (default 500, 64 at least)
 *   INTERPOSE_LOG          file that the log goes to
 *
 * The log has a line a fault, `regression INDEX NS`, `warp INDEX NS` or `stall INDEX READS`, in the order of
 * time, and `reads COUNT` at the end. INDEX counts the wrapped clock's reads from 0. The sizes are the caller's:
 *   regression   value before minus value after; the clock goes on from the lower value
 *   warp         how much the clock was moved forward beyond the time that passed; it goes on from there
 *   stall        how many reads in a row return the same value, the first of them included
 *
 * Faults lie 64 reads apart at least, the end of one to the start of the next, so that none hides another, and
 * are 1 us to 10 ms large, uniform in the logarithm. The log is a shared mapping, written without a system call:
 * a write(2) would make the very read that is at fault take microseconds longer, and its bracket too wide to
 * judge. A killed program leaves the log with NUL bytes behind the last line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOG_BYTES = 1 << 20, LINE_BYTES = 64, MAX_FAULTS = 10000, MIN_DISTANCE = 64, MAX_REPEATS = 8 };
enum mode { FAULTS, GARBAGE, BACKWARDS, FROZEN, SLOW, EPERM_ALWAYS, EPERM_AFTER };
enum kind { REGRESSION, WARP, STALL };

typedef int reader(clockid_t, struct timespec *);

static reader *next_reader;
static clockid_t wrapped;
static enum mode mode;
static uint64_t after, spacing, random_state;
static unsigned char plan[MAX_FAULTS];
static size_t planned, injected;
static char *log_start, *log_end, *log_at;
static int log_file = -1;

static atomic_flag busy = ATOMIC_FLAG_INIT;
static uint64_t reads, next_fault;
static int64_t offset, last, origin;
static unsigned repeats_left, repeats;
static uint64_t stall_index;

/* splitmix64 */
static uint64_t draw(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strtoull(text, NULL, 10) : otherwise;
}

static int64_t nanoseconds(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static struct timespec timespec_of(int64_t ns)
{
    int64_t below = ns % 1000000000;
    if (below < 0)
        below += 1000000000;
    return (struct timespec){ .tv_sec = (ns - below) / 1000000000, .tv_nsec = below };
}

static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

static char *put_text(char *at, const char *text)
{
    while (*text != '\0')
        *at++ = *text++;
    return at;
}

static void note(const char *what, const uint64_t *index, uint64_t size)
{
    char *at = log_at;
    if (at == NULL || log_end - at < LINE_BYTES)
        return;
    at = put_text(at, what);
    if (index != NULL) {
        *at++ = ' ';
        at = put_number(at, *index);
    }
    *at++ = ' ';
    at = put_number(at, size);
    *at++ = '\n';
    log_at = at;
}

static void open_log(const char *path)
{
    if (path == NULL || (log_file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) < 0)
        return;
    if (ftruncate(log_file, LOG_BYTES) != 0)
        return;
    void *map = mmap(NULL, LOG_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, log_file, 0);
    if (map == MAP_FAILED)
        return;
    memset(map, 0, LOG_BYTES); /* every page is writable before the first fault is noted */
    log_start = log_at = map;
    log_end = log_start + LOG_BYTES;
}

static void make_plan(void)
{
    static const char *const names[] = { "INTERPOSE_REGRESSIONS", "INTERPOSE_WARPS", "INTERPOSE_STALLS" };
    for (unsigned char kind = REGRESSION; kind <= STALL; kind++)
        for (uint64_t left = setting(names[kind], 0); left > 0 && planned < MAX_FAULTS; left--)
            plan[planned++] = kind;
    for (size_t i = planned; i > 1; i--) {
        size_t j = draw() % i;
        unsigned char kind = plan[i - 1];
        plan[i - 1] = plan[j];
        plan[j] = kind;
    }
}

static enum mode mode_named(const char *name)
{
    static const char *const names[] = { "faults", "garbage", "backwards", "frozen", "slow", "eperm", "eperm-after" };
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (enum mode)i;
    return FAULTS;
}

__attribute__((constructor)) static void start(void)
{
    reader *found = (reader *)dlsym(RTLD_NEXT, "clock_gettime");
    struct timespec now = { 0 };
    wrapped = (clockid_t)setting("INTERPOSE_CLOCK", CLOCK_MONOTONIC);
    mode = mode_named(getenv("INTERPOSE_MODE"));
    after = setting("INTERPOSE_AFTER", 1000);
    random_state = setting("INTERPOSE_SEED", 1);
    spacing = setting("INTERPOSE_SPACING", 500);
    next_fault = setting("INTERPOSE_FIRST", 2000);
    if (spacing < MIN_DISTANCE)
        spacing = MIN_DISTANCE;
    make_plan();
    open_log(getenv("INTERPOSE_LOG"));
    if (found != NULL && found(wrapped, &now) == 0)
        origin = nanoseconds(&now);
    next_reader = found;
}

__attribute__((destructor)) static void finish(void)
{
    note("reads", NULL, reads);
    if (log_start != NULL && ftruncate(log_file, log_at - log_start) != 0)
        _exit(99); /* the test sees that the log is not to be trusted */
}

/* 1 us to 10 ms, uniform in the logarithm */
static int64_t draw_size(void)
{
    double share = (double)(draw() >> 11) / 9007199254740992.0;
    return (int64_t)(1000.0 * pow(10.0, 4.0 * share));
}

static void plan_next(uint64_t index)
{
    injected++;
    next_fault = index + MIN_DISTANCE + draw() % (2 * (spacing - MIN_DISTANCE) + 1);
}

/* The value that read number `index` returns when the true time is `now`. */
static int64_t with_faults(uint64_t index, int64_t now)
{
    int64_t value = now + offset;
    if (repeats_left > 0) {
        if (--repeats_left == 0) {
            note("stall", &stall_index, repeats + 1);
            plan_next(index);
        }
        return last;
    }
    if (injected == planned || index < next_fault || index == 0)
        return value;
    int64_t size = draw_size();
    switch (plan[injected]) {
    case REGRESSION: /* from the value last seen, so that the time that has passed hides nothing of it */
        value = last - size;
        offset = value - now;
        note("regression", &index, (uint64_t)size);
        plan_next(index);
        return value;
    case WARP:
        offset += size;
        note("warp", &index, (uint64_t)size);
        plan_next(index);
        return value + size;
    default:
        repeats = 1 + draw() % MAX_REPEATS;
        repeats_left = repeats - 1;
        stall_index = index - 1; /* where the value that is repeated was first returned */
        if (repeats_left == 0) {
            note("stall", &stall_index, repeats + 1);
            plan_next(index);
        }
        return last;
    }
}

/* Reads the wrapped clock with the chosen lie; 0, or -1 with errno set. */
static int lie(struct timespec *out)
{
    uint64_t index = reads++;
    static const struct timespec five_ms = { .tv_sec = 0, .tv_nsec = 5000000 };
    if (mode == EPERM_ALWAYS || (mode == EPERM_AFTER && index >= after)) {
        errno = EPERM;
        return -1;
    }
    if (mode == SLOW)
        syscall(SYS_nanosleep, &five_ms, NULL);
    if (next_reader(wrapped, out) != 0)
        return -1;
    int64_t now = nanoseconds(out);
    switch (mode) {
    case GARBAGE:
        *out = (struct timespec){ .tv_sec = (time_t)draw(), .tv_nsec = (long)draw() };
        return 0;
    case BACKWARDS:
        *out = timespec_of(2 * origin - now);
        return 0;
    case FROZEN:
        *out = timespec_of(origin);
        return 0;
    case FAULTS:
        last = with_faults(index, now);
        *out = timespec_of(last);
        return 0;
    default:
        return 0;
    }
}

int clock_gettime(clockid_t id, struct timespec *out)
{
    if (next_reader == NULL)
        return (int)syscall(SYS_clock_gettime, id, out);
    if (id != wrapped)
        return next_reader(id, out);
    /* One reader is meant. A second one that comes at the same instant, or a signal handler, gets the line. */
    if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
        int result = next_reader(id, out);
        if (result == 0)
            *out = timespec_of(nanoseconds(out) + offset);
        return result;
    }
    int result = lie(out);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return result;
}
