#include "unfold/context/store.h"

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
        sparse_add(&store->producers[p].events, 0);
        vec_push(&store->producers[p].changes, change);
    }
}

void context_store_init(ContextStore *store, ContextNet *net)
{
    memset(store, 0, sizeof *store);
    store->net = net;
    store->producers = g_new0(ContextProducers, (size_t)net->n_places + 1);
    store->initial_last = g_new0(uint32_t, (size_t)net->n_places + 1);
    store->last = g_new0(uint32_t, (size_t)net->n_places + 1);
    /* change 0 is "never changed, unmarked" */
    vec_push(&store->change_event, 0);
    vec_push(&store->change_place, 0);
    vec_push(&store->after, (Sparse){0});
    vec_push(&store->readers, (Sparse){0});
    add_bottom(store);
    store->events.data[0].cut = store->initial_last;
}

void context_store_clear(ContextStore *store)
{
    for (size_t e = 0; e < store->events.len; e++) {
        g_free(store->events.data[e].row.words);
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
    g_free(store->producers);
    g_free(store->initial_last);
    g_free(store->last);
    g_free(store->row);
    g_free(store->saved);
    arena_free(&store->arena);
}

bool context_store_below(ContextStore *store, uint32_t f, uint32_t e)
{
    const ContextEvent *event = context_store_event(store, e);
    uint32_t low = 0, high = event->size;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (event->down[middle] < f)
            low = middle + 1;
        else
            high = middle;
    }
    return low < event->size && event->down[low] == f;
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
        if (value > *last) *last = value;
    }
}

/* The cut of [e] into `last`: from the first cause's, or from the beginning. */
static void build_cut(ContextStore *store, ContextEvent *event, uint32_t e, uint32_t first_cause)
{
    size_t bytes = store->net->n_places * sizeof *store->last;
    const uint32_t *cut = context_store_event(store, first_cause)->cut;
    memcpy(store->last, cut ? cut : store->initial_last, bytes);
    if (cut) {
        for (size_t i = 0; i < store->added.len; i++) apply(store, store->added.data[i]);
        apply(store, e);
    } else {
        for (uint32_t i = 0; i < event->size; i++) apply(store, event->down[i]);
    }
    if (store->cut_bytes + bytes > MOST_CUT_BYTES) return;
    store->cut_bytes += bytes;
    event->cut = arena_copy(&store->arena, store->last, bytes);
}

static void add_changes(ContextStore *store, ContextEvent *event, uint32_t e)
{
    ContextNet *net = store->net;
    ContextSlice changed = net->changed[event->transition];
    event->first_change = (uint32_t)store->change_event.len;
    assert(store->change_place.len == store->change_event.len && store->after.len == store->change_event.len);
    for (uint32_t k = 0; k < changed.len; k++) {
        uint32_t entry = net->pool.data[changed.from + k], change = (uint32_t)store->change_event.len;
        vec_push(&store->change_event, e);
        vec_push(&store->change_place, entry / 2);
        vec_push(&store->after, (Sparse){0});
        vec_push(&store->readers, (Sparse){0});
        if (entry & 1) {
            sparse_add(&store->producers[entry / 2].events, e);
            vec_push(&store->producers[entry / 2].changes, change);
        }
    }
}

/* Words low .. high-1 of store->row are the row so far; the words outside are stale. */
typedef struct Window {
    size_t low, high;
} Window;

/* What row(f) u extra can span; the unfinished block is the last word. */
static Window span(const ContextStore *store, const ContextEvent *f, uint64_t unfinished, const Sparse *extra,
                   uint32_t e)
{
    Window w = {SIZE_MAX, 0};
    if (f->row.low < f->row.high) w = (Window){f->row.low, f->row.high};
    if (extra->len) {
        w.low = MIN(w.low, extra->at[0].word);
        w.high = MAX(w.high, (size_t)extra->at[extra->len - 1].word + 1);
    }
    if (unfinished) {
        w.low = MIN(w.low, e / 64);
        w.high = MAX(w.high, (size_t)e / 64 + 1);
    }
    (void)store;
    if (w.low >= w.high) w = (Window){0, 0};
    return w;
}

