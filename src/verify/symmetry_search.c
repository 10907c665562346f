#include "verify/symmetry_search.h"

#include "base/compare.h"
#include "verify/refinement.h"

#include <stdlib.h>

/* Symmetries, and places and transitions that they move, at most. */
enum { MOST_SYMMETRIES = 1 << 10, MOST_MOVES = 1 << 22 };
/* Of edges and vertices, beside the kinds of arcs and of formulas. */
enum { EDGE_DOWN = N_ARC_KINDS, EDGE_UP, EDGE_TERM, COLOUR_PLACE, COLOUR_TRANSITION, COLOUR_FORMULA };

/* ---- the graph of net and goal: places, transitions, and what the goal is made of ---- */

typedef struct Drawing {
    VEC(GraphEdge) edges; /* with their beginnings in `from` */
    VecU32 from;
} Drawing;

static void draw(Drawing *d, uint32_t a, uint32_t b, uint32_t kind, uint32_t kind_back, uint64_t weight)
{
    vec_push(&d->edges, ((GraphEdge){b, kind, weight}));
    vec_push(&d->from, a);
    vec_push(&d->edges, ((GraphEdge){a, kind_back, weight}));
    vec_push(&d->from, b);
}

static void draw_net(Drawing *d, const Net *net)
{
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++)
                draw(d, net->n_places + t, row.node[i], kind, kind, net_weight(row, i));
        }
}

/* `vertex`: of each formula below the goal. */
static void draw_formula(Drawing *d, const FormulaStore *f, FormulaId id, const uint32_t *vertex)
{
    const FormulaNode *node = formula_node(f, id);
    bool junction = node->kind == FORMULA_AND || node->kind == FORMULA_OR;
    for (uint32_t i = 0; i < node->len; i++) {
        if (node->kind == FORMULA_AT_MOST) {
            FormulaTerm term = f->terms.data[node->from + i];
            draw(d, vertex[id], term.place, EDGE_TERM, EDGE_TERM, (uint64_t)term.coefficient);
        } else {
            uint32_t item = f->items.data[node->from + i];
            draw(d, vertex[id], junction ? vertex[item] : f->net->n_places + item, EDGE_DOWN, EDGE_UP, 0);
        }
    }
}

static int compare_edges(const void *a, const void *b)
{
    const GraphEdge *x = a, *y = b;
    COMPARE(x->to, y->to);
    COMPARE(x->kind, y->kind);
    COMPARE(x->weight, y->weight);
    return 0;
}

static void sort_row(GraphEdge *edge, size_t n)
{
    if (n) qsort(edge, n, sizeof *edge, compare_edges);
}

/* Rows by where edges begin. */
static void arrange(Graph *g, const Drawing *d)
{
    g->start = g_new0(uint32_t, (size_t)g->n + 2);
    g->edge = g_new(GraphEdge, d->edges.len + 1);
    for (size_t k = 0; k < d->from.len; k++) g->start[d->from.data[k] + 2]++;
    for (uint32_t v = 0; v < g->n; v++) g->start[v + 2] += g->start[v + 1];
    for (size_t k = 0; k < d->from.len; k++) g->edge[g->start[d->from.data[k] + 1]++] = d->edges.data[k];
    for (uint32_t v = 0; v < g->n; v++) sort_row(g->edge + g->start[v], g->start[v + 1] - g->start[v]);
}

static Graph graph_of(const Query *query)
{
    const Net *net = query->net;
    uint32_t nodes = net->n_places + net->n_transitions;
    VecU32 below = {0};
    Drawing d = {0};
    g_autofree uint32_t *vertex = g_new(uint32_t, (size_t)query->goal + 1);
    formula_below(query->formulas, query->goal, &below);
    Graph g = {.n = nodes + (uint32_t)below.len};
    g.colour = g_new0(GraphColour, (size_t)g.n + 1);
    for (uint32_t v = 0; v < nodes; v++) g.colour[v].kind = v < net->n_places ? COLOUR_PLACE : COLOUR_TRANSITION;
    draw_net(&d, net);
    for (size_t k = 0; k < below.len; k++) {
        const FormulaNode *node = formula_node(query->formulas, below.data[k]);
        vertex[below.data[k]] = nodes + (uint32_t)k;
        g.colour[nodes + k] = (GraphColour){COLOUR_FORMULA + node->kind, (uint64_t)node->bound};
        draw_formula(&d, query->formulas, below.data[k], vertex);
    }
    arrange(&g, &d);
    vec_free(&below);
    vec_free(&d.edges);
    vec_free(&d.from);
    return g;
}

