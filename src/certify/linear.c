#include "certify/linear.h"

#include "certify/facts.h"

#include "base/compare.h"
#include "certify/atoms.h"
#include "certify/last_firing.h"
#include "certify/wide.h"

#include <stdlib.h>

enum { MOST_TERMS = 200 * 1000 * 1000 };

typedef struct Check {
    const Net *net;
    const Linear *linear;
    Cnf *cnf;
    LinearLists sides; /* two per siphon: transitions that bring tokens in, that need one */
    Atoms *atoms;      /* the listed ones, then those of the goal that are not listed */
    VecI32 unlisted;   /* variables of these: no lemma speaks of them */
    Wide *factors;     /* per unknown; all 0 between lemmas */
    VecU32 touched;
    uint64_t *set;  /* per place 0 or 1; all 0 between uses */
    size_t *looked; /* per transition: the number (from 1) of the set of places for which it was looked at last */
    size_t n_sets;
    Budget *budget;
    char **problem;
} Check;

G_GNUC_PRINTF(2, 3) static bool refuse(const Check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *c->problem = g_strdup_vprintf(format, args);
    va_end(args);
    return false;
}

static void lists_clear(LinearLists *lists)
{
    vec_free(&lists->terms);
    vec_free(&lists->ends);
}

void linear_clear(Linear *linear)
{
    LinearLists *const all[] = {&linear->atoms, &linear->traps, &linear->siphons,
                                &linear->uses,  &linear->leans, &linear->equations};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) lists_clear(all[i]);
    vec_free(&linear->bounds);
}

/* ---- shape ---- */

static bool sorted(const LinearTerm *terms, size_t n, uint32_t below)
{
    for (size_t i = 0; i < n; i++)
        if (terms[i].number >= below || terms[i].factor == 0 || (i && terms[i].number <= terms[i - 1].number))
            return false;
    return true;
}

static bool look_over_atoms(const Check *c)
{
    const LinearLists *atoms = &c->linear->atoms;
    for (size_t i = 0; i < linear_count(atoms); i++) {
        size_t n;
        const LinearTerm *terms = linear_list(atoms, i, &n);
        if (!sorted(terms, n, c->net->n_places + c->net->n_transitions))
            return refuse(c, "atom %zu is not a sorted list of unknowns", i);
        if (n && terms[0].factor < 0) return refuse(c, "the first factor of atom %zu is negative", i);
        if (atoms_number(c->atoms, terms, n, c->linear->bounds.data[i]) != i)
            return refuse(c, "atom %zu is listed before", i);
    }
    return true;
}

/* ---- traps and siphons ---- */

static bool has(NetRow row, const uint64_t *set)
{
    for (uint32_t i = 0; i < row.len; i++)
        if (set[row.node[i]] && net_weight(row, i) > 0) return true;
    return false;
}

/* Marks the places of a list; *token: does one have a token at first? */
static bool mark(const Check *c, const LinearLists *lists, size_t i, bool *token)
{
    size_t n;
    const LinearTerm *places = linear_list(lists, i, &n);
    *token = false;
    if (!sorted(places, n, c->net->n_places)) return false;
    for (size_t k = 0; k < n; k++) {
        c->set[places[k].number] = 1;
        *token |= c->net->initial[places[k].number] > 0;
    }
    return true;
}

static void unmark(const Check *c, const LinearLists *lists, size_t i)
{
    size_t n;
    const LinearTerm *places = linear_list(lists, i, &n);
    for (size_t k = 0; k < n; k++) c->set[places[k].number] = 0;
}

/* Was t not yet looked at for this set of places? */
static bool is_new(Check *c, uint32_t t)
{
    bool fresh = c->looked[t] != c->n_sets;
    c->looked[t] = c->n_sets;
    return fresh;
}

