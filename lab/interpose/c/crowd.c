/* Reads CLOCK_MONOTONIC from several threads at once, and from a signal handler that comes in the midst of it all.
 * Prints `READS BACK`: how many reads succeeded, and how many of a thread's own were less than the one before. A child
 * made by fork(2) meanwhile reads as well; that it does not hang is all that is asked of it.
 *
 * usage: crowd THREADS READS
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint64_t reads, back;
static long each;

static int64_t now(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        _exit(3);
    reads++;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void on_signal(int number)
{
    (void)number;
    now();
}

static void *reader(void *nothing)
{
    (void)nothing;
    int64_t last = now();
    for (long i = 1; i < each; i++) {
        int64_t value = now();
        back += value < last;
        last = value;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 16 };
    pthread_t threads[MOST];
    int count = argc == 3 ? atoi(argv[1]) : 0;
    if (count < 1 || count > MOST) {
        fprintf(stderr, "usage: crowd THREADS READS, with 16 threads at most\n");
        return 2;
    }
    each = atol(argv[2]);
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = { .it_interval = { .tv_usec = 100 }, .it_value = { .tv_usec = 100 } };
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, reader, NULL) != 0)
            return 1;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; i++)
            now();
        _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        ;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
    printf("%llu %llu\n", (unsigned long long)reads, (unsigned long long)back);
    return status == 0 ? 0 : 1;
}
