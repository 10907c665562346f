#include "verify/space_figures.h"

#include "lts/cover.h"
#include "lts/explicit.h"
#include "net/invariant.h"
#include "symbolic/reached.h"
#include "verify/survey.h"

#include <string.h>

typedef struct Counting {
    const Net *net;
    const EngineOptions *options;
    SpaceFigures *figures;
} Counting;

static void give_up(Counting *c, const char *reason)
{
    g_free(c->figures->reason);
    c->figures->reason = g_strdup(reason);
}

static bool settle(Counting *c, const char *engine)
{
    c->figures->known = true;
    c->figures->engine = engine;
    return true;
}

static bool is_endless(Counting *c, const char *engine)
{
    c->figures->infinite = true;
    return settle(c, engine);
}

/* ---- explicit search ---- */

static bool by_search(Counting *c, Budget *budget)
{
    g_autoptr(Explicit) search = explicit_new(c->net);
    SpaceFigures *f = c->figures;
    Ending end = explicit_run(search, NULL, budget);
    engine_say(c->options, "explicit: %u markings, %s", search->store.len,
               end == ENDING_COMPLETE ? "complete" : ending_text(end));
    if (end == ENDING_UNBOUNDED) return is_endless(c, "explicit");
    if (end != ENDING_COMPLETE) {
        give_up(c, ending_text(end));
        return false;
    }
    f->markings = g_strdup_printf("%u", search->store.len);
    f->firings = g_strdup_printf("%" G_GUINT64_FORMAT, search->firings);
    f->max_in_place = search->max_in_place;
    f->max_in_marking = search->max_in_marking;
    return settle(c, "explicit");
}

/* ---- is there an end? ---- */

static bool is_bounded(const Net *net, Budget *budget)
{
    g_autoptr(Invariants) invariants = invariant_compute(net, 0, budget);
    g_autofree bool *bounded = g_new0(bool, (size_t)net->n_places + 1);
    for (uint32_t i = 0; invariants && i < invariants->n; i++)
        for (uint32_t j = 0; j < invariants->item[i].len && invariants->item[i].tokens != UINT64_MAX; j++)
            bounded[invariants->item[i].place[j]] = true;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (!bounded[p]) return false;
    return true;
}

static bool saw_growth(const Survey *survey)
{
    return survey->unbounded;
}

static bool by_walks(Counting *c, Budget *budget)
{
    VecU32 all = {0};
    for (uint32_t p = 0; p < c->net->n_places; p++) vec_push(&all, p);
    g_autoptr(Survey) survey = survey_new(c->net, &all, 1);
    survey_run(survey, c->options->seed, 0.5, saw_growth, budget);
    vec_free(&all);
    engine_say(c->options, "survey: %" G_GUINT64_FORMAT " steps, %s", survey->steps,
               survey->unbounded ? "a run repeats itself with more tokens" : "no run was seen that grows for ever");
    return survey->unbounded && is_endless(c, "survey");
}

/* data: a bool, set when the net is unbounded. */
static bool note_omega(const Cover *cover, uint32_t node, void *data)
{
    bool *endless = data;
    const uint64_t *marking = cover_marking(cover, node);
    for (uint32_t p = 0; p < cover->net->n_places && !*endless; p++) {
        if (marking[p] != COVER_OMEGA) continue;
        VecU32 path = {0};
        cover_path(cover, node, &path);
        *endless = cover_check(cover->net, path.data, path.len, p, NULL);
        vec_free(&path);
    }
    return !*endless;
}

static bool by_cover(Counting *c, Budget *budget)
{
    g_autoptr(Cover) cover = cover_new(c->net);
    bool endless = false;
    if (!cover) return false;
    cover_run(cover, c->options->seed, note_omega, &endless, budget);
    engine_say(c->options, "cover: %u nodes%s", cover_count(cover), endless ? ", unbounded" : "");
    return endless && is_endless(c, "cover");
}

static bool by_growth(Counting *c, Budget *budget)
{
    Budget structure = budget_part(budget, 0.3, 1, NULL);
    if (is_bounded(c->net, &structure)) return false;
    Budget walking = budget_part(budget, 0.3, 3, NULL);
    return by_walks(c, &walking) || by_cover(c, budget);
}

/* ---- diagrams ---- */

static bool by_diagrams(Counting *c, LevelsGrouping grouping, LevelsOrder order, Budget *budget)
{
    const char *reason;
    SpaceFigures *f = c->figures;
    g_autoptr(Reached) reached = reached_new(c->net, grouping, order, budget, &reason);
    Figures figures;
    bool done = reached && figures_of(reached->diagram, reached->model, reached->markings, &figures);
    engine_say(c->options, "symbolic: %s", done ? "complete" : reached ? "could not count in time" : reason);
    if (!done) {
        give_up(c, reached ? budget_text(budget) : reason);
        return false;
    }
    f->markings = figures.markings;
    f->firings = figures.firings;
    f->max_in_place = figures.max_in_place;
    f->max_in_marking = figures.max_in_marking;
    return settle(c, "symbolic");
}

/* ---- all ---- */

typedef struct Attempt {
    enum { SEARCH = 1, GROWTH = 2, DIAGRAMS = 4 } way;
    LevelsGrouping grouping;
    LevelsOrder order;
    double share, most; /* of the time that is left; seconds, 0: any */
} Attempt;

/* Small nets first, whatever they are; then each order gets some time, since either may be the one that suits the net,
 * and the one that is best most often more of it. */
static const Attempt attempts[] = {
    {SEARCH, 0, 0, 0.05, 1},
    {GROWTH, 0, 0, 0.1, 6},
    {DIAGRAMS, LEVELS_UNITS, LEVELS_FORCE, 0.2, 0},
    {DIAGRAMS, LEVELS_UNITS, LEVELS_FILE, 0.25, 0},
    {DIAGRAMS, LEVELS_UNITS, LEVELS_SEARCH, 0.1, 0},
    {DIAGRAMS, LEVELS_UNITS, LEVELS_FORCE, 0.5, 0},
    {SEARCH, 0, 0, 0.6, 0},
    {DIAGRAMS, LEVELS_UNITS, LEVELS_FILE, 1, 0},
};

static bool attempt(Counting *c, const Attempt *a, bool is_last, Budget *budget)
{
    Budget part = is_last ? budget_part(budget, 1, 0, NULL) : budget_part(budget, a->share, a->most, NULL);
    switch (a->way) {
    case SEARCH: return by_search(c, &part);
    case GROWTH: return by_growth(c, &part);
    default: return by_diagrams(c, a->grouping, a->order, &part);
    }
}

SpaceFigures space_figures(const Net *net, const char *engine, const EngineOptions *options, Budget *budget)
{
    SpaceFigures figures = {0};
    Counting c = {net, options, &figures};
    bool search = g_strcmp0(engine, "symbolic") != 0, diagrams = g_strcmp0(engine, "explicit") != 0;
    int ways = (search ? SEARCH : 0) | (diagrams ? DIAGRAMS : 0) | (search && diagrams ? GROWTH : 0);
    size_t last = G_N_ELEMENTS(attempts) - 1;
    while (!(attempts[last].way & ways)) last--;
    for (size_t i = 0; i <= last && !budget_look(budget); i++)
        if (attempts[i].way & ways && attempt(&c, &attempts[i], i == last, budget)) break;
    if (!figures.known && budget_ended(budget)) give_up(&c, budget_text(budget));
    return figures;
}

void space_figures_clear(SpaceFigures *figures)
{
    g_free(figures->markings);
    g_free(figures->firings);
    g_free(figures->reason);
}
