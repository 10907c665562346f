/* The beginning: the runtime takes the place of the system's start of main(), records the program's memory, and
 * explores. */
#include "run/api.h"
#include "run/explorer.h"
#include "run/heap.h"
#include "run/pages.h"
#include "run/processes.h"
#include "run/shadow.h"
#include "run/tell.h"
#include "run/threads.h"
#include "run/watch.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { SIGNAL_STACK = 1 << 16, OUTPUT_BUFFER = 1 << 14 };

RunPages run_pages;

/* By this mazurka knows programs that it can run. */
__attribute__((used)) static const char mark[] = "mazurka runtime of C programs, 1";

static void on_signal(int number, siginfo_t *info, void *context)
{
    static const char *const names[] = {[SIGSEGV] = "segmentation fault",
                                        [SIGBUS] = "bus error",
                                        [SIGFPE] = "arithmetic error (division by zero?)",
                                        [SIGILL] = "illegal instruction"};
    uintptr_t address = (uintptr_t)info->si_addr;
    (void)context;
    if (number == SIGSEGV && pages_fault(address)) return;
    if (!run.active) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    const Thread *thread = run.current;
    bool overflow = number == SIGSEGV && address - ((uintptr_t)thread->stack - STACK_BYTES) < STACK_BYTES + 2 * PAGE;
    uintptr_t pc = 0;
#if defined(__x86_64__)
    pc =
        (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[16] + 1; /* of the instruction: told as a call's return */
#elif defined(__aarch64__)
    pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc + 1;
#endif
    tell_failure("signal", overflow ? "stack overflow: recursion without end?" : names[number], pc);
    threads_fail();
}

static void catch_signals(void)
{
    stack_t stack = {.ss_sp = own_pages(0, SIGNAL_STACK), .ss_size = SIGNAL_STACK};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGILL, &action, NULL);
}

/* What is read from standard input by the functions of stdio. */
static ssize_t refuse_input(void *cookie, char *bytes, size_t n)
{
    (void)cookie;
    (void)bytes;
    (void)n;
    tell_unsupported("standard input is read: what is read cannot be put back");
}

static int (*program_main)(int, char **, char **);

static int explore(int argc, char **argv, char **environment)
{
    if (tell_wants_fork()) processes_prepare();
    tell_prepare();
    setvbuf(stdout, own_pages(0, OUTPUT_BUFFER), _IOFBF, OUTPUT_BUFFER);
    FILE *input = fopencookie(NULL, "r", (cookie_io_functions_t){.read = refuse_input});
    if (input) stdin = input;
    run.n_at_exit = run.at_exit.length;
    threads_prepare(program_main, argc, argv, environment);
    unsetenv("MAZURKA_RUN");
    catch_signals();
    calls_start(&run.calls);
    shadow_restart(); /* what is made at first use is made now */
    heap_record();
    if (run.settings.restart != RESTART_FORK) pages_record();
    if (run.settings.restart != RESTART_FORK && !run.settings.debugged) watch_start();
    explorer_run();
    own_exit(0);
}

typedef int Start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

PUBLIC Start __libc_start_main;
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack)
{
    Start *start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    return start(explore, argc, argv, init, fini, loader, stack);
}
