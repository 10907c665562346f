#include "explore/constraint.h"

#include "base/bisect.h"
#include "base/compare.h"
#include "base/error.h"
#include "base/exact.h"
#include "base/quote.h"
#include "base/visible.h"
#include "explore/constraint_build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- what each transition does to places ---- */

COMPARE_BY(by_place, ConstraintTap, place)

static void add_taps(TapVec *taps, const Net *net, uint32_t t)
{
    size_t from = taps->len;
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            size_t k = from;
            while (k < taps->len && taps->data[k].place != row.node[i]) k++;
            if (k == taps->len) vec_push(taps, ((ConstraintTap){.place = row.node[i], .most = UINT64_MAX}));
            ConstraintTap *tap = &taps->data[k];
            uint64_t weight = net_weight(row, i);
            if (kind == ARC_INHIBIT)
                tap->most = MIN(tap->most, weight - 1);
            else if (kind != ARC_POST)
                tap->need = MAX(tap->need, weight);
        }
    }
    for (size_t k = from; k < taps->len; k++) {
        uint64_t pre = net_arc_weight(net, ARC_PRE, t, taps->data[k].place);
        uint64_t post = net_arc_weight(net, ARC_POST, t, taps->data[k].place);
        if (pre > post) taps->data[k].lower = pre - post;
        if (post > pre) taps->data[k].raise = post - pre;
        assert(!taps->data[k].lower || taps->data[k].need >= taps->data[k].lower);
    }
    if (taps->len > from) qsort(taps->data + from, taps->len - from, sizeof *taps->data, by_place);
}

/* ---- the closed form ---- */

/* The bound at a common place; false when there is none. */
static bool bound_at(const ConstraintTap *t, const ConstraintTap *u, ConstraintBound *bound)
{
    assert(t->place == u->place);
    *bound = (ConstraintBound){t->place, 0, UINT64_MAX};
    Total least = t->lower && u->need ? (Total)u->need + t->lower : 0;
    if (u->lower && t->need) least = MAX(least, (Total)t->need + u->lower);
    if (least > UINT64_MAX) {
        *bound = (ConstraintBound){t->place, 1, 0}; /* no count is enough */
        return true;
    }
    bound->least = (uint64_t)least;
    if (bound->least <= MAX(t->need, u->need)) bound->least = 0;
    if (t->raise && u->most != UINT64_MAX) bound->most = u->most >= t->raise ? u->most - t->raise : 0;
    if (u->raise && t->most != UINT64_MAX) bound->most = MIN(bound->most, t->most >= u->raise ? t->most - u->raise : 0);
    /* a place that is inhibited at any count leaves nothing: least above most says so */
    if ((t->raise && u->most < t->raise) || (u->raise && t->most < u->raise)) bound->least = 1;
    return bound->least || bound->most != UINT64_MAX;
}

/* Appends the bounds of t and u. False: they never commute. */
bool constraint_closed_form(const Constraints *c, uint32_t t, uint32_t u, BoundVec *bounds)
{
    assert(t != u);
    uint32_t i = c->tap_start[t], j = c->tap_start[u];
    while (i < c->tap_start[t + 1] && j < c->tap_start[u + 1]) {
        const ConstraintTap *a = &c->taps[i], *b = &c->taps[j];
        if (a->place < b->place) {
            i++;
        } else if (b->place < a->place) {
            j++;
        } else {
            ConstraintBound bound;
            if (bound_at(a, b, &bound)) {
                if (bound.least > bound.most) return false;
                vec_push(bounds, bound);
            }
            i++, j++;
        }
    }
    return true;
}

/* Transitions above t that share a place with it, once each. */
static void neighbours(const Net *net, const Constraints *c, uint32_t t, uint32_t *stamp, VecU32 *list)
{
    vec_clear(list);
    for (uint32_t i = c->tap_start[t]; i < c->tap_start[t + 1]; i++)
        for (int kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_transitions(net, kind, c->taps[i].place);
            for (uint32_t k = 0; k < row.len; k++) {
                uint32_t u = row.node[k];
                if (u <= t || stamp[u] == t + 1) continue;
                stamp[u] = t + 1;
                vec_push(list, u);
            }
        }
}

static int by_pair(const void *a, const void *b)
{
    const ConstraintDraft *x = a, *y = b;
    COMPARE(x->t, y->t);
    COMPARE(x->u, y->u);
    return (x->order > y->order) - (x->order < y->order);
}

