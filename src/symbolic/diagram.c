#include "symbolic/diagram.h"

#include "base/bisect.h"
#include "base/hash.h"

#include <assert.h>

#define MARK (UINT32_C(1) << 31)
enum { BLOCK = 1 << DIAGRAM_BLOCK_BITS, FIRST_TABLE = 1 << 10, MOST_MEMOS = 1 << 24, ROOM = 1 << 21 };

Diagram *diagram_new(uint32_t n_levels, Budget *budget)
{
    assert(n_levels <= DIAGRAM_MAX_LEVELS);
    Diagram *d = g_new0(Diagram, 1);
    d->budget = budget;
    d->n_levels = n_levels;
    d->room = ROOM;
    d->table = g_new0(uint32_t, FIRST_TABLE);
    d->table_mask = FIRST_TABLE - 1;
    d->memo = g_new0(DiagramMemo, FIRST_TABLE);
    d->memo_mask = FIRST_TABLE - 1;
    d->merged = g_new0(DiagramEdges, (size_t)n_levels + 1);
    return d;
}

void diagram_free(Diagram *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->blocks.len; i++) g_free(d->blocks.data[i]);
    vec_free(&d->blocks);
    vec_free(&d->free);
    for (uint32_t k = 0; k < d->n_levels; k++) vec_free(&d->merged[k]);
    g_free(d->merged);
    g_free(d->table);
    g_free(d->memo);
    g_free(d);
}

/* ---- nodes ---- */

HASH_WRAPS static uint32_t hash_of(uint32_t level, const DiagramEdge *edges, uint32_t n)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) * (level + 1);
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ (((uint64_t)edges[i].value << 32) + edges[i].child)) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return (uint32_t)hash_mix(h);
}

static uint32_t hash_of_node(const Diagram *d, Node node)
{
    uint32_t n;
    const DiagramEdge *edges = diagram_edges(d, node, &n);
    return hash_of(diagram_level(d, node) & ~MARK, edges, n);
}

static void put(Diagram *d, Node node)
{
    uint32_t i = hash_of_node(d, node) & d->table_mask;
    while (d->table[i]) i = (i + 1) & d->table_mask;
    d->table[i] = node;
}

static bool grow_table(Diagram *d)
{
    uint64_t size = 2 * ((uint64_t)d->table_mask + 1);
    if (size > UINT32_MAX || !budget_allows(d->budget, size * sizeof *d->table)) return false;
    uint32_t *old = d->table, n = d->table_mask + 1;
    d->table = g_new0(uint32_t, size);
    d->table_mask = (uint32_t)size - 1;
    for (uint32_t i = 0; i < n; i++)
        if (old[i]) put(d, old[i]);
    g_free(old);
    return true;
}

/* A node of n edges, not yet filled; EMPTY when there is no room. */
static Node allocate(Diagram *d, uint32_t n)
{
    if (n < d->free.len && d->free.data[n]) {
        Node node = d->free.data[n];
        d->free.data[n] = diagram_unit(d, node)->head.level;
        d->units += n + 1;
        return node;
    }
    if (d->blocks.len == 0 || d->next + n + 1 > d->blocks.len * BLOCK) {
        if (d->blocks.len >= UINT32_MAX >> DIAGRAM_BLOCK_BITS) return NODE_EMPTY;
        if (!budget_allows(d->budget, BLOCK * sizeof(DiagramUnit))) return NODE_EMPTY;
        d->next = (uint32_t)d->blocks.len * BLOCK + (d->blocks.len == 0 ? NODE_ONE + 1 : 0);
        vec_push(&d->blocks, g_new(DiagramUnit, BLOCK));
    }
    Node node = d->next;
    d->next += n + 1;
    d->units += n + 1;
    return node;
}

static Node fail(Diagram *d)
{
    d->failed = true;
    budget_exhaust(d->budget, ENDING_MEMORY); /* unless something ended it before */
    return NODE_EMPTY;
}

static bool is_it(const Diagram *d, Node node, uint32_t level, const DiagramEdge *edges, uint32_t n)
{
    const DiagramUnit *unit = diagram_unit(d, node);
    return unit->head.level == level && unit->head.n == n && memcmp(unit + 1, edges, n * sizeof *edges) == 0;
}

