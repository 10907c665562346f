#include "prop/formula.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/gcd.h"
#include "base/hash.h"
#include "net/colours.h"

#include <assert.h>
#include <stdlib.h>

static size_t sort_unique(uint32_t *items, size_t n)
{
    if (n) qsort(items, n, sizeof *items, compare_u32);
    size_t to = 0;
    for (size_t i = 0; i < n; i++)
        if (to == 0 || items[to - 1] != items[i]) items[to++] = items[i];
    return to;
}

/* ---- the store: equal nodes get equal ids ---- */

static bool has_terms(uint8_t kind)
{
    return kind == FORMULA_AT_MOST;
}

HASH_WRAPS static uint64_t node_hash(const FormulaNode *n, const uint32_t *items, const FormulaTerm *terms)
{
    uint64_t h = hash_mix((uint64_t)n->kind << 56 ^ (uint64_t)n->bound);
    for (uint32_t i = 0; i < n->len; i++)
        h = hash_mix(h ^ (has_terms(n->kind)
                              /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a sum has terms */
                              ? terms[i].place * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)terms[i].coefficient
                              /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what has no terms has items */
                              : items[i]));
    return h;
}

static bool same_slice(const FormulaStore *s, const FormulaNode *old, const uint32_t *items, const FormulaTerm *terms)
{
    for (uint32_t i = 0; i < old->len; i++) {
        if (!has_terms(old->kind)) {
            if (s->items.data[old->from + i] != items[i]) return false;
        } else if (s->terms.data[old->from + i].place != terms[i].place ||
                   s->terms.data[old->from + i].coefficient != terms[i].coefficient) {
            return false;
        }
    }
    return true;
}

static void grow_table(FormulaStore *s)
{
    s->table_size = s->table_size ? s->table_size * 2 : 64;
    g_free(s->table);
    s->table = g_new0(uint32_t, s->table_size);
    for (FormulaId id = 0; id < s->nodes.len; id++) {
        const FormulaNode *n = formula_node(s, id);
        uint64_t h = node_hash(n, vec_from(&s->items, n->from), vec_from(&s->terms, n->from));
        uint32_t slot = (uint32_t)h & (s->table_size - 1);
        while (s->table[slot]) slot = (slot + 1) & (s->table_size - 1);
        s->table[slot] = id + 1;
    }
}

static FormulaId intern(FormulaStore *s, FormulaNode node, const uint32_t *items, const FormulaTerm *terms)
{
    if (s->nodes.len * 2 >= s->table_size) grow_table(s);
    node.visits = MAX(node.visits, 1);
    uint32_t slot = (uint32_t)node_hash(&node, items, terms) & (s->table_size - 1);
    for (; s->table[slot]; slot = (slot + 1) & (s->table_size - 1)) {
        const FormulaNode *old = formula_node(s, s->table[slot] - 1);
        if (old->kind == node.kind && old->len == node.len && old->bound == node.bound &&
            same_slice(s, old, items, terms))
            return s->table[slot] - 1;
    }
    if (has_terms(node.kind)) {
        node.from = (uint32_t)s->terms.len;
        vec_append(&s->terms, terms, node.len);
    } else {
        node.from = (uint32_t)s->items.len;
        vec_append(&s->items, items, node.len);
    }
    vec_push(&s->nodes, node);
    s->table[slot] = (uint32_t)s->nodes.len;
    return (FormulaId)s->nodes.len - 1;
}

FormulaStore *formula_store_new(const Net *net)
{
    FormulaStore *s = g_new0(FormulaStore, 1);
    s->net = net;
    /* So that a slice of them, an empty one too, is a pointer plus something. */
    vec_reserve(&s->items, 1);
    vec_reserve(&s->terms, 1);
    FormulaId no = intern(s, (FormulaNode){.kind = FORMULA_FALSE}, NULL, NULL);
    FormulaId yes = intern(s, (FormulaNode){.kind = FORMULA_TRUE}, NULL, NULL);
    assert(no == FORMULA_ID_FALSE && yes == FORMULA_ID_TRUE);
    (void)no, (void)yes;
    return s;
}

