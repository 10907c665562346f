#include "colour/unmerge.h"

#include "base/exact.h"
#include "colour/alike.h"
#include "colour/expansion.h"
#include "net/colours.h"

enum { FIRING_UNITS = 100 };

/* The tokens of a place that are of the same classes, the latest last. */
typedef struct Alikes {
    uint64_t key;
    VecCounts tokens;
} Alikes;

struct Unmerge {
    const ColourNet *net;
    Pattern **patterns, **markings;
    Alike *alike;
    GHashTable **marking; /* of each place: Alikes by key */
    uint32_t *binding;    /* of the firing in progress, in colours */
    VecCounts counts;
    Budget *budget;
};

/* ---- the marking ---- */

static void alikes_free(void *data)
{
    Alikes *alikes = data;
    vec_free(&alikes->tokens);
    g_free(alikes);
}

/* What tells the tokens of a place apart in the merged net: colours that matter, classes of others. */
static uint64_t key_of(const Unmerge *u, uint32_t place, const uint32_t *leaves)
{
    const Sorts *sorts = &u->net->sorts;
    uint32_t sort = u->net->places.data[place].sort, known[SORT_MAX_LEAVES];
    for (uint32_t i = 0; i < sort_at(sorts, sort)->n_leaves; i++) {
        uint32_t basic = alike_place_leaf(u->alike, place, i);
        known[i] = basic == SORT_NONE ? leaves[i] : u->alike->classes[basic].class_of[leaves[i]];
    }
    return sort_join(sorts, sort, known);
}

static uint64_t key_of_colour(const Unmerge *u, uint32_t place, uint64_t colour)
{
    uint32_t leaves[SORT_MAX_LEAVES];
    sort_split(&u->net->sorts, u->net->places.data[place].sort, colour, leaves);
    return key_of(u, place, leaves);
}

static bool put(Unmerge *u, uint32_t place, ColourCount token)
{
    uint64_t key = key_of_colour(u, place, token.colour);
    Alikes *alikes = g_hash_table_lookup(u->marking[place], &key);
    if (!alikes) {
        alikes = g_new0(Alikes, 1);
        alikes->key = key;
        g_hash_table_insert(u->marking[place], &alikes->key, alikes);
    }
    VecCounts *tokens = &alikes->tokens;
    if (tokens->len && vec_last(tokens).colour == token.colour)
        return checked_add(vec_last(tokens).count, token.count, &vec_last(tokens).count);
    vec_push(tokens, token);
    return true;
}

/* Any of these classes, `count` tokens of them. */
static bool take(Unmerge *u, uint32_t place, uint64_t key, uint64_t count, uint64_t *colour)
{
    Alikes *alikes = g_hash_table_lookup(u->marking[place], &key);
    while (count && alikes && alikes->tokens.len) {
        ColourCount *last = &vec_last(&alikes->tokens);
        uint64_t taken = MIN(count, last->count);
        *colour = last->colour;
        last->count -= taken;
        count -= taken;
        if (!last->count) alikes->tokens.len--;
    }
    return !count;
}

static bool put_parts(Unmerge *u, const Pattern *pattern, bool all)
{
    for (size_t i = 0; i < pattern->parts.len; i++) {
        const Part *part = &pattern->parts.data[i];
        if (!all && !part->output) continue;
        vec_clear(&u->counts);
        if (!pattern_part_tokens(pattern, part, u->binding, u->budget, &u->counts)) return false;
        for (size_t k = 0; k < u->counts.len; k++)
            if (!put(u, part->place, u->counts.data[k])) return false;
    }
    return true;
}

static bool to_start(Unmerge *u)
{
    for (uint32_t p = 0; p < u->net->places.len; p++) {
        g_hash_table_remove_all(u->marking[p]);
        if (!put_parts(u, u->markings[p], true)) return false;
    }
    return true;
}

/* ---- firings ---- */

/* The binding, as far as the merged one says it; the rest follows from the tokens. */
static void begin_binding(Unmerge *u, uint32_t transition, const uint32_t *merged)
{
    for (uint32_t i = 0; i < u->patterns[transition]->n_leaves; i++) {
        uint32_t basic = alike_binding_leaf(u->alike, transition, i);
        u->binding[i] = basic == SORT_NONE ? merged[i] : u->alike->classes[basic].representative[merged[i]];
    }
}

/* One token of the classes that the binding has there; then its colours are those of the binding. */
static bool take_item(Unmerge *u, const Pattern *pattern, uint32_t place, const Item *item)
{
    const Sorts *sorts = &u->net->sorts;
    uint32_t sort = u->net->places.data[place].sort, leaves[SORT_MAX_LEAVES];
    uint64_t colour = 0;
    sort_split(sorts, sort, pattern_item_colour(pattern, item, sort, u->binding), leaves);
    if (!take(u, place, key_of(u, place, leaves), item->count, &colour)) return false;
    sort_split(sorts, sort, colour, leaves);
    for (uint32_t i = 0; i < sort_at(sorts, sort)->n_leaves; i++) {
        const Leaf *leaf = &pattern->leaves.data[item->leaf + i];
        if (leaf->variable < LEAF_ALL && alike_place_leaf(u->alike, place, i) != SORT_NONE)
            u->binding[leaf->variable] = leaves[i];
    }
    return true;
}

