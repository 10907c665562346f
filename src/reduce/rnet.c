#include "reduce/rnet.h"

#include "base/bisect.h"
#include "base/compare.h"
#include "base/exact.h"

#include <assert.h>

#define LARGEST ((uint64_t)1 << 40)
/* Work per transition of a list: looked at, and sorted first. */
enum { TOUCHING_UNITS = 2, STALE_UNITS = 10 };

static bool fits(const Net *net)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p] >= LARGEST) return false;
    return net_max_weight(net) < LARGEST;
}

/* Merges one row of arcs of a kind into the sorted arcs of a transition. */
static void take_row(Rnet *rnet, const Net *net, uint32_t t, ArcKind kind)
{
    NetRow row = net_places(net, kind, t);
    for (uint32_t i = 0; i < row.len; i++) {
        uint64_t w = net_weight(row, i);
        RArc arc = {.place = row.node[i]};
        RArc *old = rnet_arc(rnet, t, row.node[i]);
        if (old) arc = *old;
        if (kind == ARC_PRE) arc.need = MAX(arc.need, w), arc.delta -= (int64_t)w; /* fits: below LARGEST */
        if (kind == ARC_POST) arc.delta += (int64_t)w;                             /* fits */
        if (kind == ARC_READ) arc.need = MAX(arc.need, w);
        if (kind == ARC_INHIBIT) arc.inhibit = arc.inhibit ? MIN(arc.inhibit, w) : w;
        if (old)
            *old = arc;
        else
            rnet_put_arc(rnet, t, arc);
    }
}

bool rnet_no_memory(Budget *budget, uint64_t bytes)
{
    return !budget_allows(budget, bytes) && budget_ending(budget) == ENDING_MEMORY;
}

static uint64_t bytes_of(const Net *net)
{
    enum { ALLOCATED = 16 }; /* what the allocator adds to a list */
    uint64_t bytes =
        net->n_places * (sizeof(RPlace) + ALLOCATED) + net->n_transitions * (sizeof(RTransition) + ALLOCATED);
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++)
        bytes += net_arc_count(net, kind) * (sizeof(RArc) + sizeof(uint32_t));
    return bytes;
}

/* Most lists are short and stay so: none has more room than its arcs need. */
static void make_room(Rnet *rnet, const Net *net)
{
    vec_reserve(&rnet->transitions, net->n_transitions);
    for (uint32_t p = 0; p < net->n_places; p++) {
        size_t n = 0;
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) n += net_transitions(net, kind, p).len;
        vec_init(&rnet->places[p].touching, n);
    }
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        size_t n = 0;
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) n += net_places(net, kind, t).len;
        vec_push(&rnet->transitions, ((RTransition){.alive = true, .length = 1}));
        vec_init(&rnet_transition(rnet, t)->arcs, n);
    }
}

Rnet *rnet_new(const Net *net, Budget *budget)
{
    if (!fits(net) || rnet_no_memory(budget, bytes_of(net))) return NULL;
    Rnet *rnet = g_new0(Rnet, 1);
    rnet->n_places = net->n_places;
    rnet->n_original = net->n_transitions;
    rnet->inhibitors = net_arc_count(net, ARC_INHIBIT) > 0;
    rnet->places = g_new0(RPlace, net->n_places);
    for (uint32_t p = 0; p < net->n_places; p++) {
        rnet->places[p].tokens = net->initial[p];
        rnet->places[p].alive = true;
        rnet->places[p].same_as = NET_NONE;
    }
    make_room(rnet, net);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) take_row(rnet, net, t, kind);
    return rnet;
}

void rnet_free(Rnet *rnet)
{
    if (!rnet) return;
    for (size_t t = 0; t < rnet->transitions.len; t++) {
        vec_free(&rnet->transitions.data[t].arcs);
        vec_free(&rnet->transitions.data[t].parts);
    }
    for (uint32_t p = 0; p < rnet->n_places; p++) vec_free(&rnet->places[p].touching);
    vec_free(&rnet->transitions);
    g_free(rnet->places);
    lift_clear(&rnet->lift);
    g_free(rnet);
}

static size_t arc_slot(const VecArc *arcs, uint32_t p)
{
    size_t i;
    BISECT(i, 0, arcs->len, arcs->data[i].place < p);
    return i;
}

RArc *rnet_arc(Rnet *rnet, uint32_t t, uint32_t p)
{
    VecArc *arcs = &rnet_transition(rnet, t)->arcs;
    size_t i = arc_slot(arcs, p);
    return i < arcs->len && arcs->data[i].place == p ? &arcs->data[i] : NULL;
}

