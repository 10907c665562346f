/* Pre- and post-agglomeration: a place between producers and consumers is passed in one step. */
#include "reduce/rules.h"

#include "base/exact.h"

#include <assert.h>

typedef struct Between {
    VecU32 producers, consumers;
    uint64_t weight; /* of every consumer */
} Between;

static void between_clear(Between *b)
{
    vec_free(&b->producers);
    vec_free(&b->consumers);
}

/* Every arc at p either adds tokens without testing p or removes the same number, which is all it needs. */
static bool read_place(Rnet *rnet, uint32_t p, Between *b)
{
    const VecU32 *touching = rnet_touching(rnet, p);
    for (size_t i = 0; i < touching->len; i++) {
        const RArc *arc = rnet_arc(rnet, touching->data[i], p);
        if (arc->inhibit) return false;
        if (arc->delta > 0 && arc->need == 0) {
            vec_push(&b->producers, touching->data[i]);
        } else if (arc->delta < 0 && arc->need == (uint64_t)-arc->delta && (!b->weight || b->weight == arc->need)) {
            b->weight = arc->need;
            vec_push(&b->consumers, touching->data[i]);
        } else {
            return false;
        }
    }
    return b->producers.len && b->consumers.len;
}

static bool all_produce(Rnet *rnet, uint32_t p, const Between *b, bool multiples)
{
    for (size_t i = 0; i < b->producers.len; i++) {
        uint64_t made = (uint64_t)rnet_arc(rnet, b->producers.data[i], p)->delta;
        if (made != b->weight && (!multiples || made % b->weight)) return false;
        if (made / b->weight > 64) return false;
    }
    return true;
}

enum { SLACK = 0, MOST_PASSED = 1000, MOST_AT_FIRST = 1 << 20 };

/* The net must not grow: neither in transitions nor, by much, in arcs. */
static bool small_enough(Rnet *rnet, const Between *b)
{
    uint64_t before = b->producers.len + b->consumers.len, after = b->producers.len * b->consumers.len;
    if (after <= before + SLACK) return true;
    (void)rnet;
    return b->producers.len == 1 || b->consumers.len == 1;
}

/* What producers and consumers become. */
typedef struct Fusion {
    VecArc arcs;
    VecU32 parts;
} Fusion;

typedef VEC(Fusion) VecFusion;

static void fusions_clear(VecFusion *fusions)
{
    for (size_t i = 0; i < fusions->len; i++) {
        vec_free(&fusions->data[i].arcs);
        vec_free(&fusions->data[i].parts);
    }
    vec_free(fusions);
}

/* Changes nothing yet. False when one of them does not fit. */
static bool compose_all(Rnet *rnet, uint32_t p, const Between *b, VecFusion *fusions)
{
    for (size_t i = 0; i < b->producers.len; i++) {
        uint32_t h = b->producers.data[i];
        uint64_t times = (uint64_t)rnet_arc(rnet, h, p)->delta / b->weight;
        for (size_t k = 0; k < b->consumers.len; k++) {
            Fusion fusion = {0};
            Composed composed = rnet_compose(rnet, h, b->consumers.data[k], times, &fusion.arcs);
            if (composed == COMPOSED_TOO_LARGE) return false;
            if (composed == COMPOSED_NEVER && rnet->live) return false;
            if (composed == COMPOSED_NEVER) continue;
            vec_push(&fusion.parts, h);
            for (uint64_t n = 0; n < times; n++) vec_push(&fusion.parts, b->consumers.data[k]);
            vec_push(fusions, fusion);
        }
    }
    return true;
}

static void replace_all(Rnet *rnet, uint32_t p, const Between *b, VecFusion *fusions)
{
    for (size_t i = 0; i < fusions->len; i++) rnet_add(rnet, fusions->data[i].arcs, fusions->data[i].parts);
    vec_clear(fusions); /* the net has them */
    for (size_t i = 0; i < b->producers.len; i++) rnet_kill(rnet, b->producers.data[i]);
    for (size_t i = 0; i < b->consumers.len; i++) rnet_kill(rnet, b->consumers.data[i]);
    assert(rnet_touching(rnet, p)->len == 0);
    rnet_remove_place(rnet, p);
}

/* ---- post: whoever takes the token needs nothing else, so it may as well be taken at once ---- */

static bool only_adds(Rnet *rnet, uint32_t f, uint32_t p)
{
    const VecArc *arcs = &rnet_transition(rnet, f)->arcs;
    for (size_t i = 0; i < arcs->len; i++) {
        const RArc *arc = &arcs->data[i];
        if (arc->place == p) continue;
        if (arc->need || arc->inhibit || arc->delta <= 0) return false;
        if (rnet->places[arc->place].shown || rnet_inhibits(rnet, arc->place)) return false;
    }
    return true;
}

static bool post_applies(Rnet *rnet, uint32_t p, const Between *b)
{
    bool single = b->consumers.len == 1;
    if (!all_produce(rnet, p, b, single) || !small_enough(rnet, b)) return false;
    if (rnet->places[p].tokens >= b->weight && (!single || rnet->places[p].tokens / b->weight > MOST_PASSED))
        return false;
    for (size_t i = 0; i < b->consumers.len; i++)
        if (!only_adds(rnet, b->consumers.data[i], p)) return false;
    return true;
}

/* The consumer's changes at a place, `times` times. */
static bool tokens_after(const Rnet *rnet, const RArc *arc, uint64_t times, uint64_t *tokens)
{
    int64_t change;
    return checked_multiply(arc->delta, times, &change) &&
           checked_add(rnet->places[arc->place].tokens, change, tokens) && *tokens <= INT64_MAX;
}

