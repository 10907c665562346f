#include "batch/contest.h"

#include "base/error.h"
#include "home/live.h"
#include "home/sound.h"
#include "batch/contest_ask.h"
#include "batch/contest_colours.h"
#include "net/colours.h"
#include "program/open.h"
#include "unfold/unfold.h"
#include "verify/examination.h"
#include "verify/space_figures.h"

#include <string.h>

double contest_margin(double seconds)
{
    return MIN(0.5 + 0.02 * seconds, 0.3 * seconds);
}

/* ---- questions about the net alone ---- */

typedef struct Count {
    QueryKind kind;
    Total value;
} Count;

static void tell_counts(Contest *c, const Count *counts, size_t n, const char *engine)
{
    for (size_t i = 0; i < n; i++)
        contest_tell_answer(c, contest_tell_query(c, counts[i].kind, NULL), SAID_NUMBER, counts[i].value, engine);
}

static void tell_space(Contest *c, const SpaceFigures *figures)
{
    char digits[2][TOTAL_DIGITS];
    const struct {
        QueryKind kind;
        const char *digits;
    } counts[] = {{QUERY_STATES, figures->markings},
                  {QUERY_TRANSITIONS, figures->firings},
                  {QUERY_TOKENS_IN_MARKING, exact_text(figures->max_in_marking, digits[0])},
                  {QUERY_TOKENS_IN_PLACE, exact_text(figures->max_in_place, digits[1])}};
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        ContestQuery query = contest_tell_query(c, counts[i].kind, NULL);
        if (figures->infinite)
            contest_tell_answer(c, query, SAID_INFINITE, 0, figures->engine);
        else
            contest_tell_digits(c, query, counts[i].digits, figures->engine);
    }
}

static void ask_state_space(Contest *c)
{
    EngineOptions options = contest_tell_engine_options(c);
    SpaceFigures figures = space_figures(c->net, c->run->engine, &options, c->budget);
    if (figures.known)
        tell_space(c, &figures);
    else
        contest_tell_refusal(c, REFUSAL_CANNOT, figures.reason);
    space_figures_clear(&figures);
}

static void ask_prefix(Contest *c, Relation relation)
{
    UnfoldOptions options = {.relation = relation, .order = ORDER_ERV, .cutoffs = true};
    g_autoptr(GError) error = NULL;
    g_autoptr(Prefix) prefix = unfold(c->net, &options, c->budget, &error);
    if (!prefix || prefix->end != ENDING_COMPLETE) {
        const char *spent = budget_ended(c->budget) ? budget_text(c->budget) : "not complete";
        contest_tell_refusal(c, REFUSAL_CANNOT, prefix ? spent : error->message);
        return;
    }
    const Count counts[] = {{QUERY_EVENTS, prefix_count(prefix)},
                            {QUERY_CONDITIONS, prefix->n_conditions},
                            {QUERY_CUTOFFS, prefix_count_cutoffs(prefix)}};
    tell_counts(c, counts, G_N_ELEMENTS(counts), "prefix");
}

/* Does the answer rest on runs alone? Those of a part of the net are runs of it. */
static bool shown_by_runs(Task task, Truth truth)
{
    return (task == TASK_ONE_SAFE && truth == TRUTH_NO) || (task == TASK_QUASI_LIVENESS && truth == TRUTH_YES) ||
           (task == TASK_STABLE_MARKING && truth == TRUTH_NO);
}

static void ask_truth(Contest *c, Truth (*ask)(Examination *, Budget *))
{
    ContestQuery query = contest_tell_query(c, QUERY_WHOLE, NULL);
    Examination examination = {.net = c->net, .options = contest_tell_engine_options(c)};
    Truth truth = ask(&examination, c->budget);
    if (truth != TRUTH_UNKNOWN && net_colours_partial(c->net) && !shown_by_runs(c->run->task, truth)) {
        truth = TRUTH_UNKNOWN;
        g_free(examination.reason);
        examination.reason = g_strdup("the coloured net is too large to expand, and a part of it does not tell");
    }
    if (truth != TRUTH_UNKNOWN)
        contest_tell_answer(c, query, truth == TRUTH_YES ? SAID_TRUE : SAID_FALSE, 0, examination.engine);
    else
        contest_tell_reason(c, query, examination.reason);
    g_free(examination.reason);
    if (truth != TRUTH_UNKNOWN && c->run->task == TASK_ONE_SAFE)
        contest_tell_evidence(c, query, formula_exceeds(c->formulas, 1), truth == TRUTH_NO);
    FormulaId never;
    if (truth != TRUTH_UNKNOWN && examination_goal(&examination, c->formulas, &never))
        contest_tell_evidence(c, query, never, false);
    else if (truth == TRUTH_NO && c->run->task == TASK_LIVENESS)
        contest_tell_evidence(c, query, formula_deadlock(c->formulas), true);
}