/* ---- one symmetry ---- */

typedef struct Search {
    const Query *query;
    Budget *budget;
    Graph graph;
    Refinement *refinement;
    Partition level, left, right; /* what is fixed so far; and beside it a vertex and its image */
    uint32_t *image;              /* all stay where they are, between uses */
    GraphEdge *row;               /* scratch */
    VecU32 found;                 /* as lists of symmetry_new(), not in order */
    uint32_t n_found;
} Search;

/* Does the image of the row have the same edges as that of the image? */
static bool keeps_row(Search *s, uint32_t v)
{
    const Graph *g = &s->graph;
    uint32_t w = s->image[v], n = g->start[v + 1] - g->start[v];
    if (n != g->start[w + 1] - g->start[w]) return false;
    if (g->colour[v].kind != g->colour[w].kind || g->colour[v].value != g->colour[w].value) return false;
    budget_charge(s->budget, 1 + 4 * n);
    for (uint32_t i = 0; i < n; i++) {
        s->row[i] = g->edge[g->start[v] + i];
        s->row[i].to = s->image[s->row[i].to];
    }
    sort_row(s->row, n);
    for (uint32_t i = 0; i < n; i++)
        if (compare_edges(&s->row[i], &g->edge[g->start[w] + i]) != 0) return false;
    return true;
}

/* What is alone in its cell goes where the other partition has it; the rest stays. */
static bool is_symmetry(Search *s)
{
    const Partition *a = &s->left, *b = &s->right;
    uint32_t n = s->graph.n, places = s->query->net->n_places, nodes = places + s->query->net->n_transitions;
    VecU32 moved = {0};
    for (uint32_t i = 0; i < n; i++)
        if (a->len[a->cell[a->vertex[i]]] == 1 && a->vertex[i] != b->vertex[i]) vec_push(&moved, a->vertex[i]);
    for (size_t i = 0; i < moved.len; i++) s->image[moved.data[i]] = b->vertex[a->at[moved.data[i]]];
    bool ok = moved.len > 0;
    for (size_t i = 0; i < moved.len && ok; i++) ok = keeps_row(s, moved.data[i]);
    for (int transitions = 0; transitions < 2 && ok; transitions++)
        for (size_t i = 0; i < moved.len; i++) {
            uint32_t v = moved.data[i];
            if (v >= nodes || (v >= places) != transitions) continue;
            vec_push(&s->found, v);
            vec_push(&s->found, s->image[v]);
        }
    if (ok) vec_push(&s->found, NET_NONE);
    s->n_found += ok;
    for (size_t i = 0; i < moved.len; i++) s->image[moved.data[i]] = moved.data[i];
    vec_free(&moved);
    return ok;
}

/* A vertex of the cell in one partition that is not in that cell of the other; NET_NONE: there is none. */
static uint32_t odd_vertex(const Partition *of, const Partition *other, uint32_t cell)
{
    for (uint32_t i = cell; i < cell + of->len[cell]; i++)
        if (other->cell[of->vertex[i]] != cell) return of->vertex[i];
    return NET_NONE;
}

/* One that takes x to y and keeps what is fixed. */
static bool find(Search *s, uint32_t x, uint32_t y)
{
    uint32_t n = s->graph.n;
    refinement_copy(&s->left, &s->level, n);
    refinement_copy(&s->right, &s->level, n);
    for (;;) {
        uint64_t trace = refinement_fix(s->refinement, &s->left, x);
        if (refinement_fix(s->refinement, &s->right, y) != trace || budget_charge(s->budget, n)) return false;
        uint32_t cell = 0;
        for (; cell < n; cell += s->left.len[cell]) {
            if (s->left.len[cell] != s->right.len[cell]) return false;
            if (s->left.len[cell] > 1 && (x = odd_vertex(&s->left, &s->right, cell)) != NET_NONE) break;
        }
        if (cell == n) return is_symmetry(s);
        y = odd_vertex(&s->right, &s->left, cell);
        if (y == NET_NONE) return false;
    }
}

/* ---- all of them ---- */

static bool has_enough(const Search *s)
{
    return s->n_found >= MOST_SYMMETRIES || s->found.len >= MOST_MOVES || budget_ended(s->budget);
}

