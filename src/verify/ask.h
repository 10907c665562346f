/* Asking, in one place for whoever asks: commands, contest runs, programs that have the library inside. A question goes
 * in; out come the verdict, the engine that found it, why there is none, a run that leads there, a proof on file, and
 * figures.
 *
 * No engine is believed: a run is fired again on the net as given before anybody hears of it, and one that does not
 * replay is no answer (Result.refuted). Nothing is printed, nothing ends the process and nothing is kept between calls:
 * several threads may ask at once, each with formulas and a budget of its own, and the budget's flag cancels. */
#pragma once
#include "verify/portfolio.h"
#include "verify/question.h"

typedef struct AskOptions {
    EngineOptions engine; /* seed, threads, relation, order, certificate, log */
    /* NULL: the portfolio, or what can write a certificate when one is wanted; an engine's name: that one alone;
     * several joined by commas: the portfolio of just those. engine_known() has been asked about it. */
    const char *engines;
    /* Told of each goal as soon as it is answered, never provisionally; calls do not overlap, but other threads may
     * still work on the formulas. May be NULL. */
    void (*answered)(size_t goal, const Result *result, void *data);
    /* Told of each goal once, answered or not, in order, when no other thread works on the formulas: for what takes
     * time. `share` is its part of the time left. May be NULL. */
    void (*settled)(size_t goal, Result *result, double share, void *data);
    void *data;
} AskOptions;

/* Is a marking that satisfies the goal reachable, for each of n goals? Fills n zeroed Results. */
void ask_goals(const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n, const AskOptions *options,
               Budget *budget, Result *results);

/* The same by one engine, whoever has it: goal by goal, each with an equal share of the time left, for its evidence
 * too.
 */
void ask_engine(const Engine *engine, const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n,
                const AskOptions *options, Budget *budget, Result *results);

typedef struct Finding {
    Verdict verdict;
    Result result;   /* its witness as short as the budget allowed */
    char *unwritten; /* why a proof that checks is not where it should be; owned, else NULL */
} Finding;

/* Asks a question of a user; a proof goes to `certificate` (its path or memory) unless that is NULL. Fills a zeroed
 * Finding. */
void ask_question(const Question *question, const AskOptions *options, const ProofFile *certificate, Budget *budget,
                  Finding *finding);
void ask_finding_clear(Finding *finding);
