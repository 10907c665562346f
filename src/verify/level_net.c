#include "verify/level_net.h"

#include "base/compare.h"
#include "certify/goal_map.h"
#include "net/builder.h"

#include <stdlib.h>

/* Certificates name a place as often as the level says, and each level of a place costs a transition wherever it is
 * lowered. */
enum { MOST_LEVEL = 64, MOST_LEVELS = 8 };

typedef struct Making {
    const Net *of;
    NetBuilder *builder;
    LevelNet *levels;
    uint32_t *first; /* per place: its first level; after the last, all there are */
    uint32_t n;      /* transitions made */
} Making;

/* ---- levels ---- */

/* False: a test is for too many. */
static bool read_levels(const Net *of, uint32_t p, VecU32 *levels)
{
    vec_clear(levels);
    vec_push(levels, 1);
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_transitions(of, kind, p);
        for (uint32_t i = 0; i < row.len && kind != ARC_POST; i++) {
            uint64_t weight = net_arc_weight(of, kind, row.node[i], p);
            if (weight > MOST_LEVEL) return false;
            if (weight != vec_last(levels)) vec_push(levels, (uint32_t)weight);
        }
    }
    qsort(levels->data, levels->len, sizeof *levels->data, compare_u32);
    size_t kept = 1;
    for (size_t i = 1; i < levels->len; i++)
        if (levels->data[i] != levels->data[kept - 1]) levels->data[kept++] = levels->data[i];
    levels->len = kept;
    return kept <= MOST_LEVELS;
}

static bool make_places(Making *m)
{
    VecU32 levels = {0};
    bool ok = true;
    for (uint32_t p = 0; p < m->of->n_places && ok; p++) {
        ok = read_levels(m->of, p, &levels);
        m->first[p] = (uint32_t)m->levels->place.len;
        for (size_t i = 0; i < levels.len && ok; i++) {
            g_autofree char *id = g_strdup_printf("%u %u", p, levels.data[i]);
            net_builder_place(m->builder, id, NULL, m->of->initial[p] >= levels.data[i]);
            vec_push(&m->levels->place, p);
            vec_push(&m->levels->level, levels.data[i]);
        }
    }
    m->first[m->of->n_places] = (uint32_t)m->levels->place.len;
    vec_free(&levels);
    return ok;
}

/* ---- transitions ---- */

/* What t asks of a place and does to it. */
typedef struct Work {
    uint64_t taken, read, put, needed, limit;
} Work;

static Work work_at(const Net *of, uint32_t t, uint32_t p)
{
    Work w = {.taken = net_arc_weight(of, ARC_PRE, t, p),
              .read = net_arc_weight(of, ARC_READ, t, p),
              .put = net_arc_weight(of, ARC_POST, t, p),
              .limit = net_arc_weight(of, ARC_INHIBIT, t, p)};
    w.needed = MAX(w.taken, w.read);
    return w;
}

/* Full afterwards for certain. */
static bool fills(Work w, uint64_t level)
{
    uint64_t left = w.needed - w.taken; /* of what must have been there; weights that are put may be large */
    return left >= level || w.put >= level - left;
}

static bool may_empty(Work w, uint64_t level)
{
    return w.put < w.taken && !fills(w, level);
}

/* The arcs of transition `number` to the levels of p, for t. */
static void add_arcs(Making *m, uint32_t number, uint32_t t, uint32_t p)
{
    Work w = work_at(m->of, t, p);
    for (uint32_t l = m->first[p]; l < m->first[p + 1]; l++) {
        uint64_t level = m->levels->level.data[l];
        bool tested = level == w.taken || level == w.read, full = fills(w, level);
        if (level <= w.needed && may_empty(w, level))
            net_builder_arc(m->builder, ARC_PRE, l, number, 1);
        else if (tested)
            net_builder_arc(m->builder, ARC_READ, l, number, 1);
        else if (full)
            net_builder_arc(m->builder, ARC_POST, l, number, 1);
        if (level == w.limit) net_builder_arc(m->builder, ARC_INHIBIT, l, number, 1);
    }
}

