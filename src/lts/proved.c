#include "lts/proved.h"

#include "base/vec.h"
#include "lts/stateeq.h"
#include "net/invariant.h"

#include <assert.h>
#include <stdlib.h>

enum { INVARIANT_WORK = 3000000, MOST_INVARIANTS = 2000, LARGEST_WEIGHT = 1 << 30 };

/* The box of markings that one question is about; places not touched are free. */
typedef struct Box {
    const Net *net;
    StateEq *eq;
    uint64_t *low, *high;
    VecU32 touched;
    /* Place invariants, by place: which, and with what weight. */
    uint32_t *row_start, *row;
    uint64_t *row_weight;
    uint64_t *tokens;       /* per invariant: its constant sum */
    unsigned __int128 *sum; /* per invariant: its least sum in the box; 0 between questions */
    uint64_t effort;        /* for going through them */
} Box;

static int by_support(const void *a, const void *b)
{
    const Invariant *x = *(Invariant *const *)a, *y = *(Invariant *const *)b;
    if (x->len != y->len) return x->len < y->len ? -1 : 1;
    return (x > y) - (x < y);
}

/* The shortest invariants say most about a few places. */
static Invariant **shortest(Invariants *all, uint32_t *n)
{
    Invariant **list = g_new(Invariant *, (size_t)all->n + 1);
    *n = 0;
    for (uint32_t i = 0; i < all->n; i++)
        if (all->item[i].tokens != UINT64_MAX) list[(*n)++] = &all->item[i];
    qsort(list, *n, sizeof *list, by_support);
    *n = MIN(*n, MOST_INVARIANTS);
    return list;
}

static void list_invariants(Box *box)
{
    Budget unlimited = budget_unlimited();
    g_autoptr(Invariants) all = invariant_compute(box->net, INVARIANT_WORK, &unlimited);
    uint32_t n, places = box->net->n_places;
    g_autofree Invariant **list = shortest(all, &n);
    box->tokens = g_new(uint64_t, (size_t)n + 1);
    box->sum = g_new0(unsigned __int128, (size_t)n + 1);
    box->row_start = g_new0(uint32_t, (size_t)places + 2);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < list[i]->len; k++) box->row_start[list[i]->place[k] + 2]++;
    for (uint32_t p = 0; p < places; p++) box->row_start[p + 2] += box->row_start[p + 1];
    box->row = g_new(uint32_t, (size_t)box->row_start[places + 1] + 1);
    box->row_weight = g_new(uint64_t, (size_t)box->row_start[places + 1] + 1);
    for (uint32_t i = 0; i < n; i++) {
        box->tokens[i] = list[i]->tokens;
        for (uint32_t k = 0; k < list[i]->len; k++) {
            uint32_t at = box->row_start[list[i]->place[k] + 1]++;
            box->row[at] = i;
            box->row_weight[at] = list[i]->weight[k];
        }
    }
}

static void box_init(Box *box, const Net *net, StateEq *eq, uint64_t effort)
{
    *box = (Box){.net = net, .eq = eq, .effort = effort};
    box->low = g_new0(uint64_t, (size_t)net->n_places + 1);
    box->high = g_new(uint64_t, (size_t)net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) box->high[p] = STATEEQ_NO_BOUND;
    list_invariants(box);
}

static void box_free(Box *box)
{
    void *arrays[] = {box->low, box->high, box->row_start, box->row, box->row_weight, box->tokens, box->sum};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    vec_free(&box->touched);
}

static void box_clear(Box *box)
{
    for (size_t i = 0; i < box->touched.len; i++) {
        box->low[box->touched.data[i]] = 0;
        box->high[box->touched.data[i]] = STATEEQ_NO_BOUND;
    }
    vec_clear(&box->touched);
}

/* Adds what the touched places contribute to each invariant; true when one's sum
 * must pass its constant. A place touched twice contributes once: the first time with all its tokens. */
static bool sum_invariants(Box *box)
{
    bool excluded = false;
    for (size_t i = 0; i < box->touched.len; i++) {
        uint32_t p = box->touched.data[i], from = box->row_start[p], to = box->row_start[p + 1];
        bool again = false;
        for (size_t j = 0; j < i && !again; j++) again = box->touched.data[j] == p;
        if (again || !box->low[p]) continue;
        box->effort -= MIN(box->effort, to - from);
        for (uint32_t k = from; k < to; k++) {
            box->sum[box->row[k]] += (unsigned __int128)box->low[p] * box->row_weight[k];
            excluded |= box->sum[box->row[k]] > box->tokens[box->row[k]];
        }
    }
    for (size_t i = 0; i < box->touched.len; i++) {
        uint32_t p = box->touched.data[i];
        for (uint32_t k = box->row_start[p]; k < box->row_start[p + 1]; k++) box->sum[box->row[k]] = 0;
    }
    return excluded;
}

