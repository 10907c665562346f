#include "verify/engine.h"
#include "verify/goal.h"
#include "verify/prefix_sat.h"
#include "verify/prove.h"
#include "verify/reduced.h"

#include "unfold/unfold.h"

#include <string.h>

/* The unfolding is built in stages of this many events, then four times as many, and so on: each
 * stage is asked by SAT whether the goal is inside already, for at most half the time spent so far. */
enum { FIRST_STAGE = 4000, STAGE_FACTOR = 4 };
/* The first stage is of the net as it is, for at most this part of the time: small prefixes are told as they are. */
#define FIRST_SHARE 0.1

typedef struct Search {
    const Query *query;
    Budget *budget;
    Goal goal;
    NetLts *safe; /* the layout of the markings that unfold() shows */
    UnfoldOptions options;
    const ProofFile *certificate;
    Result *result;
    bool limited; /* the budget, not the search, ended it */
    bool *owed;   /* not NULL: a large prefix needs no certificate, which is then owed */
} Search;

static bool inside(uint32_t event, uint32_t transition, const uint64_t *marking, void *data)
{
    (void)event, (void)transition;
    Search *s = data;
    return goal_holds(&s->goal, s->safe, marking);
}

static void found(Search *s, const uint32_t *run, size_t n)
{
    vec_clear(&s->result->witness);
    /* cppcheck-suppress nullPointer ; nothing is copied where n is 0 */
    vec_append(&s->result->witness, run, n);
    s->result->answer = ANSWER_REACHABLE;
}

static void found_event(Search *s, const Prefix *prefix)
{
    uint32_t n;
    g_autofree uint32_t *run = g_new(uint32_t, prefix_count(prefix) + 1);
    if (prefix->histories.n) {
        n = prefix_local_history(prefix, prefix->histories.n - 1, run);
        for (uint32_t i = 0; i < n; i++) run[i] = prefix->event_transition[prefix->histories.event[run[i]]];
    } else {
        n = prefix_local(prefix, prefix->goal_event, run);
        for (uint32_t i = 0; i < n; i++) run[i] = prefix->event_transition[run[i]];
    }
    found(s, run, n);
}

/* The net is not safe: this engine cannot go on, but the run may be what was asked for. */
static void found_unsafe(Search *s, const Prefix *prefix)
{
    g_autoptr(NetLts) plain = netlts_new(s->query->net, 64);
    g_autofree uint64_t *marking =
        g_memdup2(s->query->net->initial, MAX(s->query->net->n_places, 1) * sizeof(uint64_t));
    bool fires = true;
    for (uint32_t i = 0; i < prefix->unsafe_len && fires; i++)
        fires = net_enabled(s->query->net, marking, prefix->unsafe_run[i]) &&
                net_fire(s->query->net, marking, prefix->unsafe_run[i]);
    if (fires && formula_holds(s->query->formulas, s->query->goal, plain, marking))
        found(s, prefix->unsafe_run, prefix->unsafe_len);
    else
        s->result->reason = g_strdup_printf("the net is not safe: %s can get a second token",
                                            net_place_id(s->query->net, prefix->unsafe_place));
}

/* A proof that was asked for and cannot be written is no answer. That no configuration of a large prefix is extended by
 * anything else is hard for SAT to show (40 000 events: not in a minute), and what the prefix shows is mostly easy. */
static bool write_certificate(Search *s, const Prefix *prefix)
{
    GError *error = NULL;
    if (s->certificate && s->owed && prefix_count(prefix) > FIRST_STAGE) return *s->owed = true;
    if (!s->certificate || prove_by_prefix(s->query, prefix, s->certificate, s->budget, &error)) return true;
    s->result->reason = g_strdup(error->message);
    g_error_free(error);
    return false;
}

/* True when the search is over. */
static bool ask_prefix(Search *s, const Prefix *prefix, double spent)
{
    bool complete = prefix->end == ENDING_COMPLETE;
    Budget share = budget_child(s->budget, complete ? 0 : MAX(spent / 2, 0.01), NULL);
    g_autoptr(PrefixSat) sat = prefix_sat_new(prefix, &share);
    VecU32 run = {0};
    SatAnswer answer = !sat ? SAT_UNKNOWN : prefix_sat_reach(sat, s->query->formulas, s->query->goal, &share, &run);
    if (answer == SAT_YES) found(s, run.data, run.len);
    if (answer == SAT_NO && complete && write_certificate(s, prefix)) {
        s->result->answer = ANSWER_UNREACHABLE;
        s->result->reason =
            g_strdup_printf("complete prefix under %s: %u events, %u cutoffs", relation_name(prefix->relation),
                            prefix_count(prefix), prefix_count_cutoffs(prefix));
    }
    if (answer == SAT_UNKNOWN && complete) result_stopped(s->result, &share);
    vec_free(&run);
    return complete || answer == SAT_YES;
}

