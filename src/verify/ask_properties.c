#include "verify/ask_properties.h"

#include "verify/witness.h"

typedef struct Asking {
    const AskProperties *of;
    Budget *budget;
    size_t n_goals, n_bounds;
    FormulaId *goals;
    size_t *property; /* of a goal, then of a bound */
    VecU32 *sums;     /* borrowed */
} Asking;

static const Property *property_at(const Asking *a, size_t i)
{
    return &a->of->set->properties.data[i];
}

static bool is_formula(const Property *p)
{
    return p->kind == PROPERTY_EXISTS || p->kind == PROPERTY_ALWAYS;
}

static bool is_asked(const Asking *a, const Property *p)
{
    return a->of->kinds & (is_formula(p) ? ASK_FORMULAS : p->kind == PROPERTY_BOUND ? ASK_BOUNDS : 0);
}

/* ---- evidence ---- */

static char *told(const Asking *a, size_t i, EvidenceKind kind, char *name, GError *error)
{
    if (name && a->of->kept) a->of->kept(i, kind, a->of->data);
    if (error) a->of->lost(i, kind, error, a->of->data);
    g_clear_error(&error);
    return name;
}

static char *keep_run(const Asking *a, size_t i, const VecU32 *run)
{
    GError *error = NULL;
    char *name;
    evidence_keep_run(&a->of->evidence, a->of->net, property_at(a, i)->id, run, a->budget, &name, &error);
    return told(a, i, EVIDENCE_WITNESS, name, error);
}

static char *find_run(const Asking *a, size_t i, FormulaId goal, VecU32 *run, bool *found)
{
    Query query = {a->of->net, a->of->formulas, goal};
    GError *error = NULL;
    char *name;
    *found = evidence_find_run(&a->of->evidence, &query, property_at(a, i)->id, &a->of->options.engine, a->budget,
                               a->of->evidence.certificates ? run : NULL, &name, &error);
    return told(a, i, EVIDENCE_WITNESS, name, error);
}

static char *keep_proof(const Asking *a, size_t i, FormulaId goal, const BoundClaim *bound, double share)
{
    Query query = {a->of->net, a->of->formulas, goal};
    GError *error = NULL;
    char *name;
    evidence_keep_proof(&a->of->evidence, &query, bound, property_at(a, i)->id, &a->of->options.engine, share,
                        a->budget, &name, &error);
    return told(a, i, EVIDENCE_CERTIFICATE, name, error);
}

static char *keep_pump(const Asking *a, size_t i, const VecU32 *places, Pump *pump)
{
    GError *error = NULL;
    char *name;
    evidence_keep_pump(&a->of->evidence, a->of->net, places, pump, property_at(a, i)->id, a->budget, &name, &error);
    return told(a, i, EVIDENCE_CERTIFICATE, name, error);
}

/* ---- formulas ---- */

static AskedProperty formula_known(const Asking *a, size_t i, const Result *result)
{
    const Property *p = property_at(a, i);
    bool holds = (result->answer == ANSWER_REACHABLE) == (p->kind == PROPERTY_EXISTS);
    return (AskedProperty){.property = p,
                           .verdict = result->answer == ANSWER_UNKNOWN ? VERDICT_UNKNOWN
                                      : holds                          ? VERDICT_HOLDS
                                                                       : VERDICT_VIOLATED,
                           .result = result,
                           .engine = result->engine,
                           .reason = result->reason,
                           .proof_due = result->answer == ANSWER_UNREACHABLE};
}

/* While other threads may still work on the formulas a run is kept as it came; afterwards it is shortened. */
static void goal_answered(size_t goal, const Result *result, void *data)
{
    const Asking *a = data;
    size_t i = a->property[goal];
    AskedProperty known = formula_known(a, i, result);
    if (known.verdict == VERDICT_UNKNOWN || !a->of->answered) return;
    a->of->answered(i, &known, a->of->data);
    if (result->answer == ANSWER_REACHABLE) g_free(keep_run(a, i, &result->witness));
}

static void goal_settled(size_t goal, Result *result, double share, void *data)
{
    const Asking *a = data;
    size_t i = a->property[goal];
    Query query = {a->of->net, a->of->formulas, a->goals[goal]};
    g_autofree char *run = NULL, *proof = NULL;
    if (a->n_bounds) share /= 1 + share; /* one more part, for them */
    if (result->answer == ANSWER_REACHABLE) {
        if (a->of->runs_shown || a->of->evidence.witnesses) witness_shorten(&query, &result->witness, a->budget);
        run = keep_run(a, i, &result->witness);
    }
    if (result->answer == ANSWER_UNREACHABLE) proof = keep_proof(a, i, query.goal, NULL, share);
    AskedProperty known = formula_known(a, i, result);
    known.run_file = run;
    known.proof_file = proof;
    a->of->finished(i, &known, a->of->data);
}