Node diagram_node(Diagram *d, uint32_t level, const DiagramEdge *edges, uint32_t n)
{
    assert(level < d->n_levels && n <= DIAGRAM_MAX_VALUES);
    if (n == 0 || d->failed) return NODE_EMPTY;
    if (d->n_nodes > d->table_mask / 4 * 3 && !grow_table(d)) return fail(d);
    uint32_t i = hash_of(level, edges, n) & d->table_mask;
    for (; d->table[i]; i = (i + 1) & d->table_mask)
        if (is_it(d, d->table[i], level, edges, n)) return d->table[i];
    Node node = allocate(d, n);
    if (node == NODE_EMPTY) return fail(d);
    DiagramUnit *unit = diagram_unit(d, node);
    unit->head.level = level;
    unit->head.n = n;
    memcpy(unit + 1, edges, n * sizeof *edges);
    d->table[i] = node;
    d->n_nodes++;
    return node;
}

bool diagram_has(const Diagram *d, Node root, const uint32_t *values)
{
    Node node = root;
    for (uint32_t k = d->n_levels; k-- > 0 && node != NODE_EMPTY;) {
        uint32_t i, n;
        const DiagramEdge *edges = diagram_edges(d, node, &n);
        BISECT(i, 0, n, edges[i].value < values[k]);
        node = i < n && edges[i].value == values[k] ? edges[i].child : NODE_EMPTY;
    }
    return node != NODE_EMPTY;
}

/* ---- what is remembered ---- */

static uint32_t memo_at(const Diagram *d, uint32_t operation, Node a, Node b)
{
    return (uint32_t)hash_mix(((uint64_t)a << 32 | b) ^ (uint64_t)operation << 40 ^ operation) & d->memo_mask;
}

bool diagram_recall(const Diagram *d, uint32_t operation, Node a, Node b, Node *result)
{
    const DiagramMemo *memo = &d->memo[memo_at(d, operation, a, b)];
    if (memo->operation != operation || memo->a != a || memo->b != b) return false;
    *result = memo->result;
    return true;
}

static void put_memo(Diagram *d, DiagramMemo memo)
{
    DiagramMemo *at = &d->memo[memo_at(d, memo.operation, memo.a, memo.b)];
    d->forgotten += at->operation != DIAGRAM_NOTHING;
    *at = memo;
}

/* What was remembered moves along, as far as it fits. */
static void grow_memo(Diagram *d)
{
    uint64_t size = 4 * ((uint64_t)d->memo_mask + 1);
    d->forgotten = 0;
    uint64_t limit = budget_memory(d->budget); /* forgetting costs time only, so most of it is for nodes */
    if (size > MOST_MEMOS || (limit && size * sizeof *d->memo > limit / 8)) return;
    g_autofree DiagramMemo *old = d->memo;
    uint32_t n = d->memo_mask + 1;
    d->memo = g_new0(DiagramMemo, size);
    d->memo_mask = (uint32_t)size - 1;
    for (uint32_t i = 0; i < n; i++)
        if (old[i].operation) put_memo(d, old[i]);
}

void diagram_remember(Diagram *d, uint32_t operation, Node a, Node b, Node result)
{
    put_memo(d, (DiagramMemo){operation, a, b, result});
    if (d->forgotten > d->memo_mask / 2) grow_memo(d);
}

/* ---- operations ---- */

static void keep(Diagram *d, uint32_t level, uint32_t value, Node child)
{
    if (child == NODE_EMPTY) return;
    DiagramEdge edge = {value, child};
    vec_push(&d->merged[level], edge);
}

/* Without looking below. */
static bool combine_at_once(DiagramOperation operation, Node a, Node b, Node *result)
{
    bool none = a == NODE_EMPTY || b == NODE_EMPTY;
    if (a != b && !none) return false;
    switch (operation) {
    case DIAGRAM_UNION: *result = a == NODE_EMPTY ? b : a; break;
    case DIAGRAM_INTERSECTION: *result = none ? NODE_EMPTY : a; break;
    default: *result = a == b ? NODE_EMPTY : a; break;
    }
    return true;
}

