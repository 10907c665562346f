#include "sat/sat.h"

#include "base/vec.h"

#include <assert.h>
#include <ccadical.h>
#include <stdlib.h>

struct Sat {
    CCaDiCaL *solver;
    int n_variables;
    uint64_t solves, clauses;
    Budget *budget; /* of the running sat_solve() */
    Budget *making; /* of sat_begin() */
    VEC(SatLit) assumed;
    SatAnswer last;
    bool open;     /* a clause was begun by sat_add() */
    bool left_out; /* clauses are, since sat_begin() */
};

/* Work of a literal and of a call, and between two looks at the budget, on average over many formulas. */
enum { LITERAL_UNITS = 6, SOLVE_UNITS = 500, VARIABLES_PER_UNIT = 1, CALL_UNITS = 400 };

Sat *sat_new(void)
{
    Sat *sat = g_new0(Sat, 1);
    sat->solver = ccadical_init();
    ccadical_set_option(sat->solver, "quiet", 1);
    return sat;
}

void sat_free(Sat *sat)
{
    if (!sat) return;
    ccadical_release(sat->solver);
    vec_free(&sat->assumed);
    g_free(sat);
}

SatLit sat_variable(Sat *sat)
{
    return sat_variables(sat, 1);
}

SatLit sat_variables(Sat *sat, int n)
{
    assert(n >= 0 && sat->n_variables <= INT_MAX - 1 - n);
    SatLit first = sat->n_variables + 1;
    sat->n_variables += n;
    return first;
}

void sat_begin(Sat *sat, Budget *budget)
{
    assert(!sat->making && !sat->open);
    sat->making = budget;
    sat->left_out = budget && budget_look(budget);
}

bool sat_end(Sat *sat)
{
    bool whole = !sat->left_out;
    sat->making = NULL;
    sat->left_out = false;
    return whole;
}

bool sat_spent(const Sat *sat)
{
    return sat->left_out;
}

void sat_add(Sat *sat, SatLit literal)
{
    assert(abs(literal) <= sat->n_variables);
    if (sat->left_out) return;
    ccadical_add(sat->solver, literal);
    /* A clause is left out whole: looked at between two of them. */
    if (sat->making && budget_charge(sat->making, LITERAL_UNITS)) sat->left_out = literal == 0;
    sat->open = literal != 0;
    if (!literal) sat->clauses++;
    sat->last = SAT_UNKNOWN;
}

void sat_clause(Sat *sat, const SatLit *literals, size_t n)
{
    assert(!sat->open);
    for (size_t i = 0; i < n; i++) {
        assert(literals[i]);
        sat_add(sat, literals[i]);
    }
    sat_add(sat, 0);
}

void sat_at_most_one(Sat *sat, const SatLit *literals, size_t n)
{
    if (n <= 6) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) sat_clause_of(sat, -literals[i], -literals[j]);
        return;
    }
    /* Rows and columns of a square: each literal forces its row and its column, of which at most one each. */
    size_t side = 1;
    while (side * side < n) side++;
    SatLit first = sat_variables(sat, (int)(2 * side));
    for (size_t i = 0; i < n; i++) {
        sat_clause_of(sat, -literals[i], first + (SatLit)(i / side));
        sat_clause_of(sat, -literals[i], first + (SatLit)(side + i % side));
    }
    SatLit *group = g_new(SatLit, side);
    for (size_t half = 0; half < 2; half++) {
        for (size_t i = 0; i < side; i++) group[i] = first + (SatLit)(half * side + i);
        sat_at_most_one(sat, group, side);
    }
    g_free(group);
}

void sat_assume(Sat *sat, SatLit literal)
{
    assert(literal && abs(literal) <= sat->n_variables);
    vec_push(&sat->assumed, literal);
}

/* Between two calls may be a microsecond or a second: work is counted, and the clock looked at each time. */
static int terminate(void *data)
{
    Budget *budget = ((Sat *)data)->budget;
    return budget_charge(budget, CALL_UNITS) || budget_watch(budget);
}

/* As the solver says it: 10 yes, 20 no, 0 stopped. */
static int solve(Sat *sat)
{
    if (sat->budget && budget_look(sat->budget)) return 0;
    for (size_t i = 0; i < sat->assumed.len; i++) ccadical_assume(sat->solver, sat->assumed.data[i]);
    ccadical_set_terminate(sat->solver, sat->budget ? sat : NULL, sat->budget ? terminate : NULL);
    return ccadical_solve(sat->solver);
}

SatAnswer sat_solve(Sat *sat, Budget *budget)
{
    assert(!sat->open && !sat->left_out);
    sat->budget = budget;
    if (budget) budget_charge(budget, SOLVE_UNITS + (uint32_t)sat->n_variables / VARIABLES_PER_UNIT);
    int answer = solve(sat);
    vec_clear(&sat->assumed);
    sat->budget = NULL;
    sat->solves++;
    sat->last = answer == 10 ? SAT_YES : answer == 20 ? SAT_NO : SAT_UNKNOWN;
    assert(budget || sat->last != SAT_UNKNOWN);
    return sat->last;
}

bool sat_value(Sat *sat, SatLit literal)
{
    assert(sat->last == SAT_YES && literal && abs(literal) <= sat->n_variables);
    /* Its sign for a negative literal differs between versions of the library. */
    return (ccadical_val(sat->solver, abs(literal)) > 0) == (literal > 0);
}

bool sat_failed(Sat *sat, SatLit assumption)
{
    assert(sat->last == SAT_NO);
    return ccadical_failed(sat->solver, assumption) != 0;
}

uint64_t sat_solves(const Sat *sat)
{
    return sat->solves;
}

uint64_t sat_clauses(const Sat *sat)
{
    return sat->clauses;
}

int sat_variable_count(const Sat *sat)
{
    return sat->n_variables;
}
