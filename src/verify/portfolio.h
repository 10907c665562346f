/* Many engines on many goals of one net. Each goal gets its own structural reduction; engines work on the reduced
 * net, witnesses are lifted and replayed on the net as given, so a wrong reduction or engine shows as "no witness",
 * never as a wrong answer.
 *
 * Work is a list of steps (schedule.def): first, in the thread of the caller, what settles nets with few markings; then
 * searches for all goals together, then every goal's first step, then every open goal's second, and so on, done by
 * `threads` workers. The first sound answer of a goal stops whatever else works on it. One goal with two workers
 * therefore runs two engines side by side; many goals run one engine each. With one thread the order of the attempts
 * depends on nothing but the arguments; how far each gets depends on the clock. */
#pragma once
#include "verify/engine.h"

typedef struct PortfolioOptions {
    EngineOptions engine; /* threads 0: as many as the machine has, at most 2 per goal */
    const char *only;     /* comma-separated engines to use, or NULL for all */
    bool certified;       /* the part of the schedule that can write proofs; must be set where engine.certificate is */
    /* Told once per answered goal, as soon as it is known; calls do not overlap. May be NULL. */
    void (*answered)(size_t goal, const Result *result, void *data);
    void *data;
} PortfolioOptions;

/* Fills n zeroed Results. */
void portfolio_run(const Net *net, FormulaStore *formulas, const FormulaId *goals, size_t n,
                   const PortfolioOptions *options, Budget *budget, Result *results);
