#include "home/sound.h"

#include "home/bottoms.h"
#include "home/rank_theorem.h"
#include "verify/ask.h"
#include "verify/survey.h"
#include "verify/witness.h"

/* A search that small answers all parts at once. */
enum { FEW_MARKINGS = 50000 };
#define SURVEY_SHARE 0.1
#define STRUCTURE_SHARE 0.1
#define SURVEY_SECONDS 1.0

static const SoundPart wanted[][N_SOUND_PARTS] = {
    [SOUND_CLASSICAL] = {PART_COMPLETES, PART_PROPER, PART_USEFUL, N_SOUND_PARTS},
    [SOUND_WEAK] = {PART_COMPLETES, PART_PROPER, N_SOUND_PARTS},
    [SOUND_RELAXED] = {PART_RELAXED, N_SOUND_PARTS},
};

const char *sound_part_name(SoundPart part)
{
    static const char *const names[] = {"completes", "proper", "useful", "relaxed"};
    return names[part];
}

void sound_clear(Soundness *s)
{
    for (SoundPart part = 0; part < N_SOUND_PARTS; part++) {
        g_free(s->part[part].reason);
        vec_free(&s->part[part].run);
        vec_free(&s->part[part].transitions);
    }
    *s = (Soundness){0};
}

static FormulaId left_behind(const Workflow *w)
{
    FormulaId parts[] = {w->covered, formula_not(w->formulas, w->done)};
    return formula_and(w->formulas, parts, G_N_ELEMENTS(parts));
}

/* ---- on the graph of all markings ---- */

typedef struct Reading {
    const Workflow *workflow;
    const Explicit *search;
    Budget *budget;
} Reading;

static Verdict judge(bool holds)
{
    return holds ? VERDICT_HOLDS : VERDICT_VIOLATED;
}

static bool read_completes(const Reading *r, SoundAnswer *a)
{
    const Workflow *w = r->workflow;
    Bottoms bottoms = {0};
    bool done = bottoms_find(r->search, w->formulas, &w->covered, 1, r->budget, &bottoms);
    if (done) {
        a->verdict = judge(bottoms.lost_at[0] == STORE_NONE);
        if (a->verdict == VERDICT_VIOLATED) explicit_path(r->search, bottoms.lost_at[0], &a->run);
    }
    bottoms_clear(&bottoms);
    return done;
}

static bool read_proper(const Reading *r, SoundAnswer *a)
{
    FormulaId bad = left_behind(r->workflow);
    a->verdict = VERDICT_HOLDS;
    for (uint32_t i = 0; i < r->search->store.len && bad != FORMULA_ID_FALSE; i++) {
        if (!formula_holds(r->workflow->formulas, bad, r->search->stepper->lts, store_state(&r->search->store, i)))
            continue;
        a->verdict = VERDICT_VIOLATED;
        explicit_path(r->search, i, &a->run);
        break;
    }
    return true;
}

/* Keeps those whose flag is not set. */
static void list_others(const Net *net, const bool *flag, SoundAnswer *a)
{
    for (uint32_t t = 0; t < net->n_transitions; t++)
        if (!flag[t]) vec_push(&a->transitions, t);
    a->verdict = judge(!a->transitions.len);
}

static bool read_useful(const Reading *r, SoundAnswer *a)
{
    const Net *net = &r->workflow->net;
    g_autofree bool *fires = g_new0(bool, (size_t)net->n_transitions + 1);
    g_autofree uint32_t *enabled = g_new(uint32_t, (size_t)net->n_transitions + 1);
    for (uint32_t i = 0; i < r->search->store.len; i++) {
        uint32_t n = stepper_enabled(r->search->stepper, store_state(&r->search->store, i), enabled);
        for (uint32_t k = 0; k < n; k++) fires[enabled[k]] = true;
        if (budget_charge(r->budget, 1 + n)) return false;
    }
    list_others(net, fires, a);
    return true;
}

static bool read_relaxed(const Reading *r, SoundAnswer *a)
{
    const Workflow *w = r->workflow;
    g_autofree bool *on_run = g_new0(bool, (size_t)w->net.n_transitions + 1);
    bool done = bottoms_on_runs(r->search, w->formulas, w->done, r->budget, on_run);
    if (done) list_others(&w->net, on_run, a);
    return done;
}

static bool (*const readers[])(const Reading *, SoundAnswer *) = {read_completes, read_proper, read_useful,
                                                                  read_relaxed};

/* Without inhibitor arcs what repeats before the end can repeat whatever comes after: it cannot be sound. */
static void note_unbounded(const Explicit *search, Soundness *s)
{
    s->unbounded = search->unbounded.place;
}

