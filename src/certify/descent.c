#include "certify/descent.h"

#include "certify/goal_map.h"
#include "certify/wide.h"

/* Firings of any length, whatever the marking: what they need and change, in terms of the counts before them. */
typedef struct Firings {
    const Net *net;
    VecU32 touched; /* the places of what follows, each once */
    bool *is_touched;
    Int128 *need; /* at least so many */
    Int128 *most; /* at most so many; -1: any number (what cannot be is `impossible`) */
    Int128 *change;
    bool impossible; /* an inhibitor arc is sure to be in the way */
} Firings;

/* Where each place counts, and how much. */
typedef struct Levels {
    uint32_t *level; /* NET_NONE: nowhere */
    int64_t *weight;
    Wide *sum; /* scratch, one per level, zero */
    uint32_t n;
} Levels;

void descent_clear(Descent *d)
{
    vec_free(&d->levels);
    vec_free(&d->ways);
}

/* ---- firings ---- */

static void firings_init(Firings *f, const Net *net)
{
    size_t n = (size_t)net->n_places + 1;
    *f = (Firings){.net = net,
                   .is_touched = g_new0(bool, n),
                   .need = g_new0(Int128, n),
                   .most = g_new0(Int128, n),
                   .change = g_new0(Int128, n)};
}

static void firings_free(Firings *f)
{
    vec_free(&f->touched);
    g_free(f->is_touched);
    g_free(f->need);
    g_free(f->most);
    g_free(f->change);
}

static void forget(Firings *f)
{
    for (size_t i = 0; i < f->touched.len; i++) f->is_touched[f->touched.data[i]] = false;
    vec_clear(&f->touched);
    f->impossible = false;
}

static void touch(Firings *f, uint32_t p)
{
    if (f->is_touched[p]) return;
    f->is_touched[p] = true;
    vec_push(&f->touched, p);
    f->need[p] = f->change[p] = 0;
    f->most[p] = -1;
}

/* One more firing. Weights have 64 bits and lists fewer than 2^60 members, so nothing leaves 128 bits. */
static void fire(Firings *f, uint32_t t)
{
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(f->net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t p = row.node[i];
            touch(f, p);
            Int128 count = (Int128)net_weight(row, i) - f->change[p];
            if (kind == ARC_PRE || kind == ARC_READ) f->need[p] = MAX(f->need[p], count);
            if (kind != ARC_INHIBIT) continue;
            if (count <= 0) f->impossible = true;
            if (count > 0) f->most[p] = f->most[p] < 0 ? count - 1 : MIN(f->most[p], count - 1);
        }
    }
    for (int k = 0; k < 2; k++) {
        NetRow row = net_places(f->net, k ? ARC_POST : ARC_PRE, t);
        for (uint32_t i = 0; i < row.len; i++) f->change[row.node[i]] += (k ? 1 : -1) * (Int128)net_weight(row, i);
    }
}

/* Can they be fired? */
static bool possible_formula(const Firings *f, FormulaStore *store, FormulaId *possible)
{
    VecU32 parts = {0};
    bool ok = true;
    for (size_t i = 0; i < f->touched.len && ok && !f->impossible; i++) {
        uint32_t p = f->touched.data[i];
        FormulaId part;
        if (f->need[p] > INT64_MAX - 1 || f->most[p] > INT64_MAX - 1) {
            ok = false;
            break;
        }
        if (f->need[p] > 0) {
            ok = formula_at_most(store, &(FormulaTerm){p, -1}, 1, -(int64_t)f->need[p], &part, NULL);
            vec_push(&parts, ok ? part : FORMULA_ID_FALSE);
        }
        if (ok && f->most[p] >= 0) {
            ok = formula_at_most(store, &(FormulaTerm){p, 1}, 1, (int64_t)f->most[p], &part, NULL);
            vec_push(&parts, ok ? part : FORMULA_ID_FALSE);
        }
    }
    *possible = f->impossible ? FORMULA_ID_FALSE : formula_and(store, parts.data, parts.len);
    vec_free(&parts);
    return ok;
}

/* ---- the goal after firings ---- */

static bool sum_after(const Firings *f, FormulaStore *store, FormulaNode node, FormulaId *after)
{
    g_autofree FormulaTerm *terms = g_memdup2(store->terms.data + node.from, node.len * sizeof *terms);
    Wide bound = wide_of(node.bound);
    int64_t fits;
    for (uint32_t i = 0; i < node.len; i++) {
        uint32_t p = terms[i].place;
        if (!f->is_touched[p]) continue;
        if (f->change[p] > INT64_MAX || f->change[p] < -INT64_MAX) return false;
        wide_add_product(&bound, (int64_t)-f->change[p], terms[i].coefficient);
    }
    return wide_fits(bound, &fits) && formula_at_most(store, terms, node.len, fits, after, NULL);
}

/* Can one of the transitions fire after the way, or can none? */
static bool fireable_after(const Net *net, const uint32_t *way, size_t n, FormulaStore *store, FormulaNode node,
                           FormulaId *after)
{
    VecU32 parts = {0};
    Firings f;
    bool ok = true;
    firings_init(&f, net);
    for (uint32_t i = 0; i < node.len && ok; i++) {
        FormulaId part;
        forget(&f);
        for (size_t k = 0; k < n; k++) fire(&f, way[k]);
        fire(&f, store->items.data[node.from + i]);
        ok = possible_formula(&f, store, &part);
        vec_push(&parts, ok ? part : FORMULA_ID_FALSE);
    }
    *after = formula_or(store, parts.data, parts.len);
    if (node.kind == FORMULA_UNFIREABLE) *after = formula_not(store, *after);
    firings_free(&f);
    vec_free(&parts);
    return ok;
}

