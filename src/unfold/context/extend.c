#include "unfold/context/extend.h"

#include "base/bitset.h"

#include <string.h>

/* So few readers have all choices of them made at once. */
enum { FEW_READERS = 2 };

void context_extend_init(ContextExtend *x, ContextStore *store, Budget *budget, ContextFound found, void *data)
{
    memset(x, 0, sizeof *x);
    x->store = store;
    x->budget = budget;
    x->found = found;
    x->data = data;
    x->candidates = g_new0(ContextCandidates, (size_t)store->net->n_places + 1);
    x->places = g_new0(uint64_t, (size_t)store->net->marking_words + 1);
}

void context_extend_clear(ContextExtend *x)
{
    g_free(x->candidates);
    g_free(x->places);
    vec_free(&x->pool);
    vec_free(&x->stamp);
    vec_free(&x->base);
    vec_free(&x->memo_epoch);
    vec_free(&x->memo_size);
    vec_free(&x->memo_hash);
    vec_free(&x->tested);
    vec_free(&x->chosen);
    vec_free(&x->extras);
    vec_free(&x->readers);
    vec_free(&x->causes);
    vec_free(&x->picked);
    vec_free(&x->level);
    g_free(x->reader_set.at);
    vec_free(&x->clashes);
    vec_free(&x->clash_start);
    vec_free(&x->is_picked);
    vec_free(&x->choices);
    vec_free(&x->kept);
    vec_free(&x->more);
}

void context_extend_bottom(ContextExtend *x)
{
    ContextStore *store = x->store;
    const ContextNet *net = store->net;
    const uint32_t bottom = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        const uint32_t *entry = context_net_list(net, net->tested[t]);
        vec_clear(&x->tested);
        bool enabled = true;
        for (uint32_t i = 0; i < net->tested[t].len && enabled; i++) {
            uint32_t last = store->initial_last[entry[i] / 2];
            enabled = last & 1;
            vec_push(&x->tested, last / 2);
        }
        if (enabled)
            x->found(x->data, t, &bottom, 1, x->tested.data, &x->more, 1, store->events.data[0].hash ^ net->hash[t]);
    }
}

/* Notes the places that events concurrent with e mark, where many moves are tried and e has few such events: on most
 * places there is nothing then. */
static void find_places(ContextExtend *x, uint32_t n_moves)
{
    ContextStore *store = x->store;
    const ContextNet *net = store->net;
    const ContextRow *row = &context_store_event(store, x->e)->row;
    const uint64_t *words = row->words;
    x->knows_places = n_moves > 2 * row->len + net->marking_words / 16;
    if (!x->knows_places) return;
    memset(x->places, 0, net->marking_words * sizeof *x->places);
    for (uint32_t b = 0; b < row->n_blocks; b++)
        for (uint64_t mask = row->blocks[b].mask; mask; mask &= mask - 1) {
            uint32_t word = (row->base + b) * 64 + (uint32_t)__builtin_ctzll(mask);
            for (uint64_t bits = *words++; bits; bits &= bits - 1) {
                uint32_t f = word * 64 + (uint32_t)__builtin_ctzll(bits);
                ContextSlice changed = net->changed[context_store_event(store, f)->transition];
                const uint32_t *entry = context_net_list(net, changed);
                for (uint32_t i = 0; i < changed.len; i++)
                    if (entry[i] & 1) bitset_set(x->places, entry[i] / 2);
            }
        }
}

/* Has the place no condition that coexists with e, as far as is known? */
static inline bool is_empty(const ContextExtend *x, uint32_t p)
{
    return x->knows_places && !(x->store->last[p] & 1) && !bitset_get(x->places, p);
}

/* The conditions of place p that coexist with e: the one in the cut of [e] first, then those of
 * concurrent events in order of events. */
