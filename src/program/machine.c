#include "program/machine.h"

#include "base/bitset.h"
#include "base/error.h"

#include <assert.h>
#include <string.h>

enum { MAX_INSTRUCTIONS = 200000, FRAME_PC = 1, FRAME_DEPTH = 2, FRAME_STACK = 3 };

/* A step under way. */
typedef struct Run {
    Step step;
    int64_t *frame;
    uint32_t atomic_depth;
    bool stepped;
    uint32_t instructions;
} Run;

typedef enum { RUN_ON, RUN_DONE, RUN_BLOCKED, RUN_FORKED } RunState;

typedef struct Runner {
    Machine *machine;
    uint32_t t;
    const Thread *thread;
    VEC(Run) work;
    GError **error;
    bool failed;
} Runner;

uint32_t machine_frame_words(const Machine *machine, uint32_t t)
{
    const Thread *thread = &machine->code->threads.data[t];
    return FRAME_STACK + thread->max_stack + (uint32_t)thread->slots.len + machine->held_words;
}

static int64_t *slot_of(const Thread *thread, int64_t *frame, uint32_t slot)
{
    return frame + FRAME_STACK + thread->max_stack + slot;
}

int64_t machine_slot(const Machine *machine, uint32_t t, const int64_t *frame, uint32_t slot)
{
    return *slot_of(&machine->code->threads.data[t], (int64_t *)frame, slot);
}

static uint64_t *held_of(const Thread *thread, int64_t *frame)
{
    return (uint64_t *)slot_of(thread, frame, (uint32_t)thread->slots.len);
}

bool machine_holds(const Machine *machine, uint32_t t, const int64_t *frame, uint32_t mutex)
{
    return bitset_get(held_of(&machine->code->threads.data[t], (int64_t *)frame), mutex);
}

static void push(Run *run, int64_t value)
{
    run->frame[FRAME_STACK + run->frame[FRAME_DEPTH]++] = value;
}

/* Slots above the top stay zero, so that equal frames are equal words. */
static int64_t pop(Run *run)
{
    int64_t *top = run->frame + FRAME_STACK + --run->frame[FRAME_DEPTH];
    int64_t value = *top;
    *top = 0;
    return value;
}

/* n-th from the top. */
static int64_t peek(const Run *run, uint32_t n)
{
    return run->frame[FRAME_STACK + run->frame[FRAME_DEPTH] - 1 - n];
}

static RunState fault(Run *run, Fault kind, const Stmt *stmt)
{
    run->step.rest.fault = kind;
    run->step.rest.stmt = stmt;
    return RUN_DONE;
}

