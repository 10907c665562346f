#include "certify/sandbox.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#endif

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__) && !defined SANITIZED
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define THIS_ARCH AUDIT_ARCH_X86_64
#else
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
/* One system call: allowed, the next one is looked at otherwise. */
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
/* One that takes a protection as its third argument: allowed unless it makes code. (Its lower half is enough: the upper
 * half of an int is not looked at by the kernel either.) */
#define ALLOW_DATA(name)                                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), LOAD(args[2]),                                             \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), ANSWER(REFUSED), ANSWER(SECCOMP_RET_ALLOW)

static bool install(void)
{
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
        ANSWER(REFUSED),
        LOAD(nr),
        ALLOW(read),
        ALLOW(readv),
        ALLOW(write),
        ALLOW(writev),
        ALLOW(close),
        ALLOW(fstat),
        ALLOW(newfstatat),
        ALLOW(lseek),
        ALLOW_DATA(mmap),
        ALLOW_DATA(mprotect),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(brk),
        ALLOW(futex),
        ALLOW(getrandom),
        ALLOW(sysinfo),
        ALLOW(clock_gettime),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW(tgkill),
        ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask),
        ALLOW(rt_sigreturn),
        ALLOW(restart_syscall),
        ALLOW(exit),
        ALLOW(exit_group),
        ANSWER(REFUSED),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool sandbox_enter(void)
{
    const char *preloaded = getenv("LD_PRELOAD"), *wish = getenv("MAZURKA_SANDBOX");
    if ((preloaded && strstr(preloaded, "vgpreload")) || (wish && strcmp(wish, "off") == 0)) return false;
    return install();
}
#else
bool sandbox_enter(void)
{
    return false;
}
#endif
