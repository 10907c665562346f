#include "verify/result.h"

void result_clear(Result *result)
{
    g_free(result->reason);
    vec_free(&result->witness);
    *result = (Result){0};
}

void result_stopped(Result *result, const Budget *budget)
{
    g_free(result->reason);
    result->answer = ANSWER_UNKNOWN;
    result->reason = g_strdup(budget_text(budget));
}

const char *result_answer_text(Answer answer)
{
    static const char *const texts[] = {"unknown", "reachable", "unreachable"};
    return texts[answer];
}
