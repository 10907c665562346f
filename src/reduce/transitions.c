/* Rules that remove transitions. */
#include "base/compare.h"
#include "reduce/rules.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <stdlib.h>

/* The largest siphon without tokens is what a search that never consumes does not reach. */
uint32_t rule_dead(Rnet *rnet, Budget *budget)
{
    g_autofree uint32_t *missing = g_new0(uint32_t, rnet->transitions.len);
    g_autofree bool *marked = g_new0(bool, rnet->n_places);
    VecU32 ready = {0};
    uint32_t changes = 0;
    if (budget_spent(budget)) return 0;
    for (uint32_t p = 0; p < rnet->n_places; p++)
        if (rnet->places[p].alive && rnet->places[p].tokens) marked[p] = true;
    for (uint32_t t = 0; t < rnet->transitions.len; t++) {
        const RTransition *transition = rnet_transition(rnet, t);
        if (!transition->alive) continue;
        for (size_t i = 0; i < transition->arcs.len; i++)
            missing[t] += transition->arcs.data[i].need > 0 && !marked[transition->arcs.data[i].place];
        if (!missing[t]) vec_push(&ready, t);
    }
    while (ready.len) {
        uint32_t t = vec_pop(&ready);
        const VecArc *arcs = &rnet_transition(rnet, t)->arcs;
        for (size_t i = 0; i < arcs->len; i++) {
            uint32_t p = arcs->data[i].place;
            if (marked[p] || arcs->data[i].delta <= 0) continue;
            marked[p] = true;
            const VecU32 *touching = rnet_touching(rnet, p);
            for (size_t k = 0; k < touching->len; k++)
                if (rnet_arc(rnet, touching->data[k], p)->need && --missing[touching->data[k]] == 0)
                    vec_push(&ready, touching->data[k]);
        }
    }
    vec_free(&ready);
    for (uint32_t t = 0; t < rnet->transitions.len; t++)
        if (rnet_transition(rnet, t)->alive && missing[t]) {
            rnet_kill(rnet, t);
            changes++;
        }
    if (changes) {
        VecU32 siphon = {0};
        for (uint32_t p = 0; p < rnet->n_places && rnet->steps; p++)
            if (rnet->places[p].alive && !marked[p]) vec_push(&siphon, p);
        rnet_record(rnet, STEP_SIPHON, siphon.data, siphon.len);
        vec_free(&siphon);
    }
    return changes;
}

/* ---- same effect ---- */

typedef struct Keyed {
    uint64_t key;
    uint32_t id, guards;
} Keyed;

/* Weak guards first, so that one pass finds for each transition a weaker one that stays. */
static int compare_keyed(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    COMPARE(x->key, y->key);
    COMPARE(x->guards, y->guards);
    return (x->id > y->id) - (x->id < y->id);
}

static bool same_effect_weaker_guard(Rnet *rnet, uint32_t weak, uint32_t strong)
{
    const VecArc *a = &rnet_transition(rnet, weak)->arcs, *b = &rnet_transition(rnet, strong)->arcs;
    size_t i = 0, j = 0;
    while (i < a->len || j < b->len) {
        uint32_t p = i < a->len ? a->data[i].place : NET_NONE, q = j < b->len ? b->data[j].place : NET_NONE;
        if (p < q) return false; /* the weak one asks or does something here that the strong one does not */
        if (q < p) {
            if (b->data[j].delta) return false;
            j++;
            continue;
        }
        const RArc *x = &a->data[i++], *y = &b->data[j++];
        if (x->delta != y->delta || x->need > y->need) return false;
        if (x->inhibit && (!y->inhibit || y->inhibit > x->inhibit)) return false;
    }
    return true;
}

/* May t be dropped because it changes nothing? For liveness only when it can fire whenever some other can. */
static bool is_useless(Rnet *rnet, uint32_t t)
{
    const VecArc *arcs = &rnet_transition(rnet, t)->arcs;
    if (!rnet->live) return !rnet->deadlock;
    if (!arcs->len) return true;
    const VecU32 *touching = rnet_touching(rnet, arcs->data[0].place);
    for (size_t i = 0; i < touching->len; i++) {
        uint32_t other = touching->data[i];
        bool asks_more = other != t && rnet_transition(rnet, other)->alive;
        for (size_t k = 0; k < arcs->len && asks_more; k++) {
            const RArc *arc = &arcs->data[k], *more = rnet_arc(rnet, other, arc->place);
            asks_more =
                more && more->need >= arc->need && (!arc->inhibit || (more->inhibit && more->inhibit <= arc->inhibit));
        }
        if (asks_more) return true;
    }
    return false;
}

enum { LARGEST_GROUP = 3000 };