static ContextCandidates *find_candidates(ContextExtend *x, uint32_t p)
{
    ContextCandidates *found = &x->candidates[p];
    if (found->epoch == x->e) return found;
    ContextStore *store = x->store;
    found->epoch = x->e;
    found->from = (uint32_t)x->pool.len;
    if (store->last[p] & 1) vec_push(&x->pool, store->last[p] / 2);
    found->len = (uint32_t)x->pool.len - found->from;
    if (x->knows_places && !bitset_get(x->places, p)) return found;
    const ContextProducers *producers = &store->producers[p];
    const ContextRow *row = &context_store_event(store, x->e)->row;
    uint32_t i = row->low ? sparse_find(&producers->events, row->low) : 0, n = producers->events.len;
    for (; i < n; i++) {
        const SparseWord *at = &producers->events.at[i];
        if (at->word >= row->high) break;
        for (uint64_t mask = at->mask & store->row[at->word]; mask; mask &= mask - 1) {
            uint64_t below = at->mask & ((mask & -mask) - 1);
            uint32_t index = at->first + (below ? (uint32_t)__builtin_popcountll(below) : 0);
            assert(index < producers->changes.len);
            vec_push(&x->pool, producers->changes.data[index]);
        }
    }
    found->len = (uint32_t)x->pool.len - found->from;
    return found;
}

static void count_one(ContextExtend *x, uint32_t f, uint32_t *size, uint64_t *hash)
{
    ContextStore *store = x->store;
    const ContextNet *net = store->net;
    const ContextEvent *event = context_store_event(store, f);
    uint32_t base = x->e, epoch = x->count_epoch;
    assert(f > 0 && f < base);
    for (uint32_t i = 0; i < event->size; i++) {
        uint32_t g = event->down[i];
        if (x->base.data[g] == base || x->stamp.data[g] == epoch) continue;
        x->stamp.data[g] = epoch;
        ++*size;
        *hash ^= net->hash[store->events.data[g].transition];
    }
}

static void sort_down(uint32_t *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t v = at[i];
        size_t j = i;
        for (; j > 0 && at[j - 1] < v; j--) at[j] = at[j - 1];
        at[j] = v;
    }
}

/* H = [e] u [extras] u [picked readers]. */
static void report(ContextExtend *x, uint32_t t)
{
    ContextStore *store = x->store;
    const ContextEvent *event = context_store_event(store, x->e);
    uint32_t size = event->size;
    uint64_t hash = event->hash;
    vec_clear(&x->causes);
    for (size_t i = 0; i < x->extras.len; i++) vec_push(&x->causes, x->extras.data[i]);
    for (size_t i = 0; i < x->picked.len; i++) vec_push(&x->causes, x->readers.data[x->picked.data[i]]);
    size_t n = x->causes.len, kept = 0;
    if (n == 1) {
        uint32_t f = x->causes.data[0];
        if (x->memo_epoch.data[f] != x->e) {
            x->count_epoch++;
            count_one(x, f, &size, &hash);
            x->memo_epoch.data[f] = x->e;
            x->memo_size.data[f] = size;
            x->memo_hash.data[f] = hash;
        }
        size = x->memo_size.data[f];
        hash = x->memo_hash.data[f];
        kept = 1;
    } else if (n) {
        x->count_epoch++;
        sort_down(x->causes.data, n);
        for (size_t i = 0; i < n; i++) {
            uint32_t f = x->causes.data[i];
            if (x->stamp.data[f] == x->count_epoch) continue;
            count_one(x, f, &size, &hash);
            x->causes.data[kept++] = f;
        }
    }
    assert(kept <= n && (kept > 0) == (n > 0) && size >= event->size + kept);
    x->causes.len = kept;
    vec_push(&x->causes, x->e);
    x->causes.data[kept] = kept ? x->causes.data[0] : x->e;
    x->causes.data[0] = x->e;
    x->found(x->data, t, x->causes.data, (uint32_t)kept + 1, x->tested.data, &x->more, size + 1,
             hash ^ store->net->hash[t]);
}

