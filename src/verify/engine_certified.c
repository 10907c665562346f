#include "reduce/reduce.h"
#include "verify/exclusion.h"
#include "verify/prove.h"
#include "verify/witness.h"

/* A violation is its own evidence, so a short walk comes first; then the engines that can write a proof. Each works on
 * the net that reductions leave, and the proof says what they were. */
typedef struct Stage {
    const char *engine; /* NULL: exclusion_prove() */
    bool safe;          /* on the reduction that keeps safe nets safe */
    double most;        /* seconds; 0: no more than its part */
    double part;        /* of the time left */
} Stage;

static const Stage stages[] = {
    {"walk", false, 0.5, 1},   {"equation", false, 30, 0.25}, {"explicit", false, 1, 0.1}, /* small nets: what follows
                                                                                              need not even begin */
    {NULL, true, 5, 0.1},      {"stubborn", false, 0, 0.15},  {"unfold", true, 0, 0.33},   {"pdr", true, 0, 0.5},
    {"explicit", false, 0, 1},
};

/* Reducing is linear in practice; the rest of a limit belongs to the engines. */
#define REDUCE_PART 0.2
#define REDUCE_SECONDS 20.0

typedef struct Reduced {
    NetSteps steps;
    Reduction *reduction; /* NULL: as given */
    bool tried;
} Reduced;

static void reduce(Reduced *r, const Query *query, bool safe, const EngineOptions *options, Budget *budget)
{
    if (r->tried) return;
    r->tried = true;
    Budget share = budget_part(budget, REDUCE_PART, REDUCE_SECONDS, NULL);
    double start = budget_now();
    ReduceOptions wanted = {.safe = safe, .steps = &r->steps};
    r->reduction = reduce_new(query->net, query->formulas, &query->goal, 1, &wanted, &share);
    if (!r->steps.list.len) g_clear_pointer(&r->reduction, reduction_free);
    if (!r->reduction || !options->log) return;
    g_autofree char *line =
        g_strdup_printf("reduced to %u places, %u transitions by %zu steps in %.2f s", r->reduction->net->n_places,
                        r->reduction->net->n_transitions, r->steps.list.len, budget_now() - start);
    options->log(line, options->log_data);
}

/* The reduced goal may say it all. */
static bool settled(const Query *reduced, const EngineOptions *options, Budget *budget, Result *result)
{
    if (reduced->goal > FORMULA_ID_TRUE) return false;
    g_autoptr(GError) error = NULL;
    result->engine = "reduce";
    result->answer = reduced->goal == FORMULA_ID_TRUE ? ANSWER_REACHABLE : ANSWER_UNREACHABLE;
    if (result->answer == ANSWER_REACHABLE || !options->certificate) return true;
    if (prove_by_nothing(reduced, options->certificate, budget, &error)) {
        result->reason = g_strdup("the goal is constantly false on the reduced net");
        return true;
    }
    result_clear(result);
    return false;
}

/* A run of the reduced net becomes one of the net as given, or no answer. */
static void lift(const Reduced *r, const Query *query, Budget *budget, Result *result)
{
    if (result->answer != ANSWER_REACHABLE || !r->reduction) return;
    if (reduction_lift(r->reduction, true, budget, &result->witness) &&
        witness_replays(query, result->witness.data, result->witness.len))
        return;
    result->answer = ANSWER_UNKNOWN;
    g_free(result->reason);
    result->reason = g_strdup("the witness of the reduced net is too long");
}

static void run_stage(const Stage *stage, Reduced *r, const Query *query, const EngineOptions *options, Budget *budget,
                      Result *result)
{
    reduce(r, query, stage->safe, options, budget);
    Query about = *query;
    ProofFile file = {0};
    EngineOptions inner = *options;
    if (r->reduction) {
        about = (Query){r->reduction->net, r->reduction->formulas, r->reduction->goals[0]};
        if (options->certificate) {
            file = (ProofFile){options->certificate->path, query, &r->steps, options->certificate->unwritten};
            inner.certificate = &file;
        }
    }
    Budget share = budget_part(budget, stage->part, stage->most, NULL);
    if (!settled(&about, &inner, &share, result))
        (stage->engine ? engine_find(stage->engine)->run : exclusion_prove)(&about, &inner, &share, result);
    lift(r, query, budget, result);
    if (!options->log) return;
    static const char *const said[] = {"unknown", "reachable", "unreachable"};
    g_autofree char *line = g_strdup_printf("%s: %s%s%s", result->engine, said[result->answer],
                                            result->reason ? ": " : "", result->reason ? result->reason : "");
    options->log(line, options->log_data);
}

void engine_certified(const Query *query, const EngineOptions *options, Budget *budget, Result *result)
{
    Reduced reduced[2] = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(stages); i++) {
        result_clear(result);
        run_stage(&stages[i], &reduced[stages[i].safe], query, options, budget, result);
        if (result->answer != ANSWER_UNKNOWN || budget_look(budget)) break;
    }
    for (int k = 0; k < 2; k++) {
        reduction_free(reduced[k].reduction);
        steps_clear(&reduced[k].steps);
    }
}
