#include "colour/alike.h"

#include <assert.h>

/* Larger sorts are left as they are: classes take memory for each colour, however few are ever used. */
enum { MOST_COLOURS = 1 << 24 };

typedef struct Finder {
    Alike *alike;
    Budget *budget;
    bool changed, spent;
} Finder;

static void place_matters(Finder *f, uint32_t place, uint32_t leaf)
{
    bool *matters = &f->alike->place_matters[f->alike->first[place] + leaf];
    f->changed = f->changed || !*matters;
    *matters = true;
}

static void binding_matters(Finder *f, uint32_t transition, uint32_t variable)
{
    if (variable >= LEAF_ALL) return;
    bool *matters = &f->alike->binding_matters[transition][variable];
    f->changed = f->changed || !*matters;
    *matters = true;
}

static bool is_moved(const Leaf *leaf)
{
    return leaf->variable < LEAF_ALL && (leaf->shift || leaf->blocks != SORT_NONE);
}

static uint32_t place_leaves(const ColourNet *net, uint32_t place)
{
    return sort_at(&net->sorts, net->places.data[place].sort)->n_leaves;
}

/* ---- what matters by itself ---- */

static void all_matter(Finder *f, uint32_t transition, const Pattern *p, const Part *part)
{
    uint32_t n = place_leaves(p->net, part->place);
    for (uint32_t i = 0; i < n; i++) place_matters(f, part->place, i);
    for (uint32_t k = 0; k < part->n_plus + part->n_minus; k++)
        for (uint32_t i = 0; i < n; i++)
            binding_matters(f, transition, p->leaves.data[p->items.data[part->item + k].leaf + i].variable);
}

static void look_at_input(Finder *f, uint32_t transition, const Pattern *p, const Part *part, uint32_t *times)
{
    for (uint32_t k = 0; k < part->n_plus; k++) {
        const Item *item = &p->items.data[part->item + k];
        if (item->all || item->count > 1) all_matter(f, transition, p, part);
        for (uint32_t i = 0; i < place_leaves(p->net, part->place); i++) {
            const Leaf *leaf = &p->leaves.data[item->leaf + i];
            if (leaf->variable >= LEAF_ALL) continue;
            if (++times[leaf->variable] > 1 || is_moved(leaf)) binding_matters(f, transition, leaf->variable);
        }
    }
}

static void look_at_output(Finder *f, uint32_t transition, const Pattern *p, const Part *part)
{
    for (uint32_t k = 0; k < part->n_plus; k++)
        for (uint32_t i = 0; i < place_leaves(p->net, part->place); i++) {
            const Leaf *leaf = &p->leaves.data[p->items.data[part->item + k].leaf + i];
            if (!is_moved(leaf)) continue;
            binding_matters(f, transition, leaf->variable);
            if (leaf->blocks != SORT_NONE) place_matters(f, part->place, i);
        }
}

static void look_at_pair(Finder *f, uint32_t transition, const Leaf *left, const Leaf *right)
{
    if (left->variable == LEAF_CONSTANT || right->variable == LEAF_CONSTANT) return;
    binding_matters(f, transition, left->variable);
    binding_matters(f, transition, right->variable);
}

static void look_at_guard(Finder *f, uint32_t transition, const Pattern *p)
{
    for (size_t i = 0; i < p->conditions.len; i++)
        if (p->conditions.data[i].equal)
            look_at_pair(f, transition, &p->conditions.data[i].left, &p->conditions.data[i].right);
    for (size_t i = 0; i < p->nodes.len; i++)
        for (uint32_t k = 0; k < p->nodes.data[i].n; k++)
            look_at_pair(f, transition, &p->leaves.data[p->nodes.data[i].left + k],
                         &p->leaves.data[p->nodes.data[i].right + k]);
}

static void look_at(Finder *f, uint32_t transition)
{
    const Pattern *p = f->alike->patterns[transition];
    g_autofree uint32_t *times = g_new0(uint32_t, (size_t)p->n_leaves + 1);
    for (size_t i = 0; i < p->parts.len; i++) {
        const Part *part = &p->parts.data[i];
        if (part->n_minus) all_matter(f, transition, p, part);
        if (part->output)
            look_at_output(f, transition, p, part);
        else
            look_at_input(f, transition, p, part, times);
    }
    look_at_guard(f, transition, p);
}

static bool is_left_alone(const Sorts *sorts, uint32_t basic)
{
    uint64_t size = sort_at(sorts, basic)->size;
    return size == 1 || size > MOST_COLOURS; /* the only colour is alone anyway */
}

static void look_at_sorts(Finder *f)
{
    const Alike *a = f->alike;
    const ColourNet *net = a->net;
    for (uint32_t p = 0; p < net->places.len; p++)
        for (uint32_t i = 0; i < place_leaves(net, p); i++)
            if (is_left_alone(&net->sorts, sort_leaf(&net->sorts, net->places.data[p].sort, i))) place_matters(f, p, i);
    for (uint32_t t = 0; t < net->transitions.len; t++)
        for (uint32_t i = 0; i < a->patterns[t]->n_leaves; i++)
            if (is_left_alone(&net->sorts, a->patterns[t]->domain.data[i])) binding_matters(f, t, i);
}

