/* Reads the script. Its grammar stands in README.md. A script that is wrong ends the program: a fault that is not
 * injected would be taken for one that was not found.
 */
#define _GNU_SOURCE
#include "interpose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const clock_names[CLOCKS] = {
    "realtime", "monotonic", "process-cputime", "thread-cputime", "monotonic-raw", "realtime-coarse",
    "monotonic-coarse", "boottime", "realtime-alarm", "boottime-alarm", NULL, "tai", NULL, NULL, NULL, NULL,
    "gettimeofday", "time", "ftime", "clock", "times", "getrusage",
};
const char *const kind_names[] = { "regression", "warp", "stall", "slow", "fail", "garbage", "quantize", "rate", "walk", "dither" };

enum { KINDS = 10, MAX_SCRIPT = 1 << 16 };

static const struct {
    const char *name;
    int number;
} errors[] = {
    { "EPERM", EPERM },   { "EINVAL", EINVAL }, { "ENOSYS", ENOSYS }, { "EAGAIN", EAGAIN },
    { "EFAULT", EFAULT }, { "EINTR", EINTR },   { "EIO", EIO },       { "ENODEV", ENODEV },
};

static const char *statement_text;

static _Noreturn void wrong(const char *what, const char *where)
{
    fprintf(stderr, "interpose: %s: '%s' in '%s'\n", what, where, statement_text);
    _exit(99);
}

/* A number, or a fraction of two, and what follows it. */
static double number(const char *text, char **rest)
{
    double value = strtod(text, rest);
    if (*rest == text)
        wrong("a number is wanted", text);
    if (**rest == '/') {
        const char *below = *rest + 1;
        double divisor = strtod(below, rest);
        if (*rest == below || divisor == 0)
            wrong("a divisor is wanted", text);
        value /= divisor;
    }
    return value;
}

static double with_unit(const char *text, char **rest)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
    double value = number(text, rest);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(*rest, units[i].name, length) == 0) {
            *rest += length;
            return value * units[i].ns;
        }
    }
    wrong("a unit is wanted (ns, us, ms, s)", text);
}

static uint64_t whole(const char *text)
{
    char *rest;
    uint64_t value = strtoull(text, &rest, 10);
    if (rest == text || *rest != '\0')
        wrong("a whole number is wanted", text);
    return value;
}

static double count_of_reads(const char *text, char **rest)
{
    uint64_t reads = strtoull(text, rest, 10);
    if (*rest == text)
        wrong("a number of reads is wanted", text);
    return (double)reads;
}

/* `LOW` or `LOW..HIGH`, into the rule. */
static void range(const char *text, struct rule *r)
{
    double (*read)(const char *, char **) = r->kind == STALL ? count_of_reads : with_unit;
    char *rest;
    r->low = r->high = read(text, &rest);
    if (strncmp(rest, "..", 2) == 0)
        r->high = read(rest + 2, &rest);
    if (*rest != '\0' || r->low < 0 || r->high < r->low || (r->kind == STALL && r->low < 2))
        wrong("a size is wanted, or two with .. between them (a stall has two reads at least)", text);
}

static void error_named(const char *text, struct rule *r)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(text, errors[i].name) == 0) {
            r->low = r->high = errors[i].number;
            return;
        }
    wrong("this errno has no name here", text);
}

static struct planned plans[MAX_PLANNED];
static size_t planned_in_all;
/* How many of which rule the seed is to place, clock by clock. */
static struct {
    struct rule rule;
    uint64_t count;
} wanted[MAX_RULES];
static size_t wanted_count;

/* `at=`, `every=`, `from=`, `count=` behind a point fault. */
static void places(char **words, struct rule *r, uint64_t *count)
{
    bool placed = false;
    for (char *word = strtok_r(NULL, " \t", words); word != NULL; word = strtok_r(NULL, " \t", words)) {
        if (strncmp(word, "count=", 6) == 0)
            *count = whole(word + 6);
        else if (strncmp(word, "every=", 6) == 0)
            r->every = whole(word + 6);
        else if (strncmp(word, "from=", 5) == 0)
            r->from = whole(word + 5);
        else if (strncmp(word, "at=", 3) == 0) {
            char *numbers;
            for (char *at = strtok_r(word + 3, ",", &numbers); at != NULL; at = strtok_r(NULL, ",", &numbers)) {
                uint64_t place = whole(at);
                if (r->count == MAX_PLACES || (r->count > 0 && place <= r->places[r->count - 1]))
                    wrong("places ascend, and are 64 at most", at);
                r->places[r->count++] = place;
            }
        } else
            wrong("at=, every=, from= or count= is wanted", word);
        placed = true;
    }
    if (!placed)
        wrong("where it is to happen is wanted (at=, every=, from=, count=)", kind_names[r->kind]);
    if (r->from != 0 && r->every == 0)
        r->every = 1;
}

static void settings(int clock, enum kind kind, const char *size, char **words)
{
    struct state *s = &states[clock];
    char *rest;
    if (kind == RATE) {
        s->rate = number(size, &rest) / 1e6;
        if (strcmp(rest, "ppm") != 0)
            wrong("a rate is in ppm", size);
        return;
    }
    double ns = with_unit(size, &rest);
    if (*rest != '\0' || ns <= 0)
        wrong("a size is wanted", size);
    if (kind == QUANTIZE || kind == DITHER) {
        *(kind == QUANTIZE ? &s->quantum : &s->dither) = ns;
        return;
    }
    const char *per = strtok_r(NULL, " \t", words);
    s->walk = ns;
    s->walk_by_time = per != NULL && strcmp(per, "per=s") == 0;
    if (!s->walk_by_time && (per == NULL || strcmp(per, "per=read") != 0))
        wrong("per=read or per=s is wanted", per == NULL ? size : per);
}

