/* Runs a program under a seccomp filter that makes the system call clock_gettime fail. No privilege is needed.
 *
 * usage: deny EPERM|ENOSYS ID[,ID…]|all PROGRAM [ARGUMENT…]
 *
 * ID is a clock id as a number (3: CLOCK_THREAD_CPUTIME_ID). What the vDSO serves makes no system call and goes on
 * working. Exit 125 when the filter can't be installed, 127 when the program can't be run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the architecture's audit number is missing here"
#endif

enum { MAX_IDS = 32 };

int main(int argc, char **argv)
{
    if (argc < 4 || (strcmp(argv[1], "EPERM") != 0 && strcmp(argv[1], "ENOSYS") != 0)) {
        fprintf(stderr, "usage: deny EPERM|ENOSYS ID[,ID...]|all PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    unsigned error = strcmp(argv[1], "EPERM") == 0 ? EPERM : ENOSYS;
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_filter fail = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    struct sock_filter code[2 * MAX_IDS + 8] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
        allow,
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
        allow,
        /* both architectures are little-endian: the low half of the first argument, the clock id, stands first */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
    };
    unsigned short length = 7;
    if (strcmp(argv[2], "all") == 0) {
        code[length++] = fail;
    } else {
        int ids = 0;
        for (char *id = strtok(argv[2], ","); id != NULL && ids < MAX_IDS; id = strtok(NULL, ","), ids++) {
            code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)atoi(id), 0, 1);
            code[length++] = fail;
        }
        code[length++] = allow;
    }
    struct sock_fprog filter = { .len = length, .filter = code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) {
        perror("deny: no seccomp filter");
        return 125;
    }
    execvp(argv[3], argv + 3);
    perror("deny: exec");
    return 127;
}
