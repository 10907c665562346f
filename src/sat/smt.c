#include "sat/smt.h"

#include "base/vec.h"

#include <assert.h>
#include <limits.h>
#include <string.h>
#include <z3.h>

struct Smt {
    Z3_context context;
    Z3_solver solver;
    Z3_sort sort;
    Z3_model model;
    bool satisfied;
    VEC(Z3_ast) terms;
    VecU32 marks;       /* number of terms at each push */
    GHashTable *failed; /* ids of the assumptions in the last core */
    double used;        /* of Z3's resources, when last looked */
};

/* Without a handler Z3 prints and exits; errors show in the values returned. */
static void ignore_error(Z3_context context, Z3_error_code code)
{
    (void)context;
    (void)code;
}

/* Z3 would take Ctrl-C for itself while it solves, and our handler would never hear of it. */
static void leave_signals_alone(Smt *smt)
{
    Z3_params params = Z3_mk_params(smt->context);
    Z3_params_inc_ref(smt->context, params);
    Z3_params_set_bool(smt->context, params, Z3_mk_string_symbol(smt->context, "ctrl_c"), false);
    Z3_solver_set_params(smt->context, smt->solver, params);
    Z3_params_dec_ref(smt->context, params);
}

Smt *smt_new(bool integers)
{
    Smt *smt = g_new0(Smt, 1);
    Z3_config config = Z3_mk_config();
    Z3_set_param_value(config, "model", "true");
    smt->context = Z3_mk_context_rc(config);
    Z3_del_config(config);
    Z3_set_error_handler(smt->context, ignore_error);
    smt->sort = integers ? Z3_mk_int_sort(smt->context) : Z3_mk_real_sort(smt->context);
    Z3_inc_ref(smt->context, Z3_sort_to_ast(smt->context, smt->sort));
    smt->solver = Z3_mk_simple_solver(smt->context);
    Z3_solver_inc_ref(smt->context, smt->solver);
    leave_signals_alone(smt);
    smt->failed = g_hash_table_new(NULL, NULL);
    return smt;
}

static void drop_model(Smt *smt)
{
    if (smt->model) Z3_model_dec_ref(smt->context, smt->model);
    smt->model = NULL;
    smt->satisfied = false;
}

static void drop_terms(Smt *smt, size_t keep)
{
    while (smt->terms.len > keep) Z3_dec_ref(smt->context, vec_pop(&smt->terms));
}

void smt_free(Smt *smt)
{
    if (!smt) return;
    drop_model(smt);
    drop_terms(smt, 0);
    vec_free(&smt->terms);
    vec_free(&smt->marks);
    g_hash_table_destroy(smt->failed);
    Z3_solver_dec_ref(smt->context, smt->solver);
    Z3_dec_ref(smt->context, Z3_sort_to_ast(smt->context, smt->sort));
    Z3_del_context(smt->context);
    g_free(smt);
}

static SmtTerm keep(Smt *smt, Z3_ast ast)
{
    Z3_inc_ref(smt->context, ast);
    vec_push(&smt->terms, ast);
    return (SmtTerm)(smt->terms.len - 1);
}

static Z3_ast number(Smt *smt, int64_t value)
{
    return Z3_mk_int64(smt->context, value, smt->sort);
}

SmtTerm smt_signed_variable(Smt *smt)
{
    return keep(smt, Z3_mk_fresh_const(smt->context, "x", smt->sort));
}

SmtTerm smt_variable(Smt *smt)
{
    SmtTerm variable = smt_signed_variable(smt);
    smt_assert(smt, keep(smt, Z3_mk_ge(smt->context, smt->terms.data[variable], number(smt, 0))));
    return variable;
}

