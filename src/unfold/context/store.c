#include "unfold/context/store.h"

#include "base/bisect.h"
#include "base/bitset.h"

#include <string.h>

enum { MOST_CUT_BYTES = 128 << 20 };

static void add_bottom(ContextStore *store)
{
    ContextNet *net = store->net;
    ContextEvent bottom = {.transition = NET_NONE, .history = NET_NONE, .first_change = 1};
    vec_push(&store->events, bottom);
    vec_push(&store->column, 0);
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!bitset_get(net->initial, p)) continue;
        uint32_t change = (uint32_t)store->change_event.len;
        vec_push(&store->change_event, 0);
        vec_push(&store->change_place, p);
        vec_push(&store->after, (Sparse){0});
        vec_push(&store->readers, (Sparse){0});
        store->initial_last[p] = change * 2 + 1;
        sparse_add_counted(&store->producers[p].events, 0);
        vec_push(&store->producers[p].changes, change);
    }
}

static uint32_t *keep_cut(ContextStore *store);

void context_store_init(ContextStore *store, ContextNet *net)
{
    memset(store, 0, sizeof *store);
    store->net = net;
    store->producers = g_new0(ContextProducers, (size_t)net->n_places + 1);
    store->n_chunks = net->n_places / CONTEXT_CHUNK + 1;
    store->loaded = g_new0(uint32_t, store->n_chunks);
    store->last = g_new0(uint32_t, (size_t)store->n_chunks * CONTEXT_CHUNK);
    store->initial_last = g_new0(uint32_t, (size_t)store->n_chunks * CONTEXT_CHUNK);
    /* change 0 is "never changed, unmarked" */
    vec_push(&store->change_event, 0);
    vec_push(&store->change_place, 0);
    vec_push(&store->after, (Sparse){0});
    vec_push(&store->readers, (Sparse){0});
    add_bottom(store);
    memcpy(store->last, store->initial_last, (size_t)store->n_chunks * CONTEXT_CHUNK * sizeof *store->last);
    for (uint32_t k = 0; k < store->n_chunks; k++) vec_push(&store->changed, k);
    store->events.data[0].cut = keep_cut(store);
}

void context_store_clear(ContextStore *store)
{
    for (size_t e = 0; e < store->events.len; e++) {
        g_free(store->events.data[e].row.words);
        g_free(store->events.data[e].row.blocks);
        g_free(store->events.data[e].up.at);
    }
    for (size_t c = 0; c < store->after.len; c++) {
        g_free(store->after.data[c].at);
        g_free(store->readers.data[c].at);
    }
    for (uint32_t p = 0; p < store->net->n_places; p++) {
        g_free(store->producers[p].events.at);
        vec_free(&store->producers[p].changes);
    }
    vec_free(&store->events);
    vec_free(&store->change_event);
    vec_free(&store->change_place);
    vec_free(&store->after);
    vec_free(&store->added);
    vec_free(&store->readers);
    vec_free(&store->column);
    vec_free(&store->in_column);
    vec_free(&store->merged[0]);
    vec_free(&store->merged[1]);
    vec_free(&store->chunks);
    vec_free(&store->changed);
    g_free(store->loaded);
    g_free(store->producers);
    g_free(store->initial_last);
    g_free(store->last);
    g_free(store->row);
    g_free(store->used);
    vec_free(&store->saved);
    arena_free(&store->arena);
}

bool context_store_below(ContextStore *store, uint32_t f, uint32_t e)
{
    const ContextEvent *event = context_store_event(store, e);
    uint32_t i;
    BISECT(i, 0, event->size, event->down[i] < f);
    return i < event->size && event->down[i] == f;
}

/* The union of the causes' configurations and e itself, increasing; what the first cause has not goes
 * into `added`. */
