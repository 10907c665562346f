#include "verify/ask.h"

#include "verify/witness.h"

#include <string.h>

static void refute(const Query *query, Result *result)
{
    if (result->answer != ANSWER_REACHABLE || witness_shows(query, result)) return;
    const char *engine = result->engine;
    result_clear(result);
    result->engine = engine;
    result->refuted = true;
    result->reason = g_strdup_printf("internal error: the witness of engine %s does not replay", engine);
}

static void tell_settled(const AskOptions *options, size_t i, Result *result, double share)
{
    if (options->settled) options->settled(i, result, share, options->data);
}

void ask_engine(const Engine *engine, const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n,
                const AskOptions *options, Budget *budget, Result *results)
{
    for (size_t i = 0; i < n; i++) {
        Query one = {net, formulas, goals[i]};
        double part = 1.0 / (double)(n - i);
        Budget share = budget_part(budget, part, 0, NULL), *own = n > 1 ? &share : budget;
        if (budget_look(budget))
            result_stopped(&results[i], budget);
        else
            engine_run(engine, &one, &options->engine, own, &results[i]);
        refute(&one, &results[i]);
        if (options->answered && results[i].answer != ANSWER_UNKNOWN) options->answered(i, &results[i], options->data);
        tell_settled(options, i, &results[i], part);
    }
}

static void ask_portfolio(const char *only, const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n,
                          const AskOptions *options, Budget *budget, Result *results)
{
    PortfolioOptions portfolio = {.engine = options->engine,
                                  .only = only,
                                  .certified = options->engine.certificate != NULL,
                                  .answered = options->answered,
                                  .data = options->data};
    double start = budget_now();
    portfolio_run(net, formulas, goals, n, &portfolio, budget, results);
    if (n == 1) engine_say_end(&options->engine, only ? only : "auto", &results[0], budget_now() - start);
    size_t proofs = 0;
    for (size_t i = 0; i < n; i++) proofs += results[i].answer == ANSWER_UNREACHABLE;
    for (size_t i = 0; i < n; i++) {
        double share = 1.0 / (double)MAX(proofs, 1);
        proofs -= results[i].answer == ANSWER_UNREACHABLE;
        tell_settled(options, i, &results[i], share);
    }
}

void ask_goals(const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n, const AskOptions *options,
               Budget *budget, Result *results)
{
    const char *engines = options->engines ? options->engines : "auto";
    const Engine *engine = engine_find(engines);
    if (engine && strcmp(engines, "auto") != 0)
        ask_engine(engine, net, formulas, goals, n, options, budget, results);
    else
        ask_portfolio(engine ? NULL : engines, net, formulas, goals, n, options, budget, results);
}

void ask_question(const Question *question, const AskOptions *options, const ProofFile *certificate, Budget *budget,
                  Finding *finding)
{
    const Query *query = &question->query;
    ProofFile proof = certificate ? *certificate : (ProofFile){0};
    proof.unwritten = &finding->unwritten;
    AskOptions asked = *options;
    asked.engine.certificate = certificate ? &proof : NULL;
    ask_goals(query->net, query->formulas, &query->goal, 1, &asked, budget, &finding->result);
    if (finding->result.answer == ANSWER_REACHABLE && !finding->result.times.len)
        witness_shorten(query, &finding->result.witness, budget);
    finding->verdict = question_verdict(question, finding->result.answer);
}

void ask_finding_clear(Finding *finding)
{
    result_clear(&finding->result);
    g_free(finding->unwritten);
    *finding = (Finding){0};
}
