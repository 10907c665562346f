#include "batch/contest.h"

#include "base/error.h"
#include "batch/relations.h"
#include "lts/explicit.h"
#include "program/open.h"
#include "prop/property.h"
#include "unfold/unfold.h"
#include "verify/examination.h"
#include "verify/witness.h"

#include <string.h>

const char *const contest_examinations[] = {
    "ReachabilityDeadlock",
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "UpperBounds",
    "OneSafe",
    "QuasiLiveness",
    "StableMarking",
    "Liveness",
    "StateSpace",
    NULL,
};

double contest_margin(double seconds)
{
    return MIN(0.5 + 0.02 * seconds, 0.3 * seconds);
}

typedef struct Contest {
    const ContestRun *run;
    Budget *budget;
    Net *net;
    FormulaStore *formulas;
} Contest;

G_GNUC_PRINTF(2, 3) static void say(const Contest *c, const char *format, ...)
{
    if (!c->run->log) return;
    va_list args;
    va_start(args, format);
    vfprintf(c->run->log, format, args);
    va_end(args);
    fputc('\n', c->run->log);
}

static void print_answer(const Contest *c, const char *id, const char *verdict, const char *techniques,
                         const char *engine)
{
    if (c->run->name_engines && engine) fprintf(c->run->out, "ENGINE %s %s\n", id, engine);
    fprintf(c->run->out, "FORMULA %s %s TECHNIQUES %s\n", id, verdict, techniques);
    fflush(c->run->out);
}

/* Why there is no answer; for batches a line of its own. */
static void print_reason(const Contest *c, const char *id, const char *reason)
{
    g_autofree char *line = g_strdelimit(g_strdup(reason ? reason : "undecided"), "\r\n", ' ');
    if (c->run->name_engines) fprintf(c->run->out, "REASON %s %s\n", id, line);
    say(c, "%s: %s", id, line);
}

static const char *techniques_of(const char *engine)
{
    static const struct {
        const char *engine, *techniques;
    } table[] = {
        {"explicit", "EXPLICIT STATE_COMPRESSION"},
        {"walk", "EXPLICIT RANDOM_WALK"},
        {"survey", "EXPLICIT RANDOM_WALK"},
        {"stubborn", "EXPLICIT STUBBORN_SETS"},
        {"unfold", "NET_UNFOLDING SAT_SMT"},
        {"explore", "NET_UNFOLDING STUBBORN_SETS"},
        {"equation", "LINEAR_EQUATIONS TOPOLOGICAL SAT_SMT"},
        {"cover", "EXPLICIT COVERABILITY_GRAPH"},
        {"structure", "TOPOLOGICAL STRUCTURAL_REDUCTION"},
        {"reduce", "STRUCTURAL_REDUCTION"},
        {"pdr", "SAT_SMT K_INDUCTION"},
        {"initial", "INITIAL_STATE"},
    };
    for (size_t i = 0; engine && i < G_N_ELEMENTS(table); i++)
        if (strcmp(table[i].engine, engine) == 0) return table[i].techniques;
    return "STRUCTURAL_REDUCTION SEQUENTIAL_PROCESSING";
}

static void log_line(const char *line, void *data)
{
    say(data, "%s", line);
}

static EngineOptions engine_options(const Contest *c)
{
    return (EngineOptions){
        .seed = c->run->seed, .threads = c->run->threads, .log = c->run->log ? log_line : NULL, .log_data = (void *)c};
}

/* ---- evidence, for batches that want it ---- */

/* Without a time limit, a proof that is only wanted as evidence gets so long. */
#define PROOF_SECONDS 60.0
/* An answer that came without a run is not asked for one longer than this part of what is left. */
#define RUN_SHARE 0.5
#define RUN_SECONDS 20.0

static void tell_evidence(const Contest *c, const char *keyword, const char *id, const char *name, bool kept,
                          GError *error)
{
    if (kept) fprintf(c->run->out, "%s %s %s\n", keyword, id, name);
    if (kept) fflush(c->run->out);
    if (error) say(c, "%s: %s", id, error->message);
    g_clear_error(&error);
}

static void keep_run(const Contest *c, const char *id, const VecU32 *run)
{
    if (!c->run->evidence.witnesses) return;
    g_autofree char *name = NULL;
    GError *error = NULL;
    bool kept = evidence_keep_run(&c->run->evidence, c->net, id, run, &name, &error);
    tell_evidence(c, "WITNESS", id, name, kept, error);
}

/* While other threads may still work on the formulas the run is kept as it came; afterwards it is shortened. */
static void shorten_run(const Contest *c, const char *id, FormulaId goal, VecU32 *run)
{
    Query query = {c->net, c->formulas, goal};
    if (!c->run->evidence.witnesses || !witness_replays(&query, run->data, run->len)) return;
    witness_shorten(&query, run);
    keep_run(c, id, run);
}

