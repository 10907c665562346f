#include "verify/examination.h"

#include "lts/explicit.h"
#include "net/concurrency.h"
#include "net/safeness.h"
#include "verify/equation.h"
#include "verify/survey.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define SURVEY_PATIENCE 1.0
#define SURVEY_SHARE 0.15
#define SURVEY_SECONDS 10.0

#define PASS_SHARE 0.4
#define LAST_SECONDS 2.0

enum { GOALS_AT_ONCE = 500, FEW_GOALS = 24, LAST_GOALS = 2 };

static Truth decide(Examination *x, Truth truth, const char *engine)
{
    x->engine = engine;
    return truth;
}

static void begin(Examination *x)
{
    x->dead = x->constant = NET_NONE;
}

/* The survey, and what it leaves open. */
static Survey *take_survey(Examination *x, double most, double patience, bool (*enough)(const Survey *survey),
                           Budget *budget)
{
    double start = budget_now();
    Survey *survey = survey_new(x->net, NULL, 0);
    Budget walking = budget_part(budget, SURVEY_SHARE, most, NULL);
    survey_run(survey, x->options.seed, patience, enough, &walking);
    engine_say(&x->options,
               "survey: %" G_GUINT64_FORMAT
               " steps in %.2f s; %u of %u transitions not seen enabled, %u of %u places unchanged, "
               "largest count %" G_GUINT64_FORMAT "%s",
               survey->steps, budget_now() - start, survey->n_unseen, x->net->n_transitions, survey->n_unchanged,
               x->net->n_places, survey->largest, enough(survey) ? ": decides" : "");
    return survey;
}

/* ---- many goals, one of which may settle the question ---- */

typedef struct Race {
    Answer wanted; /* the answer that ends it */
    bool met;
    uint32_t goal;      /* that met it */
    const char *engine; /* by which */
    const uint32_t *asked;
    volatile sig_atomic_t stop;
} Race;

static void race_answered(size_t goal, const Result *result, void *data)
{
    Race *race = data;
    if (result->answer != race->wanted) return;
    race->met = true;
    race->goal = race->asked[goal];
    race->engine = result->engine;
    race->stop = 1;
}

/* One portfolio; goals without an answer are appended to `left`. */
static void race_batch(Examination *x, FormulaStore *formulas, const uint32_t *goals, size_t n, double seconds,
                       Race *race, Budget *budget, VecU32 *left)
{
    PortfolioOptions options = {.engine = x->options, .answered = race_answered, .data = race};
    Result *results = g_new0(Result, n);
    race->asked = goals;
    Budget share = budget_child(budget, seconds, &race->stop);
    portfolio_run(x->net, formulas, goals, n, &options, &share, results);
    g_free(x->reason);
    x->reason = NULL;
    for (size_t i = 0; i < n; i++) {
        if (results[i].answer != ANSWER_UNKNOWN) {
            x->engine = results[i].engine;
        } else {
            vec_push(left, goals[i]);
            if (!x->reason) x->reason = g_steal_pointer(&results[i].reason);
        }
        result_clear(&results[i]);
    }
    g_free(results);
}

/* YES: some goal has the wanted answer, *met (may be NULL) its number. NO: all have the other one. In passes: a little
 * time for every goal, then more for those that are left. */
