#include "colour/merge.h"

#include "base/exact.h"
#include "colour/alike.h"

#include <assert.h>

/* Items that <all> may become: one for each combination of classes. */
enum { MAX_ITEMS = 1 << 16 };

typedef struct Merger {
    ColourNet *net;
    const Alike *alike;
    uint32_t *sort_of; /* the sort of the classes of each basic sort; SORT_NONE: has none */
} Merger;

/* ---- sorts ---- */

static uint32_t make_class_sort(Merger *m, uint32_t basic)
{
    const ColourClasses *classes = &m->alike->classes[basic];
    Sorts *sorts = &m->net->sorts;
    uint32_t sort = sorts_new(sorts, SORT_BLOCKS);
    sorts->sorts.data[sort].base = basic;
    for (uint32_t i = 0; i < classes->n; i++) {
        char name[16];
        g_snprintf(name, sizeof name, "%u", i + 1);
        sorts_add_name(sorts, sort, g_string_chunk_insert(m->net->strings, name));
    }
    vec_append(&sorts->blocks, classes->class_of, sort_at(sorts, basic)->size);
    return sort;
}

/* What a leaf of a guard is for each class of its variable. */
static uint32_t make_value_sort(Merger *m, const Leaf *leaf, uint32_t basic)
{
    const ColourClasses *classes = &m->alike->classes[basic];
    Sorts *sorts = &m->net->sorts;
    Leaf one = *leaf;
    one.variable = 0;
    uint32_t sort = sorts_new(sorts, SORT_BLOCKS);
    sorts->sorts.data[sort].size = SORT_MAX_COLOURS;
    for (uint32_t i = 0; i < classes->n; i++) {
        uint32_t value = pattern_leaf_value(sorts, &one, &classes->representative[i]);
        vec_push(&sorts->blocks, value);
    }
    return sort;
}

static uint32_t merged_place_sort(Merger *m, uint32_t place)
{
    Sorts *sorts = &m->net->sorts;
    uint32_t old = m->net->places.data[place].sort, n = sort_at(sorts, old)->n_leaves, leaves[SORT_MAX_LEAVES];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t basic = alike_place_leaf(m->alike, place, i);
        leaves[i] = basic == SORT_NONE ? sort_leaf(sorts, old, i) : m->sort_of[basic];
    }
    return sorts_product(sorts, leaves, n); /* no larger than the old one */
}

/* ---- items ---- */

/* A leaf where only classes count, of an item that has no <all> there. */
static Leaf merged_leaf(const Merger *m, const Pattern *p, Leaf leaf, uint32_t basic)
{
    uint32_t classes = m->sort_of[basic];
    if (leaf.variable == LEAF_CONSTANT) {
        leaf.value = m->alike->classes[basic].class_of[leaf.value];
    } else if (p->domain.data[leaf.variable] == classes) {
        leaf.size = m->alike->classes[basic].n;
    } else {
        assert(leaf.blocks == SORT_NONE);
        leaf.blocks = classes;
        leaf.block_shift = 0;
    }
    return leaf;
}

/* One item for each combination of the classes that its <all>s stand for. */
static bool add_merged(const Merger *m, Pattern *p, uint32_t place, uint32_t from)
{
    uint32_t n = sort_at(&m->net->sorts, m->net->places.data[place].sort)->n_leaves, chosen[SORT_MAX_LEAVES] = {0};
    for (;;) {
        const Item old = p->items.data[from];
        Item item = {.count = old.count, .leaf = (uint32_t)p->leaves.len};
        uint32_t next = n;
        for (uint32_t i = 0; i < n; i++) {
            Leaf leaf = p->leaves.data[old.leaf + i];
            uint32_t basic = alike_place_leaf(m->alike, place, i);
            if (basic != SORT_NONE && leaf.variable == LEAF_ALL) {
                const ColourClasses *classes = &m->alike->classes[basic];
                if (!checked_multiply(item.count, classes->size[chosen[i]], &item.count)) return false;
                leaf = (Leaf){.variable = LEAF_CONSTANT, .value = chosen[i], .blocks = SORT_NONE};
                if (chosen[i] + 1 < classes->n) next = i;
            } else if (basic != SORT_NONE) {
                leaf = merged_leaf(m, p, leaf, basic);
            }
            item.all = item.all || leaf.variable == LEAF_ALL;
            vec_push(&p->leaves, leaf);
        }
        vec_push(&p->items, item);
        if (next == n) return true;
        chosen[next]++;
        for (uint32_t i = next + 1; i < n; i++) chosen[i] = 0;
    }
}

/* The items of a part, rewritten behind all others. */
static bool merge_part(const Merger *m, Pattern *p, Part *part)
{
    uint32_t first = (uint32_t)p->items.len, n_plus;
    bool good = true;
    for (uint32_t k = 0; k < part->n_plus && good; k++) good = add_merged(m, p, part->place, part->item + k);
    n_plus = (uint32_t)p->items.len - first;
    for (uint32_t k = 0; k < part->n_minus && good; k++)
        good = add_merged(m, p, part->place, part->item + part->n_plus + k);
    part->item = first;
    part->n_plus = n_plus;
    return good;
}

