/* Linked with a program, makes adjtimex say what SAYS has (maximum error in us; 'unsynchronized' without it): on whatever
   machine the test runs. A filter traps the system call, as the library makes it past the C library. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <ucontext.h>

static long maxerror = -1;

static void answer(int signal, siginfo_t *info, void *context) {
    ucontext_t *at = context;
    (void)signal, (void)info;
#if defined(__x86_64__)
    struct timex *timex = (struct timex *)at->uc_mcontext.gregs[REG_RDI];
    at->uc_mcontext.gregs[REG_RAX] = maxerror < 0 ? TIME_ERROR : TIME_OK;
#else
    struct timex *timex = (struct timex *)at->uc_mcontext.regs[0];
    at->uc_mcontext.regs[0] = maxerror < 0 ? TIME_ERROR : TIME_OK;
#endif
    memset(timex, 0, sizeof *timex);
    timex->maxerror = maxerror < 0 ? 16000000 : maxerror;
    timex->status = maxerror < 0 ? STA_UNSYNC : STA_PLL;
}

__attribute__((constructor)) static void trap(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_adjtimex, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
    const char *says = getenv("SAYS");
    if (says) maxerror = atol(says);
    if (sigaction(SIGSYS, &action, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        perror("no filter");
        exit(99);
    }
}
