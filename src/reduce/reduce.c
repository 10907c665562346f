#include "reduce/reduce.h"

#include "base/bitset.h"
#include "base/exact.h"
#include "net/builder.h"

#include <assert.h>

enum { LONGEST_WITNESS = 50 * 1000 * 1000 };

static const struct {
    const char *name;
    uint32_t (*apply)(Rnet *rnet, Budget *budget);
} rules[] = {
#define RULE(constant, name) {#name, rule_##name},
#include "reduce/rules.def"
#undef RULE
};

const char *reduce_rule_name(Rule rule)
{
    return rules[rule].name;
}

/* ---- what the goals look at ---- */

/* Bit set of the formula nodes below the goals. */
static uint64_t *needed_nodes(const FormulaStore *formulas, const FormulaId *goals, size_t n)
{
    uint64_t *needed = g_new0(uint64_t, bitset_words(formulas->nodes.len));
    for (size_t i = 0; i < n; i++) bitset_set(needed, goals[i]);
    for (FormulaId id = (FormulaId)formulas->nodes.len; id-- > 0;) {
        const FormulaNode *node = formula_node(formulas, id);
        if (!bitset_get(needed, id) || (node->kind != FORMULA_AND && node->kind != FORMULA_OR)) continue;
        for (uint32_t i = 0; i < node->len; i++) bitset_set(needed, formulas->items.data[node->from + i]);
    }
    return needed;
}

/* What a transition asks of a marking. */
static const ArcKind tested[] = {ARC_PRE, ARC_READ, ARC_INHIBIT};

static void show_guard(Rnet *rnet, const Net *net, uint32_t t)
{
    for (size_t k = 0; k < G_N_ELEMENTS(tested); k++) {
        NetRow row = net_places(net, tested[k], t);
        for (uint32_t i = 0; i < row.len; i++) rnet->places[row.node[i]].shown = true;
    }
}

/* False when a goal is not about places and dead markings. */
static bool show_support(Rnet *rnet, const Net *net, const FormulaStore *formulas, const uint64_t *needed)
{
    for (FormulaId id = 0; id < formulas->nodes.len; id++) {
        const FormulaNode *node = formula_node(formulas, id);
        if (!bitset_get(needed, id)) continue;
        switch ((FormulaKind)node->kind) {
        case FORMULA_AT_MOST:
            for (uint32_t i = 0; i < node->len; i++)
                rnet->places[formulas->terms.data[node->from + i].place].shown = true;
            break;
        case FORMULA_FIREABLE:
        case FORMULA_UNFIREABLE:
            for (uint32_t i = 0; i < node->len; i++) show_guard(rnet, net, formulas->items.data[node->from + i]);
            break;
        case FORMULA_DEADLOCK: rnet->deadlock = true; break;
        case FORMULA_ALIVE: return false;
        case FORMULA_FALSE:
        case FORMULA_TRUE:
        case FORMULA_AND:
        case FORMULA_OR: break;
        }
    }
    return true;
}

/* ---- the goals on the reduced net ---- */

typedef struct Rewriter {
    const Net *net;
    const FormulaStore *from;
    FormulaStore *to;
    const Rnet *rnet;
    const uint32_t *new_place;
} Rewriter;

/* Adds to *sum coefficient times what m(p) has beyond m(*place) on the reduced net; *place NET_NONE for a constant. */
static void add_offset(const Rewriter *w, uint32_t p, int64_t coefficient, uint32_t *place, Sum *sum)
{
    while (!w->rnet->places[p].alive) {
        const RPlace *gone = &w->rnet->places[p];
        assert(gone->known);
        exact_add(sum, (__int128)coefficient * gone->offset); /* fits: 126 bits */
        if (gone->same_as == NET_NONE) {
            *place = NET_NONE;
            return;
        }
        p = gone->same_as;
    }
    *place = w->new_place[p];
}

static FormulaId rewrite_at_most(const Rewriter *w, const FormulaTerm *terms, uint32_t n, int64_t bound, bool *fits)
{
    g_autofree FormulaTerm *fresh = g_new(FormulaTerm, n);
    size_t len = 0;
    Sum left = exact_of(bound);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t place;
        add_offset(w, terms[i].place, -terms[i].coefficient, &place, &left);
        if (place != NET_NONE) fresh[len++] = (FormulaTerm){place, terms[i].coefficient};
    }
    FormulaId id = FORMULA_ID_FALSE;
    if (!exact_signed(left, &bound) || !formula_at_most(w->to, fresh, len, bound, &id, NULL)) *fits = false;
    return id;
}