static Truth some_goal(Examination *x, FormulaStore *formulas, const VecU32 *goals, Answer wanted, Budget *budget,
                       size_t *met)
{
    Race race = {.wanted = wanted};
    VecU32 open = {0}, left = {0};
    vec_append(&open, goals->data, goals->len);
    while (open.len && !race.met && !budget_look(budget)) {
        double left_over = budget_left(budget), pass = isinf(left_over) ? 0 : left_over * PASS_SHARE;
        if (open.len <= LAST_GOALS || pass < LAST_SECONDS) pass /= PASS_SHARE;
        vec_clear(&left);
        for (size_t from = 0; from < open.len && !race.met && !budget_look(budget); from += GOALS_AT_ONCE) {
            size_t n = MIN(open.len - from, GOALS_AT_ONCE);
            double seconds = pass > 0 ? MAX(pass * (double)n / (double)open.len, 0.01) : 0;
            race_batch(x, formulas, open.data + from, n, seconds, &race, budget, &left);
        }
        bool unlimited = isinf(left_over);
        vec_clear(&open);
        vec_append(&open, left.data, left.len);
        if (unlimited) break;
    }
    bool none_left = open.len == 0;
    if (!none_left && !race.met) {
        g_autofree char *last = g_steal_pointer(&x->reason);
        x->reason = g_strdup_printf("%zu of %zu goals open: %s", open.len, goals->len,
                                    last ? last : budget_reason_text(budget->reason));
    }
    vec_free(&open);
    vec_free(&left);
    for (size_t i = 0; met && race.met && i < goals->len; i++)
        if (goals->data[i] == race.goal) *met = i;
    if (race.met) return decide(x, TRUTH_YES, race.engine);
    return none_left ? TRUTH_NO : TRUTH_UNKNOWN;
}

/* ---- OneSafe ---- */

static bool saw_two(const Survey *s)
{
    return s->largest > 1;
}

static FormulaId exceeds_one(FormulaStore *formulas, uint32_t p)
{
    FormulaId id = FORMULA_ID_FALSE;
    bool fits = formula_at_most(formulas, &(FormulaTerm){p, -1}, 1, -2, &id, NULL);
    assert(fits);
    (void)fits;
    return id;
}

/* Asks about all places together and takes out those that the equation cannot bound. */
static void bound_by_equation(const Net *net, FormulaStore *formulas, VecU32 *places, VecU32 *hard, Budget *budget)
{
    g_autoptr(Equation) eq = equation_new(net, false);
    VecU32 parts = {0};
    while (places->len) {
        vec_clear(&parts);
        for (size_t i = 0; i < places->len; i++) vec_push(&parts, exceeds_one(formulas, places->data[i]));
        SatAnswer answer = equation_solve(eq, formulas, formula_or(formulas, parts.data, parts.len), budget);
        if (answer == SAT_NO) {
            vec_clear(places);
            break;
        }
        size_t kept = 0;
        const EquationSolution *solution = equation_solution(eq);
        for (size_t i = 0; i < places->len; i++) {
            bool stays = answer == SAT_YES && solution->marking[places->data[i]] < 2;
            if (stays)
                places->data[kept++] = places->data[i];
            else
                vec_push(hard, places->data[i]);
        }
        places->len = kept;
        if (answer == SAT_UNKNOWN) break;
    }
    vec_free(&parts);
}

/* Places that no invariant bounds by 1. */
static void collect_unbounded(const Net *net, const Invariants *invariants, VecU32 *places)
{
    g_autofree bool *safe = g_new0(bool, net->n_places + 1);
    for (uint32_t i = 0; i < invariants->n; i++) {
        const Invariant *invariant = &invariants->item[i];
        if (invariant->tokens == UINT64_MAX) continue; /* or more */
        for (uint32_t k = 0; k < invariant->len; k++)
            if (invariant->tokens / invariant->weight[k] <= 1) safe[invariant->place[k]] = true;
    }
    for (uint32_t p = 0; p < net->n_places; p++)
        if (!safe[p]) vec_push(places, p);
}

/* Leaves the places that the concurrency relation lets have two tokens; false when there are none. */
static bool keep_concurrent(Examination *x, const Invariants *invariants, VecU32 *places, Budget *budget)
{
    double start = budget_now();
    Budget own = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    g_autoptr(Concurrency) c = concurrency_new(x->net, invariants, &own);
    if (!c) return true;
    size_t kept = 0;
    for (size_t i = 0; i < places->len; i++)
        if (concurrency_has(c, places->data[i], places->data[i])) places->data[kept++] = places->data[i];
    engine_say(&x->options, "concurrency: leaves %zu of %zu places in %.2f s", kept, places->len, budget_now() - start);
    places->len = kept;
    return kept > 0;
}

