#include "verify/accepted_ends.h"

#include "verify/question.h"

bool accepted_ends_init(AcceptedEnds *ends, const Net *net, GError **error)
{
    *ends = (AcceptedEnds){.formulas = formula_store_new(net)};
    if (!question_accepted(ends->formulas, NULL, &ends->accepted, error)) {
        accepted_ends_clear(ends);
        return false;
    }
    ends->lts = netlts_new(net, 64);
    ends->state = g_new(uint64_t, MAX(ends->lts->lts.state_words, 1));
    return true;
}

void accepted_ends_clear(AcceptedEnds *ends)
{
    netlts_free(ends->lts);
    formula_store_free(ends->formulas);
    g_free(ends->state);
    *ends = (AcceptedEnds){0};
}

bool accepted_ends_has(const AcceptedEnds *ends, const uint64_t *marking)
{
    return netlts_pack(ends->lts, marking, ends->state) &&
           formula_holds(ends->formulas, ends->accepted, ends->lts, ends->state);
}