static void keep_proof(const Contest *c, const char *id, FormulaId goal, double share)
{
    if (!c->run->evidence.certificates || budget_look(c->budget)) return;
    double left = c->budget->deadline > 0 ? (c->budget->deadline - budget_now()) * share : PROOF_SECONDS;
    Budget part = budget_child(c->budget, MAX(left, 0.01), NULL);
    Query query = {c->net, c->formulas, goal};
    EngineOptions options = engine_options(c);
    g_autofree char *name = NULL;
    GError *error = NULL;
    bool kept = evidence_keep_proof(&c->run->evidence, &query, id, &options, &part, &name, &error);
    tell_evidence(c, "CERTIFICATE", id, name, kept, error);
}

/* The global questions are answered without runs and proofs; where one goal stands for the answer, look for it. */
static void keep_evidence(const Contest *c, const char *id, FormulaId goal, bool reachable)
{
    if (!reachable) keep_proof(c, id, goal, 1);
    if (!reachable || !c->run->evidence.witnesses || budget_look(c->budget)) return;
    double left = c->budget->deadline > 0 ? (c->budget->deadline - budget_now()) * RUN_SHARE : RUN_SECONDS;
    Budget part = budget_child(c->budget, CLAMP(left, 0.01, RUN_SECONDS), NULL);
    Result result = {0};
    PortfolioOptions options = {.engine = engine_options(c)};
    portfolio_run(c->net, c->formulas, &goal, 1, &options, &part, &result);
    if (result.answer == ANSWER_REACHABLE) shorten_run(c, id, goal, &result.witness);
    result_clear(&result);
}

/* ---- reachability: one goal or many ---- */

typedef struct Goals {
    Contest *contest;
    char **ids;
    bool *reachable_means; /* TRUE or FALSE, per goal */
} Goals;

static void print_goal(size_t i, const Result *result, void *data)
{
    const Goals *g = data;
    if (result->answer == ANSWER_UNKNOWN) return;
    bool verdict = (result->answer == ANSWER_REACHABLE) == g->reachable_means[i];
    print_answer(g->contest, g->ids[i], verdict ? "TRUE" : "FALSE", techniques_of(result->engine), result->engine);
    if (result->answer == ANSWER_REACHABLE) keep_run(g->contest, g->ids[i], &result->witness);
}

/* The user's one engine, goal by goal; each gets an equal share of the time left. */
static void ask_one_engine(Contest *c, const FormulaId *goals, size_t n, const Goals *told)
{
    const Engine *engine = engine_find(c->run->engine);
    EngineOptions options = engine_options(c);
    for (size_t i = 0; i < n && !budget_look(c->budget); i++) {
        Query query = {c->net, c->formulas, goals[i]};
        Budget share = budget_part(c->budget, 1.0 / (double)(n - i), 0, NULL);
        Result result = {0};
        engine_run(engine, &query, &options, &share, &result);
        bool replays =
            result.answer != ANSWER_REACHABLE || witness_replays(&query, result.witness.data, result.witness.len);
        if (replays) print_goal(i, &result, (void *)told);
        if (result.answer == ANSWER_UNKNOWN) print_reason(c, told->ids[i], result.reason);
        if (!replays) print_reason(c, told->ids[i], "the witness does not replay; no answer is given");
        if (result.answer == ANSWER_REACHABLE) shorten_run(c, told->ids[i], goals[i], &result.witness);
        if (result.answer == ANSWER_UNREACHABLE) keep_proof(c, told->ids[i], goals[i], 1.0 / (double)(n - i));
        result_clear(&result);
    }
}

static void ask_goals(Contest *c, const FormulaId *goals, size_t n, char **ids, bool *reachable_means)
{
    Goals told = {c, ids, reachable_means};
    bool several = c->run->engine && strchr(c->run->engine, ',');
    if (c->run->engine && !several && strcmp(c->run->engine, "auto") != 0) {
        ask_one_engine(c, goals, n, &told);
        return;
    }
    g_autofree Result *results = g_new0(Result, n + 1);
    PortfolioOptions options = {
        .engine = engine_options(c), .only = several ? c->run->engine : NULL, .answered = print_goal, .data = &told};
    portfolio_run(c->net, c->formulas, goals, n, &options, c->budget, results);
    g_autofree bool *unreachable = g_new0(bool, n + 1);
    size_t proofs = 0;
    for (size_t i = 0; i < n; i++) {
        unreachable[i] = results[i].answer == ANSWER_UNREACHABLE;
        proofs += unreachable[i];
        if (results[i].answer == ANSWER_UNKNOWN) print_reason(c, ids[i], results[i].reason);
        if (results[i].answer == ANSWER_REACHABLE) shorten_run(c, ids[i], goals[i], &results[i].witness);
        result_clear(&results[i]);
    }
    for (size_t i = 0, left = proofs; i < n && left; i++)
        if (unreachable[i]) keep_proof(c, ids[i], goals[i], 1.0 / (double)left--);
}