static void build_down(ContextStore *store, ContextEvent *event, uint32_t e, const uint32_t *causes, uint32_t n)
{
    const ContextEvent *first = context_store_event(store, causes[0]);
    const uint32_t *a = first->down;
    uint32_t len = first->size;
    vec_clear(&store->added);
    for (uint32_t i = 1; i < n; i++) {
        const ContextEvent *cause = context_store_event(store, causes[i]);
        const uint32_t *b = cause->down;
        uint32_t len_b = cause->size, x = 0, y = 0, to = 0;
        VecU32 *room = &store->merged[i % 2];
        vec_reserve(room, (size_t)len + len_b);
        vec_reserve(&store->added, store->added.len + len_b);
        uint32_t *merged = room->data;
        while (y < len_b && y < len && a[y] == b[y]) y++; /* much is common, from the beginning */
        if (y) memcpy(merged, a, y * sizeof *a);
        x = to = y;
        while (y < len_b) {
            uint32_t v = b[y++];
            while (x < len && a[x] < v) merged[to++] = a[x++];
            if (x < len && a[x] == v)
                x++;
            else
                store->added.data[store->added.len++] = v;
            merged[to++] = v;
        }
        if (x < len) memcpy(merged + to, a + x, (len - x) * sizeof *a);
        a = merged;
        len = to + len - x;
    }
    assert(!len || a[len - 1] < e);
    event->down = arena_alloc(&store->arena, ((size_t)len + 1) * sizeof *event->down);
    if (len) memcpy(event->down, a, len * sizeof *a);
    event->down[len] = e;
    event->size = len + 1;
}

/* Numbers grow along the changes of one place, so the order of application does not matter. */
static void apply(ContextStore *store, uint32_t f)
{
    const ContextEvent *event = context_store_event(store, f);
    ContextSlice changed = store->net->changed[event->transition];
    const uint32_t *at = context_net_list(store->net, changed);
    uint32_t base = event->first_change * 2;
    for (uint32_t k = 0; k < changed.len; k++) {
        uint32_t *last = &store->last[at[k] / 2], value = base + k * 2 + (at[k] & 1);
        if (value <= *last) continue;
        *last = value;
        if (store->loaded[at[k] / 2 / CONTEXT_CHUNK] == CONTEXT_CHANGED) continue;
        store->loaded[at[k] / 2 / CONTEXT_CHUNK] = CONTEXT_CHANGED;
        vec_push(&store->changed, at[k] / 2 / CONTEXT_CHUNK);
    }
}

/* Of what has changed since it was loaded. */
static uint32_t *keep_cut(ContextStore *store)
{
    for (size_t i = 0; i < store->changed.len; i++) {
        uint32_t k = store->changed.data[i];
        store->loaded[k] = (uint32_t)store->chunks.len;
        vec_reserve_long(&store->chunks, store->chunks.len + CONTEXT_CHUNK);
        vec_append(&store->chunks, store->last + (size_t)k * CONTEXT_CHUNK, CONTEXT_CHUNK);
    }
    vec_clear(&store->changed);
    size_t bytes = store->n_chunks * sizeof(uint32_t);
    store->cut_bytes += bytes;
    return arena_copy(&store->arena, store->loaded, bytes);
}

static void load_cut(ContextStore *store, const uint32_t *cut)
{
    vec_clear(&store->changed);
    for (uint32_t k = 0; k < store->n_chunks; k++) {
        if (store->loaded[k] == cut[k]) continue;
        store->loaded[k] = cut[k];
        memcpy(store->last + (size_t)k * CONTEXT_CHUNK, store->chunks.data + cut[k],
               CONTEXT_CHUNK * sizeof *store->last);
    }
}

/* The cut of [e] into `last`: from the first cause's, or from the beginning. */
static void build_cut(ContextStore *store, ContextEvent *event, uint32_t e, uint32_t first_cause)
{
    const uint32_t *cut = context_store_event(store, first_cause)->cut;
    load_cut(store, cut ? cut : store->events.data[0].cut);
    if (cut) {
        for (size_t i = 0; i < store->added.len; i++) apply(store, store->added.data[i]);
        apply(store, e);
    } else {
        for (uint32_t i = 0; i < event->size; i++) apply(store, event->down[i]);
    }
    if (cut && store->cut_bytes + store->chunks.len * sizeof(uint32_t) < MOST_CUT_BYTES) event->cut = keep_cut(store);
}

