#include "api/answer.h"

#include "api/words.h"
#include "base/error.h"
#include "home/home_goals.h"
#include "home/proof.h"
#include "home/sound.h"
#include "net/colours.h"

#include <string.h>

typedef struct Asking {
    const mz_net *net;
    const char *word, *argument; /* the argument may be NULL */
    const char *const *options;
    mz_limits *limits;
    AskOptions ask;
} Asking;

static char *property_of(const Asking *a)
{
    return a->argument && *a->argument ? g_strdup_printf("%s %s", a->word, a->argument) : g_strdup(a->word);
}

static bool refuse(GError **error, const char *message)
{
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "%s", message);
    return false;
}

/* ---- home, reversible, live ---- */

static void prove(mz_answer *answer, const HomeGoals *goals, const HomeResult *result, const Asking *a, Budget *budget)
{
    ProofFile file;
    ProofMemory memory;
    g_autoptr(GError) error = NULL;
    const ProofFile *proof = api_answer_proof(a->options, &file, &memory);
    if (proof && result->verdict != VERDICT_UNKNOWN &&
        !home_proof_write(&goals->question, result, &a->ask.engine, proof, budget, &error))
        answer->unwritten = g_strdup(error->message);
    g_mutex_clear(&memory.mutex);
    answer->certificate = memory.text;
}

static char *lost_transition(const Asking *a, size_t lost)
{
    if (a->argument && *a->argument) return g_strdup(a->argument);
    return g_strdup(net_transition_id(net_colours_asked(api_net_inside(a->net)), (uint32_t)lost));
}

/* Nothing is wrong with the question when the net itself has numbers that no formula can name. */
static mz_answer *not_asked(mz_answer *answer, HomeGoalsKind kind, GError *failed, GError **error)
{
    if (kind == HOME_GOALS_REVERSIBLE) {
        answer->reason = g_strdup(failed->message);
        g_error_free(failed);
        return answer;
    }
    mz_answer_free(answer);
    g_propagate_error(error, failed);
    return NULL;
}

static mz_answer *ask_goals_of(const Asking *a, HomeGoalsKind kind, GError **error)
{
    HomeGoals goals;
    Call call;
    HomeResult result = {0};
    GError *failed = NULL;
    g_autofree char *property = property_of(a);
    mz_answer *answer = api_answer_new(a->net, property);
    if (!home_goals_init(&goals, api_net_inside(a->net), kind, a->argument, &failed))
        return not_asked(answer, kind, failed, error);
    Budget *budget = api_limits_begin(a->limits, &call);
    home_ask(&goals.question, &a->ask.engine, budget, &result);
    answer->verdict = (mz_verdict)result.verdict;
    answer->engine = g_strdup(result.engine);
    answer->markings = result.markings;
    static const mz_evidence evidence[] = {MZ_EVIDENCE_NONE, MZ_EVIDENCE_PROOF, MZ_EVIDENCE_RUN};
    answer->evidence = evidence[result.verdict];
    prove(answer, &goals, &result, a, budget);
    answer->reason = g_steal_pointer(&result.reason);
    if (result.verdict == VERDICT_VIOLATED) {
        vec_reserve(&result.run, 1);
        answer->run = result.run;
        result.run = (VecU32){0};
        if (kind == HOME_GOALS_LIVE) answer->subject = lost_transition(a, result.lost);
    }
    home_result_clear(&result);
    home_goals_clear(&goals);
    return answer;
}

/* ---- sound ---- */

static bool read_variant(const char *argument, SoundVariant *variant, uint64_t *k, GError **error)
{
    guint64 number;
    *variant = SOUND_CLASSICAL;
    *k = 1;
    if (!argument || !*argument) return true;
    if (strcmp(argument, "weak") == 0)
        *variant = SOUND_WEAK;
    else if (strcmp(argument, "relaxed") == 0)
        *variant = SOUND_RELAXED;
    else if (g_ascii_string_to_unsigned(argument, 10, 1, G_MAXUINT32, &number, NULL))
        *k = number;
    else {
        error_at(error, ERROR_USAGE, "sound", 0, 0,
                 "stands alone, or with a number of tokens from 1, weak or relaxed, not '%s'",
                 error_excerpt(argument, SIZE_MAX).text);
        return false;
    }
    return true;
}

static void take_part(mz_answer *whole, const Workflow *workflow, SoundPart which, SoundAnswer *found)
{
    mz_answer *part = api_answer_add_part(whole, sound_part_name(which));
    bool run = found->verdict == VERDICT_VIOLATED && (which == PART_COMPLETES || which == PART_PROPER);
    part->verdict = (mz_verdict)found->verdict;
    part->engine = g_strdup(found->engine);
    part->reason = g_steal_pointer(&found->reason);
    part->evidence = run ? MZ_EVIDENCE_RUN : found->verdict ? MZ_EVIDENCE_PROOF : MZ_EVIDENCE_NONE;
    part->start = g_memdup2(workflow->initial, workflow->net.n_places * sizeof *workflow->initial);
    if (run) vec_reserve(&found->run, 1);
    if (run) part->run = found->run;
    if (run) found->run = (VecU32){0};
    part->transitions = found->transitions;
    found->transitions = (VecU32){0};
}