static void ask_deadlock(Contest *c)
{
    FormulaId goal = formula_deadlock(c->formulas);
    ask_goals(c, &goal, 1, (char *[]){"ReachabilityDeadlock"}, (bool[]){true});
}

static void ask_properties(Contest *c, const PropertySet *set)
{
    size_t all = set->properties.len, n = 0;
    g_autofree FormulaId *goals = g_new(FormulaId, all + 1);
    g_autofree char **ids = g_new(char *, all + 1);
    g_autofree bool *reachable_means = g_new(bool, all + 1);
    for (size_t i = 0; i < all; i++) {
        const Property *p = &set->properties.data[i];
        if (p->kind != PROPERTY_EXISTS && p->kind != PROPERTY_ALWAYS) {
            print_reason(c, p->id, p->reason ? p->reason : "a bound is not a formula");
            continue;
        }
        ids[n] = p->id;
        reachable_means[n] = p->kind == PROPERTY_EXISTS;
        goals[n++] = p->kind == PROPERTY_EXISTS ? p->formula : formula_not(c->formulas, p->formula);
    }
    ask_goals(c, goals, n, ids, reachable_means);
}

/* ---- bounds and the global questions ---- */

typedef struct Bounds {
    Contest *contest;
    char **ids;
} Bounds;

static void print_bound(size_t i, const ExaminationBound *bound, void *data)
{
    const Bounds *b = data;
    char number[32];
    g_snprintf(number, sizeof number, "%" G_GUINT64_FORMAT, bound->value);
    print_answer(b->contest, b->ids[i], bound->infinite ? "+inf" : number, techniques_of(bound->engine), bound->engine);
}

static Examination examination_of(const Contest *c)
{
    return (Examination){.net = c->net, .options = engine_options(c)};
}

/* A bound is shown by a run that reaches it and a proof that nothing reaches more. */
static void keep_bound(const Contest *c, const char *id, const VecU32 *places, const ExaminationBound *bound, size_t of)
{
    if (!bound->known || bound->infinite || bound->value >= INT64_MAX) return;
    g_autofree FormulaTerm *terms = g_new(FormulaTerm, places->len + 1);
    for (size_t i = 0; i < places->len; i++) terms[i] = (FormulaTerm){places->data[i], -1};
    int64_t value = (int64_t)bound->value;
    FormulaId reaches, exceeds;
    if (formula_at_most(c->formulas, terms, places->len, -value, &reaches, NULL)) keep_evidence(c, id, reaches, true);
    if (formula_at_most(c->formulas, terms, places->len, -value - 1, &exceeds, NULL))
        keep_proof(c, id, exceeds, 1.0 / (double)of);
}

static void ask_bounds(Contest *c, const PropertySet *set)
{
    size_t all = set->properties.len, n = 0;
    g_autofree VecU32 *sums = g_new0(VecU32, all + 1);
    g_autofree char **ids = g_new(char *, all + 1);
    for (size_t i = 0; i < all; i++) {
        if (set->properties.data[i].kind != PROPERTY_BOUND) continue;
        ids[n] = set->properties.data[i].id;
        sums[n++] = set->properties.data[i].places; /* borrowed */
    }
    g_autofree ExaminationBound *bounds = g_new0(ExaminationBound, n + 1);
    Bounds told = {c, ids};
    Examination examination = examination_of(c);
    examination_bounds(&examination, sums, n, c->budget, bounds, print_bound, &told);
    for (size_t i = 0; i < n; i++) {
        if (!bounds[i].known) print_reason(c, ids[i], bounds[i].reason);
        keep_bound(c, ids[i], &sums[i], &bounds[i], n - i);
        g_free(bounds[i].reason);
    }
}

static const struct {
    const char *name;
    Truth (*ask)(Examination *, Budget *);
} global_questions[] = {
    {"OneSafe", examination_one_safe},
    {"QuasiLiveness", examination_quasi_live},
    {"StableMarking", examination_stable_marking},
    {"Liveness", examination_live},
};

static void ask_state_space(Contest *c)
{
    Query query = {c->net, c->formulas, FORMULA_ID_FALSE};
    Result result = {0};
    EngineOptions options = engine_options(c);
    engine_run(engine_find("explicit"), &query, &options, c->budget, &result);
    if (result.answer == ANSWER_UNREACHABLE) {
        const struct {
            const char *name;
            uint64_t value;
        } lines[] = {{"STATES", result.markings},
                     {"TRANSITIONS", result.firings},
                     {"MAX_TOKEN_PER_MARKING", result.max_tokens_in_marking},
                     {"MAX_TOKEN_IN_PLACE", result.max_tokens_in_place}};
        for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
            fprintf(c->run->out, "STATE_SPACE %s %" G_GUINT64_FORMAT " TECHNIQUES EXPLICIT STATE_COMPRESSION\n",
                    lines[i].name, lines[i].value);
    } else {
        print_reason(c, "StateSpace", result.reason);
        fputs("CANNOT_COMPUTE\n", c->run->out);
    }
    fflush(c->run->out);
    result_clear(&result);
}