Node diagram_combine(Diagram *d, DiagramOperation operation, Node a, Node b)
{
    Node result;
    if (combine_at_once(operation, a, b, &result)) return result;
    if (operation != DIAGRAM_DIFFERENCE && a > b) {
        Node other = a;
        a = b;
        b = other;
    }
    if (diagram_recall(d, operation, a, b, &result)) return result;
    uint32_t level = diagram_level(d, a), na, nb, i = 0, j = 0;
    assert(level == diagram_level(d, b));
    const DiagramEdge *ea = diagram_edges(d, a, &na), *eb = diagram_edges(d, b, &nb);
    bool left = operation != DIAGRAM_INTERSECTION, right = operation == DIAGRAM_UNION;
    if (d->failed || budget_charge(d->budget, 10 + 2 * (na + nb))) return d->failed = true, NODE_EMPTY;
    vec_clear(&d->merged[level]);
    while (i < na || j < nb) {
        if (j == nb || (i < na && ea[i].value < eb[j].value)) {
            if (left) keep(d, level, ea[i].value, ea[i].child);
            i++;
        } else if (i == na || ea[i].value > eb[j].value) {
            if (right) keep(d, level, eb[j].value, eb[j].child);
            j++;
        } else {
            keep(d, level, ea[i].value, diagram_combine(d, operation, ea[i].child, eb[j].child));
            i++, j++;
        }
    }
    result = diagram_node(d, level, d->merged[level].data, (uint32_t)d->merged[level].len);
    diagram_remember(d, operation, a, b, result);
    return result;
}

/* ---- collecting ---- */

bool diagram_is_full(const Diagram *d)
{
    return d->units > d->room && d->units / 2 > d->units_kept;
}

void diagram_mark(Diagram *d, Node root)
{
    if (root <= NODE_ONE || diagram_unit(d, root)->head.level & MARK) return;
    diagram_unit(d, root)->head.level |= MARK;
    uint32_t n;
    const DiagramEdge *edges = diagram_edges(d, root, &n);
    for (uint32_t i = 0; i < n; i++) diagram_mark(d, edges[i].child);
}

static bool is_kept(const Diagram *d, Node node)
{
    return node <= NODE_ONE || diagram_unit(d, node)->head.level & MARK;
}

static void throw_away(Diagram *d, Node node)
{
    DiagramUnit *unit = diagram_unit(d, node);
    uint32_t n = unit->head.n;
    while (d->free.len <= n) vec_push(&d->free, 0);
    unit->head.level = d->free.data[n];
    d->free.data[n] = node;
    d->units -= n + 1;
    d->n_nodes--;
}

void diagram_collect(Diagram *d)
{
    for (uint32_t i = 0; i <= d->memo_mask; i++) {
        DiagramMemo *memo = &d->memo[i];
        if (memo->operation && !(is_kept(d, memo->a) && is_kept(d, memo->b) && is_kept(d, memo->result)))
            memo->operation = DIAGRAM_NOTHING;
    }
    g_autofree uint32_t *old = d->table;
    d->table = g_new0(uint32_t, (size_t)d->table_mask + 1);
    for (uint32_t i = 0; i <= d->table_mask; i++) {
        if (!old[i]) continue;
        if (!is_kept(d, old[i])) {
            throw_away(d, old[i]);
            continue;
        }
        diagram_unit(d, old[i])->head.level &= ~MARK;
        put(d, old[i]);
    }
    d->units_kept = d->units;
    budget_charge(d->budget, d->table_mask + d->memo_mask);
}

/* ---- looking at all ---- */

bool diagram_list(Diagram *d, Node root, VecU32 *nodes, uint32_t *from)
{
    diagram_mark(d, root);
    memset(from, 0, ((size_t)d->n_levels + 1) * sizeof *from);
    uint32_t total = 0;
    for (uint32_t i = 0; i <= d->table_mask; i++)
        if (d->table[i] && is_kept(d, d->table[i])) from[(diagram_level(d, d->table[i]) & ~MARK) + 1]++, total++;
    for (uint32_t k = 0; k < d->n_levels; k++) from[k + 1] += from[k];
    vec_reserve(nodes, total);
    nodes->len = total;
    g_autofree uint32_t *at = g_memdup2(from, ((size_t)d->n_levels + 1) * sizeof *from);
    for (uint32_t i = 0; i <= d->table_mask; i++) {
        if (!d->table[i] || !is_kept(d, d->table[i])) continue;
        uint32_t *level = &diagram_unit(d, d->table[i])->head.level;
        *level &= ~MARK;
        nodes->data[at[*level]++] = d->table[i];
    }
    return !budget_charge(d->budget, d->table_mask + total);
}
