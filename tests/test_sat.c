#include "test.h"

#include "base/rng.h"
#include "sat/sat.h"
#include "sat/smt.h"

#include <errno.h>
#include <sys/wait.h>

#include <signal.h>
#include <unistd.h>

enum { MOST = 12 };

/* Is there a model of the clauses (3 literals each) that also has the fixed values? By trying all. */
static bool brute(int n, const SatLit (*clauses)[3], int n_clauses, const SatLit *fixed, int n_fixed)
{
    for (unsigned m = 0; m < 1u << n; m++) {
        bool good = true;
        for (int i = 0; i < n_fixed && good; i++) good = (m >> (abs(fixed[i]) - 1) & 1) == (fixed[i] > 0);
        for (int c = 0; c < n_clauses && good; c++) {
            good = false;
            for (int i = 0; i < 3; i++) good |= (m >> (abs(clauses[c][i]) - 1) & 1) == (clauses[c][i] > 0);
        }
        if (good) return true;
    }
    return false;
}

static SatLit random_literal(Rng *rng, int n)
{
    SatLit v = (SatLit)rng_below(rng, (uint64_t)n) + 1;
    return rng_chance(rng, 2) ? v : -v;
}

START_TEST(random_formulas_under_assumptions)
{
    Rng rng = {7};
    int answers[3] = {0};
    for (int round = 0; round < 300; round++) {
        int n = 3 + (int)rng_below(&rng, MOST - 3), n_clauses = (int)rng_below(&rng, (uint64_t)(6 * n));
        SatLit clauses[6 * MOST][3];
        g_autoptr(Sat) sat = sat_new();
        ck_assert_int_eq(sat_variables(sat, n), 1);
        for (int c = 0; c < n_clauses; c++) {
            for (int i = 0; i < 3; i++) clauses[c][i] = random_literal(&rng, n);
            sat_clause(sat, clauses[c], 3);
        }
        for (int ask = 0; ask < 5; ask++) {
            SatLit fixed[3];
            int n_fixed = (int)rng_below(&rng, 4);
            for (int i = 0; i < n_fixed; i++) {
                fixed[i] = random_literal(&rng, n);
                sat_assume(sat, fixed[i]);
            }
            SatAnswer answer = sat_solve(sat, NULL);
            answers[answer]++;
            ck_assert_int_eq(answer == SAT_YES, brute(n, clauses, n_clauses, fixed, n_fixed));
            if (answer == SAT_YES)
                for (int i = 0; i < n_fixed; i++) ck_assert(sat_value(sat, fixed[i]));
        }
        ck_assert_uint_eq(sat_solves(sat), 5);
    }
    ck_assert_int_gt(answers[SAT_YES], 100);
    ck_assert_int_gt(answers[SAT_NO], 100);
}
END_TEST

START_TEST(at_most_one_allows_exactly_the_right_models)
{
    for (int n = 1; n <= 20; n++) {
        g_autoptr(Sat) sat = sat_new();
        SatLit literals[20], first = sat_variables(sat, n);
        for (int i = 0; i < n; i++) literals[i] = first + i;
        sat_at_most_one(sat, literals, (size_t)n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                sat_assume(sat, literals[i]);
                sat_assume(sat, literals[j]);
                ck_assert_int_eq(sat_solve(sat, NULL), i == j ? SAT_YES : SAT_NO);
                if (i != j) ck_assert(sat_failed(sat, literals[i]) && sat_failed(sat, literals[j]));
            }
    }
}
END_TEST

