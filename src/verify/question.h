/* A question as users ask it, made into the reachability query that engines answer, and the verdict that an
 * answer means for it. */
#pragma once
#include "verify/engine.h"

typedef enum {
    QUESTION_DEADLOCK,  /* holds: no marking is dead (but for accepted final ones) */
    QUESTION_REACH,     /* holds: a marking that satisfies the expression is reachable */
    QUESTION_INVARIANT, /* holds: every reachable marking satisfies it */
    QUESTION_FIREABLE,  /* holds: some run fires the transition */
    QUESTION_SAFE,      /* holds: no place ever has two tokens */
} QuestionKind;

typedef enum { VERDICT_UNKNOWN, VERDICT_HOLDS, VERDICT_VIOLATED } Verdict;

typedef struct Question {
    QuestionKind kind;
    char *text; /* "deadlock", "reach EXPR", ...: as asked */
    FormulaStore *formulas;
    Query query; /* of that store */
} Question;

/* `argument` is the expression or the transition's id; NULL for the other kinds. `final` (may be NULL) names
 * accepted final markings beside those of the net; it matters to QUESTION_DEADLOCK only. */
bool question_init(Question *question, const Net *net, QuestionKind kind, const char *argument, const char *final,
                   GError **error);
void question_clear(Question *question);

/* The ends that are no deadlocks: final markings of the net, and those that `final` (may be NULL) names. */
bool question_accepted(FormulaStore *formulas, const char *final, FormulaId *accepted, GError **error);

Verdict question_verdict(const Question *question, Answer answer);
/* "holds", "violated", "unknown". */
const char *question_verdict_text(Verdict verdict);
