#include "lts/cover.h"

#include <assert.h>
#include <string.h>

/* Nearest ancestors that are compared one by one; beyond, each is twice as far as the one before. */
/* Counts and weights from here on are not for this tree. */
#define MOST_AT_FIRST (COVER_OMEGA / 4)
enum { NEAR_ANCESTORS = 200, LONGEST_CHECKED = 3000 };

Cover *cover_new(const Net *net)
{
    if (net_arc_count(net, ARC_INHIBIT)) return NULL;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] >= MOST_AT_FIRST) return NULL;
    if (net_max_weight(net) >= MOST_AT_FIRST) return NULL;
    Cover *c = g_new0(Cover, 1);
    c->net = net;
    return c;
}

void cover_free(Cover *c)
{
    if (!c) return;
    vec_free(&c->counts);
    vec_free(&c->parent);
    vec_free(&c->transition);
    vec_free(&c->depth);
    vec_free(&c->open);
    vec_free(&c->widest);
    vec_free(&c->is_widest);
    g_free(c);
}

static bool covers(Cover *c, const uint64_t *large, const uint64_t *small)
{
    uint32_t p = 0, n = c->net->n_places;
    while (p < n && large[p] >= small[p]) p++;
    c->work += p + 1;
    return p == n;
}

/* False when t is not enabled, or (and then *overflow) a count would become too large to tell from omega. */
static bool fire(const Net *net, uint64_t *marking, uint32_t t, bool *overflow)
{
    NetRow pre = net_places(net, ARC_PRE, t), read = net_places(net, ARC_READ, t), post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++)
        if (marking[pre.node[i]] < net_weight(pre, i)) return false;
    for (uint32_t i = 0; i < read.len; i++)
        if (marking[read.node[i]] < net_weight(read, i)) return false;
    for (uint32_t i = 0; i < pre.len; i++)
        if (marking[pre.node[i]] != COVER_OMEGA) marking[pre.node[i]] -= net_weight(pre, i); /* fits: enabled */
    for (uint32_t i = 0; i < post.len; i++) {
        uint64_t *count = &marking[post.node[i]], weight = net_weight(post, i);
        if (*count == COVER_OMEGA) continue;
        if (weight >= COVER_OMEGA - *count) {
            *overflow = true;
            return false;
        }
        *count += weight; /* fits: below omega */
    }
    return true;
}

/* True when something became omega. */
static bool accelerate(Cover *c, const uint64_t *ancestor, uint64_t *marking)
{
    if (!covers(c, marking, ancestor)) return false;
    bool grew = false;
    for (uint32_t p = 0; p < c->net->n_places; p++)
        if (marking[p] > ancestor[p] && marking[p] != COVER_OMEGA) marking[p] = COVER_OMEGA, grew = true;
    return grew;
}

static bool accelerate_once(Cover *c, uint32_t parent, uint64_t *marking)
{
    uint32_t distance = 0, next = 0;
    bool grew = false;
    for (uint32_t node = parent;; node = c->parent.data[node]) {
        if (distance++ == next) {
            grew |= accelerate(c, cover_marking(c, node), marking);
            next = next < NEAR_ANCESTORS ? next + 1 : 2 * next;
        }
        if (node == 0) return grew;
    }
}

static bool is_covered(Cover *c, const uint64_t *marking)
{
    for (size_t i = c->widest.len; i-- > 0;)
        if (covers(c, cover_marking(c, c->widest.data[i]), marking)) return true;
    return false;
}

static uint32_t add_node(Cover *c, uint32_t parent, uint32_t t, const uint64_t *marking)
{
    uint32_t node = cover_count(c);
    size_t kept = 0;
    for (size_t i = 0; i < c->widest.len; i++) {
        uint32_t other = c->widest.data[i];
        if (covers(c, marking, cover_marking(c, other)))
            c->is_widest.data[other] = false;
        else
            c->widest.data[kept++] = other;
    }
    c->widest.len = kept;
    vec_push(&c->widest, node);
    vec_push(&c->is_widest, true);
    vec_append(&c->counts, marking, c->net->n_places);
    vec_push(&c->parent, parent);
    vec_push(&c->transition, t);
    vec_push(&c->depth, node ? c->depth.data[parent] + 1 : 0);
    vec_push(&c->open, node);
    return node;
}