static bool look_over_trap(Check *c, size_t i)
{
    const LinearLists *traps = &c->linear->traps;
    bool token;
    if (!mark(c, traps, i, &token)) return refuse(c, "trap %zu is not a sorted list of places", i);
    if (!token) return refuse(c, "trap %zu has no token at first", i);
    size_t n;
    const LinearTerm *places = linear_list(traps, i, &n);
    c->n_sets++;
    for (size_t k = 0; k < n; k++) {
        if (places[k].factor != 1) return refuse(c, "trap %zu is not a sorted list of places", i);
        NetRow takers = net_transitions(c->net, ARC_PRE, places[k].number);
        for (uint32_t j = 0; j < takers.len; j++)
            if (is_new(c, takers.node[j]) && !facts_leaves_token(c->net, takers.node[j], c->set))
                return refuse(c, "trap %zu can lose its last token to %s", i,
                              net_transition_id(c->net, takers.node[j]));
    }
    unmark(c, traps, i);
    return true;
}

/* The transitions that have an arc to or from a place of siphon i, each once, in order. */
static void collect_near(Check *c, size_t i, VecU32 *near)
{
    size_t n;
    const LinearTerm *places = linear_list(&c->linear->siphons, i, &n);
    c->n_sets++;
    for (size_t k = 0; k < n; k++)
        for (int kind = ARC_PRE; kind <= ARC_READ; kind++) {
            NetRow row = net_transitions(c->net, kind, places[k].number);
            for (uint32_t j = 0; j < row.len; j++)
                if (is_new(c, row.node[j])) vec_push(near, row.node[j]);
        }
    if (near->len) qsort(near->data, near->len, sizeof *near->data, compare_u32);
}

/* Writes down the two sums of a siphon. */
static bool add_sides(Check *c, size_t i)
{
    const Net *net = c->net;
    bool token;
    if (!mark(c, &c->linear->siphons, i, &token)) return refuse(c, "siphon %zu is not a sorted list of places", i);
    if (token) return refuse(c, "siphon %zu has a token at first", i);
    VecU32 near = {0};
    collect_near(c, i, &near);
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < near.len; k++) {
            uint32_t t = near.data[k];
            bool needs = has(net_places(net, ARC_PRE, t), c->set) || has(net_places(net, ARC_READ, t), c->set);
            bool feeds = has(net_places(net, ARC_POST, t), c->set);
            if (side ? needs : feeds && !needs) vec_push(&c->sides.terms, ((LinearTerm){net->n_places + t, 1}));
        }
        linear_end(&c->sides);
    }
    vec_free(&near);
    unmark(c, &c->linear->siphons, i);
    return c->sides.terms.len <= MOST_TERMS || refuse(c, "the siphons are too large");
}

/* ---- atoms of the goal ---- */

static int32_t atom_variable(const Check *c, size_t atom)
{
    return c->cnf->truth + 1 + (int32_t)atom;
}

static int32_t literal_of(Check *c, int32_t literal)
{
    size_t atom = (size_t)abs(literal) - 1, listed = linear_count(&c->linear->atoms);
    while (listed + c->unlisted.len < atoms_count(c->atoms)) vec_push(&c->unlisted, cnf_variable(c->cnf));
    int32_t variable = atom < listed ? atom_variable(c, atom) : c->unlisted.data[atom - listed];
    return literal > 0 ? variable : -variable;
}

static int32_t test_tokens(Cnf *cnf, uint32_t place, uint64_t weight, void *data)
{
    Check *c = data;
    if (weight == 0) return cnf->truth;
    return weight > INT64_MAX ? cnf_variable(cnf) : literal_of(c, atoms_tokens(c->atoms, place, weight));
}

static int32_t test_sum(Cnf *cnf, const FormulaTerm *terms, uint32_t n, int64_t bound, void *data)
{
    (void)cnf;
    Check *c = data;
    return literal_of(c, atoms_at_most(c->atoms, terms, n, bound));
}

/* ---- lemmas ---- */