static void begin_row(ContextStore *store, Window *window, uint32_t f, const Sparse *extra, uint32_t e)
{
    const ContextEvent *other = context_store_event(store, f);
    uint64_t unfinished = store->column.data[f], *row = store->row;
    *window = span(store, other, unfinished, extra, e);
    size_t low = window->low, high = window->high, from = other->row.low, to = other->row.high;
    if (from >= to) from = to = low;
    memset(row + low, 0, (from - low) * sizeof *row);
    if (from < to) memcpy(row + from, other->row.words, (to - from) * sizeof *row);
    memset(row + to, 0, (high - to) * sizeof *row);
    if (unfinished) row[e / 64] |= unfinished;
    for (uint32_t i = 0; i < extra->len; i++) row[extra->at[i].word] |= extra->at[i].mask;
}

/* row := row & (row(f) u extra) */
static void meet(ContextStore *store, Window *window, uint32_t f, const Sparse *extra, uint32_t e)
{
    const ContextEvent *other = context_store_event(store, f);
    uint64_t *row = store->row, unfinished = store->column.data[f];
    Window w = span(store, other, unfinished, extra, e);
    size_t low = MAX(window->low, w.low), high = MIN(window->high, w.high);
    if (low >= high) {
        *window = (Window){0, 0};
        return;
    }
    *window = (Window){low, high};
    uint32_t from = sparse_find(extra, (uint32_t)low), to = from;
    for (; to < extra->len && extra->at[to].word < high; to++) {
        if (to - from == store->saved_room) {
            store->saved_room = store->saved_room * 2 + 64;
            store->saved = g_renew(uint64_t, store->saved, store->saved_room);
        }
        store->saved[to - from] = row[extra->at[to].word] & extra->at[to].mask;
    }
    uint64_t kept = high == (size_t)e / 64 + 1 ? row[e / 64] & unfinished : 0;
    size_t begin = CLAMP(other->row.low, low, high), end = CLAMP(other->row.high, begin, high);
    memset(row + low, 0, (begin - low) * sizeof *row);
    size_t skipped = begin - other->row.low;
    for (size_t i = 0; i < end - begin; i++) row[begin + i] &= other->row.words[skipped + i];
    memset(row + end, 0, (high - end) * sizeof *row);
    if (kept) row[e / 64] |= kept;
    for (uint32_t i = from; i < to; i++) row[extra->at[i].word] |= store->saved[i - from];
}

static void leave_out(ContextStore *store, const Window *window, const Sparse *set)
{
    for (uint32_t i = sparse_find(set, (uint32_t)window->low); i < set->len && set->at[i].word < window->high; i++)
        store->row[set->at[i].word] &= ~set->at[i].mask;
}

/* A reader that e's consumption shuts out, and all above it. Readers below e are not in the row, and of a
 * reader that has left the row nothing above it is left there. */
static void leave_out_readers(ContextStore *store, const Window *window, uint32_t change)
{
    const Sparse *readers = &store->readers.data[change];
    uint32_t i = sparse_find(readers, (uint32_t)window->low);
    for (; i < readers->len && readers->at[i].word < window->high; i++)
        for (uint32_t w = readers->at[i].word;;) {
            uint64_t both = readers->at[i].mask & store->row[w];
            if (!both) break;
            uint32_t reader = w * 64 + (uint32_t)__builtin_ctzll(both);
            assert(reader > store->change_event.data[change]);
            leave_out(store, window, &context_store_event(store, reader)->up);
            bitset_clear(store->row, reader);
        }
}

