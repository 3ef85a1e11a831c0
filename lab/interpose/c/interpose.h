/* The parts of the interposer; README.md in the folder above says what it does. */
#ifndef INTERPOSE_H
#define INTERPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { NS_A_SECOND = 1000000000 };

/* The clocks that are wrapped: the ids of clock_gettime, then the older calls. */
enum { GETTIMEOFDAY = 16, TIME, FTIME, CLOCK, TIMES, GETRUSAGE, CLOCKS };

/* The point faults come first: they happen at one read (a stall: at a few). */
enum kind { REGRESSION, WARP, STALL, SLOW, FAIL, GARBAGE, QUANTIZE, RATE, WALK, DITHER };

enum { MAX_RULES = 64, MAX_PLACES = 64, MAX_PLANNED = 10000, MIN_DISTANCE = 64 /* reads between two faults of `count=`, where the script asks for no more */ };

/* A point fault at places that the script names. */
struct rule {
    int clock;
    enum kind kind;
    double low, high; /* size: ns, or reads of a stall, or errno */
    uint64_t from, every;
    uint64_t places[MAX_PLACES]; /* ascending */
    size_t count, next;
};

/* A point fault at a place that the seed chose. */
struct planned {
    enum kind kind;
    double size;
    uint64_t distance; /* reads between the end of this fault and the next */
};

/* What is asked of one clock, and how far it has got. */
struct state {
    bool wrapped;
    /* the script */
    double rate, quantum, walk, dither;
    bool walk_by_time;
    uint64_t first, spacing, least;
    struct planned *plan;
    size_t planned;
    /* the run */
    uint64_t reads, bypassed, next;
    size_t injected;
    int64_t origin, offset, last, before;
    double walked, fine; /* fine: the finest true reading so far, ns from the first one, where there is a dither */
    uint64_t repeats, repeats_left, stall_read;
    int64_t stall_time;
};

extern struct state states[CLOCKS];
extern struct rule rules[MAX_RULES];
extern size_t rule_count;
extern const char *const clock_names[CLOCKS];
extern const char *const kind_names[];

/* script.c: reads the script into `states` and `rules`; ends the program with a message where it is wrong. */
void read_script(const char *text, uint64_t seed);

/* inject.c */
uint64_t draw(void);
void seed_with(uint64_t seed);
double draw_size(double low, double high);
/* A true reading of a clock in ns, into `now`; 0, or -1 with errno set. */
typedef int truth(void *what, int64_t *now);
/* The reading that the caller is to see; 0, or -1 with errno set. */
int lie(int clock, truth *read, void *what, int64_t *value);
/* What the clock's line says at `now`, without any event. */
int64_t line(const struct state *s, int64_t now);

/* log.c */
void open_log(const char *path);
void close_log(void);
void abandon_log(void);
void note(uint64_t read, const char *clock, const char *kind, double size, int64_t time);

/* truth.c */
void find_true_gettime(void);
/* Whether the one past ours was found. */
bool has_true_gettime(void);
int true_gettime(clockid_t id, struct timespec *out);
/* Waits with the CPU busy. */
void busy_for(double ns);

#endif