static bool merge_parts(const Merger *m, Pattern *p)
{
    for (size_t i = 0; i < p->parts.len; i++)
        if (!merge_part(m, p, &p->parts.data[i])) return false;
    return true;
}

/* ---- guards ---- */

static void merge_guard_leaf(Merger *m, uint32_t transition, Leaf *leaf)
{
    if (leaf->variable >= LEAF_ALL) return;
    uint32_t basic = alike_binding_leaf(m->alike, transition, leaf->variable);
    if (basic == SORT_NONE) return;
    leaf->blocks = make_value_sort(m, leaf, basic);
    leaf->shift = leaf->block_shift = 0;
    leaf->size = m->alike->classes[basic].n;
}

static void merge_guard(Merger *m, uint32_t transition, Pattern *p)
{
    for (size_t i = 0; i < p->conditions.len; i++) {
        if (!p->conditions.data[i].equal) continue;
        merge_guard_leaf(m, transition, &p->conditions.data[i].left);
        merge_guard_leaf(m, transition, &p->conditions.data[i].right);
    }
    for (size_t i = 0; i < p->nodes.len; i++)
        for (uint32_t k = 0; k < p->nodes.data[i].n; k++) {
            merge_guard_leaf(m, transition, &p->leaves.data[p->nodes.data[i].left + k]);
            merge_guard_leaf(m, transition, &p->leaves.data[p->nodes.data[i].right + k]);
        }
}

/* ---- all of it ---- */

/* Too many combinations, or more than 2^64 - 1 tokens of a class: seen before anything is changed. */
static bool item_pays(const Alike *alike, const Pattern *p, const Part *part, const Item *item)
{
    uint64_t items = 1, count = item->count;
    for (uint32_t i = 0; i < sort_at(&p->net->sorts, p->net->places.data[part->place].sort)->n_leaves; i++) {
        uint32_t basic = alike_place_leaf(alike, part->place, i);
        if (basic == SORT_NONE || p->leaves.data[item->leaf + i].variable != LEAF_ALL) continue;
        items *= alike->classes[basic].n; /* at most MAX_ITEMS times 2^32 */
        if (items > MAX_ITEMS || !checked_multiply(count, sort_at(&p->net->sorts, basic)->size, &count)) return false;
    }
    return true;
}

static bool pays(const Alike *alike, const Pattern *p)
{
    for (size_t i = 0; i < p->parts.len; i++)
        for (uint32_t k = 0; k < p->parts.data[i].n_plus; k++)
            if (!item_pays(alike, p, &p->parts.data[i], &p->items.data[p->parts.data[i].item + k])) return false;
    return true;
}

static bool all_pay(const Alike *alike)
{
    for (size_t t = 0; t < alike->net->transitions.len; t++)
        if (!pays(alike, alike->patterns[t])) return false;
    for (size_t p = 0; p < alike->net->places.len; p++)
        if (!pays(alike, alike->markings[p])) return false;
    return true;
}

bool merge_alike(ColourNet *net, Pattern *const *patterns, Pattern *const *markings, Budget *budget)
{
    g_autoptr(Alike) alike = alike_new(net, patterns, markings, budget);
    if (!alike || !all_pay(alike)) return false;
    Merger m = {.net = net, .alike = alike, .sort_of = g_new0(uint32_t, alike->n_sorts)};
    for (uint32_t s = 0; s < alike->n_sorts; s++)
        m.sort_of[s] = alike->classes[s].class_of ? make_class_sort(&m, s) : SORT_NONE;
    for (uint32_t t = 0; t < net->transitions.len; t++) merge_guard(&m, t, patterns[t]);
    g_autofree uint32_t *sorts = g_new0(uint32_t, net->places.len + 1);
    for (uint32_t p = 0; p < net->places.len; p++) sorts[p] = merged_place_sort(&m, p);
    for (uint32_t t = 0; t < net->transitions.len; t++)
        for (uint32_t i = 0; i < patterns[t]->n_leaves; i++) {
            uint32_t basic = alike_binding_leaf(alike, t, i);
            if (basic != SORT_NONE) patterns[t]->domain.data[i] = m.sort_of[basic];
        }
    bool good = true;
    for (uint32_t t = 0; t < net->transitions.len; t++) good = good && merge_parts(&m, patterns[t]);
    for (uint32_t p = 0; p < net->places.len; p++) good = good && merge_parts(&m, markings[p]);
    assert(good);
    for (uint32_t p = 0; p < net->places.len; p++) net->places.data[p].sort = sorts[p];
    g_free(m.sort_of);
    return good;
}
