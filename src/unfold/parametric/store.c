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
    VecU32 *lists[] = {&s->action, &s->outer, &s->size, &s->depth, &s->slot, &s->cause_start, &s->cause, &s->at};
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) vec_free(lists[i]);
    vec_free(&s->local);
    vec_free(&s->compatible);
    vec_free(&s->past);
    g_free(s->dependent);
    g_free(s->initial);
    VecU64 *sets[] = {&s->painted, &s->lost, &s->mask, &s->bits};
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) vec_free(sets[i]);
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

void parametric_store_room(VecU64 *set, size_t words)
{
    if (words <= set->len) return;
    vec_reserve(set, words);
    memset(set->data + set->len, 0, (set->cap - set->len) * sizeof *set->data);
    set->len = set->cap;
}

void parametric_store_closure(const ParametricStore *s, const uint32_t *events, uint32_t n, uint64_t *set)
{
    memset(set, 0, parametric_store_words(s->n) * sizeof *set);
    for (uint32_t i = 0; i < n; i++) {
        assert(events[i] < s->n && (i == 0 || events[i - 1] < events[i]));
        const ParametricSet *local = &s->local.data[events[i]];
        for (uint32_t k = 0; k < local->len; k++) set[local->at[k]] |= local->bits[k];
    }
}

/* The history of the new event in `painted`. */
static void paint(ParametricStore *s, const uint32_t *causes, uint32_t n_causes)
{
    size_t words = parametric_store_words(s->n);
    parametric_store_room(&s->painted, words);
    parametric_store_room(&s->lost, words);
    parametric_store_room(&s->mask, bitset_words(words));
    for (uint32_t i = 0; i < n_causes; i++) {
        const ParametricSet *local = &s->local.data[causes[i]];
        assert(causes[i] < s->n && (i == 0 || causes[i - 1] < causes[i]));
        for (uint32_t k = 0; k < local->len; k++) {
            s->painted.data[local->at[k]] |= local->bits[k];
            bitset_set(s->mask.data, local->at[k]);
        }
    }
}

/* Takes what is painted away, as a set. */
static ParametricSet unpaint(ParametricStore *s)
{
    size_t mask_words = bitset_words(parametric_store_words(s->n));
    ParametricSet set = {.len = (uint32_t)bitset_count(s->mask.data, mask_words)};
    set.bits = arena_alloc(&s->arena, set.len * (sizeof *set.bits + sizeof *set.at));
    set.at = (uint32_t *)(set.bits + set.len);
    uint32_t n = 0;
    for (BITSET_EACH(w, s->mask.data, mask_words)) {
        set.at[n] = (uint32_t)w;
        set.bits[n++] = s->painted.data[w];
        s->painted.data[w] = 0;
    }
    memset(s->mask.data, 0, mask_words * sizeof *s->mask.data);
    return set;
}

/* f is lost for e when its action is dependent (both cannot be maximal, and e is not above it), or
 * when one of its causes is lost. Ids grow upwards, so one pass in increasing order closes the set. */
static void remove_conflicts(ParametricStore *s, uint32_t action)
{
    const ParametricRow *dependent = &s->dependent[action];
    uint64_t *bits = s->bits.data, *lost = s->lost.data, any = 0;
    const uint32_t *at = s->at.data;
    size_t n = s->at.len;
    for (size_t i = 0; i < n; i++) any |= lost[at[i]] = bits[i] & parametric_store_row_word(dependent, at[i]);
    if (!any) return;
    for (size_t i = 0; i < n; i++) {
        for (uint64_t rest = bits[i] & ~lost[at[i]]; rest; rest &= rest - 1) {
            uint32_t f = at[i] * 64 + (uint32_t)__builtin_ctzll(rest);
            for (uint32_t k = s->cause_start.data[f]; k < s->cause_start.data[f + 1]; k++)
                if (bitset_get(lost, s->cause.data[k])) {
                    bitset_set(lost, f);
                    break;
                }
        }
        bits[i] &= ~lost[at[i]];
    }
    for (size_t i = 0; i < n; i++) lost[at[i]] = 0;
}

/* Who is compatible with all causes of e and not one of its history, which is painted: into `bits` and `at`. */
static void collect_compatible(ParametricStore *s, uint32_t e, const uint32_t *causes, uint32_t n_causes)
{
    const ParametricRow *first = n_causes ? &s->compatible.data[causes[0]] : NULL;
    size_t words = first ? MIN(first->len, parametric_store_words(e)) : parametric_store_words(e);
    vec_clear(&s->bits);
    vec_clear(&s->at);
    for (size_t w = 0; w < words; w++) {
        uint64_t bits = first ? first->word[w] : w < e / 64 ? ~UINT64_C(0) : (UINT64_C(1) << (e % 64)) - 1;
        if (!bits) continue;
        for (uint32_t i = 1; i < n_causes; i++) bits &= parametric_store_row_word(&s->compatible.data[causes[i]], w);
        bits &= ~s->painted.data[w];
        if (!bits) continue;
        vec_push(&s->bits, bits);
        vec_push(&s->at, (uint32_t)w);
    }
}

static void compute_compatible(ParametricStore *s, uint32_t e, const uint32_t *causes, uint32_t n_causes)
{
    collect_compatible(s, e, causes, n_causes);
    remove_conflicts(s, s->action.data[e]);
    ParametricRow row = {.len = s->at.len ? vec_last(&s->at) + 1 : 0};
    if (row.len) row.word = g_new0(uint64_t, row.len);
    for (size_t i = 0; i < s->at.len; i++) {
        row.word[s->at.data[i]] = s->bits.data[i];
        for (uint64_t rest = s->bits.data[i]; rest; rest &= rest - 1)
            parametric_store_row_set(&s->compatible.data[s->at.data[i] * 64 + (uint32_t)__builtin_ctzll(rest)], e);
    }
    vec_push(&s->compatible, row);
    for (BITSET_EACH(w, s->mask.data, bitset_words(parametric_store_words(e))))
        for (uint64_t rest = s->painted.data[w]; rest; rest &= rest - 1)
            parametric_store_row_set(&s->compatible.data[w * 64 + (size_t)__builtin_ctzll(rest)], e);
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
                              uint32_t size, uint32_t slot)
{
    uint32_t e = s->n, depth = 0;
    paint(s, causes, n_causes);
    assert(!bitset_get(s->painted.data, e));
    vec_push(&s->action, action);
    compute_compatible(s, e, causes, n_causes);
    bitset_set(s->painted.data, e);
    bitset_set(s->mask.data, e / 64);
    vec_push(&s->local, unpaint(s));
    vec_push(&s->size, size);
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
