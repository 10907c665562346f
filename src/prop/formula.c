#include "prop/formula.h"

#include "base/bitset.h"
#include "base/error.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

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

static uint64_t node_hash(const FormulaStore *s, const FormulaNode *n, const uint32_t *items, const FormulaTerm *terms)
{
    uint64_t h = hash_mix((uint64_t)n->kind << 56 ^ (uint64_t)n->bound);
    (void)s;
    for (uint32_t i = 0; i < n->len; i++)
        h = hash_mix(h ^ (has_terms(n->kind)
                              ? terms[i].place * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)terms[i].coefficient
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
        uint64_t h = node_hash(s, n, s->items.data ? s->items.data + n->from : NULL,
                               s->terms.data ? s->terms.data + n->from : NULL);
        uint32_t slot = (uint32_t)h & (s->table_size - 1);
        while (s->table[slot]) slot = (slot + 1) & (s->table_size - 1);
        s->table[slot] = id + 1;
    }
}

static FormulaId intern(FormulaStore *s, FormulaNode node, const uint32_t *items, const FormulaTerm *terms)
{
    if (s->nodes.len * 2 >= s->table_size) grow_table(s);
    uint32_t slot = (uint32_t)node_hash(s, &node, items, terms) & (s->table_size - 1);
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
    g_free(s->table);
    g_free(s);
}

/* ---- and, or, not ---- */

static FormulaId negated_leaf(FormulaStore *s, FormulaId id);

static bool is_leaf(const FormulaNode *n)
{
    return n->kind != FORMULA_AND && n->kind != FORMULA_OR;
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
        result = intern(
            s,
            (FormulaNode){.kind = (uint8_t)kind, .depth = (uint16_t)MIN(depth, UINT16_MAX), .len = (uint32_t)flat.len},
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

/* !(sum <= b) is -sum <= -b - 1. Building refuses the one coefficient and bound that cannot be negated. */
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
        return intern(s, (FormulaNode){.kind = FORMULA_AT_MOST, .len = n.len, .bound = -n.bound - 1}, NULL, terms);
    }
    default: g_assert_not_reached();
    }
}

FormulaId formula_not(FormulaStore *s, FormulaId id)
{
    FormulaNode n = *formula_node(s, id);
    if (is_leaf(&n)) return negated_leaf(s, id);
    g_autofree FormulaId *children = g_new(FormulaId, n.len);
    for (uint32_t i = 0; i < n.len; i++) children[i] = formula_not(s, s->items.data[n.from + i]);
    return junction(s, n.kind == FORMULA_AND ? FORMULA_OR : FORMULA_AND, children, n.len);
}

/* ---- leaves ---- */

static int compare_terms(const void *a, const void *b)
{
    const FormulaTerm *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Divides by the common divisor; the bound rounds down because the sum is an integer multiple. */
static void normalise(FormulaTerm *terms, size_t n, int64_t *bound)
{
    int64_t divisor = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t a = divisor, b = terms[i].coefficient < 0 ? -terms[i].coefficient : terms[i].coefficient;
        while (b) {
            int64_t r = a % b;
            a = b;
            b = r;
        }
        divisor = a;
    }
    if (divisor <= 1) return;
    for (size_t i = 0; i < n; i++) terms[i].coefficient /= divisor;
    int64_t quotient = *bound / divisor;
    *bound = quotient - (*bound % divisor < 0);
}

bool formula_at_most(FormulaStore *s, const FormulaTerm *given, size_t n, int64_t bound, FormulaId *id, GError **error)
{
    g_autofree FormulaTerm *terms = g_memdup2(given, MAX(n, 1) * sizeof *terms);
    if (n) qsort(terms, n, sizeof *terms, compare_terms);
    size_t to = 0;
    bool fits = bound > INT64_MIN + 1;
    for (size_t i = 0; i < n;) {
        FormulaTerm sum = {terms[i].place, 0};
        for (; i < n && terms[i].place == sum.place; i++)
            fits &= !__builtin_add_overflow(sum.coefficient, terms[i].coefficient, &sum.coefficient);
        fits &= sum.coefficient != INT64_MIN;
        if (sum.coefficient) terms[to++] = sum;
    }
    if (!fits) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "a coefficient or bound does not fit 64 bits");
        return false;
    }
    normalise(terms, to, &bound);
    bool all_negative = true, all_positive = true;
    for (size_t i = 0; i < to; i++) terms[i].coefficient > 0 ? (all_negative = false) : (all_positive = false);
    if ((all_negative && bound >= 0) || (all_positive && bound < 0))
        *id = bound >= 0 ? FORMULA_ID_TRUE : FORMULA_ID_FALSE; /* tokens are never negative */
    else
        *id = intern(s, (FormulaNode){.kind = FORMULA_AT_MOST, .len = (uint32_t)to, .bound = bound}, NULL, terms);
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
    g_autofree FormulaId *parts = g_new(FormulaId, s->net->n_places + 1);
    for (uint32_t p = 0; p < s->net->n_places; p++)
        formula_at_most(s, &(FormulaTerm){p, -1}, 1, -bound - 1, &parts[p], NULL);
    return formula_or(s, parts, s->net->n_places);
}

/* ---- evaluation ---- */

static bool at_most(const FormulaStore *s, const FormulaNode *n, const NetLts *lts, const uint64_t *state)
{
    __int128 sum = 0;
    for (uint32_t i = 0; i < n->len; i++) {
        const FormulaTerm *term = &s->terms.data[n->from + i];
        sum += (__int128)term->coefficient * (__int128)netlts_count(lts, state, term->place);
    }
    return sum <= n->bound;
}

static bool fireable(const FormulaStore *s, const FormulaNode *n, const NetLts *lts, const uint64_t *state)
{
    for (uint32_t i = 0; i < n->len; i++)
        if (lts->lts.enabled(&lts->lts, state, s->items.data[n->from + i])) return true;
    return false;
}

