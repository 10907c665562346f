#include "batch/contest.h"

#include "base/error.h"
#include "net/reader.h"
#include "prop/property.h"
#include "verify/engine.h"
#include "verify/witness.h"

#include <string.h>

const char *const contest_examinations[] = {"ReachabilityDeadlock", "ReachabilityCardinality", "ReachabilityFireability", "OneSafe", NULL};

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
    };
    for (size_t i = 0; engine && i < G_N_ELEMENTS(table); i++)
        if (strcmp(table[i].engine, engine) == 0) return table[i].techniques;
    return "SEQUENTIAL_PROCESSING";
}

/* One reachability query; true when it is decided and its answer printed. A witness that does not replay
 * is no answer. */
static bool ask(Contest *c, const char *id, FormulaId goal, bool reachable_means, double seconds)
{
    const Engine *engine = engine_find(c->run->engine ? c->run->engine : "auto");
    Query query = {c->net, c->formulas, goal};
    EngineOptions options = {.seed = c->run->seed, .threads = c->run->threads};
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

static double seconds_left(const Contest *c)
{
    return c->budget->deadline > 0 ? MAX(c->budget->deadline - budget_now(), 0.001) : 1e9;
}

/* Formulas in rounds: a short time for each, then longer for what is left. */
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
    size_t left = set->properties.len;
    g_autofree bool *done = g_new0(bool, left + 1);
    for (double share = 1; left && !budget_look(c->budget); share *= 4) {
        for (size_t i = 0; i < set->properties.len && !budget_look(c->budget); i++) {
            const Property *p = &set->properties.data[i];
            if (done[i]) continue;
            if (p->kind == PROPERTY_UNSUPPORTED || p->kind == PROPERTY_BOUND) {
                done[i] = true;
                left--;
                continue;
            }
            FormulaId goal = p->kind == PROPERTY_EXISTS ? p->formula : formula_not(c->formulas, p->formula);
            double seconds = left == 1 ? seconds_left(c) : MIN(share, seconds_left(c));
            done[i] = ask(c, p->id, goal, p->kind == PROPERTY_EXISTS, seconds);
            left -= done[i];
        }
        if (share > seconds_left(c)) break;
    }
    return 0;
}

static int examine(Contest *c)
{
    const char *examination = c->run->examination;
    if (strcmp(examination, "ReachabilityDeadlock") == 0) {
        ask(c, examination, formula_deadlock(c->formulas), true, 0);
        return 0;
    }
    if (strcmp(examination, "OneSafe") == 0) {
        ask(c, examination, formula_exceeds(c->formulas, 1), false, 0);
        return 0;
    }
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
