#include "verify/run_facts.h"

#include "verify/effects.h"

/* Of making a trap small: transitions looked at. */
enum { MOST_EFFORT = 1000 * 1000 };

/* Does t leave a token in a place of the set whenever it takes one from it? */
static bool leaves_token(const Net *net, uint32_t t, const bool *set)
{
    NetRow post = net_places(net, ARC_POST, t), read = net_places(net, ARC_READ, t);
    for (uint32_t i = 0; i < post.len; i++)
        if (set[post.node[i]]) return true;
    for (uint32_t i = 0; i < read.len; i++)
        if (set[read.node[i]] && net_weight(read, i) > net_arc_weight(net, ARC_PRE, t, read.node[i])) return true;
    return false;
}

/* Transitions whose token in the set may have been the one in p. */
static void push_affected(const Net *net, uint32_t p, VecU32 *check)
{
    NetRow producers = net_transitions(net, ARC_POST, p), readers = net_transitions(net, ARC_READ, p);
    vec_append(check, producers.node, producers.len);
    vec_append(check, readers.node, readers.len);
}

/* Leaves the largest trap within the set; what goes is appended to `gone`. Adds its steps to *effort. */
static void shrink_to_trap(const Net *net, bool *set, VecU32 *check, VecU32 *gone, uint64_t *effort)
{
    while (check->len) {
        uint32_t t = vec_pop(check);
        ++*effort;
        if (leaves_token(net, t, set)) continue;
        NetRow pre = net_places(net, ARC_PRE, t);
        for (uint32_t i = 0; i < pre.len; i++) {
            uint32_t p = pre.node[i];
            if (!set[p]) continue;
            set[p] = false;
            vec_push(gone, p);
            push_affected(net, p, check);
        }
    }
}

static size_t read_set(const Net *net, const bool *set, VecU32 *places)
{
    size_t with_token = 0;
    vec_clear(places);
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!set[p]) continue;
        vec_push(places, p);
        with_token += net->initial[p] > 0;
    }
    return with_token;
}

bool run_facts_trap(const Net *net, const bool *marked, VecU32 *places)
{
    g_autofree bool *set = g_new(bool, net->n_places + 1);
    VecU32 check = {0}, gone = {0};
    uint64_t effort = 0;
    for (uint32_t p = 0; p < net->n_places; p++) set[p] = !marked[p];
    for (uint32_t t = 0; t < net->n_transitions; t++) vec_push(&check, t);
    shrink_to_trap(net, set, &check, &gone, &effort);
    vec_free(&check);
    vec_free(&gone);
    return read_set(net, set, places) > 0;
}

static int by_arcs(const void *a, const void *b, void *data)
{
    const Net *net = data;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    uint64_t x = (uint64_t)net_transitions(net, ARC_PRE, p).len + net_transitions(net, ARC_POST, p).len,
             y = (uint64_t)net_transitions(net, ARC_PRE, q).len + net_transitions(net, ARC_POST, q).len;
    return x != y ? (x > y) - (x < y) : (p > q) - (p < q);
}

void run_facts_smaller_trap(const Net *net, VecU32 *places)
{
    /* where many transitions meet much else falls with the place: such ones last, when the effort may end */
    g_qsort_with_data(places->data, (gint)places->len, sizeof *places->data, by_arcs, (void *)net);
    g_autofree bool *set = g_new0(bool, net->n_places + 1);
    VecU32 check = {0}, gone = {0};
    uint64_t effort = 0;
    size_t with_token = 0;
    for (size_t i = 0; i < places->len; i++) {
        set[places->data[i]] = true;
        with_token += net->initial[places->data[i]] > 0;
    }
    for (size_t i = 0; i < places->len && effort < MOST_EFFORT; i++) {
        uint32_t p = places->data[i];
        if (!set[p]) continue;
        vec_clear(&gone);
        set[p] = false;
        vec_push(&gone, p);
        push_affected(net, p, &check);
        shrink_to_trap(net, set, &check, &gone, &effort);
        size_t lost = 0;
        for (size_t k = 0; k < gone.len; k++) lost += net->initial[gone.data[k]] > 0;
        if (lost < with_token) {
            with_token -= lost;
            continue;
        }
        for (size_t k = 0; k < gone.len; k++) set[gone.data[k]] = true;
    }
    vec_free(&check);
    vec_free(&gone);
    read_set(net, set, places);
}

