/* Largest values of sums: what a survey saw from below, the state equation and searches from above. */
#include "verify/examination.h"

#include "lts/cover.h"
#include "net/colours.h"
#include "verify/equation.h"
#include "verify/skeleton.h"
#include "verify/survey.h"

#define SURVEY_PATIENCE 1.5
#define SURVEY_SECONDS 15.0
#define SURVEY_SHARE 0.2
#define EQUATION_SHARE 0.3
#define COVER_SHARE 0.4
#define ROUND_SHARE 0.35
/* A sum that the equation lets grow so far has no bound there. */
#define FAR_AWAY (INT64_C(1) << 40)
#define UNKNOWN_ABOVE INT64_MAX
/* Formulas about twice as much still fit 64 bits. */
#define TOO_LARGE ((Total)INT64_MAX / 4)

typedef struct Bounds {
    Examination *x;
    VecU32 *sums;    /* of places that may change */
    Total *constant; /* what the others add to each */
    size_t n;
    Survey *survey;
    FormulaStore *formulas;
    ExaminationBound *bounds;
    int64_t *above;  /* no value is larger; UNKNOWN_ABOVE */
    int64_t *target; /* of the round's query */
    void (*told)(size_t i, const ExaminationBound *bound, void *data);
    void *data;
    VecU32 asked; /* of the round: sums by goal */
    bool partial; /* of the net some transitions are not there: it tells nothing from above */
} Bounds;

static void settle(Bounds *b, size_t i, const char *engine)
{
    ExaminationBound *bound = &b->bounds[i];
    if (bound->known) return;
    bound->known = true;
    bound->engine = engine;
    bound->value += b->constant[i];
    if (b->told) b->told(i, bound, b->data);
}

/* Takes over what the survey knows by now. */
static void read_survey(Bounds *b, const char *engine)
{
    for (size_t i = 0; i < b->n; i++) {
        ExaminationBound *bound = &b->bounds[i];
        if (bound->known) continue;
        bound->value = b->survey->sum_most[i];
        if (b->survey->sum_unbounded[i]) {
            bound->infinite = true;
            bound->pump = b->survey->sum_pump[i];
            b->survey->sum_pump[i] = (Pump){0};
            settle(b, i, engine);
        } else if (b->above[i] != UNKNOWN_ABOVE && bound->value >= (Total)b->above[i]) {
            settle(b, i, engine);
        }
    }
}

static FormulaTerm *terms_of(const VecU32 *places, int64_t coefficient)
{
    FormulaTerm *terms = g_new(FormulaTerm, places->len + 1);
    for (size_t i = 0; i < places->len; i++) terms[i] = (FormulaTerm){places->data[i], coefficient};
    return terms;
}

/* Which places may gain, which may change: by transitions that are not kept from firing by a place that is never
 * filled.
 */
static void find_changes(const Net *net, bool *grows, bool *changes)
{
    g_autofree bool *blocked = g_new0(bool, net->n_transitions + 1);
    survey_blocked(net, net->initial, blocked);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if (blocked[t]) continue;
        NetRow pre = net_places(net, ARC_PRE, t), post = net_places(net, ARC_POST, t);
        for (uint32_t i = 0; i < pre.len; i++)
            changes[pre.node[i]] |= net_weight(pre, i) != net_arc_weight(net, ARC_POST, t, pre.node[i]);
        for (uint32_t i = 0; i < post.len; i++) {
            uint64_t taken = net_arc_weight(net, ARC_PRE, t, post.node[i]);
            changes[post.node[i]] |= net_weight(post, i) != taken;
            grows[post.node[i]] |= net_weight(post, i) > taken;
        }
    }
}

/* Takes the places that never change out of the sums; those that nothing can raise have their initial value. */
static void bound_by_structure(Bounds *b, const VecU32 *asked)
{
    const Net *net = b->x->net;
    g_autofree bool *grows = g_new0(bool, net->n_places + 1), *changes = g_new0(bool, net->n_places + 1);
    find_changes(net, grows, changes);
    for (size_t i = 0; i < b->n; i++) {
        bool fixed = true;
        if (b->partial) {
            vec_append(&b->sums[i], asked[i].data, asked[i].len);
            continue;
        }
        for (size_t k = 0; k < asked[i].len; k++) {
            uint32_t p = asked[i].data[k];
            fixed &= !grows[p];
            if (changes[p])
                vec_push(&b->sums[i], p);
            else
                b->constant[i] += net->initial[p]; /* fits a Total */
        }
        if (!fixed) continue;
        for (size_t k = 0; k < b->sums[i].len; k++)
            b->bounds[i].value += net->initial[b->sums[i].data[k]]; /* fits a Total */
        settle(b, i, "structure");
    }
}