static void ask_formulas(Asking *a)
{
    g_autofree Result *results = g_new0(Result, a->n_goals + 1);
    AskOptions options = a->of->options;
    options.answered = goal_answered;
    options.settled = goal_settled;
    options.data = a;
    ask_goals(a->of->net, a->of->formulas, a->goals, a->n_goals, &options, a->budget, results);
    for (size_t i = 0; i < a->n_goals; i++) result_clear(&results[i]);
}

/* ---- bounds, and what is not asked ---- */

static AskedProperty bound_known(const Asking *a, size_t i, const ExaminationBound *bound)
{
    return (AskedProperty){.property = property_at(a, i),
                           .verdict = bound->known ? VERDICT_HOLDS : VERDICT_UNKNOWN,
                           .bound = bound,
                           .engine = bound->engine,
                           .reason = bound->reason,
                           .proof_due = bound->known};
}

static void bound_answered(size_t k, const ExaminationBound *bound, void *data)
{
    const Asking *a = data;
    size_t i = a->property[a->n_goals + k];
    AskedProperty known = bound_known(a, i, bound);
    if (a->of->answered) a->of->answered(i, &known, a->of->data);
}

/* A bound is shown by a run that reaches it and a proof that nothing reaches more, in one certificate when there are
 * both. */
static void finish_bound(const Asking *a, size_t i, size_t k, ExaminationBound *bound)
{
    g_autofree char *run_file = NULL, *proof = NULL;
    const VecU32 *places = &a->sums[k];
    FormulaId goal;
    VecU32 run = {0};
    bool found = false;
    if (bound->known && bound->infinite) proof = keep_pump(a, i, places, &bound->pump);
    if (examination_bound_goal(a->of->formulas, places, bound, false, &goal))
        run_file = find_run(a, i, goal, &run, &found);
    if (examination_bound_goal(a->of->formulas, places, bound, true, &goal)) {
        BoundClaim claim = bound_claim(places, false, (uint64_t)bound->value, &run);
        proof = keep_proof(a, i, goal, found ? &claim : NULL, 1.0 / (double)(a->n_bounds - k));
        bound_clear(&claim);
    }
    vec_free(&run);
    AskedProperty known = bound_known(a, i, bound);
    known.run_file = run_file;
    known.proof_file = proof;
    a->of->finished(i, &known, a->of->data);
}

static void finish_unasked(const Asking *a, size_t i)
{
    const Property *p = property_at(a, i);
    const char *otherwise = is_formula(p) ? "a formula is not a bound" : "a bound is not a formula";
    AskedProperty known = {.property = p, .reason = p->reason ? p->reason : otherwise};
    a->of->finished(i, &known, a->of->data);
}

static void ask_others(Asking *a)
{
    g_autofree ExaminationBound *bounds = g_new0(ExaminationBound, a->n_bounds + 1);
    Examination examination = {
        .net = a->of->net, .options = a->of->options.engine, .keep_pumps = a->of->evidence.certificates != NULL};
    if (a->n_bounds) examination_bounds(&examination, a->sums, a->n_bounds, a->budget, bounds, bound_answered, a);
    for (size_t i = 0, k = 0; i < a->of->set->properties.len; i++) {
        const Property *p = property_at(a, i);
        if (!is_asked(a, p)) {
            finish_unasked(a, i);
        } else if (p->kind == PROPERTY_BOUND) {
            finish_bound(a, i, k, &bounds[k]);
            examination_bound_clear(&bounds[k++]);
        }
    }
}

void ask_properties(const AskProperties *asked, Budget *budget)
{
    size_t all = asked->set->properties.len;
    g_autofree FormulaId *goals = g_new(FormulaId, all + 1);
    g_autofree size_t *property = g_new(size_t, all + 1);
    g_autofree VecU32 *sums = g_new0(VecU32, all + 1);
    Asking a = {.of = asked, .budget = budget, .goals = goals, .property = property, .sums = sums};
    for (size_t i = 0; i < all; i++) {
        const Property *p = property_at(&a, i);
        if (!is_formula(p) || !is_asked(&a, p)) continue;
        property[a.n_goals] = i;
        goals[a.n_goals++] = p->kind == PROPERTY_EXISTS ? p->formula : formula_not(asked->formulas, p->formula);
    }
    for (size_t i = 0; i < all; i++) {
        const Property *p = property_at(&a, i);
        if (p->kind != PROPERTY_BOUND || !is_asked(&a, p)) continue;
        property[a.n_goals + a.n_bounds] = i;
        sums[a.n_bounds++] = p->places;
    }
    if (a.n_goals) ask_formulas(&a);
    ask_others(&a);
}