/* A subtraction leaves no negative counts, which classes would not know. */
static void look_at_marking(Finder *f, uint32_t place)
{
    const Pattern *p = f->alike->markings[place];
    for (size_t i = 0; i < p->parts.len; i++)
        for (uint32_t n = 0; n < place_leaves(p->net, place) && p->parts.data[i].n_minus; n++)
            place_matters(f, place, n);
}

/* ---- what matters because something else does ---- */

static void follow(Finder *f, uint32_t transition)
{
    const Pattern *p = f->alike->patterns[transition];
    for (size_t i = 0; i < p->parts.len; i++) {
        const Part *part = &p->parts.data[i];
        for (uint32_t k = 0; k < part->n_plus; k++)
            for (uint32_t n = 0; n < place_leaves(p->net, part->place); n++) {
                uint32_t variable = p->leaves.data[p->items.data[part->item + k].leaf + n].variable;
                if (variable >= LEAF_ALL) continue;
                if (f->alike->place_matters[f->alike->first[part->place] + n]) binding_matters(f, transition, variable);
                if (!part->output && f->alike->binding_matters[transition][variable]) place_matters(f, part->place, n);
            }
    }
}

/* ---- classes ---- */

uint32_t alike_place_leaf(const Alike *a, uint32_t place, uint32_t leaf)
{
    return a->place_matters[a->first[place] + leaf] ? SORT_NONE
                                                    : sort_leaf(&a->net->sorts, a->net->places.data[place].sort, leaf);
}

uint32_t alike_binding_leaf(const Alike *a, uint32_t transition, uint32_t leaf)
{
    return a->binding_matters[transition][leaf] ? SORT_NONE : a->patterns[transition]->domain.data[leaf];
}

static ColourClasses *classes_of(Finder *f, uint32_t sort)
{
    ColourClasses *classes = &f->alike->classes[sort];
    if (!classes->class_of) {
        classes->class_of = g_new0(uint32_t, (size_t)sort_at(&f->alike->net->sorts, sort)->size);
        classes->n = 1;
    }
    return classes;
}

/* Colours of one class that differ in `mark` come apart. */
static void split(Finder *f, uint32_t sort, const bool *mark)
{
    ColourClasses *classes = classes_of(f, sort);
    uint32_t size = (uint32_t)sort_at(&f->alike->net->sorts, sort)->size, n = 0;
    g_autofree uint32_t *now = g_new0(uint32_t, 2 * (size_t)classes->n); /* number + 1 */
    for (uint32_t c = 0; c < size; c++) {
        f->spent = f->spent || budget_charge(f->budget, 1);
        uint32_t *number = &now[2 * (size_t)classes->class_of[c] + mark[c]];
        if (!*number) *number = ++n;
        classes->class_of[c] = *number - 1;
    }
    classes->n = n;
}

static bool compares(TermOp op, int64_t a, int64_t b)
{
    switch (op) {
    case TERM_LESS: return a < b;
    case TERM_AT_MOST: return a <= b;
    case TERM_GREATER: return a > b;
    case TERM_AT_LEAST: return a >= b;
    default: return a == b;
    }
}

/* A leaf that does not matter is compared with a constant. */
static void split_by(Finder *f, uint32_t transition, TermOp op, const Leaf *left, const Leaf *right,
                     const int64_t start[2])
{
    const Leaf *leaf = left->variable == LEAF_CONSTANT ? right : left;
    if (leaf->variable >= LEAF_ALL || f->spent) return;
    uint32_t sort = alike_binding_leaf(f->alike, transition, leaf->variable);
    if (sort == SORT_NONE) return;
    const Sorts *sorts = &f->alike->net->sorts;
    uint32_t size = (uint32_t)sort_at(sorts, sort)->size;
    g_autofree bool *mark = g_new0(bool, size);
    Leaf sides[2] = {*left, *right};
    for (int i = 0; i < 2; i++)
        if (sides[i].variable != LEAF_CONSTANT) sides[i].variable = 0; /* the binding below */
    for (uint32_t c = 0; c < size; c++)
        mark[c] = compares(op, start[0] + pattern_leaf_value(sorts, &sides[0], &c),
                           start[1] + pattern_leaf_value(sorts, &sides[1], &c));
    split(f, sort, mark);
}

