/* What a job asks of its net: an examination of the Model Checking Contest, or how large its unfolding is under one
 * independence relation. questions.def lists them. */
#pragma once
#include "lts/indep.h"

#include <stdbool.h>

typedef enum {
#define EXAMINATION(constant, name, asks) QUESTION_##constant,
#define PREFIX(constant, name, relation) QUESTION_##constant,
#include "batch/questions.def"
#undef EXAMINATION
#undef PREFIX
    N_QUESTIONS,
    N_EXAMINATIONS = QUESTION_PREFIX_CLASSIC, /* they come first */
} Question;

const char *question_name(Question question);
/* Only examinations are asked for by name. */
bool question_find_examination(const char *name, Question *question);
/* "ReachabilityDeadlock, ReachabilityCardinality": for messages. Owned by the caller. */
char *question_examinations(void);
/* Does it stand in a file beside the net? */
bool question_needs_file(Question question);
/* False for examinations. */
bool question_relation(Question question, Relation *relation);