void formula_store_free(FormulaStore *s)
{
    if (!s) return;
    vec_free(&s->nodes);
    vec_free(&s->items);
    vec_free(&s->terms);
    vec_free(&s->opposite);
    g_free(s->table);
    g_free(s);
}

/* ---- and, or, not ---- */

static FormulaId negated_leaf(FormulaStore *s, FormulaId id);

static bool is_leaf(const FormulaNode *n)
{
    return n->kind != FORMULA_AND && n->kind != FORMULA_OR;
}

/* What a walk that forgets where it has been would look at. */
static uint32_t count_visits(const FormulaStore *s, const VecU32 *children)
{
    uint64_t visits = 1;
    for (size_t i = 0; i < children->len && visits < UINT32_MAX; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where len > 0 there are data */
        visits += formula_node(s, children->data[i])->visits;
    return (uint32_t)MIN(visits, UINT32_MAX);
}

/* Flattens children of the same kind, drops neutral ones, finds x and !x among leaves. */
static FormulaId junction(FormulaStore *s, FormulaKind kind, const FormulaId *children, size_t n)
{
    FormulaId neutral = kind == FORMULA_AND ? FORMULA_ID_TRUE : FORMULA_ID_FALSE, absorbing = !neutral;
    VecU32 flat = {0};
    unsigned depth = 0;
    for (size_t i = 0; i < n; i++) {
        const FormulaNode *child = formula_node(s, children[i]);
        if (children[i] == neutral) continue;
        if (children[i] == absorbing) {
            vec_free(&flat);
            return absorbing;
        }
        if (child->kind == kind)
            vec_append(&flat, s->items.data + child->from, child->len);
        else
            vec_push(&flat, children[i]);
        depth = MAX(depth, (unsigned)child->depth + (child->kind != kind));
    }
    flat.len = sort_unique(flat.data, flat.len);
    FormulaId result = neutral;
    for (size_t i = 0; i < flat.len && flat.len <= 64; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where len > 0 there are data */
        if (!is_leaf(formula_node(s, flat.data[i]))) continue;
        FormulaId opposite = negated_leaf(s, flat.data[i]);
        if (bsearch(&opposite, flat.data, flat.len, sizeof opposite, compare_u32)) {
            vec_free(&flat);
            return absorbing;
        }
    }
    if (flat.len == 1)
        result = flat.data[0];
    else if (flat.len > 1)
        result = intern(s,
                        (FormulaNode){.kind = (uint8_t)kind,
                                      .depth = (uint16_t)MIN(depth, UINT16_MAX),
                                      .visits = count_visits(s, &flat),
                                      .len = (uint32_t)flat.len},
                        flat.data, NULL);
    vec_free(&flat);
    return result;
}

FormulaId formula_and(FormulaStore *s, const FormulaId *children, size_t n)
{
    return junction(s, FORMULA_AND, children, n);
}

FormulaId formula_or(FormulaStore *s, const FormulaId *children, size_t n)
{
    return junction(s, FORMULA_OR, children, n);
}

static FormulaId same_items(FormulaStore *s, const FormulaNode *n, FormulaKind kind)
{
    g_autofree uint32_t *items = g_memdup2(s->items.data + n->from, n->len * sizeof *items);
    return intern(s, (FormulaNode){.kind = (uint8_t)kind, .len = n->len}, items, NULL);
}

/* !(sum <= b) is -sum <= -b - 1, and -b - 1 is ~b. Building refuses the numbers that cannot be negated. */
static FormulaId negated_leaf(FormulaStore *s, FormulaId id)
{
    FormulaNode n = *formula_node(s, id);
    switch ((FormulaKind)n.kind) {
    case FORMULA_FALSE: return FORMULA_ID_TRUE;
    case FORMULA_TRUE: return FORMULA_ID_FALSE;
    case FORMULA_FIREABLE: return same_items(s, &n, FORMULA_UNFIREABLE);
    case FORMULA_UNFIREABLE: return same_items(s, &n, FORMULA_FIREABLE);
    case FORMULA_DEADLOCK: return intern(s, (FormulaNode){.kind = FORMULA_ALIVE}, NULL, NULL);
    case FORMULA_ALIVE: return intern(s, (FormulaNode){.kind = FORMULA_DEADLOCK}, NULL, NULL);
    case FORMULA_AT_MOST: {
        g_autofree FormulaTerm *terms = g_memdup2(s->terms.data + n.from, n.len * sizeof *terms);
        for (uint32_t i = 0; i < n.len; i++) terms[i].coefficient = -terms[i].coefficient;
        return intern(s, (FormulaNode){.kind = FORMULA_AT_MOST, .size = n.size, .len = n.len, .bound = ~n.bound}, NULL,
                      terms);
    }
    default: g_assert_not_reached();
    }
}

static FormulaId known_opposite(FormulaStore *s, FormulaId id)
{
    while (s->opposite.len < s->nodes.len) vec_push(&s->opposite, 0);
    return s->opposite.data[id];
}

/* The opposites of the children are known. */
static FormulaId negated_junction(FormulaStore *s, FormulaId id)
{
    FormulaNode n = *formula_node(s, id);
    g_autofree FormulaId *children = g_new(FormulaId, n.len);
    for (uint32_t i = 0; i < n.len; i++) children[i] = s->opposite.data[s->items.data[n.from + i]] - 1;
    return junction(s, n.kind == FORMULA_AND ? FORMULA_OR : FORMULA_AND, children, n.len);
}

FormulaId formula_not(FormulaStore *s, FormulaId root)
{
    VecU32 open = {0};
    vec_push(&open, root);
    while (open.len) {
        FormulaId id = vec_last(&open);
        FormulaNode n = *formula_node(s, id);
        size_t before = open.len;
        for (uint32_t i = 0; i < n.len && !is_leaf(&n) && !known_opposite(s, id); i++)
            if (!known_opposite(s, s->items.data[n.from + i])) vec_push(&open, s->items.data[n.from + i]);
        if (open.len > before) continue;
        if (!known_opposite(s, id)) {
            FormulaId opposite = is_leaf(&n) ? negated_leaf(s, id) : negated_junction(s, id);
            s->opposite.data[id] = opposite + 1;
        }
        open.len--;
    }
    vec_free(&open);
    return s->opposite.data[root] - 1;
}

void formula_below(const FormulaStore *s, FormulaId root, VecU32 *below)
{
    g_autofree uint64_t *seen = g_new0(uint64_t, bitset_words((size_t)root + 1));
    size_t first = below->len;
    bitset_set(seen, root);
    vec_push(below, root);
    for (size_t i = first; i < below->len; i++) {
        const FormulaNode *n = formula_node(s, below->data[i]);
        for (uint32_t k = 0; k < n->len && !is_leaf(n); k++) {
            FormulaId child = s->items.data[n->from + k];
            if (bitset_get(seen, child)) continue;
            bitset_set(seen, child);
            vec_push(below, child);
        }
    }
    qsort(below->data + first, below->len - first, sizeof *below->data, compare_u32);
}

/* ---- leaves ---- */

COMPARE_BY(compare_terms, FormulaTerm, place)

/* Divides by the common divisor; the bound rounds down because the sum is an integer multiple. */
static void normalise(FormulaTerm *terms, size_t n, int64_t *bound)
{
    uint64_t common = 0;
    for (size_t i = 0; i < n; i++)
        common = gcd(common, (uint64_t)(terms[i].coefficient < 0 ? -terms[i].coefficient : terms[i].coefficient));
    if (common <= 1) return;
    int64_t divisor = (int64_t)common;
    for (size_t i = 0; i < n; i++) terms[i].coefficient /= divisor;
    int64_t quotient = *bound / divisor;
    *bound = quotient - (*bound % divisor < 0);
}

/* Sorts by place, one term for each. False when a coefficient, or its opposite, does not fit. */
static bool merge_terms(FormulaTerm *terms, size_t *n)
{
    size_t to = 0;
    if (*n) qsort(terms, *n, sizeof *terms, compare_terms);
    for (size_t i = 0; i < *n;) {
        uint32_t place = terms[i].place;
        Sum sum = exact_of(0);
        int64_t coefficient;
        for (; i < *n && terms[i].place == place; i++) exact_add(&sum, terms[i].coefficient);
        if (!exact_signed(sum, &coefficient) || coefficient == INT64_MIN) return false;
        if (coefficient) terms[to++] = (FormulaTerm){place, coefficient};
    }
    *n = to;
    return true;
}

/* Which arithmetic the sum needs, whatever the marking is. */
static FormulaSize size_of_sum(const FormulaTerm *terms, size_t n)
{
    Sum total = exact_of(0);
    for (size_t i = 0; i < n; i++)
        exact_add(&total, terms[i].coefficient < 0 ? -(__int128)terms[i].coefficient : terms[i].coefficient);
    if (exact_compare(total, exact_of(INT32_MAX)) <= 0) return FORMULA_SMALL;
    return exact_compare(total, exact_of(INT64_MAX / 2)) <= 0 ? FORMULA_LARGE : FORMULA_HUGE;
}

bool formula_at_most(FormulaStore *s, const FormulaTerm *given, size_t n, int64_t bound, FormulaId *id, GError **error)
{
    g_autofree FormulaTerm *terms = g_memdup2(given, MAX(n, 1) * sizeof *terms);
    if (bound == INT64_MIN || bound == INT64_MAX || !merge_terms(terms, &n)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "a coefficient or bound does not fit 64 bits");
        return false;
    }
    normalise(terms, n, &bound);
    bool all_negative = true, all_positive = true;
    for (size_t i = 0; i < n; i++) terms[i].coefficient > 0 ? (all_negative = false) : (all_positive = false);
    if ((all_negative && bound >= 0) || (all_positive && bound < 0))
        *id = bound >= 0 ? FORMULA_ID_TRUE : FORMULA_ID_FALSE; /* tokens are never negative */
    else
        *id = intern(
            s,
            (FormulaNode){
                .kind = FORMULA_AT_MOST, .size = (uint8_t)size_of_sum(terms, n), .len = (uint32_t)n, .bound = bound},
            NULL, terms);
    return true;
}

