#include "certify/closed_markings.h"

#include "certify/holds.h"
#include "certify/stubborn_sets.h"

#include <stdlib.h>
#include <string.h>

int closed_markings_compare(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static int compare_in(const void *a, const void *b, void *words)
{
    return closed_markings_compare(a, b, *(uint32_t *)words);
}

void closed_markings_sort(uint64_t *states, size_t n, uint32_t words)
{
    if (n) qsort_r(states, n, words * sizeof *states, compare_in, &words);
}

void closed_markings_unpack(const Certificate *c, const uint64_t *state, uint32_t n_places, uint64_t *marking)
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

bool closed_markings_find(const Certificate *c, const uint64_t *marking, uint32_t n_places, uint64_t *state,
                          uint64_t *index)
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

static bool contains(const Certificate *c, const uint64_t *marking, uint32_t n_places, uint64_t *state)
{
    uint64_t index;
    return closed_markings_find(c, marking, n_places, state, &index);
}

/* The first transition, enabled and (if asked) in the set, whose firing leaves the markings; NET_NONE: none does. */
static uint32_t leaves(const Net *net, const Certificate *c, const StubbornSets *set, const uint64_t *marking,
                       uint64_t *next, uint64_t *state)
{
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if ((set && !stubborn_sets_has(set, t)) || !net_enabled(net, marking, t)) continue;
        memcpy(next, marking, net->n_places * sizeof *next);
        if (!net_fire(net, next, t) || !contains(c, next, net->n_places, state)) return t;
    }
    return NET_NONE;
}

/* The same for the best choice of a needed set. */
static uint32_t leaves_by_choice(const Net *net, const Certificate *c, StubbornSets *set, const uint64_t *marking,
                                 uint64_t *next, uint64_t *state)
{
    uint32_t t = NET_NONE;
    for (unsigned choice = 0; choice == 0 || choice < set->choices; choice++) {
        stubborn_sets_at(set, marking, choice);
        t = leaves(net, c, set, marking, next, state);
        if (t == NET_NONE) break;
    }
    return t;
}

bool closed_markings_check(const Net *net, const FormulaStore *store, FormulaId goal, const Certificate *c,
                           Budget *budget, char **problem)
{
    g_autofree uint64_t *marking = g_new0(uint64_t, net->n_places + 1), *next = g_new0(uint64_t, net->n_places + 1);
    g_autofree uint64_t *state = g_new0(uint64_t, c->words);
    g_autoptr(StubbornSets) set = c->kind == CERTIFICATE_STUBBORN ? stubborn_sets_new(net, store, goal) : NULL;
    if (!contains(c, net->initial, net->n_places, state)) *problem = g_strdup("the initial marking is not in the set");
    for (uint64_t i = 0; i < c->n && !*problem; i++) {
        if (i && closed_markings_compare(c->states + (i - 1) * c->words, c->states + i * c->words, c->words) >= 0)
            *problem = g_strdup_printf("marking %" G_GUINT64_FORMAT " is out of order", i);
        closed_markings_unpack(c, c->states + i * c->words, net->n_places, marking);
        if (holds_at(store, goal, marking))
            *problem = g_strdup_printf("marking %" G_GUINT64_FORMAT " satisfies the goal", i);
        if (*problem) break;
        uint32_t t =
            set ? leaves_by_choice(net, c, set, marking, next, state) : leaves(net, c, NULL, marking, next, state);
        if (t != NET_NONE)
            *problem = g_strdup_printf("firing %s at marking %" G_GUINT64_FORMAT " leaves the set",
                                       net_transition_id(net, t), i);
        if (!*problem && budget_spent(budget)) *problem = g_strdup(budget_text(budget));
    }
    return !*problem;
}
