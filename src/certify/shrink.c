#include "certify/shrink.h"

#include "base/compare.h"
#include "base/hash.h"
#include "net/builder.h"

#include <assert.h>
#include <stdlib.h>

#define MOST_IN_NET ((uint64_t)1 << 40)

static bool says_nothing(ShrinkArc arc)
{
    return arc.need == 0 && arc.limit == SHRINK_NO_LIMIT && arc.delta == 0;
}

/* ---- making it ---- */

static bool small_numbers(const Net *net)
{
    bool small = net_max_weight(net) < MOST_IN_NET;
    for (uint32_t p = 0; p < net->n_places; p++) small &= net->initial[p] < MOST_IN_NET;
    return small;
}

static void read_transition(Shrink *s, uint32_t t)
{
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(s->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            ShrinkArc arc = shrink_arc(s, t, row.node[i]);
            int64_t w = (int64_t)net_weight(row, i);
            if (kind == ARC_POST) arc.delta += w;
            if (kind == ARC_PRE) arc.delta -= w;
            if (kind == ARC_PRE || kind == ARC_READ) arc.need = MAX(arc.need, w);
            if (kind == ARC_INHIBIT) arc.limit = MIN(arc.limit, w);
            shrink_put(s, t, arc);
        }
    }
}

static void show_tested(Shrink *s, uint32_t t)
{
    assert(t < s->transitions.len);
    for (size_t i = 0; i < s->transitions.data[t].arcs.len; i++) {
        ShrinkArc arc = s->transitions.data[t].arcs.data[i];
        if (arc.need > 0 || arc.limit != SHRINK_NO_LIMIT) s->places[arc.place].shown = true;
    }
}

/* Marks what the goal compares; false when it says that something is enabled at all. */
static bool look_at_goal(Shrink *s)
{
    const FormulaStore *f = s->formulas;
    g_autofree bool *seen = g_new0(bool, f->nodes.len);
    seen[s->goal] = true;
    for (FormulaId id = s->goal + 1; id-- > 0;) {
        const FormulaNode *node = formula_node(f, id);
        if (!seen[id]) continue;
        if (node->kind == FORMULA_ALIVE) return false;
        s->deadlock |= node->kind == FORMULA_DEADLOCK;
        for (uint32_t i = 0; i < node->len; i++) {
            if (node->kind == FORMULA_AND || node->kind == FORMULA_OR) seen[f->items.data[node->from + i]] = true;
            if (node->kind == FORMULA_FIREABLE || node->kind == FORMULA_UNFIREABLE)
                show_tested(s, f->items.data[node->from + i]);
            if (node->kind == FORMULA_AT_MOST) s->places[f->terms.data[node->from + i].place].shown = true;
        }
    }
    return true;
}

Shrink *shrink_new(const Net *net, const FormulaStore *formulas, FormulaId goal, char **problem)
{
    if (!small_numbers(net)) {
        *problem = g_strdup("the net has counts of 2^40 or more: no steps are possible");
        return NULL;
    }
    Shrink *s = g_new0(Shrink, 1);
    *s = (Shrink){.net = net, .formulas = formulas, .goal = goal};
    s->places = g_new0(ShrinkPlace, net->n_places + 1);
    for (uint32_t p = 0; p < net->n_places; p++) s->places[p].tokens = (int64_t)net->initial[p];
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        vec_push(&s->transitions, ((ShrinkTransition){.gone = false}));
        read_transition(s, t);
    }
    if (look_at_goal(s)) return s;
    *problem = g_strdup("a goal that says \"not deadlock\" allows no steps");
    shrink_free(s);
    return NULL;
}

static void free_arcs(ShrinkTransition *t)
{
    vec_free(&t->arcs);
    g_free(t->table);
    t->table = NULL;
}

void shrink_free(Shrink *s)
{
    if (!s) return;
    for (uint32_t p = 0; p < s->net->n_places; p++) vec_free(&s->places[p].near);
    for (size_t t = 0; t < s->transitions.len; t++) free_arcs(&s->transitions.data[t]);
    vec_free(&s->transitions);
    g_free(s->places);
    g_free(s);
}

/* ---- looking ---- */

bool shrink_has_place(const Shrink *s, uint32_t p)
{
    return p < s->net->n_places && !s->places[p].gone;
}

bool shrink_has_transition(const Shrink *s, uint32_t t)
{
    return t < s->transitions.len && !s->transitions.data[t].gone;
}

/* ---- finding the arc at a place ---- */

enum { FEW_ARCS = 16 };

/* Where p is in the table, or the free slot where it would be. */
static uint32_t slot_of(const ShrinkTransition *t, uint32_t p)
{
    uint32_t slot = (uint32_t)hash_mix(p) & t->mask;
    while (t->table[slot] && t->arcs.data[t->table[slot] - 1].place != p) slot = (slot + 1) & t->mask;
    return slot;
}

