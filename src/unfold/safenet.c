#include "unfold/safenet.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>

static bool check_inhibitors(const Net *net, GError **error)
{
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow row = net_places(net, ARC_INHIBIT, t);
        for (uint32_t i = 0; i < row.len; i++) {
            /* A place of a safe net never holds two tokens, so only weight 1 can inhibit. */
            if (net_weight(row, i) > 1) continue;
            g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED,
                        "the classic unfolding does not take inhibitor arcs (transition '%s')",
                        net_transition_id(net, t));
            return false;
        }
    }
    return true;
}

/* The sorted union of two rows. A read of a place that is also consumed adds nothing. */
static void push_union(NetRow a, NetRow b, const NetRow *except, VecU32 *out)
{
    if (!b.len) {
        vec_append(out, a.node, a.len);
        return;
    }
    uint32_t i = 0, j = 0, k = 0;
    while (i < a.len || j < b.len) {
        bool from_a = i < a.len && (j == b.len || a.node[i] <= b.node[j]);
        uint32_t p = from_a ? a.node[i] : b.node[j];
        bool in_both = from_a && j < b.len && b.node[j] == p;
        i += from_a;
        j += !from_a || in_both;
        while (except && k < except->len && except->node[k] < p) k++;
        if (!from_a && except && k < except->len && except->node[k] == p) continue;
        vec_push(out, p);
    }
}

static bool is_dead(NetRow row)
{
    for (uint32_t i = 0; i < row.len; i++)
        if (net_weight(row, i) > 1) return true;
    return false;
}

/* Where a firing alone puts two tokens: an arc of weight 2, or an output on a place it reads. */
static uint32_t doubled_place(NetRow pre, NetRow post, NetRow read)
{
    for (uint32_t i = 0; i < post.len; i++)
        if (net_weight(post, i) > 1) return post.node[i];
    for (uint32_t i = 0, j = 0, k = 0; read.len && i < post.len; i++) {
        while (j < read.len && read.node[j] < post.node[i]) j++;
        while (k < pre.len && pre.node[k] < post.node[i]) k++;
        bool reads = j < read.len && read.node[j] == post.node[i];
        bool takes = k < pre.len && pre.node[k] == post.node[i];
        if (reads && !takes) return post.node[i];
    }
    return NET_NONE;
}

typedef VEC(SafeEffect) VecEffect;

/* Places lose their bits first, and gain what is not a loop's. */
static inline void toggle(VecEffect *effects, size_t from, uint32_t place, bool gain)
{
    uint64_t bit = UINT64_C(1) << place % 64;
    size_t i = from;
    while (i < effects->len && effects->data[i].word != place / 64) i++;
    if (i == effects->len) vec_push(effects, ((SafeEffect){.word = place / 64}));
    SafeEffect *effect = &effects->data[i];
    if (gain && !(effect->bits & bit)) effect->gains |= bit;
    effect->bits ^= bit;
}

static void fill_effects(SafeNet *safe)
{
    VecEffect effects = {0};
    safe->effect_start = g_new(uint32_t, safe->n_transitions + 1);
    safe->change = g_new0(uint64_t, safe->n_transitions);
    for (uint32_t t = 0; t < safe->n_transitions; t++) {
        size_t from = safe->effect_start[t] = (uint32_t)effects.len;
        for (uint32_t i = safe->pre_start[t]; i < safe->pre_start[t + 1]; i++) {
            assert(i == safe->pre_start[t] || safe->pre[i - 1] < safe->pre[i]);
            toggle(&effects, from, safe->pre[i], false);
            safe->change[t] ^= safe->key[safe->pre[i]];
        }
        for (uint32_t i = safe->post_start[t]; i < safe->post_start[t + 1]; i++) {
            assert(i == safe->post_start[t] || safe->post[i - 1] < safe->post[i]);
            toggle(&effects, from, safe->post[i], true);
            safe->change[t] ^= safe->key[safe->post[i]];
        }
        size_t kept = from;
        for (size_t i = from; i < effects.len; i++)
            if (effects.data[i].bits) effects.data[kept++] = effects.data[i];
        effects.len = kept;
    }
    safe->effect_start[safe->n_transitions] = (uint32_t)effects.len;
    safe->effect = effects.data;
}