/* Can the tokens that p has at first be passed on? */
static bool initial_tokens_fit(Rnet *rnet, uint32_t p, const Between *b)
{
    uint64_t times = rnet->places[p].tokens / b->weight, tokens;
    const RTransition *consumer = rnet_transition(rnet, b->consumers.data[0]);
    if (!times) return true;
    if (times * consumer->length > MOST_AT_FIRST) return false; /* fits: both have 32 bits */
    for (size_t i = 0; i < consumer->arcs.len; i++)
        if (!tokens_after(rnet, &consumer->arcs.data[i], times, &tokens)) return false;
    return true;
}

static void pass_initial_tokens(Rnet *rnet, uint32_t p, const Between *b)
{
    uint64_t times = rnet->places[p].tokens / b->weight;
    if (!times) return;
    LiftStep *step = lift_push(&rnet->lift, LIFT_BEGIN, (uint32_t)rnet->transitions.len);
    const VecArc *arcs = &rnet_transition(rnet, b->consumers.data[0])->arcs;
    for (uint64_t n = 0; n < times; n++) vec_push(&step->fired, b->consumers.data[0]);
    for (size_t i = 0; i < arcs->len; i++) {
        bool fits = tokens_after(rnet, &arcs->data[i], times, &rnet->places[arcs->data[i].place].tokens);
        assert(fits);
        (void)fits;
    }
}

uint32_t rule_post(Rnet *rnet, Budget *budget)
{
    uint32_t changes = 0;
    for (uint32_t p = 0; p < rnet->n_places && !budget_spent(budget); p++) {
        if (!rnet->places[p].alive || rnet->places[p].shown) continue;
        Between b = {0};
        VecFusion fusions = {0};
        if (read_place(rnet, p, &b) && post_applies(rnet, p, &b) && initial_tokens_fit(rnet, p, &b) &&
            compose_all(rnet, p, &b, &fusions)) {
            rnet_record_one(rnet, STEP_POST, p);
            pass_initial_tokens(rnet, p, &b);
            replace_all(rnet, p, &b, &fusions);
            changes++;
        }
        fusions_clear(&fusions);
        between_clear(&b);
    }
    return changes;
}

/* ---- pre: whoever brings the token loses nothing by waiting until it is wanted ---- */

/* Nobody else tests or takes what h consumes. */
static bool can_wait(Rnet *rnet, uint32_t h, uint32_t p)
{
    const VecArc *arcs = &rnet_transition(rnet, h)->arcs;
    if (arcs->len < 2) return false;
    for (size_t i = 0; i < arcs->len; i++) {
        const RArc *arc = &arcs->data[i];
        if (arc->place == p) continue;
        if (arc->inhibit || arc->delta >= 0 || arc->need != (uint64_t)-arc->delta || rnet->places[arc->place].shown)
            return false;
        const VecU32 *touching = rnet_touching(rnet, arc->place);
        for (size_t k = 0; k < touching->len; k++) {
            const RArc *other = rnet_arc(rnet, touching->data[k], arc->place);
            if (touching->data[k] != h && (other->need || other->inhibit)) return false;
        }
    }
    return true;
}

static void remember_finish(Rnet *rnet, uint32_t p, const Between *b)
{
    LiftStep *step = lift_push(&rnet->lift, LIFT_FINISH, (uint32_t)rnet->transitions.len);
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (size_t i = 0; i < b->producers.len; i++) {
        uint32_t h = b->producers.data[i];
        vec_push(&step->fired, h);
        const VecArc *arcs = &rnet_transition(rnet, h)->arcs;
        for (size_t k = 0; k < arcs->len; k++) {
            uint32_t q = arcs->data[k].place;
            if (q == p || !g_hash_table_add(seen, GUINT_TO_POINTER(q + 1))) continue;
            uint32_t local = (uint32_t)step->tokens.len;
            vec_push(&step->tokens, rnet->places[q].tokens);
            const VecU32 *touching = rnet_touching(rnet, q);
            for (size_t n = 0; n < touching->len; n++) {
                const RArc *arc = rnet_arc(rnet, touching->data[n], q);
                vec_push(&step->arcs, ((LiftArc){touching->data[n], local, arc->need, arc->delta}));
            }
        }
    }
    lift_complete(step);
}

uint32_t rule_pre(Rnet *rnet, Budget *budget)
{
    uint32_t changes = 0;
    for (uint32_t p = 0; p < rnet->n_places && !budget_spent(budget); p++) {
        if (!rnet->places[p].alive || rnet->places[p].shown) continue;
        Between b = {0};
        bool applies = read_place(rnet, p, &b) && rnet->places[p].tokens < b.weight &&
                       all_produce(rnet, p, &b, false) && small_enough(rnet, &b) &&
                       (!rnet->live || b.producers.len == 1 || b.consumers.len == 1);
        for (size_t i = 0; i < b.producers.len && applies; i++) applies = can_wait(rnet, b.producers.data[i], p);
        VecFusion fusions = {0};
        if (applies && compose_all(rnet, p, &b, &fusions)) {
            rnet_record_one(rnet, STEP_PRE, p);
            if (rnet->deadlock) remember_finish(rnet, p, &b);
            replace_all(rnet, p, &b, &fusions);
            changes++;
        }
        fusions_clear(&fusions);
        between_clear(&b);
    }
    return changes;
}