Truth examination_one_safe(Examination *x, Budget *budget)
{
    begin(x);
    g_autoptr(Survey) survey = take_survey(x, SURVEY_SECONDS, SURVEY_PATIENCE / 2, saw_two, budget);
    if (saw_two(survey)) return decide(x, TRUTH_NO, "survey");
    Budget counting = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    g_autoptr(Invariants) invariants = invariant_compute(x->net, 0, &counting);
    if (safeness_decide(x->net, invariants, NULL) == SAFE_YES) return decide(x, TRUTH_YES, "structure");
    g_autoptr(FormulaStore) formulas = formula_store_new(x->net);
    VecU32 places = {0}, hard = {0}, goals = {0};
    collect_unbounded(x->net, invariants, &places);
    if (!keep_concurrent(x, invariants, &places, budget)) {
        vec_free(&places);
        return decide(x, TRUTH_YES, "structure");
    }
    Budget solving = budget_part(budget, SURVEY_SHARE, 0, NULL);
    size_t asked = places.len;
    double start = budget_now();
    bound_by_equation(x->net, formulas, &places, &hard, &solving);
    engine_say(&x->options, "structure: %u invariants leave %zu places; equation: leaves %zu after %.2f s",
               invariants->n, asked, hard.len, budget_now() - start);
    Truth truth;
    if (!hard.len) {
        truth = decide(x, TRUTH_YES, "equation");
    } else {
        for (size_t i = 0; i < hard.len; i++) vec_push(&goals, exceeds_one(formulas, hard.data[i]));
        /* Many: engines that prove safeness itself do it for all places at once. */
        if (goals.len > FEW_GOALS) {
            FormulaId any = formula_or(formulas, goals.data, goals.len);
            vec_clear(&goals);
            vec_push(&goals, any);
        }
        Truth some = some_goal(x, formulas, &goals, ANSWER_REACHABLE, budget, NULL);
        truth = some == TRUTH_YES ? TRUTH_NO : some == TRUTH_NO ? TRUTH_YES : TRUTH_UNKNOWN;
    }
    vec_free(&places);
    vec_free(&hard);
    vec_free(&goals);
    return truth;
}

/* ---- QuasiLiveness ---- */

static bool saw_all_enabled(const Survey *s)
{
    return s->n_unseen == 0;
}

static Truth never_fires(Examination *x, uint32_t t, const char *engine)
{
    x->dead = t;
    return decide(x, TRUTH_NO, engine);
}

Truth examination_quasi_live(Examination *x, Budget *budget)
{
    const Net *net = x->net;
    begin(x);
    g_autofree bool *blocked = g_new0(bool, net->n_transitions + 1);
    survey_blocked(net, net->initial, blocked);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (blocked[t]) return never_fires(x, t, "structure");
    g_autoptr(Survey) survey = take_survey(x, SURVEY_SECONDS, SURVEY_PATIENCE, saw_all_enabled, budget);
    if (!survey->n_unseen) return decide(x, TRUTH_YES, "survey");
    Budget relating = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    g_autoptr(Concurrency) c = concurrency_new(net, NULL, &relating);
    for (uint32_t t = 0; c && t < net->n_transitions; t++)
        if (!c->fires[t]) return never_fires(x, t, "structure");
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 goals = {0}, transitions = {0};
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if (survey->enabled[t]) continue;
        vec_push(&goals, formula_fireable(formulas, &t, 1));
        vec_push(&transitions, t);
    }
    size_t met = 0;
    Truth some = some_goal(x, formulas, &goals, ANSWER_UNREACHABLE, budget, &met);
    if (some == TRUTH_YES) x->dead = transitions.data[met];
    vec_free(&goals);
    vec_free(&transitions);
    return some == TRUTH_YES ? TRUTH_NO : some == TRUTH_NO ? TRUTH_YES : TRUTH_UNKNOWN;
}

/* ---- StableMarking ---- */

static bool saw_all_change(const Survey *s)
{
    return s->n_unchanged == 0;
}