SmtTerm smt_sum(Smt *smt, const SmtTerm *variables, const int64_t *coefficients, size_t n, int64_t constant)
{
    g_autofree Z3_ast *parts = g_new(Z3_ast, n + 1);
    size_t len = 0;
    for (size_t i = 0; i < n; i++) {
        Z3_ast factors[] = {number(smt, coefficients[i]), smt->terms.data[variables[i]]};
        Z3_inc_ref(smt->context, factors[0]);
        parts[len] = coefficients[i] == 1 ? factors[1] : Z3_mk_mul(smt->context, 2, factors);
        Z3_inc_ref(smt->context, parts[len++]);
        Z3_dec_ref(smt->context, factors[0]);
    }
    if (constant || !len) {
        parts[len] = number(smt, constant);
        Z3_inc_ref(smt->context, parts[len++]);
    }
    SmtTerm sum = keep(smt, len == 1 ? parts[0] : Z3_mk_add(smt->context, (unsigned)len, parts));
    for (size_t i = 0; i < len; i++) Z3_dec_ref(smt->context, parts[i]);
    return sum;
}

SmtTerm smt_at_most(Smt *smt, SmtTerm sum, int64_t bound)
{
    return keep(smt, Z3_mk_le(smt->context, smt->terms.data[sum], number(smt, bound)));
}

SmtTerm smt_at_least(Smt *smt, SmtTerm sum, int64_t bound)
{
    return keep(smt, Z3_mk_ge(smt->context, smt->terms.data[sum], number(smt, bound)));
}

static SmtTerm connect(Smt *smt, const SmtTerm *formulas, size_t n,
                       Z3_ast (*make)(Z3_context context, unsigned n, Z3_ast const *parts))
{
    g_autofree Z3_ast *parts = g_new(Z3_ast, n + 1);
    for (size_t i = 0; i < n; i++) parts[i] = smt->terms.data[formulas[i]];
    return keep(smt, make(smt->context, (unsigned)n, parts));
}

SmtTerm smt_and(Smt *smt, const SmtTerm *formulas, size_t n)
{
    return connect(smt, formulas, n, Z3_mk_and);
}

SmtTerm smt_or(Smt *smt, const SmtTerm *formulas, size_t n)
{
    return connect(smt, formulas, n, Z3_mk_or);
}

void smt_push(Smt *smt)
{
    Z3_solver_push(smt->context, smt->solver);
    vec_push(&smt->marks, (uint32_t)smt->terms.len);
}

void smt_pop(Smt *smt)
{
    assert(smt->marks.len);
    drop_model(smt);
    Z3_solver_pop(smt->context, smt->solver, 1);
    drop_terms(smt, vec_pop(&smt->marks));
}

void smt_assert(Smt *smt, SmtTerm formula)
{
    Z3_solver_assert(smt->context, smt->solver, smt->terms.data[formula]);
}

SmtTerm smt_guard(Smt *smt, SmtTerm formula)
{
    SmtTerm guard = keep(smt, Z3_mk_fresh_const(smt->context, "g", Z3_mk_bool_sort(smt->context)));
    smt_assert(smt, keep(smt, Z3_mk_implies(smt->context, smt->terms.data[guard], smt->terms.data[formula])));
    return guard;
}

/* ---- solving under a budget ---- */

typedef struct Watch {
    Smt *smt;
    Budget *budget;
    GMutex mutex;
    GCond cond;
    bool done;
} Watch;

enum { WATCH_MICROSECONDS = 20000 };
#define RESOURCES_PER_SECOND 0.4e6

static void *watch(void *data)
{
    Watch *w = data;
    g_mutex_lock(&w->mutex);
    while (!w->done) {
        g_cond_wait_until(&w->cond, &w->mutex, g_get_monotonic_time() + WATCH_MICROSECONDS);
        if (!w->done && budget_watch(w->budget)) Z3_interrupt(w->smt->context);
    }
    g_mutex_unlock(&w->mutex);
    return NULL;
}

static void keep_core(Smt *smt)
{
    Z3_ast_vector core = Z3_solver_get_unsat_core(smt->context, smt->solver);
    Z3_ast_vector_inc_ref(smt->context, core);
    for (unsigned i = 0; i < Z3_ast_vector_size(smt->context, core); i++)
        g_hash_table_add(smt->failed,
                         GUINT_TO_POINTER(Z3_get_ast_id(smt->context, Z3_ast_vector_get(smt->context, core, i))));
    Z3_ast_vector_dec_ref(smt->context, core);
}

bool smt_failed(const Smt *smt, SmtTerm proposition)
{
    return g_hash_table_contains(smt->failed,
                                 GUINT_TO_POINTER(Z3_get_ast_id(smt->context, smt->terms.data[proposition])));
}