static int by_watch(const void *x, const void *y)
{
    const SafeConsumer *a = x, *b = y;
    /* NET_NONE first */
    COMPARE(a->watch + 1, b->watch + 1);
    return (a->transition > b->transition) - (a->transition < b->transition);
}

static void fill_consumers(SafeNet *safe, const bool *dead)
{
    uint32_t *start = safe->consumer_start = g_new0(uint32_t, safe->n_places + 1);
    for (uint32_t t = 0; t < safe->n_transitions; t++)
        for (uint32_t i = safe->pre_start[t]; !dead[t] && i < safe->pre_start[t + 1]; i++) start[safe->pre[i] + 1]++;
    for (uint32_t p = 0; p < safe->n_places; p++) start[p + 1] += start[p];
    safe->consumer = g_new(SafeConsumer, start[safe->n_places] + 1);
    g_autofree uint32_t *next = g_memdup2(start, (safe->n_places + 1) * sizeof *start);
    for (uint32_t t = 0; t < safe->n_transitions; t++) {
        uint32_t from = safe->pre_start[t], n = safe->pre_start[t + 1] - from;
        for (uint32_t i = 0; !dead[t] && i < n; i++) {
            uint32_t watch = n > 1 ? safe->pre[from + (i + 1) % n] : NET_NONE;
            assert(next[safe->pre[from + i]] < start[safe->pre[from + i] + 1]);
            safe->consumer[next[safe->pre[from + i]]++] = (SafeConsumer){watch, t};
        }
    }
    for (uint32_t p = 0; p < safe->n_places; p++) {
        SafeConsumer *of_place = safe->consumer + start[p];
        uint32_t n = start[p + 1] - start[p], sorted = 1;
        while (sorted < n && by_watch(of_place + sorted - 1, of_place + sorted) < 0) sorted++;
        if (sorted < n) qsort(of_place, n, sizeof *of_place, by_watch);
    }
}

static void fill_watches(SafeNet *safe)
{
    VEC(SafeWatch) watches = {0};
    vec_reserve(&watches, 1); /* where nobody watches, rows are still added to the array */
    safe->watch_start = g_new(uint32_t, safe->n_places + 1);
    safe->signature = g_new0(uint64_t, safe->n_places + 1);
    safe->near = g_new0(uint64_t, safe->n_places + 1);
    for (uint32_t p = 0; p < safe->n_places; p++) safe->signature[p] = UINT64_C(1) << (uint64_t)p * 64 / safe->n_places;
    safe->close = g_new0(uint64_t, safe->n_places + 1);
    for (uint32_t p = 0; p < safe->n_places; p++) {
        safe->watch_start[p] = (uint32_t)watches.len;
        safe->near[p] = safe->signature[p];
        safe->close[p] = UINT64_C(1) << p % 64;
        for (uint32_t i = safe->consumer_start[p]; i < safe->consumer_start[p + 1]; i++) {
            uint32_t t = safe->consumer[i].transition, watch = safe->consumer[i].watch;
            assert(watch != p && t < safe->n_transitions);
            for (uint32_t j = safe->pre_start[t]; j < safe->pre_start[t + 1]; j++) {
                safe->near[p] |= safe->signature[safe->pre[j]];
                safe->close[p] |= UINT64_C(1) << safe->pre[j] % 64;
            }
            if (watches.len > safe->watch_start[p] && vec_last(&watches).place == watch)
                vec_last(&watches).to = i + 1;
            else
                vec_push(&watches, ((SafeWatch){watch, i, i + 1}));
        }
    }
    safe->watch_start[safe->n_places] = (uint32_t)watches.len;
    safe->watch = watches.data;
}

