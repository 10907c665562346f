#include "run/tell.h"

#include "run/heap.h"
#include "run/threads.h"

#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { NAME = MAX_NAME, LINE = 4096, LOOK = 256, WORD = 64 };

typedef struct Teller {
    int file;
    char word[WORD]; /* before every record: what else the program writes to the file is none; with its tab */
    bool alone;      /* started by hand */
    const char *reason;
    double deadline, last;
    uint64_t told;       /* bits of kinds that were told already */
    uint32_t told_steps; /* of the tree of executions */
} Teller;

static Teller *teller(void)
{
    static Teller *kept; /* set before the memory is recorded */
    if (!kept) kept = own_pages(0, sizeof *kept);
    return kept;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char line[LINE];
    va_list list;
    int word = snprintf(line, sizeof line, "%s", teller()->word);
    va_start(list, format);
    int n = word + vsnprintf(line + word, sizeof line - (size_t)word, format, list);
    va_end(list);
    if (n >= LINE) n = LINE - 1;
    for (int at = 0; at < n - 1; at++) /* one record is one line, whatever the program's texts are */
        if (line[at] == '\n') line[at] = ' ';
    line[n - 1] = '\n';
    for (int at = 0; at < n;) {
        ssize_t written = write(teller()->file, line + at, (size_t)(n - at));
        if (written <= 0) own_exit(0); /* nobody listens any more */
        at += (int)written;
    }
}

