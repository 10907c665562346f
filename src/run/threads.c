#include "run/threads.h"

#include "run/coroutine.h"
#include "run/scheduler.h"
#include "run/tell.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Where stacks lie: always the same addresses, so that executions can be repeated in another process. */
#define STACKS UINT64_C(0x520000000000)

typedef struct Program {
    int (*main)(int, char **, char **);
    int argc;
    char **argv, **environment;
    char *tls, *tls_image;
    size_t tls_size;
} Program;

static Program *program(void)
{
    static union {
        Program program;
        char page[PAGE];
    } kept; /* written once, before the memory is recorded */
    return &kept.program;
}

/* ---- thread-local variables of the executable ---- */

static int find_tls(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) {
            program()->tls = info->dlpi_tls_data;
            program()->tls_size = info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the first one is the executable */
}

void threads_leave(Thread *thread)
{
    const Program *p = program();
    if (p->tls_size) memcpy(thread->tls, p->tls, p->tls_size);
}

void threads_enter(Thread *thread)
{
    const Program *p = program();
    if (p->tls_size) memcpy(p->tls, thread->tls, p->tls_size);
}

/* ---- beginning ---- */

static void run_main(void)
{
    const Program *p = program();
    threads_exit(p->main(p->argc, p->argv, p->environment), true);
}

static void run_thread(void)
{
    Thread *thread = run.current;
    if (thread->start_c11)
        thread->result = (void *)(intptr_t)thread->start_c11(thread->argument);
    else
        thread->result = thread->start(thread->argument);
    threads_end();
}

static void begin(Thread *thread, uint16_t number, void (*entry)(void))
{
    const Program *p = program();
    if (!thread->stack) {
        thread->stack = own_pages(STACKS + number * 2 * STACK_BYTES, STACK_BYTES);
        mprotect(thread->stack, PAGE, PROT_NONE);
        if (p->tls_size) thread->tls = own_pages(0, p->tls_size);
    }
    if (p->tls_size) memcpy(thread->tls, p->tls_image, p->tls_size);
    thread->sp = coroutine_prepare(thread->stack + STACK_BYTES, entry);
    thread->state = THREAD_READY;
    thread->number = number;
    thread->children = 0;
    thread->detached = thread->joined = thread->signalled = thread->spinning = false;
    thread->events = thread->beyond = 0;
    thread->call = CALLS_ROOT;
    thread->n_watched = 0;
    thread->quiet = thread->looked = false;
    thread->pace = 0;
    thread->effort = 0;
    thread->fence = EVENT_NONE;
    thread->waits_for = 0;
    thread->cleanup = NULL;
    thread->woken_by = EVENT_NONE;
    thread->last = EVENT_NONE;
    thread->saved_errno = 0;
    thread->clock_event = UINT32_MAX;
    for (unsigned k = 0; k < run.n_keys; k++) thread->key[k] = NULL;
}

void threads_forget(void)
{
    for (uint16_t i = 0; i < MAX_THREADS; i++) run.thread[i].stack = NULL;
}

void threads_prepare(int (*main)(int, char **, char **), int argc, char **argv, char **environment)
{
    Program *p = program();
    *p = (Program){.main = main, .argc = argc, .argv = argv, .environment = environment};
    dl_iterate_phdr(find_tls, NULL);
    if (!p->tls_size) return;
    p->tls_image = own_pages(0, p->tls_size);
    memcpy(p->tls_image, p->tls, p->tls_size);
}

void threads_begin(void)
{
    for (uint16_t i = 0; i < run.n_slots; i++) run.thread[i].state = THREAD_UNUSED;
    run.n_ready = run.first_ready = 0;
    run.n_keys = 0;
    run.exiting = run.failed = false;
    run.at_exit.length = run.n_at_exit;
    run.held = 0;
    run.in_a_row = 0;
    if (!run.n_slots) run.n_slots = 1;
    begin(&run.thread[0], 0, run_main);
    run.thread[0].clock = FIRST_SECOND * BILLION;
    run.thread[0].random = 1;
    run.current = &run.thread[0];
    threads_enter(run.current);
}

Thread *threads_new(uintptr_t pc)
{
    Thread *creator = run.current;
    uint16_t ordinal = ++creator->children, number = 1;
    while (number < run.n_slots && !(run.slot[number].parent == creator->number && run.slot[number].ordinal == ordinal))
        number++;
    if (number == MAX_THREADS) tell_unsupported("one execution has more than 250 threads");
    if (number == run.n_slots) {
        run.slot[number].parent = creator->number;
        run.slot[number].ordinal = ordinal;
        run.n_slots++;
        trace_widen(&run.trace, run.n_slots);
    }
    Thread *thread = &run.thread[number];
    begin(thread, number, run_thread);
    thread->clock = creator->clock;
    thread->random = creator->random + number;
    thread->parent = creator->number;
    thread->ordinal = ordinal;
    creator->pending.pc = pc;
    scheduler_silent(creator, OP_CREATE, number, EVENT_NONE);
    thread->last = creator->last;
    return thread;
}

/* ---- the end ---- */

static void call_destructors(Thread *thread)
{
    for (unsigned round = 0; round < 4; round++)
        for (unsigned k = 0; k < run.n_keys; k++) {
            void *value = thread->key[k];
            thread->key[k] = NULL;
            if (value && run.destructor[k]) run.destructor[k](value);
        }
}

static void wake_joiners(const Thread *ended)
{
    for (uint16_t i = 0; i < run.n_slots; i++) {
        Thread *t = &run.thread[i];
        if (t->state != THREAD_PASSIVE || t->pending.kind != OP_JOIN || t->pending.object[0] != ended->number) continue;
        scheduler_silent(t, OP_JOIN, ended->number, ended->last);
        scheduler_release(t);
    }
}

void threads_end(void)
{
    Thread *thread = run.current;
    call_destructors(thread);
    thread->pending.pc = 0;
    scheduler_silent(thread, OP_END, thread->number, EVENT_NONE); /* what it did before is before who joins it */
    thread->state = THREAD_ENDED;
    wake_joiners(thread);
    scheduler_leave();
    __builtin_unreachable();
}

void threads_exit(int code, bool handlers)
{
    while (handlers && run.at_exit.length && !run.exiting) run.at_exit.data[--run.at_exit.length]();
    run.exiting = true;
    run.current->state = THREAD_ENDED;
    tell_exit(code);
    scheduler_leave();
    __builtin_unreachable();
}

void threads_fail(void)
{
    run.failed = true;
    run.current->state = THREAD_ENDED;
    if (run.stopped) scheduler_end(END_FAILURE);
    scheduler_leave();
    __builtin_unreachable();
}

void threads_name(const Thread *thread, char *text, unsigned size)
{
    if (!thread->number) {
        snprintf(text, size, "main");
        return;
    }
    threads_name(&run.thread[run.slot[thread->number].parent], text, size);
    size_t used = strlen(text);
    snprintf(text + used, size - used, ".%u", run.slot[thread->number].ordinal);
}
