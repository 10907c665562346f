#include "sat/smt.h"

#include "sat/smt_process.h"

#include <assert.h>
#include <math.h>

/* Values are asked for so many neighbours at a time. */
enum { VALUES_AT_ONCE = 4096 };
#define RESOURCES_PER_SECOND 0.4e6

typedef struct Value {
    int64_t numerator, denominator;
    bool asked;
} Value;

struct Smt {
    SmtProcess *process; /* started when it is first needed */
    bool gone;           /* it had to be killed, or ended by itself */
    SmtWords unsent, answer;
    VEC(bool) numbers; /* per term: a variable or sum, not a formula */
    VecU32 marks;      /* number of terms at each push */
    bool satisfied;
    Budget budget;      /* of the last question, for what is still to be asked about its answer */
    VEC(Value) values;  /* per term, as far as known */
    GHashTable *failed; /* propositions of the last core */
    double used;        /* of Z3's resources, when last looked */
};

Smt *smt_new(bool integers)
{
    Smt *smt = g_new0(Smt, 1);
    smt->failed = g_hash_table_new(NULL, NULL);
    vec_append(&smt->unsent, ((const int64_t[]){SMT_BEGIN, integers}), 2);
    return smt;
}

static void forget_solution(Smt *smt)
{
    smt->satisfied = false;
    vec_clear(&smt->values);
}

static void end_process(Smt *smt)
{
    smt_process_free(smt->process);
    smt->process = NULL;
}

void smt_free(Smt *smt)
{
    if (!smt) return;
    end_process(smt);
    vec_free(&smt->unsent);
    vec_free(&smt->answer);
    vec_free(&smt->numbers);
    vec_free(&smt->marks);
    vec_free(&smt->values);
    g_hash_table_destroy(smt->failed);
    g_free(smt);
}

/* ---- terms: said here, made there ---- */

static void say(Smt *smt, const int64_t *words, size_t n)
{
    if (!smt->gone) vec_append(&smt->unsent, words, n);
}

static SmtTerm term(Smt *smt, bool number)
{
    vec_push(&smt->numbers, number);
    return (SmtTerm)(smt->numbers.len - 1);
}

static SmtTerm variable(Smt *smt, bool may_be_negative)
{
    say(smt, (const int64_t[]){SMT_VARIABLE, may_be_negative}, 2);
    return term(smt, true);
}

SmtTerm smt_signed_variable(Smt *smt)
{
    return variable(smt, true);
}

SmtTerm smt_variable(Smt *smt)
{
    return variable(smt, false);
}

SmtTerm smt_sum(Smt *smt, const SmtTerm *variables, const int64_t *coefficients, size_t n, int64_t constant)
{
    say(smt, (const int64_t[]){SMT_SUM, (int64_t)n, constant}, 3);
    for (size_t i = 0; i < n; i++) say(smt, (const int64_t[]){variables[i], coefficients[i]}, 2);
    return term(smt, true);
}

SmtTerm smt_at_most(Smt *smt, SmtTerm sum, int64_t bound)
{
    say(smt, (const int64_t[]){SMT_AT_MOST, sum, bound}, 3);
    return term(smt, false);
}

SmtTerm smt_at_least(Smt *smt, SmtTerm sum, int64_t bound)
{
    say(smt, (const int64_t[]){SMT_AT_LEAST, sum, bound}, 3);
    return term(smt, false);
}

static void say_terms(Smt *smt, const SmtTerm *terms, size_t n)
{
    for (size_t i = 0; i < n; i++) say(smt, (const int64_t[]){terms[i]}, 1);
}

static SmtTerm connect(Smt *smt, SmtOperation how, const SmtTerm *formulas, size_t n)
{
    say(smt, (const int64_t[]){how, (int64_t)n}, 2);
    say_terms(smt, formulas, n);
    return term(smt, false);
}

SmtTerm smt_and(Smt *smt, const SmtTerm *formulas, size_t n)
{
    return connect(smt, SMT_AND, formulas, n);
}

SmtTerm smt_or(Smt *smt, const SmtTerm *formulas, size_t n)
{
    return connect(smt, SMT_OR, formulas, n);
}

void smt_push(Smt *smt)
{
    say(smt, (const int64_t[]){SMT_PUSH}, 1);
    vec_push(&smt->marks, (uint32_t)smt->numbers.len);
}

