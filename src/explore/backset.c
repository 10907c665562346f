#include "explore/backset.h"

#include "base/bitset.h"

#include <assert.h>

enum { ROUNDS = 40 }; /* of improving F; any number is right */
/* More firings count as unbounded, so that sums of products stay below 2^127. */
#define MOST_FIRINGS ((uint64_t)1 << 32)

void backset_init(Backset *b, const Constraints *constraints)
{
    const Net *net = constraints->net;
    uint32_t p = MAX(net->n_places, 1), t = MAX(net->n_transitions, 1);
    *b = (Backset){.net = net, .constraints = constraints};
    b->firings = g_new0(uint64_t, t);
    b->demand = g_new0(unsigned __int128, p);
    b->growth = g_new0(unsigned __int128, p);
    b->endless_demand = g_new0(uint32_t, p);
    b->endless_growth = g_new0(uint32_t, p);
    b->in_set = g_new0(uint32_t, t);
}

void backset_clear(Backset *b)
{
    g_free(b->firings);
    g_free(b->demand);
    g_free(b->growth);
    g_free(b->endless_demand);
    g_free(b->endless_growth);
    g_free(b->in_set);
    vec_free(&b->open);
    vec_free(&b->best);
}

/* ---- how often can each still fire? ---- */

static void sum_effects(Backset *b)
{
    const Constraints *c = b->constraints;
    for (uint32_t p = 0; p < b->net->n_places; p++) {
        b->demand[p] = b->growth[p] = 0;
        b->endless_demand[p] = b->endless_growth[p] = 0;
    }
    for (uint32_t t = 0; t < b->net->n_transitions; t++) {
        uint64_t f = b->firings[t];
        for (uint32_t i = c->tap_start[t]; f && i < c->tap_start[t + 1]; i++) {
            const ConstraintTap *tap = &c->taps[i];
            if (f == BACKSET_FOREVER) {
                b->endless_demand[tap->place] += tap->lower > 0;
                b->endless_growth[tap->place] += tap->raise > 0;
            } else {
                b->demand[tap->place] += (unsigned __int128)f * tap->lower;
                b->growth[tap->place] += (unsigned __int128)f * tap->raise;
            }
        }
    }
}

/* F(t) from the tokens that each place has and can still get. */
static uint64_t bound_firings(const Backset *b, uint32_t t)
{
    const Constraints *c = b->constraints;
    uint64_t least = b->firings[t];
    for (uint32_t i = c->tap_start[t]; i < c->tap_start[t + 1]; i++) {
        const ConstraintTap *tap = &c->taps[i];
        if (!tap->need || b->endless_growth[tap->place]) continue;
        unsigned __int128 supply = b->marking[tap->place] + b->growth[tap->place];
        if (supply < tap->need) return 0;
        if (!tap->lower) continue;
        unsigned __int128 times = (supply - tap->need) / tap->lower + 1;
        if (times < least && times <= MOST_FIRINGS) least = (uint64_t)times;
    }
    return least;
}

void backset_at(Backset *b, const uint64_t *marking, const uint64_t *enabled)
{
    b->marking = marking;
    b->enabled = enabled;
    for (uint32_t t = 0; t < b->net->n_transitions; t++)
        b->firings[t] = spins_stands_still(b->spins, t) ? 0 : BACKSET_FOREVER;
    sum_effects(b);
    bool changed = true;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = false;
        for (uint32_t t = 0; t < b->net->n_transitions; t++) {
            uint64_t f = bound_firings(b, t);
            assert(f <= b->firings[t]);
            changed |= f != b->firings[t];
            b->firings[t] = f;
        }
        sum_effects(b);
    }
}

/* ---- uniformity ---- */

static const ConstraintTap *tap_of(const Constraints *c, uint32_t t, uint32_t place)
{
    for (uint32_t i = c->tap_start[t]; i < c->tap_start[t + 1]; i++)
        if (c->taps[i].place == place) return &c->taps[i];
    return NULL;
}

/* The bound holds at every marking reached without t where u is about to fire. */
static bool bound_lasts(const Backset *b, uint32_t t, uint32_t u, const ConstraintBound *bound)
{
    const ConstraintTap *of_t = tap_of(b->constraints, t, bound->place);
    const ConstraintTap *of_u = tap_of(b->constraints, u, bound->place);
    uint32_t p = bound->place;
    bool t_forever = b->firings[t] == BACKSET_FOREVER;
    if (bound->least) {
        uint64_t t_lower = of_t ? of_t->lower : 0, u_lower = of_u ? of_u->lower : 0;
        if (b->endless_demand[p] > (uint32_t)(t_forever && t_lower)) return false;
        unsigned __int128 taken = b->demand[p] - (t_forever ? 0 : (unsigned __int128)b->firings[t] * t_lower);
        if ((unsigned __int128)b->marking[p] + u_lower < taken + bound->least) return false;
    }
    if (bound->most != UINT64_MAX) {
        uint64_t t_raise = of_t ? of_t->raise : 0, u_raise = of_u ? of_u->raise : 0;
        if (b->endless_growth[p] > (uint32_t)(t_forever && t_raise)) return false;
        unsigned __int128 added = b->growth[p] - (t_forever ? 0 : (unsigned __int128)b->firings[t] * t_raise);
        if (b->marking[p] + added > (unsigned __int128)bound->most + u_raise) return false;
    }
    return true;
}