static void split_by_guard(Finder *f, uint32_t transition)
{
    static const int64_t from_zero[2] = {0, 0};
    const Pattern *p = f->alike->patterns[transition];
    for (size_t i = 0; i < p->conditions.len; i++) {
        const Condition *c = &p->conditions.data[i];
        if (c->equal) split_by(f, transition, TERM_EQUAL, &c->left, &c->right, from_zero);
    }
    for (size_t i = 0; i < p->nodes.len; i++) {
        const TruthNode *node = &p->nodes.data[i];
        for (uint32_t k = 0; k < node->n; k++)
            split_by(f, transition, (TermOp)node->op, &p->leaves.data[node->left + k], &p->leaves.data[node->right + k],
                     node->start);
    }
}

/* A constant is taken from a place where colours do not matter otherwise: it is a class of its own. */
static void split_by_inputs(Finder *f, uint32_t transition)
{
    const Pattern *p = f->alike->patterns[transition];
    for (size_t i = 0; i < p->parts.len; i++) {
        const Part *part = &p->parts.data[i];
        for (uint32_t k = 0; k < part->n_plus && !part->output; k++)
            for (uint32_t n = 0; n < place_leaves(p->net, part->place); n++) {
                const Leaf *leaf = &p->leaves.data[p->items.data[part->item + k].leaf + n];
                uint32_t sort = alike_place_leaf(f->alike, part->place, n);
                if (leaf->variable != LEAF_CONSTANT || sort == SORT_NONE || f->spent) continue;
                g_autofree bool *mark = g_new0(bool, (size_t)sort_at(&p->net->sorts, sort)->size);
                mark[leaf->value] = true;
                split(f, sort, mark);
            }
    }
}

static void count_classes(Alike *a, uint32_t sort)
{
    ColourClasses *classes = &a->classes[sort];
    uint32_t size = (uint32_t)sort_at(&a->net->sorts, sort)->size;
    classes->representative = g_new0(uint32_t, classes->n);
    classes->size = g_new0(uint32_t, classes->n);
    for (uint32_t c = 0; c < size; c++)
        if (!classes->size[classes->class_of[c]]++) classes->representative[classes->class_of[c]] = c;
}

/* Makes the classes of all sorts that have some; false: each colour is alone. */
static bool make_classes(Finder *f)
{
    Alike *a = f->alike;
    const ColourNet *net = a->net;
    bool some = false;
    for (uint32_t p = 0; p < net->places.len; p++)
        for (uint32_t i = 0; i < place_leaves(net, p); i++)
            if (alike_place_leaf(a, p, i) != SORT_NONE) classes_of(f, alike_place_leaf(a, p, i));
    for (uint32_t t = 0; t < net->transitions.len; t++) {
        for (uint32_t i = 0; i < a->patterns[t]->n_leaves; i++)
            if (alike_binding_leaf(a, t, i) != SORT_NONE) classes_of(f, alike_binding_leaf(a, t, i));
        split_by_guard(f, t);
        split_by_inputs(f, t);
    }
    for (uint32_t s = 0; s < a->n_sorts; s++) {
        if (!a->classes[s].class_of) continue;
        count_classes(a, s);
        some = some || a->classes[s].n < sort_at(&net->sorts, s)->size;
    }
    return some && !f->spent;
}

/* ---- begin and end ---- */

Alike *alike_new(const ColourNet *net, Pattern *const *patterns, Pattern *const *markings, Budget *budget)
{
    Alike *a = g_new0(Alike, 1);
    a->net = net;
    a->patterns = patterns;
    a->markings = markings;
    a->n_sorts = (uint32_t)net->sorts.sorts.len;
    a->classes = g_new0(ColourClasses, a->n_sorts);
    a->first = g_new0(uint32_t, net->places.len + 1);
    for (uint32_t p = 0; p < net->places.len; p++) a->first[p + 1] = a->first[p] + place_leaves(net, p);
    a->place_matters = g_new0(bool, (size_t)a->first[net->places.len] + 1);
    a->binding_matters = g_new0(bool *, net->transitions.len + 1);
    Finder f = {.alike = a, .budget = budget, .changed = true};
    for (uint32_t t = 0; t < net->transitions.len; t++) {
        a->binding_matters[t] = g_new0(bool, (size_t)patterns[t]->n_leaves + 1);
        look_at(&f, t);
    }
    for (uint32_t p = 0; p < net->places.len; p++) look_at_marking(&f, p);
    look_at_sorts(&f);
    while (f.changed) {
        f.changed = false;
        for (uint32_t t = 0; t < net->transitions.len; t++) follow(&f, t);
    }
    if (make_classes(&f)) return a;
    alike_free(a);
    return NULL;
}

void alike_free(Alike *a)
{
    if (!a) return;
    for (size_t t = 0; t < a->net->transitions.len; t++) g_free(a->binding_matters[t]);
    for (uint32_t s = 0; s < a->n_sorts; s++) {
        g_free(a->classes[s].class_of);
        g_free(a->classes[s].representative);
        g_free(a->classes[s].size);
    }
    g_free(a->binding_matters);
    g_free(a->place_matters);
    g_free(a->first);
    g_free(a->classes);
    g_free(a);
}
