#include "verify/token_groups.h"

#include "base/exact.h"
#include "verify/effects.h"

/* Up to so many places that a transition changes, all ways to keep the balance are allowed; of more, it may take and
 * put one token each. */
enum { FEW_CHANGES = 6 };

struct TokenGroups {
    const Net *net;
    Sat *sat;
    SatLit in; /* + place: it is in the group */
};

typedef struct Changes {
    SatLit literal[FEW_CHANGES];
    int64_t effect[FEW_CHANGES];
    unsigned n;
} Changes;

static void forbid(TokenGroups *g, const Changes *c, unsigned chosen)
{
    for (unsigned i = 0; i < c->n; i++) sat_add(g->sat, chosen >> i & 1 ? -c->literal[i] : c->literal[i]);
    sat_add(g->sat, 0);
}

static void balance_exactly(TokenGroups *g, const Changes *c)
{
    for (unsigned chosen = 0; chosen < 1U << c->n; chosen++) {
        Sum sum = exact_of(0);
        for (unsigned i = 0; i < c->n; i++)
            if (chosen >> i & 1) exact_add(&sum, c->effect[i]);
        if (exact_sign(sum)) forbid(g, c, chosen);
    }
}

static void imply_one_of(TokenGroups *g, const VecTerm *effect, size_t from)
{
    sat_add(g->sat, -(g->in + (SatLit)effect->data[from].place));
    for (size_t i = 0; i < effect->len; i++)
        if (effect->data[i].coefficient == -effect->data[from].coefficient)
            sat_add(g->sat, g->in + (SatLit)effect->data[i].place);
    sat_add(g->sat, 0);
}

static void balance_singly(TokenGroups *g, const VecTerm *effect)
{
    VEC(SatLit) side = {0};
    for (int sign = -1; sign <= 1; sign += 2) {
        vec_clear(&side);
        for (size_t i = 0; i < effect->len; i++)
            if (effect->data[i].coefficient == sign) vec_push(&side, g->in + (SatLit)effect->data[i].place);
        if (side.len) sat_at_most_one(g->sat, side.data, side.len);
    }
    for (size_t i = 0; i < effect->len; i++) {
        int64_t changes = effect->data[i].coefficient;
        if (changes == 1 || changes == -1)
            imply_one_of(g, effect, i);
        else
            sat_clause_of(g->sat, -(g->in + (SatLit)effect->data[i].place));
    }
    vec_free(&side);
}

static void keep_balance(TokenGroups *g, const VecTerm *effect)
{
    Changes c = {.n = 0};
    if (effect->len > FEW_CHANGES) {
        balance_singly(g, effect);
        return;
    }
    for (size_t i = 0; i < effect->len; i++, c.n++) {
        c.literal[c.n] = g->in + (SatLit)effect->data[i].place;
        c.effect[c.n] = effect->data[i].coefficient;
    }
    balance_exactly(g, &c);
}

TokenGroups *token_groups_new(const Net *net, Budget *budget)
{
    TokenGroups *g = g_new0(TokenGroups, 1);
    Effects effects;
    VecTerm effect = {0};
    VEC(SatLit) initial = {0};
    g->net = net;
    g->sat = sat_new();
    g->in = sat_variables(g->sat, (int)net->n_places);
    sat_begin(g->sat, budget);
    effects_init(&effects, net);
    for (uint32_t c = 0; c < effects.n && !sat_spent(g->sat); c++) {
        effects_of(net, effects.first[c], &effect);
        keep_balance(g, &effect);
    }
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] == 1)
            vec_push(&initial, g->in + (SatLit)p);
        else if (net->initial[p])
            sat_clause_of(g->sat, -(g->in + (SatLit)p));
    sat_clause(g->sat, initial.data, initial.len);
    sat_at_most_one(g->sat, initial.data, initial.len);
    if (!sat_end(g->sat)) sat_clause(g->sat, NULL, 0); /* no groups rather than wrong ones */
    effects_clear(&effects);
    vec_free(&effect);
    vec_free(&initial);
    return g;
}

void token_groups_free(TokenGroups *groups)
{
    if (!groups) return;
    sat_free(groups->sat);
    g_free(groups);
}

static SatAnswer find(TokenGroups *g, Budget *budget, VecU32 *places)
{
    SatAnswer answer = sat_solve(g->sat, budget);
    if (answer != SAT_YES) return answer;
    for (uint32_t p = 0; p < g->net->n_places; p++)
        if (sat_value(g->sat, g->in + (SatLit)p)) vec_push(places, p);
    vec_push(places, NET_NONE);
    return answer;
}

SatAnswer token_groups_with(TokenGroups *groups, uint32_t place, Budget *budget, VecU32 *places)
{
    sat_assume(groups->sat, groups->in + (SatLit)place);
    return find(groups, budget, places);
}

/* The marked places have an order; `seen` says of each whether one before it is in the group. */
SatAnswer token_groups_broken(TokenGroups *groups, const bool *marked, Budget *budget, VecU32 *places)
{
    Sat *sat = groups->sat;
    SatLit asked = sat_variable(sat), seen = 0;
    VEC(SatLit) second = {0};
    vec_push(&second, -asked);
    for (uint32_t p = 0; p < groups->net->n_places; p++) {
        if (!marked[p]) continue;
        SatLit in = groups->in + (SatLit)p, now = sat_variable(sat);
        sat_clause_of(sat, -asked, -now, in, seen ? seen : in);
        if (seen) {
            SatLit both = sat_variable(sat);
            sat_clause_of(sat, -both, in);
            sat_clause_of(sat, -both, seen);
            vec_push(&second, both);
        }
        seen = now;
    }
    sat_clause(sat, second.data, second.len);
    vec_free(&second);
    sat_assume(sat, asked);
    SatAnswer answer = find(groups, budget, places);
    sat_clause_of(sat, -asked);
    return answer;
}
