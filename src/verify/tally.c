#include "verify/tally.h"

#include "base/hash.h"

/* With fewer parts formulas are asked as they are; the groups must be so much fewer than the parts. Of so many
 * transitions it is looked how near each is to firing. */
enum { LEAST_PARTS = 256, LEAST_GAIN = 4, FEW_TRANSITIONS = 64 };

/* ---- groups ---- */

typedef struct Key {
    uint32_t group;
    int64_t coefficient;
} Key;

static guint key_hash(gconstpointer data)
{
    const Key *key = data;
    return (guint)hash_mix(((uint64_t)key->group << 32) ^ (uint64_t)key->coefficient);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const Key *x = a, *y = b;
    return x->group == y->group && x->coefficient == y->coefficient;
}

/* Splits groups by what one node says of their members. */
typedef struct Splitter {
    GHashTable *made; /* Key -> new group */
    Key last;
    uint32_t now; /* what it becomes; 0: nothing was looked up yet */
} Splitter;

static uint32_t split_of(Splitter *s, Key key, uint32_t *n_groups)
{
    if (s->now && key_equal(&key, &s->last)) return s->now; /* neighbours are mostly of one group */
    gpointer known = g_hash_table_lookup(s->made, &key);
    if (!known) {
        known = GUINT_TO_POINTER((*n_groups)++);
        g_hash_table_insert(s->made, g_memdup2(&key, sizeof key), known);
    }
    s->last = key;
    s->now = GPOINTER_TO_UINT(known);
    return s->now;
}

static bool is_set(const FormulaNode *node)
{
    return node->kind == FORMULA_FIREABLE || node->kind == FORMULA_UNFIREABLE;
}

static void split_groups(Tally *t, const FormulaNode *node)
{
    const FormulaStore *f = t->formulas;
    Splitter s = {.made = g_hash_table_new_full(key_hash, key_equal, g_free, NULL)};
    for (uint32_t i = 0; i < node->len; i++)
        if (is_set(node)) {
            uint32_t *group = &t->groups.transition[f->items.data[node->from + i]];
            *group = split_of(&s, (Key){*group, 0}, &t->groups.n_transitions);
        } else {
            const FormulaTerm *term = &f->terms.data[node->from + i];
            uint32_t *group = &t->groups.place[term->place];
            *group = split_of(&s, (Key){*group, term->coefficient}, &t->groups.n_places);
        }
    g_hash_table_unref(s.made);
}

/* Each group of a node once. `seen`: of each group the last node that has it + 1. */
static void make_parts(Tally *t, FormulaId id, const FormulaNode *node, uint32_t *seen)
{
    const FormulaStore *f = t->formulas;
    t->from[id] = (uint32_t)t->parts.len;
    for (uint32_t i = 0; i < node->len; i++) {
        const FormulaTerm *term = is_set(node) ? NULL : &f->terms.data[node->from + i];
        uint32_t group = term ? t->groups.place[term->place] : t->groups.transition[f->items.data[node->from + i]];
        if (seen[group] == id + 1) continue;
        seen[group] = id + 1;
        vec_push(&t->parts, ((TallyPart){group, term ? term->coefficient : 1}));
    }
    t->len[id] = (uint32_t)t->parts.len - t->from[id];
}

static bool is_counted(const FormulaNode *node)
{
    return is_set(node) || node->kind == FORMULA_AT_MOST;
}

/* All nodes of the goals; false: too few parts, or something that cannot be counted. */
static bool find_nodes(const FormulaStore *f, const FormulaId *goals, size_t n, VecU32 *nodes, uint64_t *parts)
{
    for (size_t i = 0; i < n; i++) {
        if (formula_is_shared(f, goals[i])) return false;
        formula_below(f, goals[i], nodes);
    }
    for (size_t i = 0; i < nodes->len; i++) {
        const FormulaNode *node = formula_node(f, nodes->data[i]);
        if (node->kind == FORMULA_AT_MOST && node->size == FORMULA_HUGE) return false;
        if (is_counted(node)) *parts += node->len;
    }
    return *parts >= LEAST_PARTS;
}

