#include "api/answer.h"

#include "api/words.h"
#include "base/error.h"

mz_answer *api_answer_new(const mz_net *net, const char *property)
{
    mz_answer *answer = g_new0(mz_answer, 1);
    answer->handle = HANDLE_ANSWER;
    answer->net = api_net_keep(net);
    answer->property = g_strdup(property);
    return answer;
}

mz_answer *api_answer_add_part(mz_answer *whole, const char *property)
{
    mz_answer *part = api_answer_new(whole->net, property);
    vec_push(&whole->parts, part);
    return part;
}

void mz_answer_free(mz_answer *answer)
{
    if (!answer) return;
    END_HANDLE(answer, ANSWER);
    /* parts have none of their own */
    for (size_t i = 0; i < answer->parts.len; i++) mz_answer_free(answer->parts.data[i]);
    vec_free(&answer->parts);
    vec_free(&answer->run);
    vec_free(&answer->times);
    vec_free(&answer->transitions);
    if (answer->certificate) g_string_free(answer->certificate, TRUE);
    char *texts[] = {answer->property,  answer->engine,   answer->reason,
                     answer->unwritten, answer->run_file, answer->certificate_file,
                     answer->bound,     answer->subject,  answer->tokens_in_marking};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) g_free(texts[i]);
    g_free(answer->start);
    mz_net_free(answer->net);
    g_free(answer);
}

void api_answer_take(mz_answer *answer, Result *result)
{
    char digits[TOTAL_DIGITS];
    static const mz_evidence evidence[] = {MZ_EVIDENCE_NONE, MZ_EVIDENCE_RUN, MZ_EVIDENCE_PROOF};
    answer->evidence = evidence[result->answer];
    answer->engine = g_strdup(result->engine);
    answer->reason = g_steal_pointer(&result->reason);
    answer->markings = result->markings;
    answer->firings = result->firings;
    answer->tokens_in_place = result->max_tokens_in_place;
    answer->tokens_in_marking = g_strdup(exact_text(result->max_tokens_in_marking, digits));
    if (result->answer != ANSWER_REACHABLE) return;
    vec_reserve(&result->witness, 1); /* an array also when nothing is fired */
    answer->run = result->witness;
    answer->times = result->times;
    result->witness = (VecU32){0};
    result->times = (VecU64){0};
}

static bool check_relation(const char *name, GError **error)
{
    Relation relation;
    if (!name) return true;
    if (!words_relation(name, &relation, error)) return false;
    if (relation_has(relation, RELATION_CHECKED)) return true;
    g_autofree char *names = relation_names(RELATION_CHECKED);
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "the engine unfold works under %s, not under '%s'", names, name);
    return false;
}

bool api_answer_options(const char *const *options, mz_limits *limits, AskOptions *ask, GError **error)
{
    Order order;
    const char *seed = "seed";
    *ask = (AskOptions){.engine = {.threads = api_limits_threads(limits),
                                   .relation = words_value(options, "relation"),
                                   .order = words_value(options, "order"),
                                   .log = limits ? limits->log : NULL,
                                   .log_data = limits ? limits->log_data : NULL},
                        .engines = words_value(options, "engine")};
    if (ask->engines && !words_engines(ask->engines, error)) return false;
    if (ask->engine.order && !words_order(ask->engine.order, &order, error)) return false;
    return check_relation(ask->engine.relation, error) &&
           words_number(options, seed, 0, UINT64_MAX, &ask->engine.seed, error);
}

const ProofFile *api_answer_proof(const char *const *options, ProofFile *file, ProofMemory *memory)
{
    *file = (ProofFile){.path = words_value(options, "certificate-file")};
    *memory = (ProofMemory){0};
    g_mutex_init(&memory->mutex);
    if (words_value(options, "certificate")) file->memory = memory;
    return file->path || file->memory ? file : NULL;
}

void api_answer_keep_proof(mz_answer *answer, ProofMemory *memory)
{
    g_mutex_clear(&memory->mutex);
    if (answer && answer->evidence == MZ_EVIDENCE_PROOF)
        answer->certificate = memory->text;
    else if (memory->text)
        g_string_free(memory->text, TRUE);
    memory->text = NULL;
}

/* ---- what callers see ---- */

mz_verdict mz_answer_verdict(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->verdict;
}

const char *mz_answer_property(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->property;
}

const char *mz_answer_engine(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->engine;
}

const char *mz_answer_reason(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->reason;
}

mz_evidence mz_answer_evidence(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->evidence;
}

const uint32_t *mz_answer_run(const mz_answer *answer, size_t *length)
{
    assert(IS_HANDLE(answer, ANSWER));
    if (length) *length = answer->run.len;
    return answer->run.data;
}

const uint64_t *mz_answer_times(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->times.len ? answer->times.data : NULL;
}

const uint64_t *mz_answer_start(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->start ? answer->start : api_net_inside(answer->net)->initial;
}

const void *mz_answer_certificate(const mz_answer *answer, size_t *size)
{
    assert(IS_HANDLE(answer, ANSWER));
    if (size) *size = answer->certificate ? answer->certificate->len : 0;
    return answer->certificate ? answer->certificate->str : NULL;
}

const char *mz_answer_unwritten(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->unwritten;
}

const char *mz_answer_run_file(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->run_file;
}

const char *mz_answer_certificate_file(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->certificate_file;
}

uint64_t mz_answer_markings(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->markings;
}

uint64_t mz_answer_firings(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->firings;
}

uint64_t mz_answer_tokens_in_place(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->tokens_in_place;
}

const char *mz_answer_tokens_in_marking(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->tokens_in_marking ? answer->tokens_in_marking : "0";
}

mz_kind mz_answer_kind(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->kind;
}

const char *mz_answer_bound(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->bound;
}

uint32_t mz_answer_parts(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return (uint32_t)answer->parts.len;
}

const mz_answer *mz_answer_part(const mz_answer *answer, uint32_t i)
{
    assert(IS_HANDLE(answer, ANSWER) && i < answer->parts.len);
    return answer->parts.data[i];
}

const char *mz_answer_subject(const mz_answer *answer)
{
    assert(IS_HANDLE(answer, ANSWER));
    return answer->subject;
}

const uint32_t *mz_answer_transitions(const mz_answer *answer, size_t *count)
{
    assert(IS_HANDLE(answer, ANSWER));
    if (count) *count = answer->transitions.len;
    return answer->transitions.data;
}