typedef struct After {
    const Firings *firings;
    const uint32_t *way;
    size_t n;
    FormulaStore *store;
} After;

static bool leaf_after(void *data, FormulaNode node, FormulaId *after)
{
    const After *a = data;
    if (node.kind == FORMULA_AT_MOST) return sum_after(a->firings, a->store, node, after);
    if (node.kind == FORMULA_DEADLOCK || node.kind == FORMULA_ALIVE) return false;
    return fireable_after(a->firings->net, a->way, a->n, a->store, node, after);
}

/* Does the goal hold after the way? False where that cannot be put into a formula. */
static bool goal_after(const Firings *f, const uint32_t *way, size_t n, FormulaStore *store, FormulaId goal,
                       FormulaId *after)
{
    After a = {f, way, n, store};
    return goal_map(store, goal, store, leaf_after, &a, after);
}

/* ---- ranks ---- */

static bool read_levels(Levels *l, const Descent *d, const Net *net, char **problem)
{
    size_t n = (size_t)net->n_places + 1;
    *l = (Levels){.level = g_new(uint32_t, n), .weight = g_new0(int64_t, n)};
    for (size_t p = 0; p < n; p++) l->level[p] = NET_NONE;
    for (size_t i = 0; i < d->levels.len; i++) {
        uint32_t p = d->levels.data[i];
        if (p == NET_NONE)
            l->n++;
        else if (p >= net->n_places || (l->weight[p]++ && l->level[p] != l->n))
            *problem = g_strdup("a place is on two levels, or there is none of that number");
        else
            l->level[p] = l->n;
        if (*problem) break;
    }
    l->sum = g_new0(Wide, (size_t)l->n + 1);
    return !*problem;
}

static void levels_free(Levels *l)
{
    g_free(l->level);
    g_free(l->weight);
    g_free(l->sum);
}

/* Is the first sum that they change smaller afterwards? Not when a change is too large to be sure. */
static bool lowers(const Levels *l, const Firings *f)
{
    uint32_t first = NET_NONE;
    bool sure = true;
    for (size_t i = 0; i < f->touched.len; i++) {
        uint32_t p = f->touched.data[i];
        if (l->level[p] == NET_NONE) continue;
        sure = sure && f->change[p] <= INT64_MAX && f->change[p] >= -INT64_MAX;
        if (sure) wide_add_product(&l->sum[l->level[p]], l->weight[p], f->change[p]);
    }
    int sign = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < f->touched.len; i++) {
            uint32_t level = l->level[f->touched.data[i]];
            if (level == NET_NONE) continue;
            int own = wide_sign(l->sum[level]);
            if (round == 0 && own && level < first) first = level, sign = own;
            if (round == 1) l->sum[level] = wide_of(0);
        }
    return sure && sign < 0;
}

/* ---- stuck ---- */

typedef struct Collect {
    FormulaStore *store;
    FormulaId goal;
    Levels levels;
    Firings firings;
    VecU32 falling; /* transitions */
    VecU32 parts;   /* all of this is stuck */
} Collect;

static bool add_way(Collect *c, const uint32_t *way, size_t n, char **problem)
{
    Firings *f = &c->firings;
    FormulaId open, after = FORMULA_ID_TRUE;
    forget(f);
    for (size_t i = 0; i < n; i++) {
        if (way[i] >= f->net->n_transitions) {
            *problem = g_strdup("a way has a transition that does not exist");
            return false;
        }
        fire(f, way[i]);
    }
    if ((!lowers(&c->levels, f) && !goal_after(f, way, n, c->store, c->goal, &after)) ||
        !possible_formula(f, c->store, &open)) {
        *problem = g_strdup("a way does not lower the rank, and what it does to the goal cannot be told");
        return false;
    }
    open = formula_and(c->store, (FormulaId[]){open, after}, 2);
    vec_push(&c->parts, formula_not(c->store, open));
    return true;
}

static void find_falling(Collect *c)
{
    for (uint32_t t = 0; t < c->firings.net->n_transitions; t++) {
        forget(&c->firings);
        fire(&c->firings, t);
        if (lowers(&c->levels, &c->firings)) vec_push(&c->falling, t);
    }
}

bool descent_stuck(const Descent *d, FormulaStore *store, FormulaId goal, Budget *budget, FormulaId *stuck,
                   char **problem)
{
    Collect c = {.store = store, .goal = goal};
    firings_init(&c.firings, store->net);
    bool ok = read_levels(&c.levels, d, store->net, problem);
    if (ok) find_falling(&c);
    for (size_t from = 0, i = 0; i < d->ways.len && ok; i++) {
        if (d->ways.data[i] != NET_NONE) continue;
        ok = add_way(&c, d->ways.data + from, i - from, problem);
        if (ok && budget_spent(budget)) *problem = g_strdup(budget_text(budget)), ok = false;
        from = i + 1;
    }
    if (ok) {
        vec_push(&c.parts, formula_not(store, goal));
        if (c.falling.len)
            vec_push(&c.parts, formula_not(store, formula_fireable(store, c.falling.data, c.falling.len)));
        *stuck = formula_and(store, c.parts.data, c.parts.len);
    }
    levels_free(&c.levels);
    firings_free(&c.firings);
    vec_free(&c.falling);
    vec_free(&c.parts);
    return ok;
}
