/* tree PROGRAM [NAME=VALUE...]: the tree of reverse search of a program (relation classic), one line per trace in the
 * order of visits: the line of its parent (from 0; the root has itself), the length of the run that tells it, and the
 * events that were pushed to come there. */
#include "explore/reverse.h"
#include "program/compile.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Walk {
    Reverse search;
    Outcome outcome;
    DporStats stats;
    Backlog waiting, children;
    VecU32 parents; /* of those that wait */
    VecU32 run;
} Walk;

static bool walk(Walk *x)
{
    backlog_push(&x->waiting, NULL, 0);
    vec_push(&x->parents, 0);
    for (uint32_t line = 0; backlog_len(&x->waiting); line++) {
        uint64_t before = x->outcome.stats.nodes;
        backlog_take_newest(&x->waiting, &x->run);
        uint32_t parent = vec_pop(&x->parents);
        backlog_empty(&x->children);
        if (!reverse_visit(&x->search, x->run.data, x->run.len, &x->children)) return false;
        printf("%u %zu %" G_GUINT64_FORMAT "\n", parent, x->run.len, x->outcome.stats.nodes - before);
        backlog_append(&x->waiting, &x->children);
        for (size_t i = 0; i < backlog_len(&x->children); i++) vec_push(&x->parents, line);
    }
    return true;
}

int main(int argc, char **argv)
{
    char *text;
    gsize len;
    GError *error = NULL;
    if (argc < 2 || !g_file_get_contents(argv[1], &text, &len, &error)) return EXIT_FAILURE;
    Compiled *program = compile_program(text, len, argv[1], argv + 2, &error);
    if (!program) {
        fprintf(stderr, "%s\n", error->message);
        return EXIT_FAILURE;
    }
    Indep *indep = indep_new(program->net, RELATION_CLASSIC);
    NetLts *lts = netlts_new(program->net, netlts_initial_width(program->net));
    Budget budget = budget_unlimited();
    DporOptions options = {.algorithm = ALGORITHM_REVERSE};
    Walk x = {0};
    outcome_init(&x.outcome, &lts->lts, &budget);
    bool done = reverse_init(&x.search, &x.outcome, &x.stats, &lts->lts, lts, indep, &options) && walk(&x);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
