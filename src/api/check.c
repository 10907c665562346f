#include "api/answer.h"

#include "api/words.h"
#include "base/error.h"
#include "certify/certificate.h"

#include <string.h>

#define OPTIONS "engine relation order seed final certificate certificate-file repeats"

/* ---- properties by their word ---- */

typedef enum { ARGUMENT_NONE, ARGUMENT_NEEDED, ARGUMENT_ERRORS, ARGUMENT_RACES } Argument;

static const struct {
    const char *word;
    QuestionKind kind;
    Argument argument;
} words[] = {
    {"deadlock", QUESTION_DEADLOCK, ARGUMENT_NONE},
    {"reach", QUESTION_REACH, ARGUMENT_NEEDED},
    {"invariant", QUESTION_INVARIANT, ARGUMENT_NEEDED},
    {"fireable", QUESTION_FIREABLE, ARGUMENT_NEEDED},
    {"safe", QUESTION_SAFE, ARGUMENT_NONE},
    {"assertions", QUESTION_INVARIANT, ARGUMENT_ERRORS},
    {"race", QUESTION_INVARIANT, ARGUMENT_RACES},
};

static bool fits(const mz_net *net, const char *word, Argument argument, const char *given, GError **error)
{
    if ((argument == ARGUMENT_NEEDED) == (given != NULL)) {
        if (argument < ARGUMENT_ERRORS || net->read->is_program) return true;
        error_at(error, ERROR_USAGE, word, 0, 0, "asks about programs, but this is a net");
    } else {
        error_at(error, ERROR_USAGE, word, 0, 0,
                 argument == ARGUMENT_NEEDED ? "is followed by what it asks about" : "stands alone");
    }
    return false;
}

/* What a program is asked beyond questions about its net: that some expression never holds. */
static char *never(const char *bad)
{
    return bad ? g_strdup_printf("!(%s)", bad) : g_strdup("true");
}

static bool make_question(Question *question, const mz_net *net, size_t i, const char *given,
                          const char *const *options, GError **error)
{
    g_autofree char *expression = NULL;
    Argument argument = words[i].argument;
    const char *final = words_value(options, "final");
    if (!fits(net, words[i].word, argument, given, error)) return false;
    if (final && words[i].kind != QUESTION_DEADLOCK) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "final belongs to deadlock and sound");
        return false;
    }
    if (argument >= ARGUMENT_ERRORS)
        expression = never(argument == ARGUMENT_ERRORS ? net->read->errors : net->read->races);
    return question_init(question, api_net_inside(net), words[i].kind, expression ? expression : given, final, error);
}

/* ---- asking ---- */

static mz_answer *ask(const mz_net *net, const char *property, const Question *question, const char *const *options,
                      mz_limits *limits, GError **error)
{
    AskOptions asked;
    ProofFile file;
    ProofMemory memory;
    Finding finding = {0};
    Call call;
    if (!api_answer_options(options, limits, &asked, error)) return NULL;
    asked.engine.repeats = words_value(options, "repeats") != NULL;
    const ProofFile *proof = api_answer_proof(options, &file, &memory);
    if (proof && asked.engines && !engine_find(asked.engines)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                    "a list of engines (%s) writes no certificates; name one, or none", asked.engines);
        api_answer_keep_proof(NULL, &memory);
        return NULL;
    }
    Budget *budget = api_limits_begin(limits, &call);
    ask_question(question, &asked, proof, budget, &finding);
    mz_answer *answer = NULL;
    if (finding.result.refuted) {
        g_set_error(error, MAZURKA_ERROR, (int)MZ_ERROR_INTERNAL, "%s", finding.result.reason);
    } else {
        answer = api_answer_new(net, property);
        answer->verdict = (mz_verdict)finding.verdict;
        answer->unwritten = g_steal_pointer(&finding.unwritten);
        api_answer_take(answer, &finding.result);
    }
    api_answer_keep_proof(answer, &memory);
    ask_finding_clear(&finding);
    return answer;
}

static mz_answer *unknown_word(const char *word, GError **error)
{
    GString *list = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) g_string_append_printf(list, "%s, ", words[i].word);
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                "there is no property '%s'; it begins with %shome, reversible, live or sound",
                error_excerpt(word, SIZE_MAX).text, list->str);
    g_string_free(list, TRUE);
    return NULL;
}

static mz_answer *check(const mz_net *net, const char *property, const char *const *options, mz_limits *limits,
                        GError **error)
{
    size_t length = strcspn(property, " \t\n");
    g_autofree char *word = g_strndup(property, length);
    const char *argument = property[length] ? property + length + 1 : NULL; /* as it is, to the last blank */
    if (!words_check(options, OPTIONS, error)) return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        Question question;
        if (strcmp(words[i].word, word) != 0) continue;
        if (!make_question(&question, net, i, argument, options, error)) return NULL;
        mz_answer *answer =
            ask(net, words[i].argument >= ARGUMENT_ERRORS ? word : question.text, &question, options, limits, error);
        question_clear(&question);
        return answer;
    }
    bool mine;
    mz_answer *answer = api_answer_always(net, word, argument, options, limits, &mine, error);
    return mine ? answer : unknown_word(word, error);
}

mz_answer *mz_check(const mz_net *net, const char *property, const char *const *options, mz_limits *limits,
                    mz_error **error)
{
    assert(IS_HANDLE(net, NET) && property);
    GError *failed = NULL;
    mz_answer *answer = check(net, property, options, limits, &failed);
    return answer ? answer : api_error_hand(failed, error);
}

/* ---- certificates ---- */

bool mz_verify(const mz_net *net, const void *certificate, size_t size, mz_limits *limits, char **claim,
               mz_error **error)
{
    assert(IS_HANDLE(net, NET) && (certificate || !size));
    Call call;
    Certificate read;
    GError *failed = NULL;
    g_autofree char *problem = NULL;
    if (claim) *claim = NULL;
    Budget *budget = api_limits_begin(limits, &call);
    if (!certificate_read_bytes(&read, api_net_inside(net), size ? certificate : "", size, "certificate", &failed))
        return api_error_hand(failed, error) != NULL;
    bool proved = certificate_check(&read, api_net_inside(net), budget, &problem);
    if (proved && claim) *claim = certificate_claim(&read, api_net_inside(net));
    if (!proved) api_error_say(error, budget_ended(budget) ? MZ_ERROR_SPENT : MZ_ERROR_INPUT, "%s", problem);
    certificate_clear(&read);
    return proved;
}