/* Nothing that can fire changes p. */
static bool never_changes(const Net *net, uint32_t p, const bool *blocked)
{
    for (int k = 0; k < 2; k++) {
        NetRow row = net_transitions(net, k ? ARC_POST : ARC_PRE, p);
        for (uint32_t i = 0; i < row.len; i++)
            if (!blocked[row.node[i]] &&
                net_arc_weight(net, ARC_PRE, row.node[i], p) != net_arc_weight(net, ARC_POST, row.node[i], p))
                return false;
    }
    return true;
}

/* Something that changes p can fire: for counts that no formula can name. */
static FormulaId changer_fires(FormulaStore *formulas, uint32_t p)
{
    const Net *net = formulas->net;
    VecU32 changers = {0};
    for (int k = 0; k < 2; k++) {
        NetRow row = net_transitions(net, k ? ARC_POST : ARC_PRE, p);
        for (uint32_t i = 0; i < row.len; i++)
            if (net_arc_weight(net, ARC_PRE, row.node[i], p) != net_arc_weight(net, ARC_POST, row.node[i], p))
                vec_push(&changers, row.node[i]);
    }
    FormulaId id = formula_fireable(formulas, changers.data, changers.len);
    vec_free(&changers);
    return id;
}

static FormulaId changes(FormulaStore *formulas, uint32_t p)
{
    uint64_t count = formulas->net->initial[p];
    FormulaId sides[2];
    if (count >= INT64_MAX ||
        !formula_at_most(formulas, &(FormulaTerm){p, 1}, 1, (int64_t)count - 1, &sides[0], NULL) ||
        !formula_at_most(formulas, &(FormulaTerm){p, -1}, 1, ~(int64_t)count, &sides[1], NULL))
        return changer_fires(formulas, p);
    return formula_or(formulas, sides, 2);
}

Truth examination_stable_marking(Examination *x, Budget *budget)
{
    const Net *net = x->net;
    begin(x);
    g_autofree bool *blocked = g_new0(bool, net->n_transitions + 1);
    survey_blocked(net, net->initial, blocked);
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!never_changes(net, p, blocked)) continue;
        x->constant = p;
        return decide(x, TRUTH_YES, "structure");
    }
    g_autoptr(Survey) survey = take_survey(x, SURVEY_SECONDS, SURVEY_PATIENCE, saw_all_change, budget);
    if (!survey->n_unchanged) return decide(x, TRUTH_NO, "survey");
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 goals = {0}, places = {0};
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (survey->least[p] != survey->most[p]) continue;
        vec_push(&goals, changes(formulas, p));
        vec_push(&places, p);
    }
    size_t met = 0;
    Truth some = some_goal(x, formulas, &goals, ANSWER_UNREACHABLE, budget, &met);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a goal that was met has its place */
    if (some == TRUTH_YES) x->constant = places.data[met];
    vec_free(&goals);
    vec_free(&places);
    return some;
}

bool examination_goal(const Examination *x, FormulaStore *formulas, FormulaId *goal)
{
    if (x->dead != NET_NONE)
        *goal = formula_fireable(formulas, &x->dead, 1);
    else if (x->constant != NET_NONE)
        *goal = changes(formulas, x->constant);
    return x->dead != NET_NONE || x->constant != NET_NONE;
}

/* ---- Liveness ---- */

static bool saw_not_live(const Survey *s)
{
    return s->not_live;
}

typedef struct Graph {
    const Explicit *search;
    uint32_t *low, *index; /* index 0: not yet seen; low UINT32_MAX: component closed */
} Graph;

typedef struct Frame {
    uint32_t marking, from, len, next; /* slice of the successors */
} Frame;

/* Live iff every component that cannot be left enables every transition. Tarjan's algorithm; a component is closed
 * before those that reach it, so "cannot be left" is known then. */