/* A pigeon-hole formula is far too hard: the deadline must end it, and say so. */
START_TEST(budget_ends_a_hard_formula)
{
    enum { HOLES = 14 };
    g_autoptr(Sat) sat = sat_new();
    SatLit first = sat_variables(sat, HOLES * (HOLES + 1));
    for (int pigeon = 0; pigeon <= HOLES; pigeon++) {
        for (int hole = 0; hole < HOLES; hole++) sat_add(sat, first + pigeon * HOLES + hole);
        sat_add(sat, 0);
    }
    for (int hole = 0; hole < HOLES; hole++)
        for (int a = 0; a <= HOLES; a++)
            for (int b = a + 1; b <= HOLES; b++)
                sat_clause_of(sat, -(first + a * HOLES + hole), -(first + b * HOLES + hole));
    Budget budget = budget_new(0.2, 0, 0);
    ck_assert_int_eq(sat_solve(sat, &budget), SAT_UNKNOWN);
    ck_assert_int_eq(budget_ending(&budget), ENDING_TIME);
}
END_TEST

static StopFlag interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static void *interrupt(void *process)
{
    g_usleep(200000);
    kill(*(pid_t *)process, SIGINT);
    return NULL;
}

/* Equal sums of 0/1 variables with large random weights: nothing a solver finishes in the test's time. */
START_TEST(an_interrupt_is_heard_while_linear_arithmetic_is_solved)
{
    enum { N = 60, ROWS = 4 };
    g_autoptr(Smt) smt = smt_new(true);
    SmtTerm x[N];
    int64_t weight[N], half;
    Rng rng = {11};
    for (int i = 0; i < N; i++) smt_assert(smt, smt_at_most(smt, x[i] = smt_variable(smt), 1));
    for (int k = 0; k < ROWS; k++) {
        half = 0;
        for (int i = 0; i < N; i++) half += weight[i] = (int64_t)rng_below(&rng, 100000);
        SmtTerm sum = smt_sum(smt, x, weight, N, 0);
        smt_assert(smt, smt_at_most(smt, sum, half / 2));
        smt_assert(smt, smt_at_least(smt, sum, half / 2));
    }
    signal(SIGINT, on_interrupt);
    pid_t self = getpid();
    Budget budget = budget_new(TEST_PLENTY, 0, 0);
    budget_stop_by(&budget, &interrupted);
    GThread *thread = g_thread_new("interrupt", interrupt, &self);
    ck_assert_int_eq(smt_solve(smt, &budget), SAT_UNKNOWN);
    g_thread_join(thread);
    ck_assert(interrupted);
    ck_assert_int_eq(budget_ending(&budget), ENDING_STOPPED);
}
END_TEST

/* A long chain of counts, each fed by the one before: asserting it keeps Z3 busy, and deaf, for a minute. */
static Smt *long_chain(int n)
{
    Smt *smt = smt_new(false);
    SmtTerm before = smt_variable(smt);
    smt_push(smt);
    for (int i = 0; i < n; i++) {
        SmtTerm next = smt_variable(smt);
        SmtTerm tokens = smt_sum(smt, (SmtTerm[]){before, next}, (int64_t[]){1, -1}, 2, i == 0);
        SmtTerm rest = smt_sum(smt, (SmtTerm[]){before, next}, (int64_t[]){-1, -1}, 2, 1);
        smt_assert(smt, smt_at_least(smt, tokens, 0));
        smt_assert(smt, smt_at_least(smt, rest, 0));
        before = next;
    }
    smt_push(smt);
    return smt;
}

START_TEST(a_solver_that_does_not_hear_is_killed)
{
    Smt *smt = long_chain(40000);
    Budget budget = budget_new(0.3, 0, 0), more = budget_unlimited();
    ck_assert_int_eq(smt_solve(smt, &budget), SAT_UNKNOWN);
    ck_assert_int_eq(budget_ending(&budget), ENDING_TIME);
    ck_assert_int_eq(smt_solve(smt, &more), SAT_UNKNOWN);
    smt_free(smt);
    ck_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}
END_TEST

/* However that one ends: both are in a group of their own, and nobody is left in it. */
START_TEST(a_solver_ends_with_who_started_it)
{
    Smt *smt = long_chain(40000);
    int ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        Budget budget = budget_new(TEST_PLENTY, 0, 0);
        setpgid(0, 0);
        if (write(ready[1], "", 1) == 1) smt_solve(smt, &budget);
        _exit(0);
    }
    char byte;
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    g_usleep(300000);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 100 && kill(-child, 0) == 0; i++) g_usleep(100000);
    ck_assert(kill(-child, 0) < 0 && errno == ESRCH);
    smt_free(smt);
    close(ready[0]);
    close(ready[1]);
}
END_TEST

