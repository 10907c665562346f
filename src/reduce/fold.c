/* Identical components become one: places from which the same can happen are fused, however many there are.
 *
 * The places are divided into classes. What the goal names and what inhibits is alone. Transitions are alike when they
 * have the same arcs once places are replaced by their classes. Two places stay in one class while the transitions that
 * ask for tokens of the one are alike to those that ask for the other's. A transition asks each class of several places
 * for one token at one place at most, and where it asks the places p1, p2... of such classes, then for each choice of
 * other places of these classes there is a transition alike to it that asks them. Then a transition fires with the sums
 * of a marking iff one alike to it fires at the marking, and both lead to the same sums. Coarsest such division, but
 * for the choice of what to take apart where pairs would be needed that are not there. */
#include "reduce/rules.h"

#include "base/bitset.h"
#include "base/compare.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

/* What is looked at per arc, on average, before it is given up. */
enum { LOOKS_PER_ARC = 24, LOOKS_AT_LEAST = 4096, MOST_DIVISIONS = 32 };

typedef struct Class {
    uint32_t from, len; /* of the order */
    uint64_t sign;      /* that of its members, as of the last look */
    bool apart;         /* is to be taken apart */
} Class;

typedef struct Folding {
    Rnet *rnet;
    VEC(Class) classes;
    uint32_t *of, *order, *at; /* class of a place; places by class; where a place stands in it */
    uint64_t *sign;            /* of places: what asks for their tokens */
    uint64_t *key;             /* of transitions: equal for those that are alike */
    uint32_t *seen_place, *seen_transition, round;
    VecU32 moved; /* places whose class is new */
    uint64_t looks;
} Folding;

static void folding_clear(Folding *f)
{
    vec_free(&f->classes);
    vec_free(&f->moved);
    g_free(f->of);
    g_free(f->order);
    g_free(f->at);
    g_free(f->sign);
    g_free(f->key);
    g_free(f->seen_place);
    g_free(f->seen_transition);
}

static bool stands_alone(Rnet *rnet, uint32_t p)
{
    return rnet->places[p].shown || (rnet->inhibitors && rnet_inhibits(rnet, p));
}

static void new_class(Folding *f, uint32_t from, uint32_t len)
{
    for (uint32_t i = from; i < from + len; i++) f->of[f->order[i]] = (uint32_t)f->classes.len;
    vec_push(&f->classes, ((Class){.from = from, .len = len}));
}

static void folding_init(Folding *f, Rnet *rnet)
{
    uint32_t n = rnet->n_places, len = 0, alone = n;
    size_t n_transitions = rnet->transitions.len;
    uint64_t arcs = 0;
    for (size_t t = 0; t < n_transitions; t++)
        if (rnet->transitions.data[t].alive) arcs += rnet->transitions.data[t].arcs.len;
    *f = (Folding){.rnet = rnet,
                   .of = g_new0(uint32_t, n),
                   .order = g_new0(uint32_t, n),
                   .at = g_new0(uint32_t, n),
                   .sign = g_new0(uint64_t, n),
                   .key = g_new0(uint64_t, n_transitions + 1),
                   .seen_place = g_new0(uint32_t, n),
                   .seen_transition = g_new0(uint32_t, n_transitions + 1),
                   .looks = LOOKS_PER_ARC * arcs + LOOKS_AT_LEAST};
    for (uint32_t p = 0; p < n; p++) {
        if (!rnet->places[p].alive) continue;
        f->order[stands_alone(rnet, p) ? --alone : len++] = p;
        vec_push(&f->moved, p);
    }
    new_class(f, 0, len);
    for (uint32_t i = alone; i < n; i++) new_class(f, i, 1);
    for (uint32_t i = 0; i < n; i++)
        if (i < len || i >= alone) f->at[f->order[i]] = i;
}

static bool look(Folding *f, size_t n)
{
    if (f->rnet->budget) budget_charge(f->rnet->budget, (uint32_t)MIN(1 + n, UINT32_MAX));
    if (f->looks < n) {
        f->looks = 0;
        return false;
    }
    f->looks -= n;
    return true;
}

/* ---- dividing ---- */

