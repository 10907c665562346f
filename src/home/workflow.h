/* A workflow net and where it is finished.
 *
 * A workflow net begins with k tokens on its source, the one place that nothing fills, and is finished where the file's
 * final markings (or --final) say so; otherwise with k tokens on its only sink, the place that nothing empties, and
 * none elsewhere; with several sinks where only sinks have tokens. */
#pragma once
#include "prop/formula.h"

typedef struct Workflow {
    Net net;                 /* begins with k tokens on the source; borrows the rest from the net it was made of */
    uint64_t *initial;       /* owned */
    FormulaStore *formulas;  /* of that net */
    FormulaId done, covered; /* finished; has at least the tokens of a finished marking */
    FormulaId ended;         /* without final markings: only sinks have tokens, however many; else as done */
    bool several_sinks;
    bool exact; /* finitely many markings are finished */
    /* One token begins on the first and ends, alone, on the second, the only such places; or NET_NONE. */
    uint32_t ends[2];
} Workflow;

/* `final` (may be NULL) names finished markings beside those of the file. An error says why it is no workflow net. */
bool workflow_init(Workflow *workflow, const Net *net, uint64_t k, const char *final, GError **error);
void workflow_clear(Workflow *workflow);
