#include "verify/goaltree.h"

#include "prop/formula_fold.h"

#include <assert.h>
#include <stdlib.h>

/* ---- building ---- */

typedef struct Builder {
    GoalTree *tree;
    const Query *query;
    Atoms *atoms;
} Builder;

static int32_t note(Builder *b, int32_t literal)
{
    while (b->tree->counts.len < atoms_count(b->atoms)) vec_push(&b->tree->counts, 0);
    b->tree->counts.data[abs(literal) - 1]++;
    return literal;
}

static uint32_t add_leaf(Builder *b, int32_t literal)
{
    vec_push(&b->tree->nodes, ((GoalNode){.literal = note(b, literal)}));
    return (uint32_t)b->tree->nodes.len - 1;
}

static uint32_t add_node(Builder *b, bool both, const VecU32 *children)
{
    GoalNode node = {both, 0, (uint32_t)b->tree->children.len, (uint32_t)children->len};
    vec_append(&b->tree->children, children->data, children->len);
    vec_push(&b->tree->nodes, node);
    return (uint32_t)b->tree->nodes.len - 1;
}

static uint32_t add_guard(Builder *b, uint32_t t, bool enabled)
{
    VecU32 parts = {0};
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        if (kind == ARC_POST) continue;
        NetRow row = net_places(b->query->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            int32_t there = atoms_tokens(b->atoms, row.node[i], net_weight(row, i));
            vec_push(&parts, add_leaf(b, (kind != ARC_INHIBIT) == enabled ? there : -there));
        }
    }
    uint32_t node = add_node(b, enabled, &parts);
    vec_free(&parts);
    return node;
}

static uint32_t add_guards(Builder *b, const uint32_t *transitions, uint32_t n, bool enabled)
{
    VecU32 parts = {0};
    for (uint32_t i = 0; i < n; i++) vec_push(&parts, add_guard(b, transitions ? transitions[i] : i, enabled));
    uint32_t node = add_node(b, !enabled, &parts);
    vec_free(&parts);
    return node;
}

static FoldValue fold_at_most(void *data, const FormulaTerm *terms, uint32_t n, int64_t bound)
{
    Builder *b = data;
    return add_leaf(b, atoms_at_most(b->atoms, terms, n, bound));
}

static FoldValue fold_guards(void *data, const uint32_t *transitions, uint32_t n, bool any)
{
    return add_guards(data, transitions, n, any);
}

static FoldValue fold_junction(void *data, bool all, const FoldValue *parts, uint32_t n)
{
    VecU32 children = {0};
    for (uint32_t i = 0; i < n; i++) vec_push(&children, (uint32_t)parts[i]);
    uint32_t node = add_node(data, all, &children);
    vec_free(&children);
    return node;
}

void goaltree_init(GoalTree *g, const Query *query, Atoms *atoms)
{
    *g = (GoalTree){0};
    static const FormulaFold fold = {fold_at_most, fold_guards, fold_junction};
    Builder b = {g, query, atoms};
    formula_fold(query->formulas, query->goal, &fold, &b); /* the goal's node is the last */
    g->sat = g_new0(SatLit, g->nodes.len + 1);
    g->chosen = g_new0(bool, g->nodes.len + 1);
}

void goaltree_clear(GoalTree *g)
{
    vec_free(&g->nodes);
    vec_free(&g->children);
    vec_free(&g->counts);
    g_free(g->sat);
    g_free(g->chosen);
}

/* ---- clauses ---- */

void goaltree_number(GoalTree *g, Sat *sat, const SatLit *atoms)
{
    for (size_t i = 0; i < g->nodes.len; i++) {
        int32_t literal = g->nodes.data[i].literal;
        g->sat[i] = !literal ? sat_variable(sat) : literal > 0 ? atoms[literal - 1] : -atoms[-literal - 1];
    }
}

/* One direction is enough: the goal has no negation. */
void goaltree_assert(const GoalTree *g, Sat *sat)
{
    for (size_t i = 0; i < g->nodes.len; i++) {
        const GoalNode *node = &g->nodes.data[i];
        if (node->literal) continue;
        for (uint32_t k = 0; k < node->len; k++) {
            SatLit child = g->sat[g->children.data[node->from + k]];
            if (node->both)
                sat_clause_of(sat, -g->sat[i], child);
            else
                sat_add(sat, child);
        }
        if (node->both) continue;
        sat_add(sat, -g->sat[i]);
        sat_add(sat, 0);
    }
    sat_clause_of(sat, g->sat[g->nodes.len - 1]);
}

/* ---- choosing ---- */

static void choose(GoalTree *g, uint32_t node, VecU32 *open)
{
    if (g->chosen[node]) return;
    g->chosen[node] = true;
    vec_push(open, node);
}

/* The child of a disjunction to lean on: one that is chosen already, else the one the goal names most often. */
static uint32_t pick(const GoalTree *g, Sat *sat, const GoalNode *node, const uint8_t *taken, uint32_t *n_true)
{
    uint32_t best = NET_NONE, most = 0;
    *n_true = 0;
    for (uint32_t k = 0; k < node->len; k++) {
        uint32_t child = g->children.data[node->from + k];
        int32_t literal = g->nodes.data[child].literal;
        if (!sat_value(sat, g->sat[child])) continue;
        ++*n_true;
        if (g->chosen[child] || (literal && taken[abs(literal) - 1])) return child;
        uint32_t count = literal ? g->counts.data[abs(literal) - 1] : 0;
        if (best == NET_NONE || count > most) best = child, most = count;
    }
    return best;
}

/* Disjunctions without a choice come first. */
void goaltree_justify(GoalTree *g, Sat *sat, VecI32 *literals)
{
    VecU32 open = {0}, later = {0};
    g_autofree uint8_t *taken = g_new0(uint8_t, g->counts.len + 1);
    memset(g->chosen, 0, g->nodes.len * sizeof *g->chosen);
    choose(g, (uint32_t)g->nodes.len - 1, &open);
    while (open.len || later.len) {
        bool forced = open.len > 0;
        uint32_t i = forced ? vec_pop(&open) : vec_pop(&later), n_true;
        const GoalNode *node = &g->nodes.data[i];
        if (node->literal) {
            if (!taken[abs(node->literal) - 1]) vec_push(literals, node->literal);
            taken[abs(node->literal) - 1] = 1;
        } else if (node->both) {
            for (uint32_t k = 0; k < node->len; k++) choose(g, g->children.data[node->from + k], &open);
        } else {
            uint32_t child = pick(g, sat, node, taken, &n_true);
            assert(child != NET_NONE);
            if (forced && n_true > 1)
                vec_push(&later, i);
            else
                choose(g, child, &open);
        }
    }
    vec_free(&open);
    vec_free(&later);
}