static bool coexists_with_all(ContextExtend *x, uint32_t reader)
{
    ContextStore *store = x->store;
    for (size_t i = 0; i < x->tested.len; i++) {
        uint32_t change = x->tested.data[i], producer = store->change_event.data[change];
        if (producer == reader) return false; /* in H anyway */
        if (producer != x->e && !context_store_coexist(store, change, reader)) return false;
    }
    return true;
}

/* Readers of what t consumes that may come before it and are not in H already. */
static void find_readers(ContextExtend *x, uint32_t t)
{
    ContextStore *store = x->store;
    const ContextNet *net = store->net;
    const uint32_t *entry = context_net_list(net, net->tested[t]);
    const ContextRow *row = &context_store_event(store, x->e)->row;
    vec_clear(&x->readers);
    x->count_epoch++;
    for (size_t i = 0; i < x->tested.len; i++) {
        if (entry[i] & 1) continue;
        const Sparse *readers = &store->readers.data[x->tested.data[i]];
        for (uint32_t k = sparse_find(readers, row->low); k < readers->len && readers->at[k].word < row->high; k++)
            for (uint64_t mask = readers->at[k].mask & store->row[readers->at[k].word]; mask; mask &= mask - 1) {
                uint32_t reader = readers->at[k].word * 64 + (uint32_t)__builtin_ctzll(mask);
                if (x->stamp.data[reader] == x->count_epoch) continue;
                x->stamp.data[reader] = x->count_epoch;
                if (coexists_with_all(x, reader)) vec_push(&x->readers, reader);
            }
    }
    if (x->readers.len > 1) {
        sort_down(x->readers.data, x->readers.len);
        for (size_t i = 0, j = x->readers.len - 1; i < j; i++, j--) {
            uint32_t swap = x->readers.data[i];
            x->readers.data[i] = x->readers.data[j];
            x->readers.data[j] = swap;
        }
    }
}

/* Readers that are not concurrent are few among many. */
static void relate_readers(ContextExtend *x)
{
    x->reader_set.len = 0;
    vec_clear(&x->clashes);
    vec_clear(&x->clash_start);
    vec_clear(&x->is_picked);
    for (size_t j = 0; j < x->readers.len; j++) {
        uint32_t reader = x->readers.data[j];
        const ContextRow *row = &context_store_event(x->store, reader)->row;
        vec_push(&x->clash_start, (uint32_t)x->clashes.len);
        vec_push(&x->is_picked, 0);
        for (uint32_t w = 0; w < x->reader_set.len; w++) {
            const SparseWord *earlier = &x->reader_set.at[w];
            for (uint64_t mask = earlier->mask & ~context_store_row_word(row, earlier->word); mask; mask &= mask - 1) {
                uint32_t i = earlier->first + (uint32_t)__builtin_popcountll(earlier->mask & ((mask & -mask) - 1));
                assert(x->readers.data[i] < reader && reader < x->e);
                vec_push(&x->clashes, i * 2 + context_store_below(x->store, x->readers.data[i], reader));
            }
        }
        sparse_add_counted(&x->reader_set, reader);
    }
    vec_push(&x->clash_start, (uint32_t)x->clashes.len);
}

/* May reader j join the picked ones (all earlier)? */
static bool fits(const ContextExtend *x, size_t j)
{
    for (uint32_t i = x->clash_start.data[j]; i < x->clash_start.data[j + 1]; i++)
        if (x->is_picked.data[x->clashes.data[i] / 2] != (x->clashes.data[i] & 1)) return false;
    return true;
}

static void pick(ContextExtend *x, size_t reader)
{
    vec_push(&x->picked, (uint32_t)reader);
    x->is_picked.data[reader] = 1;
}

static size_t unpick(ContextExtend *x)
{
    uint32_t reader = vec_pop(&x->picked);
    x->is_picked.data[reader] = 0;
    return reader;
}

/* All conflict-free closed sets of readers, each built in increasing order. */
static void report_all_choices(ContextExtend *x, uint32_t t)
{
    size_t next = 0, n = x->readers.len;
    for (;;) {
        while (next < n && !fits(x, next)) next++;
        if (next < n) {
            if (budget_spent(x->budget)) return;
            pick(x, next++);
            report(x, t);
        } else {
            if (!x->picked.len) return;
            next = unpick(x) + 1;
        }
    }
}

