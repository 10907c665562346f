#include "verify/refinement.h"

#include "base/compare.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

typedef struct Seen {
    uint64_t by; /* what its neighbours in the splitting cell add up to */
    uint32_t vertex;
} Seen;

COMPARE_BY_BOTH(compare_seen, Seen, by, vertex)

struct RefinementScratch {
    uint64_t *by;  /* per vertex; 0: not seen */
    uint32_t *few; /* per cell: its vertices that were seen, which stand at its end */
    VecU32 cells;  /* with such vertices */
    VecU32 queue;  /* cells to split by */
    bool *queued;
    VecU32 splitter;
    VEC(Seen) seen;
    uint64_t alone; /* what vertices that are alone in their cells add up to, in whatever order they come */
    uint64_t trace;
};

HASH_WRAPS static void note(struct RefinementScratch *s, uint64_t fact)
{
    s->trace = hash_mix(s->trace * 3 + fact);
}

HASH_WRAPS static uint64_t value_of(const GraphEdge *e)
{
    return hash_mix(e->weight + hash_mix(e->kind + 1)) | 1;
}

HASH_WRAPS static void add_value(uint64_t *sum, uint64_t value)
{
    *sum += value;
    if (!*sum) *sum = 1;
}

static void push(struct RefinementScratch *s, uint32_t cell)
{
    if (s->queued[cell]) return;
    s->queued[cell] = true;
    vec_push(&s->queue, cell);
}

static void exchange(Partition *p, uint32_t v, uint32_t to)
{
    uint32_t other = p->vertex[to], from = p->at[v];
    p->vertex[from] = other, p->at[other] = from;
    p->vertex[to] = v, p->at[v] = to;
}

static void see(struct RefinementScratch *s, Partition *p, const GraphEdge *e)
{
    uint32_t v = e->to, cell = p->cell[v];
    if (p->len[cell] == 1) {
        add_value(&s->alone, hash_mix(value_of(e) ^ cell));
        return;
    }
    if (!s->by[v]) {
        if (!s->few[cell]) vec_push(&s->cells, cell);
        exchange(p, v, cell + p->len[cell] - 1 - s->few[cell]++);
    }
    add_value(&s->by[v], value_of(e));
}

/* The part of a cell from there on becomes one of its own. */
static void cut(Partition *p, uint32_t from, uint32_t len)
{
    p->len[from] = len;
    for (uint32_t i = from; i < from + len; i++) p->cell[p->vertex[i]] = from;
}

/* Those not seen stay in front, the others follow by what was seen of them. */
static void split(struct RefinementScratch *s, Partition *p, uint32_t cell)
{
    uint32_t len = p->len[cell], few = s->few[cell], first = cell + len - few, largest = cell;
    vec_clear(&s->seen);
    for (uint32_t i = first; i < cell + len; i++) {
        vec_push(&s->seen, ((Seen){s->by[p->vertex[i]], p->vertex[i]}));
        s->by[p->vertex[i]] = 0;
    }
    s->few[cell] = 0;
    qsort(s->seen.data, s->seen.len, sizeof *s->seen.data, compare_seen);
    bool was_queued = s->queued[cell];
    size_t parts = s->cells.len;
    if (few < len) p->len[cell] = len - few;
    for (uint32_t from = 0, i = 0; i < few; i++) {
        p->vertex[first + i] = s->seen.data[i].vertex;
        p->at[s->seen.data[i].vertex] = first + i;
        if (i + 1 < few && s->seen.data[i + 1].by == s->seen.data[from].by) continue;
        note(s, first + from);
        note(s, s->seen.data[from].by);
        cut(p, first + from, i + 1 - from);
        if (p->len[first + from] > p->len[largest]) largest = first + from;
        vec_push(&s->cells, first + from);
        from = i + 1;
    }
    for (size_t k = parts; k < s->cells.len; k++)
        if (was_queued || s->cells.data[k] != largest) push(s, s->cells.data[k]);
    if (!was_queued && largest != cell) push(s, cell);
    s->cells.len = parts;
}

