#include "verify/witness.h"

#include "base/hash.h"
#include "base/quote.h"
#include "lts/replay.h"
#include "verify/goal.h"

#include <assert.h>
#include <string.h>

/* Firings spent at most on leaving firings out; a way back to the start costs one per so many places. */
enum { EFFORT = 5000000, PLACES_PER_FIRING = 16 };
/* Work of a firing, and of looking a marking up. */
enum { FIRING_UNITS = 5, LOOKUP_UNITS = 10 };

typedef struct Replay {
    const Query *query;
    NetLts *plain; /* a marking of plain counts is a state of this one */
    uint64_t *marking;
    uint64_t effort;
    uint32_t goal_units;
    Budget *budget; /* NULL: none */
} Replay;

static Replay replay_new(const Query *query)
{
    return (Replay){.query = query,
                    .plain = netlts_new(query->net, 64),
                    .marking = g_new(uint64_t, (size_t)query->net->n_places + 1)};
}

static void replay_clear(Replay *r)
{
    netlts_free(r->plain);
    g_free(r->marking);
}

static void to_start(Replay *r)
{
    memcpy(r->marking, r->query->net->initial, r->query->net->n_places * sizeof *r->marking);
}

static bool goal_here(const Replay *r)
{
    return formula_holds(r->query->formulas, r->query->goal, r->plain, r->marking);
}

bool witness_replays(const Query *query, const uint32_t *sequence, size_t n)
{
    Replay r = replay_new(query);
    to_start(&r);
    bool ok = replay_run(query->net, sequence, n, r.marking) == n && goal_here(&r);
    replay_clear(&r);
    return ok;
}

bool witness_shows(const Query *query, const Result *result)
{
    const VecU32 *run = &result->witness;
    if (!result->times.len) return witness_replays(query, run->data, run->len);
    assert(result->times.len == run->len);
    Replay r = replay_new(query);
    to_start(&r);
    bool ok = replay_leaps(query->net, run->data, result->times.data, run->len, r.marking) == run->len && goal_here(&r);
    replay_clear(&r);
    return ok;
}

void witness_print_times(const Net *net, const uint32_t *sequence, const uint64_t *times, size_t n, GString *out)
{
    for (size_t i = 0; i < n; i++) {
        quote_append(out, net_transition_id(net, sequence[i]));
        g_string_append_printf(out, " %" G_GUINT64_FORMAT "\n", times[i]);
    }
}

void witness_print(const Net *net, const uint32_t *sequence, size_t n, GString *out)
{
    for (size_t i = 0; i < n; i++) quote_append_line(out, net_transition_id(net, sequence[i]));
}

/* Whenever a marking comes back, what lies between goes; and nothing is needed after the goal holds first. Markings
 * are compared by fingerprint only: the caller replays the result. False when the budget is spent. */
HASH_WRAPS static bool without_loops(Replay *r, const VecU32 *sequence, VecU32 *kept)
{
    const Lts *lts = &r->plain->lts;
    bool only_dead = goal_new(r->query).only_dead;
    uint32_t units = FIRING_UNITS + LOOKUP_UNITS + (only_dead ? 0 : r->goal_units);
    g_autoptr(GHashTable) position = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_autofree uint64_t *prints = g_new(uint64_t, sequence->len + 1); /* of the marking before each kept firing */
    to_start(r);
    uint64_t print = lts->fingerprint(lts, r->marking);
    for (size_t i = 0;; i++) {
        prints[kept->len] = print;
        gpointer seen = g_hash_table_lookup(position, &print);
        if (seen) {
            size_t at = GPOINTER_TO_SIZE(seen) - 1;
            for (size_t k = at + 1; k < kept->len; k++) g_hash_table_remove(position, &prints[k]);
            kept->len = at;
        } else {
            g_hash_table_insert(position, &prints[kept->len], GSIZE_TO_POINTER(kept->len + 1));
        }
        if (i == sequence->len || (!only_dead && goal_here(r))) return true;
        if (budget_charge(r->budget, units)) return false;
        net_fire(r->query->net, r->marking, sequence->data[i]);
        print += lts->effect(lts, sequence->data[i]);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where cap > 0 there are data */
        vec_push(kept, sequence->data[i]);
    }
}

static void cut_loops(Replay *r, VecU32 *sequence)
{
    VecU32 kept = {0};
    bool done = without_loops(r, sequence, &kept);
    if (done && kept.len < sequence->len && witness_replays(r->query, kept.data, kept.len)) {
        vec_clear(sequence);
        /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): where len > 0 there are data */
        vec_append(sequence, kept.data, kept.len);
    }
    vec_free(&kept);
}

/* Leaves out the firings from..to-1 and then everything that they would have enabled; what is left goes to `kept`.
 * True when the goal still holds at the end. */
static bool works_without(Replay *r, const VecU32 *sequence, size_t from, size_t to, VecU32 *kept)
{
    const Net *net = r->query->net;
    to_start(r);
    vec_clear(kept);
    size_t effort = sequence->len + net->n_places / PLACES_PER_FIRING + r->goal_units / FIRING_UNITS;
    r->effort += effort;
    budget_charge(r->budget, (uint32_t)MIN(effort * FIRING_UNITS, UINT32_MAX / 2));
    for (size_t i = 0; i < sequence->len; i++) {
        uint32_t t = sequence->data[i];
        if ((i >= from && i < to) || !net_enabled(net, r->marking, t)) continue;
        if (!net_fire(net, r->marking, t)) return false;
        vec_push(kept, t);
    }
    return goal_here(r);
}

static bool may_go_on(const Replay *r)
{
    return r->effort < EFFORT && !budget_ended(r->budget);
}

static bool leave_out(Replay *r, VecU32 *sequence, size_t block)
{
    bool any = false;
    VecU32 kept = {0};
    for (size_t end = sequence->len; end > 0 && may_go_on(r);) {
        size_t from = end > block ? end - block : 0;
        if (works_without(r, sequence, from, end, &kept)) {
            vec_clear(sequence);
            vec_append(sequence, kept.data, kept.len);
            any = true;
        }
        end = MIN(from, sequence->len);
    }
    vec_free(&kept);
    return any;
}

void witness_shorten(const Query *query, VecU32 *sequence, Budget *budget)
{
    assert(witness_replays(query, sequence->data, sequence->len));
    Replay r = replay_new(query);
    r.budget = budget;
    r.goal_units = goal_units(query->formulas, query->goal);
    cut_loops(&r, sequence);
    for (size_t block = sequence->len / 2; block > 1 && may_go_on(&r); block /= 2) leave_out(&r, sequence, block);
    while (may_go_on(&r) && leave_out(&r, sequence, 1)) {
    }
    cut_loops(&r, sequence);
    replay_clear(&r);
    assert(witness_replays(query, sequence->data, sequence->len));
}
