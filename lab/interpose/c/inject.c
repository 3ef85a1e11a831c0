/* What a read returns. Called with the lock held; allocates nothing and makes no system call but the clock's own. */
#define _GNU_SOURCE
#include "interpose.h"

#include <errno.h>
#include <math.h>

struct state states[CLOCKS];
struct rule rules[MAX_RULES];
size_t rule_count;

static uint64_t random_state;

void seed_with(uint64_t seed)
{
    random_state = seed;
}

/* splitmix64 */
uint64_t draw(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in the logarithm. */
double draw_size(double low, double high)
{
    double share = (double)(draw() >> 11) / 9007199254740992.0;
    return low >= high ? low : floor(low * pow(high / low, share));
}

int64_t line(const struct state *s, int64_t now)
{
    return now + (int64_t)floor((double)(now - s->origin) * s->rate + s->walked) + s->offset;
}

/* Puts a true reading at a place within the machine's own step that follows it, and so takes the machine's lattice away:
 * uniform over the step's width it leaves nothing of it. Never less than before: readings of one step keep their order. */
static int64_t dithered(struct state *s, int64_t now)
{
    double share = (double)(draw() >> 11) / 9007199254740992.0;
    double fine = (double)(now - s->origin) + share * s->dither;
    if (fine > s->fine)
        s->fine = fine;
    return s->origin + (int64_t)floor(s->fine);
}

/* What the quantum leaves of a value; the lattice goes through the clock's first reading. A dithered clock has a part of
 * a nanosecond, without which no lattice finer than one could be told from another. */
static int64_t quantized(const struct state *s, int64_t value)
{
    if (s->quantum <= 0)
        return value;
    double part = s->dither > 0 ? s->fine - floor(s->fine) : 0;
    return s->origin + (int64_t)floor(floor(((double)(value - s->origin) + part) / s->quantum) * s->quantum);
}

static void walk_on(struct state *s, const char *name, uint64_t read, int64_t now)
{
    double step = s->walk;
    if (s->walk_by_time)
        step *= sqrt((double)(now > s->before ? now - s->before : 0) / 1e9);
    s->walked += draw() & 1 ? step : -step;
    s->before = now;
    if (read % 1024 == 0)
        note(read, name, kind_names[WALK], s->walked, now);
}

/* The point fault that is due at this read, if any. */
static bool due(struct state *s, int clock, uint64_t read, enum kind *kind, double *size)
{
    for (size_t i = 0; i < rule_count; i++) {
        struct rule *r = &rules[i];
        if (r->clock != clock)
            continue;
        bool now = r->every != 0 && read >= r->from && (read - r->from) % r->every == 0;
        while (r->next < r->count && r->places[r->next] < read)
            r->next++; /* its place lay within a stall */
        if (r->next < r->count && r->places[r->next] == read) {
            r->next++;
            now = true;
        }
        if (now) {
            *kind = r->kind;
            *size = draw_size(r->low, r->high);
            return true;
        }
    }
    if (s->injected == s->planned || read < s->next || read == 0)
        return false;
    const struct planned *p = &s->plan[s->injected++];
    *kind = p->kind;
    *size = p->size;
    s->next = read + p->distance;
    return true;
}

/* One more read of a stall. */
static int64_t repeat(struct state *s, const char *name)
{
    if (s->repeats_left > 0)
        s->repeats_left--;
    if (s->repeats_left == 0)
        note(s->stall_read, name, kind_names[STALL], (double)s->repeats + 1, s->stall_time);
    s->next++; /* the distance to the next fault counts from the stall's end */
    return s->last;
}

int lie(int clock, truth *read_truth, void *what, int64_t *value)
{
    struct state *s = &states[clock];
    const char *name = clock_names[clock];
    uint64_t read = s->reads++;
    enum kind kind = GARBAGE;
    double size = 0;
    bool fault = s->repeats_left == 0 && due(s, clock, read, &kind, &size);
    if (kind == STALL && read == 0)
        fault = false; /* there is nothing to repeat */
    if (fault && kind == SLOW)
        busy_for(size);
    int64_t now;
    if (read_truth(what, &now) != 0)
        return -1;
    if (read == 0) {
        s->origin = s->last = s->before = now;
        if (s->quantum > 0)
            note(0, name, kind_names[QUANTIZE], s->quantum, now);
        if (s->rate != 0)
            note(0, name, kind_names[RATE], s->rate * 1e6, now);
        if (s->dither > 0)
            note(0, name, kind_names[DITHER], s->dither, now);
    }
    if (s->dither > 0)
        now = dithered(s, now);
    if (s->walk > 0)
        walk_on(s, name, read, now);
    if (s->repeats_left > 0) {
        *value = repeat(s, name);
        return 0;
    }
    *value = quantized(s, line(s, now));
    if (fault) {
        switch (kind) {
        case FAIL:
            note(read, name, kind_names[kind], size, now);
            errno = (int)size;
            return -1;
        case REGRESSION: /* from the value last seen, so that the time that has passed hides nothing of it */
            s->offset += s->last - (int64_t)size - line(s, now);
            *value = quantized(s, line(s, now));
            size = (double)(s->last - *value);
            break;
        case WARP:
            s->offset += (int64_t)size;
            *value = quantized(s, line(s, now));
            break;
        case STALL:
            s->repeats = s->repeats_left = (uint64_t)size - 1;
            s->stall_read = read - 1; /* where the value that is repeated was first returned */
            s->stall_time = now;
            *value = repeat(s, name);
            return 0;
        case GARBAGE:
            *value = (int64_t)(draw() >> 1);
            break;
        default:
            break;
        }
        note(read, name, kind_names[kind], size, now);
    }
    s->last = *value;
    return 0;
}
