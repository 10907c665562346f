#include "unfold/parametric/store.h"

#include "base/bitset.h"

#include <assert.h>

void parametric_store_init(ParametricStore *s, const Lts *lts, const Indep *indep, const Markings *states)
{
    *s = (ParametricStore){.lts = lts, .indep = indep, .states = states};
    s->dependent = g_new0(ParametricRow, (size_t)lts->n_actions + 1);
    s->initial = g_new0(uint64_t, lts->state_words);
    lts->initial(lts, s->initial);
    vec_push(&s->cause_start, 0);
}

void parametric_store_clear(ParametricStore *s)
{
    for (uint32_t e = 0; e < s->n; e++) g_free(s->compatible.data[e].word);
    for (uint32_t a = 0; a < s->lts->n_actions; a++) g_free(s->dependent[a].word);
    VecU32 *lists[] = {&s->action, &s->outer, &s->size, &s->depth, &s->slot, &s->cause_start, &s->cause};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) vec_free(lists[i]);
    vec_free(&s->local);
    vec_free(&s->compatible);
    vec_free(&s->past);
    g_free(s->dependent);
    g_free(s->initial);
    g_free(s->scratch);
    arena_free(&s->arena);
}

void parametric_store_row_set(ParametricRow *row, uint32_t i)
{
    uint32_t need = i / 64 + 1;
    assert(!row->len == !row->word);
    if (need > row->len) {
        uint32_t len = need + need / 4 + 1;
        row->word = g_realloc_n(row->word, len, sizeof *row->word);
        memset(row->word + row->len, 0, (len - row->len) * sizeof *row->word);
        row->len = len;
    }
    bitset_set(row->word, i);
}

void parametric_store_closure(const ParametricStore *s, const uint32_t *events, uint32_t n, uint64_t *set)
{
    memset(set, 0, parametric_store_words(s->n) * sizeof *set);
    for (uint32_t i = 0; i < n; i++) {
        assert(events[i] < s->n && (i == 0 || events[i - 1] < events[i]));
        bitset_or(set, s->local.data[events[i]], parametric_store_words(events[i]));
    }
}

/* f is lost for e when its action is dependent (both cannot be maximal, and e is not above it), or
 * when one of its causes is lost. Ids grow upwards, so one pass in increasing order closes the set. */
static void remove_conflicts(const ParametricStore *s, uint32_t action, const uint64_t *history, uint64_t *set,
                             uint64_t *lost, size_t words)
{
    const ParametricRow *dependent = &s->dependent[action];
    bool any = false;
    for (size_t w = 0; w < words; w++) {
        lost[w] = w < dependent->len ? set[w] & dependent->word[w] & ~history[w] : 0;
        any |= lost[w] != 0;
    }
    if (!any) return;
    for (BITSET_EACH(f, set, words)) {
        if (bitset_get(lost, f)) continue;
        for (uint32_t i = s->cause_start.data[f]; i < s->cause_start.data[f + 1]; i++)
            if (bitset_get(lost, s->cause.data[i])) {
                bitset_set(lost, f);
                break;
            }
    }
    for (size_t w = 0; w < words; w++) set[w] &= ~lost[w];
}

static void compute_compatible(ParametricStore *s, uint32_t e, const uint32_t *causes, uint32_t n_causes,
                               const uint64_t *history)
{
    size_t words = parametric_store_words(e);
    uint64_t *set = s->scratch, *lost = s->scratch + words;
    memset(set, 0, words * sizeof *set);
    for (uint32_t f = 0; f < e / 64; f++) set[f] = ~UINT64_C(0);
    set[e / 64] = (UINT64_C(1) << (e % 64)) - 1;
    for (uint32_t i = 0; i < n_causes; i++) {
        const ParametricRow *row = &s->compatible.data[causes[i]];
        for (size_t w = 0; w < words; w++) set[w] &= w < row->len ? row->word[w] : 0;
    }
    for (size_t w = 0; w < words; w++) set[w] &= ~history[w];
    remove_conflicts(s, s->action.data[e], history, set, lost, words);
    assert(!bitset_get(set, e) && !bitset_meets(set, history, words));
    ParametricRow row = {g_memdup2(set, words * sizeof *set), (uint32_t)words};
    vec_push(&s->compatible, row);
    for (BITSET_EACH(f, set, words)) parametric_store_row_set(&s->compatible.data[f], e);
    for (BITSET_EACH(h, history, words))
        if (h != e) parametric_store_row_set(&s->compatible.data[h], e);
}

static void compute_past(ParametricStore *s, uint32_t action, const uint32_t *causes, uint32_t n_causes)
{
    size_t words = bitset_words(s->lts->n_actions);
    uint64_t *past = arena_alloc(&s->arena, words * sizeof *past);
    memset(past, 0, words * sizeof *past);
    bitset_set(past, action);
    for (uint32_t i = 0; i < n_causes; i++) bitset_or(past, s->past.data[causes[i]], words);
    vec_push(&s->past, past);
}

uint32_t parametric_store_add(ParametricStore *s, uint32_t action, const uint32_t *causes, uint32_t n_causes,
                              uint32_t slot)
{
    uint32_t e = s->n, depth = 0;
    size_t words = parametric_store_words(e);
    if (2 * words > s->scratch_words) {
        s->scratch_words = 4 * words;
        s->scratch = g_realloc_n(s->scratch, s->scratch_words, sizeof *s->scratch);
    }
    uint64_t *local = arena_alloc(&s->arena, words * sizeof *local);
    parametric_store_closure(s, causes, n_causes, local);
    assert(!bitset_get(local, e));
    vec_push(&s->action, action);
    compute_compatible(s, e, causes, n_causes, local);
    bitset_set(local, e);
    vec_push(&s->local, local);
    vec_push(&s->size, (uint32_t)bitset_count(local, words));
    for (uint32_t i = 0; i < n_causes; i++) {
        assert(indep_dependent(s->indep, action, s->action.data[causes[i]]));
        depth = MAX(depth, s->depth.data[causes[i]]);
    }
    vec_push(&s->depth, depth + 1);
    vec_append(&s->cause, causes, n_causes);
    vec_push(&s->cause_start, (uint32_t)s->cause.len);
    vec_push(&s->slot, slot);
    if (!s->indep->structural && s->lts->obstacle) compute_past(s, action, causes, n_causes);
    for (uint32_t i = s->indep->start[action]; i < s->indep->start[action + 1]; i++)
        parametric_store_row_set(&s->dependent[s->indep->dependent[i]], e);
    s->n++;
    assert(s->local.len == s->n && s->compatible.len == s->n && s->slot.len == s->n && slot < s->states->slots.len);
    return e;
}
