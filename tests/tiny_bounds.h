/* Upper bounds of tiny nets by definition, and whether a claim about one is false. A search that ends knows the largest
 * value. Without inhibitor arcs Karp and Miller's tree, written here again, knows whether there is one. With them a
 * pump is carried out with real tokens, as often as it takes to get a few. */
#pragma once
#include "certify/certificate.h"
#include "tiny_net.h"

#define TINY_OMEGA UINT64_MAX
enum { TINY_NODES = 3000, TINY_FIRINGS = 200000, TINY_WANTED = 3 };

__extension__ typedef unsigned __int128 TinySum;

static inline TinySum tiny_sum(const uint64_t *marking, const VecU32 *places)
{
    TinySum sum = 0;
    for (size_t i = 0; i < places->len; i++) sum += marking[places->data[i]];
    return sum;
}

static inline bool tiny_inhibits(const Tiny *n)
{
    for (int t = 0; t < n->transitions; t++)
        for (int p = 0; p < n->places; p++)
            if (n->inhibit[t][p]) return true;
    return false;
}

static inline bool tiny_covers(const Tiny *n, const uint64_t *large, const uint64_t *small)
{
    for (int p = 0; p < n->places; p++)
        if (large[p] < small[p]) return false;
    return true;
}

/* Has a place of the sum an omega somewhere in the tree? -1: the tree is too large. Not with inhibitor arcs. */
static inline int tiny_tree_has_omega(const Tiny *n, const VecU32 *places)
{
    g_autofree uint64_t(*node)[MOST_PLACES] = g_malloc0(sizeof *node * (TINY_NODES + 1));
    g_autofree int *parent = g_new0(int, TINY_NODES + 1);
    int found = 1;
    memcpy(node[0], n->tokens, sizeof n->tokens);
    parent[0] = -1;
    for (int i = 0; i < found; i++)
        for (int t = 0; t < n->transitions; t++) {
            if (!tiny_enabled(n, node[i], t)) continue;
            uint64_t *next = node[found];
            for (int p = 0; p < n->places; p++) {
                next[p] = node[i][p];
                if (next[p] == TINY_OMEGA) continue;
                if (__builtin_add_overflow(next[p] - n->in[t][p], n->out[t][p], &next[p])) return -1;
            }
            for (int a = i; a >= 0;) {
                bool grew = false;
                for (int p = 0; p < n->places && tiny_covers(n, next, node[a]); p++)
                    if (next[p] > node[a][p] && next[p] != TINY_OMEGA) next[p] = TINY_OMEGA, grew = true;
                a = grew ? i : parent[a];
            }
            for (size_t k = 0; k < places->len; k++)
                if (next[places->data[k]] == TINY_OMEGA) return 1;
            bool known = false;
            for (int k = 0; k < found && !known; k++) known = tiny_covers(n, node[k], next);
            if (known) continue;
            parent[found] = i;
            if (++found == TINY_NODES) return -1;
        }
    return 0;
}

/* What one turn of a part takes, all told. */
static inline double tiny_taken(const Tiny *n, const Pump *pump, size_t from, size_t to)
{
    double taken = 0;
    for (; from < to; from++)
        for (int p = 0; p < n->places; p++) taken += (double)n->in[pump->firings.data[from]][p];
    return taken;
}

/* Carries the pump out. 1: the sum gets TINY_WANTED or more, 0: it does not, -1: that would take too many firings. */
static inline int tiny_pumps(const Tiny *n, const Pump *pump, const VecU32 *places)
{
    size_t parts = pump->parts.len;
    g_autofree double *turns = g_new0(double, parts + 1);
    double need = TINY_WANTED, firings = 0;
    for (size_t i = parts; i-- > 0;) {
        size_t from = i ? pump->parts.data[i - 1].end : 0, to = pump->parts.data[i].end;
        turns[i] = pump->parts.data[i].loop ? need : 1;
        need += turns[i] * tiny_taken(n, pump, from, to);
        firings += turns[i] * (double)(to - from);
    }
    if (firings > TINY_FIRINGS) return -1;
    uint64_t marking[MOST_PLACES];
    memcpy(marking, n->tokens, sizeof marking);
    for (size_t i = 0; i < parts; i++)
        for (double turn = 0; turn < turns[i]; turn++)
            for (size_t k = i ? pump->parts.data[i - 1].end : 0; k < pump->parts.data[i].end; k++) {
                int t = (int)pump->firings.data[k];
                if (!tiny_enabled(n, marking, t)) return 0;
                if (!tiny_fire(n, marking, t)) return -1;
            }
    return tiny_sum(marking, places) >= TINY_WANTED;
}

typedef enum { CLAIM_TRUE, CLAIM_FALSE, CLAIM_OPEN } ClaimTruth;

/* Of a certificate about a bound, whatever else is in it. */
static inline ClaimTruth tiny_claim(const Tiny *n, const Certificate *c)
{
    g_autofree TinySearch *search = g_new0(TinySearch, 1);
    tiny_search(n, search);
    TinySum most = 0;
    for (int i = 0; i < search->found; i++) most = MAX(most, tiny_sum(search->marking[i], &c->bound.places));
    if (!c->bound.infinite) {
        if (most > c->bound.value) return CLAIM_FALSE;
        return !search->complete ? CLAIM_OPEN : most == c->bound.value ? CLAIM_TRUE : CLAIM_FALSE;
    }
    if (search->complete) return CLAIM_FALSE;
    int grows = tiny_inhibits(n) ? tiny_pumps(n, &c->pump, &c->bound.places) : tiny_tree_has_omega(n, &c->bound.places);
    return grows < 0 ? CLAIM_OPEN : grows ? CLAIM_TRUE : CLAIM_FALSE;
}
