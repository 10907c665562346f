#include "program/live.h"

#include "base/bitset.h"

static void join_successors(const Thread *thread, size_t i, uint64_t *out)
{
    const Instr *instr = &thread->code.data[i];
    size_t words = thread->live_words;
    const uint64_t *live = thread->live;
    if (instr->op == I_JUMP || instr->op == I_JUMP_ZERO) bitset_or(out, live + instr->target * words, words);
    for (uint32_t k = 0; instr->op == I_CHOOSE && k < instr->size; k++)
        bitset_or(out, live + (i + 1 + k) * words, words);
    if (instr->op != I_JUMP && instr->op != I_CHOOSE && instr->op != I_END)
        bitset_or(out, live + (i + 1) * words, words);
}

bool program_live_compute(const Ast *ast, Thread *thread, GError **error)
{
    size_t words = thread->live_words = (uint32_t)bitset_words(thread->slots.len);
    thread->live = g_new0(uint64_t, thread->code.len * words + 1);
    g_autofree uint64_t *now = g_new0(uint64_t, words + 1);
    bool changed = words > 0;
    while (changed) {
        changed = false;
        for (size_t i = thread->code.len; i-- > 0;) {
            const Instr *instr = &thread->code.data[i];
            if (ast_spent(ast, (uint32_t)words, error)) return false;
            memset(now, 0, words * sizeof *now);
            join_successors(thread, i, now);
            if (instr->op == I_SET) bitset_clear(now, instr->cell);
            if (instr->op == I_LOCAL) bitset_set(now, instr->cell);
            if (bitset_equal(now, thread->live + i * words, words)) continue;
            memcpy(thread->live + i * words, now, words * sizeof *now);
            changed = true;
        }
    }
    return true;
}