/* Its position, or the number of arcs when there is none. */
static size_t find(const ShrinkTransition *t, uint32_t p)
{
    if (t->table) {
        uint32_t slot = slot_of(t, p);
        return t->table[slot] ? t->table[slot] - 1 : t->arcs.len;
    }
    size_t i = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the arcs below len were pushed */
    while (i < t->arcs.len && t->arcs.data[i].place != p) i++;
    return i;
}

static void make_table(ShrinkTransition *t)
{
    g_free(t->table);
    t->mask = 63;
    while (t->mask / 4 < t->arcs.len) t->mask = 2 * t->mask + 1;
    t->table = g_new0(uint32_t, (size_t)t->mask + 1);
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the arcs below len were pushed */
    for (size_t i = 0; i < t->arcs.len; i++) t->table[slot_of(t, t->arcs.data[i].place)] = (uint32_t)i + 1;
}

static void add_arc(ShrinkTransition *t, ShrinkArc arc)
{
    vec_push(&t->arcs, arc);
    if (t->arcs.len > FEW_ARCS && (!t->table || t->arcs.len > t->mask / 2))
        make_table(t);
    else if (t->table)
        t->table[slot_of(t, arc.place)] = (uint32_t)t->arcs.len;
}

/* Those behind it in the table move up, so that no search ends too early. */
static void leave_table(ShrinkTransition *t, uint32_t p)
{
    uint32_t hole = slot_of(t, p);
    for (uint32_t at = (hole + 1) & t->mask; t->table[at]; at = (at + 1) & t->mask) {
        uint32_t home = (uint32_t)hash_mix(t->arcs.data[t->table[at] - 1].place) & t->mask;
        if (((at - home) & t->mask) < ((at - hole) & t->mask)) continue;
        t->table[hole] = t->table[at];
        hole = at;
    }
    t->table[hole] = 0;
}

/* The last arc takes its position. */
static void remove_arc(ShrinkTransition *t, size_t i)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the arcs below len were pushed */
    if (t->table) leave_table(t, t->arcs.data[i].place);
    size_t last = t->arcs.len - 1;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the arcs below len were pushed */
    if (t->table && i != last) t->table[slot_of(t, t->arcs.data[last].place)] = (uint32_t)i + 1;
    t->arcs.data[i] = t->arcs.data[last];
    t->arcs.len--;
}

ShrinkArc shrink_arc(const Shrink *s, uint32_t t, uint32_t p)
{
    const ShrinkTransition *transition = &s->transitions.data[t];
    size_t i = find(transition, p);
    return i < transition->arcs.len ? transition->arcs.data[i] : (ShrinkArc){p, 0, SHRINK_NO_LIMIT, 0};
}

VecU32 shrink_near(Shrink *s, uint32_t p)
{
    VecU32 *near = &s->places[p].near;
    if (near->len && !s->places[p].sorted) {
        size_t n = 0;
        qsort(near->data, near->len, sizeof *near->data, compare_u32);
        for (size_t i = 0; i < near->len; i++) {
            uint32_t t = near->data[i];
            if ((n == 0 || near->data[n - 1] != t) && !says_nothing(shrink_arc(s, t, p))) near->data[n++] = t;
        }
        near->len = n;
    }
    s->places[p].sorted = true;
    return *near;
}

/* ---- changing ---- */

void shrink_put(Shrink *s, uint32_t t, ShrinkArc arc)
{
    ShrinkTransition *transition = &s->transitions.data[t];
    ShrinkPlace *place = &s->places[arc.place];
    ShrinkArc old = shrink_arc(s, t, arc.place);
    size_t i = find(transition, arc.place);
    place->limits += arc.limit != SHRINK_NO_LIMIT;
    place->limits -= old.limit != SHRINK_NO_LIMIT;
    if (!says_nothing(old) && !says_nothing(arc)) {
        transition->arcs.data[i] = arc;
        return;
    }
    if (says_nothing(old) && says_nothing(arc)) return;
    place->sorted = false;
    if (says_nothing(arc)) {
        remove_arc(transition, i);
        s->n_arcs--;
        return;
    }
    add_arc(transition, arc);
    vec_push(&place->near, t);
    s->n_arcs++;
}

void shrink_remove_transition(Shrink *s, uint32_t t)
{
    ShrinkTransition *transition = &s->transitions.data[t];
    assert(!transition->gone);
    while (transition->arcs.len)
        shrink_put(s, t, (ShrinkArc){vec_last(&transition->arcs).place, 0, SHRINK_NO_LIMIT, 0});
    free_arcs(transition);
    transition->gone = true;
}