static FormulaId rewrite_guard(const Rewriter *w, uint32_t t, bool *fits)
{
    VecU32 parts = {0};
    for (size_t k = 0; k < G_N_ELEMENTS(tested); k++) {
        NetRow row = net_places(w->net, tested[k], t);
        for (uint32_t i = 0; i < row.len; i++) {
            int64_t weight = (int64_t)net_weight(row, i);
            bool below = tested[k] == ARC_INHIBIT;
            FormulaTerm term = {row.node[i], below ? 1 : -1};
            vec_push(&parts, rewrite_at_most(w, &term, 1, below ? weight - 1 : -weight, fits));
        }
    }
    FormulaId id = formula_and(w->to, parts.data, parts.len);
    vec_free(&parts);
    return id;
}

static FormulaId rewrite_fireable(const Rewriter *w, const FormulaNode *node, bool *fits)
{
    VecU32 parts = {0};
    for (uint32_t i = 0; i < node->len; i++)
        vec_push(&parts, rewrite_guard(w, w->from->items.data[node->from + i], fits));
    FormulaId id = formula_or(w->to, parts.data, parts.len);
    vec_free(&parts);
    return node->kind == FORMULA_UNFIREABLE ? formula_not(w->to, id) : id;
}

static FormulaId rewrite_deadlock(const Rewriter *w)
{
    const Net *net = w->to->net;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (!net_places(net, ARC_PRE, t).len && !net_places(net, ARC_READ, t).len &&
            !net_places(net, ARC_INHIBIT, t).len)
            return FORMULA_ID_FALSE;
    return net->n_transitions ? formula_deadlock(w->to) : FORMULA_ID_TRUE;
}

/* Children have smaller ids, so one pass upwards does. */
static bool rewrite_goals(Reduction *r, const Rewriter *w, const FormulaId *goals, const uint64_t *needed)
{
    g_autofree FormulaId *fresh = g_new0(FormulaId, w->from->nodes.len);
    bool fits = true;
    for (FormulaId id = 0; id < w->from->nodes.len; id++) {
        const FormulaNode *node = formula_node(w->from, id);
        if (!bitset_get(needed, id)) continue;
        switch ((FormulaKind)node->kind) {
        case FORMULA_FALSE: fresh[id] = FORMULA_ID_FALSE; break;
        case FORMULA_TRUE: fresh[id] = FORMULA_ID_TRUE; break;
        case FORMULA_AND:
        case FORMULA_OR: {
            g_autofree FormulaId *children = g_new(FormulaId, node->len);
            for (uint32_t i = 0; i < node->len; i++) children[i] = fresh[w->from->items.data[node->from + i]];
            fresh[id] = node->kind == FORMULA_AND ? formula_and(w->to, children, node->len)
                                                  : formula_or(w->to, children, node->len);
            break;
        }
        case FORMULA_AT_MOST:
            fresh[id] = rewrite_at_most(w, w->from->terms.data + node->from, node->len, node->bound, &fits);
            break;
        case FORMULA_FIREABLE:
        case FORMULA_UNFIREABLE: fresh[id] = rewrite_fireable(w, node, &fits); break;
        case FORMULA_DEADLOCK: fresh[id] = rewrite_deadlock(w); break;
        case FORMULA_ALIVE: g_assert_not_reached();
        }
    }
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a store has nodes */
    for (size_t i = 0; i < r->n_goals; i++) r->goals[i] = fresh[goals[i]];
    return fits;
}

/* ---- the reduced net ---- */

static void build_transition(NetBuilder *builder, const RTransition *from, uint32_t t, const uint32_t *new_place)
{
    char name[16];
    g_snprintf(name, sizeof name, "%u", t);
    net_builder_transition(builder, name, NULL);
    for (size_t i = 0; i < from->arcs.len; i++) {
        const RArc *arc = &from->arcs.data[i];
        uint32_t p = new_place[arc->place];
        uint64_t taken = arc->delta < 0 ? (uint64_t)-arc->delta : 0;
        if (taken) net_builder_arc(builder, ARC_PRE, p, t, taken);
        if (arc->delta > 0) net_builder_arc(builder, ARC_POST, p, t, (uint64_t)arc->delta);
        if (arc->need > taken) net_builder_arc(builder, ARC_READ, p, t, arc->need);
        if (arc->inhibit) net_builder_arc(builder, ARC_INHIBIT, p, t, arc->inhibit);
    }
}

/* About what a net takes while it is built: twice its rows, names and their index. */
static uint64_t bytes_to_build(const Rnet *rnet, uint32_t places, uint32_t transitions)
{
    enum { PER_NODE = 128, PER_ARC = 48 };
    uint64_t arcs = 0;
    for (size_t t = 0; t < rnet->transitions.len; t++)
        if (rnet->transitions.data[t].alive) arcs += rnet->transitions.data[t].arcs.len;
    return ((uint64_t)places + transitions) * PER_NODE + arcs * PER_ARC;
}