/* Once the watches are known. */
static void fill_signatures(SafeNet *safe)
{
    VecU32 starts = {0};
    safe->watch_signature = g_new0(uint64_t, safe->n_places + 1);
    safe->signature_start = g_new(uint32_t, safe->n_places + 1);
    for (uint32_t p = 0; p < safe->n_places; p++) {
        safe->signature_start[p] = (uint32_t)starts.len;
        for (uint32_t w = safe->watch_start[p]; w < safe->watch_start[p + 1]; w++) {
            /* NOLINTNEXTLINE(clang-analyzer-core.*): counts end where the list ends */
            if (safe->watch[w].place == NET_NONE) continue;
            uint64_t bit = safe->signature[safe->watch[w].place];
            assert(bit >= safe->watch_signature[p] / 2);
            if (!(safe->watch_signature[p] & bit)) vec_push(&starts, w);
            safe->watch_signature[p] |= bit;
        }
        vec_push(&starts, safe->watch_start[p + 1]);
    }
    safe->signature_watch = starts.data;
}

SafeNet *safenet_new(const Net *net, unsigned hash_bits, GError **error)
{
    if (!check_inhibitors(net, error)) return NULL;
    uint32_t n = net->n_transitions;
    SafeNet *safe = g_new0(SafeNet, 1);
    *safe = (SafeNet){.net = net, .n_places = net->n_places, .n_transitions = n};
    safe->words = (uint32_t)MAX(bitset_words(net->n_places), 1);
    safe->pre_start = g_new0(uint32_t, n + 1);
    safe->post_start = g_new0(uint32_t, n + 1);
    safe->doubled = g_new(uint32_t, n + 1);
    g_autofree bool *dead = g_new(bool, n + 1);
    VecU32 pre = {0}, post = {0};
    for (uint32_t t = 0; t < n; t++) {
        NetRow takes = net_places(net, ARC_PRE, t), gives = net_places(net, ARC_POST, t);
        NetRow reads = net_places(net, ARC_READ, t);
        push_union(takes, reads, NULL, &pre);
        push_union(gives, reads, &takes, &post);
        dead[t] = is_dead(takes) || is_dead(reads);
        safe->doubled[t] = doubled_place(takes, gives, reads);
        safe->pre_start[t + 1] = (uint32_t)pre.len;
        safe->post_start[t + 1] = (uint32_t)post.len;
        safe->max_pre = MAX(safe->max_pre, safe->pre_start[t + 1] - safe->pre_start[t]);
        safe->max_post = MAX(safe->max_post, safe->post_start[t + 1] - safe->post_start[t]);
    }
    safe->pre = pre.data;
    safe->post = post.data;
    safe->key = g_new(uint64_t, net->n_places + 1);
    uint64_t kept = hash_bits && hash_bits < 64 ? (UINT64_C(1) << hash_bits) - 1 : UINT64_MAX;
    for (uint32_t p = 0; p < net->n_places; p++) safe->key[p] = hash_mix(UINT64_C(0x6d617a75726b61) + p) & kept;
    fill_consumers(safe, dead);
    fill_watches(safe);
    fill_signatures(safe);
    fill_effects(safe);
    return safe;
}

void safenet_free(SafeNet *safe)
{
    if (!safe) return;
    void *arrays[] = {safe->pre_start,       safe->pre,
                      safe->post_start,      safe->post,
                      safe->doubled,         safe->consumer,
                      safe->consumer_start,  safe->watch,
                      safe->watch_start,     safe->near,
                      safe->close,           safe->effect,
                      safe->effect_start,    safe->key,
                      safe->change,          safe->watch_signature,
                      safe->signature_start, safe->signature_watch,
                      safe->signature};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_free(arrays[i]);
    g_free(safe);
}