HASH_WRAPS static uint64_t alike_key(const Folding *f, uint32_t t)
{
    const VecArc *arcs = &rnet_transition(f->rnet, t)->arcs;
    uint64_t key = 0;
    for (size_t i = 0; i < arcs->len; i++) {
        const RArc *arc = &arcs->data[i];
        uint64_t words[] = {f->of[arc->place], arc->need, arc->inhibit, (uint64_t)arc->delta};
        key += hash_words(words, G_N_ELEMENTS(words)); /* wraps */
    }
    return key;
}

/* Of the set of what asks for its tokens: how many alike ones there are means nothing. */
HASH_WRAPS static uint64_t place_sign(Folding *f, uint32_t p, VecU64 *words)
{
    const VecU32 *touching = rnet_touching(f->rnet, p);
    vec_clear(words);
    for (size_t i = 0; i < touching->len; i++) {
        uint64_t need = rnet_arc(f->rnet, touching->data[i], p)->need;
        if (need) vec_push(words, hash_mix(f->key[touching->data[i]] ^ hash_mix(need)));
    }
    if (words->len) qsort(words->data, words->len, sizeof *words->data, compare_u64);
    uint64_t sign = 0;
    for (size_t i = 0; i < words->len; i++)
        if (i == 0 || words->data[i] != words->data[i - 1]) sign += hash_mix(words->data[i]); /* wraps */
    return sign;
}

/* New keys for what touches a moved place. Adds the places that it asks, once each. */
static bool look_at_moved(Folding *f, VecU32 *asked)
{
    VecU32 transitions = {0};
    bool good = true;
    f->round++;
    for (size_t i = 0; i < f->moved.len && good; i++) {
        const VecU32 *touching = rnet_touching(f->rnet, f->moved.data[i]);
        good = look(f, touching->len);
        for (size_t k = 0; k < touching->len; k++) {
            if (f->seen_transition[touching->data[k]] == f->round) continue;
            f->seen_transition[touching->data[k]] = f->round;
            vec_push(&transitions, touching->data[k]);
        }
    }
    vec_clear(&f->moved);
    for (size_t i = 0; i < transitions.len && good; i++) {
        const VecArc *arcs = &rnet_transition(f->rnet, transitions.data[i])->arcs;
        good = look(f, arcs->len);
        f->key[transitions.data[i]] = alike_key(f, transitions.data[i]);
        for (size_t k = 0; k < arcs->len; k++) {
            uint32_t p = arcs->data[k].place;
            if (!arcs->data[k].need || f->seen_place[p] == f->round || f->classes.data[f->of[p]].len == 1) continue;
            f->seen_place[p] = f->round;
            vec_push(asked, p);
        }
    }
    vec_free(&transitions);
    return good;
}

typedef struct Signed {
    uint32_t class, place;
    uint64_t sign;
} Signed;

static int compare_signed(const void *a, const void *b)
{
    const Signed *x = a, *y = b;
    COMPARE(x->class, y->class);
    COMPARE(x->sign, y->sign);
    return (x->place > y->place) - (x->place < y->place);
}

static void swap_order(Folding *f, uint32_t i, uint32_t k)
{
    uint32_t p = f->order[i], q = f->order[k];
    f->order[i] = q, f->at[q] = i;
    f->order[k] = p, f->at[p] = k;
}

/* The n places, not all of their class, become a class of their own. */
static void move_out(Folding *f, const Signed *places, size_t n)
{
    Class *class = &f->classes.data[f->of[places[0].place]];
    assert(n < class->len);
    for (size_t i = 0; i < n; i++) {
        swap_order(f, f->at[places[i].place], class->from + --class->len);
        vec_push(&f->moved, places[i].place);
    }
    new_class(f, class->from + class->len, (uint32_t)n);
    vec_last(&f->classes).sign = places[0].sign;
}

typedef VEC(Signed) VecSigned;

/* The places of a class that were not looked at have the sign they all had. When they are not the most they are listed
 * too, behind the others: so a place is looked at as often as the logarithm of their number. */