/* Sorts the drafts into rows; every pair appears in the rows of both. */
void constraint_finish(Constraints *c, DraftVec *drafts, BoundVec *bounds)
{
    uint32_t n = c->net->n_transitions, *fill = g_new0(uint32_t, (size_t)n + 1);
    if (drafts->len) qsort(drafts->data, drafts->len, sizeof *drafts->data, by_pair);
    c->pair_start = g_new0(uint32_t, (size_t)n + 1);
    c->constraint = g_new0(Constraint, MAX(drafts->len, 1));
    for (size_t i = 0; i < drafts->len; i++) {
        const ConstraintDraft *d = &drafts->data[i];
        assert(d->t < d->u);
        if (i && d[-1].t == d->t && d[-1].u == d->u) continue;
        c->pair_start[d->t + 1]++;
        c->pair_start[d->u + 1]++;
    }
    for (uint32_t t = 0; t < n; t++) c->pair_start[t + 1] += c->pair_start[t];
    c->pairs = g_new0(ConstraintPair, MAX(c->pair_start[n], 1));
    for (uint32_t t = 0; t < n; t++) fill[t] = c->pair_start[t];
    for (size_t i = 0, to; i < drafts->len; i = to) {
        const ConstraintDraft *d = &drafts->data[i];
        ConstraintPair pair = {.first = c->n_constraints};
        for (to = i; to < drafts->len && drafts->data[to].t == d->t && drafts->data[to].u == d->u; to++) {
            if (drafts->data[to].never) continue;
            c->constraint[c->n_constraints++] = drafts->data[to].constraint;
            c->n_doubtful += drafts->data[to].constraint.doubtful;
        }
        pair.n = c->n_constraints - pair.first;
        pair.other = d->u;
        c->pairs[fill[d->t]++] = pair;
        pair.other = d->t;
        c->pairs[fill[d->u]++] = pair;
    }
    for (uint32_t t = 0; t < n; t++) assert(fill[t] == c->pair_start[t + 1]);
    c->bound = bounds->data;
    c->n_bounds = (uint32_t)bounds->len;
    assert(c->n_constraints <= drafts->len);
    g_free(fill);
}

Constraints *constraint_start(const Net *net)
{
    Constraints *c = g_new0(Constraints, 1);
    c->net = net;
    c->tap_start = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    TapVec taps = {0};
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        add_taps(&taps, net, t);
        c->tap_start[t + 1] = (uint32_t)taps.len;
    }
    c->taps = taps.data;
    return c;
}

bool constraint_draft_all(const Constraints *c, DraftVec *drafts, BoundVec *bounds, Budget *budget, GError **error)
{
    enum { PAIR_UNITS = 20 };
    bool good = true;
    uint32_t n = c->net->n_transitions, *stamp = g_new0(uint32_t, MAX(n, 1));
    VecU32 list = {0};
    for (uint32_t t = 0; t < n && good; t++) {
        neighbours(c->net, c, t, stamp, &list);
        for (size_t k = 0; k < list.len; k++) {
            size_t from = bounds->len;
            bool never = !constraint_closed_form(c, t, list.data[k], bounds);
            if (never) bounds->len = from;
            if (!never && bounds->len == from) continue;
            ConstraintDraft draft = {.t = t, .u = list.data[k], .never = never};
            draft.constraint = (Constraint){(uint32_t)from, (uint32_t)(bounds->len - from), false};
            vec_push(drafts, draft);
        }
        good = !budget || !budget_charge(budget, PAIR_UNITS * (uint32_t)MIN(list.len + 1, 1000000));
    }
    vec_free(&list);
    g_free(stamp);
    if (!good)
        g_set_error(error, MAZURKA_ERROR, ERROR_SPENT, "%s: where transitions commute was not worked out: %s",
                    c->net->name, budget_text(budget));
    return good;
}

Constraints *constraints_within(const Net *net, Budget *budget, GError **error)
{
    Constraints *c = constraint_start(net);
    DraftVec drafts = {0};
    BoundVec bounds = {0};
    if (constraint_draft_all(c, &drafts, &bounds, budget, error)) {
        constraint_finish(c, &drafts, &bounds);
    } else {
        vec_free(&bounds);
        g_clear_pointer(&c, constraints_free);
    }
    vec_free(&drafts);
    return c;
}

Constraints *constraints_new(const Net *net)
{
    return constraints_within(net, NULL, NULL);
}

