/* The log: a shared mapping, written without a system call. A write(2) would make the very read that is at fault
 * take microseconds longer, and its bracket too wide to judge. A killed program leaves NUL bytes behind the last line.
 */
#define _GNU_SOURCE
#include "interpose.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOG_BYTES = 1 << 20, LINE_BYTES = 128 };

static char *log_start, *log_end, *log_at;
static int log_file = -1;
static uint64_t lost;

void open_log(const char *path)
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

static char *put_whole(char *at, uint64_t number)
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

/* Whole numbers as such, others with six digits behind the point. */
static char *put_number(char *at, double number)
{
    if (number < 0) {
        *at++ = '-';
        number = -number;
    }
    uint64_t whole = (uint64_t)number;
    uint64_t millionths = (uint64_t)((number - (double)whole) * 1e6 + 0.5);
    at = put_whole(at, whole + millionths / 1000000);
    millionths %= 1000000;
    if (millionths != 0) {
        *at++ = '.';
        for (uint64_t unit = 100000; unit > 0; unit /= 10)
            *at++ = (char)('0' + millionths / unit % 10);
    }
    return at;
}

static char *put_text(char *at, const char *text)
{
    while (*text != '\0')
        *at++ = *text++;
    return at;
}

void note(uint64_t read, const char *clock, const char *kind, double size, int64_t time)
{
    char *at = log_at;
    if (at == NULL)
        return;
    if (log_end - at < (CLOCKS + 2) * LINE_BYTES) { /* the last lines of all clocks still fit */
        lost++;
        return;
    }
    at = put_whole(at, read);
    *at++ = ' ';
    at = put_text(at, clock);
    *at++ = ' ';
    at = put_text(at, kind);
    *at++ = ' ';
    at = put_number(at, size);
    *at++ = ' ';
    at = put_whole(at, (uint64_t)time);
    *at++ = '\n';
    log_at = at;
}

/* One line for each wrapped clock: its reads, and those that a signal handler made within another one. */
void close_log(void)
{
    char *at = log_at;
    if (at == NULL)
        return;
    for (int i = 0; i < CLOCKS; i++) {
        if (!states[i].wrapped)
            continue;
        at = put_text(at, "reads ");
        at = put_text(at, clock_names[i]);
        *at++ = ' ';
        at = put_whole(at, states[i].reads);
        *at++ = ' ';
        at = put_whole(at, states[i].bypassed);
        *at++ = '\n';
    }
    at = put_text(at, "end ");
    at = put_whole(at, lost);
    *at++ = '\n';
    log_at = NULL;
    if (ftruncate(log_file, at - log_start) != 0)
        _exit(99); /* the test sees that the log is not to be trusted */
}

/* After a fork the log is the parent's. */
void abandon_log(void)
{
    log_at = NULL;
}
