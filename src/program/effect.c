#include "program/effect.h"

#include "base/error.h"

/* Outside atomic blocks a step has one access at most. It counts even when the value then leaves the domain. */
static void note_access(Run *run, uint32_t cell, bool writes)
{
    if (run->atomic_depth) return;
    run->step.accessed = cell;
    run->step.writes = writes;
}

static RunState do_read(ThreadRun *r, Run *run, const Instr *instr)
{
    uint32_t cell = program_run_element(run, instr->cell, instr->size, 0);
    if (cell == UINT32_MAX) return program_run_fault(run, FAULT_INDEX, instr->stmt);
    note_access(run, cell, false);
    const Touch *t = program_run_touched(run, cell);
    if (!t) return program_run_fork_values(r, run, cell);
    if (!t->written) program_run_say(run, "%s is %" G_GINT64_FORMAT, r->machine->code->cells.data[cell].name, t->now);
    if (instr->size) program_run_pop(run);
    program_run_push(run, t->now);
    return RUN_ON;
}

static RunState do_write(ThreadRun *r, Run *run, const Instr *instr)
{
    uint32_t cell = program_run_element(run, instr->cell, instr->size, 1);
    if (cell == UINT32_MAX) return program_run_fault(run, FAULT_INDEX, instr->stmt);
    note_access(run, cell, true);
    const Cell *c = &r->machine->code->cells.data[cell];
    int64_t value = program_run_peek(run, 0);
    if (value < c->low || value > c->high) {
        program_run_say(run, "%s = %" G_GINT64_FORMAT, c->name, value);
        return program_run_fault(run, FAULT_RANGE, instr->stmt);
    }
    if (!program_run_touched(run, cell) && r->machine->survey) program_run_touch(run, cell, (int64_t)c->values.data[0]);
    const Touch *t = program_run_touched(run, cell);
    if (!t) return program_run_fork_values(r, run, cell);
    program_run_say(run, "%s: %" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT, c->name, t->now, value);
    program_run_pop(run);
    if (instr->size) program_run_pop(run);
    program_run_put(run, cell, value);
    return RUN_ON;
}

static RunState do_any(ThreadRun *r, Run *run, const Instr *instr)
{
    int64_t high = program_run_pop(run), low = program_run_pop(run);
    if (low > high) return program_run_fault(run, FAULT_CHOICE, instr->stmt);
    if ((uint64_t)high - (uint64_t)low >= r->machine->max_steps) {
        error_at(r->error, ERROR_LIMIT, r->machine->code->ast->file, instr->stmt->at.line, instr->stmt->at.column,
                 "this choice has too many values");
        r->failed = true;
        return RUN_BLOCKED;
    }
    run->frame[FRAME_PC]++;
    run->stepped |= run->atomic_depth == 0;
    for (int64_t value = high;; value--) {
        Run copy = program_run_copy(run);
        program_run_say(&copy, "chose %" G_GINT64_FORMAT, value);
        program_run_push(&copy, value);
        vec_push(&r->work, copy);
        if (value == low || program_run_spent(r)) break;
    }
    return RUN_FORKED;
}

static RunState do_lock(ThreadRun *r, Run *run, const Instr *instr)
{
    uint32_t mutex = program_run_element(run, instr->cell, instr->size, 0);
    if (mutex == UINT32_MAX) return program_run_fault(run, FAULT_INDEX, instr->stmt);
    if (instr->op == I_TRYLOCK) {
        if (!program_run_touched(run, mutex)) return program_run_fork_values(r, run, mutex);
    } else if (!program_run_demand(r, run, mutex, 1)) {
        return RUN_BLOCKED;
    }
    bool free = program_run_touched(run, mutex)->now == 1;
    if (instr->size) program_run_pop(run);
    if (instr->op == I_LOCK) program_run_say_which(run, instr, r->machine->code->cells.data[mutex].name);
    if (instr->op == I_TRYLOCK) {
        program_run_say(run, "%s is %s", r->machine->code->cells.data[mutex].name, free ? "free" : "taken");
        program_run_push(run, free);
    }
    if (free) {
        program_run_put(run, mutex, 0);
        program_run_hold(r, run, mutex, true);
    }
    return RUN_ON;
}

