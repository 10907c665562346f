/* Small random nets with weights and counts up to 2^64 - 1, and random formulas with coefficients up to 2^63 - 1. Both
 * have a twin of their own: counts have 128 bits, so no firing is lost, sums are held in two parts, and nothing of
 * src/base/exact.h, src/lts or src/prop is used. */
#pragma once
#include "net/builder.h"
#include "net/gen.h"

#include <string.h>

__extension__ typedef __int128 ExtremePart;

/* high * 2^32 + low; exact for a few terms of 64 times 94 bits. */
typedef struct ExtremeSum {
    ExtremePart high, low;
} ExtremeSum;

static inline void extreme_add(ExtremeSum *sum, int64_t factor, ExtremePart count)
{
    sum->high += factor * (count >> 32);
    sum->low += factor * (count & UINT32_MAX);
    sum->high += sum->low >> 32;
    sum->low &= UINT32_MAX;
}

/* ---- nets ---- */

static inline uint64_t extreme_factor(Rng *rng)
{
    static const uint64_t factors[] = {2,
                                       UINT64_C(1) << 31,
                                       UINT32_MAX,
                                       UINT64_C(1) << 58,
                                       (UINT64_C(1) << 60) + 1,
                                       UINT64_C(1) << 61,
                                       (UINT64_C(1) << 62) - 1,
                                       UINT64_C(1) << 62,
                                       INT64_MAX,
                                       UINT64_C(1) << 63,
                                       UINT64_MAX};
    return rng_chance(rng, 2) ? 1 : factors[rng_below(rng, G_N_ELEMENTS(factors))];
}

static inline uint64_t extreme_times(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

/* The same net with the counts and weights of some places multiplied, as far as they fit. */
static inline Net *extreme_net(Rng *rng, const Net *net)
{
    g_autoptr(NetBuilder) builder = net_builder_new("extreme");
    g_autofree uint64_t *factor = g_new(uint64_t, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) {
        factor[p] = extreme_factor(rng);
        net_builder_place(builder, net_place_id(net, p), NULL, extreme_times(net->initial[p], factor[p]));
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        net_builder_transition(builder, net_transition_id(net, t), NULL);
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++)
                net_builder_arc(builder, kind, row.node[i], t, extreme_times(net_weight(row, i), factor[row.node[i]]));
        }
    }
    return net_builder_finish(builder, NULL);
}

/* ---- markings ---- */

static inline bool extreme_enabled(const Net *net, const ExtremePart *marking, uint32_t t)
{
    static const ArcKind tests[] = {ARC_PRE, ARC_READ, ARC_INHIBIT};
    for (size_t k = 0; k < G_N_ELEMENTS(tests); k++) {
        NetRow row = net_places(net, tests[k], t);
        for (uint32_t i = 0; i < row.len; i++)
            if ((marking[row.node[i]] < net_weight(row, i)) != (tests[k] == ARC_INHIBIT)) return false;
    }
    return true;
}

static inline void extreme_fire(const Net *net, ExtremePart *marking, uint32_t t)
{
    NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < pre.len; i++) marking[pre.node[i]] -= net_weight(pre, i);
    for (uint32_t i = 0; i < post.len; i++) marking[post.node[i]] += net_weight(post, i);
}

typedef struct ExtremeSpace {
    GPtrArray *markings; /* GBytes of a count per place */
    bool complete;       /* these are all */
} ExtremeSpace;

static inline const ExtremePart *extreme_marking(const ExtremeSpace *space, guint i)
{
    return g_bytes_get_data(g_ptr_array_index(space->markings, i), NULL);
}

static inline void extreme_space_init(ExtremeSpace *space, const Net *net, guint limit)
{
    size_t size = net->n_places * sizeof(ExtremePart);
    g_autoptr(GHashTable) known = g_hash_table_new(g_bytes_hash, g_bytes_equal);
    g_autofree ExtremePart *marking = g_new(ExtremePart, net->n_places + 1);
    space->markings = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    for (uint32_t p = 0; p < net->n_places; p++) marking[p] = net->initial[p];
    g_ptr_array_add(space->markings, g_bytes_new(marking, size));
    g_hash_table_add(known, g_ptr_array_index(space->markings, 0));
    guint next = 0;
    for (; next < space->markings->len && space->markings->len < limit; next++)
        for (uint32_t t = 0; t < net->n_transitions; t++) {
            if (!extreme_enabled(net, extreme_marking(space, next), t)) continue;
            memcpy(marking, extreme_marking(space, next), size);
            extreme_fire(net, marking, t);
            GBytes *bytes = g_bytes_new(marking, size);
            if (g_hash_table_add(known, bytes))
                g_ptr_array_add(space->markings, bytes);
            else
                g_bytes_unref(bytes);
        }
    space->complete = next == space->markings->len;
}

/* ---- formulas ---- */

enum { EXTREME_TERMS = 4 };

typedef struct Extreme Extreme;
struct Extreme {
    enum { EXTREME_AND, EXTREME_OR, EXTREME_NOT, EXTREME_SUM, EXTREME_FIREABLE, EXTREME_DEADLOCK } kind;
    Extreme *left, *right;
    uint32_t n, transition;
    uint32_t place[EXTREME_TERMS];
    int64_t factor[EXTREME_TERMS], bound;
    unsigned op;
};

static const char *const extreme_ops[] = {"<=", ">=", "<", ">", "==", "!="};

static inline void extreme_free(Extreme *f)
{
    if (!f) return;
    extreme_free(f->left);
    extreme_free(f->right);
    g_free(f);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Extreme, extreme_free)

static inline ExtremeSum extreme_value(const Extreme *f, const ExtremePart *marking)
{
    ExtremeSum sum = {0, 0};
    for (uint32_t i = 0; i < f->n; i++) extreme_add(&sum, f->factor[i], marking[f->place[i]]);
    return sum;
}

