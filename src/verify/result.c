#include "verify/result.h"

#include <assert.h>

void result_clear(Result *result)
{
    g_free(result->reason);
    vec_free(&result->witness);
    vec_free(&result->times);
    *result = (Result){0};
}

void result_stopped(Result *result, const Budget *budget)
{
    g_free(result->reason);
    result->answer = ANSWER_UNKNOWN;
    result->reason = g_strdup(budget_text(budget));
}

void result_searched(Result *result, const Explicit *search, Ending end)
{
    assert(end != ENDING_COMPLETE);
    if (end == ENDING_GOAL) {
        result->answer = ANSWER_REACHABLE;
        explicit_path(search, search->found, &result->witness);
    } else if (end == ENDING_UNBOUNDED) {
        result->reason = g_strdup_printf("the net is unbounded: %s grows for ever",
                                         net_place_id(search->net, search->unbounded.place));
    } else {
        result->reason = g_strdup(ending_text(end));
    }
}

const char *result_answer_text(Answer answer)
{
    static const char *const texts[] = {"unknown", "reachable", "unreachable"};
    return texts[answer];
}