void shrink_remove_place(Shrink *s, uint32_t p)
{
    assert(!s->places[p].gone);
    VecU32 near = shrink_near(s, p);
    for (size_t i = 0; i < near.len; i++) shrink_put(s, near.data[i], (ShrinkArc){p, 0, SHRINK_NO_LIMIT, 0});
    vec_free(&s->places[p].near);
    s->places[p].gone = true;
}

/* ---- sequences ---- */

typedef enum { SEQUENCE_FIRES, SEQUENCE_NEVER_FIRES, SEQUENCE_TOO_LARGE } Sequence;

/* `first` becomes first and then `second`. */
static Sequence follow(ShrinkArc *first, ShrinkArc second)
{
    if (second.limit != SHRINK_NO_LIMIT) first->limit = MIN(first->limit, second.limit - first->delta);
    first->need = MAX(first->need, second.need - first->delta);
    first->delta += second.delta;
    if (first->need > SHRINK_MOST || first->delta > SHRINK_MOST || first->delta < -SHRINK_MOST)
        return SEQUENCE_TOO_LARGE;
    if (first->limit != SHRINK_NO_LIMIT && first->limit > SHRINK_MOST) return SEQUENCE_TOO_LARGE;
    return first->limit <= first->need ? SEQUENCE_NEVER_FIRES : SEQUENCE_FIRES;
}

/* Puts b's part of the sequence into the new transition t. */
static Sequence follow_all(Shrink *s, uint32_t t, uint32_t b, int64_t times, uint32_t without)
{
    for (size_t i = 0; i < s->transitions.data[b].arcs.len; i++) {
        ShrinkArc second = s->transitions.data[b].arcs.data[i], arc = shrink_arc(s, t, second.place);
        if (second.place == without) continue;
        for (int64_t k = 0; k < times; k++) {
            Sequence now = follow(&arc, second);
            if (now != SEQUENCE_FIRES) return now;
        }
        shrink_put(s, t, arc);
    }
    for (size_t i = 0; i < s->transitions.data[t].arcs.len; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the arcs below len were pushed */
        if (s->transitions.data[t].arcs.data[i].limit <= s->transitions.data[t].arcs.data[i].need)
            return SEQUENCE_NEVER_FIRES;
    return SEQUENCE_FIRES;
}

bool shrink_add_sequence(Shrink *s, uint32_t a, uint32_t b, int64_t times, uint32_t without)
{
    uint32_t t = (uint32_t)s->transitions.len;
    vec_push(&s->transitions, ((ShrinkTransition){.gone = false}));
    for (size_t i = 0; i < s->transitions.data[a].arcs.len; i++)
        if (s->transitions.data[a].arcs.data[i].place != without) shrink_put(s, t, s->transitions.data[a].arcs.data[i]);
    Sequence made = follow_all(s, t, b, times, without);
    if (made != SEQUENCE_FIRES) {
        shrink_remove_transition(s, t);
        s->transitions.len--;
    }
    return made != SEQUENCE_TOO_LARGE;
}

/* ---- what is left ---- */

static void build_arcs(NetBuilder *builder, const ShrinkTransition *from, uint32_t t, const uint32_t *number)
{
    for (size_t i = 0; i < from->arcs.len; i++) {
        ShrinkArc arc = from->arcs.data[i];
        uint32_t p = number[arc.place];
        if (arc.delta < 0) net_builder_arc(builder, ARC_PRE, p, t, (uint64_t)-arc.delta);
        if (arc.delta > 0) net_builder_arc(builder, ARC_POST, p, t, (uint64_t)arc.delta);
        if (arc.need > MAX(-arc.delta, 0)) net_builder_arc(builder, ARC_READ, p, t, (uint64_t)arc.need);
        if (arc.limit != SHRINK_NO_LIMIT) net_builder_arc(builder, ARC_INHIBIT, p, t, (uint64_t)arc.limit);
    }
}

Net *shrink_net(Shrink *s)
{
    g_autoptr(NetBuilder) builder = net_builder_new(s->net->name);
    g_autofree uint32_t *number = g_new0(uint32_t, s->net->n_places + 1);
    for (uint32_t p = 0; p < s->net->n_places; p++)
        if (!s->places[p].gone)
            number[p] = net_builder_place(builder, net_place_id(s->net, p), NULL, (uint64_t)s->places[p].tokens);
    for (size_t t = 0; t < s->transitions.len; t++) {
        if (s->transitions.data[t].gone) continue;
        g_autofree char *name = g_strdup_printf("%zu", t);
        build_arcs(builder, &s->transitions.data[t], net_builder_transition(builder, name, NULL), number);
    }
    return net_builder_finish(builder, NULL);
}
