#include "unfold/context_store.h"

#include "base/bitset.h"

#include <string.h>

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
        vec_push(&store->first_reader, 0);
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
    vec_push(&store->readers, (ContextReader){0});
    /* change 0 is "never changed, unmarked" */
    vec_push(&store->change_event, 0);
    vec_push(&store->change_place, 0);
    vec_push(&store->after, (Sparse){0});
    vec_push(&store->first_reader, 0);
    add_bottom(store);
}

void context_store_clear(ContextStore *store)
{
    for (size_t e = 0; e < store->events.len; e++) {
        g_free(store->events.data[e].row.words);
        g_free(store->events.data[e].up.at);
    }
    for (size_t c = 0; c < store->after.len; c++) g_free(store->after.data[c].at);
    for (uint32_t p = 0; p < store->net->n_places; p++) {
        g_free(store->producers[p].events.at);
        vec_free(&store->producers[p].changes);
    }
    vec_free(&store->events);
    vec_free(&store->change_event);
    vec_free(&store->change_place);
    vec_free(&store->after);
    vec_free(&store->first_reader);
    vec_free(&store->readers);
    vec_free(&store->column);
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

/* The union of the causes' configurations and e itself, increasing. */
static void build_down(ContextStore *store, ContextEvent *event, uint32_t e, const uint32_t *causes, uint32_t n)
{
    const uint32_t *a = NULL;
    uint32_t len = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ContextEvent *cause = context_store_event(store, causes[i]);
        if (i == 0) {
            a = cause->down;
            len = cause->size;
            continue;
        }
        const uint32_t *b = cause->down;
        uint32_t len_b = cause->size, x = 0, y = 0, to = 0;
        uint32_t *merged = arena_alloc(&store->arena, ((size_t)len + len_b + 1) * sizeof *merged);
        while (x < len && y < len_b) {
            uint32_t u = a[x], v = b[y];
            merged[to++] = u < v ? u : v;
            x += u <= v;
            y += v <= u;
        }
        while (x < len) merged[to++] = a[x++];
        while (y < len_b) merged[to++] = b[y++];
        a = merged;
        len = to;
    }
    event->down = arena_alloc(&store->arena, ((size_t)len + 1) * sizeof *event->down);
    if (len) memcpy(event->down, a, len * sizeof *a);
    event->down[len] = e;
    event->size = len + 1;
}

/* Walks [e] in a causal order: the last change of each place is the cut. */
static void replay(ContextStore *store, const ContextEvent *event)
{
    const ContextNet *net = store->net;
    memcpy(store->last, store->initial_last, net->n_places * sizeof *store->last);
    for (uint32_t i = 0; i < event->size; i++) {
        const ContextEvent *f = context_store_event(store, event->down[i]);
        ContextSlice changed = net->changed[f->transition];
        const uint32_t *at = context_net_list(net, changed);
        for (uint32_t k = 0; k < changed.len; k++)
            store->last[at[k] / 2] = (f->first_change + k) * 2 + (at[k] & 1);
    }
}

static void add_changes(ContextStore *store, ContextEvent *event, uint32_t e)
{
    ContextNet *net = store->net;
    ContextSlice changed = net->changed[event->transition];
    event->first_change = (uint32_t)store->change_event.len;
    for (uint32_t k = 0; k < changed.len; k++) {
        uint32_t entry = net->pool.data[changed.from + k], change = (uint32_t)store->change_event.len;
        vec_push(&store->change_event, e);
        vec_push(&store->change_place, entry / 2);
        vec_push(&store->after, (Sparse){0});
        vec_push(&store->first_reader, 0);
        if (entry & 1) {
            sparse_add(&store->producers[entry / 2].events, e);
            vec_push(&store->producers[entry / 2].changes, change);
        }
    }
}

/* row := row & (row(f) u extra), where row(f) is in two parts. */
static void meet(ContextStore *store, uint32_t f, const Sparse *extra, size_t words)
{
    const ContextRow *other = &context_store_event(store, f)->row;
    uint64_t *row = store->row;
    if (store->saved_room < extra->len) {
        store->saved_room = extra->len * 2;
        store->saved = g_renew(uint64_t, store->saved, store->saved_room);
    }
    for (uint32_t i = 0; i < extra->len; i++) store->saved[i] = row[extra->at[i].word] & extra->at[i].mask;
    size_t low = MIN(other->low, words), high = MIN(other->high, words);
    uint64_t kept = words ? row[words - 1] & store->column.data[f] : 0;
    memset(row, 0, low * sizeof *row);
    for (size_t i = low; i < high; i++) row[i] &= other->words[i - low];
    if (words > high) memset(row + high, 0, (words - high) * sizeof *row);
    if (words) row[words - 1] |= kept;
    for (uint32_t i = 0; i < extra->len; i++) row[extra->at[i].word] |= store->saved[i];
}

static void leave_out(ContextStore *store, const Sparse *set)
{
    for (uint32_t i = 0; i < set->len; i++) store->row[set->at[i].word] &= ~set->at[i].mask;
}

/* f is concurrent with e iff it coexists with all that e consumes and reads and with the readers that
 * precede e, and no reader that e's consumption shuts out lies in [f]. */
