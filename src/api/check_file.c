#include "api/answer.h"

#include "api/words.h"
#include "base/error.h"
#include "certify/certificate.h"
#include "verify/ask_properties.h"

#define OPTIONS "engine relation order seed witnesses certificates"

typedef struct Asking {
    mz_answer *whole;
    mz_answer_function *told;
    void *data;
} Asking;

static void lost(size_t i, EvidenceKind kind, const GError *error, void *data)
{
    (void)kind;
    mz_answer *part = ((Asking *)data)->whole->parts.data[i];
    char *before = part->unwritten;
    part->unwritten = before ? g_strdup_printf("%s\n%s", before, error->message) : g_strdup(error->message);
    g_free(before);
}

static void take_result(mz_answer *part, const Result *result)
{
    Result copy = *result;
    copy.reason = g_strdup(result->reason);
    copy.witness = (VecU32){0};
    vec_append(&copy.witness, result->witness.data, result->witness.len);
    api_answer_take(part, &copy);
    vec_free(&copy.witness);
}

static void finished(size_t i, const AskedProperty *asked, void *data)
{
    const Asking *a = data;
    mz_answer *part = a->whole->parts.data[i];
    char digits[TOTAL_DIGITS];
    part->verdict = (mz_verdict)asked->verdict;
    if (asked->result)
        take_result(part, asked->result);
    else {
        part->engine = g_strdup(asked->engine);
        part->reason = g_strdup(asked->reason);
        part->evidence = asked->proof_due ? MZ_EVIDENCE_PROOF : MZ_EVIDENCE_NONE;
    }
    if (asked->bound && asked->bound->known)
        part->bound = g_strdup(asked->bound->infinite ? "+inf" : exact_text(asked->bound->value, digits));
    part->run_file = g_strdup(asked->run_file);
    part->certificate_file = g_strdup(asked->proof_file);
    if (a->told) a->told(part, a->data);
}

static mz_kind kind_of(const Property *p)
{
    switch (p->kind) {
    case PROPERTY_EXISTS:
    case PROPERTY_ALWAYS: return MZ_KIND_QUESTION;
    case PROPERTY_BOUND: return MZ_KIND_BOUND;
    case PROPERTY_UNSUPPORTED: return MZ_KIND_UNSUPPORTED;
    case PROPERTY_FAULTY: break;
    }
    return MZ_KIND_FAULTY;
}

static mz_verdict worst(const mz_answer *whole)
{
    mz_verdict verdict = MZ_HOLDS;
    for (size_t i = 0; i < whole->parts.len; i++) {
        mz_verdict one = whole->parts.data[i]->verdict;
        if (one == MZ_VIOLATED || verdict == MZ_HOLDS) verdict = one;
    }
    return verdict;
}

/* Certificates of an earlier run must not be taken for this one's. */
static void forget_proofs(const PropertySet *set, const char *folder)
{
    for (size_t i = 0; i < set->properties.len; i++) {
        g_autofree char *name = evidence_name(set->properties.data[i].id, 0, EVIDENCE_PROOF_ENDING);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        certificate_forget(path);
    }
}

static mz_answer *check(const mz_net *net, const char *path, const char *const *options, mz_limits *limits,
                        Asking *asking, GError **error)
{
    AskProperties asked = {.net = api_net_inside(net),
                           .kinds = ASK_ALL,
                           .runs_shown = true,
                           .evidence = {words_value(options, "witnesses"), words_value(options, "certificates"), 0},
                           .finished = finished,
                           .lost = lost,
                           .data = asking};
    Call call;
    if (!words_check(options, OPTIONS, error) || !api_answer_options(options, limits, &asked.options, error))
        return NULL;
    Budget *budget = api_limits_begin(limits, &call);
    g_autoptr(FormulaStore) formulas = formula_store_new(asked.net);
    g_autoptr(PropertySet) set = property_read_file(formulas, path, budget, error);
    if (!set) return NULL;
    asked.formulas = formulas;
    asked.set = set;
    asking->whole = api_answer_new(net, path);
    for (size_t i = 0; i < set->properties.len; i++)
        api_answer_add_part(asking->whole, set->properties.data[i].id)->kind = kind_of(&set->properties.data[i]);
    if (asked.evidence.certificates) forget_proofs(set, asked.evidence.certificates);
    ask_properties(&asked, budget);
    asking->whole->verdict = worst(asking->whole);
    return asking->whole;
}

mz_answer *mz_check_file(const mz_net *net, const char *path, const char *const *options, mz_limits *limits,
                         mz_answer_function *told, void *data, mz_error **error)
{
    assert(IS_HANDLE(net, NET) && path);
    GError *failed = NULL;
    Asking asking = {.told = told, .data = data};
    mz_answer *answer = check(net, path, options, limits, &asking, &failed);
    return answer ? answer : api_error_hand(failed, error);
}