/* Z3's own count of its work, over the life of the context. */
static double resources_used(Smt *smt)
{
    Z3_stats stats = Z3_solver_get_statistics(smt->context, smt->solver);
    Z3_stats_inc_ref(smt->context, stats);
    double used = 0;
    for (unsigned i = 0; i < Z3_stats_size(smt->context, stats); i++)
        if (strcmp(Z3_stats_get_key(smt->context, stats, i), "rlimit count") == 0)
            used = Z3_stats_is_uint(smt->context, stats, i) ? Z3_stats_get_uint_value(smt->context, stats, i)
                                                            : Z3_stats_get_double_value(smt->context, stats, i);
    Z3_stats_dec_ref(smt->context, stats);
    return used;
}

static void limit_resources(Smt *smt, const Budget *budget)
{
    double left = budget_left(budget) * RESOURCES_PER_SECOND;
    unsigned limit = budget->work_end && left < UINT_MAX - 1 ? (unsigned)left + 1 : 0; /* 0: none */
    Z3_params params = Z3_mk_params(smt->context);
    Z3_params_inc_ref(smt->context, params);
    Z3_params_set_uint(smt->context, params, Z3_mk_string_symbol(smt->context, "rlimit"), limit);
    Z3_solver_set_params(smt->context, smt->solver, params);
    Z3_params_dec_ref(smt->context, params);
}

SatAnswer smt_solve(Smt *smt, Budget *budget)
{
    return smt_solve_assuming(smt, NULL, 0, budget);
}

SatAnswer smt_solve_assuming(Smt *smt, const SmtTerm *propositions, size_t n, Budget *budget)
{
    drop_model(smt);
    g_hash_table_remove_all(smt->failed);
    if (budget_look(budget)) return SAT_UNKNOWN;
    g_autofree Z3_ast *assumed = g_new(Z3_ast, n + 1);
    for (size_t i = 0; i < n; i++) assumed[i] = smt->terms.data[propositions[i]];
    if (budget->work) limit_resources(smt, budget);
    Watch w = {.smt = smt, .budget = budget};
    g_mutex_init(&w.mutex);
    g_cond_init(&w.cond);
    GThread *thread = g_thread_new("smt-watch", watch, &w);
    Z3_lbool answer = n ? Z3_solver_check_assumptions(smt->context, smt->solver, (unsigned)n, assumed)
                        : Z3_solver_check(smt->context, smt->solver);
    g_mutex_lock(&w.mutex);
    w.done = true;
    g_cond_signal(&w.cond);
    g_mutex_unlock(&w.mutex);
    g_thread_join(thread);
    g_mutex_clear(&w.mutex);
    g_cond_clear(&w.cond);
    if (answer == Z3_L_FALSE && n) keep_core(smt);
    if (budget->work) {
        double used = resources_used(smt);
        budget_add(budget, (used - smt->used) / RESOURCES_PER_SECOND);
        smt->used = used;
        budget_look(budget);
    }
    if (answer == Z3_L_FALSE) return SAT_NO;
    if (answer == Z3_L_UNDEF) return SAT_UNKNOWN;
    smt->satisfied = true;
    return SAT_YES;
}

/* Made when it is first asked for: many questions are only about yes or no. */
static bool have_model(Smt *smt)
{
    if (smt->model || !smt->satisfied) return smt->model != NULL;
    smt->model = Z3_solver_get_model(smt->context, smt->solver);
    if (smt->model) Z3_model_inc_ref(smt->context, smt->model);
    return smt->model != NULL;
}

bool smt_value(Smt *smt, SmtTerm sum, int64_t *numerator, int64_t *denominator)
{
    Z3_ast value = NULL;
    if (!have_model(smt) || !Z3_model_eval(smt->context, smt->model, smt->terms.data[sum], true, &value)) return false;
    Z3_inc_ref(smt->context, value);
    bool fits = Z3_get_ast_kind(smt->context, value) == Z3_NUMERAL_AST &&
                Z3_get_numeral_rational_int64(smt->context, value, numerator, denominator);
    Z3_dec_ref(smt->context, value);
    return fits;
}
