#include "symbolic/select.h"

#include "base/compare.h"
#include "base/exact.h"
#include "base/hash.h"
#include "prop/formula_fold.h"
#include "symbolic/listing.h"

/* ---- one transition ---- */

typedef struct Firing {
    Diagram *diagram;
    Model *model;
    bool fired;
} Firing;

COMPARE_BY(compare_edges, DiagramEdge, value)

static Node fire(const Firing *f, uint32_t tail, Node node)
{
    Diagram *d = f->diagram;
    Node result, way = f->fired ? NODE_ONE : NODE_EMPTY;
    if (tail == MODEL_END || node == NODE_EMPTY) return node;
    if (diagram_recall(d, MODEL_OPERATION + tail, node, way, &result)) return result;
    ModelTail t = f->model->tails.data[tail];
    uint32_t level = diagram_level(d, node), n;
    bool here = f->model->functions.data[t.function].level == level;
    const DiagramEdge *edges = diagram_edges(d, node, &n);
    if (d->failed || budget_charge(d->budget, 10 + 4 * n)) return d->failed = true, NODE_EMPTY;
    DiagramEdges *made = &d->merged[level];
    vec_clear(made);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = here ? model_step(f->model, t.function, edges[i].value) : edges[i].value;
        DiagramEdge edge = {f->fired ? to : edges[i].value, NODE_EMPTY};
        if (to != MODEL_NONE) edge.child = fire(f, here ? t.next : tail, edges[i].child);
        if (edge.child != NODE_EMPTY) vec_push(made, edge);
    }
    /* Different values become different ones, but maybe in another order. */
    if (here && f->fired && made->len) qsort(made->data, made->len, sizeof *made->data, compare_edges);
    result = diagram_node(d, level, made->data, (uint32_t)made->len);
    diagram_remember(d, MODEL_OPERATION + tail, node, way, result);
    return result;
}

Node select_firing(Diagram *diagram, Model *model, Node set, uint32_t transition, bool fired)
{
    Firing f = {diagram, model, fired};
    uint32_t tail = model->chain.data[transition];
    return tail == MODEL_NONE ? NODE_EMPTY : fire(&f, tail, set);
}

/* ---- a sum that is at most a bound ---- */

/* What is left of the bound at a node, and which of its tuples stay within it. */
typedef struct Kept {
    Node node, result;
    Sum left;
} Kept;

enum { KEPT_BITS = 16 };

typedef struct Limit {
    Diagram *diagram;
    const Model *model;
    Listing listing;
    Sum *least, *most; /* per node: of the sum over its levels */
    int64_t *factor;   /* per place */
    Kept *kept;        /* a table that forgets */
} Limit;

static Sum weigh(const Limit *l, uint32_t level, uint32_t value)
{
    size_t n;
    const ModelTokens *tokens = model_tokens(l->model, level, value, &n);
    Sum sum = exact_of(0);
    for (size_t i = 0; i < n; i++)
        exact_add_product(&sum, l->factor[l->model->levels[level].places.data[tokens[i].slot]], tokens[i].count);
    return sum;
}

static bool find_extremes(Limit *l)
{
    const Listing *list = &l->listing;
    for (uint32_t k = 0; k < l->model->n_levels; k++)
        for (uint32_t i = list->from[k]; i < list->from[k + 1]; i++) {
            uint32_t n;
            const DiagramEdge *edges = diagram_edges(l->diagram, list->nodes.data[i], &n);
            if (budget_charge(l->diagram->budget, 10 + 10 * n)) return false;
            for (uint32_t j = 0; j < n; j++) {
                Sum low = weigh(l, k, edges[j].value), high = low;
                if (k > 0) {
                    uint32_t child = listing_number(list, edges[j].child);
                    exact_add_sum(&low, l->least[child]);
                    exact_add_sum(&high, l->most[child]);
                }
                if (j == 0 || exact_compare(low, l->least[i]) < 0) l->least[i] = low;
                if (j == 0 || exact_compare(high, l->most[i]) > 0) l->most[i] = high;
            }
        }
    return true;
}

static Kept *kept_at(const Limit *l, Node node, Sum left)
{
    uint64_t words[] = {node, (uint64_t)left.low, (uint64_t)(left.low >> 64), (uint64_t)left.high};
    return &l->kept[hash_words(words, G_N_ELEMENTS(words)) & ((1U << KEPT_BITS) - 1)];
}

