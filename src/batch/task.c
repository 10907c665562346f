#include "batch/task.h"

#include <glib.h>
#include <string.h>

typedef enum { ASKS_NET, ASKS_FILE, ASKS_WORKFLOW, ASKS_PREFIX } Asks;

static const struct {
    const char *name;
    Asks asks;
} table[N_TASKS] = {
#define EXAMINATION(constant, name, asks) {name, ASKS_##asks},
#include "batch/tasks.def"
#undef EXAMINATION
#define RELATION(constant, name, traits, help) {"unfold/" name, ASKS_PREFIX},
#include "lts/relations.def"
#undef RELATION
};

const char *task_name(Task task)
{
    g_assert(task < N_TASKS);
    return table[task].name;
}

bool task_find_examination(const char *name, Task *task)
{
    for (*task = 0; *task < N_EXAMINATIONS; (*task)++)
        if (strcmp(table[*task].name, name) == 0) return true;
    return false;
}

char *task_examinations(void)
{
    GString *all = g_string_new(NULL);
    for (Task q = 0; q < N_EXAMINATIONS; q++) g_string_append_printf(all, "%s%s", q ? ", " : "", table[q].name);
    return g_string_free(all, FALSE);
}

bool task_needs_file(Task task)
{
    return table[task].asks == ASKS_FILE;
}

bool task_is_usual(Task task)
{
    return table[task].asks == ASKS_NET || table[task].asks == ASKS_FILE;
}

bool task_relation(Task task, Relation *relation)
{
    *relation = task < N_EXAMINATIONS ? 0 : (Relation)(task - N_EXAMINATIONS);
    return task >= N_EXAMINATIONS;
}