static void add_changes(ContextStore *store, ContextEvent *event, uint32_t e)
{
    ContextNet *net = store->net;
    ContextSlice changed = net->changed[event->transition];
    event->first_change = (uint32_t)store->change_event.len;
    assert(store->change_place.len == store->change_event.len && store->after.len == store->change_event.len);
    for (uint32_t k = 0; k < changed.len; k++) {
        uint32_t entry = net->pool.data[changed.from + k], change = (uint32_t)store->change_event.len;
        vec_push_long(&store->change_event, e);
        vec_push_long(&store->change_place, entry / 2);
        vec_push_long(&store->after, (Sparse){0});
        vec_push_long(&store->readers, (Sparse){0});
        if (entry & 1) {
            sparse_add_counted(&store->producers[entry / 2].events, e);
            vec_push(&store->producers[entry / 2].changes, change);
        }
    }
}

/* ---- rows ---- */

/* Makes the word of the scratch row one that may be other than zero. */
static uint64_t *use_word(ContextStore *store, uint32_t word)
{
    store->used[word / 64] |= (uint64_t)1 << (word % 64);
    store->row_low = MIN(store->row_low, word);
    store->row_high = MAX(store->row_high, word + 1);
    return &store->row[word];
}

static void drop_words(ContextStore *store, uint32_t block, uint64_t mask)
{
    uint64_t *words = store->row + (size_t)block * 64;
    store->used[block] &= ~mask;
    for (; mask; mask &= mask - 1) words[__builtin_ctzll(mask)] = 0;
}

/* Row of nothing, with room for events up to e. */
static void empty_row(ContextStore *store, uint32_t e)
{
    size_t blocks = store->row_room / 64, words = bitset_words((size_t)e + 1);
    for (uint32_t b = store->row_low / 64; b * 64 < store->row_high; b++) drop_words(store, b, store->used[b]);
    store->row_low = UINT32_MAX;
    store->row_high = 0;
    if (words <= store->row_room) return;
    size_t room = (words * 2 + 63) / 64 * 64;
    store->row = g_renew(uint64_t, store->row, room);
    store->used = g_renew(uint64_t, store->used, room / 64);
    memset(store->row + store->row_room, 0, (room - store->row_room) * sizeof *store->row);
    memset(store->used + blocks, 0, (room / 64 - blocks) * sizeof *store->used);
    store->row_room = room;
}

/* The unfinished block is the last word. */
static void begin_row(ContextStore *store, uint32_t f, const Sparse *extra, uint32_t e)
{
    const ContextRow *other = &context_store_event(store, f)->row;
    const uint64_t *from = other->words;
    if (other->len) store->row_low = other->low, store->row_high = other->high;
    for (uint32_t b = 0; b < other->n_blocks; b++) {
        uint64_t *to = store->row + (size_t)(other->base + b) * 64;
        store->used[other->base + b] = other->blocks[b].mask;
        for (uint64_t mask = other->blocks[b].mask; mask; mask &= mask - 1) to[__builtin_ctzll(mask)] = *from++;
    }
    if (store->column.data[f]) *use_word(store, e / 64) |= store->column.data[f];
    for (uint32_t i = 0; i < extra->len; i++) *use_word(store, extra->at[i].word) |= extra->at[i].mask;
}