static void add_unknown(Check *c, uint32_t unknown, int64_t factor, Int128 value)
{
    vec_push(&c->touched, unknown);
    wide_add_product(&c->factors[unknown], factor, value);
}

/* Taken to be false, a sum is at least bound + 1: with a negative factor the same sum. */
static void add_atom(Check *c, const LinearTerm *use, Wide *bound)
{
    size_t n, listed = linear_count(&c->linear->atoms), side = use->number - listed;
    bool own = use->number < listed;
    const LinearTerm *terms = own ? linear_list(&c->linear->atoms, use->number, &n) : linear_list(&c->sides, side, &n);
    wide_add_product(bound, use->factor, (own ? (Int128)c->linear->bounds.data[use->number] : 0) + (use->factor < 0));
    for (size_t i = 0; i < n; i++) add_unknown(c, terms[i].number, use->factor, terms[i].factor);
}

static void add_trap(Check *c, const LinearTerm *lean, Wide *bound)
{
    size_t n;
    const LinearTerm *places = linear_list(&c->linear->traps, lean->number, &n);
    wide_add_product(bound, lean->factor, -1);
    for (size_t i = 0; i < n; i++) add_unknown(c, places[i].number, lean->factor, -1);
}

static void add_equation(Check *c, const LinearTerm *equation, Wide *bound)
{
    uint32_t p = equation->number;
    wide_add_product(bound, equation->factor, c->net->initial[p]);
    add_unknown(c, p, equation->factor, 1);
    for (int k = 0; k < 2; k++) {
        ArcKind kind = k ? ARC_POST : ARC_PRE;
        NetRow row = net_transitions(c->net, kind, p);
        for (uint32_t i = 0; i < row.len; i++) {
            Int128 weight = net_arc_weight(c->net, kind, row.node[i], p);
            add_unknown(c, c->net->n_places + row.node[i], equation->factor, k ? -weight : weight);
        }
    }
}

static bool names(const LinearTerm *terms, size_t n, size_t below, bool positive)
{
    for (size_t i = 0; i < n; i++)
        if (terms[i].number >= below || terms[i].factor == 0 || (positive && terms[i].factor < 0)) return false;
    return true;
}

/* The sum of what lemma i names; leaves it in factors and bound. */
static bool add_up(Check *c, size_t i, Wide *bound)
{
    const Linear *l = c->linear;
    size_t n_uses, n_leans, n_equations;
    const LinearTerm *uses = linear_list(&l->uses, i, &n_uses), *leans = linear_list(&l->leans, i, &n_leans),
                     *equations = linear_list(&l->equations, i, &n_equations);
    if (!names(uses, n_uses, linear_count(&l->atoms) + linear_count(&c->sides), false) ||
        !names(leans, n_leans, linear_count(&l->traps), true) ||
        !names(equations, n_equations, c->net->n_places, false))
        return refuse(c, "lemma %zu names something that is not there, or with a factor that it cannot have", i);
    for (size_t k = 0; k < n_uses; k++) add_atom(c, &uses[k], bound);
    for (size_t k = 0; k < n_leans; k++) add_trap(c, &leans[k], bound);
    for (size_t k = 0; k < n_equations; k++) add_equation(c, &equations[k], bound);
    return true;
}

static bool look_over_lemma(Check *c, size_t i)
{
    Wide bound = wide_of(0);
    if (!add_up(c, i, &bound)) return false;
    bool ok = wide_sign(bound) < 0 ||
              refuse(c, "lemma %zu adds up to an inequality that has solutions: its bound is not negative", i);
    for (size_t k = 0; k < c->touched.len; k++) {
        uint32_t unknown = c->touched.data[k], places = c->net->n_places;
        if (ok && wide_sign(c->factors[unknown]) < 0)
            ok = unknown < places ? refuse(c, "lemma %zu is no contradiction: more tokens on %s satisfy it", i,
                                           net_place_id(c->net, unknown))
                                  : refuse(c, "lemma %zu is not inductive: %s breaks it", i,
                                           net_transition_id(c->net, unknown - places));
        c->factors[unknown] = wide_of(0);
    }
    vec_clear(&c->touched);
    return ok;
}

