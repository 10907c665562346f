#include "test.h"

#include "base/rng.h"
#include "sat/count.h"

/* Linear constraints against adding up: coefficients of all sizes, in all assignments or in random ones. */

__extension__ typedef __int128 Wide; /* the twin's numbers: twelve coefficients below 2^123 fit */

enum { MOST_VARIABLES = 6, MOST_TERMS = 12 };

typedef struct Constraint {
    uint32_t n;
    SatLit literal[MOST_TERMS]; /* 1: the constant, from 2 on the variables */
    Wide coefficient[MOST_TERMS], bound;
} Constraint;

static Wide random_coefficient(Rng *rng)
{
    static const int64_t extremes[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, 1, -1};
    switch (rng_below(rng, 6)) {
    case 0: return extremes[rng_below(rng, G_N_ELEMENTS(extremes))];
    case 1: return (int64_t)rng_next(rng);
    case 2: return (Wide)(int64_t)rng_next(rng) * ((Wide)1 << rng_below(rng, 60));
    case 3: return ((Wide)1 << rng_below(rng, 123)) * (rng_chance(rng, 2) ? 1 : -1);
    case 4: return 0;
    default: return (Wide)rng_below(rng, 11) - 5;
    }
}

static bool is_true(SatLit literal, unsigned assignment)
{
    bool value = abs(literal) == 1 || assignment >> (abs(literal) - 2) & 1;
    return value == (literal > 0);
}

static Wide value(const Constraint *c, unsigned assignment)
{
    Wide sum = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (is_true(c->literal[i], assignment)) sum += c->coefficient[i];
    return sum;
}

/* Bounds are near what some assignment gives: there the answer changes. */
static Constraint random_constraint(Rng *rng, unsigned variables)
{
    Constraint c = {.n = (uint32_t)rng_below(rng, MOST_TERMS + 1)};
    bool small = rng_chance(rng, 3), plain = rng_chance(rng, 2);
    for (uint32_t i = 0; i < c.n; i++) {
        SatLit variable = plain ? 2 + (SatLit)(i % variables) : 1 + (SatLit)rng_below(rng, variables + 1);
        c.literal[i] = rng_chance(rng, 2) ? variable : -variable;
        c.coefficient[i] = small ? (Wide)rng_below(rng, 7) - 3 : random_coefficient(rng);
    }
    c.bound = rng_chance(rng, 5) ? random_coefficient(rng) : value(&c, (unsigned)rng_next(rng) % (1u << variables));
    c.bound += (Wide)rng_below(rng, 3) - 1;
    return c;
}

static SatLit encode(const Constraint *c, Counter *counter)
{
    CountTerm terms[MOST_TERMS];
    for (uint32_t i = 0; i < c->n; i++) terms[i] = (CountTerm){c->literal[i], exact_of(c->coefficient[i])};
    return count_at_most(counter, terms, c->n, exact_of(c->bound));
}

static void assume_all(Sat *sat, unsigned variables, unsigned assignment)
{
    for (unsigned v = 0; v < variables; v++) sat_assume(sat, assignment >> v & 1 ? (SatLit)v + 2 : -((SatLit)v + 2));
}

/* Several in one solver, and each with the opposite bound, so that sums are shared. */
START_TEST(constraints_hold_exactly_where_the_sum_says_so)
{
    Rng rng = {14};
    unsigned rounds = test_rounds(700, 20000), answers[2] = {0};
    for (unsigned round = 0; round < rounds; round++) {
        unsigned variables = 1 + (unsigned)rng_below(&rng, MOST_VARIABLES);
        g_autoptr(Sat) sat = sat_new();
        SatLit truth = sat_variable(sat);
        sat_clause_of(sat, truth);
        sat_variables(sat, (int)variables);
        g_autoptr(Counter) counter = count_new(sat, truth);
        Constraint c[4];
        SatLit literal[4];
        for (int k = 0; k < 4; k++) {
            c[k] = k % 2 ? c[k - 1] : random_constraint(&rng, variables);
            for (uint32_t i = 0; k % 2 && i < c[k].n; i++) c[k].coefficient[i] = -c[k].coefficient[i];
            if (k % 2) c[k].bound = -c[k].bound;
            literal[k] = encode(&c[k], counter);
        }
        for (unsigned assignment = 0; assignment < 1u << variables; assignment++)
            for (int k = 0; k < 4; k++) {
                bool within = value(&c[k], assignment) <= c[k].bound;
                answers[within]++;
                assume_all(sat, variables, assignment);
                sat_assume(sat, literal[k]);
                ck_assert_int_eq(sat_solve(sat, NULL), within ? SAT_YES : SAT_NO);
                assume_all(sat, variables, assignment);
                sat_assume(sat, -literal[k]);
                ck_assert_int_eq(sat_solve(sat, NULL), within ? SAT_NO : SAT_YES);
            }
    }
    ck_assert_uint_gt(answers[0], rounds);
    ck_assert_uint_gt(answers[1], rounds);
}
END_TEST