void smt_pop(Smt *smt)
{
    assert(smt->marks.len);
    forget_solution(smt);
    say(smt, (const int64_t[]){SMT_POP}, 1);
    smt->numbers.len = vec_pop(&smt->marks);
}

void smt_assert(Smt *smt, SmtTerm formula)
{
    say(smt, (const int64_t[]){SMT_ASSERT, formula}, 2);
}

SmtTerm smt_guard(Smt *smt, SmtTerm formula)
{
    say(smt, (const int64_t[]){SMT_GUARD, formula}, 2);
    return term(smt, false);
}

/* ---- questions ---- */

/* What is unsent ends with a question. False: there is no process any more that could answer. */
static bool ask(Smt *smt, int64_t limit, Budget *budget)
{
    if (!smt->process) smt->process = smt_process_new();
    bool answered = smt->process && smt_process_ask(smt->process, limit, &smt->unsent, budget, &smt->answer);
    vec_clear(&smt->unsent);
    if (answered) return true;
    end_process(smt);
    vec_free(&smt->unsent);
    smt->gone = true;
    return false;
}

/* Of the answer to SMT_SOLVE. */
static SatAnswer read_answer(Smt *smt, const SmtTerm *propositions, Budget *budget)
{
    const SmtWords *answer = &smt->answer;
    assert(answer->len >= 2);
    if (budget_is_by_work(budget)) {
        double used = (double)answer->data[1];
        budget_add(budget, (used - smt->used) / RESOURCES_PER_SECOND);
        smt->used = used;
        budget_look(budget);
    }
    for (size_t i = 2; i < answer->len; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only what was assumed fails */
        g_hash_table_add(smt->failed, GUINT_TO_POINTER(propositions[answer->data[i]]));
    smt->satisfied = answer->data[0] == SAT_YES;
    return (SatAnswer)answer->data[0];
}

SatAnswer smt_solve(Smt *smt, Budget *budget)
{
    return smt_solve_assuming(smt, NULL, 0, budget);
}

SatAnswer smt_solve_assuming(Smt *smt, const SmtTerm *propositions, size_t n, Budget *budget)
{
    forget_solution(smt);
    g_hash_table_remove_all(smt->failed);
    if (smt->gone || budget_look(budget)) return SAT_UNKNOWN;
    int64_t limit = budget_is_by_work(budget) ? 0 : -1;
    double most = budget_left(budget) * RESOURCES_PER_SECOND;
    if (budget_work_left(budget) != UINT64_MAX && most < UINT32_MAX - 1) limit = (int64_t)most + 1;
    say(smt, (const int64_t[]){SMT_SOLVE, (int64_t)n}, 2);
    say_terms(smt, propositions, n);
    if (!ask(smt, limit, budget)) return SAT_UNKNOWN;
    smt->budget = *budget;
    return read_answer(smt, propositions, budget);
}

bool smt_failed(const Smt *smt, SmtTerm proposition)
{
    return g_hash_table_contains(smt->failed, GUINT_TO_POINTER(proposition));
}

static void push_unknown_values(Smt *smt)
{
    vec_reserve(&smt->values, smt->numbers.len);
    while (smt->values.len < smt->numbers.len) vec_push(&smt->values, (Value){0});
}

/* That of the sum and of those after it: who wants one will want them all. */
static bool ask_values(Smt *smt, SmtTerm sum)
{
    SmtTerm end = sum, n = 0;
    say(smt, (const int64_t[]){SMT_VALUES, 0}, 2);
    size_t count = smt->unsent.len - 1;
    for (; end < smt->numbers.len && smt->numbers.data[end] && n < VALUES_AT_ONCE; end++, n++) say_terms(smt, &end, 1);
    smt->unsent.data[count] = n;
    if (!ask(smt, -1, &smt->budget)) return false;
    assert(smt->answer.len == 2 * (size_t)n);
    for (SmtTerm i = 0; i < n; i++)
        smt->values.data[sum + i] = (Value){smt->answer.data[2 * i], smt->answer.data[2 * i + 1], true};
    return true;
}

bool smt_value(Smt *smt, SmtTerm sum, int64_t *numerator, int64_t *denominator)
{
    assert(smt->numbers.data[sum]);
    if (!smt->satisfied || smt->gone) return false;
    if (smt->values.len <= sum) push_unknown_values(smt);
    if (!smt->values.data[sum].asked && !ask_values(smt, sum)) return false;
    *numerator = smt->values.data[sum].numerator;
    *denominator = smt->values.data[sum].denominator;
    return *denominator != 0;
}