/* All events but bottom: only a transition that tests nothing is concurrent with everything. */
static void begin_full_row(ContextStore *store, Window *window, uint32_t e)
{
    *window = (Window){0, bitset_words(e)};
    memset(store->row, 0xff, window->high * sizeof *store->row);
    if (e % 64) store->row[e / 64] = ((uint64_t)1 << (e % 64)) - 1;
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
static Window build_row(ContextStore *store, ContextEvent *event, uint32_t e, const uint32_t *causes, uint32_t n_causes)
{
    const ContextNet *net = store->net;
    size_t words = bitset_words((size_t)e + 1);
    if (store->row_room < words) {
        store->row_room = words * 2 + 8;
        store->row = g_renew(uint64_t, store->row, store->row_room);
    }
    ContextSlice tested = net->tested[event->transition];
    const uint32_t *entry = context_net_list(net, tested);
    Window window;
    if (!tested.len) begin_full_row(store, &window, e);
    for (uint32_t i = 0; i < tested.len; i++) {
        uint32_t change = event->tested[i], producer = store->change_event.data[change];
        if (i == 0)
            begin_row(store, &window, producer, &store->after.data[change], e);
        else if (window.low < window.high)
            meet(store, &window, producer, &store->after.data[change], e);
    }
    for (uint32_t i = 0; i < n_causes && window.low < window.high; i++)
        if (causes[i] && !is_producer(store, event, tested.len, causes[i]))
            meet(store, &window, causes[i], &context_store_event(store, causes[i])->up, e);
    for (uint32_t i = 0; i < tested.len && window.low < window.high; i++)
        if (!(entry[i] & 1)) leave_out_readers(store, &window, event->tested[i]);
    return window;
}

/* Keeps the row and tells the others. */
static void publish_row(ContextStore *store, ContextEvent *event, uint32_t e, Window window)
{
    size_t low = window.low, high = window.high;
    while (low < high && !store->row[low]) low++;
    while (low < high && !store->row[high - 1]) high--;
    ContextRow *row = &event->row;
    assert(high <= bitset_words((size_t)e + 1) &&
           (high < bitset_words((size_t)e + 1) || low == high || !bitset_get(store->row, e)));
    row->low = (uint32_t)low;
    row->high = (uint32_t)high;
    row->room = (uint32_t)(high - low);
    row->words = row->room ? g_memdup2(store->row + low, row->room * sizeof *row->words) : NULL;
    uint64_t bit = (uint64_t)1 << (e % 64), *column = store->column.data;
    for (size_t w = low; w < high; w++)
        for (uint64_t mask = store->row[w]; mask; mask &= mask - 1) {
            uint32_t f = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(mask);
            if (!column[f]) vec_push(&store->in_column, f);
            column[f] |= bit;
        }
}

static void put_word(ContextRow *row, uint32_t word, uint64_t bits)
{
    if (row->low == row->high) row->low = row->high = word;
    if (word < row->high) { /* the event's own block */
        row->words[word - row->low] |= bits;
        return;
    }
    assert(word >= row->high);
    uint32_t need = word + 1 - row->low;
    if (need > row->room) {
        row->room = need + need / 2 + 2;
        row->words = g_renew(uint64_t, row->words, row->room);
    }
    memset(row->words + (row->high - row->low), 0, (word - row->high) * sizeof *row->words);
    row->words[word - row->low] = bits;
    row->high = word + 1;
}

/* A block of 64 events is full: its bits move from the column into the rows. */
static void flush_column(ContextStore *store)
{
    uint32_t word = (uint32_t)(store->events.len / 64) - 1;
    assert(store->events.len % 64 == 0 && store->column.len == store->events.len);
    for (size_t i = 0; i < store->in_column.len; i++) {
        uint32_t f = store->in_column.data[i];
        put_word(&store->events.data[f].row, word, store->column.data[f]);
        store->column.data[f] = 0;
    }
    vec_clear(&store->in_column);
}

/* e into after() of what it leaves unconsumed. */
static void publish_cut(ContextStore *store, const ContextEvent *event, uint32_t e, const uint64_t *marking)
{
    const ContextNet *net = store->net;
    for (BITSET_EACH(p, marking, net->marking_words)) {
        uint32_t last = store->last[p];
        assert(last & 1);
        if (net->place_tested[p] && last / 2 < event->first_change) sparse_add(&store->after.data[last / 2], e);
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
    vec_push(&store->events, event);
    vec_push(&store->column, 0);
    ContextEvent *stored = &store->events.data[e];
    build_cut(store, stored, e, causes[0]);
    publish_row(store, stored, e, build_row(store, stored, e, causes, n_causes));
    publish_cut(store, stored, e, marking);
    publish_readers(store, stored, e, causes, n_causes);
    publish_reads(store, stored, e);
    if (store->events.len % 64 == 0) flush_column(store);
    return e;
}
