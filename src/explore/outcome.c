#include "explore/outcome.h"

#include <assert.h>

void outcome_init(Outcome *o, const Lts *lts, Budget *budget)
{
    *o = (Outcome){.lts = lts, .budget = budget, .end = EXPLORE_DONE};
    store_init(&o->dead_store, lts->state_words);
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
    store_clear(&o->dead_store);
    o->lts = NULL;
}

static void note_dead(Outcome *o, const uint64_t *state, const uint32_t *run, uint32_t n)
{
    bool fresh;
    uint32_t i = store_add(&o->dead_store, state, store_hash(&o->dead_store, state), &fresh, o->budget);
    if (i == STORE_NONE || !fresh) return;
    ExploreDead dead = {.length = n};
    dead.state = g_memdup2(state, o->lts->state_words * sizeof *state);
    dead.run = g_memdup2(run, n * sizeof *run);
    vec_push(&o->dead, dead);
}

void outcome_leaf(Outcome *o, LeafKind kind, const uint64_t *state, const uint32_t *run, uint32_t n)
{
    assert(kind < N_LEAF_KINDS && kind != LEAF_CUTOFF);
    o->stats.leaves[kind]++;
    if (kind == LEAF_MAXIMAL) note_dead(o, state, run, n);
}

/* Does the last state of the run prove that there are infinitely many? */
static bool covers_itself(Outcome *o)
{
    uint32_t words = o->lts->state_words;
    if (!o->lts->pumps || !o->hashes.len) return false;
    const uint64_t *last = o->states.data + (o->hashes.len - 1) * words;
    for (size_t i = 0; i + 1 < o->hashes.len; i++)
        if (o->lts->pumps(o->lts, o->states.data + i * words, last)) {
            o->end = EXPLORE_UNBOUNDED;
            return true;
        }
    return false;
}

bool outcome_enter(Outcome *o, uint32_t n, const uint64_t *state)
{
    uint32_t words = o->lts->state_words;
    assert(n <= o->hashes.len);
    o->hashes.len = n;
    o->states.len = (size_t)n * words;
    uint64_t hash = hash_words(state, words);
    for (uint32_t i = 0; i < n; i++) {
        if (o->hashes.data[i] != hash) continue;
        if (memcmp(o->states.data + (size_t)i * words, state, words * sizeof *state) != 0) continue;
        o->end = EXPLORE_ENDLESS;
        return false;
    }
    vec_push(&o->hashes, hash);
    vec_append(&o->states, state, words);
    o->stats.nodes++;
    if (n > o->stats.deepest) o->stats.deepest = n;
    bool long_enough = n >= 64 && (n & (n - 1)) == 0;
    return !long_enough || !covers_itself(o);
}

void outcome_overflow(Outcome *o)
{
    if (!covers_itself(o)) o->end = EXPLORE_OVERFLOW;
}

bool outcome_stopped(const Outcome *o)
{
    return o->end != EXPLORE_DONE || o->refuted || o->budget->reason != BUDGET_OK;
}

ExploreEnd outcome_end(Outcome *o)
{
    if (o->end == EXPLORE_DONE && outcome_stopped(o)) o->end = EXPLORE_STOPPED;
    return o->end;
}

const char *outcome_reason(const Outcome *o)
{
    if (o->refuted) return "two transitions do not commute where the relation says so";
    switch (o->end) {
    case EXPLORE_DONE: return o->stats.leaves[LEAF_BOUND] ? "depth bound" : NULL;
    case EXPLORE_STOPPED: return budget_reason_text(o->budget->reason);
    case EXPLORE_OVERFLOW: return "a token count passes 2^64 - 1";
    case EXPLORE_ENDLESS: return "a run repeats its marking: the net does not terminate, and this algorithm needs that";
    case EXPLORE_UNBOUNDED: return "the net is unbounded";
    default: return NULL;
    }
}