static ContextSlice keep(ContextExtend *x, const VecU32 *list)
{
    ContextSlice slice = {(uint32_t)x->kept.len, (uint32_t)list->len};
    vec_append(&x->kept, list->data, list->len);
    return slice;
}

/* The choices of the readers at hand, for later. */
static uint32_t keep_choices(ContextExtend *x, uint32_t t)
{
    ContextChoices choices = {x->e, t, keep(x, &x->tested), keep(x, &x->extras), keep(x, &x->readers), 0};
    choices.clashes = keep(x, &x->clash_start).from;
    keep(x, &x->clashes);
    vec_push(&x->choices, choices);
    return (uint32_t)x->choices.len - 1;
}

static void report_histories(ContextExtend *x, uint32_t t)
{
    find_readers(x, t);
    vec_clear(&x->picked);
    vec_clear(&x->more);
    size_t n = x->readers.len;
    if (n) relate_readers(x);
    if (n > FEW_READERS) vec_push(&x->more, keep_choices(x, t));
    report(x, t);
    if (n && n <= FEW_READERS) report_all_choices(x, t);
    vec_clear(&x->more);
}

static void take(const ContextExtend *x, ContextSlice from, VecU32 *to)
{
    vec_clear(to);
    vec_append(to, x->kept.data + from.from, from.len);
}

/* Makes e the event whose extensions are found. */
static void paint(ContextExtend *x, uint32_t e)
{
    const ContextEvent *event = context_store_event(x->store, e);
    if (x->e == e) return;
    x->e = e;
    for (uint32_t i = 0; i < event->size; i++) x->base.data[event->down[i]] = e;
}

static void take_choices(ContextExtend *x, const ContextChoices *choices)
{
    const uint32_t n = choices->readers.len, *start = x->kept.data + choices->clashes;
    paint(x, choices->e);
    take(x, choices->tested, &x->tested);
    take(x, choices->extras, &x->extras);
    take(x, choices->readers, &x->readers);
    take(x, (ContextSlice){choices->clashes, n + 1}, &x->clash_start);
    take(x, (ContextSlice){choices->clashes + n + 1, start[n]}, &x->clashes);
    vec_clear(&x->is_picked);
    vec_clear(&x->picked);
    for (uint32_t i = 0; i < n; i++) vec_push(&x->is_picked, 0);
}

void context_extend_more(ContextExtend *x, const uint32_t *more, uint32_t n)
{
    const ContextChoices choices = x->choices.data[more[0]];
    size_t next = n > 1 ? (size_t)more[n - 1] + 1 : 0;
    take_choices(x, &choices);
    for (uint32_t i = 1; i < n; i++) pick(x, more[i]);
    for (; next < x->readers.len && !budget_spent(x->budget); next++) {
        if (!fits(x, next)) continue;
        pick(x, next);
        vec_clear(&x->more);
        if (next + 1 < x->readers.len) {
            vec_push(&x->more, more[0]);
            vec_append(&x->more, x->picked.data, x->picked.len);
        }
        report(x, choices.transition);
        unpick(x);
    }
    vec_clear(&x->more);
}

static bool pair_coexists(ContextExtend *x, uint32_t a, uint32_t b)
{
    ContextStore *store = x->store;
    uint32_t e = store->change_event.data[a], f = store->change_event.data[b];
    if (e == f) return true;
    if (f < e) {
        uint32_t swap = a;
        a = b;
        b = swap;
        f = e;
    }
    return context_store_coexist(store, a, f);
}

/* Fills in what e produced or reads; the places still open are `rest`. */
static void fill_fixed(ContextExtend *x, const ContextMove *move)
{
    ContextStore *store = x->store;
    const ContextNet *net = store->net;
    ContextSlice tested = net->tested[move->transition];
    const uint32_t *entry = context_net_list(net, tested);
    vec_clear(&x->tested);
    for (uint32_t i = 0; i < tested.len; i++) vec_push(&x->tested, store->last[entry[i] / 2] / 2);
}

