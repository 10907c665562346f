#include "certify/closed_markings.h"

#include "certify/holds.h"
#include "certify/stubborn_sets.h"
#include "certify/symmetries.h"

#include <string.h>

int closed_markings_compare(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static void unpack(const Certificate *c, const uint64_t *state, uint32_t n_places, uint64_t *marking)
{
    for (uint32_t p = 0; p < n_places; p++) {
        uint64_t bit = (uint64_t)p * c->width;
        marking[p] = c->width == 64 ? state[p] : state[bit / 64] >> (bit % 64) & (((uint64_t)1 << c->width) - 1);
    }
}

/* False when a count does not fit. */
static bool pack(const Certificate *c, const uint64_t *marking, uint32_t n_places, uint64_t *state)
{
    memset(state, 0, c->words * sizeof *state);
    for (uint32_t p = 0; p < n_places; p++) {
        uint64_t bit = (uint64_t)p * c->width;
        if (c->width < 64 && marking[p] >> c->width) return false;
        if (c->width == 64)
            state[p] = marking[p];
        else
            state[bit / 64] |= marking[p] << (bit % 64);
    }
    return true;
}

/* Where the marking is among `states`; false when it is not. `state` is scratch. */
static bool find(const Certificate *c, const uint64_t *marking, uint32_t n_places, uint64_t *state, uint64_t *index)
{
    if (!pack(c, marking, n_places, state)) return false;
    uint64_t low = 0, high = c->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = closed_markings_compare(c->states + middle * c->words, state, c->words);
        *index = middle;
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* One check. */
typedef struct Closing {
    const Net *net;
    const Certificate *certificate;
    StubbornSets *set;                /* of the kinds stubborn and symmetric */
    Symmetries *symmetries;           /* of the kind symmetric */
    const uint32_t *ranks;            /* of the kind ranks */
    uint64_t *marking, *next, *state; /* scratch */
} Closing;

/* Looks for what x->next is, or what symmetries make of it, which changes it. */
static bool next_is_in(Closing *x, uint64_t *index)
{
    if (x->symmetries) symmetries_lessen(x->symmetries, x->next);
    return find(x->certificate, x->next, x->net->n_places, x->state, index);
}

/* The first transition, enabled at marking i and (if asked) in the set, whose firing leaves the markings; NET_NONE:
 * none does. *falls: one leads to a smaller rank. */
static uint32_t leaves(Closing *x, uint64_t i, bool *falls)
{
    const Net *net = x->net;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        uint64_t to;
        if ((x->set && !stubborn_sets_has(x->set, t)) || !net_enabled(net, x->marking, t)) continue;
        memcpy(x->next, x->marking, net->n_places * sizeof *x->next);
        if (!net_fire(net, x->next, t) || !next_is_in(x, &to)) return t;
        *falls |= x->ranks && x->ranks[to] < x->ranks[i];
    }
    return NET_NONE;
}

/* What is wrong with marking i, which is in x->marking; NULL: nothing. */
static char *look_at_firings(Closing *x, uint64_t i)
{
    bool falls = !x->ranks || x->ranks[i] == 0;
    uint32_t t = NET_NONE;
    for (unsigned choice = 0; choice == 0 || (x->set && choice < x->set->choices); choice++) {
        if (x->set) stubborn_sets_at(x->set, x->marking, choice);
        t = leaves(x, i, &falls);
        if (t == NET_NONE) break;
    }
    if (t != NET_NONE)
        return g_strdup_printf("firing %s at marking %" G_GUINT64_FORMAT " leaves the set",
                               net_transition_id(x->net, t), i);
    return falls ? NULL
                 : g_strdup_printf("no firing at marking %" G_GUINT64_FORMAT " leads to a smaller rank than its %u", i,
                                   x->ranks[i]);
}

static char *look_at(Closing *x, const FormulaStore *store, FormulaId goal, uint64_t i)
{
    const Certificate *c = x->certificate;
    const uint64_t *state = c->states + i * c->words;
    if (i && closed_markings_compare(state - c->words, state, c->words) >= 0)
        return g_strdup_printf("marking %" G_GUINT64_FORMAT " is out of order", i);
    unpack(c, state, x->net->n_places, x->marking);
    bool asked = !x->ranks || x->ranks[i] == 0;
    if (asked && holds_at(store, goal, x->marking) != (x->ranks != NULL))
        return g_strdup_printf(x->ranks ? "marking %" G_GUINT64_FORMAT " has rank 0, but the goal does not hold there"
                                        : "marking %" G_GUINT64_FORMAT " satisfies the goal",
                               i);
    return look_at_firings(x, i);
}

bool closed_markings_check(const Net *net, FormulaStore *store, FormulaId goal, const Certificate *c, Budget *budget,
                           char **problem)
{
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1), *next = g_new0(uint64_t, net->n_places + 1);
    g_autofree uint64_t *state = g_new0(uint64_t, c->words);
    bool symmetric = c->kind == CERTIFICATE_SYMMETRIC;
    g_autoptr(StubbornSets) set =
        symmetric || c->kind == CERTIFICATE_STUBBORN ? stubborn_sets_new(net, store, goal) : NULL;
    g_autoptr(Symmetries) symmetries = symmetric ? symmetries_new(net, &c->symmetries, budget) : NULL;
    const uint32_t *ranks = c->kind == CERTIFICATE_RANKS ? c->ranks : NULL;
    Closing x = {net, c, set, symmetries, ranks, marking, next, state};
    if (symmetric && !symmetries_check(symmetries, store, goal, problem)) return false;
    uint64_t at;
    memcpy(next, net->initial, net->n_places * sizeof *next);
    if (!next_is_in(&x, &at)) *problem = g_strdup("the initial marking is not in the set");
    for (uint64_t i = 0; i < c->n && !*problem; i++) {
        *problem = look_at(&x, store, goal, i);
        if (!budget_spent(budget)) continue;
        g_free(*problem);
        *problem = g_strdup(budget_text(budget));
    }
    return !*problem;
}