static Node keep_within(Limit *l, Node node, Sum left)
{
    Diagram *d = l->diagram;
    if (node == NODE_ONE) return exact_sign(left) < 0 ? NODE_EMPTY : node;
    uint32_t number = listing_number(&l->listing, node), level = diagram_level(d, node), n;
    if (exact_compare(l->most[number], left) <= 0) return node;
    if (exact_compare(l->least[number], left) > 0) return NODE_EMPTY;
    const Kept *known = kept_at(l, node, left);
    if (known->node == node && exact_compare(known->left, left) == 0) return known->result;
    const DiagramEdge *edges = diagram_edges(d, node, &n);
    if (d->failed || budget_charge(d->budget, 20 + 10 * n)) return d->failed = true, NODE_EMPTY;
    DiagramEdges *made = &d->merged[level];
    vec_clear(made);
    for (uint32_t i = 0; i < n; i++) {
        Sum rest = exact_minus(weigh(l, level, edges[i].value));
        exact_add_sum(&rest, left);
        DiagramEdge edge = {edges[i].value, keep_within(l, edges[i].child, rest)};
        if (edge.child != NODE_EMPTY) vec_push(made, edge);
    }
    Node result = diagram_node(d, level, made->data, (uint32_t)made->len);
    *kept_at(l, node, left) = (Kept){node, result, left};
    return result;
}

/* ---- formulas ---- */

typedef struct Selection {
    Diagram *diagram;
    Model *model;
    Node set;
} Selection;

static FoldValue at_most(void *data, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    const Selection *s = data;
    const Net *net = s->model->net;
    Limit l = {.diagram = s->diagram, .model = s->model};
    g_autofree int64_t *factor = l.factor = g_new0(int64_t, (size_t)net->n_places + 1);
    g_autofree Kept *kept = l.kept = g_new0(Kept, (size_t)1 << KEPT_BITS);
    Sum left = exact_of(bound);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = terms[i].place;
        factor[p] = terms[i].coefficient;
        if (s->model->of_place[p] != NET_NONE) continue;
        Sum constant = exact_of(0);
        exact_add_product(&constant, factor[p], net->initial[p]);
        exact_add_sum(&left, exact_minus(constant));
    }
    if (s->set == NODE_ONE) return exact_sign(left) < 0 ? NODE_EMPTY : NODE_ONE;
    bool listed = listing_init(&l.listing, s->diagram, s->set);
    g_autofree Sum *least = l.least = g_new0(Sum, l.listing.nodes.len + 1),
                   *most = l.most = g_new0(Sum, l.listing.nodes.len + 1);
    Node result = NODE_EMPTY;
    if (listed && find_extremes(&l))
        result = keep_within(&l, s->set, left);
    else
        s->diagram->failed = true;
    listing_clear(&l.listing);
    return result;
}

static FoldValue guards(void *data, const uint32_t *transitions, uint32_t n, bool any)
{
    const Selection *s = data;
    if (!transitions) n = s->model->net->n_transitions;
    Node result = any ? NODE_EMPTY : s->set;
    for (uint32_t i = 0; i < n && result != (any ? s->set : NODE_EMPTY); i++) {
        Node enabled = select_firing(s->diagram, s->model, s->set, transitions ? transitions[i] : i, false);
        result = diagram_combine(s->diagram, any ? DIAGRAM_UNION : DIAGRAM_DIFFERENCE, result, enabled);
    }
    return result;
}

static FoldValue junction(void *data, bool all, const FoldValue *parts, uint32_t n)
{
    const Selection *s = data;
    Node result = all ? s->set : NODE_EMPTY;
    for (uint32_t i = 0; i < n; i++)
        result = diagram_combine(s->diagram, all ? DIAGRAM_INTERSECTION : DIAGRAM_UNION, result, (Node)parts[i]);
    return result;
}

Node select_formula(Diagram *diagram, Model *model, Node set, const FormulaStore *formulas, FormulaId formula)
{
    static const FormulaFold fold = {at_most, guards, junction};
    Selection s = {diagram, model, set};
    if (set == NODE_EMPTY) return NODE_EMPTY;
    Node result = (Node)formula_fold(formulas, formula, &fold, &s);
    return diagram->failed || model->fault ? NODE_EMPTY : result;
}
