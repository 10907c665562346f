#include "colour/expansion.h"

#include "base/error.h"
#include "base/exact.h"
#include "net/builder.h"
#include "net/colours.h"

#include <stdlib.h>

typedef struct Building {
    Expansion *x;
    NetBuilder *builder;
    GString *id;
    uint32_t **node; /* of each place, of each token: the expanded place */
    NetColours *colours;
    VecCounts counts;
    VecU64 sizes; /* of each part of each transition: its tokens in every binding; 0 while there was none */
    bool **used;  /* of each place, of each token: it is made; NULL: all are */
} Building;

/* ---- names ---- */

static void append_colours(const Sorts *sorts, const uint32_t *basic, const uint32_t *leaves, uint32_t n, GString *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) g_string_append_c(out, ',');
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n of each are there */
        sort_append_name(sorts, basic[i], leaves[i], out);
    }
}

/* The bare id; it must not look like one with colours. */
static void append_bare(const char *id, GString *out)
{
    g_string_append(out, id);
    if (g_str_has_suffix(id, ")")) g_string_append(out, "()");
}

static void name_place(Building *b, uint32_t place, uint32_t token)
{
    const ColourPlace *p = &b->x->net->places.data[place];
    const Sorts *sorts = &b->x->net->sorts;
    const Sort *sort = sort_at(sorts, p->sort);
    g_string_truncate(b->id, 0);
    if (sort->kind == SORT_DOT) {
        append_bare(p->id, b->id);
        return;
    }
    g_string_append(b->id, p->id);
    g_string_append_c(b->id, '(');
    append_colours(sorts, vec_from(&sorts->leaves, sort->leaf), tokens_leaves(&b->x->tokens[place], token),
                   sort->n_leaves, b->id);
    g_string_append_c(b->id, ')');
}

static void append_binding(const Pattern *pattern, const uint32_t *binding, GString *out)
{
    const Sorts *sorts = &pattern->net->sorts;
    for (size_t i = 0; i < pattern->variables.len; i++) {
        const ColourVariable *v = &pattern->net->variables.data[pattern->variables.data[i]];
        uint32_t leaf = pattern->first_leaf.data[i], n = sort_at(sorts, v->sort)->n_leaves;
        if (i) g_string_append(out, ", ");
        g_string_append(out, v->name);
        g_string_append(out, " = ");
        if (n > 1) g_string_append_c(out, '<');
        append_colours(sorts, vec_from(&pattern->domain, leaf), binding ? binding + leaf : NULL, n, out);
        if (n > 1) g_string_append_c(out, '>');
    }
}

void expansion_append_transition(const Pattern *pattern, const char *id, const uint32_t *binding, GString *out)
{
    if (!pattern->variables.len) {
        append_bare(id, out);
        return;
    }
    g_string_append(out, id);
    g_string_append_c(out, '(');
    append_binding(pattern, binding, out);
    g_string_append_c(out, ')');
}

/* ---- places ---- */