static RunState release(ThreadRun *r, Run *run, const Instr *instr, uint32_t mutex)
{
    if (mutex == UINT32_MAX) return program_run_fault(run, FAULT_INDEX, instr->stmt);
    if (!program_run_holds(r, run, mutex)) return program_run_fault(run, FAULT_UNLOCK, instr->stmt);
    g_hash_table_add(r->machine->good_unlocks, (gpointer)instr->stmt);
    program_run_imply(run, mutex, 0);
    program_run_put(run, mutex, 1);
    program_run_hold(r, run, mutex, false);
    return RUN_ON;
}

static RunState do_unlock(ThreadRun *r, Run *run, const Instr *instr)
{
    uint32_t mutex = program_run_element(run, instr->cell, instr->size, 0);
    RunState state = release(r, run, instr, mutex);
    if (state != RUN_ON || !instr->size) return state;
    program_run_say_which(run, instr, r->machine->code->cells.data[mutex].name);
    program_run_pop(run);
    return state;
}

static uint32_t waiter_of(const CodeCondition *c, uint32_t t)
{
    uint32_t k = 0;
    while (c->thread.data[k] != t) k++;
    return k;
}

static RunState do_wait(ThreadRun *r, Run *run, const Instr *instr)
{
    uint32_t condition = program_run_element(run, instr->cell, instr->size, instr->size2 != 0);
    if (condition == UINT32_MAX) return program_run_fault(run, FAULT_INDEX, instr->stmt);
    const CodeCondition *c = &r->machine->code->conditions.data[condition];
    uint32_t mutex = program_run_element(run, instr->cell2, instr->size2, 0), me = waiter_of(c, r->t);
    if (instr->op == I_WAIT) {
        RunState state = release(r, run, instr, mutex);
        if (state != RUN_ON) return state;
        program_run_imply(run, c->waiting.data[me], 0);
        program_run_put(run, c->waiting.data[me], 1);
        program_run_say(run, "waits");
        return RUN_ON;
    }
    if (!program_run_demand(r, run, c->woken.data[me], 1) || !program_run_demand(r, run, mutex, 1)) return RUN_BLOCKED;
    program_run_put(run, c->woken.data[me], 0);
    program_run_put(run, mutex, 0);
    program_run_hold(r, run, mutex, true);
    program_run_say(run, "wakes up");
    if (instr->size) program_run_pop(run);
    if (instr->size2) program_run_pop(run);
    return RUN_ON;
}

static void wake(ThreadRun *r, Run *run, const CodeCondition *c, size_t k)
{
    program_run_put(run, c->waiting.data[k], 0);
    program_run_imply(run, c->woken.data[k], 0);
    program_run_put(run, c->woken.data[k], 1);
    program_run_say(run, "wakes %s", r->machine->code->threads.data[c->thread.data[k]].name);
}

static void fork_after(ThreadRun *r, Run copy, const Instr *instr)
{
    if (instr->size) program_run_pop(&copy);
    copy.frame[FRAME_PC]++;
    copy.stepped |= copy.atomic_depth == 0;
    vec_push(&r->work, copy);
}

/* Wakes one of those that wait; lost when nobody does. */
static RunState do_signal(ThreadRun *r, Run *run, const Instr *instr)
{
    uint32_t condition = program_run_element(run, instr->cell, instr->size, 0);
    if (condition == UINT32_MAX) return program_run_fault(run, FAULT_INDEX, instr->stmt);
    const CodeCondition *c = &r->machine->code->conditions.data[condition];
    Run lost = program_run_copy(run);
    bool nobody = true;
    for (size_t k = 0; k < c->thread.len && nobody; k++) nobody = program_run_demand(r, &lost, c->waiting.data[k], 0);
    if (nobody) {
        program_run_say(&lost, "nobody waits");
        fork_after(r, lost, instr);
    } else {
        program_run_free(&lost);
    }
    for (size_t k = c->thread.len; k-- > 0;) {
        Run copy = program_run_copy(run);
        if (program_run_demand(r, &copy, c->waiting.data[k], 1)) {
            wake(r, &copy, c, k);
            fork_after(r, copy, instr);
        } else {
            program_run_free(&copy);
        }
    }
    return RUN_FORKED;
}

