/* Multisets: tuples of sums and differences are multiplied out, so that what is left are sums and differences of items.
 */
#include "colour/pattern_compile.h"

#include "base/error.h"
#include "base/exact.h"

#include <assert.h>

enum { MAX_COMBINATIONS = 1 << 22 };

/* Nodes of a term that is multiplied out, last one first: the children of a node come before it, its first child right
 * before. In a tuple a difference of parts is the difference of the tuples, since counts are never negative:
 * a * max(b - c, 0) = max(a * b - a * c, 0). */
typedef struct Summand {
    uint8_t op;                /* TERM_ADD, TERM_SUBTRACT, or TERM_TUPLE: an item */
    uint32_t size, n_children; /* as of a Term */
    uint64_t count;            /* of an item */
    uint32_t leaf, n_leaves;
} Summand;

typedef VEC(Summand) VecSummand;

static bool refuse(Compiler *c, const Term *term, const char *message)
{
    if (!c->failed) g_set_error_literal(c->error, MAZURKA_ERROR, ERROR_LIMIT, message);
    if (!c->failed) *c->at = term->at;
    c->failed = true;
    return false;
}

static bool is_sum(const Term *term)
{
    return term->op == TERM_ADD || term->op == TERM_TIMES || term->op == TERM_SUBTRACT || term->op == TERM_EMPTY;
}

/* One colour, or each of several once, whatever the binding. */
static bool is_item(const Term *root)
{
    for (const Term *term = root; term < root + root->size; term++)
        if (is_sum(term)) return false;
    return true;
}

static void push_node(VecSummand *out, TermOp op, uint32_t n_children)
{
    Summand node = {.op = (uint8_t)op, .size = 1, .n_children = n_children};
    assert(out->data || !n_children);
    for (uint32_t i = 0; i < n_children; i++) node.size += out->data[out->len - node.size].size;
    vec_push(out, node);
}

static void push_item(Compiler *c, VecSummand *out, const Term *term)
{
    Summand item = {.op = TERM_TUPLE, .size = 1, .count = 1, .leaf = (uint32_t)c->pattern->leaves.len};
    pattern_add_leaves(c, term);
    item.n_leaves = (uint32_t)c->pattern->leaves.len - item.leaf;
    vec_push(out, item);
}

static bool multiply(Compiler *c, VecSummand *out, const Term *times)
{
    assert(out->data);
    size_t first = out->len - vec_last(out).size;
    for (size_t i = first; i < out->len; i++)
        if (!checked_multiply(out->data[i].count, times->value, &out->data[i].count))
            return refuse(c, times, "this is more than 2^64 - 1 times one colour");
    return true;
}

static void append_leaves(Pattern *p, const Summand *from)
{
    for (uint32_t i = 0; i < from->n_leaves; i++) {
        Leaf leaf = p->leaves.data[from->leaf + i];
        vec_push(&p->leaves, leaf);
    }
}

/* Each item of `left` becomes all of `right`, with its own leaves before. */
static bool combine(Compiler *c, const VecSummand *left, const VecSummand *right, const Term *tuple, VecSummand *out)
{
    if ((uint64_t)left->len * right->len > MAX_COMBINATIONS)
        return refuse(c, tuple, "this <tuple> of sums has more than 2^22 combinations");
    for (size_t i = 0; i < left->len; i++) {
        const Summand *l = &left->data[i];
        if (l->op != TERM_TUPLE) push_node(out, l->op, l->n_children);
        for (size_t k = 0; k < right->len && l->op == TERM_TUPLE; k++) {
            Summand r = right->data[k];
            if (r.op == TERM_TUPLE) {
                uint32_t leaf = (uint32_t)c->pattern->leaves.len;
                append_leaves(c->pattern, l);
                append_leaves(c->pattern, &r);
                r.leaf = leaf;
                r.n_leaves += l->n_leaves;
                if (!checked_multiply(r.count, l->count, &r.count))
                    return refuse(c, tuple, "this is more than 2^64 - 1 times one colour");
            }
            vec_push(out, r);
        }
    }
    return true;
}

/* The value that was made last. */
static void take(VecSummand *out, VecSummand *value)
{
    assert(out->data);
    uint32_t size = vec_last(out).size;
    vec_clear(value);
    vec_append(value, out->data + (out->len - size), size);
    out->len -= size;
}

static bool combine_children(Compiler *c, VecSummand *out, const Term *tuple)
{
    VecSummand left = {0}, right = {0}, both = {0};
    bool good = true;
    take(out, &left);
    for (uint32_t i = 1; i < tuple->n_children && good; i++) {
        take(out, &right);
        vec_clear(&both);
        good = combine(c, &left, &right, tuple, &both);
        VecSummand swap = left;
        left = both;
        both = swap;
    }
    if (good) vec_append(out, left.data, left.len);
    vec_free(&left);
    vec_free(&right);
    vec_free(&both);
    return good;
}

