#include "certify/ranks.h"

#include "certify/closed_markings.h"
#include "certify/holds.h"

#include <string.h>

typedef struct Ranked {
    const Net *net;
    const Certificate *certificate;
    uint64_t *marking, *next, *state; /* scratch */
} Ranked;

/* What is wrong with the firings of marking i, which is in r->marking; NULL: nothing. */
static char *look_at_firings(const Ranked *r, uint64_t i)
{
    const Certificate *c = r->certificate;
    bool falls = c->ranks[i] == 0;
    for (uint32_t t = 0; t < r->net->n_transitions; t++) {
        uint64_t to;
        if (!net_enabled(r->net, r->marking, t)) continue;
        memcpy(r->next, r->marking, r->net->n_places * sizeof *r->next);
        if (!net_fire(r->net, r->next, t) || !closed_markings_find(c, r->next, r->net->n_places, r->state, &to))
            return g_strdup_printf("firing %s at marking %" G_GUINT64_FORMAT " leaves the set",
                                   net_transition_id(r->net, t), i);
        falls |= c->ranks[to] < c->ranks[i];
    }
    return falls ? NULL
                 : g_strdup_printf("no firing at marking %" G_GUINT64_FORMAT " leads to a smaller rank than its %u", i,
                                   c->ranks[i]);
}

bool ranks_check(const Net *net, const FormulaStore *store, FormulaId goal, const Certificate *c, Budget *budget,
                 char **problem)
{
    g_autofree uint64_t *marking = g_new0(uint64_t, (size_t)net->n_places + 1);
    g_autofree uint64_t *next = g_new0(uint64_t, (size_t)net->n_places + 1), *state = g_new0(uint64_t, c->words);
    Ranked r = {net, c, marking, next, state};
    uint64_t at;
    if (!closed_markings_find(c, net->initial, net->n_places, state, &at))
        *problem = g_strdup("the initial marking is not in the set");
    for (uint64_t i = 0; i < c->n && !*problem; i++) {
        if (i && closed_markings_compare(c->states + (i - 1) * c->words, c->states + i * c->words, c->words) >= 0)
            *problem = g_strdup_printf("marking %" G_GUINT64_FORMAT " is out of order", i);
        closed_markings_unpack(c, c->states + i * c->words, net->n_places, marking);
        if (!*problem && c->ranks[i] == 0 && !holds_at(store, goal, marking))
            *problem = g_strdup_printf("marking %" G_GUINT64_FORMAT " has rank 0, but the goal does not hold there", i);
        if (!*problem) *problem = look_at_firings(&r, i);
        if (!*problem && budget_spent(budget)) *problem = g_strdup(budget_text(budget));
    }
    return !*problem;
}
