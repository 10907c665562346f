#include "lts/cliques.h"

#include "base/bisect.h"
#include "base/vec.h"

#include <assert.h>
#include <stdlib.h>

typedef struct Membership {
    uint32_t action, clique;
} Membership;

typedef struct Cover {
    const Indep *indep;
    bool *covered; /* parallel to indep->dependent */
    VecU32 clique; /* the one that grows */
    VEC(Membership) members;
    uint32_t n;
} Cover;

/* Where the pair stands in the rows; the actions are dependent. */
static uint32_t entry(const Indep *d, uint32_t a, uint32_t b)
{
    uint32_t i;
    BISECT(i, d->start[a], d->start[a + 1], d->dependent[i] < b);
    assert(i < d->start[a + 1] && d->dependent[i] == b);
    return i;
}

static bool is_new(const Cover *k, uint32_t a, uint32_t b)
{
    return !k->covered[entry(k->indep, a, b)];
}

/* Does the action depend on all of the clique, and cover a new pair with it? */
static bool wanted(const Cover *k, uint32_t action)
{
    bool gain = false;
    for (size_t i = 0; i < k->clique.len; i++) {
        uint32_t other = k->clique.data[i];
        if (other == action || !indep_dependent(k->indep, action, other)) return false;
        gain = gain || is_new(k, action, other);
    }
    return gain;
}

static void close_clique(Cover *k)
{
    for (size_t i = 0; i < k->clique.len; i++) {
        uint32_t a = k->clique.data[i];
        vec_push(&k->members, ((Membership){a, k->n}));
        for (size_t j = 0; j < k->clique.len; j++) k->covered[entry(k->indep, a, k->clique.data[j])] = true;
    }
    k->n++;
}

static void cover_action(Cover *k, uint32_t a)
{
    const Indep *d = k->indep;
    for (uint32_t i = d->start[a]; i < d->start[a + 1]; i++) {
        /* the pair (a,a) comes first for an action without company, else it is covered by another pair */
        bool alone = d->start[a + 1] - d->start[a] == 1;
        if (k->covered[i] || (d->dependent[i] == a && !alone)) continue;
        vec_clear(&k->clique);
        vec_push(&k->clique, a);
        if (!alone) vec_push(&k->clique, d->dependent[i]);
        for (uint32_t j = d->start[a]; j < d->start[a + 1]; j++)
            if (wanted(k, d->dependent[j])) vec_push(&k->clique, d->dependent[j]);
        close_clique(k);
    }
}

Cliques *cliques_new(const Indep *indep)
{
    Cover k = {.indep = indep, .covered = g_new0(bool, (size_t)indep->start[indep->n] + 1)};
    for (uint32_t a = 0; a < indep->n; a++) cover_action(&k, a);
    Cliques *cliques = g_new0(Cliques, 1);
    cliques->n = k.n;
    cliques->start = g_new0(uint32_t, (size_t)indep->n + 2);
    cliques->of = g_new0(uint32_t, k.members.len + 1);
    for (size_t i = 0; i < k.members.len; i++) cliques->start[k.members.data[i].action + 2]++;
    for (uint32_t a = 0; a < indep->n; a++) cliques->start[a + 2] += cliques->start[a + 1];
    for (size_t i = 0; i < k.members.len; i++)
        cliques->of[cliques->start[k.members.data[i].action + 1]++] = k.members.data[i].clique;
    g_free(k.covered);
    vec_free(&k.clique);
    vec_free(&k.members);
    return cliques;
}

void cliques_free(Cliques *cliques)
{
    if (!cliques) return;
    g_free(cliques->start);
    g_free(cliques->of);
    g_free(cliques);
}