static inline int64_t extreme_number(Rng *rng)
{
    static const int64_t numbers[] = {1, 2, UINT32_MAX, INT64_C(1) << 61, INT64_C(1) << 62, INT64_MAX - 1, INT64_MAX};
    int64_t number =
        rng_chance(rng, 4) ? (int64_t)(rng_next(rng) >> 1) | 1 : numbers[rng_below(rng, G_N_ELEMENTS(numbers))];
    return rng_chance(rng, 2) ? number : -number;
}

/* Bounds are near the sum at the marking, if that fits: there the answer changes. */
static inline void extreme_sum_init(Extreme *f, Rng *rng, const Net *net, const ExtremePart *marking)
{
    f->kind = EXTREME_SUM;
    f->n = 1 + (uint32_t)rng_below(rng, EXTREME_TERMS);
    f->op = (unsigned)rng_below(rng, G_N_ELEMENTS(extreme_ops));
    for (uint32_t i = 0; i < f->n; i++) {
        f->place[i] = (uint32_t)rng_below(rng, net->n_places);
        f->factor[i] = extreme_number(rng);
        for (uint32_t k = 0; k < i; k++)
            if (f->place[k] == f->place[i]) f->factor[i] = rng_chance(rng, 2) ? 1 : -1;
    }
    ExtremeSum sum = extreme_value(f, marking);
    bool fits = sum.high < (INT64_C(1) << 30) && sum.high > -(INT64_C(1) << 30);
    ExtremePart step = (ExtremePart)rng_below(rng, 3) - 1;
    ExtremePart near = fits ? sum.high * ((ExtremePart)1 << 32) + sum.low + step : 0;
    f->bound = fits && !rng_chance(rng, 4) ? (int64_t)near : rng_chance(rng, 4) ? 0 : extreme_number(rng);
}

static inline Extreme *extreme_formula(Rng *rng, const Net *net, const ExtremePart *marking, int depth)
{
    Extreme *f = g_new0(Extreme, 1);
    unsigned dice = (unsigned)rng_below(rng, 12);
    if (depth && dice < 6) {
        f->kind = dice < 3 ? EXTREME_AND : dice < 5 ? EXTREME_OR : EXTREME_NOT;
        f->left = extreme_formula(rng, net, marking, depth - 1);
        if (f->kind != EXTREME_NOT) f->right = extreme_formula(rng, net, marking, depth - 1);
    } else if (dice < 10) {
        extreme_sum_init(f, rng, net, marking);
    } else if (dice == 10) {
        f->kind = EXTREME_DEADLOCK;
    } else {
        f->kind = EXTREME_FIREABLE;
        f->transition = (uint32_t)rng_below(rng, net->n_transitions);
    }
    return f;
}

static inline void extreme_put_side(const Extreme *f, const Net *net, bool positive, int64_t constant, GString *text)
{
    bool first = true;
    for (uint32_t i = 0; i < f->n; i++) {
        if ((f->factor[i] > 0) != positive) continue;
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT "*\"%s\"", first ? "" : " + ",
                               positive ? f->factor[i] : -f->factor[i], net_place_id(net, f->place[i]));
        first = false;
    }
    if (first || constant) g_string_append_printf(text, "%s%" G_GINT64_FORMAT, first ? "" : " + ", constant);
}

static inline void extreme_text(const Extreme *f, const Net *net, GString *text)
{
    switch (f->kind) {
    case EXTREME_NOT:
    case EXTREME_AND:
    case EXTREME_OR:
        g_string_append(text, f->right ? "(" : "!(");
        extreme_text(f->left, net, text);
        if (f->right) {
            g_string_append(text, f->kind == EXTREME_AND ? ") && (" : ") || (");
            extreme_text(f->right, net, text);
        }
        g_string_append_c(text, ')');
        break;
    case EXTREME_SUM:
        extreme_put_side(f, net, true, f->bound < 0 ? -f->bound : 0, text);
        g_string_append_printf(text, " %s ", extreme_ops[f->op]);
        extreme_put_side(f, net, false, f->bound > 0 ? f->bound : 0, text);
        break;
    case EXTREME_FIREABLE:
        g_string_append_printf(text, "fireable(\"%s\")", net_transition_id(net, f->transition));
        break;
    case EXTREME_DEADLOCK: g_string_append(text, "deadlock"); break;
    }
}

static inline bool extreme_compares(const Extreme *f, const ExtremePart *marking)
{
    ExtremeSum sum = extreme_value(f, marking), bound = {0, 0};
    extreme_add(&bound, f->bound, 1);
    int order =
        sum.high != bound.high ? (sum.high < bound.high ? -1 : 1) : (sum.low > bound.low) - (sum.low < bound.low);
    switch (f->op) {
    case 0: return order <= 0;
    case 1: return order >= 0;
    case 2: return order < 0;
    case 3: return order > 0;
    case 4: return order == 0;
    default: return order != 0;
    }
}

static inline bool extreme_holds(const Extreme *f, const Net *net, const ExtremePart *marking)
{
    switch (f->kind) {
    case EXTREME_NOT: return !extreme_holds(f->left, net, marking);
    case EXTREME_AND: return extreme_holds(f->left, net, marking) && extreme_holds(f->right, net, marking);
    case EXTREME_OR: return extreme_holds(f->left, net, marking) || extreme_holds(f->right, net, marking);
    case EXTREME_SUM: return extreme_compares(f, marking);
    case EXTREME_FIREABLE: return extreme_enabled(net, marking, f->transition);
    case EXTREME_DEADLOCK: break;
    }
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (extreme_enabled(net, marking, t)) return false;
    return true;
}