/* NULL: there is no memory for it. */
static Net *build_net(Reduction *r, const Net *net, uint32_t *new_place, Budget *budget)
{
    Rnet *rnet = r->rnet;
    uint32_t n_places = rnet_live_places(rnet), n_transitions = rnet_live_transitions(rnet), n = 0;
    if (rnet_no_memory(budget, bytes_to_build(rnet, n_places, n_transitions))) return NULL;
    g_autoptr(NetBuilder) builder = net_builder_new(net->name);
    r->places = g_new(uint32_t, n_places + 1);
    r->transitions = g_new(uint32_t, n_transitions + 1);
    for (uint32_t p = 0; p < rnet->n_places; p++) {
        new_place[p] = NET_NONE;
        if (!rnet->places[p].alive) continue;
        new_place[p] = net_builder_place(builder, net_place_id(net, p), NULL, rnet->places[p].tokens);
        r->places[new_place[p]] = p;
    }
    for (uint32_t t = 0; t < rnet->transitions.len; t++) {
        if (!rnet_transition(rnet, t)->alive) continue;
        r->transitions[n] = t;
        build_transition(builder, rnet_transition(rnet, t), n++, new_place);
    }
    return net_builder_finish(builder, NULL);
}

/* Each rule is repeated by the next round, so that cheap ones clean up after the agglomerations. */
static void apply_rules(Reduction *r, const ReduceOptions *options, Budget *budget)
{
    uint32_t changes = 1, without = options->without;
    if (options->live) without |= 1u << RULE_DEAD | 1u << RULE_SLICE;
    while (changes && !budget_spent(budget)) {
        changes = 0;
        for (Rule rule = 0; rule < N_RULES; rule++) {
            if (without >> rule & 1) continue;
            uint32_t n = rules[rule].apply(r->rnet, budget);
            r->applied[rule] += n;
            changes += n;
        }
    }
}

Reduction *reduce_new(const Net *net, const FormulaStore *formulas, const FormulaId *goals, size_t n_goals,
                      const ReduceOptions *options, Budget *budget)
{
    static const ReduceOptions no_options;
    if (!options) options = &no_options;
    g_autoptr(Reduction) r = g_new0(Reduction, 1);
    r->rnet = rnet_new(net, budget);
    if (!r->rnet) return NULL;
    r->rnet->safe = options->safe;
    r->rnet->home = options->home;
    r->rnet->live = options->live;
    r->rnet->steps = options->steps;
    r->rnet->budget = budget;
    g_autofree uint64_t *needed = needed_nodes(formulas, goals, n_goals);
    if (!show_support(r->rnet, net, formulas, needed)) return NULL;
    if (options->home && r->rnet->deadlock) return NULL;
    apply_rules(r, options, budget);
    r->never_fires = r->rnet->never_fires;
    r->rnet->steps = NULL;
    r->rnet->budget = NULL;

    g_autofree uint32_t *new_place = g_new(uint32_t, net->n_places + 1);
    r->net = build_net(r, net, new_place, budget);
    if (!r->net) return NULL;
    r->formulas = formula_store_new(r->net);
    r->goals = g_new0(FormulaId, n_goals + 1);
    r->n_goals = n_goals;
    Rewriter w = {net, formulas, r->formulas, r->rnet, new_place};
    if (!rewrite_goals(r, &w, goals, needed)) return NULL;
    return g_steal_pointer(&r);
}

void reduce_free(Reduction *r)
{
    if (!r) return;
    formula_store_free(r->formulas);
    net_free(r->net);
    rnet_free(r->rnet);
    g_free(r->goals);
    g_free(r->transitions);
    g_free(r->places);
    g_free(r);
}

static const VecU32 *parts_of(const void *data, uint32_t t)
{
    const Rnet *rnet = data;
    return &rnet->transitions.data[t].parts;
}

/* Two sequences while one is lifted, each growing by doubling, and as much again for those who replay and shorten it.
 */
static size_t longest_witness(const Budget *budget)
{
    enum { BYTES_PER_FIRING = 8 * sizeof(uint32_t) };
    if (!budget_memory(budget)) return LONGEST_WITNESS;
    uint64_t resident = budget_resident();
    uint64_t left = budget_memory(budget) > resident ? budget_memory(budget) - resident : 0;
    return (size_t)MIN(left / BYTES_PER_FIRING, (uint64_t)LONGEST_WITNESS);
}

bool reduce_lift(const Reduction *r, bool dead, Budget *budget, VecU32 *sequence)
{
    LiftLimit limit = {longest_witness(budget), budget};
    for (size_t i = 0; i < sequence->len; i++) sequence->data[i] = r->transitions[sequence->data[i]];
    LiftParts parts = {r->rnet->n_original, parts_of, r->rnet};
    return lift_sequence(&r->rnet->lift, &parts, dead && r->rnet->deadlock, &limit, sequence);
}