static void build_row(ContextStore *store, ContextEvent *event, uint32_t e, const uint32_t *causes, uint32_t n_causes)
{
    const ContextNet *net = store->net;
    size_t words = bitset_words(e);
    if (store->row_room < words + 1) {
        store->row_room = words * 2 + 8;
        store->row = g_renew(uint64_t, store->row, store->row_room);
    }
    for (size_t i = 0; i < words; i++) store->row[i] = ~(uint64_t)0;
    store->row[words] = 0;
    if (e % 64) store->row[words - 1] = ((uint64_t)1 << (e % 64)) - 1;
    bitset_clear(store->row, 0); /* bottom */
    ContextSlice tested = net->tested[event->transition];
    const uint32_t *entry = context_net_list(net, tested);
    for (uint32_t i = 0; i < tested.len; i++) {
        uint32_t change = event->tested[i];
        meet(store, store->change_event.data[change], &store->after.data[change], words);
    }
    for (uint32_t i = 0; i < n_causes; i++) {
        bool produces = false;
        for (uint32_t k = 0; k < tested.len && !produces; k++)
            produces = store->change_event.data[event->tested[k]] == causes[i];
        if (!produces && causes[i]) meet(store, causes[i], &context_store_event(store, causes[i])->up, words);
    }
    for (uint32_t i = 0; i < tested.len; i++) {
        if (entry[i] & 1) continue;
        for (uint32_t r = store->first_reader.data[event->tested[i]]; r; r = store->readers.data[r].next) {
            uint32_t reader = store->readers.data[r].event;
            if (context_store_below(store, reader, e)) continue;
            leave_out(store, &context_store_event(store, reader)->up);
            bitset_clear(store->row, reader);
        }
    }
}

/* Keeps the row and tells the others. */
static void publish_row(ContextStore *store, ContextEvent *event, uint32_t e)
{
    size_t words = bitset_words(e), low = 0, high = words;
    while (low < high && !store->row[low]) low++;
    while (low < high && !store->row[high - 1]) high--;
    ContextRow *row = &event->row;
    row->low = (uint32_t)low;
    row->high = (uint32_t)high;
    row->room = (uint32_t)(high - low);
    row->words = row->room ? g_memdup2(store->row + low, row->room * sizeof *row->words) : NULL;
    uint64_t bit = (uint64_t)1 << (e % 64), *column = store->column.data;
    for (size_t w = low; w < high; w++)
        for (uint64_t mask = store->row[w]; mask; mask &= mask - 1)
            column[w * 64 + (size_t)__builtin_ctzll(mask)] |= bit;
}

static void put_word(ContextRow *row, uint32_t word, uint64_t bits)
{
    if (row->low == row->high) row->low = row->high = word;
    if (word < row->high) { /* the event's own block */
        row->words[word - row->low] |= bits;
        return;
    }
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
    for (size_t f = 0; f < store->events.len; f++)
        if (store->column.data[f]) {
            put_word(&store->events.data[f].row, word, store->column.data[f]);
            store->column.data[f] = 0;
        }
}

/* e into after() of what it leaves unconsumed, into up() of the readers below it. */
static void publish_cut(ContextStore *store, const ContextEvent *event, uint32_t e)
{
    const ContextNet *net = store->net;
    for (uint32_t p = 0; p < net->n_places; p++) {
        uint32_t last = store->last[p];
        if (last & 1 && net->place_tested[p] && last / 2 < event->first_change) sparse_add(&store->after.data[last / 2], e);
    }
    for (uint32_t i = 0; i + 1 < event->size; i++) {
        ContextEvent *f = context_store_event(store, event->down[i]);
        if (!net->read[f->transition].len) continue;
        ContextSlice tested = net->tested[f->transition];
        const uint32_t *entry = context_net_list(net, tested);
        for (uint32_t k = 0; k < tested.len; k++)
            if (entry[k] & 1 && store->last[entry[k] / 2] == f->tested[k] * 2 + 1) {
                sparse_add(&f->up, e);
                break;
            }
    }
}

static void publish_reads(ContextStore *store, const ContextEvent *event, uint32_t e)
{
    const ContextNet *net = store->net;
    ContextSlice tested = net->tested[event->transition];
    const uint32_t *entry = context_net_list(net, tested);
    for (uint32_t k = 0; k < tested.len; k++) {
        if (!(entry[k] & 1) || !net->place_consumed[entry[k] / 2]) continue;
        uint32_t *first = &store->first_reader.data[event->tested[k]];
        ContextReader reader = {e, *first};
        *first = (uint32_t)store->readers.len;
        vec_push(&store->readers, reader);
    }
}

uint32_t context_store_add(ContextStore *store, uint32_t t, const uint32_t *causes, uint32_t n_causes,
                           const uint32_t *tested)
{
    const ContextNet *net = store->net;
    uint32_t e = (uint32_t)store->events.len;
    ContextEvent event = {.transition = t};
    event.tested = arena_copy(&store->arena, tested, net->tested[t].len * sizeof *tested);
    for (uint32_t i = 0; i < n_causes; i++)
        event.depth = MAX(event.depth, context_store_event(store, causes[i])->depth);
    event.depth++;
    build_down(store, &event, e, causes, n_causes);
    add_changes(store, &event, e);
    vec_push(&store->events, event);
    vec_push(&store->column, 0);
    replay(store, &event);
    ContextEvent *stored = &store->events.data[e];
    build_row(store, stored, e, causes, n_causes);
    publish_row(store, stored, e);
    publish_cut(store, stored, e);
    publish_reads(store, stored, e);
    if (store->events.len % 64 == 0) flush_column(store);
    return e;
}
