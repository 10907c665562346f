/* The goals of a portfolio, which several threads work on: who is answered, and the smaller nets that keep each goal,
 * made when first wanted. What an engine says of a smaller net comes back through portfolio_goals_lift() and
 * portfolio_goals_deliver(), which replays it on the net as given: a wrong reduction or engine shows as "no witness",
 * never as a wrong answer. */
#pragma once
#include "reduce/reduce.h"
#include "verify/portfolio.h"

#include <stdatomic.h>

typedef struct Reduced {
    Reduction *reduction; /* NULL: the net cannot be reduced, or need not be */
    NetSteps steps;       /* when proofs are wanted */
    bool tried;
    bool unliftable; /* a witness of it was too long for the net as given: engines work on that from now on */
} Reduced;

/* A reduction that keeps all goals which were open when it was made. */
typedef struct Joint {
    Reduction *reduction; /* or NULL */
    bool safe;
    size_t open;    /* goals then */
    double seconds; /* that it took */
    bool whole;     /* it was not cut short */
} Joint;

typedef struct Target {
    FormulaId goal;
    atomic_bool answered; /* set under the lock of the goals */
    StopFlag stop;        /* for whatever works on it */
    Reduced reduced[2];   /* plain, safe */
    GMutex mutex;         /* of the reductions */
} Target;

typedef struct Goals {
    const Net *net;
    FormulaStore *formulas;
    const PortfolioOptions *options;
    Budget *budget;
    Result *results;
    size_t n;
    atomic_size_t open;
    Target *targets;
    GPtrArray *joints; /* of Joint, the newest last */
    NetLts *plain;     /* a marking of plain counts is a state of this one */
    GMutex mutex;
} Goals;

void portfolio_goals_init(Goals *goals, const Net *net, FormulaStore *formulas, const FormulaId *list, size_t n,
                          const PortfolioOptions *options, Budget *budget, Result *results);
void portfolio_goals_clear(Goals *goals);

/* Takes the result over when it is the first sound answer; other goals that hold along its run are answered too. */
void portfolio_goals_deliver(Goals *goals, size_t i, Result *result);
/* An answer without a run, or with an empty one. */
void portfolio_goals_answer(Goals *goals, size_t i, Answer answer, const char *engine, const char *reason);
/* The goal is unreachable, also where the net is only a part of the one that is asked about (NetColours.partial): of
 * such nets the two above take nothing but runs, to goals that do not ask what is not enabled. */
void portfolio_goals_rule_out(Goals *goals, size_t i, const char *engine, const char *reason);

/* Goal i on its reduction, or on the net as given: *reduction is NULL then. */
Query portfolio_goals_reduced(Goals *goals, size_t i, bool safe, const Reduction **reduction);
/* One that keeps all open goals; it is made again only when that is likely to pay. Belongs to the goals; NULL: the net
 * as given. Its goals are by number, those that were answered before are false. */
const Reduction *portfolio_goals_joint(Goals *goals, bool safe, Budget *budget);
/* Where a proof about that query goes; false when none is wanted. */
bool portfolio_goals_proof(const Goals *goals, size_t i, bool safe, const Reduction *reduction, const Query *original,
                           ProofFile *file);
/* Makes the run of the reduction one of the net as given; false: it would be too long. */
bool portfolio_goals_lift(const Goals *goals, const Reduction *reduction, Result *result);
/* The same for goal i alone: a run that is too long is no answer, and the reduction has been of no use. */
void portfolio_goals_lift_own(Goals *goals, size_t i, bool safe, const Reduction *reduction, Result *result);
