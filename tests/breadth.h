/* Breadth-first search on plain arrays, as simple as possible: the twin that clever engines are compared with. */
#pragma once
#include "base/vec.h"
#include "prop/formula.h"

#include <glib.h>
#include <string.h>

typedef enum { NAIVE_NO, NAIVE_YES, NAIVE_TOO_MANY } NaiveAnswer;

typedef struct NaiveKey {
    const uint64_t *marking;
    uint32_t n;
} NaiveKey;

static inline guint naive_hash(gconstpointer p)
{
    const NaiveKey *key = p;
    uint64_t h = 7;
    for (uint32_t i = 0; i < key->n; i++) h = h * 1000003 + key->marking[i];
    return (guint)(h ^ h >> 32);
}

static inline gboolean naive_equal(gconstpointer a, gconstpointer b)
{
    const NaiveKey *x = a, *y = b;
    return memcmp(x->marking, y->marking, x->n * sizeof(uint64_t)) == 0;
}

/* Calls visit on every reachable marking (parent index and transition given) until it returns true. */
static inline NaiveAnswer naive_search(const Net *net, size_t most, bool (*visit)(const uint64_t *marking, void *data),
                                       void *data, VecU32 *witness)
{
    GPtrArray *markings = g_ptr_array_new_with_free_func(g_free);
    GHashTable *seen = g_hash_table_new_full(naive_hash, naive_equal, g_free, NULL);
    VecU32 parent = {0}, by = {0};
    NaiveAnswer answer = NAIVE_NO;
    size_t bytes = (net->n_places + 1) * sizeof(uint64_t), found = 0;
    g_ptr_array_add(markings, g_malloc0(bytes));
    memcpy(markings->pdata[0], net->initial, net->n_places * sizeof(uint64_t));
    vec_push(&parent, 0);
    vec_push(&by, 0);
    NaiveKey *key = g_new(NaiveKey, 1);
    *key = (NaiveKey){markings->pdata[0], net->n_places};
    g_hash_table_add(seen, key);
    uint64_t *next = g_malloc0(bytes);
    for (guint i = 0; i < markings->len && answer == NAIVE_NO; i++) {
        if (visit(markings->pdata[i], data)) {
            answer = NAIVE_YES;
            found = i;
            break;
        }
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            if (!net_enabled(net, markings->pdata[i], t)) continue;
            memcpy(next, markings->pdata[i], bytes);
            net_fire(net, next, t);
            NaiveKey probe = {next, net->n_places};
            if (g_hash_table_contains(seen, &probe)) continue;
            if (markings->len >= most) {
                answer = NAIVE_TOO_MANY;
                break;
            }
            key = g_new(NaiveKey, 1);
            *key = (NaiveKey){next, net->n_places};
            g_ptr_array_add(markings, next);
            g_hash_table_add(seen, key);
            vec_push(&parent, (uint32_t)i);
            vec_push(&by, t);
            next = g_malloc0(bytes);
        }
    }
    if (answer == NAIVE_YES && witness) {
        vec_clear(witness);
        for (size_t i = found; i; i = parent.data[i]) vec_push(witness, by.data[i]);
        for (size_t i = 0, k = witness->len; i + 1 < k; i++, k--) {
            uint32_t swap = witness->data[i];
            witness->data[i] = witness->data[k - 1];
            witness->data[k - 1] = swap;
        }
    }
    g_free(next);
    g_hash_table_unref(seen);
    g_ptr_array_unref(markings);
    vec_free(&parent);
    vec_free(&by);
    return answer;
}

typedef struct NaiveGoal {
    const FormulaStore *formulas;
    FormulaId goal;
    const NetLts *lts;
} NaiveGoal;

static inline bool naive_goal_holds(const uint64_t *marking, void *data)
{
    const NaiveGoal *goal = data;
    return formula_holds(goal->formulas, goal->goal, goal->lts, marking);
}

/* Is a marking with the goal reachable? */
static inline NaiveAnswer naive_reach(const Net *net, const FormulaStore *formulas, FormulaId goal, size_t most,
                                      VecU32 *witness)
{
    g_autoptr(NetLts) lts = netlts_new(net, 64);
    NaiveGoal data = {formulas, goal, lts};
    return naive_search(net, most, naive_goal_holds, &data, witness);
}

/* Does the sequence fire and end in the goal? */
static inline bool naive_replays(const Net *net, const FormulaStore *formulas, FormulaId goal, const VecU32 *witness)
{
    g_autoptr(NetLts) lts = netlts_new(net, 64);
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1);
    memcpy(marking, net->initial, net->n_places * sizeof(uint64_t));
    for (size_t i = 0; i < witness->len; i++) {
        if (witness->data[i] >= net->n_transitions || !net_enabled(net, marking, witness->data[i])) return false;
        if (!net_fire(net, marking, witness->data[i])) return false;
    }
    return formula_holds(formulas, goal, lts, marking);
}