static void set_tested(ContextExtend *x, uint32_t t, uint32_t p, uint32_t change)
{
    const ContextNet *net = x->store->net;
    const uint32_t *entry = context_net_list(net, net->tested[t]);
    uint32_t i = 0;
    while (entry[i] / 2 != p) i++;
    assert(i < x->tested.len);
    x->tested.data[i] = change;
}

static bool coexists_with_chosen(ContextExtend *x, uint32_t change)
{
    for (size_t i = 0; i < x->chosen.len; i++)
        if (!pair_coexists(x, x->chosen.data[i], change)) return false;
    return true;
}

static void report_set(ContextExtend *x, const ContextMove *move, const uint32_t *rest)
{
    ContextStore *store = x->store;
    assert(x->chosen.len == move->rest.len);
    vec_clear(&x->extras);
    for (uint32_t i = 0; i < move->rest.len; i++) {
        uint32_t change = x->chosen.data[i], f = store->change_event.data[change];
        set_tested(x, move->transition, rest[i], change);
        if (x->base.data[f] != x->e && f) vec_push(&x->extras, f);
    }
    report_histories(x, move->transition);
}

static void try_move(ContextExtend *x, const ContextMove *move)
{
    const ContextNet *net = x->store->net;
    uint32_t n = move->rest.len;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = net->pool.data[move->rest.from + i];
        if (is_empty(x, p) || !find_candidates(x, p)->len) return;
    }
    const uint32_t *rest = context_net_list(net, move->rest);
    fill_fixed(x, move);
    vec_clear(&x->chosen);
    vec_clear(&x->level);
    if (n == 0) {
        report_set(x, move, rest);
        return;
    }
    vec_push(&x->level, 0);
    while (x->level.len) {
        if (budget_spent(x->budget)) return;
        const ContextCandidates *at = &x->candidates[rest[x->level.len - 1]];
        uint32_t *next = &vec_last(&x->level);
        if (*next == at->len) {
            (void)vec_pop(&x->level);
            if (x->level.len) (void)vec_pop(&x->chosen);
            continue;
        }
        uint32_t change = x->pool.data[at->from + (*next)++];
        assert(x->store->change_place.data[change] == rest[x->level.len - 1]);
        if (!coexists_with_chosen(x, change)) continue;
        vec_push(&x->chosen, change);
        if (x->chosen.len == n) {
            report_set(x, move, rest);
            (void)vec_pop(&x->chosen);
        } else {
            vec_push(&x->level, 0);
        }
    }
}

/* A transition that changes nothing depends on itself alone: it can follow itself. */
static void repeat_pure_reader(ContextExtend *x, uint32_t t)
{
    ContextStore *store = x->store;
    const ContextEvent *event = context_store_event(store, x->e);
    vec_clear(&x->more);
    x->found(x->data, t, &x->e, 1, event->tested, &x->more, event->size + 1, event->hash);
}

static void grow(ContextExtend *x)
{
    while (x->stamp.len < x->store->events.len) {
        vec_push_long(&x->stamp, 0);
        vec_push_long(&x->base, 0);
        vec_push_long(&x->memo_epoch, 0);
        vec_push_long(&x->memo_size, 0);
        vec_push_long(&x->memo_hash, 0);
    }
}

void context_extend(ContextExtend *x, uint32_t e)
{
    ContextStore *store = x->store;
    assert(e > 0 && e + 1 == store->events.len);
    vec_clear(&x->pool);
    grow(x);
    paint(x, e);
    const ContextEvent *event = context_store_event(store, e);
    ContextSlice moves = context_net_moves(store->net, event->transition);
    find_places(x, moves.len);
    for (uint32_t i = 0; i < moves.len; i++) try_move(x, &store->net->move_pool.data[moves.from + i]);
    if (!store->net->changed[event->transition].len) repeat_pure_reader(x, event->transition);
}
