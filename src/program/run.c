#include "program/run.h"

#include "base/bitset.h"

#include <assert.h>
#include <string.h>

int64_t *program_run_slot(const Thread *thread, int64_t *frame, uint32_t slot)
{
    return frame + FRAME_STACK + thread->max_stack + slot;
}

uint64_t *program_run_held(const Thread *thread, int64_t *frame)
{
    return (uint64_t *)program_run_slot(thread, frame, (uint32_t)thread->slots.len);
}

void program_run_push(Run *run, int64_t value)
{
    run->frame[FRAME_STACK + run->frame[FRAME_DEPTH]++] = value;
}

/* Slots above the top stay zero, so that equal frames are equal words. */
int64_t program_run_pop(Run *run)
{
    int64_t *top = run->frame + FRAME_STACK + --run->frame[FRAME_DEPTH];
    int64_t value = *top;
    *top = 0;
    return value;
}

int64_t program_run_peek(const Run *run, uint32_t n)
{
    return run->frame[FRAME_STACK + run->frame[FRAME_DEPTH] - 1 - n];
}

RunState program_run_fault(Run *run, Fault kind, const Stmt *stmt)
{
    run->step.rest.fault = kind;
    run->step.rest.stmt = stmt;
    return RUN_DONE;
}

void program_run_say(Run *run, const char *format, ...)
{
    GString *text = run->step.detail;
    if (text->len) g_string_append(text, ", ");
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(text, format, args);
    va_end(args);
}

void program_run_say_which(Run *run, const Instr *instr, const char *name)
{
    if (!strstr(instr->stmt->text, name)) program_run_say(run, "%s", name);
}

void program_run_free(Run *run)
{
    g_free(run->frame);
    for (size_t i = 0; i < run->step.spawns.len; i++) g_free(run->step.spawns.data[i].rest.frame);
    vec_free(&run->step.spawns);
    vec_free(&run->step.touches);
    if (run->step.detail) g_string_free(run->step.detail, TRUE);
}

Run program_run_copy(const Run *run)
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

bool program_run_spent(ThreadRun *r)
{
    enum { COPY_WORK = 30 };
    if (!r->failed) r->failed = ast_spent(r->machine->code->ast, COPY_WORK, r->error);
    return r->failed;
}

Touch *program_run_touched(const Run *run, uint32_t cell)
{
    for (size_t i = 0; i < run->step.touches.len; i++)
        if (run->step.touches.data[i].cell == cell) return &run->step.touches.data[i];
    return NULL;
}

void program_run_touch(Run *run, uint32_t cell, int64_t value)
{
    vec_push(&run->step.touches, ((Touch){.cell = cell, .first = value, .now = value}));
}

void program_run_put(Run *run, uint32_t cell, int64_t value)
{
    Touch *t = program_run_touched(run, cell);
    assert(t);
    t->now = value;
    t->written = true;
}

bool program_run_demand(ThreadRun *r, Run *run, uint32_t cell, int64_t value)
{
    const Touch *t = program_run_touched(run, cell);
    if (t) return t->now == value;
    Cell *c = &r->machine->code->cells.data[cell];
    vec_push(&r->machine->looked, cell);
    size_t i = code_value_number(c, value);
    if (i == c->values.len || (int64_t)c->values.data[i] != value) return false;
    if (c->kind != CELL_VAR) c->needed[value] = true;
    program_run_touch(run, cell, value);
    return true;
}

void program_run_imply(Run *run, uint32_t cell, int64_t value)
{
    if (!program_run_touched(run, cell)) program_run_touch(run, cell, value);
}

RunState program_run_fork_values(ThreadRun *r, Run *run, uint32_t cell)
{
    Cell *c = &r->machine->code->cells.data[cell];
    vec_push(&r->machine->looked, cell);
    for (size_t i = c->values.len; i-- > 0 && !program_run_spent(r);) {
        int64_t value = (int64_t)c->values.data[i];
        if (c->kind != CELL_VAR) c->needed[value] = true;
        Run copy = program_run_copy(run);
        program_run_touch(&copy, cell, value);
        vec_push(&r->work, copy);
    }
    return RUN_FORKED;
}

uint32_t program_run_element(const Run *run, uint32_t first, uint32_t size, uint32_t n)
{
    if (!size) return first;
    int64_t index = program_run_peek(run, n);
    return index < 0 || index >= size ? UINT32_MAX : first + (uint32_t)index;
}

bool program_run_holds(const ThreadRun *r, const Run *run, uint32_t mutex)
{
    return bitset_get(program_run_held(r->thread, run->frame), mutex);
}

void program_run_hold(const ThreadRun *r, Run *run, uint32_t mutex, bool now)
{
    uint64_t *held = program_run_held(r->thread, run->frame);
    if (now)
        bitset_set(held, mutex);
    else
        bitset_clear(held, mutex);
}