/* 64 words of the row & those of `other`, which begins at block `base`. False: nothing is left. */
static bool meet_block(ContextStore *store, const ContextRow *other, uint32_t block)
{
    uint64_t *words = store->row + (size_t)block * 64;
    if (!store->used[block]) return false;
    if (block - other->base >= other->n_blocks) {
        drop_words(store, block, store->used[block]);
        return false;
    }
    const ContextBlock *their = &other->blocks[block - other->base];
    const uint64_t *from = other->words + their->first;
    uint64_t gone = store->used[block] & ~their->mask, passed = 0, left = 0;
    if (gone) drop_words(store, block, gone);
    for (uint64_t mask = store->used[block]; mask; mask &= mask - 1) {
        uint64_t bit = mask & -mask, between = their->mask & (bit - 1) & ~passed;
        if (between) from += between & (between - 1) ? __builtin_popcountll(between) : 1;
        passed = bit | (bit - 1);
        if (words[__builtin_ctzll(mask)] &= *from++) left |= bit;
    }
    store->used[block] = left;
    return left != 0;
}

/* row := row & (row(f) u extra); what is in `extra` is put aside meanwhile. False: nothing is left. */
static bool meet(ContextStore *store, uint32_t f, const Sparse *extra, uint32_t e)
{
    const ContextRow *other = &context_store_event(store, f)->row;
    uint64_t kept = store->row[e / 64] & store->column.data[f];
    bool any = kept != 0;
    const SparseWord *at = extra->len ? extra->at + sparse_find(extra, store->row_low) : NULL,
                     *end = extra->len ? extra->at + extra->len : NULL;
    vec_reserve(&store->saved, 2 * (size_t)extra->len);
    uint64_t *saved = store->saved.data, n = 0;
    for (; at < end && at->word < store->row_high; at++) {
        uint64_t bits = store->row[at->word] & at->mask;
        if (!bits) continue;
        saved[n++] = at->word;
        saved[n++] = bits;
    }
    for (uint32_t b = store->row_low / 64; b * 64 < store->row_high; b++) any |= meet_block(store, other, b);
    if (kept) *use_word(store, e / 64) |= kept;
    for (uint64_t i = 0; i < n; i += 2) *use_word(store, (uint32_t)saved[i]) |= saved[i + 1];
    return any || n;
}

static void leave_out(ContextStore *store, const Sparse *set)
{
    for (uint32_t i = sparse_find(set, store->row_low); i < set->len && set->at[i].word < store->row_high; i++)
        store->row[set->at[i].word] &= ~set->at[i].mask;
}

/* A reader that e's consumption shuts out, and all above it. Readers below e are not in the row, and of a
 * reader that has left the row nothing above it is left there. */
static void leave_out_readers(ContextStore *store, uint32_t change)
{
    const Sparse *readers = &store->readers.data[change];
    uint32_t i = sparse_find(readers, store->row_low);
    for (; i < readers->len && readers->at[i].word < store->row_high; i++)
        for (uint32_t w = readers->at[i].word;;) {
            uint64_t both = readers->at[i].mask & store->row[w];
            if (!both) break;
            uint32_t reader = w * 64 + (uint32_t)__builtin_ctzll(both);
            assert(reader > store->change_event.data[change]);
            leave_out(store, &context_store_event(store, reader)->up);
            bitset_clear(store->row, reader);
        }
}

/* All events but bottom: only a transition that tests nothing is concurrent with everything. */
static void begin_full_row(ContextStore *store, uint32_t e)
{
    for (uint32_t w = 0; w < e / 64; w++) *use_word(store, w) = UINT64_MAX;
    if (e % 64) *use_word(store, e / 64) = ((uint64_t)1 << (e % 64)) - 1;
    bitset_clear(store->row, 0);
}

static bool is_producer(const ContextStore *store, const ContextEvent *event, uint32_t n_tested, uint32_t f)
{
    for (uint32_t k = 0; k < n_tested; k++)
        if (store->change_event.data[event->tested[k]] == f) return true;
    return false;
}

/* f is concurrent with e iff it coexists with all that e consumes and reads and with the readers that
 * precede e, and no reader that e's consumption shuts out lies in [f]. */