/* ---- questions in a file beside it ---- */

/* Alike colours were made one, and a property names one of them, or something that there is not. */
static bool asks_for_colours(const Contest *c, const PropertySet *set)
{
    bool faulty = false;
    for (size_t i = 0; i < set->properties.len; i++) faulty = faulty || set->properties.data[i].kind == PROPERTY_FAULTY;
    return faulty && contest_colours_merged(c);
}

static bool ask_file(Contest *c)
{
    const char *name = task_name(c->run->task);
    if (!g_file_test(c->run->path, G_FILE_TEST_IS_DIR)) {
        g_autofree char *reason = g_strdup_printf(
            "no properties are given (they stand in %s.xml of a contest folder; this is a net file)", name);
        contest_tell_refusal(c, REFUSAL_CANNOT, reason);
        return false;
    }
    g_autofree char *file = g_strdup_printf("%s.xml", name), *path = g_build_filename(c->run->path, file, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(PropertySet) set = property_read_file(c->formulas, path, c->budget, &error);
    if (!set)
        contest_tell_refusal(c, REFUSAL_CANNOT, error->message);
    else if (asks_for_colours(c, set))
        c->again = true;
    else if (c->run->task == TASK_UPPER_BOUNDS)
        contest_ask_properties(c, set, ASK_BOUNDS);
    else
        contest_ask_properties(c, set, ASK_FORMULAS);
    return set != NULL;
}

/* ---- any ---- */

static bool ask(Contest *c)
{
    Relation relation;
    if (task_relation(c->run->task, &relation))
        ask_prefix(c, relation);
    else if (task_needs_file(c->run->task))
        return ask_file(c);
    else if (c->run->task == TASK_DEADLOCK)
        contest_ask_deadlock(c);
    else if (c->run->task == TASK_STATE_SPACE)
        ask_state_space(c);
    else if (c->run->task == TASK_ONE_SAFE)
        ask_truth(c, examination_one_safe);
    else if (c->run->task == TASK_QUASI_LIVENESS)
        ask_truth(c, examination_quasi_live);
    else if (c->run->task == TASK_STABLE_MARKING)
        ask_truth(c, examination_stable_marking);
    else if (c->run->task == TASK_SOUNDNESS)
        ask_truth(c, sound_examine);
    else if (c->run->task == TASK_COMPLETION)
        ask_truth(c, sound_examine_completion);
    else
        ask_truth(c, live_examine);
    return true;
}

/* Only coloured places and transitions are asked about, and nobody wants to see proofs about the net itself; runs are
 * told in the colours of the file. */
static bool may_merge(const ContestRun *run)
{
    Relation relation;
    if (run->evidence.certificates || task_relation(run->task, &relation)) return false;
    if (run->engine && strcmp(run->engine, "auto") != 0) return false;
    return run->task != TASK_STATE_SPACE && run->task != TASK_SOUNDNESS && run->task != TASK_COMPLETION;
}

static bool open_and_ask(const ContestRun *given, bool merged, Budget *budget, bool *again)
{
    ContestRun own = *given, *run = &own;
    Contest c = {.run = run, .budget = budget};
    bool folder = g_file_test(run->path, G_FILE_TEST_IS_DIR);
    g_autofree char *model = folder ? g_build_filename(run->path, "model.pnml", NULL) : g_strdup(run->path);
    g_autoptr(GError) error = NULL;
    g_autoptr(Net) net = c.net = open_net(model, &(OpenOptions){.budget = budget, .merged = merged}, &error);
    if (!net) {
        bool unsupported = g_error_matches(error, MAZURKA_ERROR, ERROR_UNSUPPORTED);
        contest_tell_refusal(&c, unsupported ? REFUSAL_UNSUPPORTED : REFUSAL_CANNOT, error->message);
        return unsupported;
    }
    ContestColours colours = {.net = net, .model = model, .budget = budget};
    c.colours = &colours;
    if (contest_colours_merged(&c) && run->evidence.witnesses) {
        run->evidence.unmerge = contest_colours_unmerge(&c);
        if (!run->evidence.unmerge) run->evidence.witnesses = NULL;
    }
    g_autoptr(FormulaStore) formulas = c.formulas = formula_store_new(net);
    bool read = ask(&c);
    contest_colours_clear(&colours);
    *again = c.again;
    return read;
}

bool contest_run(const ContestRun *run, Budget *budget)
{
    bool again = false, read = open_and_ask(run, may_merge(run), budget, &again);
    return again ? open_and_ask(run, false, budget, &again) : read;
}
