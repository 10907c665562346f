/* What a job asks of its net: an examination of the Model Checking Contest, or how large its unfolding is under one
 * independence relation. tasks.def lists the former. */
#pragma once
#include "lts/relation.h"

#include <stdbool.h>

typedef enum {
#define EXAMINATION(constant, name, asks) TASK_##constant,
#include "batch/tasks.def"
#undef EXAMINATION
    N_EXAMINATIONS,
    /* then the relations, in the order of lts/relations.def */
    N_TASKS = N_EXAMINATIONS + N_RELATIONS,
} Task;

const char *task_name(Task task);
/* Only examinations are asked for by name. */
bool task_find_examination(const char *name, Task *task);
/* "ReachabilityDeadlock, ReachabilityCardinality": for messages. Owned by the caller. */
char *task_examinations(void);
/* Does it stand in a file beside the net? */
bool task_needs_file(Task task);
/* Is it an examination that is made when none is named? */
bool task_is_usual(Task task);
/* False for examinations. */
bool task_relation(Task task, Relation *relation);