void constraints_free(Constraints *c)
{
    if (!c) return;
    g_free(c->tap_start);
    g_free(c->taps);
    g_free(c->pair_start);
    g_free(c->pairs);
    g_free(c->constraint);
    g_free(c->bound);
    g_free(c);
}

/* ---- questions ---- */

const ConstraintPair *constraints_pair(const Constraints *c, uint32_t t, uint32_t u)
{
    assert(t < c->net->n_transitions && u < c->net->n_transitions);
    uint32_t i, end = c->pair_start[t + 1];
    BISECT(i, c->pair_start[t], end, c->pairs[i].other < u);
    return i < end && c->pairs[i].other == u ? &c->pairs[i] : NULL;
}

static bool holds(const Constraints *c, const Constraint *constraint, const uint64_t *marking)
{
    for (uint32_t i = 0; i < constraint->n_bounds; i++) {
        const ConstraintBound *b = &c->bound[constraint->bounds + i];
        if (marking[b->place] < b->least || marking[b->place] > b->most) return false;
    }
    return true;
}

bool constraints_hold(const Constraints *c, const ConstraintPair *pair, const uint64_t *marking, bool *doubtful)
{
    assert(pair->first + pair->n <= c->n_constraints);
    bool any = false;
    *doubtful = false;
    for (uint32_t k = 0; k < pair->n; k++) {
        const Constraint *constraint = &c->constraint[pair->first + k];
        if (!holds(c, constraint, marking)) continue;
        if (!constraint->doubtful) {
            *doubtful = false;
            return true;
        }
        any = *doubtful = true;
    }
    return any;
}

/* Is t, enabled at the marking, still enabled after u? */
static bool survives(const Constraints *c, uint32_t t, uint32_t u, const uint64_t *marking)
{
    for (uint32_t i = c->tap_start[t]; i < c->tap_start[t + 1]; i++)
        for (uint32_t j = c->tap_start[u]; j < c->tap_start[u + 1]; j++) {
            const ConstraintTap *a = &c->taps[i], *b = &c->taps[j];
            if (a->place != b->place) continue;
            assert(marking[a->place] >= a->need && marking[b->place] >= b->need && marking[b->place] >= b->lower);
            Total count = (Total)marking[a->place] - b->lower + b->raise;
            if (count < a->need || (a->most != UINT64_MAX && count > a->most)) return false;
        }
    return true;
}

bool constraints_commute(const Constraints *c, uint32_t t, uint32_t u, const uint64_t *marking)
{
    return survives(c, t, u, marking) && survives(c, u, t, marking);
}

/* ---- text ---- */

static void print_id(GString *text, const char *id)
{
    bool plain = *id && !strpbrk(id, " :,#\"\\<>=");
    for (const char *c = id; plain && *c; c += visible_length(c)) plain = visible_length(c) > 0;
    if (plain)
        g_string_append(text, id);
    else
        quote_append(text, id);
}

static void print_bounds(const Constraints *c, const Constraint *constraint, GString *text)
{
    const char *separator = "";
    for (uint32_t i = 0; i < constraint->n_bounds; i++) {
        const ConstraintBound *b = &c->bound[constraint->bounds + i];
        for (int side = 0; side < 2; side++) {
            uint64_t value = side ? b->most : b->least;
            if (value == (side ? UINT64_MAX : 0)) continue;
            g_string_append(text, separator);
            print_id(text, net_place_id(c->net, b->place));
            g_string_append_printf(text, " %s %" G_GUINT64_FORMAT, side ? "<=" : ">=", value);
            separator = ", ";
        }
    }
    if (!*separator) g_string_append(text, "always");
}

void constraints_print(const Constraints *c, GString *text)
{
    for (uint32_t t = 0; t < c->net->n_transitions; t++)
        for (uint32_t i = c->pair_start[t]; i < c->pair_start[t + 1]; i++) {
            const ConstraintPair *pair = &c->pairs[i];
            if (pair->other < t) continue;
            for (uint32_t k = 0; k < MAX(pair->n, 1); k++) {
                print_id(text, net_transition_id(c->net, t));
                g_string_append_c(text, ' ');
                print_id(text, net_transition_id(c->net, pair->other));
                g_string_append(text, ": ");
                if (pair->n)
                    print_bounds(c, &c->constraint[pair->first + k], text);
                else
                    g_string_append(text, "never");
                if (pair->n && c->constraint[pair->first + k].doubtful) g_string_append(text, "  # not proved");
                g_string_append_c(text, '\n');
            }
        }
}