/* Equal effects have equal keys. False without effect. */
HASH_WRAPS static bool read_effect(const RTransition *transition, uint64_t *key, uint32_t *guards)
{
    bool effect = false;
    *key = *guards = 0;
    for (size_t i = 0; i < transition->arcs.len; i++) {
        const RArc *arc = &transition->arcs.data[i];
        *guards += (arc->need > 0) + (arc->inhibit > 0);
        if (!arc->delta) continue;
        *key += hash_mix(hash_mix(arc->place + UINT64_C(1)) ^ (uint64_t)arc->delta);
        effect = true;
    }
    return effect;
}

uint32_t rule_same_transition(Rnet *rnet, Budget *budget)
{
    uint32_t changes = 0;
    VEC(Keyed) keyed = {0};
    for (uint32_t t = 0; t < rnet->transitions.len; t++) {
        const RTransition *transition = rnet_transition(rnet, t);
        if (!transition->alive) continue;
        uint64_t key;
        uint32_t guards;
        if (!read_effect(transition, &key, &guards) && is_useless(rnet, t)) {
            rnet_record_one(rnet, STEP_USELESS, t);
            rnet_kill(rnet, t);
            changes++;
            continue;
        }
        vec_push(&keyed, ((Keyed){key, t, guards}));
    }
    if (keyed.len) qsort(keyed.data, keyed.len, sizeof *keyed.data, compare_keyed);
    for (size_t from = 0, to; from < keyed.len && !budget_spent(budget); from = to) {
        for (to = from + 1; to < keyed.len && keyed.data[to].key == keyed.data[from].key; to++) {
            size_t first = to - from > LARGEST_GROUP ? to - LARGEST_GROUP : from;
            for (size_t k = first; k < to; k++) {
                uint32_t weak = keyed.data[k].id, strong = keyed.data[to].id;
                if (!rnet_transition(rnet, weak)->alive || !same_effect_weaker_guard(rnet, weak, strong)) continue;
                if (rnet->live && !same_effect_weaker_guard(rnet, strong, weak)) continue;
                rnet_record(rnet, STEP_WEAKER, (uint32_t[]){strong, weak}, 2);
                rnet_kill(rnet, strong);
                changes++;
                break;
            }
        }
    }
    vec_free(&keyed);
    return changes;
}

/* ---- slices ---- */

/* Without shown places changed, tokens lost where nobody is inhibited never help: only transitions that bring
 * tokens to a wanted place, or change a shown or inhibiting one, matter. But they may take away what a goal needs:
 * rnet->home keeps whatever changes a wanted place. */
static bool matters(const RArc *arc, bool either_way)
{
    return arc->delta > 0 || (either_way && arc->delta < 0);
}

uint32_t rule_slice(Rnet *rnet, Budget *budget)
{
    if (rnet->deadlock || budget_spent(budget)) return 0;
    size_t n = rnet->transitions.len;
    g_autofree bool *place = g_new0(bool, rnet->n_places), *transition = g_new0(bool, n);
    VecU32 queue = {0};
    uint32_t changes = 0;
    for (uint32_t p = 0; p < rnet->n_places; p++)
        if (rnet->places[p].alive && rnet->places[p].shown) {
            place[p] = true;
            vec_push(&queue, p);
        }
    while (queue.len) {
        uint32_t p = vec_pop(&queue);
        bool either_way = rnet->home || rnet->places[p].shown || rnet_inhibits(rnet, p);
        const VecU32 *touching = rnet_touching(rnet, p);
        for (size_t i = 0; i < touching->len; i++) {
            uint32_t t = touching->data[i];
            if (transition[t] || !matters(rnet_arc(rnet, t, p), either_way)) continue;
            transition[t] = true;
            const VecArc *arcs = &rnet_transition(rnet, t)->arcs;
            for (size_t k = 0; k < arcs->len; k++) {
                uint32_t q = arcs->data[k].place;
                if (place[q] || !(arcs->data[k].need || arcs->data[k].inhibit)) continue;
                place[q] = true;
                vec_push(&queue, q);
            }
        }
    }
    VecU32 gone = {0};
    for (uint32_t p = 0; p < rnet->n_places; p++)
        if (rnet->places[p].alive && !place[p]) vec_push(&gone, p);
    if (gone.len) rnet_record(rnet, STEP_FORGET, gone.data, gone.len);
    for (size_t i = 0; i < gone.len; i++) rnet_remove_place(rnet, gone.data[i]), changes++;
    vec_clear(&gone);
    for (uint32_t t = 0; t < n; t++)
        if (rnet_transition(rnet, t)->alive && !transition[t]) vec_push(&gone, t);
    if (gone.len) rnet_record(rnet, STEP_USELESS, gone.data, gone.len);
    for (size_t i = 0; i < gone.len; i++) rnet_kill(rnet, gone.data[i]), changes++;
    vec_free(&gone);
    vec_free(&queue);
    return changes;
}
