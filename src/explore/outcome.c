#include "explore/outcome.h"

#include "base/compare.h"

#include <assert.h>
#include <stdlib.h>

void outcome_init(Outcome *o, const Lts *lts, Budget *budget)
{
    *o = (Outcome){.lts = lts, .budget = budget, .end = ENDING_COMPLETE};
    store_init(&o->dead_store, lts->state_words);
    o->bucket_mask = 63;
    o->bucket = g_new0(uint32_t, o->bucket_mask + 1);
}

void outcome_clear(Outcome *o)
{
    if (!o->lts) return;
    for (size_t i = 0; i < o->dead.len; i++) {
        g_free(o->dead.data[i].state);
        g_free(o->dead.data[i].run);
    }
    vec_free(&o->dead);
    vec_free(&o->states);
    vec_free(&o->hashes);
    vec_free(&o->chain);
    g_free(o->bucket);
    store_clear(&o->dead_store);
    o->lts = NULL;
}

static int compare_runs(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len)
{
    COMPARE(a_len, b_len);
    for (size_t i = 0; i < a_len; i++) COMPARE(a[i], b[i]);
    return 0;
}

bool outcome_note_dead(Outcome *o, const uint64_t *state, const uint32_t *run, uint32_t n)
{
    bool fresh;
    uint32_t i = store_add(&o->dead_store, state, store_hash(&o->dead_store, state), &fresh, o->budget);
    if (i == STORE_NONE) return false;
    if (fresh) {
        assert(i == o->dead.len);
        ExploreDead dead = {.state = g_memdup2(state, o->lts->state_words * sizeof *state)};
        vec_push(&o->dead, dead);
    } else if (!o->least_runs || compare_runs(run, n, o->dead.data[i].run, o->dead.data[i].length) >= 0) {
        return true;
    }
    g_free(o->dead.data[i].run);
    o->dead.data[i].run = g_memdup2(run, n * sizeof *run);
    o->dead.data[i].length = n;
    return true;
}

void outcome_add(Outcome *o, const Outcome *other)
{
    assert(o->least_runs && other->least_runs && o->lts->state_words == other->lts->state_words);
    for (int k = 0; k < N_LEAF_KINDS; k++) o->stats.leaves[k] += other->stats.leaves[k];
    o->stats.cut |= other->stats.cut;
    o->stats.nodes += other->stats.nodes;
    o->stats.deepest = MAX(o->stats.deepest, other->stats.deepest);
    o->stats.most_events = MAX(o->stats.most_events, other->stats.most_events);
    o->stats.extend.calls += other->stats.extend.calls;
    o->stats.extend.found += other->stats.extend.found;
    o->stats.extend.branchings += other->stats.extend.branchings;
    o->stats.extend.sat_calls += other->stats.extend.sat_calls;
    for (size_t i = 0; i < other->dead.len; i++)
        outcome_note_dead(o, other->dead.data[i].state, other->dead.data[i].run, other->dead.data[i].length);
}

static int compare_dead(const void *a, const void *b)
{
    const ExploreDead *x = a, *y = b;
    return compare_runs(x->run, x->length, y->run, y->length);
}

/* The store keeps its own order: nothing may be noted after this. */
void outcome_sort(Outcome *o)
{
    if (o->dead.len) qsort(o->dead.data, o->dead.len, sizeof *o->dead.data, compare_dead);
}

bool outcome_leaf(Outcome *o, LeafKind kind, const uint64_t *state, const uint32_t *run, uint32_t n)
{
    assert(kind < N_LEAF_KINDS && kind != LEAF_CUTOFF);
    assert(n + 1 == o->hashes.len); /* the run was entered */
    if (kind == LEAF_MAXIMAL && !outcome_note_dead(o, state, run, n)) return false;
    o->stats.leaves[kind]++;
    return true;
}