static int by_colour(const void *a, const void *b, gpointer data)
{
    const Tokens *tokens = data;
    uint64_t x = tokens->colours.data[*(const uint32_t *)a], y = tokens->colours.data[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

static int by_binding(const void *a, const void *b, gpointer data)
{
    const Bindings *bindings = data;
    uint32_t n = bindings->pattern->n_leaves;
    const uint32_t *x = vec_from(&bindings->colours, (size_t) * (const uint32_t *)a * n);
    const uint32_t *y = vec_from(&bindings->colours, (size_t) * (const uint32_t *)b * n);
    uint32_t i = 0;
    while (i < n && x[i] == y[i]) i++;
    return i == n ? 0 : x[i] < y[i] ? -1 : 1;
}

/* The numbers below n in the order of what they stand for, which is often that of the numbers. */
static uint32_t *in_order(uint32_t n, GCompareDataFunc compare, gpointer data)
{
    uint32_t *order = g_new(uint32_t, (size_t)n + 1), sorted = 1;
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    while (sorted < n && compare(&order[sorted - 1], &order[sorted], data) < 0) sorted++;
    if (sorted < n) g_qsort_with_data(order, (gint)n, sizeof *order, compare, data);
    return order;
}

/* Of a part of a net: the tokens that are there or come. */
static bool find_used(Building *b)
{
    const ColourNet *net = b->x->net;
    b->used = g_new0(bool *, net->places.len + 1);
    for (uint32_t p = 0; p < net->places.len; p++) {
        b->used[p] = g_new0(bool, b->x->tokens[p].colours.len + 1);
        for (size_t i = 0; i < b->x->initial[p].len; i++) b->used[p][i] = b->x->initial[p].data[i] > 0;
    }
    for (uint32_t t = 0; t < net->transitions.len; t++) {
        const Bindings *bindings = &b->x->bindings[t];
        const Pattern *pattern = bindings->pattern;
        for (uint32_t i = 0; i < bindings->n; i++)
            for (size_t k = 0; k < pattern->parts.len; k++) {
                const Part *part = &pattern->parts.data[k];
                vec_clear(&b->counts);
                if (!pattern_part_tokens(pattern, part, vec_from(&bindings->colours, (size_t)i * pattern->n_leaves),
                                         b->x->budget, &b->counts))
                    return false;
                for (size_t n = 0; n < b->counts.len; n++)
                    b->used[part->place][tokens_find(&b->x->tokens[part->place], b->counts.data[n].colour)] = true;
            }
    }
    return true;
}

/* Nothing is left out altogether, and inscriptions are as large for bindings that are left out. */
static bool is_good_part(const Building *b)
{
    const NetColours *c = b->colours;
    for (size_t p = 0; p < b->x->net->places.len; p++)
        if (c->first_place[p] == c->first_place[p + 1]) return false;
    for (size_t t = 0; t < b->x->net->transitions.len; t++) {
        if (c->first_transition[t] == c->first_transition[t + 1]) return false;
        for (size_t i = 0; i < b->x->bindings[t].pattern->parts.len; i++)
            if (b->x->bindings[t].pattern->parts.data[i].n_minus) return false;
    }
    return true;
}

static bool add_places(Building *b, uint32_t place)
{
    Tokens *tokens = &b->x->tokens[place];
    const VecU64 *initial = &b->x->initial[place];
    uint32_t n = (uint32_t)tokens->colours.len;
    g_autofree uint32_t *order = in_order(n, by_colour, tokens);
    b->node[place] = g_new(uint32_t, (size_t)n + 1);
    b->colours->first_place[place] = net_builder_n_places(b->builder);
    for (uint32_t i = 0; i < n; i++) {
        if (b->used && !b->used[place][order[i]]) continue;
        if (budget_charge(b->x->budget, 20)) return false;
        name_place(b, place, order[i]);
        uint64_t count = order[i] < initial->len ? initial->data[order[i]] : 0;
        b->node[place][order[i]] = net_builder_place(b->builder, b->id->str, NULL, count);
    }
    return true;
}

/* ---- transitions ---- */

/* Bindings whose inscriptions differ in size leave the coloured net without counts. */
static void note_size(Building *b, uint64_t *known, bool first)
{
    uint64_t size = 0;
    for (size_t i = 0; i < b->counts.len && b->colours->counts; i++)
        b->colours->counts = checked_add(size, b->counts.data[i].count, &size);
    if (first)
        *known = size;
    else if (size != *known)
        b->colours->counts = false;
}

static bool add_arcs(Building *b, const Pattern *pattern, const uint32_t *binding, uint32_t transition, bool first)
{
    uint64_t *sizes = vec_from(&b->sizes, b->sizes.len - pattern->parts.len);
    for (size_t i = 0; i < pattern->parts.len; i++) {
        const Part *part = &pattern->parts.data[i];
        vec_clear(&b->counts);
        if (!pattern_part_tokens(pattern, part, binding, b->x->budget, &b->counts)) return false;
        note_size(b, &sizes[i], first);
        for (size_t k = 0; k < b->counts.len; k++) {
            uint32_t token = tokens_find(&b->x->tokens[part->place], b->counts.data[k].colour);
            net_builder_arc(b->builder, part->output ? ARC_POST : ARC_PRE, b->node[part->place][token], transition,
                            b->counts.data[k].count);
        }
    }
    return true;
}

static bool add_transitions(Building *b, uint32_t transition)
{
    Bindings *bindings = &b->x->bindings[transition];
    const Pattern *pattern = bindings->pattern;
    g_autofree uint32_t *order = in_order(bindings->n, by_binding, bindings);
    b->colours->first_transition[transition] = net_builder_n_transitions(b->builder);
    for (size_t i = 0; i < pattern->parts.len; i++) vec_push(&b->sizes, 0);
    for (uint32_t i = 0; i < bindings->n; i++) {
        const uint32_t *binding = vec_from(&bindings->colours, (size_t)order[i] * pattern->n_leaves);
        g_string_truncate(b->id, 0);
        expansion_append_transition(pattern, b->x->net->transitions.data[transition].id, binding, b->id);
        if (b->x->merged) vec_append(&b->colours->bindings, binding, pattern->n_leaves);
        uint32_t node = net_builder_transition(b->builder, b->id->str, NULL);
        if (budget_charge(b->x->budget, 20) || !add_arcs(b, pattern, binding, node, !i)) return false;
    }
    vec_free(&bindings->colours);
    return true;
}

/* ---- both nets ---- */

/* The tokens of a place without their colours; false: they are too many. */
static bool count_initial(const VecU64 *initial, uint64_t *count)
{
    *count = 0;
    for (size_t i = 0; i < initial->len; i++)
        if (!checked_add(*count, initial->data[i], count)) return false;
    return true;
}

/* The coloured net without its colours: ids and labels, and where all have a fixed number tokens and arcs as well. */
static Net *build_coloured(Building *b, GError **error)
{
    const ColourNet *net = b->x->net;
    g_autoptr(NetBuilder) builder = net_builder_new(net->name);
    bool *counts = &b->colours->counts;
    uint64_t size;
    for (size_t p = 0; p < net->places.len && *counts; p++) *counts = count_initial(&b->x->initial[p], &size);
    for (size_t p = 0; p < net->places.len; p++) {
        size = 0;
        if (*counts) count_initial(&b->x->initial[p], &size);
        net_builder_place(builder, net->places.data[p].id, net->places.data[p].label, size);
    }
    const uint64_t *next = b->sizes.data;
    for (uint32_t t = 0; t < net->transitions.len; t++) {
        const Pattern *pattern = b->x->bindings[t].pattern;
        net_builder_transition(builder, net->transitions.data[t].id, net->transitions.data[t].label);
        for (size_t i = 0; i < pattern->parts.len; i++, next++)
            /* NOLINTNEXTLINE(clang-analyzer-core.*): sizes has all parts */
            if (*counts && *next)
                net_builder_arc(builder, pattern->parts.data[i].output ? ARC_POST : ARC_PRE,
                                pattern->parts.data[i].place, t, *next);
    }
    return net_builder_finish(builder, error);
}

static bool add_nodes(Building *b)
{
    const ColourNet *net = b->x->net;
    if (b->x->partial && !find_used(b)) return false;
    for (uint32_t p = 0; p < net->places.len; p++)
        if (!add_places(b, p)) return false;
    b->colours->first_place[net->places.len] = net_builder_n_places(b->builder);
    for (uint32_t t = 0; t < net->transitions.len; t++)
        if (!add_transitions(b, t)) return false;
    b->colours->first_transition[net->transitions.len] = net_builder_n_transitions(b->builder);
    if (b->x->partial && !is_good_part(b)) {
        b->x->full = "too many bindings of one transition";
        return false;
    }
    return true;
}

Net *expansion_build(Expansion *x, GError **error)
{
    const ColourNet *net = x->net;
    Building b = {.x = x, .builder = net_builder_new(net->name), .id = g_string_new(NULL)};
    b.node = g_new0(uint32_t *, net->places.len + 1);
    b.colours = net_colours_new((uint32_t)net->places.len, (uint32_t)net->transitions.len, (uint32_t)net->arcs.len);
    net_builder_set_budget(b.builder, x->budget);
    b.colours->counts = true;
    b.colours->merged = x->merged;
    b.colours->partial = x->partial;
    Net *result = NULL;
    if (add_nodes(&b)) {
        b.colours->coloured = build_coloured(&b, error);
        if (net->ignored) net_builder_set_ignored(b.builder, net->ignored);
        result = b.colours->coloured ? net_builder_finish(b.builder, error) : NULL;
        if (!result) g_prefix_error(error, "%s: ", x->file);
    }
    if (!result && budget_ended(x->budget)) x->full = budget_text(x->budget);
    if (!result && x->full) g_clear_error(error);
    if (result) result->colours = g_steal_pointer(&b.colours);
    net_colours_free(b.colours);
    for (size_t p = 0; p < net->places.len; p++) {
        g_free(b.node[p]);
        if (b.used) g_free(b.used[p]);
    }
    g_free(b.node);
    g_free(b.used);
    g_string_free(b.id, TRUE);
    vec_free(&b.counts);
    vec_free(&b.sizes);
    net_builder_free(b.builder);
    return result;
}
