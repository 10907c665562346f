#include "explore/extend_internal.h"

#include <assert.h>

/* counts holds, per branch, the tokens of each needed place at `in`; bounds holds, per candidate index
 * and need, how much the events above could still add and take. */

static uint32_t n_needs(const Extend *x, uint32_t t)
{
    return x->net ? x->need_start.data[t + 1] - x->need_start.data[t] : 0;
}

static const Need *need_of(const Extend *x, uint32_t t, uint32_t k)
{
    return &x->needs.data[x->need_start.data[t] + k];
}

static void add_effects(const Extend *x, uint32_t t, uint32_t position, Count *counts)
{
    for (uint32_t k = 0; k < n_needs(x, t); k++) counts[k] += extend_effect(x, position, need_of(x, t, k)->place);
}

static void make_bounds(Extend *x, uint32_t t, const uint64_t *in)
{
    size_t n = x->candidates.len, needs = n_needs(x, t);
    vec_reserve(&x->last_cover, x->config->n + 1);
    uint32_t *last = x->last_cover.data;
    memset(last, 0xff, (x->config->n + 1) * sizeof *last);
    uint32_t used = (x->config->n + 63) / 64;
    for (size_t i = 0; i < n; i++)
        for (BITSET_EACH(q, config_local(x->config, x->candidates.data[i]), used))
            if (!bitset_get(in, q)) last[q] = (uint32_t)i;
    vec_reserve(&x->bounds, (n + 1) * needs * 2 + 1);
    Count *bounds = x->bounds.data;
    memset(bounds, 0, ((n + 1) * needs * 2 + 1) * sizeof *bounds);
    for (uint32_t q = 0; q < x->config->n; q++) {
        if (last[q] == UINT32_MAX) continue;
        for (uint32_t k = 0; k < needs; k++) {
            Count effect = extend_effect(x, q, need_of(x, t, k)->place);
            bounds[(last[q] * needs + k) * 2 + (effect < 0)] += effect < 0 ? -effect : effect;
        }
    }
    for (size_t i = n; i--;)
        for (size_t k = 0; k < needs * 2; k++) bounds[i * needs * 2 + k] += bounds[(i + 1) * needs * 2 + k];
}

static bool hopeful(const Extend *x, uint32_t t, const Count *counts, size_t i)
{
    uint32_t needs = n_needs(x, t);
    assert(i <= x->candidates.len);
    const Count *bound = vec_from(&x->bounds, i * needs * 2);
    for (uint32_t k = 0; k < needs; k++) {
        const Need *need = need_of(x, t, k);
        assert(bound[2 * k] >= 0 && bound[2 * k + 1] >= 0);
        if (counts[k] + bound[2 * k] < need->least || counts[k] - bound[2 * k + 1] >= need->below) return false;
    }
    return true;
}

static bool enabled_at(const Extend *x, uint32_t t, const uint64_t *history, const Count *counts)
{
    if (x->net) {
        for (uint32_t k = 0; k < n_needs(x, t); k++) {
            assert(counts[k] >= 0 || x->config->indep->doubt_start); /* a history can be run */
            if (counts[k] < need_of(x, t, k)->least || counts[k] >= need_of(x, t, k)->below) return false;
        }
        return true;
    }
    const Lts *lts = x->config->lts;
    uint64_t *state = g_new(uint64_t, lts->state_words);
    bool yes = config_state_of(x->config, history, state) && lts->enabled(lts, state, t);
    g_free(state);
    return yes;
}

static void start(Extend *x, uint32_t t)
{
    uint32_t words = x->config->words;
    vec_clear(&x->start);
    vec_append(&x->start, x->sets.data, words);
    extend_candidates(x, t, x->start.data);
    size_t n = x->candidates.len;
    vec_reserve(&x->sets, 2 * (n + 2) * words);
    memset(x->sets.data + words, 0, words * sizeof(uint64_t));
    vec_reserve(&x->counts, (n + 2) * (n_needs(x, t) + 1));
    for (uint32_t k = 0; k < n_needs(x, t); k++) x->counts.data[k] = x->net->net->initial[need_of(x, t, k)->place];
    for (BITSET_EACH(q, x->start.data, (x->config->n + 63) / 64)) add_effects(x, t, (uint32_t)q, x->counts.data);
    make_bounds(x, t, x->start.data);
}

int extend_by_counting(Extend *x, uint32_t t, ExtendFound found, void *data)
{
    start(x, t);
    uint32_t used = (x->config->n + 63) / 64, words = x->config->words, needs = n_needs(x, t);
    size_t n = x->candidates.len, patience = STRUCTURE_PATIENCE;
    vec_clear(&x->branches);
    vec_push(&x->branches, 0);
    while (x->branches.len) {
        size_t d = x->branches.len - 1, i = x->branches.data[d];
        uint64_t *in = x->sets.data + 2 * d * words, *out = in + words;
        Count *counts = vec_from(&x->counts, d * needs);
        bool hope = hopeful(x, t, counts, i);
        while (hope && i < n) {
            uint32_t g = x->candidates.data[i++];
            if (bitset_get(in, g)) continue;
            const uint64_t *local = config_local(x->config, g);
            if (!bitset_meets(local, out, used)) {
                if (budget_spent(x->budget)) return 0;
                if (!patience-- && x->net && x->method == EXTEND_AUTO) return -1;
                x->stats.branchings++;
                uint64_t *in2 = out + words, *out2 = in2 + words;
                Count *counts2 = counts + needs;
                memcpy(counts2, counts, needs * sizeof *counts);
                memcpy(out2, out, used * sizeof *out);
                for (uint32_t w = 0; w < used; w++) {
                    for (uint64_t more = local[w] & ~in[w]; more; more &= more - 1)
                        add_effects(x, t, w * 64 + (uint32_t)__builtin_ctzll(more), counts2);
                    in2[w] = in[w] | local[w];
                }
                bitset_set(out, g);
                vec_last(&x->branches) = (uint32_t)i;
                vec_push(&x->branches, (uint32_t)i);
                d++, in = in2, out = out2, counts = counts2;
                assert(d <= n && !bitset_meets(in, out, used));
            }
            hope = hopeful(x, t, counts, i);
        }
        if (hope && enabled_at(x, t, in, counts)) {
            x->stats.found++;
            patience = STRUCTURE_PATIENCE;
            found(data, t, in);
        }
        x->branches.len = d;
    }
    return 1;
}