static double seconds(void)
{
    struct timespec t = {0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- settings ---- */

static const char *setting(const char *name)
{
    const char *all = getenv("MAZURKA_RUN"), *at = all ? strstr(all, name) : NULL;
    size_t n = strlen(name);
    while (at && !((at == all || at[-1] == ' ') && at[n] == '=')) at = strstr(at + 1, name);
    return at ? at + n + 1 : NULL;
}

static uint64_t number(const char *name)
{
    const char *text = setting(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

static int find_base(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uintptr_t *)data = info->dlpi_addr;
    return 1;
}

/* Comments begin with #. */
static void read_witness(const char *path)
{
    char line[LINE];
    FILE *file = path ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        WitnessStep step = {.woken = "-"};
        *strchrnul(line, '#') = 0;
        if (sscanf(line, "%63s %63s", step.thread, step.woken) >= 1) own_push(&run.witness, step);
    }
    if (file) fclose(file);
}

bool tell_wants_fork(void)
{
    return number("restart") == RESTART_FORK && number("file");
}

bool tell_is_channel(int file)
{
    return run.active && !teller()->alone && file == teller()->file;
}

/* Away from the first descriptors, which a program may close, replace and write to. */
static void move_channel(void)
{
    enum { FAR = 700 };
    long moved = syscall(SYS_fcntl, teller()->file, F_DUPFD_CLOEXEC, FAR);
    if (moved < 0) return;
    syscall(SYS_close, teller()->file);
    teller()->file = (int)moved;
}

void tell_prepare(void)
{
    Settings *s = &run.settings;
    uintptr_t base = 0;
    teller()->file = (int)number("file");
    teller()->alone = !teller()->file;
    if (teller()->alone) {
        teller()->file = 2;
        s->max_executions = 1;
        s->show_output = s->stop_at_failure = true;
        s->restart = RESTART_SNAPSHOT;
        return;
    }
    move_channel();
    const char *word = setting("word");
    if (word) snprintf(teller()->word, sizeof teller()->word, "%.*s\t", (int)strcspn(word, " "), word);
    s->algorithm = (Algorithm)number("algorithm");
    s->restart = (Restart)number("restart");
    s->debugged = number("gdb");
    s->partial = (uint32_t)number("partial");
    s->visible_memory = number("memory");
    s->stop_at_failure = number("stop");
    s->show_output = number("output");
    s->trace_steps = number("steps");
    s->depth = (uint32_t)number("depth");
    s->told_steps = (uint32_t)number("tree");
    s->max_executions = number("executions");
    if (number("milliseconds")) teller()->deadline = seconds() + (double)number("milliseconds") / 1000;
    read_witness(setting("witness"));
    dl_iterate_phdr(find_base, &base);
    say("base\t%lx\n", (unsigned long)base);
}

/* ---- pieces of records ---- */

void tell_and_end(const char *record)
{
    say("%s", record);
    own_exit(0);
}

void tell_unsupported(const char *sentence)
{
    say("unsupported\t%s\n", sentence);
    own_exit(0);
}

void tell_restart(const char *function)
{
    say("restart\t%s\n", function);
    own_exit(0);
}

void tell_witness_ends(void)
{
    const WitnessStep *step = &run.witness.data[run.witness_at];
    say("unsupported\tstep %u of the witness: %s cannot go on there; is it a witness of this program?\n",
        run.witness_at + 1, step->thread);
    own_exit(0);
}

void tell_stuck(bool loops)
{
    char name[NAME];
    threads_name(run.current, name, sizeof name);
    say("%s\t%s\n", loops ? "loops" : "blocks", name);
    own_exit(0);
}

static void say_stack(const char *role, const Thread *thread, uint32_t call, uintptr_t pc)
{
    char name[NAME], line[LINE];
    int n = 0;
    threads_name(thread, name, sizeof name);
    unsigned long start = (unsigned long)(thread->start_c11 ? (uintptr_t)thread->start_c11 : (uintptr_t)thread->start);
    line[0] = 0; /* the thread's own function was called by the runtime */
    for (const Call *c = &run.calls.node.data[call]; c->depth > 1 && n < LINE - 200;
         c = &run.calls.node.data[c->parent])
        n += snprintf(line + n, sizeof line - (size_t)n, "\t%lx", (unsigned long)c->caller);
    say("stack\t%s\t%s\t%lx\t%lx%s\n", role, name, start, (unsigned long)pc, line);
}

static void say_object(uintptr_t object)
{
    HeapBlock block;
    if (heap_block(object, &block))
        say("block\t%lx\t%lx\t%zu\t%lx\t%lx\n", (unsigned long)object, (unsigned long)block.start, block.bytes,
            (unsigned long)block.allocated, (unsigned long)block.freed);
}

static void say_event(const char *record, const Thread *thread, const Event *event)
{
    char name[NAME], chosen[NAME] = "-";
    threads_name(thread, name, sizeof name);
    if (event->op.kind == OP_SIGNAL && event->op.choice != CHOICE_OPEN)
        threads_name(&run.thread[event->op.choice], chosen, sizeof chosen);
    if (event->op.kind == OP_CREATE || event->op.kind == OP_JOIN)
        threads_name(&run.thread[event->object], chosen, sizeof chosen);
    bool valued = event->op.kind >= OP_LOAD && event->op.kind <= OP_WRITE;
    bool gives_up = event->op.kind == OP_STOP && event->joined == EVENT_NONE;
    const char *words = gives_up ? "time out waiting for" : op_words(event->op.kind);
    say("%s\t%s\t%s\t%lx\t%lx\t%s\t%d\t%lld\t%d\n", record, name, words, (unsigned long)event->object,
        (unsigned long)event->pc, chosen, valued, (long long)event->value, event->op.write);
}

/* How many events of each thread lie in the past of the event. */
static void say_clock(uint32_t e)
{
    char line[LINE];
    int n = 0;
    line[0] = 0;
    for (uint32_t t = 0; t < run.trace.stride && t < run.n_slots && n < LINE - 100; t++)
        n += snprintf(line + n, sizeof line - (size_t)n, "\t%u", trace_order(&run.trace, e)[t]);
    say("clock\t%u%s\n", run.trace.event.data[e].op.thread, line);
}

/* What the memory that events touched has now. An address may be gone: the system reads it, not we. In another process
 * it is not there at all. */
static void say_values(void)
{
    if (run.settings.restart == RESTART_FORK) return;
    for (uint32_t i = run.depth; i-- > 0;) {
        const Event *event = &run.trace.event.data[i];
        bool later = !event->op.bytes;
        for (uint32_t k = i + 1; k < run.depth && !later; k++) later = run.trace.event.data[k].object == event->object;
        if (later) continue;
        uint64_t value = 0;
        struct iovec to = {&value, event->op.bytes}, from = {(void *)event->object, event->op.bytes};
        if (syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1, &from, 1, 0) == event->op.bytes)
            say("value\t%lx\t%lld\n", (unsigned long)event->object, (long long)value);
    }
}

static void say_steps(void)
{
    for (uint32_t i = 0; i < run.depth; i++) {
        const Event *event = &run.trace.event.data[i];
        say_event("step", &run.thread[event->op.thread], event);
        say_clock(i);
    }
    say_values();
}

/* The thread that acquired the object last, and where. */
static void say_holder(uintptr_t object)
{
    for (uint32_t i = run.depth; i-- > 0;) {
        const Event *event = &run.trace.event.data[i];
        if (event->object != object || !((op_flags(event->op.kind) & ACQUIRES) || event->acquire)) continue;
        char name[NAME];
        threads_name(&run.thread[event->op.thread], name, sizeof name);
        say("holder\t%s\t%lx\t%s\n", name, (unsigned long)event->pc, op_words(event->op.kind));
        return;
    }
}

/* Each kind is told once; true when it is to be told now. */
static bool begin(const char *kind, const char *text)
{
    bool again = false;
    uint64_t hash = 0;
    for (const char *c = kind; *c; c++) hash = hash * 31 + (unsigned char)*c;
    uint64_t bit = UINT64_C(1) << (hash % 63);
    again = (teller()->told & bit) && strcmp(kind, "race") != 0;
    teller()->told |= bit;
    bool note = strcmp(kind, "note") == 0;
    if (strcmp(kind, "race") != 0 && strcmp(kind, "deadlock") != 0 && !note) run.failures++;
    run.stopped |= run.settings.stop_at_failure && !note;
    if (!again) say("finding\t%s\t%s\n", kind, text);
    return !again;
}

/* gdb stops here. */
__attribute__((visibility("default"), noinline)) void mazurka_stop(void)
{
    __asm__ volatile("");
}

static void finish_finding(void)
{
    if (run.settings.debugged) mazurka_stop();
    say_steps();
    say("end\n");
}

/* ---- findings ---- */

void tell_failure(const char *kind, const char *text, uintptr_t pc)
{
    if (!begin(kind, text)) return;
    say_stack("at", run.current, run.current->call, pc);
    finish_finding();
}

void tell_assertion(const char *expression, const char *file, unsigned line, const char *function, uintptr_t pc)
{
    char text[LINE / 2];
    snprintf(text, sizeof text, "%s:%u: %s: assertion '%s' fails", file, line, function, expression);
    for (char *c = text; *c; c++)
        if (*c == '\t') *c = ' '; /* a tab ends a field */
    if (!run.active) {
        say("finding\tassert\t%s\n", text);
        say("end\n");
        own_exit(0);
    }
    tell_failure("assert", text, pc);
}

void tell_misuse(const char *text, uintptr_t object, uintptr_t pc)
{
    if (begin("misuse", text)) {
        say("object\t%lx\n", (unsigned long)object);
        say_object(object);
        say_stack("at", run.current, run.current->call, pc);
        finish_finding();
    }
    threads_fail();
}

void tell_memory_error(const char *what, uintptr_t address, uintptr_t pc)
{
    HeapState state = heap_state(address);
    const char *text = strcmp(what, "access") != 0 ? what
                       : state == HEAP_FREED       ? "use after free"
                                                   : "heap access out of bounds";
    if (begin("memory", strcmp(text, "free") ? text : "free of what malloc did not return")) {
        say("object\t%lx\n", (unsigned long)address);
        say_object(address);
        say_stack("at", run.current, run.current->call, pc);
        finish_finding();
    }
    threads_fail();
}

void tell_race(uintptr_t address, unsigned size, bool write, uintptr_t pc, uint16_t other, bool other_write,
               uintptr_t other_pc, uint32_t other_call)
{
    char text[NAME];
    run.counts.races++;
    snprintf(text, sizeof text, "%u bytes", size);
    if (!begin("race", text)) return;
    say("object\t%lx\n", (unsigned long)address);
    say_object(address);
    say_stack(write ? "writes" : "reads", run.current, run.current->call, pc);
    say_stack(other_write ? "wrote" : "read", &run.thread[other], other_call, other_pc);
    finish_finding();
    if (run.stopped) threads_fail();
}

void tell_deadlock(void)
{
    if (!begin("deadlock", "threads wait for each other")) return;
    for (uint16_t i = 0; i < run.n_slots; i++) {
        const Thread *t = &run.thread[i];
        if (t->state != THREAD_PARKED && t->state != THREAD_PASSIVE) continue;
        say_stack("waits", t, t->call, t->pending.pc);
        uintptr_t object = t->pending.object[0];
        char target[NAME] = "-";
        if (t->pending.kind == OP_JOIN) threads_name(&run.thread[object], target, sizeof target);
        bool polls = t->pending.kind == OP_STOP, unsignalled = polls || (t->pending.kind == OP_WAKE && !t->signalled);
        if (unsignalled && !polls) object = t->pending.object[1];
        say("waits\t%s\t%lx\t%s\t%d\n", unsignalled ? "signal" : op_words(t->pending.kind), (unsigned long)object,
            target, t->spinning || polls);
        if (t->pending.kind != OP_JOIN) say_object(object);
        if (op_flags(t->pending.kind) & ACQUIRES && !unsignalled) say_holder(object);
    }
    finish_finding();
}

/* Is what the event took given back later? */
static bool is_given_back(uint32_t e)
{
    const Event *event = &run.trace.event.data[e];
    for (uint32_t i = e + 1; i < run.depth; i++) {
        const Event *later = &run.trace.event.data[i];
        if (later->op.thread == event->op.thread && later->object == event->object &&
            (op_flags(later->op.kind) & RELEASES))
            return true;
    }
    return false;
}

void tell_held(void)
{
    for (uint32_t i = 0; i < run.depth; i++) {
        const Event *event = &run.trace.event.data[i];
        bool takes = event->op.kind == OP_LOCK || event->op.kind == OP_RELOCK || event->op.kind == OP_WAKE ||
                     event->op.kind == OP_READ_LOCK || event->op.kind == OP_WRITE_LOCK ||
                     (event->acquire && event->op.kind < OP_LOAD);
        if (!takes || is_given_back(i)) continue;
        if (!begin("note", "the program ends while a lock is held")) return;
        say("object\t%lx\n", (unsigned long)event->object);
        say_object(event->object);
        say_stack("locked", &run.thread[event->op.thread], CALLS_ROOT, event->pc);
        finish_finding();
        return;
    }
}

void tell_divergence(const Event *event, const Thread *thread, OpKind kind, uintptr_t object, uintptr_t pc,
                     uint64_t value)
{
    say("diverged\t%u\n", run.depth);
    say_event("then", &run.thread[event->op.thread], event);
    Event now = {.op = {.kind = (uint8_t)kind}, .object = object, .pc = pc, .value = value};
    say_event("now", thread, &now);
}

void tell_step(const Thread *thread, const Event *event)
{
    say_event("step", thread, event);
}

void tell_execution(void)
{
    static const char *const ends[] = {
        [END_MAXIMAL] = "maximal", [END_EXIT] = "maximal",    [END_DEADLOCK] = "deadlock",
        [END_FAILURE] = "failure", [END_BLOCKED] = "blocked", [END_BOUND] = "bound"};
    const char *end = run.end < sizeof ends / sizeof *ends ? ends[run.end] : NULL;
    uint32_t first = run.replayed < run.depth ? run.replayed : run.depth, n = run.depth - first;
    if (!end || teller()->told_steps + n > run.settings.told_steps) run.settings.told_steps = 0;
    if (!run.settings.told_steps) return;
    teller()->told_steps += n;
    say("from\t%u\n", first);
    for (uint32_t i = first; i < run.depth; i++)
        say_event("node", &run.thread[run.trace.event.data[i].op.thread], &run.trace.event.data[i]);
    say("ended\t%s\n", end);
}

/* ---- the whole ---- */

void tell_exit(int code)
{
    fflush(stdout);
    if (teller()->alone) own_exit(code);
}

void tell_first_output_ends(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    fflush(stdout);
    if (run.settings.show_output || nowhere < 0) return;
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    close(nowhere);
}

static void say_counts(const char *record, bool complete)
{
    const Counts *c = &run.counts;
    say("%s\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%lu\t%u\t%u\t%u\t%u\t%d\t%s\n", record, c->executions, c->traces,
        c->blocked, c->bounded, c->deadlocks, c->failures, c->races, c->steps, c->deepest, run.tree.most, run.n_slots,
        run.unfolding.event.length, complete, teller()->reason ? teller()->reason : "-");
}

bool tell_limit(void)
{
    Teller *t = teller();
    if (run.settings.max_executions && run.counts.executions >= run.settings.max_executions) {
        t->reason = "executions";
        return true;
    }
    if (run.counts.executions % LOOK) return false;
    double now = seconds();
    if (t->deadline && now > t->deadline) {
        t->reason = "time";
        return true;
    }
    if (now - t->last > 0.25) say_counts("progress", false);
    if (now - t->last > 0.25) t->last = now;
    return false;
}

void tell_counts(bool complete)
{
    if (run.counts.bounded && !teller()->reason) teller()->reason = "depth";
    say_counts("counts", complete);
}