static bool all_bottoms_enable_all(const Explicit *search)
{
    uint32_t n = search->store.len, time = 0, n_transitions = search->net->n_transitions;
    uint32_t *low = g_new0(uint32_t, n), *index = g_new0(uint32_t, n);
    bool *closed = g_new0(bool, n), live = true;
    VecU32 open = {0}, successors = {0}, transitions = {0};
    VEC(Frame) frames = {0};
    bool *seen = g_new0(bool, n_transitions + 1);
    vec_push(&frames, ((Frame){.marking = 0}));
    while (frames.len && live) {
        Frame *f = &vec_last(&frames);
        if (!index[f->marking]) {
            index[f->marking] = low[f->marking] = ++time;
            vec_push(&open, f->marking);
            f->from = f->next = (uint32_t)successors.len;
            explicit_successors(search, f->marking, &successors, NULL);
            f->len = (uint32_t)successors.len - f->from;
        }
        if (f->next < f->from + f->len) {
            uint32_t to = successors.data[f->next++];
            if (!index[to])
                vec_push(&frames, ((Frame){.marking = to}));
            else if (!closed[to])
                low[f->marking] = MIN(low[f->marking], low[to]);
            continue;
        }
        uint32_t m = f->marking;
        successors.len = f->from;
        frames.len--;
        if (frames.len) low[vec_last(&frames).marking] = MIN(low[vec_last(&frames).marking], low[m]);
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): markings on frames are numbered */
        if (low[m] != index[m]) continue;
        size_t first = open.len;
        while (open.data[first - 1] != m) first--;
        first--;
        bool bottom = true;
        memset(seen, 0, n_transitions);
        for (size_t i = first; i < open.len && bottom; i++) {
            size_t mark = successors.len;
            vec_clear(&transitions);
            explicit_successors(search, open.data[i], &successors, &transitions);
            for (size_t k = mark; k < successors.len; k++) bottom &= !closed[successors.data[k]];
            successors.len = mark;
            for (size_t k = 0; k < transitions.len; k++) seen[transitions.data[k]] = true;
        }
        for (uint32_t t = 0; t < n_transitions && bottom; t++) live &= seen[t];
        for (size_t i = first; i < open.len; i++) closed[open.data[i]] = true;
        open.len = first;
        /* Its own members count as inside: they were not closed while it was looked at. */
    }
    g_free(low);
    g_free(index);
    g_free(closed);
    g_free(seen);
    vec_free(&open);
    vec_free(&successors);
    vec_free(&transitions);
    vec_free(&frames);
    return live;
}

Truth examination_live(Examination *x, Budget *budget)
{
    const Net *net = x->net;
    begin(x);
    if (!net->n_transitions) return decide(x, TRUTH_YES, "structure");
    g_autoptr(Survey) survey = take_survey(x, SURVEY_SECONDS / 2, SURVEY_PATIENCE, saw_not_live, budget);
    if (survey->not_live) return decide(x, TRUTH_NO, "survey");
    Budget searching = budget_part(budget, 0.4, 0, NULL);
    g_autoptr(Explicit) search = explicit_new(net);
    if (explicit_run(search, NULL, &searching) == EXPLICIT_COMPLETE)
        return decide(x, all_bottoms_enable_all(search) ? TRUTH_YES : TRUTH_NO, "explicit");
    g_autofree char *stopped = g_strdup_printf(
        "explicit: %s after %u markings",
        searching.reason ? budget_reason_text(searching.reason) : "the net is unbounded", search->store.len);
    engine_say(&x->options, "%s", stopped);
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 goals = {0};
    vec_push(&goals, formula_deadlock(formulas));
    Budget half = budget_part(budget, 0.5, 0, NULL);
    Truth dead = some_goal(x, formulas, &goals, ANSWER_REACHABLE, &half, NULL);
    vec_free(&goals);
    if (dead == TRUTH_YES) return TRUTH_NO;
    if (examination_quasi_live(x, budget) == TRUTH_NO) return TRUTH_NO;
    g_free(x->reason);
    x->reason = g_steal_pointer(&stopped);
    return TRUTH_UNKNOWN;
}