/* Does the last state of the run prove that there are infinitely many? */
static bool covers_itself(Outcome *o)
{
    uint32_t words = o->lts->state_words;
    if (!o->lts->pumps || !o->hashes.len || o->bounded) return false;
    assert(o->states.len == o->hashes.len * words);
    const uint64_t *last = o->states.data + (o->hashes.len - 1) * words;
    for (size_t i = 0; i + 1 < o->hashes.len; i++)
        if (o->lts->pumps(o->lts, o->states.data + i * words, last)) {
            o->end = ENDING_UNBOUNDED;
            return true;
        }
    return false;
}

static void chain_last(Outcome *o)
{
    uint32_t last = (uint32_t)o->hashes.len - 1, *bucket = &o->bucket[o->hashes.data[last] & o->bucket_mask];
    vec_push(&o->chain, *bucket);
    *bucket = last + 1;
}

static void push_state(Outcome *o, const uint64_t *state, uint64_t hash)
{
    vec_push(&o->hashes, hash);
    vec_append(&o->states, state, o->lts->state_words);
    chain_last(o);
    if (o->hashes.len <= o->bucket_mask) return;
    size_t n = o->hashes.len;
    g_free(o->bucket);
    o->bucket_mask = o->bucket_mask * 2 + 1;
    o->bucket = g_new0(uint32_t, (size_t)o->bucket_mask + 1);
    vec_clear(&o->chain);
    for (o->hashes.len = 1; o->hashes.len <= n; o->hashes.len++) chain_last(o);
    o->hashes.len = n;
}

/* The newest member of a bucket is at the end of the run. */
static void cut_run(Outcome *o, uint32_t n)
{
    while (o->hashes.len > n) {
        uint32_t *bucket = &o->bucket[vec_last(&o->hashes) & o->bucket_mask];
        assert(*bucket == o->hashes.len);
        *bucket = vec_pop(&o->chain);
        o->hashes.len--;
    }
    o->states.len = (size_t)n * o->lts->state_words;
}

bool outcome_enter(Outcome *o, uint32_t n, const uint64_t *state)
{
    uint32_t words = o->lts->state_words;
    assert(n <= o->hashes.len && o->chain.len == o->hashes.len);
    cut_run(o, n);
    uint64_t hash = hash_words(state, words);
    for (uint32_t i = o->bounded ? 0 : o->bucket[hash & o->bucket_mask]; i > 0; i = o->chain.data[i - 1]) {
        if (o->hashes.data[i - 1] != hash) continue;
        if (memcmp(o->states.data + (size_t)(i - 1) * words, state, words * sizeof *state) != 0) continue;
        o->end = ENDING_ENDLESS;
        return false;
    }
    push_state(o, state, hash);
    o->stats.nodes++;
    if (n > o->stats.deepest) o->stats.deepest = n;
    bool long_enough = n >= 64 && (n & (n - 1)) == 0;
    return !long_enough || !covers_itself(o);
}

void outcome_overflow(Outcome *o)
{
    assert(o->end == ENDING_COMPLETE);
    if (!covers_itself(o)) o->end = ENDING_OVERFLOW;
}

bool outcome_stopped(const Outcome *o)
{
    return o->end != ENDING_COMPLETE || budget_ended(o->budget);
}

Ending outcome_end(Outcome *o)
{
    if (o->end == ENDING_COMPLETE) o->end = budget_ending(o->budget);
    return o->end;
}

const char *outcome_reason(const Outcome *o)
{
    switch (o->end) {
    case ENDING_COMPLETE: return o->stats.leaves[LEAF_BOUND] || o->stats.cut ? "depth bound" : NULL;
    case ENDING_REFUTED: return "two transitions do not commute where the relation says so";
    case ENDING_ENDLESS: return "a run repeats its marking: the net does not terminate, and this algorithm needs that";
    case ENDING_UNBOUNDED: return "the net is unbounded";
    default: return ending_text(o->end);
    }
}