/* Who asks looks at all of them. */
static void charge(Rnet *rnet, const RPlace *place)
{
    uint32_t each = place->stale ? STALE_UNITS : TOUCHING_UNITS;
    if (rnet->budget) budget_charge(rnet->budget, 1 + (uint32_t)MIN(each * place->touching.len, UINT32_MAX / 2));
}

const VecU32 *rnet_touching(Rnet *rnet, uint32_t p)
{
    RPlace *place = &rnet->places[p];
    charge(rnet, place);
    if (place->stale) {
        VecU32 *list = &place->touching;
        size_t to = 0;
        if (list->len) qsort(list->data, list->len, sizeof *list->data, compare_u32);
        for (size_t i = 0; i < list->len; i++) {
            uint32_t t = list->data[i];
            if (to && list->data[to - 1] == t) continue;
            if (rnet_transition(rnet, t)->alive && rnet_arc(rnet, t, p)) list->data[to++] = t;
        }
        list->len = to;
        place->stale = false;
    }
    return &place->touching;
}

void rnet_put_arc(Rnet *rnet, uint32_t t, RArc arc)
{
    VecArc *arcs = &rnet_transition(rnet, t)->arcs;
    size_t i = arc_slot(arcs, arc.place);
    if (i < arcs->len && arcs->data[i].place == arc.place) {
        arcs->data[i] = arc;
        return;
    }
    vec_push(arcs, arc);
    memmove(arcs->data + i + 1, arcs->data + i, (arcs->len - 1 - i) * sizeof *arcs->data);
    arcs->data[i] = arc;
    /* A stale entry for t may still be there: let the next look sort it out. */
    RPlace *place = &rnet->places[arc.place];
    if (place->touching.len && vec_last(&place->touching) >= t) place->stale = true;
    vec_push(&place->touching, t);
}

uint32_t rnet_add(Rnet *rnet, VecArc arcs, VecU32 parts)
{
    uint32_t t = (uint32_t)rnet->transitions.len;
    uint64_t length = 0;
    for (size_t i = 0; i < parts.len; i++) length += rnet_transition(rnet, parts.data[i])->length;
    assert(length <= RNET_LONGEST);
    vec_push(&rnet->transitions,
             ((RTransition){.alive = true, .arcs = arcs, .parts = parts, .length = (uint32_t)length}));
    for (size_t i = 0; i < arcs.len; i++) vec_push(&rnet->places[arcs.data[i].place].touching, t);
    return t;
}

void rnet_kill(Rnet *rnet, uint32_t t)
{
    RTransition *transition = rnet_transition(rnet, t);
    assert(transition->alive);
    transition->alive = false;
    for (size_t i = 0; i < transition->arcs.len; i++) rnet->places[transition->arcs.data[i].place].stale = true;
    vec_free(&transition->arcs);
}

void rnet_drop_arc(Rnet *rnet, uint32_t t, uint32_t p)
{
    VecArc *arcs = &rnet_transition(rnet, t)->arcs;
    size_t i = arc_slot(arcs, p);
    assert(i < arcs->len && arcs->data[i].place == p);
    memmove(arcs->data + i, arcs->data + i + 1, (arcs->len - i - 1) * sizeof *arcs->data);
    arcs->len--;
    rnet->places[p].stale = true;
}

void rnet_remove_place(Rnet *rnet, uint32_t p)
{
    const VecU32 *touching = rnet_touching(rnet, p);
    for (size_t i = 0; i < touching->len; i++) rnet_drop_arc(rnet, touching->data[i], p);
    vec_free(&rnet->places[p].touching);
    rnet->places[p].stale = false;
    rnet->places[p].alive = false;
}

void rnet_replace_place(Rnet *rnet, uint32_t p, uint32_t same_as, int64_t offset)
{
    rnet_remove_place(rnet, p);
    rnet->places[p].known = true;
    rnet->places[p].same_as = same_as;
    rnet->places[p].offset = offset;
}

bool rnet_fits_fused(Rnet *rnet, const uint32_t *members, size_t n)
{
    Sum all = exact_of(0);
    int64_t value;
    for (size_t i = 0; i < n; i++) {
        const VecU32 *touching = rnet_touching(rnet, members[i]);
        exact_add(&all, rnet->places[members[i]].tokens);
        for (size_t k = 0; k < touching->len; k++) {
            const RArc *arc = rnet_arc(rnet, touching->data[k], members[i]);
            exact_add(&all, arc->need);
            exact_add(&all, ABS(arc->delta));
        }
    }
    return exact_signed(all, &value);
}