/* The whole of it becomes *out, children first. */
static bool multiply_out(Compiler *c, uint32_t root, VecSummand *out)
{
    const ColourNet *net = c->pattern->net;
    uint32_t end = root + colour_net_term(net, root)->size;
    VecU32 order = {0};
    for (uint32_t at = root; at < end;) {
        vec_push(&order, at);
        at += is_item(colour_net_term(net, at)) ? colour_net_term(net, at)->size : 1;
    }
    bool good = true;
    for (size_t i = order.len; i-- > 0 && good;) {
        const Term *term = colour_net_term(net, order.data[i]);
        if (is_item(term))
            push_item(c, out, term);
        else if (term->op == TERM_TIMES)
            good = multiply(c, out, term);
        else if (term->op == TERM_TUPLE)
            good = combine_children(c, out, term);
        else
            push_node(out, term->op == TERM_SUBTRACT ? TERM_SUBTRACT : TERM_ADD, term->n_children);
    }
    vec_free(&order);
    return good;
}

/* ---- parts ---- */

enum { ADDED, SOLE, PLUS, MINUS }; /* no subtraction yet; all that is subtracted from; a summand of it; subtracted */

typedef struct Pending {
    size_t node;
    uint32_t side;
} Pending;

typedef struct Sides {
    VEC(Pending) pending;
    VEC(Item) plus, minus;
    bool nested; /* a difference inside another one */
} Sides;

static void push_children(Sides *s, const VecSummand *nodes, size_t node, uint32_t side)
{
    size_t child = node - 1;
    for (uint32_t i = 0; i < nodes->data[node].n_children; i++, child -= nodes->data[child].size)
        vec_push(&s->pending, ((Pending){child, side}));
}

static Item item_of(const Compiler *c, const Summand *node)
{
    Item item = {.count = node->count, .leaf = node->leaf};
    for (uint32_t i = 0; i < node->n_leaves; i++)
        item.all |= c->pattern->leaves.data[node->leaf + i].variable == LEAF_ALL;
    return item;
}

/* The subtractions inside a sum stand for parts of their own: they are put off to `later`. */
static void walk(const Compiler *c, const VecSummand *nodes, Sides *s, VecU64 *later)
{
    while (s->pending.len && !s->nested) {
        Pending p = vec_pop(&s->pending);
        assert(nodes->data && p.node < nodes->len);
        const Summand *node = &nodes->data[p.node];
        if (node->op == TERM_ADD) {
            push_children(s, nodes, p.node, p.side == SOLE ? PLUS : p.side);
        } else if (node->op == TERM_SUBTRACT && p.side == ADDED) {
            vec_push(later, p.node);
        } else if (node->op == TERM_SUBTRACT && p.side == SOLE) {
            push_children(s, nodes, p.node, MINUS);
            s->pending.data[s->pending.len - node->n_children].side = SOLE;
        } else if (node->op == TERM_SUBTRACT) {
            s->nested = true;
        } else if (node->count && p.side == MINUS) {
            vec_push(&s->minus, item_of(c, node));
        } else if (node->count) {
            vec_push(&s->plus, item_of(c, node));
        }
    }
}

/* A difference with others inside: its items, and how they are put together. One of them counts as subtracted, so that
 * nobody takes the others for what is there. */
static void add_nested(Compiler *c, Part part, const VecSummand *nodes, size_t root)
{
    Pattern *p = c->pattern;
    part.item = (uint32_t)p->items.len;
    part.node = (uint32_t)p->part_nodes.len;
    part.n_nodes = nodes->data[root].size;
    for (size_t i = 0; i < part.n_nodes; i++) {
        const Summand *from = &nodes->data[root - i];
        PartNode node = {.op = from->op, .n_children = from->n_children};
        if (from->op == TERM_TUPLE && from->count) {
            node.item = (uint32_t)p->items.len - part.item;
            vec_push(&p->items, item_of(c, from));
        } else if (from->op == TERM_TUPLE) {
            node.op = TERM_ADD; /* of nothing */
        }
        vec_push(&p->part_nodes, node);
    }
    uint32_t n = (uint32_t)p->items.len - part.item;
    if (!n) return;
    if (n == 1) {
        Item again = vec_last(&p->items);
        vec_push(&p->items, again);
    }
    part.n_plus = 1;
    part.n_minus = MAX(n, 2) - 1;
    vec_push(&p->parts, part);
}

static void add_part(Compiler *c, Part part, const VecSummand *nodes, Pending start, VecU64 *later)
{
    Sides s = {0};
    vec_push(&s.pending, start);
    walk(c, nodes, &s, later);
    if (s.nested) {
        add_nested(c, part, nodes, start.node);
    } else if (s.plus.len) {
        part.item = (uint32_t)c->pattern->items.len;
        part.n_plus = (uint32_t)s.plus.len;
        part.n_minus = (uint32_t)s.minus.len;
        for (size_t i = s.plus.len; i-- > 0;) vec_push(&c->pattern->items, s.plus.data[i]); /* as in the file */
        vec_append(&c->pattern->items, s.minus.data, s.minus.len);
        vec_push(&c->pattern->parts, part);
    }
    vec_free(&s.pending);
    vec_free(&s.plus);
    vec_free(&s.minus);
}

bool pattern_add_parts(Compiler *c, Part part, uint32_t term)
{
    VecSummand nodes = {0};
    VecU64 later = {0};
    bool good = multiply_out(c, term, &nodes);
    if (good) add_part(c, part, &nodes, (Pending){nodes.len - 1, ADDED}, &later);
    for (size_t i = 0; good && i < later.len; i++)
        add_part(c, part, &nodes, (Pending){(size_t)later.data[i], SOLE}, &later);
    vec_free(&later);
    vec_free(&nodes);
    return good;
}