static void spread(int clock, char **words)
{
    for (char *word = strtok_r(NULL, " \t", words); word != NULL; word = strtok_r(NULL, " \t", words)) {
        if (strncmp(word, "first=", 6) == 0)
            states[clock].first = whole(word + 6);
        else if (strncmp(word, "spacing=", 8) == 0)
            states[clock].spacing = whole(word + 8);
        else if (strncmp(word, "least=", 6) == 0)
            states[clock].least = whole(word + 6);
        else
            wrong("first=, spacing= or least= is wanted", word);
    }
}

static void ask(int clock, const char *what, char *words)
{
    states[clock].wrapped = true;
    if (strcmp(what, "spread") == 0) {
        spread(clock, &words);
        return;
    }
    if (strcmp(what, "watch") == 0)
        return;
    int kind = 0;
    while (kind < KINDS && strcmp(what, kind_names[kind]) != 0)
        kind++;
    if (kind == KINDS)
        wrong("there is no such fault", what);
    struct rule r = { .clock = clock, .kind = (enum kind)kind };
    if (kind != GARBAGE) {
        const char *size = strtok_r(NULL, " \t", &words);
        if (size == NULL)
            wrong("a size is wanted", what);
        if (kind >= QUANTIZE) {
            settings(clock, r.kind, size, &words);
            return;
        }
        if (kind == FAIL)
            error_named(size, &r);
        else
            range(size, &r);
    }
    uint64_t count = 0;
    places(&words, &r, &count);
    if (count > 0) {
        if (wanted_count == MAX_RULES)
            wrong("there are too many rules", what);
        wanted[wanted_count].rule = r;
        wanted[wanted_count++].count = count;
    }
    if (r.every != 0 || r.count != 0) {
        if (rule_count == MAX_RULES)
            wrong("there are too many rules", what);
        rules[rule_count++] = r;
    }
}

static void statement(const char *text)
{
    char words[1024];
    statement_text = text;
    if (strlen(text) >= sizeof words)
        wrong("a statement has 1023 characters at most", "");
    strcpy(words, text);
    char *rest, *names;
    char *clocks = strtok_r(words, " \t", &rest);
    if (clocks == NULL)
        return;
    char *what = strtok_r(NULL, " \t", &rest);
    if (what == NULL)
        wrong("a fault is wanted behind the clock", clocks);
    char behind[1024];
    strcpy(behind, rest);
    bool all = strcmp(clocks, "all") == 0;
    for (char *name = strtok_r(clocks, ",", &names); name != NULL; name = strtok_r(NULL, ",", &names)) {
        bool known = false;
        for (int clock = 0; clock < CLOCKS; clock++) {
            if (clock_names[clock] == NULL || !(all || strcmp(name, clock_names[clock]) == 0))
                continue;
            /* strtok_r cuts its text up, so each clock gets a copy; `ask` reads on in it as behind `what`. */
            char copy[1024] = "";
            strcpy(copy, behind);
            ask(clock, what, copy);
            known = true;
        }
        if (!known)
            wrong("there is no such clock", name);
    }
}

/* Shuffles what the seed is to place on one clock, and draws sizes and distances. */
static void make_plan(int clock)
{
    struct state *s = &states[clock];
    if (s->first == 0)
        s->first = 2000;
    if (s->spacing == 0)
        s->spacing = 500;
    if (s->least < MIN_DISTANCE)
        s->least = MIN_DISTANCE;
    if (s->spacing < s->least)
        s->spacing = s->least;
    s->next = s->first;
    s->plan = plans + planned_in_all;
    for (size_t i = 0; i < wanted_count; i++) {
        const struct rule *r = &wanted[i].rule;
        if (r->clock != clock)
            continue;
        for (uint64_t left = wanted[i].count; left > 0 && planned_in_all < MAX_PLANNED; left--) {
            s->plan[s->planned++] = (struct planned){ .kind = r->kind, .size = draw_size(r->low, r->high) };
            planned_in_all++;
        }
    }
    for (size_t i = s->planned; i > 1; i--) {
        size_t j = draw() % i;
        struct planned one = s->plan[i - 1];
        s->plan[i - 1] = s->plan[j];
        s->plan[j] = one;
    }
    for (size_t i = 0; i < s->planned; i++)
        s->plan[i].distance = s->least + draw() % (2 * (s->spacing - s->least) + 1);
}

void read_script(const char *text, uint64_t seed)
{
    static char script[MAX_SCRIPT];
    statement_text = text;
    if (text[0] == '@') {
        FILE *file = fopen(text + 1, "re");
        size_t length = file == NULL ? 0 : fread(script, 1, sizeof script - 1, file);
        if (file == NULL || !feof(file))
            wrong("the script can't be read, or has 64 KiB or more", text + 1);
        script[length] = '\0';
        fclose(file);
    } else if (strlen(text) < sizeof script) {
        strcpy(script, text);
    } else {
        wrong("the script has 64 KiB or more", "");
    }
    bool comment = false;
    for (char *at = script; *at != '\0'; at++) {
        comment = *at != '\n' && (comment || *at == '#');
        if (comment)
            *at = ' ';
    }
    seed_with(seed);
    char *rest;
    for (char *one = strtok_r(script, ";\n", &rest); one != NULL; one = strtok_r(NULL, ";\n", &rest))
        statement(one);
    for (int clock = 0; clock < CLOCKS; clock++)
        if (states[clock].wrapped)
            make_plan(clock);
}