static void by_search(const Workflow *w, Budget *budget, Soundness *s)
{
    g_autoptr(Explicit) search = explicit_new(&w->net);
    Ending end = explicit_run(search, NULL, budget);
    Reading reading = {w, search, budget};
    if (end == ENDING_UNBOUNDED) note_unbounded(search, s);
    for (SoundPart part = 0; part < N_SOUND_PARTS; part++) {
        SoundAnswer *a = &s->part[part];
        if (!a->asked || a->verdict != VERDICT_UNKNOWN) continue;
        if (end == ENDING_COMPLETE && readers[part](&reading, a)) {
            a->engine = "explicit";
            g_clear_pointer(&a->reason, g_free);
            continue;
        }
        if (a->reason) continue;
        a->engine = "explicit";
        a->reason = end == ENDING_UNBOUNDED || end == ENDING_OVERFLOW
                        ? g_strdup("there are infinitely many markings")
                        : g_strdup_printf("explicit: %s after %u markings", budget_text(budget), search->store.len);
    }
}

/* ---- on the arcs ---- */

static bool by_structure(const Workflow *w, Budget *budget, Soundness *s)
{
    if (w->ends[0] == NET_NONE) return false;
    Certificate proof;
    bool sound = rank_theorem_sound(&w->net, w->ends[0], w->ends[1], budget, &proof);
    certificate_clear(&proof);
    for (SoundPart part = 0; part < N_SOUND_PARTS && sound; part++) {
        s->part[part].verdict = VERDICT_HOLDS;
        s->part[part].engine = "freechoice";
    }
    return sound;
}

/* ---- part by part ---- */

static void ask_completes(const Workflow *w, const EngineOptions *options, Budget *budget, SoundAnswer *a)
{
    HomeQuestion question = {.net = &w->net, .formulas = w->formulas, .goals = &w->covered, .n = 1};
    HomeResult result = {0};
    home_ask(&question, options, budget, &result);
    a->verdict = result.verdict;
    a->engine = result.engine;
    a->reason = g_steal_pointer(&result.reason);
    a->run = result.run;
}

static void ask_proper(const Workflow *w, const EngineOptions *options, Budget *budget, SoundAnswer *a)
{
    FormulaId goal = left_behind(w);
    AskOptions ask = {.engine = *options};
    Result result = {0};
    ask_goals(&w->net, w->formulas, &goal, 1, &ask, budget, &result);
    if (result.answer == ANSWER_REACHABLE)
        witness_shorten(&(Query){&w->net, w->formulas, goal}, &result.witness, budget);
    a->verdict = result.answer == ANSWER_UNKNOWN ? VERDICT_UNKNOWN : judge(result.answer == ANSWER_UNREACHABLE);
    a->engine = result.engine;
    if (a->verdict == VERDICT_UNKNOWN) a->reason = g_steal_pointer(&result.reason);
    if (a->verdict == VERDICT_VIOLATED) {
        a->run = result.witness;
        result.witness = (VecU32){0};
    }
    result_clear(&result);
}

static bool saw_all(const Survey *survey)
{
    return survey->n_unseen == 0;
}

static void ask_unseen(const Workflow *w, const EngineOptions *options, Budget *budget, const bool *seen,
                       SoundAnswer *a)
{
    VecU32 goals = {0}, transitions = {0};
    for (uint32_t t = 0; t < w->net.n_transitions; t++) {
        if (seen[t]) continue;
        vec_push(&goals, formula_fireable(w->formulas, &t, 1));
        vec_push(&transitions, t);
    }
    g_autofree Result *results = g_new0(Result, goals.len + 1);
    AskOptions ask = {.engine = *options};
    size_t open = 0;
    if (goals.len) ask_goals(&w->net, w->formulas, goals.data, goals.len, &ask, budget, results);
    for (size_t i = 0; i < goals.len; i++) {
        if (results[i].answer == ANSWER_UNREACHABLE) {
            vec_push(&a->transitions, transitions.data[i]);
            a->engine = results[i].engine;
        }
        open += results[i].answer == ANSWER_UNKNOWN;
        result_clear(&results[i]);
    }
    a->verdict = a->transitions.len ? VERDICT_VIOLATED : open ? VERDICT_UNKNOWN : VERDICT_HOLDS;
    if (a->verdict == VERDICT_UNKNOWN) a->reason = g_strdup_printf("%zu transitions may be dead", open);
    vec_free(&goals);
    vec_free(&transitions);
}

static void ask_useful(const Workflow *w, const EngineOptions *options, Budget *budget, SoundAnswer *a)
{
    g_autoptr(Survey) survey = survey_new(&w->net, NULL, 0);
    Budget walking = budget_part(budget, SURVEY_SHARE, SURVEY_SECONDS, NULL);
    survey_run(survey, options->seed, SURVEY_SECONDS, saw_all, &walking);
    a->engine = "survey";
    ask_unseen(w, options, budget, survey->enabled, a);
}

