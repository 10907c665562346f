#include "verify/witness.h"

#include "base/hash.h"
#include "lts/replay.h"
#include "verify/goal.h"

#include <assert.h>
#include <string.h>

/* Firings spent at most on leaving firings out. */
enum { EFFORT = 5000000 };

typedef struct Replay {
    const Query *query;
    NetLts *plain; /* a marking of plain counts is a state of this one */
    uint64_t *marking;
    uint64_t effort;
} Replay;

static Replay replay_new(const Query *query)
{
    return (Replay){query, netlts_new(query->net, 64), g_new(uint64_t, (size_t)query->net->n_places + 1), 0};
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

bool witness_print(const Net *net, const uint32_t *sequence, size_t n, GString *out)
{
    for (size_t i = 0; i < n; i++) {
        const char *id = net_transition_id(net, sequence[i]);
        if (strchr(id, '\n')) return false;
        g_string_append_printf(out, "%s\n", id);
    }
    return true;
}

/* Whenever a marking comes back, what lies between goes; and nothing is needed after the goal holds first. Markings
 * are compared by hash only: the caller replays the result. */
static void without_loops(Replay *r, const VecU32 *sequence, VecU32 *kept)
{
    const Net *net = r->query->net;
    bool only_dead = goal_new(r->query).only_dead;
    g_autoptr(GHashTable) position = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_autofree uint64_t *hashes = g_new(uint64_t, sequence->len + 1); /* of the marking before each kept firing */
    to_start(r);
    for (size_t i = 0;; i++) {
        hashes[kept->len] = hash_words(r->marking, net->n_places);
        gpointer seen = g_hash_table_lookup(position, &hashes[kept->len]);
        if (seen) {
            size_t at = GPOINTER_TO_SIZE(seen) - 1;
            for (size_t k = at + 1; k < kept->len; k++) g_hash_table_remove(position, &hashes[k]);
            kept->len = at;
        } else {
            g_hash_table_insert(position, &hashes[kept->len], GSIZE_TO_POINTER(kept->len + 1));
        }
        if (i == sequence->len || (!only_dead && goal_here(r))) break;
        net_fire(net, r->marking, sequence->data[i]);
        vec_push(kept, sequence->data[i]);
    }
}

static void cut_loops(Replay *r, VecU32 *sequence)
{
    VecU32 kept = {0};
    without_loops(r, sequence, &kept);
    if (kept.len < sequence->len && witness_replays(r->query, kept.data, kept.len)) {
        vec_clear(sequence);
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
    r->effort += sequence->len;
    for (size_t i = 0; i < sequence->len; i++) {
        uint32_t t = sequence->data[i];
        if ((i >= from && i < to) || !net_enabled(net, r->marking, t)) continue;
        if (!net_fire(net, r->marking, t)) return false;
        vec_push(kept, t);
    }
    return goal_here(r);
}

static bool leave_out(Replay *r, VecU32 *sequence, size_t block)
{
    bool any = false;
    VecU32 kept = {0};
    for (size_t end = sequence->len; end > 0 && r->effort < EFFORT;) {
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

void witness_shorten(const Query *query, VecU32 *sequence)
{
    assert(witness_replays(query, sequence->data, sequence->len));
    Replay r = replay_new(query);
    cut_loops(&r, sequence);
    for (size_t block = sequence->len / 2; block > 1; block /= 2) leave_out(&r, sequence, block);
    while (r.effort < EFFORT && leave_out(&r, sequence, 1)) {
    }
    cut_loops(&r, sequence);
    replay_clear(&r);
    assert(witness_replays(query, sequence->data, sequence->len));
}