/* One stage; true when the search is over. */
static bool run_stage(Search *s, uint64_t max_events)
{
    double before = budget_clock(s->budget);
    Budget stage = budget_child(s->budget, 0, NULL);
    uint64_t most = budget_max_events(s->budget);
    budget_limit_events(&stage, max_events);
    GError *error = NULL;
    g_autoptr(Prefix) prefix = unfold(s->query->net, &s->options, &stage, &error);
    if (!prefix) {
        s->result->reason = g_strdup(error->message);
        g_error_free(error);
        return true;
    }
    switch (prefix->end) {
    case ENDING_GOAL: found_event(s, prefix); return true;
    case ENDING_UNSAFE: found_unsafe(s, prefix); return true;
    case ENDING_COMPLETE: return ask_prefix(s, prefix, 0);
    default:
        if (ending_is_limit(prefix->end)) break;
        s->result->reason = g_strdup("this engine wants a safe net");
        return true;
    }
    if (ask_prefix(s, prefix, budget_clock(s->budget) - before)) return true;
    s->limited = prefix->end != ENDING_EVENTS || (most && max_events >= most);
    if (s->limited) {
        if (!budget_ended(s->budget)) budget_exhaust(s->budget, prefix->end);
        result_stopped(s->result, s->budget);
    }
    return s->limited;
}

/* Stage by stage, up to the one of so many events. owed: see Search. False when a limit ended it. */
static bool search(const Query *query, const EngineOptions *options, uint64_t last_stage, bool *owed, Budget *budget,
                   Result *result)
{
    Search s = {.query = query,
                .budget = budget,
                .goal = goal_new(query),
                .result = result,
                .certificate = options->certificate,
                .owed = owed};
    s.options = (UnfoldOptions){.relation = relation_default(RELATION_DEFAULT_CHECK),
                                .order = ORDER_ERV,
                                .cutoffs = true,
                                .goal = inside,
                                .goal_data = &s};
    if (options->relation) relation_parse(options->relation, &s.options.relation);
    if (options->order) order_parse(options->order, &s.options.order);
    /* The read-aware engine wants weights of 1. */
    if (!options->relation && net_max_weight(query->net) > 1) s.options.relation = RELATION_CLASSIC;
    s.options.engine = s.options.relation == RELATION_CLASSIC ? UNFOLD_CLASSIC : UNFOLD_CONTEXT;
    s.safe = netlts_new(query->net, 1);
    g_autofree uint64_t *initial = g_new0(uint64_t, s.safe->lts.state_words);
    s.safe->lts.initial(&s.safe->lts, initial);
    bool over = goal_holds(&s.goal, s.safe, initial);
    if (over) found(&s, NULL, 0);
    for (uint64_t stage = FIRST_STAGE; !over && stage <= last_stage; stage *= STAGE_FACTOR) over = run_stage(&s, stage);
    netlts_free(s.safe);
    return over && !s.limited;
}

/* On a smaller net, where rules apply. */
static void search_reduced(const Query *query, const EngineOptions *options, bool *owed, Budget *budget, Result *result)
{
    NetSteps steps = {0};
    ReduceOptions wanted = {.safe = true, .steps = options->certificate ? &steps : NULL};
    Budget making = budget_part(budget, REDUCED_MAKE_SHARE, REDUCED_MAKE_SECONDS, NULL);
    g_autoptr(Reduction) r = reduce_new(query->net, query->formulas, &query->goal, 1, &wanted, &making);
    if (r && options->certificate && !steps.list.len) g_clear_pointer(&r, reduce_free);
    Query smaller = r ? (Query){r->net, r->formulas, r->goals[0]} : *query;
    EngineOptions own = *options;
    ProofFile file = options->certificate ? *options->certificate : (ProofFile){0};
    if (r) {
        engine_say(options, "unfold: reduced to %u places, %u transitions", r->net->n_places, r->net->n_transitions);
        file.original = query;
        file.steps = &steps;
        if (own.certificate) own.certificate = &file;
    }
    if (!r || !reduced_settled(&smaller, &own, own.certificate, budget, result))
        search(&smaller, &own, UINT64_MAX / STAGE_FACTOR, owed, budget, result);
    if (!reduced_lift(r, budget, result)) {
        result->answer = ANSWER_UNKNOWN;
        result->reason = g_strdup("the run of the reduced net is too long to lift");
    }
    steps_clear(&steps);
}

static bool names_known(const EngineOptions *options, Result *result)
{
    Relation relation;
    Order order;
    if (options->relation && !relation_parse(options->relation, &relation))
        result->reason = g_strdup_printf("there is no relation '%s'", options->relation);
    else if (options->order && !order_parse(options->order, &order))
        result->reason = g_strdup_printf("there is no order '%s'", options->order);
    return !result->reason;
}

void engine_unfold(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    if (netlts_initial_width(query->net) > 1) {
        result->reason = g_strdup("this engine wants a safe net; the initial marking is not");
        return;
    }
    if (!names_known(options, result)) return;
    if (options->reduced) {
        search(query, options, UINT64_MAX / STAGE_FACTOR, NULL, budget, result);
        return;
    }
    Budget first = budget_part(budget, FIRST_SHARE, 0, NULL);
    /* A complete prefix is no answer either when its proof takes longer than that. */
    bool over = search(query, options, FIRST_STAGE, NULL, &first, result), owed = false;
    if (result->answer != ANSWER_UNKNOWN || (over && !budget_look(&first))) return;
    g_clear_pointer(&result->reason, g_free);
    search_reduced(query, options, &owed, budget, result);
    if (owed) engine_prove_again(query, options, budget, result);
}