static void add_untouched(Folding *f, VecSigned *all)
{
    uint32_t c = all->data[0].class;
    const Class *class = &f->classes.data[c];
    size_t untouched = class->len - all->len, most = 0, run = 0;
    for (size_t i = 0; i < all->len; i++) {
        run = i > 0 && all->data[i].sign == all->data[i - 1].sign ? run + 1 : 1;
        most = MAX(most, run);
    }
    if (!untouched || untouched >= most) return;
    for (uint32_t i = class->from; i < class->from + class->len; i++)
        if (f->seen_place[f->order[i]] != f->round) vec_push(all, ((Signed){c, f->order[i], class->sign}));
    qsort(all->data, all->len, sizeof *all->data, compare_signed);
}

/* Divides one class by the signs of these of its places; the largest part keeps its name. */
static void divide(Folding *f, VecSigned *all)
{
    Class *class = &f->classes.data[all->data[0].class];
    add_untouched(f, all);
    size_t most = class->len - all->len;
    uint64_t keeps = class->sign;
    for (size_t i = 0, k; i < all->len; i = k) {
        for (k = i + 1; k < all->len && all->data[k].sign == all->data[i].sign;) k++;
        if (k - i > most) most = k - i, keeps = all->data[i].sign;
    }
    class->sign = keeps;
    for (size_t i = 0, k; i < all->len; i = k) {
        for (k = i + 1; k < all->len && all->data[k].sign == all->data[i].sign;) k++;
        if (all->data[i].sign != keeps) move_out(f, all->data + i, k - i);
    }
}

static bool refine(Folding *f)
{
    VecU32 asked = {0};
    VecU64 words = {0};
    VecSigned places = {0}, one = {0};
    bool good = true;
    while (f->moved.len && good) {
        vec_clear(&asked);
        vec_clear(&places);
        good = look_at_moved(f, &asked);
        for (size_t i = 0; i < asked.len && good; i++) {
            uint64_t sign = place_sign(f, asked.data[i], &words);
            vec_push(&places, ((Signed){f->of[asked.data[i]], asked.data[i], sign}));
            good = look(f, words.len);
        }
        if (!good) break;
        if (places.len) qsort(places.data, places.len, sizeof *places.data, compare_signed);
        for (size_t i = 0, k; i < places.len; i = k) {
            vec_clear(&one);
            for (k = i; k < places.len && places.data[k].class == places.data[i].class; k++)
                vec_push(&one, places.data[k]);
            divide(f, &one);
        }
    }
    vec_free(&asked);
    vec_free(&words);
    vec_free(&places);
    vec_free(&one);
    return good;
}

/* ---- is every choice there? ---- */

typedef struct Keyed {
    uint64_t key;
    uint32_t transition;
} Keyed;

COMPARE_BY_BOTH(compare_keyed, Keyed, key, transition)

typedef VEC(Keyed) VecKeyed;

static void by_key(const Folding *f, VecKeyed *list)
{
    vec_clear(list);
    for (uint32_t t = 0; t < f->rnet->transitions.len; t++)
        if (rnet_transition(f->rnet, t)->alive) vec_push(list, ((Keyed){f->key[t], t}));
    if (list->len) qsort(list->data, list->len, sizeof *list->data, compare_keyed);
}

typedef struct ClassArc {
    uint32_t class, place;
    RArc arc;
} ClassArc;
typedef VEC(ClassArc) VecClassArc;

static int compare_class_arcs(const void *a, const void *b)
{
    const ClassArc *x = a, *y = b;
    COMPARE(x->class, y->class);
    COMPARE(x->arc.need, y->arc.need);
    COMPARE(x->arc.inhibit, y->arc.inhibit);
    COMPARE(x->arc.delta, y->arc.delta);
    return (x->place > y->place) - (x->place < y->place);
}

static void class_arcs(const Folding *f, uint32_t t, VecClassArc *list)
{
    const VecArc *arcs = &rnet_transition(f->rnet, t)->arcs;
    vec_clear(list);
    for (size_t i = 0; i < arcs->len; i++)
        vec_push(list, ((ClassArc){f->of[arcs->data[i].place], arcs->data[i].place, arcs->data[i]}));
    if (list->len) qsort(list->data, list->len, sizeof *list->data, compare_class_arcs);
}

/* Equal keys may be chance. */
static bool are_alike(const VecClassArc *a, const VecClassArc *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++) {
        const ClassArc *x = &a->data[i], *y = &b->data[i];
        if (x->class != y->class || x->arc.need != y->arc.need || x->arc.inhibit != y->arc.inhibit ||
            x->arc.delta != y->arc.delta)
            return false;
    }
    return true;
}

