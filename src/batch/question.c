#include "batch/question.h"

#include <glib.h>
#include <string.h>

typedef enum { ASKS_NET, ASKS_FILE, ASKS_PREFIX } Asks;

static const struct {
    const char *name;
    Asks asks;
    Relation relation;
} table[N_QUESTIONS] = {
#define EXAMINATION(constant, name, asks) [QUESTION_##constant] = {name, ASKS_##asks, RELATION_NONE},
#define PREFIX(constant, name, relation) [QUESTION_##constant] = {name, ASKS_PREFIX, relation},
#include "batch/questions.def"
#undef EXAMINATION
#undef PREFIX
};

const char *question_name(Question question)
{
    g_assert(question < N_QUESTIONS);
    return table[question].name;
}

bool question_find_examination(const char *name, Question *question)
{
    for (*question = 0; *question < N_EXAMINATIONS; (*question)++)
        if (strcmp(table[*question].name, name) == 0) return true;
    return false;
}

char *question_examinations(void)
{
    GString *all = g_string_new(NULL);
    for (Question q = 0; q < N_EXAMINATIONS; q++) g_string_append_printf(all, "%s%s", q ? ", " : "", table[q].name);
    return g_string_free(all, FALSE);
}

bool question_needs_file(Question question)
{
    return table[question].asks == ASKS_FILE;
}

bool question_relation(Question question, Relation *relation)
{
    *relation = table[question].relation;
    return table[question].asks == ASKS_PREFIX;
}