typedef struct Growth {
    Cover *cover;
    Rng rng;
    bool (*added)(const Cover *cover, uint32_t node, void *data);
    void *data;
    Budget *budget;
    uint64_t *marking;
    uint32_t *order; /* transitions, shuffled anew at each node */
} Growth;

static bool charge(Growth *g)
{
    uint64_t work = g->cover->work;
    g->cover->work = 0;
    return budget_charge(g->budget, (uint32_t)MIN(work, UINT32_MAX / 2) + 20);
}

/* False to stop. */
static bool expand(Growth *g, uint32_t node)
{
    Cover *c = g->cover;
    const Net *net = c->net;
    uint32_t n = net->n_transitions;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = i + (uint32_t)rng_below(&g->rng, n - i), t = g->order[k];
        g->order[k] = g->order[i];
        g->order[i] = t;
        memcpy(g->marking, cover_marking(c, node), net->n_places * sizeof *g->marking);
        c->work += net->n_places / 8;
        if (!fire(net, g->marking, t, &c->overflow)) continue;
        while (accelerate_once(c, node, g->marking)) {
        } /* larger than before, it may cover nearer ones too */
        if (is_covered(c, g->marking)) continue;
        if (!budget_allows(g->budget,
                           c->counts.len + net->n_places > c->counts.cap ? c->counts.cap * sizeof(uint64_t) : 0))
            return false;
        uint32_t fresh = add_node(c, node, t, g->marking);
        if (g->added && !g->added(c, fresh, g->data)) return false;
        if (charge(g)) return false;
    }
    return !charge(g);
}

bool cover_run(Cover *c, uint64_t seed, bool (*added)(const Cover *cover, uint32_t node, void *data), void *data,
               Budget *budget)
{
    const Net *net = c->net;
    Growth g = {.cover = c,
                .rng = {seed},
                .added = added,
                .data = data,
                .budget = budget,
                .marking = g_new(uint64_t, net->n_places + 1),
                .order = g_new0(uint32_t, net->n_transitions + 1)};
    for (uint32_t t = 0; t < net->n_transitions; t++) g.order[t] = t;
    bool going = true;
    if (!cover_count(c)) {
        uint32_t root = add_node(c, 0, NET_NONE, net->initial);
        going = !added || added(c, root, data);
    }
    while (going && c->open.len) {
        uint32_t node = vec_last(&c->open);
        if (!c->is_widest.data[node]) {
            c->open.len--;
            continue;
        }
        size_t before = c->open.len;
        going = expand(&g, node);
        /* Its children lie above it. */
        if (going) {
            memmove(c->open.data + before - 1, c->open.data + before, (c->open.len - before) * sizeof *c->open.data);
            c->open.len--;
        }
    }
    g_free(g.marking);
    g_free(g.order);
    return going && !c->overflow;
}

void cover_path(const Cover *c, uint32_t node, VecU32 *path)
{
    size_t from = path->len, n = c->depth.data[node];
    for (size_t i = 0; i < n; i++) vec_push(path, 0);
    for (; node; node = c->parent.data[node]) path->data[from + --n] = c->transition.data[node];
    assert(n == 0);
}

bool cover_check(const Net *net, const uint32_t *path, size_t n, uint32_t place, CoverLoops *loops)
{
    if (n > LONGEST_CHECKED || net_arc_count(net, ARC_INHIBIT) || !net->n_places) return false;
    size_t width = net->n_places;
    bool overflow = false;
    g_autofree uint64_t *markings = g_new(uint64_t, (n + 1) * width);
    memcpy(markings, net->initial, width * sizeof *markings);
    for (size_t i = 1; i <= n; i++) {
        uint64_t *here = markings + i * width;
        memcpy(here, here - width, width * sizeof *here);
        if (!fire(net, here, path[i - 1], &overflow)) return false;
        for (size_t k = i; k-- > 0;) {
            const uint64_t *earlier = markings + k * width;
            bool larger = true, grew = false;
            for (size_t p = 0; p < width && larger; p++) larger = here[p] >= earlier[p];
            for (size_t p = 0; p < width && larger; p++)
                if (here[p] > earlier[p] && here[p] != COVER_OMEGA) here[p] = COVER_OMEGA, grew = true;
            if (!grew) continue;
            if (loops) vec_push(loops, ((CoverLoop){k, i}));
            k = i; /* it may cover nearer ones now */
        }
    }
    return markings[n * width + place] == COVER_OMEGA;
}