static bool alive(const NetLts *lts, const uint64_t *state)
{
    for (uint32_t t = 0; t < lts->lts.n_actions; t++)
        if (lts->lts.enabled(&lts->lts, state, t)) return true;
    return false;
}

bool formula_holds(const FormulaStore *s, FormulaId id, const NetLts *lts, const uint64_t *state)
{
    const FormulaNode *n = formula_node(s, id);
    switch ((FormulaKind)n->kind) {
    case FORMULA_FALSE: return false;
    case FORMULA_TRUE: return true;
    case FORMULA_AT_MOST: return at_most(s, n, lts, state);
    case FORMULA_FIREABLE: return fireable(s, n, lts, state);
    case FORMULA_UNFIREABLE: return !fireable(s, n, lts, state);
    case FORMULA_DEADLOCK: return !alive(lts, state);
    case FORMULA_ALIVE: return alive(lts, state);
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    bool decided_by = n->kind == FORMULA_OR;
    for (uint32_t i = 0; i < n->len; i++)
        if (formula_holds(s, s->items.data[n->from + i], lts, state) == decided_by) return decided_by;
    return !decided_by;
}

void formula_support(const FormulaStore *s, FormulaId id, uint64_t *places, uint64_t *transitions)
{
    const FormulaNode *n = formula_node(s, id);
    switch ((FormulaKind)n->kind) {
    case FORMULA_AND:
    case FORMULA_OR:
        for (uint32_t i = 0; i < n->len; i++) formula_support(s, s->items.data[n->from + i], places, transitions);
        break;
    case FORMULA_AT_MOST:
        for (uint32_t i = 0; i < n->len; i++) bitset_set(places, s->terms.data[n->from + i].place);
        break;
    case FORMULA_FIREABLE:
    case FORMULA_UNFIREABLE:
        for (uint32_t i = 0; i < n->len; i++) bitset_set(transitions, s->items.data[n->from + i]);
        break;
    case FORMULA_DEADLOCK:
    case FORMULA_ALIVE:
        for (uint32_t t = 0; t < s->net->n_transitions; t++) bitset_set(transitions, t);
        break;
    default: break;
    }
}

/* ---- text ---- */

static void put_id(GString *out, const char *id)
{
    bool plain = g_ascii_isalpha(*id) || *id == '_';
    for (const char *c = id; *c; c++) plain &= g_ascii_isalnum(*c) || *c == '_' || *c == '.';
    static const char *const reserved[] = {"true", "false", "deadlock", "fireable", "tokens"};
    for (size_t i = 0; i < G_N_ELEMENTS(reserved); i++) plain &= strcmp(id, reserved[i]) != 0;
    if (plain) {
        g_string_append(out, id);
        return;
    }
    g_string_append_c(out, '"');
    for (; *id; id++) {
        if (*id == '"' || *id == '\\') g_string_append_c(out, '\\');
        g_string_append_c(out, *id);
    }
    g_string_append_c(out, '"');
}

static void put_side(GString *out, const FormulaStore *s, const FormulaNode *n, int sign, int64_t constant)
{
    bool first = true;
    for (uint32_t i = 0; i < n->len; i++) {
        const FormulaTerm *term = &s->terms.data[n->from + i];
        if ((term->coefficient > 0) != (sign > 0)) continue;
        if (!first) g_string_append(out, " + ");
        int64_t size = sign * term->coefficient;
        if (size != 1) g_string_append_printf(out, "%" G_GINT64_FORMAT "*", size);
        put_id(out, net_place_id(s->net, term->place));
        first = false;
    }
    if (constant || first) g_string_append_printf(out, "%s%" G_GINT64_FORMAT, first ? "" : " + ", constant);
}

/* Negative coefficients go to the right-hand side; a negative bound to the left. */
static void put_at_most(GString *out, const FormulaStore *s, const FormulaNode *n)
{
    put_side(out, s, n, 1, n->bound < 0 ? -n->bound : 0);
    g_string_append(out, " <= ");
    put_side(out, s, n, -1, n->bound > 0 ? n->bound : 0);
}

static void put(GString *out, const FormulaStore *s, FormulaId id, bool inside)
{
    const FormulaNode *n = formula_node(s, id);
    switch ((FormulaKind)n->kind) {
    case FORMULA_FALSE: g_string_append(out, "false"); return;
    case FORMULA_TRUE: g_string_append(out, "true"); return;
    case FORMULA_DEADLOCK: g_string_append(out, "deadlock"); return;
    case FORMULA_ALIVE: g_string_append(out, "!deadlock"); return;
    case FORMULA_AT_MOST: put_at_most(out, s, n); return;
    case FORMULA_FIREABLE:
    case FORMULA_UNFIREABLE:
        g_string_append(out, n->kind == FORMULA_FIREABLE ? "fireable(" : "!fireable(");
        for (uint32_t i = 0; i < n->len; i++) {
            if (i) g_string_append(out, ", ");
            put_id(out, net_transition_id(s->net, s->items.data[n->from + i]));
        }
        g_string_append_c(out, ')');
        return;
    case FORMULA_AND:
    case FORMULA_OR: break;
    }
    if (inside) g_string_append_c(out, '(');
    for (uint32_t i = 0; i < n->len; i++) {
        if (i) g_string_append(out, n->kind == FORMULA_AND ? " && " : " || ");
        put(out, s, s->items.data[n->from + i], true);
    }
    if (inside) g_string_append_c(out, ')');
}

char *formula_text(const FormulaStore *s, FormulaId id)
{
    GString *out = g_string_new(NULL);
    put(out, s, id, false);
    return g_string_free(out, FALSE);
}
