#include "verify/inequalities.h"

#include "base/compare.h"
#include "base/exact.h"
#include "base/gcd.h"

#include <assert.h>
#include <stdlib.h>

void inequalities_init(Inequalities *all, const Net *net)
{
    *all = (Inequalities){.net = net};
    effects_init(&all->effects, net);
}

void inequalities_clear(Inequalities *all)
{
    effects_clear(&all->effects);
    vec_free(&all->rows.terms);
    vec_free(&all->rows.ends);
    vec_free(&all->bounds);
}

uint32_t inequalities_add(Inequalities *all, int64_t bound)
{
    vec_push(&all->bounds, bound);
    assert(all->bounds.len == linear_count(&all->rows));
    return (uint32_t)all->bounds.len - 1;
}

/* ---- systems ---- */

static SmtTerm unknown(const System *s, uint32_t number)
{
    uint32_t places = s->all->net->n_places;
    return number < places ? s->tokens[number] : s->fired[number - places];
}

System *inequalities_system_new(const Inequalities *all, bool tracked)
{
    System *s = g_new0(System, 1);
    uint32_t places = all->net->n_places, n = places + all->effects.n;
    s->all = all;
    s->smt = smt_new(false);
    s->fired = g_new(SmtTerm, all->effects.n + 1);
    s->tokens = g_new(SmtTerm, places + 1);
    for (uint32_t c = 0; c < all->effects.n; c++)
        s->fired[c] = tracked ? smt_signed_variable(s->smt) : smt_variable(s->smt);
    effects_tokens(&all->effects, all->net, s->smt, s->fired, s->tokens);
    if (tracked) s->bounds = g_new(SmtTerm, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        if (!tracked && i >= places) break;
        SmtTerm bound = smt_at_least(s->smt, unknown(s, i), 0);
        if (tracked)
            s->bounds[i] = smt_guard(s->smt, bound);
        else
            smt_assert(s->smt, bound);
    }
    return s;
}

void inequalities_system_free(System *s)
{
    if (!s) return;
    smt_free(s->smt);
    smt_free(s->dual);
    g_free(s->fired);
    g_free(s->tokens);
    g_free(s->bounds);
    vec_free(&s->taken);
    g_free(s);
}

SmtTerm inequalities_system_take(System *s, uint32_t i)
{
    while (s->taken.len <= i) vec_push(&s->taken, 0);
    if (s->taken.data[i]) return s->taken.data[i] - 1;
    size_t n;
    const LinearTerm *row = linear_list(&s->all->rows, i, &n);
    g_autofree SmtTerm *terms = g_new(SmtTerm, n + 1);
    g_autofree int64_t *factors = g_new(int64_t, n + 1);
    for (size_t k = 0; k < n; k++) terms[k] = unknown(s, row[k].number), factors[k] = row[k].factor;
    /* one place alone: its own sum, so that equal atoms are one row for the solver */
    bool low = n == 1 && factors[0] == -1 && s->all->bounds.data[i] != INT64_MIN;
    SmtTerm sum = n == 1 && (low || factors[0] == 1) ? terms[0] : smt_sum(s->smt, terms, factors, n, 0);
    SmtTerm formula =
        low ? smt_at_least(s->smt, sum, -s->all->bounds.data[i]) : smt_at_most(s->smt, sum, s->all->bounds.data[i]);
    SmtTerm guard = smt_guard(s->smt, formula);
    s->taken.data[i] = guard + 1;
    return guard;
}

/* ---- multipliers ---- */

/* A part of the contradiction: an inequality, or "unknown >= 0" as -unknown <= 0. */
typedef struct Part {
    bool own;
    uint32_t number;
    SmtTerm factor;
} Part;

/* The part's factor at a class, once its tokens are replaced by the state equation. */
typedef struct Entry {
    uint32_t class, part;
    int64_t factor;
} Entry;

typedef struct Dual {
    const Inequalities *all;
    Smt *smt;
    VEC(Part) parts;
    VEC(Entry) entries;
    VEC(int64_t) constants; /* per part: its sum at the initial marking, less its bound */
    bool fits;
} Dual;

void inequalities_multipliers_clear(Multipliers *m)
{
    vec_free(&m->inequalities);
    vec_free(&m->equations);
}

static bool add(int64_t *to, int64_t factor, int64_t value)
{
    int64_t product;
    return checked_multiply(factor, value, &product) && checked_add(*to, product, to);
}

static void add_place(Dual *d, uint32_t part, uint32_t p, int64_t factor)
{
    const Net *net = d->all->net;
    d->fits &= net->initial[p] <= INT64_MAX && add(&d->constants.data[part], factor, (int64_t)net->initial[p]);
    for (int k = 0; k < 2; k++) {
        ArcKind kind = k ? ARC_POST : ARC_PRE;
        NetRow row = net_transitions(net, kind, p);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t t = row.node[i], class = d->all->effects.class_of[t];
            if (class == NET_NONE || d->all->effects.first[class] != t) continue;
            uint64_t weight = net_arc_weight(net, kind, t, p);
            Entry entry = {class, part, 0};
            d->fits &= weight <= INT64_MAX && add(&entry.factor, factor, k ? (int64_t)weight : -(int64_t)weight);
            vec_push(&d->entries, entry);
        }
    }
}

static void add_term(Dual *d, uint32_t part, uint32_t number, int64_t factor)
{
    uint32_t places = d->all->net->n_places;
    if (number < places)
        add_place(d, part, number, factor);
    else
        vec_push(&d->entries, ((Entry){number - places, part, factor}));
}

