#include "batch/contest.h"

#include "base/error.h"
#include "lts/explicit.h"
#include "net/reader.h"
#include "prop/property.h"
#include "verify/examination.h"
#include "verify/witness.h"

#include <string.h>

const char *const contest_examinations[] = {
    "ReachabilityDeadlock", "ReachabilityCardinality", "ReachabilityFireability", "UpperBounds", "OneSafe",
    "QuasiLiveness", "StableMarking", "Liveness", "StateSpace", NULL};

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

static void print_answer(const Contest *c, const char *id, const char *verdict, const char *techniques, const char *engine)
{
    if (c->run->name_engines && engine) fprintf(c->run->out, "ENGINE %s %s\n", id, engine);
    fprintf(c->run->out, "FORMULA %s %s TECHNIQUES %s\n", id, verdict, techniques);
    fflush(c->run->out);
}

static const char *techniques_of(const char *engine)
{
    static const struct {
        const char *engine, *techniques;
    } table[] = {
        {"explicit", "EXPLICIT STATE_COMPRESSION"},
        {"walk", "EXPLICIT RANDOM_WALK"},
        {"stubborn", "EXPLICIT STUBBORN_SETS"},
        {"unfold", "NET_UNFOLDING SAT_SMT"},
        {"explore", "NET_UNFOLDING STUBBORN_SETS"},
        {"initial", "INITIAL_STATE"},
        {"reduce", "STRUCTURAL_REDUCTION"},
        {"equation", "SAT_SMT TOPOLOGICAL STRUCTURAL_REDUCTION"},
        {"survey", "EXPLICIT RANDOM_WALK"},
        {"structure", "TOPOLOGICAL USE_NUPN"},
    };
    for (size_t i = 0; engine && i < G_N_ELEMENTS(table); i++)
        if (strcmp(table[i].engine, engine) == 0) return table[i].techniques;
    return "SEQUENTIAL_PROCESSING";
}

static void log_line(const char *line, void *data)
{
    const Contest *c = data;
    say(c, "%s", line);
}

static EngineOptions engine_options(Contest *c)
{
    return (EngineOptions){.seed = c->run->seed, .threads = c->run->threads, .log = c->run->log ? log_line : NULL, .log_data = c};
}

/* One reachability query; true when it is decided and its answer printed. A witness that does not replay
 * is no answer. */
static bool ask(Contest *c, const char *id, FormulaId goal, bool reachable_means, double seconds)
{
    const Engine *engine = engine_find(c->run->engine ? c->run->engine : "auto");
    Query query = {c->net, c->formulas, goal};
    EngineOptions options = engine_options(c);
    Budget share = budget_child(c->budget, seconds, NULL);
    Result result = {0};
    engine->run(&query, &options, &share, &result);
    bool decided = result.answer != ANSWER_UNKNOWN;
    if (result.answer == ANSWER_REACHABLE && !witness_replays(&query, result.witness.data, result.witness.len)) {
        say(c, "%s: the witness does not replay; no answer is given", id);
        decided = false;
    }
    if (decided)
        print_answer(c, id, (result.answer == ANSWER_REACHABLE) == reachable_means ? "TRUE" : "FALSE", techniques_of(result.engine),
                     result.engine);
    else
        say(c, "%s: %s", id, result.reason ? result.reason : "undecided");
    result_clear(&result);
    return decided;
}

/* ---- formula files ---- */

typedef struct File {
    Contest *contest;
    const PropertySet *set;
    VecU32 asked; /* properties by goal */
} File;

static void formula_answered(size_t goal, const Result *result, void *data)
{
    const File *f = data;
    const Property *p = &f->set->properties.data[f->asked.data[goal]];
    bool reachable = result->answer == ANSWER_REACHABLE;
    print_answer(f->contest, p->id, reachable == (p->kind == PROPERTY_EXISTS) ? "TRUE" : "FALSE", techniques_of(result->engine),
                 result->engine);
}

/* All formulas of a file together: they share walks and searches. */
static void ask_formulas(Contest *c, const PropertySet *set)
{
    File f = {.contest = c, .set = set};
    VecU32 goals = {0};
    for (size_t i = 0; i < set->properties.len; i++) {
        const Property *p = &set->properties.data[i];
        if (p->kind != PROPERTY_EXISTS && p->kind != PROPERTY_ALWAYS) continue;
        vec_push(&f.asked, (uint32_t)i);
        vec_push(&goals, p->kind == PROPERTY_EXISTS ? p->formula : formula_not(c->formulas, p->formula));
    }
    Result *results = g_new0(Result, goals.len + 1);
    PortfolioOptions options = {.engine = engine_options(c), .answered = formula_answered, .data = &f};
    portfolio_run(c->net, c->formulas, goals.data, goals.len, &options, c->budget, results);
    for (size_t i = 0; i < goals.len; i++) {
        if (results[i].answer == ANSWER_UNKNOWN)
            say(c, "%s: %s", set->properties.data[f.asked.data[i]].id, results[i].reason ? results[i].reason : "undecided");
        result_clear(&results[i]);
    }
    g_free(results);
    vec_free(&goals);
    vec_free(&f.asked);
}