/* The smallest cell of places that has several; NET_NONE: there is none. */
static uint32_t next_cell(const Search *s)
{
    uint32_t best = NET_NONE;
    for (uint32_t cell = 0; cell < s->graph.n; cell += s->level.len[cell]) {
        uint32_t len = s->level.len[cell];
        if (len < 2 || s->level.vertex[cell] >= s->query->net->n_places) continue;
        if (best == NET_NONE || len < s->level.len[best]) best = cell;
    }
    return best;
}

/* Fixes a place after looking where it can go. */
static void look_at(Search *s, uint32_t cell)
{
    uint32_t len = s->level.len[cell], first = s->level.vertex[cell];
    g_autofree uint32_t *others = g_memdup2(s->level.vertex + cell + 1, (len - 1) * sizeof *others);
    Partition fixed = refinement_partition(s->graph.n);
    refinement_copy(&fixed, &s->level, s->graph.n);
    refinement_fix(s->refinement, &fixed, first);
    bool alike = len > 2 && fixed.len[cell + 1] == len - 1;
    bool sorts = alike && find(s, first, fixed.vertex[cell + 1]);
    for (uint32_t i = 0; i + 1 < len && !sorts && !has_enough(s); i++) find(s, first, others[i]);
    refinement_copy(&s->level, &fixed, s->graph.n);
    refinement_clear(&fixed);
}

typedef struct Place {
    uint32_t cell_len, at, place;
} Place;

COMPARE_BY_BOTH(compare_places, Place, cell_len, at)

/* Small cells first: there is little to choose among. In a cell as they were fixed. */
static uint32_t *order_of_places(const Search *s)
{
    uint32_t n = s->query->net->n_places, *order = g_new(uint32_t, (size_t)n + 1);
    g_autofree Place *places = g_new(Place, (size_t)n + 1);
    const Partition *start = &s->refinement->start;
    for (uint32_t p = 0; p < n; p++) places[p] = (Place){start->len[start->cell[p]], s->level.at[p], p};
    if (n) qsort(places, n, sizeof *places, compare_places);
    for (uint32_t i = 0; i < n; i++) order[places[i].place] = i;
    return order;
}

static int compare_moves(const void *a, const void *b, void *order)
{
    const SymmetryMove *x = a, *y = b;
    const uint32_t *rank = order;
    return (rank[x->to] > rank[y->to]) - (rank[x->to] < rank[y->to]);
}

/* The places of each in the order of their images. */
static void sort_moves(Search *s)
{
    g_autofree uint32_t *order = order_of_places(s);
    uint32_t places = s->query->net->n_places, *list = s->found.data;
    for (size_t from = 0; from < s->found.len; from++) {
        size_t to = from;
        while (list[to] < places) to += 2;
        if (to > from) qsort_r(list + from, (to - from) / 2, sizeof(SymmetryMove), compare_moves, order);
        while (list[to] != NET_NONE) to++;
        from = to;
    }
}

static Symmetry *search(Search *s)
{
    for (uint32_t cell; !has_enough(s) && (cell = next_cell(s)) != NET_NONE;) look_at(s, cell);
    if (!s->n_found) return NULL;
    sort_moves(s);
    return symmetry_new(s->query->net, &s->found);
}

Symmetry *symmetry_search(const Query *query, Budget *budget)
{
    Search s = {.query = query, .budget = budget, .graph = graph_of(query)};
    s.refinement = refinement_new(&s.graph, budget);
    s.level = refinement_partition(s.graph.n);
    s.left = refinement_partition(s.graph.n);
    s.right = refinement_partition(s.graph.n);
    refinement_copy(&s.level, &s.refinement->start, s.graph.n);
    s.image = g_new(uint32_t, (size_t)s.graph.n + 1);
    s.row = g_new(GraphEdge, (size_t)s.graph.start[s.graph.n] + 1);
    for (uint32_t v = 0; v < s.graph.n; v++) s.image[v] = v;
    Symmetry *symmetry = search(&s);
    refinement_free(s.refinement);
    refinement_clear(&s.level);
    refinement_clear(&s.left);
    refinement_clear(&s.right);
    g_free(s.image);
    g_free(s.row);
    vec_free(&s.found);
    g_free(s.graph.start);
    g_free(s.graph.edge);
    g_free(s.graph.colour);
    return symmetry;
}
