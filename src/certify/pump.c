#include "certify/pump.h"

#include "certify/bound.h"

#include <assert.h>
#include <string.h>

void pump_clear(Pump *pump)
{
    vec_free(&pump->firings);
    vec_free(&pump->parts);
    *pump = (Pump){0};
}

bool pump_parse(Pump *pump, const char *line, uint32_t n_transitions)
{
    bool loop = g_str_has_prefix(line, "loop");
    if (!loop && !g_str_has_prefix(line, "run")) return false;
    if (!bound_parse_list(line + strlen(loop ? "loop" : "run"), n_transitions, &pump->firings)) return false;
    vec_push(&pump->parts, ((PumpPart){loop, pump->firings.len}));
    return true;
}

/* ---- checking ---- */

typedef struct Pumping {
    const Net *net;
    uint64_t *count;
    bool *omega;      /* then the count means nothing */
    uint64_t *before; /* what those had at the beginning of the part that it changed */
    bool *is_changed;
    VecU32 changed;
} Pumping;

static void note_change(Pumping *s, uint32_t p)
{
    if (s->is_changed[p]) return;
    s->is_changed[p] = true;
    s->before[p] = s->count[p];
    vec_push(&s->changed, p);
}

static bool enabled(const Pumping *s, uint32_t t)
{
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(s->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            bool has = s->omega[p] || s->count[p] >= net_weight(row, i);
            if (has == (kind == ARC_INHIBIT)) return false;
        }
    }
    return true;
}

/* Fires an enabled transition; false: a count does not fit. */
static bool fire(Pumping *s, uint32_t t)
{
    NetRow pre = net_places(s->net, ARC_PRE, t), post = net_places(s->net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++) {
        if (s->omega[pre.node[i]]) continue;
        note_change(s, pre.node[i]);
        s->count[pre.node[i]] -= net_weight(pre, i);
    }
    for (uint32_t i = 0; i < post.len; i++) {
        if (s->omega[post.node[i]]) continue;
        note_change(s, post.node[i]);
        if (__builtin_add_overflow(s->count[post.node[i]], net_weight(post, i), &s->count[post.node[i]])) return false;
    }
    return true;
}

/* The first of them that a place inhibits which is omega, but was not when they fired; NET_NONE. */
static uint32_t inhibited(const Pumping *s, const uint32_t *firings, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        NetRow row = net_places(s->net, ARC_INHIBIT, firings[k]);
        for (uint32_t i = 0; i < row.len; i++)
            if (s->omega[row.node[i]]) return firings[k];
    }
    return NET_NONE;
}

static char *close_loop(Pumping *s, const uint32_t *firings, size_t n)
{
    for (size_t i = 0; i < s->changed.len; i++) {
        uint32_t p = s->changed.data[i];
        if (s->count[p] < s->before[p])
            return g_strdup_printf("a loop leaves %s with fewer tokens than it began with", net_place_id(s->net, p));
        s->omega[p] = s->count[p] > s->before[p];
    }
    uint32_t t = inhibited(s, firings, n);
    if (t == NET_NONE) return NULL;
    return g_strdup_printf("a loop cannot be repeated: it raises a place that inhibits %s",
                           net_transition_id(s->net, t));
}

static char *follow(Pumping *s, const uint32_t *firings, size_t n, bool loop)
{
    assert(firings || !n);
    for (size_t i = 0; i < s->changed.len; i++) s->is_changed[s->changed.data[i]] = false;
    vec_clear(&s->changed);
    for (size_t i = 0; i < n; i++) {
        if (!enabled(s, firings[i]))
            return g_strdup_printf("%s is not enabled where it fires", net_transition_id(s->net, firings[i]));
        if (!fire(s, firings[i]))
            return g_strdup_printf("firing %s passes 2^64 - 1", net_transition_id(s->net, firings[i]));
    }
    return loop ? close_loop(s, firings, n) : NULL;
}

static bool has_omega(const Pumping *s, const VecU32 *places)
{
    for (size_t i = 0; i < places->len; i++)
        if (s->omega[places->data[i]]) return true;
    return false;
}

bool pump_check(const Pump *pump, const Net *net, const VecU32 *places, Budget *budget, char **problem)
{
    size_t n = net->n_places;
    g_autofree uint64_t *count = g_new(uint64_t, n + 1), *before = g_new0(uint64_t, n + 1);
    g_autofree bool *omega = g_new0(bool, n + 1), *is_changed = g_new0(bool, n + 1);
    memcpy(count, net->initial, n * sizeof *count);
    Pumping s = {.net = net, .count = count, .omega = omega, .before = before, .is_changed = is_changed};
    size_t from = 0;
    for (size_t i = 0; i < pump->parts.len && !*problem; i++) {
        PumpPart part = pump->parts.data[i];
        *problem = follow(&s, vec_from(&pump->firings, from), part.end - from, part.loop);
        from = part.end;
        if (!*problem && budget_spent(budget)) *problem = g_strdup(budget_text(budget));
    }
    if (!*problem && !has_omega(&s, places)) *problem = g_strdup("no place of the sum grows by a loop");
    vec_free(&s.changed);
    return !*problem;
}