static void build_row(ContextStore *store, ContextEvent *event, uint32_t e, const uint32_t *causes, uint32_t n_causes)
{
    const ContextNet *net = store->net;
    ContextSlice tested = net->tested[event->transition];
    const uint32_t *entry = context_net_list(net, tested);
    bool any = true;
    empty_row(store, e);
    if (!tested.len) begin_full_row(store, e);
    for (uint32_t i = 0; i < tested.len && any; i++) {
        uint32_t change = event->tested[i], producer = store->change_event.data[change];
        if (i == 0)
            begin_row(store, producer, &store->after.data[change], e);
        else
            any = meet(store, producer, &store->after.data[change], e);
    }
    for (uint32_t i = 0; i < n_causes && any; i++)
        if (causes[i] && !is_producer(store, event, tested.len, causes[i]))
            any = meet(store, causes[i], &context_store_event(store, causes[i])->up, e);
    for (uint32_t i = 0; i < tested.len && any; i++)
        if (!(entry[i] & 1)) leave_out_readers(store, event->tested[i]);
}

static void grow_row(ContextRow *row, uint32_t word)
{
    uint32_t block = word / 64;
    if (!row->len) row->base = block, row->low = word;
    if (block - row->base >= row->block_room) {
        row->block_room = (block - row->base + 1) + (block - row->base) / 2;
        row->blocks = g_renew(ContextBlock, row->blocks, row->block_room);
    }
    while (row->n_blocks <= block - row->base) row->blocks[row->n_blocks++] = (ContextBlock){0, row->len};
    if (row->len == row->room) {
        row->room += row->room / 2 + 8;
        row->words = g_renew(uint64_t, row->words, row->room);
    }
}

/* Appends a word that is not zero, later than all others. */
static inline void put_word(ContextRow *row, uint32_t word, uint64_t bits)
{
    assert(bits && (!row->len || word >= row->high));
    if (row->len == row->room || word / 64 - row->base >= row->n_blocks) grow_row(row, word);
    row->blocks[word / 64 - row->base].mask |= (uint64_t)1 << (word % 64);
    row->words[row->len++] = bits;
    row->high = word + 1;
}

static void tell_column(ContextStore *store, uint32_t word, uint64_t bits, uint64_t bit)
{
    uint64_t *column = store->column.data + (size_t)word * 64;
    for (; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(bits);
        if (!column[i]) vec_push(&store->in_column, word * 64 + i);
        column[i] |= bit;
    }
}

/* Keeps the row and tells the others. */
static void publish_row(ContextStore *store, ContextEvent *event, uint32_t e)
{
    ContextRow *row = &event->row;
    uint64_t bit = (uint64_t)1 << (e % 64);
    assert(!bitset_get(store->row, e));
    for (uint32_t b = store->row_low / 64; b * 64 < store->row_high; b++)
        for (uint64_t mask = store->used[b]; mask; mask &= mask - 1) {
            uint32_t word = b * 64 + (uint32_t)__builtin_ctzll(mask);
            if (!store->row[word]) continue;
            put_word(row, word, store->row[word]);
            tell_column(store, word, store->row[word], bit);
        }
}

/* In the event's own block, of which it has the earlier events. */
static void put_block(ContextRow *row, uint32_t word, uint64_t bits)
{
    if (row->len && row->high == word + 1)
        row->words[row->len - 1] |= bits;
    else
        put_word(row, word, bits);
}

/* A block of 64 events is full: its bits move from the column into the rows. */
static void flush_column(ContextStore *store)
{
    uint32_t word = (uint32_t)(store->events.len / 64) - 1;
    assert(store->events.len % 64 == 0 && store->column.len == store->events.len);
    for (size_t i = 0; i < store->in_column.len; i++) {
        uint32_t f = store->in_column.data[i];
        put_block(&store->events.data[f].row, word, store->column.data[f]);
        store->column.data[f] = 0;
    }
    vec_clear(&store->in_column);
}