void rnet_fuse(Rnet *rnet, const uint32_t *members, size_t n)
{
    uint32_t keep = members[0];
    rnet_record(rnet, STEP_FUSE, members, n);
    for (size_t i = 1; i < n; i++) {
        uint32_t p = members[i];
        const VecU32 *touching = rnet_touching(rnet, p);
        for (size_t k = 0; k < touching->len; k++) {
            RArc from = *rnet_arc(rnet, touching->data[k], p), arc = {.place = keep};
            RArc *old = rnet_arc(rnet, touching->data[k], keep);
            if (old) arc = *old;
            arc.need += from.need;   /* fits */
            arc.delta += from.delta; /* fits */
            rnet_put_arc(rnet, touching->data[k], arc);
        }
        rnet->places[keep].tokens += rnet->places[p].tokens; /* fits */
        rnet_remove_place(rnet, p);
    }
}

static const RArc no_arc = {.place = NET_NONE};

/* Guard and effect of `first` and then `second` on one place. */
static Composed compose_arc(RArc first, RArc second, RArc *result)
{
    int64_t need, below;
    if (!checked_subtract(second.need, first.delta, &need) || !checked_add(first.delta, second.delta, &result->delta) ||
        result->delta == INT64_MIN)
        return COMPOSED_TOO_LARGE;
    result->need = MAX(first.need, (uint64_t)MAX(need, 0));
    result->inhibit = first.inhibit;
    if (second.inhibit) {
        if (!checked_subtract(second.inhibit, first.delta, &below)) return COMPOSED_TOO_LARGE;
        if (below <= 0) return COMPOSED_NEVER;
        result->inhibit = first.inhibit ? MIN(first.inhibit, (uint64_t)below) : (uint64_t)below;
    }
    return result->inhibit == 0 || result->inhibit > result->need ? COMPOSED : COMPOSED_NEVER;
}

static Composed compose(const VecArc *a, const VecArc *b, VecArc *arcs)
{
    Composed result = COMPOSED;
    for (size_t i = 0, j = 0; i < a->len || j < b->len;) {
        uint32_t p = i < a->len ? a->data[i].place : NET_NONE, q = j < b->len ? b->data[j].place : NET_NONE;
        RArc arc = {.place = MIN(p, q)};
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): NET_NONE is no place: i < len */
        Composed here = compose_arc(p <= q ? a->data[i] : no_arc, q <= p ? b->data[j] : no_arc, &arc);
        /* What can never fire needs no numbers. */
        if (here == COMPOSED_NEVER) return COMPOSED_NEVER;
        if (here == COMPOSED_TOO_LARGE) result = COMPOSED_TOO_LARGE;
        i += p <= q;
        j += q <= p;
        if (arc.need || arc.delta || arc.inhibit) vec_push(arcs, arc);
    }
    return result;
}

/* Firings that a, then b (`times` times), stand for. */
static uint64_t length(Rnet *rnet, uint32_t a, uint32_t b, uint64_t times)
{
    uint64_t length;
    if (!checked_multiply(times, rnet_transition(rnet, b)->length, &length)) return UINT64_MAX;
    return exact_capped_add(length, rnet_transition(rnet, a)->length);
}

Composed rnet_compose(Rnet *rnet, uint32_t a, uint32_t b, uint64_t times, VecArc *arcs)
{
    const VecArc *second = &rnet_transition(rnet, b)->arcs;
    VecArc so_far = {0};
    if (length(rnet, a, b, times) > RNET_LONGEST) return COMPOSED_TOO_LARGE;
    vec_append(&so_far, rnet_transition(rnet, a)->arcs.data, rnet_transition(rnet, a)->arcs.len);
    for (uint64_t k = 0; k < times; k++) {
        VecArc next = {0};
        Composed result = compose(&so_far, second, &next);
        vec_free(&so_far);
        so_far = next;
        if (result != COMPOSED) {
            vec_free(&so_far);
            return result;
        }
    }
    *arcs = so_far;
    return COMPOSED;
}

uint32_t rnet_live_places(const Rnet *rnet)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < rnet->n_places; p++) n += rnet->places[p].alive;
    return n;
}

uint32_t rnet_live_transitions(const Rnet *rnet)
{
    uint32_t n = 0;
    for (size_t t = 0; t < rnet->transitions.len; t++) n += rnet->transitions.data[t].alive;
    return n;
}

bool rnet_inhibits(Rnet *rnet, uint32_t p)
{
    if (rnet->budget && budget_spent(rnet->budget)) return true;
    if (!rnet->inhibitors) return false; /* rules ask it of many transitions at one place: it must cost nothing */
    const VecU32 *touching = rnet_touching(rnet, p);
    for (size_t i = 0; i < touching->len; i++)
        if (rnet_arc(rnet, touching->data[i], p)->inhibit) return true;
    return false;
}