static void push_firing(const Net *net, ArcKind kind, uint32_t p, const bool *fires, VecU32 *check)
{
    NetRow row = net_transitions(net, kind, p);
    for (uint32_t i = 0; i < row.len; i++)
        if (fires[row.node[i]]) vec_push(check, row.node[i]);
}

bool run_facts_needs(const Net *net, uint32_t t, const bool *set)
{
    for (int k = 0; k < 2; k++) {
        NetRow row = net_places(net, k ? ARC_READ : ARC_PRE, t);
        for (uint32_t i = 0; i < row.len; i++)
            if (set[row.node[i]]) return true;
    }
    return false;
}

bool run_facts_feeds(const Net *net, uint32_t t, const bool *set)
{
    NetRow post = net_places(net, ARC_POST, t);
    for (uint32_t i = 0; i < post.len; i++)
        if (set[post.node[i]]) return true;
    return false;
}

/* What can fire because nothing it needs is unfed feeds its places, and so on. */
void run_facts_unfed(const Net *net, const bool *fires, bool *unfed)
{
    VecU32 check = {0};
    for (uint32_t p = 0; p < net->n_places; p++) unfed[p] = net->initial[p] == 0;
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (fires[t]) vec_push(&check, t);
    while (check.len) {
        uint32_t t = vec_pop(&check);
        if (!run_facts_feeds(net, t, unfed) || run_facts_needs(net, t, unfed)) continue;
        NetRow post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < post.len; i++) {
            uint32_t p = post.node[i];
            if (!unfed[p]) continue;
            unfed[p] = false;
            push_firing(net, ARC_PRE, p, fires, &check);
            push_firing(net, ARC_READ, p, fires, &check);
        }
    }
    vec_free(&check);
}

void run_facts_left(const Net *net, uint32_t t, VecLeft *all)
{
    static const ArcKind kinds[] = {ARC_POST, ARC_READ, ARC_INHIBIT};
    vec_clear(all);
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        NetRow row = net_places(net, kinds[k], t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            uint64_t takes = net_arc_weight(net, ARC_PRE, t, p), puts = net_arc_weight(net, ARC_POST, t, p);
            uint64_t needs = MAX(takes, net_arc_weight(net, ARC_READ, t, p)), limit = net_weight(row, i);
            bool inhibited = kinds[k] == ARC_INHIBIT;
            /* An inhibitor below what t takes: it never fires, and any bound will do. */
            vec_push(all, ((Left){p, inhibited, needs - takes + puts,
                                  inhibited && limit > takes ? limit - 1 - takes + puts : puts}));
        }
    }
}

static bool add_test(FormulaStore *formulas, uint32_t p, bool at_most, uint64_t count, VecU32 *parts)
{
    FormulaId test;
    if (count > INT64_MAX - 1) return false;
    FormulaTerm term = {p, at_most ? 1 : -1};
    if (!formula_at_most(formulas, &term, 1, at_most ? (int64_t)count : -(int64_t)count, &test, NULL)) return false;
    vec_push(parts, test);
    return true;
}

static bool add_left(FormulaStore *formulas, uint32_t t, VecLeft *left, VecU32 *parts)
{
    bool fits = true;
    run_facts_left(formulas->net, t, left);
    for (size_t i = 0; i < left->len && fits; i++) {
        const Left *l = &left->data[i];
        fits = add_test(formulas, l->place, l->inhibited, l->inhibited ? l->high : l->low, parts);
    }
    return fits;
}

bool run_facts_last(FormulaStore *formulas, FormulaId *last)
{
    const Net *net = formulas->net;
    VecU32 ways = {0}, parts = {0};
    VecLeft left = {0};
    VecTerm effect = {0};
    bool fits = true;
    for (uint32_t p = 0; p < net->n_places && fits; p++)
        fits = add_test(formulas, p, true, net->initial[p], &parts) &&
               add_test(formulas, p, false, net->initial[p], &parts);
    vec_push(&ways, formula_and(formulas, parts.data, parts.len));
    for (uint32_t t = 0; t < net->n_transitions && fits; t++) {
        effects_of(net, t, &effect);
        if (!effect.len) continue;
        vec_clear(&parts);
        fits = add_left(formulas, t, &left, &parts);
        vec_push(&ways, formula_and(formulas, parts.data, parts.len));
    }
    *last = formula_or(formulas, ways.data, ways.len);
    vec_free(&ways);
    vec_free(&parts);
    vec_free(&left);
    vec_free(&effect);
    return fits;
}