START_TEST(the_memory_of_the_solver_counts)
{
    enum { ROOM = 30 << 20 };
    uint64_t before = budget_resident();
    Smt *smt = long_chain(40000);
    Budget budget = budget_new(TEST_PLENTY, budget_resident() + ROOM, 0);
    ck_assert_int_eq(smt_solve(smt, &budget), SAT_UNKNOWN);
    ck_assert_int_eq(budget_ending(&budget), ENDING_MEMORY);
    smt_free(smt);
    if (!TEST_SANITIZED) ck_assert_uint_lt(budget_resident(), before + ROOM);
}
END_TEST

/* x + y = seed with 2 x <= y: the largest x is seed / 3, and what exceeds it contradicts. */
static void *solve_small(void *data)
{
    int64_t seed = GPOINTER_TO_INT(data) * 3, above = 0, below = 0;
    Budget budget = budget_unlimited();
    for (int i = 0; i < 5; i++) {
        g_autoptr(Smt) smt = smt_new(i % 2);
        SmtTerm x = smt_variable(smt), y = smt_variable(smt);
        SmtTerm both = smt_sum(smt, (SmtTerm[]){x, y}, (int64_t[]){1, 1}, 2, 0);
        smt_assert(smt, smt_at_most(smt, both, seed));
        smt_assert(smt, smt_at_least(smt, both, seed));
        smt_assert(smt, smt_at_most(smt, smt_sum(smt, (SmtTerm[]){x, y}, (int64_t[]){2, -1}, 2, 0), 0));
        SmtTerm any = smt_guard(smt, smt_at_least(smt, y, 0)), most = smt_guard(smt, smt_at_least(smt, x, seed / 3));
        SmtTerm more = smt_guard(smt, smt_at_least(smt, x, seed / 3 + 1));
        if (smt_solve_assuming(smt, (SmtTerm[]){any, most}, 2, &budget) != SAT_YES) return "most";
        if (!smt_value(smt, x, &above, &below) || above != seed / 3 || below != 1) return "value of a variable";
        if (!smt_value(smt, both, &above, &below) || above != seed || below != 1) return "value of a sum";
        if (smt_solve_assuming(smt, (SmtTerm[]){any, more}, 2, &budget) != SAT_NO) return "more";
        if (smt_failed(smt, any) || !smt_failed(smt, more)) return "core";
        smt_push(smt);
        smt_assert(smt, smt_or(smt, NULL, 0));
        if (smt_solve(smt, &budget) != SAT_NO) return "false";
        smt_pop(smt);
        if (smt_solve(smt, &budget) != SAT_YES) return "pop";
    }
    return NULL;
}

START_TEST(solvers_work_in_several_threads)
{
    enum { THREADS = 4 };
    GThread *threads[THREADS];
    for (int i = 0; i < THREADS; i++) threads[i] = g_thread_new("solve", solve_small, GINT_TO_POINTER(i + 1));
    for (int i = 0; i < THREADS; i++) {
        const char *wrong = g_thread_join(threads[i]);
        ck_assert_msg(!wrong, "%s", wrong);
    }
    ck_assert(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sat");
    TEST_CASE(suite, random_formulas_under_assumptions);
    TEST_CASE(suite, at_most_one_allows_exactly_the_right_models);
    TEST_CASE(suite, budget_ends_a_hard_formula);
    TEST_CASE(suite, an_interrupt_is_heard_while_linear_arithmetic_is_solved);
    TEST_CASE(suite, a_solver_that_does_not_hear_is_killed);
    TEST_CASE(suite, a_solver_ends_with_who_started_it);
    TEST_CASE(suite, the_memory_of_the_solver_counts);
    TEST_CASE(suite, solvers_work_in_several_threads);
    return test_run(suite);
}