/* ---- clauses ---- */

static void add_lemma(const Check *c, size_t i, VecI32 *clause)
{
    size_t n;
    const LinearTerm *uses = linear_list(&c->linear->uses, i, &n);
    vec_clear(clause);
    for (size_t k = 0; k < n; k++) {
        int32_t variable = atom_variable(c, uses[k].number);
        vec_push(clause, uses[k].factor > 0 ? -variable : variable);
    }
    cnf_clause(c->cnf, clause->data, clause->len);
}

static void add_clauses(Check *c, const FormulaStore *store, FormulaId goal)
{
    size_t listed = linear_count(&c->linear->atoms);
    for (size_t i = 0; i < listed + linear_count(&c->sides); i++) {
        int32_t variable = cnf_variable(c->cnf);
        g_assert(variable == atom_variable(c, i));
    }
    for (size_t i = 0; i < linear_count(&c->linear->siphons); i++)
        cnf_clause_of(c->cnf, -atom_variable(c, listed + 2 * i), atom_variable(c, listed + 2 * i + 1));
    VecI32 clause = {0};
    for (size_t i = 0; i < linear_count(&c->linear->uses); i++) add_lemma(c, i, &clause);
    vec_free(&clause);
    CnfTests tests = {test_tokens, test_sum, c};
    int32_t reached = cnf_formula(c->cnf, store, goal, &tests);
    cnf_clause_of(c->cnf, reached);
    if (c->linear->last) last_firing_clauses(c->net, c->cnf, &tests);
}

static bool goes_on(const Check *c)
{
    return !budget_spent(c->budget) || refuse(c, "%s", budget_text(c->budget));
}

static bool check_all(Check *c)
{
    const Linear *l = c->linear;
    if (linear_count(&l->atoms) != l->bounds.len || linear_count(&l->uses) != linear_count(&l->leans) ||
        linear_count(&l->uses) != linear_count(&l->equations) ||
        linear_count(&l->atoms) + 2 * linear_count(&l->siphons) > (size_t)1 << 28)
        return refuse(c, "the lists do not fit together");
    if (!look_over_atoms(c)) return false;
    for (size_t i = 0; i < linear_count(&l->traps); i++)
        if (!look_over_trap(c, i) || !goes_on(c)) return false;
    for (size_t i = 0; i < linear_count(&l->siphons); i++)
        if (!add_sides(c, i) || !goes_on(c)) return false;
    for (size_t i = 0; i < linear_count(&l->uses); i++)
        if (!look_over_lemma(c, i) || !goes_on(c)) return false;
    return true;
}

bool linear_clauses(const Net *net, const Linear *linear, const FormulaStore *store, FormulaId goal, Cnf *cnf,
                    char **problem)
{
    Check c = {.net = net, .linear = linear, .cnf = cnf, .problem = problem, .budget = cnf->budget};
    c.set = g_new0(uint64_t, net->n_places + 1);
    c.looked = g_new0(size_t, net->n_transitions + 1);
    c.factors = g_new0(Wide, (size_t)net->n_places + net->n_transitions + 1);
    c.atoms = atoms_new();
    bool ok = check_all(&c) && (!cnf->stopped || refuse(&c, "%s", cnf->stopped));
    if (ok) add_clauses(&c, store, goal);
    if (ok && cnf->stopped) ok = refuse(&c, "%s", cnf->stopped);
    atoms_free(c.atoms);
    vec_free(&c.unlisted);
    lists_clear(&c.sides);
    vec_free(&c.touched);
    g_free(c.factors);
    g_free(c.set);
    g_free(c.looked);
    return ok;
}