static bool take_part(Unmerge *u, const Pattern *pattern, const Part *part)
{
    bool several = part->n_minus > 0, good = true;
    for (uint32_t k = 0; k < part->n_plus; k++) several = several || pattern->items.data[part->item + k].all;
    if (!several) {
        for (uint32_t k = 0; k < part->n_plus && good; k++)
            good = take_item(u, pattern, part->place, &pattern->items.data[part->item + k]);
        return good;
    }
    vec_clear(&u->counts);
    good = pattern_part_tokens(pattern, part, u->binding, u->budget, &u->counts);
    for (size_t k = 0; k < u->counts.len && good; k++) {
        ColourCount token = u->counts.data[k];
        good = take(u, part->place, key_of_colour(u, part->place, token.colour), token.count, &token.colour);
    }
    return good;
}

static bool guard_holds(const Unmerge *u, const Pattern *pattern)
{
    bool holds = true;
    for (size_t i = 0; i < pattern->conditions.len && holds; i++)
        holds = pattern_condition_holds(pattern, &pattern->conditions.data[i], u->binding);
    return holds;
}

static bool fire(Unmerge *u, uint32_t transition, const uint32_t *merged)
{
    const Pattern *pattern = u->patterns[transition];
    begin_binding(u, transition, merged);
    for (size_t i = 0; i < pattern->parts.len; i++)
        if (!pattern->parts.data[i].output && !take_part(u, pattern, &pattern->parts.data[i])) return false;
    return guard_holds(u, pattern) && put_parts(u, pattern, false);
}

/* The coloured transition, and the binding of classes. */
static const uint32_t *binding_of(const Unmerge *u, const NetColours *colours, uint32_t firing, uint32_t *transition)
{
    size_t at = 0;
    uint32_t t = 0;
    for (; firing >= colours->first_transition[t + 1]; t++)
        at += (size_t)(colours->first_transition[t + 1] - colours->first_transition[t]) * u->patterns[t]->n_leaves;
    *transition = t;
    return vec_from(&colours->bindings,
                    at + (size_t)(firing - colours->first_transition[t]) * u->patterns[t]->n_leaves);
}

GPtrArray *unmerge_run(Unmerge *u, const Net *merged, const uint32_t *run, size_t n, Budget *budget)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    u->budget = budget;
    if (!to_start(u)) return NULL;
    for (size_t i = 0; i < n; i++) {
        uint32_t t;
        const uint32_t *binding = binding_of(u, merged->colours, run[i], &t);
        if (budget_charge(budget, FIRING_UNITS) || !fire(u, t, binding)) return NULL;
        GString *name = g_string_new(NULL);
        expansion_append_transition(u->patterns[t], u->net->transitions.data[t].id, u->binding, name);
        g_ptr_array_add(names, g_string_free(name, FALSE));
    }
    return g_steal_pointer(&names);
}

/* ---- begin and end ---- */

static bool make_patterns(Unmerge *u)
{
    XmlPosition at;
    bool good = true;
    uint32_t most = 0;
    for (uint32_t t = 0; t < u->net->transitions.len && good; t++) {
        u->patterns[t] = pattern_of_transition(u->net, t, &at, NULL);
        good = u->patterns[t] != NULL;
        if (good) most = MAX(most, u->patterns[t]->n_leaves);
    }
    for (uint32_t p = 0; p < u->net->places.len && good; p++) {
        u->markings[p] = pattern_of_marking(u->net, p, &at, NULL);
        good = u->markings[p] != NULL;
    }
    u->binding = g_new0(uint32_t, (size_t)most + 1);
    return good;
}

Unmerge *unmerge_new(const ColourNet *net, Budget *budget)
{
    g_autoptr(Unmerge) u = g_new0(Unmerge, 1);
    u->net = net;
    u->patterns = g_new0(Pattern *, net->transitions.len + 1);
    u->markings = g_new0(Pattern *, net->places.len + 1);
    u->marking = g_new0(GHashTable *, net->places.len + 1);
    for (size_t p = 0; p < net->places.len; p++)
        u->marking[p] = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, alikes_free);
    if (make_patterns(u)) u->alike = alike_new(net, u->patterns, u->markings, budget);
    return u->alike ? g_steal_pointer(&u) : NULL;
}

void unmerge_free(Unmerge *u)
{
    if (!u) return;
    for (size_t p = 0; p < u->net->places.len; p++) {
        g_hash_table_unref(u->marking[p]);
        pattern_free(u->markings[p]);
    }
    for (size_t t = 0; t < u->net->transitions.len; t++) pattern_free(u->patterns[t]);
    alike_free(u->alike);
    g_free(u->patterns);
    g_free(u->markings);
    g_free(u->marking);
    g_free(u->binding);
    vec_free(&u->counts);
    g_free(u);
}