FormulaId formula_fireable(FormulaStore *s, const uint32_t *transitions, size_t n)
{
    if (n == 0) return FORMULA_ID_FALSE;
    g_autofree uint32_t *items = g_memdup2(transitions, n * sizeof *items);
    size_t len = sort_unique(items, n);
    return intern(s, (FormulaNode){.kind = FORMULA_FIREABLE, .len = (uint32_t)len}, items, NULL);
}

FormulaId formula_deadlock(FormulaStore *s)
{
    return intern(s, (FormulaNode){.kind = FORMULA_DEADLOCK}, NULL, NULL);
}

FormulaId formula_exceeds(FormulaStore *s, int64_t bound)
{
    uint32_t n = net_colours_asked(s->net)->n_places;
    g_autofree FormulaId *parts = g_new(FormulaId, n + 1);
    g_autofree FormulaTerm *terms = g_new(FormulaTerm, s->net->n_places + 1);
    bool fits = true;
    for (uint32_t p = 0; p < n; p++) {
        NetRange range = net_colours_asked_places(s->net, p);
        for (uint32_t i = range.from; i < range.to; i++) terms[i - range.from] = (FormulaTerm){i, -1};
        fits &= formula_at_most(s, terms, range.to - range.from, ~bound, &parts[p], NULL);
    }
    assert(fits);
    (void)fits;
    return formula_or(s, parts, n);
}