static void say(Run *run, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void say(Run *run, const char *format, ...)
{
    GString *text = run->step.detail;
    if (text->len) g_string_append(text, ", ");
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(text, format, args);
    va_end(args);
}

/* Which of several, unless the statement's own text says so. */
static void say_which(Run *run, const Instr *instr, const char *name)
{
    if (!strstr(instr->stmt->text, name)) say(run, "%s", name);
}

static void run_free(Run *run)
{
    g_free(run->frame);
    for (size_t i = 0; i < run->step.spawns.len; i++) g_free(run->step.spawns.data[i].rest.frame);
    vec_free(&run->step.spawns);
    vec_free(&run->step.touches);
    if (run->step.detail) g_string_free(run->step.detail, TRUE);
}

static Run run_copy(const Run *run)
{
    Run copy = *run;
    copy.frame = g_memdup2(run->frame, (gsize)run->frame[0] * sizeof *run->frame);
    memset(&copy.step.touches, 0, sizeof copy.step.touches);
    memset(&copy.step.spawns, 0, sizeof copy.step.spawns);
    vec_append(&copy.step.touches, run->step.touches.data, run->step.touches.len);
    vec_append(&copy.step.spawns, run->step.spawns.data, run->step.spawns.len);
    for (size_t i = 0; i < copy.step.spawns.len; i++) {
        Rest *rest = &copy.step.spawns.data[i].rest;
        if (rest->frame) rest->frame = g_memdup2(rest->frame, (gsize)rest->frame[0] * sizeof *rest->frame);
    }
    copy.step.detail = g_string_new_len(run->step.detail->str, (gssize)run->step.detail->len);
    return copy;
}

static Touch *touched(const Run *run, uint32_t cell)
{
    for (size_t i = 0; i < run->step.touches.len; i++)
        if (run->step.touches.data[i].cell == cell) return &run->step.touches.data[i];
    return NULL;
}

static void touch(Run *run, uint32_t cell, int64_t value)
{
    vec_push(&run->step.touches, ((Touch){.cell = cell, .first = value, .now = value}));
}

static void put(Run *run, uint32_t cell, int64_t value)
{
    Touch *t = touched(run, cell);
    assert(t);
    t->now = value;
    t->written = true;
}

static bool possible(const Cell *cell, int64_t value)
{
    for (size_t i = 0; i < cell->values.len; i++)
        if ((int64_t)cell->values.data[i] == value) return true;
    return false;
}

/* True when the cell can have the value now; the step then asks for it. */
static bool demand(Runner *r, Run *run, uint32_t cell, int64_t value)
{
    const Touch *t = touched(run, cell);
    if (t) return t->now == value;
    Cell *c = &r->machine->code->cells.data[cell];
    vec_push(&r->machine->looked, cell);
    if (!possible(c, value)) return false;
    if (c->kind != CELL_VAR) c->needed[value] = true;
    touch(run, cell, value);
    return true;
}

/* The same for a value that the thread's own state implies: no place is needed for it. */
static void imply(Run *run, uint32_t cell, int64_t value)
{
    if (!touched(run, cell)) touch(run, cell, value);
}

/* One copy of the run for each value that an untouched cell may have; the instruction starts again. */
static RunState fork_values(Runner *r, Run *run, uint32_t cell)
{
    Cell *c = &r->machine->code->cells.data[cell];
    vec_push(&r->machine->looked, cell);
    for (size_t i = c->values.len; i-- > 0;) {
        int64_t value = (int64_t)c->values.data[i];
        if (c->kind != CELL_VAR) c->needed[value] = true;
        Run copy = run_copy(run);
        touch(&copy, cell, value);
        vec_push(&r->work, copy);
    }
    return RUN_FORKED;
}

/* The cell or condition of an operand whose index is n-th from the top; UINT32_MAX when wrong. */
static uint32_t element(const Run *run, uint32_t first, uint32_t size, uint32_t n)
{
    if (!size) return first;
    int64_t index = peek(run, n);
    return index < 0 || index >= size ? UINT32_MAX : first + (uint32_t)index;
}

static bool holds(const Runner *r, const Run *run, uint32_t mutex)
{
    return bitset_get(held_of(r->thread, run->frame), mutex);
}

static void hold(const Runner *r, Run *run, uint32_t mutex, bool now)
{
    uint64_t *held = held_of(r->thread, run->frame);
    if (now)
        bitset_set(held, mutex);
    else
        bitset_clear(held, mutex);
}

static RunState do_read(Runner *r, Run *run, const Instr *instr)
{
    uint32_t cell = element(run, instr->cell, instr->size, 0);
    if (cell == UINT32_MAX) return fault(run, FAULT_INDEX, instr->stmt);
    const Touch *t = touched(run, cell);
    if (!t) return fork_values(r, run, cell);
    if (!t->written) say(run, "%s is %" G_GINT64_FORMAT, r->machine->code->cells.data[cell].name, t->now);
    if (instr->size) pop(run);
    push(run, t->now);
    return RUN_ON;
}

static RunState do_write(Runner *r, Run *run, const Instr *instr)
{
    uint32_t cell = element(run, instr->cell, instr->size, 1);
    if (cell == UINT32_MAX) return fault(run, FAULT_INDEX, instr->stmt);
    const Cell *c = &r->machine->code->cells.data[cell];
    int64_t value = peek(run, 0);
    if (value < c->low || value > c->high) {
        say(run, "%s = %" G_GINT64_FORMAT, c->name, value);
        return fault(run, FAULT_RANGE, instr->stmt);
    }
    if (!touched(run, cell) && r->machine->survey) touch(run, cell, (int64_t)c->values.data[0]);
    const Touch *t = touched(run, cell);
    if (!t) return fork_values(r, run, cell);
    say(run, "%s: %" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT, c->name, t->now, value);
    pop(run);
    if (instr->size) pop(run);
    put(run, cell, value);
    return RUN_ON;
}

static RunState do_any(Runner *r, Run *run, const Instr *instr)
{
    int64_t high = pop(run), low = pop(run);
    if (low > high) return fault(run, FAULT_CHOICE, instr->stmt);
    if ((uint64_t)high - (uint64_t)low >= r->machine->max_steps) {
        error_at(r->error, ERROR_LIMIT, r->machine->code->ast->file, instr->stmt->at.line, instr->stmt->at.column,
                 "this choice has too many values");
        r->failed = true;
        return RUN_BLOCKED;
    }
    run->frame[FRAME_PC]++;
    run->stepped |= run->atomic_depth == 0;
    for (int64_t value = high;; value--) {
        Run copy = run_copy(run);
        say(&copy, "chose %" G_GINT64_FORMAT, value);
        push(&copy, value);
        vec_push(&r->work, copy);
        if (value == low) break;
    }
    return RUN_FORKED;
}

static RunState do_lock(Runner *r, Run *run, const Instr *instr)
{
    uint32_t mutex = element(run, instr->cell, instr->size, 0);
    if (mutex == UINT32_MAX) return fault(run, FAULT_INDEX, instr->stmt);
    if (instr->op == I_TRYLOCK) {
        if (!touched(run, mutex)) return fork_values(r, run, mutex);
    } else if (!demand(r, run, mutex, 1)) {
        return RUN_BLOCKED;
    }
    bool free = touched(run, mutex)->now == 1;
    if (instr->size) pop(run);
    if (instr->op == I_LOCK) say_which(run, instr, r->machine->code->cells.data[mutex].name);
    if (instr->op == I_TRYLOCK) {
        say(run, "%s is %s", r->machine->code->cells.data[mutex].name, free ? "free" : "taken");
        push(run, free);
    }
    if (free) {
        put(run, mutex, 0);
        hold(r, run, mutex, true);
    }
    return RUN_ON;
}

static RunState release(Runner *r, Run *run, const Instr *instr, uint32_t mutex)
{
    if (mutex == UINT32_MAX) return fault(run, FAULT_INDEX, instr->stmt);
    if (!holds(r, run, mutex)) return fault(run, FAULT_UNLOCK, instr->stmt);
    g_hash_table_add(r->machine->good_unlocks, (gpointer)instr->stmt);
    imply(run, mutex, 0);
    put(run, mutex, 1);
    hold(r, run, mutex, false);
    return RUN_ON;
}

static RunState do_unlock(Runner *r, Run *run, const Instr *instr)
{
    uint32_t mutex = element(run, instr->cell, instr->size, 0);
    RunState state = release(r, run, instr, mutex);
    if (state != RUN_ON || !instr->size) return state;
    say_which(run, instr, r->machine->code->cells.data[mutex].name);
    pop(run);
    return state;
}

static uint32_t waiter_of(const Condition *c, uint32_t t)
{
    uint32_t k = 0;
    while (c->thread.data[k] != t) k++;
    return k;
}

static RunState do_wait(Runner *r, Run *run, const Instr *instr)
{
    uint32_t condition = element(run, instr->cell, instr->size, instr->size2 != 0);
    if (condition == UINT32_MAX) return fault(run, FAULT_INDEX, instr->stmt);
    const Condition *c = &r->machine->code->conditions.data[condition];
    uint32_t mutex = element(run, instr->cell2, instr->size2, 0), me = waiter_of(c, r->t);
    if (instr->op == I_WAIT) {
        RunState state = release(r, run, instr, mutex);
        if (state != RUN_ON) return state;
        imply(run, c->waiting.data[me], 0);
        put(run, c->waiting.data[me], 1);
        say(run, "waits");
        return RUN_ON;
    }
    if (!demand(r, run, c->woken.data[me], 1) || !demand(r, run, mutex, 1)) return RUN_BLOCKED;
    put(run, c->woken.data[me], 0);
    put(run, mutex, 0);
    hold(r, run, mutex, true);
    say(run, "wakes up");
    if (instr->size) pop(run);
    if (instr->size2) pop(run);
    return RUN_ON;
}

static void wake(Runner *r, Run *run, const Condition *c, size_t k)
{
    put(run, c->waiting.data[k], 0);
    imply(run, c->woken.data[k], 0);
    put(run, c->woken.data[k], 1);
    say(run, "wakes %s", r->machine->code->threads.data[c->thread.data[k]].name);
}

static void fork_after(Runner *r, Run copy, const Instr *instr)
{
    if (instr->size) pop(&copy);
    copy.frame[FRAME_PC]++;
    copy.stepped |= copy.atomic_depth == 0;
    vec_push(&r->work, copy);
}

/* Wakes one of those that wait; lost when nobody does. */
static RunState do_signal(Runner *r, Run *run, const Instr *instr)
{
    uint32_t condition = element(run, instr->cell, instr->size, 0);
    if (condition == UINT32_MAX) return fault(run, FAULT_INDEX, instr->stmt);
    const Condition *c = &r->machine->code->conditions.data[condition];
    Run lost = run_copy(run);
    bool nobody = true;
    for (size_t k = 0; k < c->thread.len && nobody; k++) nobody = demand(r, &lost, c->waiting.data[k], 0);
    if (nobody) {
        say(&lost, "nobody waits");
        fork_after(r, lost, instr);
    } else {
        run_free(&lost);
    }
    for (size_t k = c->thread.len; k-- > 0;) {
        Run copy = run_copy(run);
        if (demand(r, &copy, c->waiting.data[k], 1)) {
            wake(r, &copy, c, k);
            fork_after(r, copy, instr);
        } else {
            run_free(&copy);
        }
    }
    return RUN_FORKED;
}

static RunState do_broadcast(Runner *r, Run *run, const Instr *instr)
{
    uint32_t condition = element(run, instr->cell, instr->size, 0);
    if (condition == UINT32_MAX) return fault(run, FAULT_INDEX, instr->stmt);
    const Condition *c = &r->machine->code->conditions.data[condition];
    for (size_t k = 0; k < c->thread.len; k++)
        if (!touched(run, c->waiting.data[k])) return fork_values(r, run, c->waiting.data[k]);
    bool nobody = true;
    for (size_t k = 0; k < c->thread.len; k++)
        if (touched(run, c->waiting.data[k])->now == 1) {
            wake(r, run, c, k);
            nobody = false;
        }
    if (nobody) say(run, "nobody waits");
    if (instr->size) pop(run);
    return RUN_ON;
}

static RunState do_create(Runner *r, Run *run, const Instr *instr)
{
    Code *code = r->machine->code;
    const ThreadGroup *group = &code->groups.data[instr->cell];
    uint32_t n_arguments = instr->op == I_CREATE ? group->n_parameters : 0;
    uint64_t instance = 0;
    for (uint32_t k = 0; k < group->n_indices; k++) {
        int64_t index = peek(run, n_arguments + group->n_indices - 1 - k);
        if (index < group->low[k] || index > group->high[k]) return fault(run, FAULT_INDEX, instr->stmt);
        instance = instance * (uint64_t)(group->high[k] - group->low[k] + 1) + (uint64_t)(index - group->low[k]);
    }
    uint32_t t = group->first + (uint32_t)instance;
    const Thread *other = &code->threads.data[t];
    if (!demand(r, run, instr->op == I_CREATE ? other->idle : other->done, 1)) return RUN_BLOCKED;
    g_autofree int64_t *arguments = g_new0(int64_t, n_arguments + 1);
    for (uint32_t k = n_arguments; k-- > 0;) {
        arguments[k] = pop(run);
        if (arguments[k] < other->slots.data[k].low || arguments[k] > other->slots.data[k].high)
            return fault(run, FAULT_RANGE, instr->stmt);
    }
    for (uint32_t k = 0; k < group->n_indices; k++) pop(run);
    say_which(run, instr, other->name);
    if (instr->op == I_JOIN) {
        put(run, other->done, 0);
        imply(run, other->idle, 0);
        put(run, other->idle, 1);
        return RUN_ON;
    }
    put(run, other->idle, 0);
    Spawn spawn = {.thread = t};
    if (!machine_start(r->machine, t, arguments, &spawn.rest, r->error)) {
        r->failed = true;
        return RUN_BLOCKED;
    }
    if (!spawn.rest.frame && !spawn.rest.fault) {
        imply(run, other->done, 0);
        put(run, other->done, 1);
    } else {
        vec_push(&run->step.spawns, spawn);
    }
    return RUN_ON;
}

static RunState do_choose(Runner *r, Run *run, const Instr *instr)
{
    for (uint32_t k = instr->size; k-- > 0;) {
        Run copy = run_copy(run);
        copy.frame[FRAME_PC] += 1 + k;
        vec_push(&r->work, copy);
    }
    return RUN_FORKED;
}

static RunState do_visible(Runner *r, Run *run, const Instr *instr)
{
    switch (instr->op) {
    case I_ATOMIC: return run->atomic_depth++, RUN_ON;
    case I_READ: return do_read(r, run, instr);
    case I_WRITE: return do_write(r, run, instr);
    case I_ANY: return do_any(r, run, instr);
    case I_LOCK:
    case I_TRYLOCK: return do_lock(r, run, instr);
    case I_UNLOCK: return do_unlock(r, run, instr);
    case I_WAIT:
    case I_WAKE: return do_wait(r, run, instr);
    case I_SIGNAL: return do_signal(r, run, instr);
    case I_BROADCAST: return do_broadcast(r, run, instr);
    case I_CREATE:
    case I_JOIN: return do_create(r, run, instr);
    case I_CHOOSE: return do_choose(r, run, instr);
    default: return RUN_ON;
    }
}

static RunState do_operator(Run *run, const Instr *instr)
{
    int64_t b = instr->op == I_BINARY ? pop(run) : 0, a = pop(run), result;
    if (!ast_apply((Operator)instr->value, a, b, &result)) return fault(run, FAULT_ARITHMETIC, instr->stmt);
    push(run, result);
    return RUN_ON;
}

static RunState do_set(const Thread *thread, Run *run, const Instr *instr)
{
    const Slot *slot = &thread->slots.data[instr->cell];
    int64_t value = pop(run);
    if (value < slot->low || value > slot->high) {
        say(run, "%s = %" G_GINT64_FORMAT, slot->name, value);
        return fault(run, FAULT_RANGE, instr->stmt);
    }
    *slot_of(thread, run->frame, instr->cell) = value;
    return RUN_ON;
}

static RunState do_invisible(const Thread *thread, Run *run, const Instr *instr)
{
    switch (instr->op) {
    case I_PUSH: push(run, instr->value); break;
    case I_LOCAL: push(run, *slot_of(thread, run->frame, instr->cell)); break;
    case I_SET: return do_set(thread, run, instr);
    case I_UNARY:
    case I_BINARY: return do_operator(run, instr);
    case I_TRUTH: push(run, pop(run) != 0); break;
    case I_JUMP: run->frame[FRAME_PC] = (int64_t)instr->target - 1; break;
    case I_JUMP_ZERO:
        if (!pop(run)) run->frame[FRAME_PC] = (int64_t)instr->target - 1;
        break;
    case I_ASSERT:
        if (!pop(run)) return fault(run, FAULT_ASSERT, instr->stmt);
        break;
    case I_BLOCK:
        if (!pop(run)) return RUN_BLOCKED;
        break;
    case I_ATOMIC_END:
        if (--run->atomic_depth == 0) run->stepped = true;
        break;
    default: break;
    }
    return RUN_ON;
}

/* At rest: what nobody will read again is forgotten. */
static void settle(const Thread *thread, Run *run)
{
    const uint64_t *live = thread->live + (size_t)run->frame[FRAME_PC] * thread->live_words;
    for (uint32_t i = 0; i < thread->slots.len; i++)
        if (!bitset_get(live, i)) *slot_of(thread, run->frame, i) = 0;
    run->step.rest.frame = run->frame;
    run->frame = NULL;
}

static bool too_long(Run *run, const char *file, const Instr *instr, GError **error)
{
    if (++run->instructions < MAX_INSTRUCTIONS) return false;
    error_at(error, ERROR_LIMIT, file, instr->stmt->at.line, instr->stmt->at.column,
             run->atomic_depth ? "this atomic block does not seem to end"
                               : "this loop takes no step; put a skip into it if it shall run for ever");
    return true;
}

/* Until the run is done, blocked or forked. */
static RunState run_on(Runner *r, Run *run)
{
    RunState state = RUN_ON;
    while (state == RUN_ON) {
        const Instr *instr = &r->thread->code.data[run->frame[FRAME_PC]];
        bool visible = code_is_visible(instr->op);
        if (instr->op == I_END) {
            imply(run, r->thread->done, 0);
            put(run, r->thread->done, 1);
            return RUN_DONE;
        }
        if (visible && run->stepped) {
            settle(r->thread, run);
            return RUN_DONE;
        }
        if (too_long(run, r->machine->code->ast->file, instr, r->error)) {
            r->failed = true;
            return RUN_BLOCKED;
        }
        if (visible && (!run->step.stmt || run->atomic_depth == 0)) run->step.stmt = instr->stmt;
        state = visible ? do_visible(r, run, instr) : do_invisible(r->thread, run, instr);
        if (state != RUN_ON) break;
        run->frame[FRAME_PC]++;
        if (visible && run->atomic_depth == 0) run->stepped = true;
    }
    return state;
}

static int64_t *new_frame(const Machine *machine, uint32_t t)
{
    uint32_t words = machine_frame_words(machine, t);
    int64_t *frame = g_new0(int64_t, words);
    frame[0] = words;
    return frame;
}

bool machine_start(const Machine *machine, uint32_t t, const int64_t *arguments, Rest *rest, GError **error)
{
    const Thread *thread = &machine->code->threads.data[t];
    Run run = {.frame = new_frame(machine, t), .step.detail = g_string_new(NULL)};
    uint32_t n = machine->code->groups.data[thread->group].n_parameters;
    for (uint32_t i = 0; i < n; i++) *slot_of(thread, run.frame, i) = arguments[i];
    RunState state = RUN_ON;
    bool failed = false;
    while (state == RUN_ON && !failed) {
        const Instr *instr = &thread->code.data[run.frame[FRAME_PC]];
        if (instr->op == I_END) break;
        if (code_is_visible(instr->op)) {
            settle(thread, &run);
            break;
        }
        failed = too_long(&run, machine->code->ast->file, instr, error);
        state = do_invisible(thread, &run, instr);
        if (run.frame) run.frame[FRAME_PC]++;
    }
    *rest = run.step.rest;
    run_free(&run);
    if (failed) g_clear_pointer(&rest->frame, g_free);
    return !failed;
}

uint32_t machine_accessed(const Machine *machine, uint32_t t, const int64_t *frame)
{
    const Instr *instr = &machine->code->threads.data[t].code.data[machine_pc(frame)];
    const Run run = {.frame = (int64_t *)frame};
    if (instr->op != I_READ && instr->op != I_WRITE) return UINT32_MAX;
    return element(&run, instr->cell, instr->size, instr->op == I_WRITE);
}

bool machine_step(Machine *machine, uint32_t t, const int64_t *frame, Steps *steps, GError **error)
{
    Runner r = {.machine = machine, .t = t, .thread = &machine->code->threads.data[t], .error = error};
    Run first = {.frame = g_memdup2(frame, (gsize)frame[0] * sizeof *frame), .step.detail = g_string_new(NULL)};
    vec_push(&r.work, first);
    size_t before = steps->list.len;
    vec_clear(&machine->looked);
    while (r.work.len) {
        Run run = vec_pop(&r.work);
        RunState state = r.failed ? RUN_BLOCKED : run_on(&r, &run);
        if (!r.failed && steps->list.len - before + r.work.len > machine->max_steps) {
            const Stmt *stmt = r.thread->code.data[machine_pc(frame)].stmt;
            error_at(error, ERROR_LIMIT, machine->code->ast->file, stmt->at.line, stmt->at.column,
                     "this step has more than %" G_GSIZE_FORMAT " cases", machine->max_steps);
            r.failed = true;
        }
        if (state == RUN_DONE && !r.failed) {
            g_clear_pointer(&run.frame, g_free);
            vec_push(&steps->list, run.step);
        } else {
            if (state == RUN_DONE) g_free(run.step.rest.frame);
            run_free(&run);
        }
    }
    vec_free(&r.work);
    return !r.failed;
}

void machine_steps_clear(Steps *steps)
{
    for (size_t i = 0; i < steps->list.len; i++) {
        Run run = {.step = steps->list.data[i]};
        g_free(run.step.rest.frame);
        run_free(&run);
    }
    vec_clear(&steps->list);
}

void machine_steps_free(Steps *steps)
{
    machine_steps_clear(steps);
    vec_free(&steps->list);
}