static void ask_one_by_one(Contest *c, const PropertySet *set)
{
    size_t left = set->properties.len;
    for (size_t i = 0; i < set->properties.len && !budget_look(c->budget); i++, left--) {
        const Property *p = &set->properties.data[i];
        if (p->kind != PROPERTY_EXISTS && p->kind != PROPERTY_ALWAYS) continue;
        FormulaId goal = p->kind == PROPERTY_EXISTS ? p->formula : formula_not(c->formulas, p->formula);
        double seconds = c->budget->deadline > 0 ? (c->budget->deadline - budget_now()) / (double)left : 0;
        ask(c, p->id, goal, p->kind == PROPERTY_EXISTS, MAX(seconds, 0.001));
    }
}

static void bound_told(size_t i, const ExaminationBound *bound, void *data)
{
    const File *f = data;
    char value[32] = "+inf";
    if (!bound->infinite) g_snprintf(value, sizeof value, "%" G_GUINT64_FORMAT, bound->value);
    print_answer(f->contest, f->set->properties.data[f->asked.data[i]].id, value, techniques_of(bound->engine), bound->engine);
}

static void ask_bounds(Contest *c, const PropertySet *set)
{
    File f = {.contest = c, .set = set};
    VecU32 *sums = g_new0(VecU32, set->properties.len + 1);
    for (size_t i = 0; i < set->properties.len; i++) {
        if (set->properties.data[i].kind != PROPERTY_BOUND) continue;
        sums[f.asked.len] = set->properties.data[i].places; /* borrowed */
        vec_push(&f.asked, (uint32_t)i);
    }
    g_autofree ExaminationBound *bounds = g_new0(ExaminationBound, f.asked.len + 1);
    Examination x = {.net = c->net, .options = engine_options(c)};
    examination_bounds(&x, sums, f.asked.len, c->budget, bounds, bound_told, &f);
    g_free(sums);
    vec_free(&f.asked);
}

static int answer_formulas(Contest *c, const char *path)
{
    GError *error = NULL;
    g_autoptr(PropertySet) set = property_read_file(c->formulas, path, &error);
    if (!set) {
        say(c, "%s", error->message);
        g_error_free(error);
        fputs("CANNOT_COMPUTE\n", c->run->out);
        return 1;
    }
    bool automatic = !c->run->engine || strcmp(c->run->engine, "auto") == 0;
    if (automatic) ask_formulas(c, set);
    else ask_one_by_one(c, set);
    ask_bounds(c, set);
    return 0;
}

/* ---- global questions ---- */

static void answer_state_space(Contest *c)
{
    g_autoptr(Explicit) search = explicit_new(c->net);
    if (explicit_run(search, NULL, c->budget) != EXPLICIT_COMPLETE) {
        say(c, "StateSpace: %s", budget_reason_text(c->budget->reason));
        return;
    }
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {{"STATES", search->store.len}, {"TRANSITIONS", search->firings},
                   {"MAX_TOKEN_PER_MARKING", search->max_in_marking}, {"MAX_TOKEN_IN_PLACE", search->max_in_place}};
    for (size_t i = 0; i < G_N_ELEMENTS(figures); i++)
        fprintf(c->run->out, "STATE_SPACE %s %" G_GUINT64_FORMAT " TECHNIQUES %s\n", figures[i].name, figures[i].value,
                techniques_of("explicit"));
    fflush(c->run->out);
}

static bool answer_global(Contest *c)
{
    static const struct {
        const char *name;
        Truth (*examine)(Examination *examination, Budget *budget);
    } table[] = {{"OneSafe", examination_one_safe}, {"QuasiLiveness", examination_quasi_live},
                 {"StableMarking", examination_stable_marking}, {"Liveness", examination_live}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        if (strcmp(table[i].name, c->run->examination) != 0) continue;
        Examination x = {.net = c->net, .options = engine_options(c)};
        Truth truth = table[i].examine(&x, c->budget);
        if (truth != TRUTH_UNKNOWN)
            print_answer(c, table[i].name, truth == TRUTH_YES ? "TRUE" : "FALSE", techniques_of(x.engine), x.engine);
        else
            say(c, "%s: undecided", table[i].name);
        return true;
    }
    return false;
}

static int examine(Contest *c)
{
    const char *examination = c->run->examination;
    if (strcmp(examination, "ReachabilityDeadlock") == 0) {
        ask(c, examination, formula_deadlock(c->formulas), true, 0);
        return 0;
    }
    if (strcmp(examination, "StateSpace") == 0) {
        answer_state_space(c);
        return 0;
    }
    if (answer_global(c)) return 0;
    g_autofree char *file = g_strdup_printf("%s.xml", examination), *path = g_build_filename(c->run->path, file, NULL);
    return answer_formulas(c, path);
}

int contest_run(const ContestRun *run, Budget *budget)
{
    Contest c = {.run = run, .budget = budget};
    if (!g_strv_contains(contest_examinations, run->examination)) {
        fputs("DO_NOT_COMPETE\n", run->out);
        return 0;
    }
    bool folder = g_file_test(run->path, G_FILE_TEST_IS_DIR);
    g_autofree char *model = folder ? g_build_filename(run->path, "model.pnml", NULL) : g_strdup(run->path);
    GError *error = NULL;
    c.net = net_read_file(model, NULL, &error);
    if (!c.net) {
        bool refused = g_error_matches(error, MAZURKA_ERROR, ERROR_UNSUPPORTED);
        say(&c, "%s", error->message);
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