/* The least bound of the equation, by doubling and halving; false when it has none or time is over. */
static bool equation_bound(Equation *eq, const FormulaTerm *terms, size_t n, int64_t low, int64_t *above,
                           Budget *budget)
{
    int64_t step = 1, high = low;
    SatAnswer answer = equation_exceeds(eq, terms, n, high, budget);
    if (answer == SAT_YES && equation_exceeds(eq, terms, n, low + FAR_AWAY, budget) != SAT_NO) return false;
    while (answer == SAT_YES) {
        low = high + 1;
        high += step;
        step *= 2;
        answer = equation_exceeds(eq, terms, n, high, budget);
    }
    if (answer != SAT_NO) return false;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        answer = equation_exceeds(eq, terms, n, middle, budget);
        if (answer == SAT_UNKNOWN) break;
        if (answer == SAT_NO)
            high = middle;
        else
            low = middle + 1;
    }
    *above = high;
    return true;
}

static void bound_by_equation(Bounds *b, Budget *budget)
{
    g_autoptr(Equation) eq = equation_new(b->x->net, false);
    for (size_t i = 0; i < b->n && !budget_look(budget); i++) {
        if (b->bounds[i].known || b->bounds[i].value >= TOO_LARGE) continue;
        g_autofree FormulaTerm *terms = terms_of(&b->sums[i], 1);
        /* A hard one must not eat the time of the others. */
        Budget share = budget_part(budget, 2.0 / (double)(b->n - i), 0, NULL);
        if (equation_bound(eq, terms, b->sums[i].len, (int64_t)b->bounds[i].value, &b->above[i], &share) &&
            (Total)b->above[i] == b->bounds[i].value)
            settle(b, i, "equation");
    }
}

/* Where the sum of coloured places exceeds what was seen even without colours: a net so small that it takes no time.
 * FALSE: it is no such sum. */
static FormulaId skeleton_exceeds(const Bounds *b, size_t i, const VecU32 *asked, FormulaStore *skeleton)
{
    Total seen = b->bounds[i].value + b->constant[i]; /* fits a Total */
    if (b->bounds[i].known || seen >= TOO_LARGE) return FORMULA_ID_FALSE;
    g_autofree FormulaTerm *terms = terms_of(&asked[i], 1);
    SkeletonTerms sum = {0};
    FormulaId at_most, goal = FORMULA_ID_FALSE;
    if (skeleton_terms(b->x->net, terms, asked[i].len, &sum) &&
        formula_at_most(skeleton, sum.data, sum.len, (int64_t)seen, &at_most, NULL))
        goal = formula_not(skeleton, at_most);
    vec_free(&sum);
    return goal;
}

static void bound_by_skeleton(Bounds *b, const VecU32 *asked, Budget *budget)
{
    if (!skeleton_exists(b->x->net)) return;
    const Net *net = b->x->net->colours->coloured;
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    VecU32 goals = {0}, sums = {0};
    for (size_t i = 0; i < b->n; i++) {
        FormulaId goal = skeleton_exceeds(b, i, asked, formulas);
        if (goal == FORMULA_ID_FALSE) continue;
        vec_push(&goals, goal);
        vec_push(&sums, (uint32_t)i);
    }
    Result *results = g_new0(Result, goals.len + 1);
    portfolio_run(net, formulas, goals.data, goals.len, &(PortfolioOptions){.engine = b->x->options}, budget, results);
    for (size_t i = 0; i < goals.len; i++) {
        if (results[i].answer == ANSWER_UNREACHABLE) settle(b, sums.data[i], results[i].engine);
        result_clear(&results[i]);
    }
    g_free(results);
    vec_free(&goals);
    vec_free(&sums);
}

/* ---- coverability ---- */

enum { MOST_CHECKS = 200 };

typedef struct Covering {
    Bounds *b;
    uint32_t checks; /* proofs looked at that were too long */
} Covering;

/* False when one of its places is omega: then *place. */
static bool sum_at(const VecU32 *places, const uint64_t *marking, Total *sum, uint32_t *place)
{
    *sum = 0;
    for (size_t i = 0; i < places->len; i++) {
        *place = places->data[i];
        if (marking[*place] == COVER_OMEGA) return false;
        *sum += marking[*place]; /* fits a Total */
    }
    return true;
}

/* A loop of the tree may have gained an omega on its way; fired again at its end, where it has it from the beginning,
 * it is a loop of the pump. */
static void take_path(Pump *pump, const VecU32 *path, const CoverLoops *loops)
{
    size_t at = 0;
    for (size_t i = 0; i < loops->len; i++) {
        CoverLoop loop = loops->data[i];
        if (loop.to > at) pump_add(pump, false, path->data + at, loop.to - at);
        at = loop.to;
        pump_add(pump, true, path->data + loop.from, loop.to - loop.from);
    }
}