/* No reachable marking lies in the box: by the cheap proofs first. */
static bool box_unreachable(Box *box)
{
    for (size_t i = 0; i < box->touched.len; i++)
        if (box->low[box->touched.data[i]] > box->high[box->touched.data[i]]) return true;
    return (box->effort && sum_invariants(box)) || stateeq_excludes(box->eq, box->low, box->high);
}

static int64_t effect(const Net *net, uint32_t t, uint32_t p)
{
    return (int64_t)(net_arc_weight(net, ARC_POST, t, p) - net_arc_weight(net, ARC_PRE, t, p));
}

/* m(p) + shift >= bound */
static void at_least(Box *box, uint32_t p, uint64_t bound, int64_t shift)
{
    uint64_t low = shift >= 0 ? (bound > (uint64_t)shift ? bound - (uint64_t)shift : 0) : bound + (uint64_t)-shift;
    box->low[p] = MAX(box->low[p], low);
    vec_push(&box->touched, p);
}

/* m(p) + shift <= bound; where no count satisfies it the box becomes empty. */
static void at_most(Box *box, uint32_t p, uint64_t bound, int64_t shift)
{
    uint64_t high = shift < 0 ? bound + (uint64_t)-shift : bound - (uint64_t)shift;
    if (shift > 0 && bound < (uint64_t)shift) box->low[p] = STATEEQ_NO_BOUND, high = 0;
    box->high[p] = MIN(box->high[p], high);
    vec_push(&box->touched, p);
}

/* u is enabled, at m or (by != NET_NONE) right after `by` fired at m. */
static void require_enabled(Box *box, uint32_t u, uint32_t by)
{
    const Net *net = box->net;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(net, kind, u);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            int64_t shift = by == NET_NONE ? 0 : effect(net, by, p);
            if (kind == ARC_INHIBIT)
                at_most(box, p, net_weight(row, i) - 1, shift);
            else
                at_least(box, p, net_weight(row, i), shift);
        }
    }
}

/* Firing t at a marking of the state equation may change whether u is enabled, because of place p
 * where u has an arc of the given kind and weight. */
static bool may_change_at(Box *box, uint32_t t, uint32_t u, uint32_t p, ArcKind kind, uint64_t weight)
{
    int64_t change = effect(box->net, t, p);
    if (change == 0) return false;
    bool enables = (change > 0) == (kind != ARC_INHIBIT);
    box_clear(box);
    require_enabled(box, t, NET_NONE);
    require_enabled(box, u, enables ? t : NET_NONE);
    /* The count crosses the weight when t fires. */
    at_most(box, p, weight - 1, change > 0 ? 0 : change);
    at_least(box, p, weight, change > 0 ? change : 0);
    return !box_unreachable(box);
}

static bool may_change(Box *box, uint32_t t, uint32_t u)
{
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(box->net, kind, u);
        for (uint32_t i = 0; i < row.len; i++)
            if (may_change_at(box, t, u, row.node[i], kind, net_weight(row, i))) return true;
    }
    return false;
}

Indep *proved_new(const Net *net, uint64_t effort)
{
    g_autoptr(Indep) loops = indep_new(net, RELATION_LOOPS);
    /* So that bounds can be added up without wrapping. */
    if (net_max_weight(net) > LARGEST_WEIGHT) return g_steal_pointer(&loops);
    g_autoptr(StateEq) eq = stateeq_new(net, effort);
    Box box;
    box_init(&box, net, eq, effort);
    VecU32 pairs = {0};
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (uint32_t i = loops->start[t]; i < loops->start[t + 1]; i++) {
            uint32_t u = loops->dependent[i];
            if (u <= t || !(may_change(&box, t, u) || may_change(&box, u, t))) continue;
            vec_push(&pairs, t);
            vec_push(&pairs, u);
        }
    Indep *indep = indep_from_pairs(net->n_transitions, pairs.data, pairs.len / 2);
    assert(!indep->structural);
    vec_free(&pairs);
    box_free(&box);
    return indep;
}