static RunState do_broadcast(ThreadRun *r, Run *run, const Instr *instr)
{
    uint32_t condition = program_run_element(run, instr->cell, instr->size, 0);
    if (condition == UINT32_MAX) return program_run_fault(run, FAULT_INDEX, instr->stmt);
    const CodeCondition *c = &r->machine->code->conditions.data[condition];
    for (size_t k = 0; k < c->thread.len; k++)
        if (!program_run_touched(run, c->waiting.data[k])) return program_run_fork_values(r, run, c->waiting.data[k]);
    bool nobody = true;
    for (size_t k = 0; k < c->thread.len; k++)
        if (program_run_touched(run, c->waiting.data[k])->now == 1) {
            wake(r, run, c, k);
            nobody = false;
        }
    if (nobody) program_run_say(run, "nobody waits");
    if (instr->size) program_run_pop(run);
    return RUN_ON;
}

static RunState do_create(ThreadRun *r, Run *run, const Instr *instr)
{
    Code *code = r->machine->code;
    const ThreadGroup *group = &code->groups.data[instr->cell];
    uint32_t n_arguments = instr->op == I_CREATE ? group->n_parameters : 0;
    uint64_t instance = 0;
    for (uint32_t k = 0; k < group->n_indices; k++) {
        int64_t index = program_run_peek(run, n_arguments + group->n_indices - 1 - k);
        if (index < group->low[k] || index > group->high[k]) return program_run_fault(run, FAULT_INDEX, instr->stmt);
        instance = instance * (uint64_t)(group->high[k] - group->low[k] + 1) + (uint64_t)(index - group->low[k]);
    }
    uint32_t t = group->first + (uint32_t)instance;
    const Thread *other = &code->threads.data[t];
    if (!program_run_demand(r, run, instr->op == I_CREATE ? other->idle : other->done, 1)) return RUN_BLOCKED;
    g_autofree int64_t *arguments = g_new0(int64_t, n_arguments + 1);
    for (uint32_t k = n_arguments; k-- > 0;) {
        arguments[k] = program_run_pop(run);
        if (arguments[k] < other->slots.data[k].low || arguments[k] > other->slots.data[k].high)
            return program_run_fault(run, FAULT_RANGE, instr->stmt);
    }
    for (uint32_t k = 0; k < group->n_indices; k++) program_run_pop(run);
    program_run_say_which(run, instr, other->name);
    if (instr->op == I_JOIN) {
        program_run_put(run, other->done, 0);
        program_run_imply(run, other->idle, 0);
        program_run_put(run, other->idle, 1);
        return RUN_ON;
    }
    program_run_put(run, other->idle, 0);
    Spawn spawn = {.thread = t};
    if (!program_machine_start(r->machine, t, arguments, &spawn.rest, r->error)) {
        r->failed = true;
        return RUN_BLOCKED;
    }
    if (!spawn.rest.frame && !spawn.rest.fault) {
        program_run_imply(run, other->done, 0);
        program_run_put(run, other->done, 1);
    } else {
        vec_push(&run->step.spawns, spawn);
    }
    return RUN_ON;
}

static RunState do_choose(ThreadRun *r, Run *run, const Instr *instr)
{
    for (uint32_t k = instr->size; k-- > 0;) {
        Run copy = program_run_copy(run);
        copy.frame[FRAME_PC] += 1 + k;
        vec_push(&r->work, copy);
    }
    return RUN_FORKED;
}

RunState effect_apply(ThreadRun *r, Run *run, const Instr *instr)
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
