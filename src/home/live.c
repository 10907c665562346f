#include "home/live.h"

#include "home/bottoms.h"
#include "home/rank_theorem.h"
#include "net/colours.h"
#include "reduce/reduce.h"
#include "verify/ask.h"
#include "verify/survey.h"

#define SURVEY_SHARE 0.15
#define STRUCTURE_SHARE 0.1
#define SURVEY_SECONDS 5.0
#define SURVEY_PATIENCE 1.0
#define SEARCH_SHARE 0.5

static Truth read_components(const Net *net, Explicit *search, Budget *budget)
{
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 goals = {0};
    for (uint32_t t = 0; t < net_colours_asked(net)->n_transitions; t++)
        vec_push(&goals, examination_fires(formulas, t));
    Bottoms bottoms = {0};
    Truth truth = bottoms_find(search, formulas, goals.data, goals.len, budget, &bottoms) ? TRUTH_YES : TRUTH_UNKNOWN;
    for (size_t i = 0; i < goals.len && truth == TRUTH_YES; i++)
        if (bottoms.lost_at[i] != STORE_NONE) truth = TRUTH_NO;
    bottoms_clear(&bottoms);
    vec_free(&goals);
    return truth;
}

static Truth search_all(const Net *net, Budget *budget, uint64_t *markings, char **reason)
{
    g_autoptr(Explicit) search = explicit_new(net);
    Ending end = explicit_run(search, NULL, budget);
    *markings = search->store.len;
    Truth truth = end == ENDING_COMPLETE ? read_components(net, search, budget) : TRUTH_UNKNOWN;
    g_clear_pointer(reason, g_free);
    if (truth == TRUTH_UNKNOWN)
        *reason =
            g_strdup_printf("explicit: %s after %u markings",
                            budget_ended(budget) ? budget_text(budget) : "the net is unbounded", search->store.len);
    return truth;
}

/* Of a coloured transition one instance suffices, but the reductions know instances only: what they say is right when
 * all of them are live. */
static Truth search_reduced(const Net *net, const EngineOptions *options, Budget *budget, uint64_t *markings,
                            char **reason)
{
    g_autoptr(FormulaStore) none = formula_store_new(net);
    Budget reducing = budget_part(budget, SURVEY_SHARE, 0, NULL);
    g_autoptr(Reduction) reduction = reduce_new(net, none, NULL, 0, &(ReduceOptions){.live = true}, &reducing);
    if (!reduction) return TRUTH_UNKNOWN;
    engine_say(options, "live: %u of %u places and %u of %u transitions are left", reduction->net->n_places,
               net->n_places, reduction->net->n_transitions, net->n_transitions);
    Truth truth = reduction->never_fires ? TRUTH_NO : search_all(reduction->net, budget, markings, reason);
    return truth == TRUTH_NO && net->colours ? TRUTH_UNKNOWN : truth;
}

Truth live_by_components(const Net *net, const EngineOptions *options, Budget *budget, uint64_t *markings,
                         char **reason)
{
    for (uint32_t t = 0; t < net_colours_asked(net)->n_transitions; t++)
        if (net_colours_asked_transitions(net, t).from == net_colours_asked_transitions(net, t).to) return TRUTH_NO;
    Budget half = budget_part(budget, net->colours ? 0.5 : 1, 0, NULL);
    Truth truth = search_reduced(net, options, &half, markings, reason);
    if (truth != TRUTH_UNKNOWN || (*reason && !net->colours)) return truth;
    return search_all(net, budget, markings, reason);
}

bool live_by_structure(const Net *net, Budget *budget)
{
    if (net->colours) return false;
    Certificate proof;
    Budget own = budget_part(budget, STRUCTURE_SHARE, 0, NULL);
    bool live = rank_theorem_live(net, &own, &proof);
    certificate_clear(&proof);
    return live;
}

static bool saw_not_live(const Survey *survey)
{
    return survey->not_live;
}

static bool survey_decides(Examination *x, Budget *budget)
{
    g_autoptr(Survey) survey = survey_new(x->net, NULL, 0);
    Budget walking = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    survey_run(survey, x->options.seed, SURVEY_PATIENCE, saw_not_live, &walking);
    return survey->not_live;
}

static bool deadlock_decides(Examination *x, Budget *budget)
{
    g_autoptr(FormulaStore) formulas = formula_store_new(x->net);
    FormulaId goal = formula_deadlock(formulas);
    AskOptions options = {.engine = x->options};
    Result result = {0};
    ask_goals(x->net, formulas, &goal, 1, &options, budget, &result);
    bool reachable = result.answer == ANSWER_REACHABLE;
    if (reachable) x->engine = result.engine;
    result_clear(&result);
    return reachable;
}

Truth live_examine(Examination *x, Budget *budget)
{
    x->dead = x->constant = NET_NONE;
    x->engine = "survey";
    if (!net_colours_asked(x->net)->n_transitions) return TRUTH_YES;
    if (live_by_structure(x->net, budget)) {
        x->engine = "freechoice";
        return TRUTH_YES;
    }
    if (survey_decides(x, budget)) return TRUTH_NO;
    Budget searching = budget_part(budget, SEARCH_SHARE, 0, NULL);
    g_autofree char *stopped = NULL;
    uint64_t markings = 0;
    x->engine = "explicit";
    Truth truth = live_by_components(x->net, &x->options, &searching, &markings, &stopped);
    if (truth != TRUTH_UNKNOWN) return truth;
    engine_say(&x->options, "%s", stopped);
    Budget half = budget_part(budget, 0.5, 0, NULL);
    if (deadlock_decides(x, &half) || examination_quasi_live(x, budget) == TRUTH_NO) return TRUTH_NO;
    g_free(x->reason);
    x->reason = g_steal_pointer(&stopped);
    return TRUTH_UNKNOWN;
}
