#include "verify/examination.h"

#include "base/exact.h"
#include "lts/explicit.h"
#include "net/colours.h"
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

static void append_range(VecU32 *nodes, NetRange range)
{
    for (uint32_t i = range.from; i < range.to; i++) vec_push(nodes, i);
}

/* Coloured places are sums. */
static Survey *new_survey(const Net *net)
{
    if (!net->colours) return survey_new(net, NULL, 0);
    uint32_t n = net_colours_asked(net)->n_places;
    VecU32 *sums = g_new0(VecU32, n + 1);
    for (uint32_t i = 0; i < n; i++) append_range(&sums[i], net_colours_asked_places(net, i));
    Survey *survey = survey_new(net, sums, n);
    for (uint32_t i = 0; i < n; i++) vec_free(&sums[i]);
    g_free(sums);
    return survey;
}

/* The survey, and what it leaves open. */
static Survey *take_survey(Examination *x, double most, double patience, bool (*enough)(const Survey *survey),
                           Budget *budget)
{
    double start = budget_now();
    Survey *survey = new_survey(x->net);
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
    StopFlag stop;
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

static Truth opposite(Truth truth)
{
    return truth == TRUTH_YES ? TRUTH_NO : truth == TRUTH_NO ? TRUTH_YES : TRUTH_UNKNOWN;
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
        x->reason =
            g_strdup_printf("%zu of %zu goals open: %s", open.len, goals->len, last ? last : budget_text(budget));
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
    for (uint32_t i = 0; i < s->n_sums; i++)
        if (s->sum_most[i] > 1) return true;
    return s->largest > 1;
}

/* Of a coloured net: one question for each of its places. */
static Truth coloured_one_safe(Examination *x, Budget *budget)
{
    g_autoptr(FormulaStore) formulas = formula_store_new(x->net);
    VecU32 goals = {0};
    vec_push(&goals, formula_exceeds(formulas, 1));
    Truth some = some_goal(x, formulas, &goals, ANSWER_REACHABLE, budget, NULL);
    vec_free(&goals);
    return opposite(some);
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
    if (x->net->colours) return coloured_one_safe(x, budget);
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
        truth = opposite(some);
    }
    vec_free(&places);
    vec_free(&hard);
    vec_free(&goals);
    return truth;
}

/* Is one of the nodes such that its goal is unreachable? *which is one, if so. */
static Truth some_never(Examination *x, FormulaStore *formulas, const VecU32 *nodes,
                        FormulaId (*goal_of)(FormulaStore *formulas, uint32_t node), Budget *budget, uint32_t *which)
{
    VecU32 goals = {0};
    for (size_t i = 0; i < nodes->len; i++) vec_push(&goals, goal_of(formulas, nodes->data[i]));
    size_t met = 0;
    Truth some = some_goal(x, formulas, &goals, ANSWER_UNREACHABLE, budget, &met);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where a goal is unreachable there is a node */
    if (some == TRUTH_YES) *which = nodes->data[met];
    vec_free(&goals);
    return some;
}

/* ---- QuasiLiveness ---- */

static bool some_of(NetRange range, const bool *nodes)
{
    while (range.from < range.to && !nodes[range.from]) range.from++;
    return range.from < range.to;
}

static bool saw_all_enabled(const Survey *s)
{
    bool all = s->n_unseen == 0;
    for (uint32_t i = 0; !all && s->net->colours && some_of(net_colours_asked_transitions(s->net, i), s->enabled);)
        all = ++i == net_colours_asked(s->net)->n_transitions;
    return all;
}

static Truth never_fires(Examination *x, uint32_t t, const char *engine)
{
    x->dead = t;
    return decide(x, TRUTH_NO, engine);
}

FormulaId examination_fires(FormulaStore *formulas, uint32_t asked)
{
    VecU32 transitions = {0};
    append_range(&transitions, net_colours_asked_transitions(formulas->net, asked));
    FormulaId id = formula_fireable(formulas, transitions.data, transitions.len);
    vec_free(&transitions);
    return id;
}

Truth examination_quasi_live(Examination *x, Budget *budget)
{
    const Net *net = x->net;
    begin(x);
    uint32_t n = net_colours_asked(net)->n_transitions;
    g_autofree bool *free = g_new0(bool, net->n_transitions + 1);
    survey_blocked(net, net->initial, free);
    for (uint32_t t = 0; t < net->n_transitions; t++) free[t] = !free[t];
    for (uint32_t i = 0; i < n; i++)
        if (!some_of(net_colours_asked_transitions(net, i), free)) return never_fires(x, i, "structure");
    g_autoptr(Survey) survey = take_survey(x, SURVEY_SECONDS, SURVEY_PATIENCE, saw_all_enabled, budget);
    if (saw_all_enabled(survey)) return decide(x, TRUTH_YES, "survey");
    Budget relating = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    g_autoptr(Concurrency) c = concurrency_new(net, NULL, &relating);
    for (uint32_t i = 0; c && i < n; i++)
        if (!some_of(net_colours_asked_transitions(net, i), c->fires)) return never_fires(x, i, "structure");
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 unseen = {0};
    for (uint32_t i = 0; i < n; i++)
        if (!some_of(net_colours_asked_transitions(net, i), survey->enabled)) vec_push(&unseen, i);
    Truth some = some_never(x, formulas, &unseen, examination_fires, budget, &x->dead);
    vec_free(&unseen);
    return opposite(some);
}