/* e into after() of what it leaves unconsumed. */
static void publish_cut(ContextStore *store, const ContextEvent *event, uint32_t e, const uint64_t *marking)
{
    const ContextNet *net = store->net;
    for (uint32_t w = 0; w < net->marking_words; w++)
        for (uint64_t rest = marking[w] & net->place_tested[w]; rest; rest &= rest - 1) {
            uint32_t last = store->last[w * 64 + (uint32_t)__builtin_ctzll(rest)];
            assert(last & 1);
            if (last / 2 < event->first_change) sparse_add(&store->after.data[last / 2], e);
        }
}

static bool reads_unconsumed(const ContextStore *store, const ContextEvent *f)
{
    ContextSlice tested = store->net->tested[f->transition];
    const uint32_t *entry = context_net_list(store->net, tested);
    for (uint32_t k = 0; k < tested.len; k++)
        if (entry[k] & 1 && store->last[entry[k] / 2] == f->tested[k] * 2 + 1) return true;
    return false;
}

/* A reader below e whose condition e leaves alone is a reader below one of e's causes, or a cause. */
static void publish_readers(ContextStore *store, ContextEvent *event, uint32_t e, const uint32_t *causes,
                            uint32_t n_causes)
{
    VecU32 *found = &store->merged[0];
    vec_clear(found);
    for (uint32_t i = 0; i < n_causes; i++) {
        const ContextEvent *cause = context_store_event(store, causes[i]);
        for (uint32_t k = 0; k < cause->n_readers; k++) {
            uint32_t r = cause->readers[k];
            ContextEvent *reader = context_store_event(store, r);
            if (reader->seen == e || !reads_unconsumed(store, reader)) continue;
            reader->seen = e;
            sparse_add(&reader->up, e);
            vec_push(found, r);
        }
    }
    if (store->net->read[event->transition].len) vec_push(found, e);
    event->n_readers = (uint32_t)found->len;
    event->readers = arena_copy(&store->arena, found->data, found->len * sizeof *found->data);
}

static void publish_reads(ContextStore *store, const ContextEvent *event, uint32_t e)
{
    const ContextNet *net = store->net;
    ContextSlice tested = net->tested[event->transition];
    const uint32_t *entry = context_net_list(net, tested);
    for (uint32_t k = 0; k < tested.len; k++) {
        if (!(entry[k] & 1) || !net->place_consumed[entry[k] / 2]) continue;
        sparse_add(&store->readers.data[event->tested[k]], e);
    }
}

uint32_t context_store_add(ContextStore *store, uint32_t t, const uint32_t *causes, uint32_t n_causes,
                           const uint32_t *tested, const uint64_t *marking)
{
    const ContextNet *net = store->net;
    uint32_t e = (uint32_t)store->events.len;
    ContextEvent event = {.transition = t};
    assert(t < net->n_transitions && n_causes > 0);
    for (uint32_t i = 1; i < n_causes; i++) assert(causes[i] < causes[0]);
    for (uint32_t i = 0; i < net->tested[t].len; i++) {
        assert(store->change_event.data[tested[i]] <= causes[0]);
        assert(store->change_place.data[tested[i]] == context_net_list(net, net->tested[t])[i] / 2);
    }
    event.tested = arena_copy(&store->arena, tested, net->tested[t].len * sizeof *tested);
    for (uint32_t i = 0; i < n_causes; i++)
        event.depth = MAX(event.depth, context_store_event(store, causes[i])->depth);
    event.depth++;
    build_down(store, &event, e, causes, n_causes);
    add_changes(store, &event, e);
    vec_push_long(&store->events, event);
    vec_push_long(&store->column, 0);
    ContextEvent *stored = &store->events.data[e];
    build_cut(store, stored, e, causes[0]);
    build_row(store, stored, e, causes, n_causes);
    publish_row(store, stored, e);
    publish_cut(store, stored, e, marking);
    publish_readers(store, stored, e, causes, n_causes);
    publish_reads(store, stored, e);
    if (store->events.len % 64 == 0) flush_column(store);
    return e;
}