static bool is_asked(const Folding *f, const ClassArc *arc)
{
    return arc->arc.need && f->classes.data[arc->class].len > 1;
}

/* How many choices there are of the places that transitions with such arcs ask; 0: more than one token of a class, or
 * more choices than `most`. */
static size_t choices(const Folding *f, const VecClassArc *arcs, size_t most)
{
    size_t n = 1;
    uint32_t last = NET_NONE;
    for (size_t i = 0; i < arcs->len; i++) {
        const ClassArc *arc = &arcs->data[i];
        if (!is_asked(f, arc)) continue;
        if (arc->class == last || arc->arc.need > 1) return 0;
        last = arc->class;
        if (f->classes.data[last].len > most / n) return 0;
        n *= f->classes.data[last].len;
    }
    return n;
}

static size_t choice_of(const Folding *f, const VecClassArc *arcs)
{
    size_t number = 0;
    for (size_t i = 0; i < arcs->len; i++) {
        const Class *class = &f->classes.data[arcs->data[i].class];
        if (is_asked(f, &arcs->data[i])) number = number * class->len + (f->at[arcs->data[i].place] - class->from);
    }
    return number;
}

typedef enum { COMPLETE, LACKING, BY_CHANCE } Group;

/* Of n transitions with the same key, the first of which has these arcs. */
static Group look_at_group(const Folding *f, const Keyed *group, size_t n, const VecClassArc *first)
{
    size_t all = choices(f, first, n), found = 0;
    Group result = all ? COMPLETE : LACKING;
    g_autofree uint64_t *there = g_new0(uint64_t, bitset_words(all + 1));
    VecClassArc arcs = {0};
    for (size_t i = 0; i < n && result == COMPLETE; i++) {
        class_arcs(f, group[i].transition, &arcs);
        if (!are_alike(first, &arcs)) {
            result = BY_CHANCE;
            break;
        }
        size_t choice = choice_of(f, &arcs);
        found += !bitset_get(there, choice);
        bitset_set(there, choice);
    }
    vec_free(&arcs);
    return result == COMPLETE && found < all ? LACKING : result;
}

/* Where choices are missing one class is taken apart, that of the fewest places unless one is already: components have
 * more places together than what they share. */
static void blame(Folding *f, const VecClassArc *arcs)
{
    Class *least = NULL;
    for (size_t i = 0; i < arcs->len; i++) {
        Class *class = &f->classes.data[arcs->data[i].class];
        if (!is_asked(f, &arcs->data[i])) continue;
        if (class->apart) return;
        if (!least || class->len < least->len) least = class;
    }
    assert(least);
    least->apart = true;
}

/* How many transitions ask p for tokens. */
static uint32_t asking(Folding *f, uint32_t p)
{
    const VecU32 *touching = rnet_touching(f->rnet, p);
    uint32_t n = 0;
    for (size_t i = 0; i < touching->len; i++) n += rnet_arc(f->rnet, touching->data[i], p)->need > 0;
    return n;
}

/* By the number of who asks, because what components share is asked by many; when that is the same, all of it. */
static void take_apart(Folding *f, uint32_t c)
{
    const Class class = f->classes.data[c];
    VecSigned all = {0};
    for (uint32_t i = class.from; i < class.from + class.len; i++)
        vec_push(&all, ((Signed){c, f->order[i], asking(f, f->order[i])}));
    assert(all.data);
    qsort(all.data, all.len, sizeof *all.data, compare_signed);
    bool same = all.data[0].sign == vec_last(&all).sign;
    size_t left = all.len;
    for (size_t i = 0, k; i < all.len && left > 1; i = k) {
        for (k = i + 1; !same && k < all.len && all.data[k].sign == all.data[i].sign;) k++;
        if (k - i == left) break;
        move_out(f, all.data + i, k - i);
        left -= k - i;
    }
    for (size_t i = 0; i < all.len; i++) f->classes.data[f->of[all.data[i].place]].sign = class.sign;
    vec_free(&all);
}

