/* The process that runs Z3: the other side of smt_process.h, the only place that names that library. It is loaded here,
 * when it is needed, as it takes longer to link than a small question to answer. */
#include "sat/sat.h"
#include "sat/smt_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#include <z3.h>

typedef struct Z3 {
#define Z3_FUNCTION(name) __typeof__(Z3_##name) *name;
#include "sat/z3.def"
#undef Z3_FUNCTION
} Z3;

/* So many assertions may take a while. */
enum { MANY = 20000 };

typedef struct Server {
    Z3 z;
    Z3_context context;
    Z3_solver solver;
    Z3_sort sort;
    Z3_model model;
    bool satisfied;
    atomic_bool solving;
    VEC(Z3_ast) terms;
    VecU32 marks; /* number of terms at each push */
    SmtWords question, answer;
    size_t at;        /* in the question */
    int64_t limit;    /* of the question */
    size_t unsettled; /* assertions that no check has seen */
    bool lost;        /* they were too many for the limit: no answer any more */
} Server;

static int64_t next(Server *s)
{
    if (s->at >= s->question.len) _exit(EXIT_FAILURE);
    return s->question.data[s->at++];
}

/* Without a handler Z3 prints and exits; errors show in the values returned. */
static void ignore_error(Z3_context context, Z3_error_code code)
{
    (void)context;
    (void)code;
}

static void set_number(Server *s, const char *name, unsigned value)
{
    Z3_params params = s->z.mk_params(s->context);
    s->z.params_inc_ref(s->context, params);
    s->z.params_set_uint(s->context, params, s->z.mk_string_symbol(s->context, name), value);
    s->z.solver_set_params(s->context, s->solver, params);
    s->z.params_dec_ref(s->context, params);
}

/* Of each check. */
static void limit_resources(Server *s)
{
    if (s->limit >= 0) set_number(s, "rlimit", (unsigned)MIN(s->limit, UINT_MAX));
}

static void begin(Server *s)
{
    Z3_config config = s->z.mk_config();
    s->z.set_param_value(config, "model", "true");
    s->context = s->z.mk_context_rc(config);
    s->z.del_config(config);
    s->z.set_error_handler(s->context, ignore_error);
    s->sort = next(s) ? s->z.mk_int_sort(s->context) : s->z.mk_real_sort(s->context);
    s->z.inc_ref(s->context, s->z.sort_to_ast(s->context, s->sort));
    s->solver = s->z.mk_simple_solver(s->context);
    s->z.solver_inc_ref(s->context, s->solver);
    limit_resources(s);
}

/* ---- terms ---- */

static void keep(Server *s, Z3_ast ast)
{
    s->z.inc_ref(s->context, ast);
    vec_push(&s->terms, ast);
}

static Z3_ast number(Server *s, int64_t value)
{
    return s->z.mk_int64(s->context, value, s->sort);
}

static Z3_ast next_term(Server *s)
{
    uint64_t term = (uint64_t)next(s);
    if (term >= s->terms.len) _exit(EXIT_FAILURE);
    return s->terms.data[term];
}

static void assert_formula(Server *s, Z3_ast formula)
{
    if (s->lost) return;
    s->unsettled++;
    s->z.solver_assert(s->context, s->solver, formula);
}

static void variable(Server *s)
{
    bool may_be_negative = next(s);
    keep(s, s->z.mk_fresh_const(s->context, "x", s->sort));
    if (may_be_negative) return;
    Z3_ast bound = s->z.mk_ge(s->context, vec_last(&s->terms), number(s, 0));
    s->z.inc_ref(s->context, bound);
    assert_formula(s, bound);
    s->z.dec_ref(s->context, bound);
}

/* Counted once more for the caller. */
static Z3_ast product(Server *s)
{
    Z3_ast factors[2] = {NULL, next_term(s)};
    int64_t coefficient = next(s);
    s->z.inc_ref(s->context, factors[1]);
    if (coefficient == 1) return factors[1];
    factors[0] = number(s, coefficient);
    s->z.inc_ref(s->context, factors[0]);
    Z3_ast ast = s->z.mk_mul(s->context, 2, factors);
    s->z.inc_ref(s->context, ast);
    for (int i = 0; i < 2; i++) s->z.dec_ref(s->context, factors[i]);
    return ast;
}

static void sum(Server *s)
{
    size_t n = (size_t)next(s), len = 0;
    int64_t constant = next(s);
    g_autofree Z3_ast *parts = g_new(Z3_ast, n + 1);
    while (len < n) parts[len++] = product(s);
    if (constant || !n) {
        parts[len] = number(s, constant);
        s->z.inc_ref(s->context, parts[len++]);
    }
    keep(s, len == 1 ? parts[0] : s->z.mk_add(s->context, (unsigned)len, parts));
    for (size_t i = 0; i < len; i++) s->z.dec_ref(s->context, parts[i]);
}