/* Is the place of the node omega, as its path shows? */
static bool check_omega(const Bounds *b, const Cover *cover, uint32_t node, uint32_t place, Pump *pump)
{
    VecU32 path = {0};
    CoverLoops loops = {0};
    cover_path(cover, node, &path);
    bool is_omega = cover_check(cover->net, path.data, path.len, place, &loops);
    if (is_omega && b->x->keep_pumps) take_path(pump, &path, &loops);
    vec_free(&loops);
    vec_free(&path);
    return is_omega;
}

static bool note_node(const Cover *cover, uint32_t node, void *data)
{
    Covering *covering = data;
    Bounds *b = covering->b;
    bool open = false;
    for (size_t i = 0; i < b->n; i++) {
        ExaminationBound *bound = &b->bounds[i];
        if (bound->known) continue;
        open = true;
        uint32_t place;
        Total sum;
        if (sum_at(&b->sums[i], cover_marking(cover, node), &sum, &place)) {
            /* Finite counts of a node belong to reachable markings. */
            bound->value = MAX(bound->value, sum);
        } else if (covering->checks < MOST_CHECKS) {
            bound->infinite = check_omega(b, cover, node, place, &bound->pump);
            if (bound->infinite)
                settle(b, i, "cover");
            else
                covering->checks++;
        }
    }
    return open;
}

static bool some_without_bound(const Bounds *b)
{
    bool some = false;
    for (size_t i = 0; i < b->n; i++) some |= !b->bounds[i].known && b->above[i] == UNKNOWN_ABOVE;
    return some;
}

static void bound_by_covering(Bounds *b, Budget *whole)
{
    bool sums_lost = false;
    g_autoptr(Cover) cover = cover_new(b->x->net);
    if (!cover) return;
    Covering covering = {.b = b};
    Budget own = budget_part(whole, COVER_SHARE, 0, NULL), *budget = &own;
    bool complete = cover_run(cover, b->x->options.seed, note_node, &covering, budget);
    engine_say(&b->x->options, "cover: %u nodes, %s", cover_count(cover),
               complete               ? "complete"
               : budget_ended(budget) ? budget_text(budget)
                                      : "nothing left to ask");
    /* An omega whose proof was too long is no finite value. */
    for (uint32_t node = 0; complete && node < cover_count(cover); node++)
        for (size_t i = 0; i < b->n; i++) {
            uint32_t place;
            Total sum;
            sums_lost |= !b->bounds[i].known && !sum_at(&b->sums[i], cover_marking(cover, node), &sum, &place);
        }
    for (size_t i = 0; i < b->n && complete && !sums_lost; i++) settle(b, i, "cover");
}

/* The largest possible first, then the next one, then in between. */
static int64_t choose_target(const Bounds *b, size_t i, unsigned round)
{
    int64_t low = (int64_t)b->bounds[i].value + 1, high = b->above[i];
    if (high == UNKNOWN_ABOVE) return round % 2 ? low * 2 : low;
    if (round % 3 == 0) return high;
    return round % 3 == 1 ? low : low + (high - low) / 2;
}

static void round_answered(size_t goal, const Result *result, void *data)
{
    Bounds *b = data;
    size_t i = b->asked.data[goal];
    if (result->answer == ANSWER_REACHABLE) {
        survey_follow(b->survey, result->witness.data, result->witness.len);
    } else if (result->answer == ANSWER_UNREACHABLE) {
        b->above[i] = MIN(b->above[i], b->target[i] - 1);
    }
    read_survey(b, result->engine);
}

static bool reaches(Bounds *b, size_t i, FormulaId *goal)
{
    g_autofree FormulaTerm *terms = terms_of(&b->sums[i], -1);
    return formula_at_most(b->formulas, terms, b->sums[i].len, -b->target[i], goal, NULL);
}

/* True when something was learnt. */
static bool ask_round(Bounds *b, unsigned round, Budget *budget)
{
    VecU32 goals = {0};
    vec_clear(&b->asked);
    for (size_t i = 0; i < b->n; i++) {
        FormulaId goal;
        if (b->bounds[i].known || b->bounds[i].value >= TOO_LARGE) continue;
        b->target[i] = choose_target(b, i, round);
        if (!reaches(b, i, &goal)) continue;
        vec_push(&b->asked, (uint32_t)i);
        vec_push(&goals, goal);
    }
    Result *results = g_new0(Result, goals.len + 1);
    PortfolioOptions options = {.engine = b->x->options, .answered = round_answered, .data = b};
    options.engine.seed += round;
    portfolio_run(b->x->net, b->formulas, goals.data, goals.len, &options, budget, results);
    bool learnt = false;
    for (size_t i = 0; i < goals.len; i++) {
        learnt |= results[i].answer != ANSWER_UNKNOWN;
        result_clear(&results[i]);
    }
    g_free(results);
    vec_free(&goals);
    return learnt;
}