/* Looks whether the division is good and takes apart what is not. */
static Group look_at_all(Folding *f, VecKeyed *list)
{
    Group result = COMPLETE;
    VecClassArc first = {0};
    by_key(f, list);
    for (size_t i = 0, k; i < list->len && result != BY_CHANCE; i = k) {
        for (k = i + 1; k < list->len && list->data[k].key == list->data[i].key;) k++;
        class_arcs(f, list->data[i].transition, &first);
        Group group = look_at_group(f, list->data + i, k - i, &first);
        if (group == COMPLETE) continue;
        result = group;
        if (group == LACKING) blame(f, &first);
    }
    vec_free(&first);
    for (uint32_t c = 0, n = (uint32_t)f->classes.len; c < n && result == LACKING; c++) {
        bool apart = f->classes.data[c].apart;
        f->classes.data[c].apart = false;
        if (apart) take_apart(f, c);
    }
    return result;
}

/* False: nothing is in a class with another place, or it takes too long. */
static bool find_classes(Folding *f, VecKeyed *list)
{
    for (int i = 0; i < MOST_DIVISIONS; i++) {
        if (!refine(f)) return false;
        bool some = false;
        for (size_t c = 0; c < f->classes.len && !some; c++) some = f->classes.data[c].len > 1;
        if (!some || !look(f, f->rnet->transitions.len)) return false;
        Group all = look_at_all(f, list);
        if (all != LACKING) return all == COMPLETE;
    }
    return false;
}

/* ---- fusing ---- */

static bool all_fit(const Folding *f)
{
    for (size_t c = 0; c < f->classes.len; c++) {
        const Class *class = &f->classes.data[c];
        if (class->len > 1 && !rnet_fits_fused(f->rnet, f->order + class->from, class->len)) return false;
    }
    return true;
}

/* The way back: arcs at places that are fused, and for what asks there the transitions alike to it. */
static void remember(const Folding *f, const VecKeyed *list)
{
    LiftStep *step = lift_push(&f->rnet->lift, LIFT_FOLD, (uint32_t)f->rnet->transitions.len);
    g_autofree uint32_t *number = g_new0(uint32_t, f->rnet->n_places);
    for (size_t c = 0; c < f->classes.len; c++) {
        const Class *class = &f->classes.data[c];
        for (uint32_t i = class->from; class->len > 1 && i < class->from + class->len; i++) {
            number[f->order[i]] = (uint32_t)step->tokens.len + 1;
            vec_push(&step->tokens, f->rnet->places[f->order[i]].tokens);
        }
    }
    for (size_t i = 0, k; i < list->len; i = k) {
        for (k = i + 1; k < list->len && list->data[k].key == list->data[i].key;) k++;
        uint32_t from = (uint32_t)step->fired.len;
        for (size_t g = i; g < k; g++) {
            uint32_t t = list->data[g].transition;
            const VecArc *arcs = &rnet_transition(f->rnet, t)->arcs;
            vec_push(&step->fired, t);
            vec_push(&step->moves, ((LiftMove){from, from + (uint32_t)(k - i), t}));
            for (size_t a = 0; a < arcs->len; a++) {
                const RArc *arc = &arcs->data[a];
                uint32_t place = number[arc->place];
                if (place) vec_push(&step->arcs, ((LiftArc){t, place - 1, arc->need, arc->delta}));
            }
        }
    }
    lift_complete(step);
}

uint32_t rule_fold(Rnet *rnet, Budget *budget)
{
    if (rnet->safe || rnet->live || budget_spent(budget)) return 0;
    /* Other rules rarely make components identical that were not: again only when much is gone. */
    uint32_t alive = rnet_live_transitions(rnet);
    if (rnet->folded && alive > rnet->folded / 4 * 3) return 0;
    Folding f;
    VecKeyed list = {0};
    uint32_t changes = 0;
    folding_init(&f, rnet);
    if (find_classes(&f, &list) && all_fit(&f)) {
        remember(&f, &list);
        for (size_t c = 0; c < f.classes.len; c++) {
            const Class *class = &f.classes.data[c];
            if (class->len < 2) continue;
            qsort(f.order + class->from, class->len, sizeof *f.order, compare_u32);
            rnet_fuse(rnet, f.order + class->from, class->len);
            changes++;
        }
    }
    rnet->folded = changes ? 0 : alive;
    vec_free(&list);
    folding_clear(&f);
    return changes;
}