static void compare(Server *s, bool at_least)
{
    Z3_ast value = next_term(s), bound = number(s, next(s));
    keep(s, at_least ? s->z.mk_ge(s->context, value, bound) : s->z.mk_le(s->context, value, bound));
}

static void connect_formulas(Server *s, bool all)
{
    size_t n = (size_t)next(s);
    g_autofree Z3_ast *parts = g_new(Z3_ast, n + 1);
    for (size_t i = 0; i < n; i++) parts[i] = next_term(s);
    keep(s, all ? s->z.mk_and(s->context, (unsigned)n, parts) : s->z.mk_or(s->context, (unsigned)n, parts));
}

static void guard(Server *s)
{
    Z3_ast formula = next_term(s);
    keep(s, s->z.mk_fresh_const(s->context, "g", s->z.mk_bool_sort(s->context)));
    Z3_ast implied = s->z.mk_implies(s->context, vec_last(&s->terms), formula);
    s->z.inc_ref(s->context, implied);
    assert_formula(s, implied);
    s->z.dec_ref(s->context, implied);
}

/* ---- answers ---- */

static void drop_model(Server *s)
{
    if (s->model) s->z.model_dec_ref(s->context, s->model);
    s->model = NULL;
    s->satisfied = false;
}

/* Pushing makes Z3 take in what was asserted, however long that takes; a check does so too, but hears. */
static void settle(Server *s)
{
    if (s->unsettled < MANY) return;
    s->unsettled = 0;
    s->solving = true;
    s->lost |= s->z.solver_check(s->context, s->solver) == Z3_L_UNDEF;
    s->solving = false;
}

static void push(Server *s)
{
    settle(s);
    if (!s->lost) s->z.solver_push(s->context, s->solver);
    vec_push(&s->marks, (uint32_t)s->terms.len);
}

static void pop(Server *s)
{
    if (!s->marks.len) _exit(EXIT_FAILURE);
    drop_model(s);
    if (!s->lost) s->z.solver_pop(s->context, s->solver, 1);
    size_t kept = vec_pop(&s->marks);
    while (s->terms.len > kept) s->z.dec_ref(s->context, vec_pop(&s->terms));
}

/* Z3's own count of its work, over the life of the context. */
static double resources_used(Server *s)
{
    Z3_stats stats = s->z.solver_get_statistics(s->context, s->solver);
    s->z.stats_inc_ref(s->context, stats);
    double used = 0;
    for (unsigned i = 0; i < s->z.stats_size(s->context, stats); i++)
        if (strcmp(s->z.stats_get_key(s->context, stats, i), "rlimit count") == 0)
            used = s->z.stats_is_uint(s->context, stats, i) ? s->z.stats_get_uint_value(s->context, stats, i)
                                                            : s->z.stats_get_double_value(s->context, stats, i);
    s->z.stats_dec_ref(s->context, stats);
    return used;
}

static void push_core(Server *s, const Z3_ast *assumed, size_t n)
{
    Z3_ast_vector core = s->z.solver_get_unsat_core(s->context, s->solver);
    s->z.ast_vector_inc_ref(s->context, core);
    g_autoptr(GHashTable) ids = g_hash_table_new(NULL, NULL);
    for (unsigned i = 0; i < s->z.ast_vector_size(s->context, core); i++)
        g_hash_table_add(ids, GUINT_TO_POINTER(s->z.get_ast_id(s->context, s->z.ast_vector_get(s->context, core, i))));
    for (size_t i = 0; i < n; i++)
        if (g_hash_table_contains(ids, GUINT_TO_POINTER(s->z.get_ast_id(s->context, assumed[i]))))
            vec_push(&s->answer, (int64_t)i);
    s->z.ast_vector_dec_ref(s->context, core);
}

static void solve(Server *s)
{
    size_t n = (size_t)next(s);
    g_autofree Z3_ast *assumed = g_new(Z3_ast, n + 1);
    for (size_t i = 0; i < n; i++) assumed[i] = next_term(s);
    drop_model(s);
    s->unsettled = 0;
    s->solving = true;
    Z3_lbool answer = s->lost ? Z3_L_UNDEF
                      : n     ? s->z.solver_check_assumptions(s->context, s->solver, (unsigned)n, assumed)
                              : s->z.solver_check(s->context, s->solver);
    s->solving = false;
    s->satisfied = answer == Z3_L_TRUE;
    vec_push(&s->answer, answer == Z3_L_TRUE ? SAT_YES : answer == Z3_L_FALSE ? SAT_NO : SAT_UNKNOWN);
    vec_push(&s->answer, s->limit >= 0 ? (int64_t)resources_used(s) : 0);
    if (answer == Z3_L_FALSE && n) push_core(s, assumed, n);
}