/* Sound as a whole; otherwise that the end, with nothing left behind, can always be reached, where that is lost, or
 * that a transition is dead. */
static bool write_sound_proof(const Asking *a, const Workflow *w, SoundVariant variant, uint64_t k,
                              const Soundness *found, const ProofFile *file, Budget *budget, GError **error)
{
    const Net *net = api_net_inside(a->net);
    const SoundAnswer *completes = &found->part[PART_COMPLETES];
    bool as_read = memcmp(w->net.initial, net->initial, net->n_places * sizeof *net->initial) == 0;
    const SoundAnswer *useful = &found->part[PART_USEFUL];
    bool whole = found->verdict == VERDICT_HOLDS && variant != SOUND_RELAXED;
    if (whole && k == 1 && home_proof_write_sound(w, file, budget, NULL)) return true;
    if (as_read && (whole || completes->verdict == VERDICT_VIOLATED)) {
        const FormulaId *goal = whole ? &w->done : &w->covered;
        HomeQuestion question = {.net = &w->net, .formulas = w->formulas, .goals = goal, .n = 1};
        HomeResult result = {.verdict = found->verdict, .run = completes->run};
        return home_proof_write(&question, &result, &a->ask.engine, file, budget, error);
    }
    if (as_read && useful->verdict == VERDICT_VIOLATED)
        return home_proof_write_dead(w, useful->transitions.data[0], &a->ask.engine, file, budget, error);
    return refuse(error, "no certificate was written: there is none for this answer");
}

static void prove_sound(mz_answer *answer, const Asking *a, const Workflow *w, SoundVariant variant, uint64_t k,
                        const Soundness *found, Budget *budget)
{
    ProofFile file;
    ProofMemory memory;
    g_autoptr(GError) error = NULL;
    const ProofFile *proof = api_answer_proof(a->options, &file, &memory);
    if (proof && found->verdict != VERDICT_UNKNOWN &&
        !write_sound_proof(a, w, variant, k, found, proof, budget, &error))
        answer->unwritten = g_strdup(error->message);
    g_mutex_clear(&memory.mutex);
    answer->certificate = memory.text;
}

static mz_answer *ask_sound(const Asking *a, GError **error)
{
    SoundVariant variant;
    uint64_t k;
    Workflow workflow;
    Soundness found = {0};
    Call call;
    if (!read_variant(a->argument, &variant, &k, error) ||
        !workflow_init(&workflow, api_net_inside(a->net), k, words_value(a->options, "final"), error))
        return NULL;
    Budget *budget = api_limits_begin(a->limits, &call);
    sound_ask(&workflow, variant, &a->ask.engine, budget, &found);
    g_autofree char *property = property_of(a);
    mz_answer *answer = api_answer_new(a->net, property);
    answer->verdict = (mz_verdict)found.verdict;
    if (found.unbounded != NET_NONE) answer->subject = g_strdup(net_place_id(api_net_inside(a->net), found.unbounded));
    prove_sound(answer, a, &workflow, variant, k, &found, budget);
    for (SoundPart part = 0; part < N_SOUND_PARTS; part++)
        if (found.part[part].asked) take_part(answer, &workflow, part, &found.part[part]);
    sound_clear(&found);
    workflow_clear(&workflow);
    return answer;
}

/* ---- */

static bool goes_together(const Asking *a, bool sound, GError **error)
{
    if (words_value(a->options, "engine"))
        return refuse(error, "engine is for questions of reachability, not for this one");
    if (words_value(a->options, "final") && !sound) return refuse(error, "final belongs to deadlock and sound");
    if (strcmp(a->word, "home") == 0 && !a->argument) return refuse(error, "home is followed by what it asks about");
    if (strcmp(a->word, "reversible") == 0 && a->argument) return refuse(error, "reversible stands alone");
    return true;
}

mz_answer *api_answer_always(const mz_net *net, const char *word, const char *argument, const char *const *options,
                             mz_limits *limits, bool *mine, GError **error)
{
    static const char *const goals[] = {
        [HOME_GOALS_HOME] = "home", [HOME_GOALS_REVERSIBLE] = "reversible", [HOME_GOALS_LIVE] = "live"};
    Asking a = {net, word, argument, options, limits, {.engines = NULL}};
    bool sound = strcmp(word, "sound") == 0;
    size_t kind = 0;
    while (kind < G_N_ELEMENTS(goals) && strcmp(goals[kind], word) != 0) kind++;
    *mine = sound || kind < G_N_ELEMENTS(goals);
    if (!*mine || !goes_together(&a, sound, error) || !api_answer_options(options, limits, &a.ask, error)) return NULL;
    return sound ? ask_sound(&a, error) : ask_goals_of(&a, (HomeGoalsKind)kind, error);
}