static void by_engines(const Workflow *w, const EngineOptions *options, Budget *budget, Soundness *s)
{
    static void (*const asks[])(const Workflow *, const EngineOptions *, Budget *,
                                SoundAnswer *) = {ask_completes, ask_proper, ask_useful};
    static const double shares[] = {0.6, 0.5, 0.7};
    for (SoundPart part = 0; part < G_N_ELEMENTS(asks); part++) {
        SoundAnswer *a = &s->part[part];
        if (!a->asked || a->verdict != VERDICT_UNKNOWN) continue;
        if (budget_look(budget)) return;
        g_clear_pointer(&a->reason, g_free);
        Budget own = budget_part(budget, shares[part], 0, NULL);
        asks[part](w, options, &own, a);
    }
}

/* ---- the whole ---- */

static bool is_open(const Soundness *s)
{
    for (SoundPart part = 0; part < N_SOUND_PARTS; part++)
        if (s->part[part].asked && s->part[part].verdict == VERDICT_UNKNOWN) return true;
    return false;
}

static void conclude(const Workflow *w, SoundVariant variant, Soundness *s)
{
    s->verdict = is_open(s) ? VERDICT_UNKNOWN : VERDICT_HOLDS;
    for (SoundPart part = 0; part < N_SOUND_PARTS; part++)
        if (s->part[part].asked && s->part[part].verdict == VERDICT_VIOLATED) s->verdict = VERDICT_VIOLATED;
    bool tells = variant != SOUND_RELAXED && w->exact && !net_arc_count(&w->net, ARC_INHIBIT);
    if (s->unbounded != NET_NONE && tells) s->verdict = VERDICT_VIOLATED;
}

void sound_ask(const Workflow *w, SoundVariant variant, const EngineOptions *options, Budget *budget, Soundness *s)
{
    s->unbounded = NET_NONE;
    for (const SoundPart *part = wanted[variant]; *part != N_SOUND_PARTS; part++) s->part[*part].asked = true;
    Budget structure = budget_part(budget, STRUCTURE_SHARE, 0, NULL);
    if (by_structure(w, &structure, s)) {
        s->verdict = VERDICT_HOLDS;
        return;
    }
    Budget few = budget_part(budget, 0.4, 0, NULL);
    budget_limit_events(&few, FEW_MARKINGS);
    by_search(w, &few, s);
    if (is_open(s)) by_engines(w, options, budget, s);
    if (is_open(s) && s->unbounded == NET_NONE) {
        Budget rest = budget_part(budget, 1, 0, NULL);
        by_search(w, &rest, s);
    }
    conclude(w, variant, s);
}

/* ---- in batches ---- */

static bool begin(Examination *x, Workflow *w)
{
    g_autoptr(GError) error = NULL;
    x->dead = x->constant = NET_NONE;
    if (workflow_init(w, x->net, 1, NULL, &error)) return true;
    x->reason = g_strdup(error->message);
    return false;
}

static Truth truth_of(Verdict verdict)
{
    return verdict == VERDICT_HOLDS ? TRUTH_YES : verdict == VERDICT_VIOLATED ? TRUTH_NO : TRUTH_UNKNOWN;
}

/* Of the part that decided, or why one did not. */
static void name_engine(Examination *x, Soundness *s)
{
    x->engine = s->part[0].engine;
    for (SoundPart part = 0; part < N_SOUND_PARTS; part++) {
        SoundAnswer *a = &s->part[part];
        if (!a->asked || a->verdict == VERDICT_HOLDS) continue;
        if (a->verdict == VERDICT_VIOLATED) {
            x->engine = a->engine;
            return;
        }
        if (!x->reason && s->verdict == VERDICT_UNKNOWN) x->reason = g_steal_pointer(&a->reason);
    }
}

Truth sound_examine(Examination *x, Budget *budget)
{
    Workflow w;
    if (!begin(x, &w)) return TRUTH_UNKNOWN;
    Soundness s = {0};
    sound_ask(&w, SOUND_CLASSICAL, &x->options, budget, &s);
    name_engine(x, &s);
    Truth truth = truth_of(s.verdict);
    sound_clear(&s);
    workflow_clear(&w);
    return truth;
}

Truth sound_examine_completion(Examination *x, Budget *budget)
{
    Workflow w;
    if (!begin(x, &w)) return TRUTH_UNKNOWN;
    HomeQuestion question = {.net = &w.net, .formulas = w.formulas, .goals = &w.ended, .n = 1};
    HomeResult result = {0};
    home_ask(&question, &x->options, budget, &result);
    Truth truth = truth_of(result.verdict);
    x->engine = result.engine;
    x->reason = g_steal_pointer(&result.reason);
    home_result_clear(&result);
    workflow_clear(&w);
    return truth;
}
