#include "program/machine.h"

#include "base/bitset.h"
#include "base/error.h"
#include "program/effect.h"

#include <string.h>

enum { MAX_INSTRUCTIONS = 200000, INSTRUCTION_WORK = 5 };

static uint32_t frame_words(const Machine *machine, uint32_t t)
{
    const Thread *thread = &machine->code->threads.data[t];
    return FRAME_STACK + thread->max_stack + (uint32_t)thread->slots.len + machine->held_words;
}

int64_t program_machine_slot(const Machine *machine, uint32_t t, const int64_t *frame, uint32_t slot)
{
    return *program_run_slot(&machine->code->threads.data[t], (int64_t *)frame, slot);
}

const uint64_t *program_machine_held(const Machine *machine, uint32_t t, const int64_t *frame)
{
    return program_run_held(&machine->code->threads.data[t], (int64_t *)frame);
}

static RunState do_operator(Run *run, const Instr *instr)
{
    int64_t b = instr->op == I_BINARY ? program_run_pop(run) : 0, a = program_run_pop(run), result;
    if (!ast_apply((AstOperator)instr->value, a, b, &result))
        return program_run_fault(run, FAULT_ARITHMETIC, instr->stmt);
    program_run_push(run, result);
    return RUN_ON;
}

static RunState do_set(const Thread *thread, Run *run, const Instr *instr)
{
    const Slot *slot = &thread->slots.data[instr->cell];
    int64_t value = program_run_pop(run);
    if (value < slot->low || value > slot->high) {
        program_run_say(run, "%s = %" G_GINT64_FORMAT, slot->name, value);
        return program_run_fault(run, FAULT_RANGE, instr->stmt);
    }
    *program_run_slot(thread, run->frame, instr->cell) = value;
    return RUN_ON;
}

static RunState do_invisible(const Thread *thread, Run *run, const Instr *instr)
{
    switch (instr->op) {
    case I_PUSH: program_run_push(run, instr->value); break;
    case I_LOCAL: program_run_push(run, *program_run_slot(thread, run->frame, instr->cell)); break;
    case I_SET: return do_set(thread, run, instr);
    case I_UNARY:
    case I_BINARY: return do_operator(run, instr);
    case I_TRUTH: program_run_push(run, program_run_pop(run) != 0); break;
    case I_JUMP: run->frame[FRAME_PC] = (int64_t)instr->target - 1; break;
    case I_JUMP_ZERO:
        if (!program_run_pop(run)) run->frame[FRAME_PC] = (int64_t)instr->target - 1;
        break;
    case I_ASSERT:
        if (!program_run_pop(run)) return program_run_fault(run, FAULT_ASSERT, instr->stmt);
        break;
    case I_BLOCK:
        if (!program_run_pop(run)) return RUN_BLOCKED;
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
        if (!bitset_get(live, i)) *program_run_slot(thread, run->frame, i) = 0;
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
static RunState run_on(ThreadRun *r, Run *run)
{
    RunState state = RUN_ON;
    while (state == RUN_ON) {
        const Instr *instr = &r->thread->code.data[run->frame[FRAME_PC]];
        bool visible = code_is_visible(instr->op);
        if (instr->op == I_END) {
            program_run_imply(run, r->thread->done, 0);
            program_run_put(run, r->thread->done, 1);
            return RUN_DONE;
        }
        if (visible && run->stepped) {
            settle(r->thread, run);
            return RUN_DONE;
        }
        if (ast_spent(r->machine->code->ast, INSTRUCTION_WORK, r->error) ||
            too_long(run, r->machine->code->ast->file, instr, r->error)) {
            r->failed = true;
            return RUN_BLOCKED;
        }
        if (visible && (!run->step.stmt || run->atomic_depth == 0)) run->step.stmt = instr->stmt;
        state = visible ? effect_apply(r, run, instr) : do_invisible(r->thread, run, instr);
        if (state != RUN_ON) break;
        run->frame[FRAME_PC]++;
        if (visible && run->atomic_depth == 0) run->stepped = true;
    }
    return state;
}

static int64_t *new_frame(const Machine *machine, uint32_t t)
{
    uint32_t words = frame_words(machine, t);
    int64_t *frame = g_new0(int64_t, words);
    frame[0] = words;
    return frame;
}

bool program_machine_start(const Machine *machine, uint32_t t, const int64_t *arguments, Rest *rest, GError **error)
{
    const Thread *thread = &machine->code->threads.data[t];
    Run run = {.frame = new_frame(machine, t), .step.detail = g_string_new(NULL)};
    uint32_t n = machine->code->groups.data[thread->group].n_parameters;
    for (uint32_t i = 0; i < n; i++) *program_run_slot(thread, run.frame, i) = arguments[i];
    RunState state = RUN_ON;
    bool failed = false;
    while (state == RUN_ON && !failed) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): every frame has its program counter */
        const Instr *instr = &thread->code.data[run.frame[FRAME_PC]];
        if (instr->op == I_END) break;
        if (code_is_visible(instr->op)) {
            settle(thread, &run);
            break;
        }
        failed = ast_spent(machine->code->ast, INSTRUCTION_WORK, error) ||
                 too_long(&run, machine->code->ast->file, instr, error);
        state = do_invisible(thread, &run, instr);
        if (run.frame) run.frame[FRAME_PC]++;
    }
    *rest = run.step.rest;
    program_run_free(&run);
    if (failed) g_clear_pointer(&rest->frame, g_free);
    return !failed;
}

bool program_machine_step(Machine *machine, uint32_t t, const int64_t *frame, Steps *steps, GError **error)
{
    ThreadRun r = {.machine = machine, .t = t, .thread = &machine->code->threads.data[t], .error = error};
    Run first = {.frame = g_memdup2(frame, (gsize)frame[0] * sizeof *frame),
                 .step.accessed = NO_ACCESS,
                 .step.detail = g_string_new(NULL)};
    vec_push(&r.work, first);
    size_t before = steps->list.len;
    vec_clear(&machine->looked);
    while (r.work.len) {
        Run run = vec_pop(&r.work);
        RunState state = r.failed ? RUN_BLOCKED : run_on(&r, &run);
        if (!r.failed && steps->list.len - before + r.work.len > machine->max_steps) {
            const Stmt *stmt = r.thread->code.data[program_machine_pc(frame)].stmt;
            error_at(error, ERROR_LIMIT, machine->code->ast->file, stmt->at.line, stmt->at.column,
                     "this step has more than %" G_GSIZE_FORMAT " cases", machine->max_steps);
            r.failed = true;
        }
        if (state == RUN_DONE && !r.failed) {
            g_clear_pointer(&run.frame, g_free);
            vec_push(&steps->list, run.step);
        } else {
            if (state == RUN_DONE) g_free(run.step.rest.frame);
            program_run_free(&run);
        }
    }
    vec_free(&r.work);
    return !r.failed;
}

static void clear(Steps *steps)
{
    for (size_t i = 0; i < steps->list.len; i++) {
        Run run = {.step = steps->list.data[i]};
        g_free(run.step.rest.frame);
        program_run_free(&run);
    }
    vec_clear(&steps->list);
}

void program_machine_steps_free(Steps *steps)
{
    clear(steps);
    vec_free(&steps->list);
}