/* ---- StableMarking ---- */

/* The i-th place that is asked about was seen with two counts. */
static bool saw_change(const Survey *s, uint32_t i)
{
    return s->n_sums ? s->sum_least[i] != s->sum_most[i] : s->least[i] != s->most[i];
}

static bool saw_all_change(const Survey *s)
{
    bool all = s->n_unchanged == 0 && !s->n_sums;
    for (uint32_t i = 0; !all && s->n_sums && saw_change(s, i);) all = ++i == s->n_sums;
    return all;
}

/* t changes the number of tokens in these places together. */
static bool changes_sum(const Net *net, uint32_t t, NetRange places)
{
    Sum change = exact_of(0);
    for (int k = 0; k < 2; k++) {
        NetRow row = net_places(net, k ? ARC_POST : ARC_PRE, t);
        for (uint32_t i = 0; i < row.len && row.node[i] < places.to; i++)
            if (row.node[i] >= places.from) exact_add_product(&change, k ? 1 : -1, net_weight(row, i));
    }
    return exact_sign(change) != 0;
}

/* The transitions that change it, but for those that never fire (may be NULL), each at least once. */
static void find_changers(const Net *net, NetRange places, const bool *blocked, VecU32 *changers)
{
    for (uint32_t p = places.from; p < places.to; p++)
        for (int k = 0; k < 2; k++) {
            NetRow row = net_transitions(net, k ? ARC_POST : ARC_PRE, p);
            for (uint32_t i = 0; i < row.len; i++)
                if (!(blocked && blocked[row.node[i]]) && changes_sum(net, row.node[i], places))
                    vec_push(changers, row.node[i]);
        }
}

/* Nothing that can fire changes it. */
static bool never_changes(const Net *net, uint32_t asked, const bool *blocked)
{
    VecU32 changers = {0};
    find_changers(net, net_colours_asked_places(net, asked), blocked, &changers);
    bool none = !changers.len;
    vec_free(&changers);
    return none;
}

/* Something that changes it can fire: for counts that no formula can name. */
static FormulaId changer_fires(FormulaStore *formulas, NetRange places)
{
    VecU32 changers = {0};
    find_changers(formulas->net, places, NULL, &changers);
    FormulaId id = formula_fireable(formulas, changers.data, changers.len);
    vec_free(&changers);
    return id;
}

static FormulaId changes(FormulaStore *formulas, uint32_t asked)
{
    NetRange places = net_colours_asked_places(formulas->net, asked);
    uint32_t n = places.to - places.from;
    g_autofree FormulaTerm *terms = g_new(FormulaTerm, (size_t)n + 1);
    Sum count = exact_of(0);
    int64_t known;
    FormulaId sides[2];
    for (uint32_t i = 0; i < n; i++) {
        terms[i] = (FormulaTerm){places.from + i, 1};
        exact_add(&count, formulas->net->initial[places.from + i]);
    }
    bool fits = exact_signed(count, &known) && known < INT64_MAX;
    fits = fits && formula_at_most(formulas, terms, n, known - 1, &sides[0], NULL);
    for (uint32_t i = 0; i < n; i++) terms[i].coefficient = -1;
    fits = fits && formula_at_most(formulas, terms, n, ~known, &sides[1], NULL);
    return fits ? formula_or(formulas, sides, 2) : changer_fires(formulas, places);
}

Truth examination_stable_marking(Examination *x, Budget *budget)
{
    const Net *net = x->net;
    begin(x);
    g_autofree bool *blocked = g_new0(bool, net->n_transitions + 1);
    survey_blocked(net, net->initial, blocked);
    uint32_t n = net_colours_asked(net)->n_places;
    for (uint32_t p = 0; p < n; p++) {
        if (!never_changes(net, p, blocked)) continue;
        x->constant = p;
        return decide(x, TRUTH_YES, "structure");
    }
    g_autoptr(Survey) survey = take_survey(x, SURVEY_SECONDS, SURVEY_PATIENCE, saw_all_change, budget);
    if (saw_all_change(survey)) return decide(x, TRUTH_NO, "survey");
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 unseen = {0};
    for (uint32_t p = 0; p < n; p++)
        if (!saw_change(survey, p)) vec_push(&unseen, p);
    Truth some = some_never(x, formulas, &unseen, changes, budget, &x->constant);
    vec_free(&unseen);
    return some;
}

bool examination_goal(const Examination *x, FormulaStore *formulas, FormulaId *goal)
{
    if (x->dead != NET_NONE)
        *goal = examination_fires(formulas, x->dead);
    else if (x->constant != NET_NONE)
        *goal = changes(formulas, x->constant);
    return x->dead != NET_NONE || x->constant != NET_NONE;
}
