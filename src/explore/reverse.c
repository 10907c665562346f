#include "explore/reverse.h"

#include <assert.h>
#include <stdlib.h>

bool reverse_init(Reverse *x, Outcome *outcome, DporStats *stats, const Lts *lts, const NetLts *net, const Indep *indep,
                  const DporOptions *options)
{
    *x = (Reverse){.options = options, .stats = stats};
    trail_init(&x->trail, lts, net, indep, options->extend, options->count, true,
               (Bounds){options->depth, options->unroll, options->spins}, outcome);
    return trail_begin(&x->trail);
}

void reverse_clear(Reverse *x)
{
    dpor_note_races(x->stats, &x->trail.races);
    vec_free(&x->early);
    vec_free(&x->late);
    vec_free(&x->kept);
    vec_free(&x->run);
    trail_clear(&x->trail);
}

/* ---- children ---- */

static const Race *race_at(const Reverse *x, uint32_t i)
{
    return &x->trail.races.race.data[i];
}

/* Is the i-th event of the run before the race's? */
static bool is_before(const Trail *t, uint32_t i, const Race *race)
{
    return trail_less(t->weight.data[i], t->config.label.data[i], race->weight, race->label);
}

static int compare_first(const void *a, const void *b, void *data)
{
    const Race *races = data, *x = &races[*(const uint32_t *)a], *y = &races[*(const uint32_t *)b];
    return x->first != y->first                                   ? (x->first < y->first ? -1 : 1)
           : trail_less(x->weight, x->label, y->weight, y->label) ? -1
                                                                  : 1;
}

static void sort_races(Reverse *x)
{
    const Trail *t = &x->trail;
    vec_clear(&x->early);
    vec_clear(&x->late);
    for (uint32_t i = 0; i < t->races.race.len; i++) {
        const Race *g = race_at(x, i);
        if (is_before(t, g->first, g))
            vec_push(&x->late, i);
        else
            vec_push(&x->early, i);
    }
    x->stats->races += t->races.race.len;
    if (x->late.len) qsort_r(x->late.data, x->late.len, sizeof *x->late.data, compare_first, t->races.race.data);
}

/* kept := X(e). */
static void keep_for(Reverse *x, const Race *e)
{
    Trail *t = &x->trail;
    const Config *c = &t->config;
    uint32_t used = (c->n + 63) / 64;
    const uint64_t *bad = races_conflicts(&t->races, e, c);
    vec_reserve(&x->kept, used);
    memset(x->kept.data, 0, used * sizeof *x->kept.data);
    for (uint32_t i = 0; i < c->n && is_before(t, i, e); i++)
        if (i < e->first || !bitset_meets(config_local(c, i), bad, used)) bitset_set(x->kept.data, i);
}

/* Can C(X(e)) become D? */
static bool leads_back(Reverse *x)
{
    for (size_t k = 0; k < x->early.len; k++)
        if (!races_conflict_inside(&x->trail.races, race_at(x, x->early.data[k]), &x->trail.config, x->kept.data))
            return false;
    return true;
}

/* Is something before e added to X(e) and e? Not an early race, if it leads back. */
static bool grows_before(Reverse *x, const Race *e)
{
    const Trail *t = &x->trail;
    for (size_t k = 0; k < x->late.len; k++) {
        const Race *g = race_at(x, x->late.data[k]);
        if (bitset_get(x->kept.data, g->first) || !trail_less(g->weight, g->label, e->weight, e->label)) continue;
        if (indep_dependent(t->indep, g->label, e->label)) continue;
        if (races_causes_inside(&t->races, g, &t->config, x->kept.data) &&
            !races_conflict_inside(&t->races, g, &t->config, x->kept.data))
            return true;
    }
    return false;
}

/* `choice` is the position of D's last choice, or UINT32_MAX. */
static void add_children(Reverse *x, uint32_t choice, Backlog *children)
{
    const Trail *t = &x->trail;
    sort_races(x);
    for (size_t k = 0; k < x->late.len; k++) {
        const Race *e = race_at(x, x->late.data[k]);
        if (choice != UINT32_MAX && !is_before(t, choice, e)) continue;
        keep_for(x, e);
        if (!leads_back(x) || grows_before(x, e)) {
            x->stats->covered++;
            continue;
        }
        vec_clear(&x->run);
        for (BITSET_EACH(i, x->kept.data, (t->config.n + 63) / 64)) vec_push(&x->run, t->config.label.data[i]);
        vec_push(&x->run, e->label);
        backlog_push(children, x->run.data, x->run.len);
        x->stats->inserted++;
    }
}

/* ---- a visit ---- */

static uint32_t least_enabled(const Trail *t)
{
    uint32_t least = UINT32_MAX;
    for (BITSET_EACH(u, t->enabled, t->label_words))
        if (least == UINT32_MAX || trail_less(t->weight_of[u], (uint32_t)u, t->weight_of[least], least))
            least = (uint32_t)u;
    return least;
}

/* Is the last event behind the one before it? */
static bool is_in_order(const Trail *t)
{
    const uint32_t *label = t->config.label.data, last = t->config.n - 1;
    return !last || trail_less(t->weight.data[last - 1], label[last - 1], t->weight.data[last], label[last]);
}

static bool push(Trail *t, uint32_t label)
{
    if (budget_spent(t->outcome->budget) || !trail_push(t, label)) return false;
    assert(is_in_order(t));
    return true;
}

bool reverse_accepts(Reverse *x, const uint32_t *run, size_t n)
{
    Trail *t = &x->trail;
    for (size_t i = 0; i < n; i++) {
        if (!bitset_get(t->enabled, run[i]) && !t->indep->doubt_start) return false;
        if (budget_spent(t->outcome->budget) || !trail_push(t, run[i])) return true;
        if (!is_in_order(t)) return false;
    }
    return true;
}

/* C(run) becomes the present configuration. */
static bool go_to(Trail *t, const uint32_t *run, size_t n)
{
    uint32_t same = 0;
    while (same < n && same < t->config.n && run[same] == t->config.label.data[same]) same++;
    while (t->config.n > same) trail_pop(t);
    for (size_t i = same; i < n; i++)
        if (!push(t, run[i])) return false;
    for (uint32_t u; (u = least_enabled(t)) != UINT32_MAX;)
        if (!push(t, u)) return false;
    return !outcome_stopped(t->outcome);
}

bool reverse_visit(Reverse *x, const uint32_t *run, size_t n, Backlog *children)
{
    const Config *c = &x->trail.config;
    if (!go_to(&x->trail, run, n)) return false;
    if (!outcome_leaf(x->trail.outcome, x->kind = trail_leaf(&x->trail), c->state, c->label.data, c->n)) return false;
    add_children(x, n ? (uint32_t)n - 1 : UINT32_MAX, children);
    return true;
}
