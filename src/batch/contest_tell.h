/* What the parts of a contest run share: the net and its formulas, and how to tell what was found, with evidence where
 * that is wanted. Nothing of a query is told before contest_tell_query(). */
#pragma once
#include "batch/contest.h"
#include "prop/property.h"
#include "verify/engine.h"

typedef struct Contest {
    const ContestRun *run;
    Budget *budget;
    Net *net;
    FormulaStore *formulas;
    uint32_t n_queries; /* announced */
    struct ContestColours *colours;
    bool again; /* nothing was asked: it must be, of the net with all its colours */
} Contest;

typedef struct ContestQuery {
    uint32_t number;
    const char *id;
} ContestQuery;

/* id: of a property; NULL for other kinds, which have one of their own. It must outlive the query. */
ContestQuery contest_tell_query(Contest *contest, QueryKind kind, const char *id);
void contest_tell_answer(const Contest *contest, ContestQuery query, Said verdict, Total value, const char *engine);
/* A number of any length, in decimal digits. */
void contest_tell_digits(const Contest *contest, ContestQuery query, const char *digits, const char *engine);
/* Why there is no answer; NULL: "undecided". */
void contest_tell_reason(const Contest *contest, ContestQuery query, const char *reason);
/* Why the property is not asked: its own reason, or else this one. */
void contest_tell_not_asked(const Contest *contest, ContestQuery query, const Property *property,
                            const char *otherwise);
/* Why there is none at all. */
void contest_tell_refusal(const Contest *contest, Refusal refusal, const char *reason);

EngineOptions contest_tell_engine_options(const Contest *contest);

/* A file of evidence for the query was written, or could not be. */
void contest_tell_kept(const Contest *contest, ContestQuery query, EvidenceKind kind);
void contest_tell_lost(const Contest *contest, ContestQuery query, EvidenceKind kind, const GError *error);
/* For answers that came without any: looks for a run to the goal, or for a proof that there is none, where the batch
 * wants such evidence. */
void contest_tell_evidence(const Contest *contest, ContestQuery query, FormulaId goal, bool reachable);