Tally *tally_new(const FormulaStore *f, const FormulaId *goals, size_t n)
{
    VecU32 nodes = {0};
    uint64_t parts = 0;
    g_autoptr(Tally) t = NULL;
    if (find_nodes(f, goals, n, &nodes, &parts)) {
        t = g_new0(Tally, 1);
        t->formulas = f;
        t->groups = (TrackerGroups){g_new0(uint32_t, (size_t)f->net->n_places + 1),
                                    g_new0(uint32_t, (size_t)f->net->n_transitions + 1), 1, 1};
        t->from = g_new0(uint32_t, f->nodes.len);
        t->len = g_new0(uint32_t, f->nodes.len);
        g_autofree bool *done = g_new0(bool, f->nodes.len);
        for (size_t i = 0; i < nodes.len; i++) {
            const FormulaNode *node = formula_node(f, nodes.data[i]);
            if (is_counted(node) && !done[nodes.data[i]]) split_groups(t, node);
            done[nodes.data[i]] = true;
        }
        g_autofree uint32_t *seen_places = g_new0(uint32_t, t->groups.n_places);
        g_autofree uint32_t *seen_sets = g_new0(uint32_t, t->groups.n_transitions);
        for (size_t i = 0; i < nodes.len; i++) {
            const FormulaNode *node = formula_node(f, nodes.data[i]);
            if (is_counted(node) && done[nodes.data[i]])
                make_parts(t, nodes.data[i], node, is_set(node) ? seen_sets : seen_places);
            done[nodes.data[i]] = false;
        }
    }
    vec_free(&nodes);
    return t && t->parts.len <= parts / LEAST_GAIN ? g_steal_pointer(&t) : NULL;
}

void tally_free(Tally *t)
{
    if (!t) return;
    g_free(t->groups.place);
    g_free(t->groups.transition);
    g_free(t->from);
    g_free(t->len);
    vec_free(&t->parts);
    g_free(t);
}

/* ---- questions ---- */

/* Coefficients together are below 2^62, counts below 2^64. */
static uint64_t excess(const Tally *t, FormulaId id, const FormulaNode *node)
{
    __int128 sum = 0;
    for (uint32_t i = t->from[id]; i < t->from[id] + t->len[id]; i++)
        sum += t->parts.data[i].coefficient * (__int128)t->here->tokens[t->parts.data[i].group]; /* fits: see above */
    if (sum <= node->bound) return 0;
    return (uint64_t)MIN(sum - node->bound, UINT32_MAX);
}

static uint64_t enabled_of(const Tally *t, FormulaId id)
{
    uint64_t n = 0;
    for (uint32_t i = t->from[id]; i < t->from[id] + t->len[id]; i++) n += t->here->fireable[t->parts.data[i].group];
    return n;
}

/* Of transitions none of which is enabled. */
static uint64_t to_fire(const Tally *t, const FormulaNode *node)
{
    uint32_t least = node->len > FEW_TRANSITIONS ? 1 : UINT32_MAX;
    for (uint32_t i = 0; i < node->len && least > 1; i++)
        least = MIN(least, tracker_unmet(t->here, t->formulas->items.data[node->from + i]));
    return least;
}

static uint64_t leaf_distance(const Tally *t, FormulaId id, const FormulaNode *node)
{
    switch ((FormulaKind)node->kind) {
    case FORMULA_TRUE: return 0;
    case FORMULA_AT_MOST: return excess(t, id, node);
    case FORMULA_FIREABLE: return enabled_of(t, id) ? 0 : to_fire(t, node);
    case FORMULA_UNFIREABLE: return enabled_of(t, id);
    case FORMULA_DEADLOCK: return t->here->n_enabled;
    case FORMULA_ALIVE: return t->here->n_enabled == 0;
    default: return UINT64_MAX;
    }
}

bool tally_holds(const Tally *t, FormulaId id)
{
    const FormulaNode *node = formula_node(t->formulas, id);
    bool all = node->kind == FORMULA_AND;
    if (!all && node->kind != FORMULA_OR) return leaf_distance(t, id, node) == 0;
    for (uint32_t i = 0; i < node->len; i++)
        if (tally_holds(t, t->formulas->items.data[node->from + i]) != all) return !all;
    return all;
}

uint64_t tally_distance(const Tally *t, FormulaId id)
{
    const FormulaNode *node = formula_node(t->formulas, id);
    bool all = node->kind == FORMULA_AND;
    if (!all && node->kind != FORMULA_OR) return leaf_distance(t, id, node);
    uint64_t distance = all ? 0 : UINT64_MAX;
    for (uint32_t i = 0; i < node->len; i++) {
        uint64_t part = tally_distance(t, t->formulas->items.data[node->from + i]);
        distance = all ? exact_capped_add(distance, part) : MIN(distance, part);
    }
    return distance;
}

uint32_t tally_units(const Tally *t, FormulaId goal)
{
    VecU32 below = {0};
    uint64_t parts = 0;
    formula_below(t->formulas, goal, &below);
    for (size_t i = 0; i < below.len; i++) parts += 4 + t->len[below.data[i]];
    vec_free(&below);
    return (uint32_t)MIN(parts / 4, UINT32_MAX);
}