bool backset_uniform(Backset *b, uint32_t t, uint32_t u)
{
    const Constraints *c = b->constraints;
    assert(t != u && bitset_get(b->enabled, t) && b->firings[t]);
    const ConstraintPair *pair = constraints_pair(c, t, u);
    if (!pair || b->firings[u] == 0) return true;
    b->asked++;
    for (uint32_t k = 0; k < pair->n; k++) {
        const Constraint *constraint = &c->constraint[pair->first + k];
        bool lasts = !constraint->doubtful;
        for (uint32_t i = 0; i < constraint->n_bounds && lasts; i++)
            lasts = bound_lasts(b, t, u, &c->bound[constraint->bounds + i]);
        b->uniform += lasts;
        if (lasts) return true;
    }
    return false;
}

/* ---- closed sets ---- */

static void add(Backset *b, uint32_t t)
{
    if (b->in_set[t] == b->round) return;
    b->in_set[t] = b->round;
    vec_push(&b->open, t);
}

/* Transitions that raise (or lower) the place; with `join` they enter the set. Returns how many. */
static uint32_t menders(Backset *b, uint32_t place, bool raise, bool join)
{
    uint32_t n = 0;
    NetRow row = net_transitions(b->net, raise ? ARC_POST : ARC_PRE, place);
    for (uint32_t i = 0; i < row.len; i++) {
        const ConstraintTap *tap = tap_of(b->constraints, row.node[i], place);
        assert(tap); /* it has an arc there */
        if (!(raise ? tap->raise : tap->lower) || b->firings[row.node[i]] == 0) continue;
        n++;
        if (join) add(b, row.node[i]);
    }
    return n;
}

/* One choice of what must happen before the disabled t can fire. */
static void add_enablers(Backset *b, uint32_t t)
{
    const Constraints *c = b->constraints;
    uint32_t place = UINT32_MAX, fewest = UINT32_MAX;
    bool raise = false;
    for (uint32_t i = c->tap_start[t]; i < c->tap_start[t + 1]; i++) {
        const ConstraintTap *tap = &c->taps[i];
        bool lacks = b->marking[tap->place]<tap->need, too_many = b->marking[tap->place]> tap->most;
        if (!lacks && !too_many) continue;
        uint32_t n = menders(b, tap->place, lacks, false);
        if (n >= fewest) continue;
        fewest = n;
        place = tap->place;
        raise = lacks;
    }
    assert(place != UINT32_MAX);
    menders(b, place, raise, true);
}

static bool spent(const Backset *b, uint32_t pairs)
{
    enum { MEMBER_UNITS = 10, PAIR_UNITS = 3 };
    return b->budget && budget_charge(b->budget, MEMBER_UNITS + PAIR_UNITS * MIN(pairs, 1000000));
}

/* Adds until closed; gives up when `limit` enabled members do not sleep, or the budget is spent. */
static uint32_t close_set(Backset *b, const uint64_t *sleep, uint32_t limit)
{
    const Constraints *c = b->constraints;
    uint32_t awake = 0;
    for (size_t i = 0; i < b->open.len && awake < limit; i++) {
        uint32_t t = b->open.data[i];
        if (spent(b, c->pair_start[t + 1] - c->pair_start[t])) break;
        if (!bitset_get(b->enabled, t)) {
            if (b->firings[t]) add_enablers(b, t);
            continue;
        }
        awake += !bitset_get(sleep, t);
        for (uint32_t k = c->pair_start[t]; k < c->pair_start[t + 1]; k++)
            if (!backset_uniform(b, t, c->pairs[k].other)) add(b, c->pairs[k].other);
    }
    return awake;
}

void backset_choose(Backset *b, const uint64_t *sleep, uint64_t *set)
{
    size_t words = bitset_words(b->net->n_transitions);
    uint32_t fewest = UINT32_MAX;
    for (BITSET_EACH(seed, b->enabled, words)) {
        b->round++;
        vec_clear(&b->open);
        add(b, (uint32_t)seed);
        uint32_t awake = close_set(b, sleep, fewest);
        assert(awake <= b->open.len);
        if (spent(b, 0)) {
            memcpy(set, b->enabled, words * sizeof *set);
            return;
        }
        if (awake >= fewest) continue;
        fewest = awake;
        vec_clear(&b->best);
        vec_append(&b->best, b->open.data, b->open.len);
        if (fewest == 0) break;
    }
    assert(fewest != UINT32_MAX);
    memset(set, 0, words * sizeof *set);
    for (size_t i = 0; i < b->best.len; i++)
        if (bitset_get(b->enabled, b->best.data[i])) bitset_set(set, b->best.data[i]);
}