/* unfold/RELATION: no examination of the contest, but of batch --compare-relations */
static void ask_prefix(Contest *c, const char *name)
{
    UnfoldOptions options = {.order = ORDER_ERV, .cutoffs = true, .threads = c->run->threads};
    GError *error = NULL;
    g_autoptr(Prefix) prefix =
        relation_parse(name, &options.relation) ? unfold(c->net, &options, c->budget, &error) : NULL;
    if (!prefix || prefix->end != PREFIX_COMPLETE) {
        const char *spent = c->budget->reason != BUDGET_OK ? budget_reason_text(c->budget->reason) : "not complete";
        print_reason(c, c->run->examination, error ? error->message : prefix ? spent : "there is no such relation");
        fputs("CANNOT_COMPUTE\n", c->run->out);
        g_clear_error(&error);
        return;
    }
    const struct {
        const char *name;
        uint32_t value;
    } lines[] = {{"events", prefix_count(prefix)},
                 {"conditions", prefix->n_conditions},
                 {"cutoffs", prefix_count_cutoffs(prefix)}};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        fprintf(c->run->out, "FORMULA %s %u TECHNIQUES NET_UNFOLDING\n", lines[i].name, lines[i].value);
}

/* ---- one examination ---- */

static int ask_file(Contest *c)
{
    g_autofree char *file = g_strdup_printf("%s.xml", c->run->examination),
                    *path = g_build_filename(c->run->path, file, NULL);
    GError *error = NULL;
    g_autoptr(PropertySet) set = property_read_file(c->formulas, path, &error);
    if (!set) {
        print_reason(c, c->run->examination, error->message);
        g_error_free(error);
        fputs("CANNOT_COMPUTE\n", c->run->out);
        return 1;
    }
    if (strcmp(c->run->examination, "UpperBounds") == 0)
        ask_bounds(c, set);
    else
        ask_properties(c, set);
    return 0;
}

static int examine(Contest *c)
{
    const char *name = c->run->examination;
    for (size_t i = 0; i < G_N_ELEMENTS(global_questions); i++) {
        if (strcmp(global_questions[i].name, name) != 0) continue;
        Examination examination = examination_of(c);
        Truth truth = global_questions[i].ask(&examination, c->budget);
        if (truth != TRUTH_UNKNOWN)
            print_answer(c, name, truth == TRUTH_YES ? "TRUE" : "FALSE", techniques_of(examination.engine),
                         examination.engine);
        else
            print_reason(c, name, examination.reason);
        g_free(examination.reason);
        if (truth != TRUTH_UNKNOWN && strcmp(name, "OneSafe") == 0)
            keep_evidence(c, name, formula_exceeds(c->formulas, 1), truth == TRUTH_NO);
        if (truth == TRUTH_NO && strcmp(name, "Liveness") == 0)
            keep_evidence(c, name, formula_deadlock(c->formulas), true);
        return 0;
    }
    if (g_str_has_prefix(name, "unfold/"))
        ask_prefix(c, name + strlen("unfold/"));
    else if (strcmp(name, "ReachabilityDeadlock") == 0)
        ask_deadlock(c);
    else if (strcmp(name, "StateSpace") == 0)
        ask_state_space(c);
    else
        return ask_file(c);
    return 0;
}

int contest_run(const ContestRun *run, Budget *budget)
{
    Contest c = {.run = run, .budget = budget};
    if (!g_strv_contains(contest_examinations, run->examination) &&
        !g_strv_contains(relations_examinations, run->examination)) {
        fputs("DO_NOT_COMPETE\n", run->out);
        return 0;
    }
    bool folder = g_file_test(run->path, G_FILE_TEST_IS_DIR);
    g_autofree char *model = folder ? g_build_filename(run->path, "model.pnml", NULL) : g_strdup(run->path);
    GError *error = NULL;
    c.net = open_net(model, NULL, &error);
    if (!c.net) {
        bool refused = g_error_matches(error, MAZURKA_ERROR, ERROR_UNSUPPORTED);
        print_reason(&c, run->examination, error->message);
        g_error_free(error);
        fputs(refused ? "DO_NOT_COMPETE\n" : "CANNOT_COMPUTE\n", run->out);
        return refused ? 0 : 1;
    }
    c.formulas = formula_store_new(c.net);
    int status = examine(&c);
    formula_store_free(c.formulas);
    net_free(c.net);
    return status;
}
