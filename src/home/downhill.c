#include "home/downhill.h"

#include "home/home.h"
#include "home/order.h"
#include "lts/explicit.h"
#include "lts/replay.h"
#include "verify/ask.h"

enum { MOST_WAYS = 200, MOST_MARKINGS = 20000 };
#define QUESTION_SHARE 0.5
#define WAY_SHARE 0.3

void downhill_clear(Downhill *d)
{
    g_free(d->reason);
    vec_free(&d->run);
    *d = (Downhill){0};
}

typedef struct Descending {
    const Net *net;
    FormulaStore *formulas;
    FormulaId goal;
    const EngineOptions *options;
    const ProofFile *file;
    VecU32 order; /* of places: one level each */
    Descent descent;
    Downhill *result;
} Descending;

static void give_up(Descending *d, const char *reason)
{
    d->result->reason = g_strdup_printf("no rank was found: %s", reason);
}

/* ---- is anything stuck? ---- */

static bool ask_stuck(Descending *d, Budget *budget, Result *answer)
{
    FormulaId stuck;
    g_autofree char *problem = NULL;
    if (!descent_stuck(&d->descent, d->formulas, d->goal, budget, &stuck, &problem)) {
        give_up(d, problem);
        return false;
    }
    Budget own = budget_part(budget, QUESTION_SHARE, 0, NULL);
    ProofHome home = {d->formulas, d->goal, &d->descent};
    ProofFile file = d->file ? *d->file : (ProofFile){0};
    file.home = &home;
    AskOptions ask = {.engine = *d->options};
    ask.engine.certificate = d->file ? &file : NULL;
    ask_goals(d->net, d->formulas, &stuck, 1, &ask, &own, answer);
    return true;
}

/* ---- a way out ---- */

typedef struct Looking {
    const Descending *d;
    const uint64_t *marking; /* where it began */
} Looking;

static bool is_lower(void *data, const NetLts *lts, const uint64_t *state)
{
    const Looking *l = data;
    for (size_t i = 0; i < l->d->order.len; i++) {
        uint64_t count = netlts_count(lts, state, l->d->order.data[i]), before = l->marking[l->d->order.data[i]];
        if (count != before) return count < before || formula_holds(l->d->formulas, l->d->goal, lts, state);
    }
    return formula_holds(l->d->formulas, l->d->goal, lts, state);
}

static void add_way(Descending *d, const VecU32 *way)
{
    vec_append(&d->descent.ways, way->data, way->len);
    vec_push(&d->descent.ways, NET_NONE);
    d->result->ways++;
}

/* By engines, where a search found neither a way nor that there is none. */
static bool ask_way(Descending *d, const Net *from, Budget *budget, VecU32 *way, bool *lost)
{
    const Net *before = d->formulas->net;
    Budget own = budget_part(budget, WAY_SHARE, 0, NULL);
    AskOptions ask = {.engine = *d->options};
    Result answer = {0};
    ask.engine.certificate = NULL;
    d->formulas->net = from;
    ask_goals(from, d->formulas, &d->goal, 1, &ask, &own, &answer);
    d->formulas->net = before;
    *lost = answer.answer == ANSWER_UNREACHABLE;
    if (answer.answer == ANSWER_REACHABLE) vec_append(way, answer.witness.data, answer.witness.len);
    bool known = answer.answer != ANSWER_UNKNOWN;
    result_clear(&answer);
    return known;
}

/* From where the run leads. False: neither a way nor that the goal is lost was found. */
static bool look_for_way(Descending *d, const VecU32 *run, Budget *budget, VecU32 *way, bool *lost)
{
    g_autofree uint64_t *marking = replay_start(d->net);
    if (replay_run(d->net, run->data, run->len, marking) != run->len) return false;
    Net from = home_net_from(d->net, marking);
    Looking looking = {d, marking};
    g_autoptr(Explicit) search = explicit_new(&from);
    Budget few = budget_part(budget, WAY_SHARE, 0, NULL);
    budget_limit_events(&few, MOST_MARKINGS);
    Ending end = explicit_run(search, &(ExplicitGoal){.holds = is_lower, .data = &looking, .units = 4}, &few);
    *lost = end == ENDING_COMPLETE;
    if (end == ENDING_GOAL) explicit_path(search, search->found, way);
    return end == ENDING_GOAL || end == ENDING_COMPLETE || ask_way(d, &from, budget, way, lost);
}

static void take_loss(Descending *d, const Result *answer)
{
    d->result->verdict = VERDICT_VIOLATED;
    d->result->engine = answer->engine;
    vec_append(&d->result->run, answer->witness.data, answer->witness.len);
}

/* One question and what it teaches. True: go on. */
static bool take_step(Descending *d, Budget *budget)
{
    Result answer = {0};
    VecU32 way = {0};
    bool on = false, lost = false;
    if (!ask_stuck(d, budget, &answer)) {
        /* the reason is said */
    } else if (answer.answer == ANSWER_UNREACHABLE) {
        d->result->verdict = VERDICT_HOLDS;
        d->result->engine = answer.engine;
    } else if (answer.answer == ANSWER_UNKNOWN) {
        give_up(d, answer.reason ? answer.reason : "whether it can always be lowered is unknown");
    } else if (!look_for_way(d, &answer.witness, budget, &way, &lost)) {
        give_up(d, "at some marking neither the goal nor its loss was found");
    } else if (lost) {
        take_loss(d, &answer);
    } else {
        add_way(d, &way);
        on = true;
    }
    result_clear(&answer);
    vec_free(&way);
    return on;
}

void downhill_ask(const Net *net, FormulaStore *formulas, FormulaId goal, const EngineOptions *options,
                  const ProofFile *file, Budget *budget, Downhill *result)
{
    Descending d = {.net = net, .formulas = formulas, .goal = goal, .options = options, .file = file, .result = result};
    home_order_places(net, formulas, goal, &d.order);
    for (size_t i = 0; i < d.order.len; i++) {
        vec_push(&d.descent.levels, d.order.data[i]);
        vec_push(&d.descent.levels, NET_NONE);
    }
    bool on = true;
    while (on && result->ways < MOST_WAYS && !budget_look(budget)) on = take_step(&d, budget);
    if (on) give_up(&d, budget_ended(budget) ? budget_text(budget) : "it needs too many ways");
    engine_say(options, "downhill: %s with %u ways%s%s", question_verdict_text(result->verdict), result->ways,
               result->reason ? ": " : "", result->reason ? result->reason : "");
    vec_free(&d.order);
    descent_clear(&d.descent);
}