static void add_part(Dual *d, bool own, uint32_t number)
{
    uint32_t part = (uint32_t)d->parts.len;
    vec_push(&d->parts, ((Part){own, number, smt_variable(d->smt)}));
    vec_push(&d->constants, 0);
    if (!own) {
        add_term(d, part, number, -1);
        return;
    }
    size_t n;
    const LinearTerm *row = linear_list(&d->all->rows, number, &n);
    for (size_t i = 0; i < n; i++) add_term(d, part, row[i].number, row[i].factor);
    d->fits &= add(&d->constants.data[part], -1, d->all->bounds.data[number]);
}

COMPARE_BY_BOTH(compare_entries, Entry, class, part)

/* Every class vanishes from the sum, whose bound is too small for the initial marking. */
static void assert_contradiction(Dual *d)
{
    VEC(SmtTerm) terms = {0};
    VEC(int64_t) factors = {0};
    if (d->entries.len) qsort(d->entries.data, d->entries.len, sizeof *d->entries.data, compare_entries);
    for (size_t i = 0; i < d->entries.len;) {
        uint32_t class = d->entries.data[i].class;
        vec_clear(&terms);
        vec_clear(&factors);
        for (; i < d->entries.len && d->entries.data[i].class == class; i++) {
            vec_push(&terms, d->parts.data[d->entries.data[i].part].factor);
            vec_push(&factors, d->entries.data[i].factor);
        }
        SmtTerm sum = smt_sum(d->smt, terms.data, factors.data, terms.len, 0);
        smt_assert(d->smt, smt_at_most(d->smt, sum, 0));
        smt_assert(d->smt, smt_at_least(d->smt, sum, 0));
    }
    vec_clear(&terms);
    for (size_t i = 0; i < d->parts.len; i++) vec_push(&terms, d->parts.data[i].factor);
    smt_assert(d->smt, smt_at_least(d->smt, smt_sum(d->smt, terms.data, d->constants.data, terms.len, 0), 1));
    vec_free(&terms);
    vec_free(&factors);
}

/* The solution as whole numbers without a common divisor. */
static bool read_factors(Dual *d, int64_t *values)
{
    int64_t common = 1, shared = 0;
    g_autofree int64_t *below = g_new(int64_t, d->parts.len + 1);
    for (size_t i = 0; i < d->parts.len; i++) {
        if (!smt_value(d->smt, d->parts.data[i].factor, &values[i], &below[i]) || values[i] < 0) return false;
        if (!checked_multiply(common, below[i] / (int64_t)gcd((uint64_t)common, (uint64_t)below[i]), &common))
            return false;
    }
    for (size_t i = 0; i < d->parts.len; i++) {
        if (!checked_multiply(values[i], common / below[i], &values[i])) return false;
        shared = (int64_t)gcd((uint64_t)values[i], (uint64_t)shared);
    }
    for (size_t i = 0; i < d->parts.len && shared; i++) values[i] /= shared;
    return shared > 0;
}

/* Each place's equation is there to cancel what the inequalities, and its own bound, have of it. */
static bool read_equations(const Dual *d, const int64_t *values, Multipliers *m)
{
    const Net *net = d->all->net;
    g_autofree Sum *sums = g_new0(Sum, net->n_places + 1);
    for (size_t i = 0; i < d->parts.len; i++) {
        const Part *part = &d->parts.data[i];
        if (!part->own && part->number < net->n_places) exact_add(&sums[part->number], values[i]);
        if (!part->own) continue;
        size_t n;
        const LinearTerm *row = linear_list(&d->all->rows, part->number, &n);
        for (size_t k = 0; k < n; k++)
            if (row[k].number < net->n_places) exact_add(&sums[row[k].number], -((__int128)values[i] * row[k].factor));
    }
    for (uint32_t p = 0; p < net->n_places; p++) {
        int64_t factor;
        if (!exact_signed(sums[p], &factor)) return false;
        if (factor) vec_push(&m->equations, ((LinearTerm){p, factor}));
    }
    return true;
}

static bool solve_dual(Dual *d, Budget *budget, Multipliers *m)
{
    assert_contradiction(d);
    if (!d->fits || smt_solve(d->smt, budget) != SAT_YES) return false;
    g_autofree int64_t *values = g_new(int64_t, d->parts.len + 1);
    if (!read_factors(d, values)) return false;
    for (size_t i = 0; i < d->parts.len; i++)
        if (d->parts.data[i].own && values[i])
            vec_push(&m->inequalities, ((LinearTerm){d->parts.data[i].number, values[i]}));
    return read_equations(d, values, m);
}

bool inequalities_multipliers_find(System *s, const uint32_t *inequalities, size_t n, Budget *budget, Multipliers *m)
{
    assert(s->bounds);
    VecU32 assumed = {0};
    uint32_t unknowns = s->all->net->n_places + s->all->effects.n;
    vec_clear(&m->inequalities);
    vec_clear(&m->equations);
    for (size_t i = 0; i < n; i++) vec_push(&assumed, inequalities_system_take(s, inequalities[i]));
    vec_append(&assumed, s->bounds, unknowns);
    SatAnswer answer = smt_solve_assuming(s->smt, assumed.data, assumed.len, budget);
    vec_free(&assumed);
    if (answer != SAT_NO) return false;
    if (!s->dual) s->dual = smt_new(false);
    Dual d = {.all = s->all, .smt = s->dual, .fits = true};
    smt_push(d.smt);
    for (size_t i = 0; i < n; i++)
        if (smt_failed(s->smt, inequalities_system_take(s, inequalities[i]))) add_part(&d, true, inequalities[i]);
    for (uint32_t i = 0; i < unknowns; i++)
        if (smt_failed(s->smt, s->bounds[i])) add_part(&d, false, i);
    bool found = solve_dual(&d, budget, m);
    smt_pop(d.smt);
    vec_free(&d.parts);
    vec_free(&d.entries);
    vec_free(&d.constants);
    return found;
}