static uint64_t refine(Refinement *r, Partition *p)
{
    struct RefinementScratch *s = r->scratch;
    for (size_t at = 0; at < s->queue.len; at++) {
        uint32_t cell = s->queue.data[at];
        s->queued[cell] = false;
        note(s, cell);
        note(s, s->alone);
        if (budget_ended(r->budget)) continue;
        vec_clear(&s->splitter);
        vec_clear(&s->cells);
        vec_append(&s->splitter, p->vertex + cell, p->len[cell]);
        for (size_t i = 0; i < s->splitter.len; i++) {
            uint32_t v = s->splitter.data[i], from = r->graph->start[v], to = r->graph->start[v + 1];
            for (uint32_t k = from; k < to; k++) see(s, p, &r->graph->edge[k]);
            budget_charge(r->budget, 1 + 2 * (to - from));
        }
        if (s->cells.len) qsort(s->cells.data, s->cells.len, sizeof *s->cells.data, compare_u32);
        for (size_t i = 0; i < s->cells.len; i++) split(s, p, s->cells.data[i]);
    }
    vec_clear(&s->queue);
    return s->trace;
}

Partition refinement_partition(uint32_t n)
{
    size_t size = (size_t)n + 1;
    return (Partition){g_new0(uint32_t, size), g_new0(uint32_t, size), g_new0(uint32_t, size), g_new0(uint32_t, size)};
}

void refinement_clear(Partition *p)
{
    g_free(p->vertex);
    g_free(p->at);
    g_free(p->cell);
    g_free(p->len);
}

void refinement_copy(Partition *to, const Partition *from, uint32_t n)
{
    memcpy(to->vertex, from->vertex, n * sizeof *to->vertex);
    memcpy(to->at, from->at, n * sizeof *to->at);
    memcpy(to->cell, from->cell, n * sizeof *to->cell);
    memcpy(to->len, from->len, n * sizeof *to->len);
}

typedef struct Coloured {
    GraphColour colour;
    uint32_t vertex;
} Coloured;

COMPARE_BY_BOTH(compare_coloured, Coloured, colour.kind, colour.value)

/* By colours. */
static void begin(Refinement *r)
{
    const Graph *g = r->graph;
    g_autofree Coloured *all = g_new(Coloured, (size_t)g->n + 1);
    for (uint32_t v = 0; v < g->n; v++) all[v] = (Coloured){g->colour[v], v};
    if (g->n) qsort(all, g->n, sizeof *all, compare_coloured);
    for (uint32_t from = 0, i = 0; i < g->n; i++) {
        r->start.vertex[i] = all[i].vertex;
        r->start.at[all[i].vertex] = i;
        if (i + 1 < g->n && compare_coloured(&all[i + 1], &all[from]) == 0) continue;
        cut(&r->start, from, i + 1 - from);
        push(r->scratch, from);
        from = i + 1;
    }
}

Refinement *refinement_new(const Graph *graph, Budget *budget)
{
    Refinement *r = g_new0(Refinement, 1);
    size_t size = (size_t)graph->n + 1;
    *r = (Refinement){.graph = graph,
                      .budget = budget,
                      .start = refinement_partition(graph->n),
                      .scratch = g_new0(struct RefinementScratch, 1)};
    r->scratch->by = g_new0(uint64_t, size);
    r->scratch->few = g_new0(uint32_t, size);
    r->scratch->queued = g_new0(bool, size);
    begin(r);
    refine(r, &r->start);
    return r;
}

void refinement_free(Refinement *r)
{
    if (!r) return;
    struct RefinementScratch *s = r->scratch;
    g_free(s->by);
    g_free(s->few);
    g_free(s->queued);
    vec_free(&s->cells);
    vec_free(&s->queue);
    vec_free(&s->splitter);
    vec_free(&s->seen);
    g_free(s);
    refinement_clear(&r->start);
    g_free(r);
}

uint64_t refinement_fix(Refinement *r, Partition *p, uint32_t v)
{
    uint32_t cell = p->cell[v], len = p->len[cell];
    assert(len > 1);
    exchange(p, v, cell);
    cut(p, cell + 1, len - 1);
    cut(p, cell, 1);
    r->scratch->trace = cell, r->scratch->alone = 0;
    push(r->scratch, cell);
    return refine(r, p);
}