/* The places that t has arcs to, each once. */
static void places_of(const Net *of, uint32_t t, VecU32 *places)
{
    vec_clear(places);
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(of, kind, t);
        vec_append(places, row.node, row.len);
    }
    if (places->len) qsort(places->data, places->len, sizeof *places->data, compare_u32);
    size_t kept = 0;
    for (size_t i = 0; i < places->len; i++)
        if (!kept || places->data[i] != places->data[kept - 1]) places->data[kept++] = places->data[i];
    places->len = kept;
}

static uint32_t make_transition(Making *m, uint32_t t, const VecU32 *places)
{
    g_autofree char *id = g_strdup_printf("%u", m->n++);
    uint32_t number = net_builder_transition(m->builder, id, NULL);
    for (size_t i = 0; i < places->len; i++) add_arcs(m, number, t, places->data[i]);
    return number;
}

/* For each level above what t needs that it may empty. */
static void make_others(Making *m, uint32_t t, const VecU32 *places)
{
    for (size_t i = 0; i < places->len; i++) {
        uint32_t p = places->data[i];
        Work w = work_at(m->of, t, p);
        for (uint32_t l = m->first[p]; l < m->first[p + 1]; l++)
            if (m->levels->level.data[l] > w.needed && may_empty(w, m->levels->level.data[l]))
                net_builder_arc(m->builder, ARC_PRE, l, make_transition(m, t, places), 1);
    }
}

static Net *make(Making *m, Budget *budget)
{
    if (!make_places(m)) return NULL;
    VecU32 places = {0};
    for (int others = 0; others < 2; others++)
        for (uint32_t t = 0; t < m->of->n_transitions && !budget_spent(budget); t++) {
            places_of(m->of, t, &places);
            if (others)
                make_others(m, t, &places);
            else
                make_transition(m, t, &places);
        }
    vec_free(&places);
    return budget_look(budget) ? NULL : net_builder_finish(m->builder, NULL);
}

LevelNet *level_net_new(const Net *of, Budget *budget)
{
    g_autoptr(NetBuilder) builder = net_builder_new("levels");
    g_autofree uint32_t *first = g_new0(uint32_t, (size_t)of->n_places + 2);
    g_autoptr(LevelNet) levels = g_new0(LevelNet, 1);
    Making making = {.of = of, .builder = builder, .levels = levels, .first = first};
    net_builder_set_budget(builder, budget);
    levels->net = make(&making, budget);
    if (!levels->net) return NULL;
    levels->formulas = formula_store_new(levels->net);
    return g_steal_pointer(&levels);
}

void level_net_free(LevelNet *levels)
{
    if (!levels) return;
    formula_store_free(levels->formulas);
    net_free(levels->net);
    vec_free(&levels->place);
    vec_free(&levels->level);
    g_free(levels);
}

/* ---- goals ---- */

typedef struct Goal {
    const FormulaStore *from;
    FormulaStore *to;
} Goal;

static bool goal_leaf(void *data, FormulaNode node, FormulaId *here)
{
    const Goal *goal = data;
    if (node.kind == FORMULA_AT_MOST) return false;
    VecU32 transitions = {0};
    bool all = node.kind == FORMULA_DEADLOCK || node.kind == FORMULA_ALIVE;
    for (uint32_t t = 0; t < goal->from->net->n_transitions && all; t++) vec_push(&transitions, t);
    for (uint32_t i = 0; i < node.len; i++) vec_push(&transitions, goal->from->items.data[node.from + i]);
    *here = formula_fireable(goal->to, transitions.data, transitions.len);
    if (node.kind == FORMULA_DEADLOCK || node.kind == FORMULA_UNFIREABLE) *here = formula_not(goal->to, *here);
    vec_free(&transitions);
    return true;
}

bool level_net_goal(LevelNet *levels, const FormulaStore *formulas, FormulaId goal, FormulaId *here)
{
    Goal data = {formulas, levels->formulas};
    return goal_map(formulas, goal, levels->formulas, goal_leaf, &data, here);
}