enum { MANY = 60 };

static Wide random_weights(Rng *rng, CountTerm *terms, uint64_t *weight, uint32_t n, unsigned bits)
{
    Wide total = 0;
    for (uint32_t i = 0; i < n; i++) {
        weight[i] = rng_next(rng) >> (64 - bits) | UINT64_C(1) << (bits - 1);
        terms[i] = (CountTerm){2 + (SatLit)i, exact_of(weight[i])};
        total += weight[i];
    }
    return total;
}

/* Sixty different coefficients of sixty bits have 2^60 partial sums; clauses are a few per bit of them. */
START_TEST(sums_of_many_large_coefficients_stay_small)
{
    Rng rng = {60};
    for (unsigned bits = 8; bits <= 64; bits += 8) {
        g_autoptr(Sat) sat = sat_new();
        SatLit truth = sat_variable(sat);
        sat_clause_of(sat, truth);
        sat_variables(sat, MANY);
        g_autoptr(Counter) counter = count_new(sat, truth);
        CountTerm terms[MANY];
        uint64_t weight[MANY];
        Wide total = random_weights(&rng, terms, weight, MANY, bits), bound = total / 2;
        SatLit literal = count_at_most(counter, terms, MANY, exact_of(bound));
        ck_assert_uint_lt(sat_clauses(sat), 20 * MANY * (bits + 8));
        for (int i = 0; i < 300; i++) {
            Wide sum = 0;
            for (uint32_t k = 0; k < MANY; k++) {
                bool in = rng_chance(&rng, 2);
                if (in) sum += weight[k];
                sat_assume(sat, in ? 2 + (SatLit)k : -(2 + (SatLit)k));
            }
            ck_assert_int_eq(sat_solve(sat, NULL), SAT_YES);
            ck_assert_int_eq(sat_value(sat, literal), sum <= bound);
        }
        uint64_t before = sat_clauses(sat);
        for (uint32_t k = 0; k < MANY; k++) terms[k] = (CountTerm){2 + (SatLit)k, exact_of(-(Wide)weight[k])};
        count_at_most(counter, terms, MANY, exact_of(-bound));
        if (bits >= 32) ck_assert_uint_lt(sat_clauses(sat) - before, 1000); /* the sum was there */
    }
}
END_TEST

static uint64_t clauses_under(Budget *budget, uint32_t n, bool *whole)
{
    g_autoptr(Sat) sat = sat_new();
    SatLit truth = sat_variable(sat);
    sat_clause_of(sat, truth);
    sat_variables(sat, (int)n);
    g_autoptr(Counter) counter = count_new(sat, truth);
    g_autofree CountTerm *terms = g_new(CountTerm, n);
    g_autofree uint64_t *weight = g_new(uint64_t, n);
    Wide total = random_weights(&(Rng){3}, terms, weight, n, 64);
    sat_begin(sat, budget);
    SatLit literal = count_at_most(counter, terms, n, exact_of(total / 3));
    ck_assert_int_ne(literal, 0);
    *whole = sat_end(sat);
    return sat_clauses(sat);
}

START_TEST(a_spent_budget_ends_the_making_of_clauses)
{
    enum { LARGE = 20000 };
    bool whole;
    StopFlag stop = 1;
    uint64_t work = 0; /* the same part on every machine */
    Budget stopped = budget_new(0, 0, 0), whole_time = budget_unlimited(), free = budget_unlimited();
    budget_by_work(&whole_time, &work, 0);
    Budget timed = budget_child(&whole_time, 0.02, NULL);
    budget_stop_by(&stopped, &stop);
    ck_assert_uint_eq(clauses_under(&stopped, LARGE, &whole), 1);
    ck_assert(!whole);
    uint64_t few = clauses_under(&timed, LARGE, &whole);
    ck_assert(!whole);
    ck_assert_int_eq(budget_ending(&timed), ENDING_TIME);
    uint64_t all = clauses_under(&free, LARGE, &whole);
    ck_assert(whole);
    ck_assert_uint_lt(few, all / 2);
}
END_TEST

/* What is assumed for a question that is not asked, because the budget is spent, is forgotten too. */
START_TEST(assumptions_do_not_outlive_a_spent_budget)
{
    g_autoptr(Sat) sat = sat_new();
    SatLit x = sat_variable(sat);
    sat_clause_of(sat, x);
    Budget spent = budget_unlimited();
    budget_exhaust(&spent, ENDING_STOPPED);
    sat_assume(sat, -x);
    ck_assert_int_eq(sat_solve(sat, &spent), SAT_UNKNOWN);
    ck_assert_int_eq(sat_solve(sat, NULL), SAT_YES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("count");
    TEST_CASE(suite, constraints_hold_exactly_where_the_sum_says_so);
    TEST_CASE(suite, sums_of_many_large_coefficients_stay_small);
    TEST_CASE(suite, a_spent_budget_ends_the_making_of_clauses);
    TEST_CASE(suite, assumptions_do_not_outlive_a_spent_budget);
    return test_run(suite);
}