/* The model is made when it is first asked for: many questions are only about yes or no. */
static void push_value(Server *s, Z3_ast term)
{
    Z3_ast value = NULL;
    int64_t numerator = 0, denominator = 0;
    if (!s->model && s->satisfied) {
        s->model = s->z.solver_get_model(s->context, s->solver);
        if (s->model) s->z.model_inc_ref(s->context, s->model);
    }
    if (s->model && s->z.model_eval(s->context, s->model, term, true, &value)) {
        s->z.inc_ref(s->context, value);
        if (s->z.get_ast_kind(s->context, value) != Z3_NUMERAL_AST ||
            !s->z.get_numeral_rational_int64(s->context, value, &numerator, &denominator))
            denominator = 0;
        s->z.dec_ref(s->context, value);
    }
    vec_push(&s->answer, numerator);
    vec_push(&s->answer, denominator);
}

/* ---- the line ---- */

static void transfer(bool out, void *data, size_t bytes)
{
    char *at = data;
    while (bytes) {
        ssize_t n = out ? write(SMT_LINE, at, bytes) : read(SMT_LINE, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(EXIT_SUCCESS);
        at += n;
        bytes -= (size_t)n;
    }
}

static void reply(Server *s)
{
    int64_t n = (int64_t)s->answer.len;
    transfer(true, &n, sizeof n);
    transfer(true, s->answer.data, s->answer.len * sizeof *s->answer.data);
    vec_clear(&s->answer);
}

static void operate(Server *s)
{
    switch ((SmtOperation)next(s)) {
    case SMT_BEGIN: begin(s); return;
    case SMT_VARIABLE: variable(s); return;
    case SMT_SUM: sum(s); return;
    case SMT_AT_MOST: compare(s, false); return;
    case SMT_AT_LEAST: compare(s, true); return;
    case SMT_AND: connect_formulas(s, true); return;
    case SMT_OR: connect_formulas(s, false); return;
    case SMT_GUARD: guard(s); return;
    case SMT_PUSH: push(s); return;
    case SMT_POP: pop(s); return;
    case SMT_ASSERT: assert_formula(s, next_term(s)); return;
    case SMT_SOLVE:
        solve(s);
        reply(s);
        if (s->lost) _exit(EXIT_SUCCESS);
        return;
    case SMT_VALUES:
        for (int64_t n = next(s); n > 0; n--) push_value(s, next_term(s));
        reply(s);
        return;
    }
    _exit(EXIT_FAILURE);
}

/* A byte: stop solving. The end: nobody wants an answer any more. */
static void *listen(void *data)
{
    Server *s = data;
    char byte;
    for (;;) {
        ssize_t n = read(SMT_CONTROL, &byte, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(EXIT_SUCCESS);
        if (s->solving) s->z.interrupt(s->context);
    }
}

static bool load(Z3 *z)
{
    void *library = dlopen("libz3.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (!library) library = dlopen("libz3.so", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return false;
    bool ok = true;
#define Z3_FUNCTION(name)                                                                                              \
    *(void **)&z->name = dlsym(library, "Z3_" #name);                                                                  \
    ok &= z->name != NULL;
#include "sat/z3.def"
#undef Z3_FUNCTION
    return ok;
}

void smt_serve(void)
{
    Server *s = g_new0(Server, 1);
    /* Signals for the whole group are for the one that started us; it will say when to end. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (!load(&s->z)) _exit(EXIT_FAILURE);
    g_thread_unref(g_thread_new("smt-listen", listen, s)); /* never joined: it ends with the process */
    for (;;) {
        int64_t n;
        transfer(false, &n, sizeof n);
        if (n < 0) _exit(EXIT_FAILURE);
        vec_reserve(&s->question, (size_t)n);
        transfer(false, s->question.data, (size_t)n * sizeof n);
        s->question.len = (size_t)n;
        s->at = 0;
        s->limit = next(s);
        if (s->context) limit_resources(s);
        while (s->at < s->question.len) operate(s);
        vec_free(&s->question);
    }
}

const char smt_process_mode[] = "--be-the-solver-of-mazurka";

/* Before main(), whosever it is: every program that this is linked into can be its own server. */
__attribute__((constructor)) static void serve_if_started_for_it(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], smt_process_mode) == 0 && smt_process_is_own()) smt_serve();
}