static bool all_known(const Bounds *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (!b->bounds[i].known) return false;
    return true;
}

static void say_open(const Bounds *b, const char *engine, double start)
{
    size_t open = 0;
    for (size_t i = 0; i < b->n; i++) open += !b->bounds[i].known;
    engine_say(&b->x->options, "%s: %zu of %zu bounds open after %.2f s", engine, open, b->n, budget_now() - start);
}

/* "time limit; at least 3, at most 7" */
static char *why_unknown(const Bounds *b, size_t i, const Budget *budget)
{
    char digits[TOTAL_DIGITS];
    GString *text = g_string_new(budget_ended(budget)              ? budget_text(budget)
                                 : b->bounds[i].value >= TOO_LARGE ? "the sum is too large for the engines"
                                                                   : "no engine could answer");
    g_string_append_printf(text, "; at least %s", exact_text(b->bounds[i].value + b->constant[i], digits));
    if (b->above[i] != UNKNOWN_ABOVE)
        g_string_append_printf(text, ", at most %s", exact_text((Total)b->above[i] + b->constant[i], digits));
    return g_string_free(text, FALSE);
}

void examination_bounds(Examination *x, const VecU32 *sums, size_t n, Budget *budget, ExaminationBound *bounds,
                        void (*told)(size_t i, const ExaminationBound *bound, void *data), void *data)
{
    Bounds b = {.x = x,
                .sums = g_new0(VecU32, n + 1),
                .constant = g_new0(Total, n + 1),
                .n = n,
                .formulas = formula_store_new(x->net),
                .bounds = bounds,
                .above = g_new(int64_t, n + 1),
                .target = g_new0(int64_t, n + 1),
                .told = told,
                .data = data,
                .partial = net_colours_partial(x->net)};
    for (size_t i = 0; i < n; i++) b.above[i] = UNKNOWN_ABOVE;
    bound_by_structure(&b, sums);
    b.survey = survey_new(x->net, b.sums, (uint32_t)n);
    b.survey->keep_pumps = x->keep_pumps;
    Budget walking = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    double start = budget_now();
    survey_run(b.survey, x->options.seed, SURVEY_PATIENCE, NULL, &walking);
    read_survey(&b, "survey");
    say_open(&b, "survey", start);
    Budget skeleton = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    start = budget_now();
    bound_by_skeleton(&b, sums, &skeleton);
    say_open(&b, "skeleton", start);
    /* Only when something is, or may be, unbounded: other searches are faster on bounded nets. */
    bool unbounded = b.survey->unbounded;
    if (unbounded && !b.partial) bound_by_covering(&b, budget);
    Budget solving = budget_part(budget, EQUATION_SHARE, 0, NULL);
    start = budget_now();
    if (!b.partial) bound_by_equation(&b, &solving);
    say_open(&b, "equation", start);
    if (!unbounded && !b.partial && some_without_bound(&b)) bound_by_covering(&b, budget);
    unsigned idle = 0;
    for (unsigned round = 0; !all_known(&b) && idle < 4 && !budget_look(budget); round++) {
        Budget share = budget_part(budget, ROUND_SHARE, 0, NULL);
        idle = ask_round(&b, round, &share) ? 0 : idle + 1;
    }
    for (size_t i = 0; i < n; i++)
        if (!bounds[i].known) bounds[i].reason = why_unknown(&b, i, budget);
    for (size_t i = 0; i < n; i++) vec_free(&b.sums[i]);
    g_free(b.sums);
    g_free(b.constant);
    survey_free(b.survey);
    formula_store_free(b.formulas);
    vec_free(&b.asked);
    g_free(b.above);
    g_free(b.target);
}

void examination_bound_clear(ExaminationBound *bound)
{
    g_free(bound->reason);
    pump_clear(&bound->pump);
}

bool examination_bound_goal(FormulaStore *formulas, const VecU32 *places, const ExaminationBound *bound, bool above,
                            FormulaId *goal)
{
    if (!bound->known || bound->infinite || bound->value >= INT64_MAX) return false;
    g_autofree FormulaTerm *terms = g_new(FormulaTerm, places->len + 1);
    for (size_t i = 0; i < places->len; i++) terms[i] = (FormulaTerm){places->data[i], -1};
    return formula_at_most(formulas, terms, places->len, -(int64_t)bound->value - above, goal, NULL);
}
