#include "unfold/merged/merged.h"

#include "base/bitset.h"
#include "base/error.h"
#include "unfold/merged/configs.h"
#include "unfold/merged/store.h"

#include <assert.h>

/* By size, from 1 on: all short configurations of live events with fewer events are known, so whether one of this size
 * is short can be asked. SAT offers a configuration that enables an event which is not live; what of it comes before
 * that event is a run that ends in it. Is the run short, the event is live. Is it not, its shortest beginning that is
 * not short is forbidden for ever, or, when only the event itself makes it so, the event after this run: a cutoff. */
typedef struct Builder {
    Merged *m;
    Configs *configs;
    Budget *budget;
    GHashTable *sizes; /* marking -> twice the events of the smallest configuration seen, + 1 when none is smaller */
    size_t words;
    uint64_t *marking;
    uint32_t *times; /* by place: how often marked so far */
    VecU32 run, history, part, other, row;
    uint64_t *wanted, *taken, *over; /* by condition: of history_of() */
} Builder;

/* ---- runs ---- */

static void fire_row(Builder *b, uint32_t t, const uint32_t *row)
{
    uint32_t takes = merged_count(b->m, MERGED_TAKES, t), reads = merged_count(b->m, MERGED_READS, t),
             makes = merged_count(b->m, MERGED_MAKES, t);
    for (uint32_t i = 0; i < takes + reads; i++) assert(bitset_get(b->marking, b->m->place.data[row[i]]));
    for (uint32_t i = 0; i < takes; i++) bitset_clear(b->marking, b->m->place.data[row[i]]);
    for (uint32_t i = takes + reads; i < takes + reads + makes; i++) {
        assert(!bitset_get(b->marking, b->m->place.data[row[i]]));
        bitset_set(b->marking, b->m->place.data[row[i]]);
        b->times[b->m->place.data[row[i]]] = b->m->depth.data[row[i]];
    }
}

/* The marking, and how often each place was marked, after the first n events of a run. */
static void play(Builder *b, const VecU32 *run, size_t n)
{
    memset(b->marking, 0, b->words * sizeof *b->marking);
    for (uint32_t p = 0; p < b->m->net->n_places; p++) {
        b->times[p] = b->m->net->initial[p] > 0;
        if (b->times[p]) bitset_set(b->marking, p);
    }
    for (size_t i = 0; i < n; i++)
        fire_row(b, b->m->transition.data[run->data[i]], merged_row(b->m, MERGED_TAKES, run->data[i]));
}

/* The conditions of t after what was played. False when it puts a second token somewhere. */
static bool make_row(Builder *b, uint32_t t)
{
    vec_clear(&b->row);
    for (int kind = MERGED_TAKES; kind <= MERGED_MAKES; kind++)
        for (uint32_t i = 0; i < merged_count(b->m, kind, t); i++) {
            uint32_t p = merged_places(b->m, kind, t)[i], depth = b->times[p] + (kind == MERGED_MAKES);
            assert(kind == MERGED_MAKES || bitset_get(b->marking, p));
            vec_push(&b->row, merged_store_condition(b->m, p, depth));
        }
    for (uint32_t i = 0; i < merged_count(b->m, MERGED_TAKES, t); i++)
        bitset_clear(b->marking, merged_places(b->m, MERGED_TAKES, t)[i]);
    for (uint32_t i = 0; i < merged_count(b->m, MERGED_MAKES, t); i++) {
        uint32_t p = merged_places(b->m, MERGED_MAKES, t)[i];
        b->m->unsafe_place = p;
        if (bitset_get(b->marking, p)) return false;
        bitset_set(b->marking, p);
    }
    b->m->unsafe_place = NET_NONE;
    return true;
}

/* ---- what comes before an event ---- */

static void note_before(Builder *b, uint32_t t, const uint32_t *row)
{
    uint32_t takes = merged_count(b->m, MERGED_TAKES, t), reads = merged_count(b->m, MERGED_READS, t),
             makes = merged_count(b->m, MERGED_MAKES, t);
    for (uint32_t i = 0; i < takes + reads; i++) bitset_set(b->wanted, row[i]);
    for (uint32_t i = 0; i < takes; i++) bitset_set(b->taken, row[i]);
    for (uint32_t i = takes + reads; i < takes + reads + makes; i++) {
        uint32_t depth = b->m->depth.data[row[i]];
        if (depth > 1) bitset_set(b->over, b->m->by_place[b->m->place.data[row[i]]].data[depth - 2]);
    }
}

static bool any_in(const Merged *m, int kind, uint32_t e, const uint64_t *set)
{
    for (MERGED_EACH(id, m, kind, e))
        if (bitset_get(set, *id)) return true;
    return false;
}

/* Of the first n events of a run, in their order, those that have to come before t with these conditions. */
static void history_of(Builder *b, const VecU32 *run, size_t n, uint32_t t, const uint32_t *row, VecU32 *history)
{
    size_t words = bitset_words(b->m->n_conditions) + 1;
    b->wanted = g_renew(uint64_t, b->wanted, 3 * words);
    memset(b->wanted, 0, 3 * words * sizeof *b->wanted);
    b->taken = b->wanted + words;
    b->over = b->taken + words;
    note_before(b, t, row);
    vec_clear(history);
    for (size_t i = n; i-- > 0;) {
        uint32_t e = run->data[i];
        if (!any_in(b->m, MERGED_MAKES, e, b->wanted) && !any_in(b->m, MERGED_READS, e, b->taken) &&
            !any_in(b->m, MERGED_TAKES, e, b->over))
            continue;
        vec_push(history, e);
        note_before(b, b->m->transition.data[e], merged_row(b->m, MERGED_TAKES, e));
    }
    for (size_t i = 0; i < history->len / 2; i++) {
        uint32_t last = history->data[history->len - 1 - i];
        history->data[history->len - 1 - i] = history->data[i];
        history->data[i] = last;
    }
}

/* ---- short or not ---- */

static void note_size(Builder *b, GBytes *marking, uint32_t size, bool exact)
{
    g_hash_table_insert(b->sizes, g_bytes_ref(marking), GUINT_TO_POINTER(2 * size + exact));
}

/* The marking that was played is that of a configuration of so many events: is there a smaller one? */
static SatAnswer is_longer(Builder *b, uint32_t size)
{
    g_autoptr(GBytes) key = g_bytes_new(b->marking, b->words * sizeof *b->marking);
    gpointer value;
    if (g_hash_table_lookup_extended(b->sizes, key, NULL, &value)) {
        uint32_t known = GPOINTER_TO_UINT(value);
        if (known / 2 < size) return SAT_YES;
        if (known % 2) return SAT_NO;
    }
    if (!size) return SAT_NO;
    SatAnswer answer = configs_reach(b->configs, size - 1, b->marking, &b->other);
    assert(answer != SAT_YES || b->other.len < size);
    if (answer == SAT_YES) note_size(b, key, (uint32_t)b->other.len, false);
    if (answer == SAT_NO) note_size(b, key, size, true);
    return answer;
}

static SatAnswer is_longer_at(Builder *b, const VecU32 *run, size_t n)
{
    play(b, run, n);
    return is_longer(b, (uint32_t)n);
}

/* Forbids the shortest beginning of the history that is not short. *found: there is one. */
static SatAnswer forbid_beginning(Builder *b, bool *found)
{
    size_t low = 0, high = b->history.len + 1; /* the first low events are short, the first high ones not */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        SatAnswer answer = is_longer_at(b, &b->history, middle);
        if (answer == SAT_UNKNOWN) return answer;
        if (answer == SAT_YES)
            high = middle;
        else
            low = middle;
    }
    assert(low < high && high <= b->history.len + 1);
    *found = high <= b->history.len;
    if (!*found) return SAT_YES;
    uint32_t last = b->history.data[high - 1];
    history_of(b, &b->history, high - 1, b->m->transition.data[last], merged_row(b->m, MERGED_TAKES, last), &b->part);
    vec_push(&b->part, last);
    SatAnswer answer = b->part.len < high ? is_longer_at(b, &b->part, b->part.len) : SAT_NO;
    if (answer == SAT_UNKNOWN) return answer;
    b->history.len = high;
    configs_forbid(b->configs, answer == SAT_YES ? &b->part : &b->history);
    return SAT_YES;
}

/* ---- building ---- */

/* The last run enables t. False when building is over. */
static bool judge(Builder *b, uint32_t t)
{
    Merged *m = b->m;
    play(b, &b->run, b->run.len);
    if (!make_row(b, t)) {
        m->end = ENDING_UNSAFE;
        return false;
    }
    history_of(b, &b->run, b->run.len, t, b->row.data, &b->history);
    uint32_t size = (uint32_t)b->history.len + 1;
    assert(size <= b->run.len + 1);
    play(b, &b->history, b->history.len);
    fire_row(b, t, b->row.data);
    SatAnswer longer = is_longer(b, size);
    bool beginning = false;
    if (longer == SAT_YES) longer = forbid_beginning(b, &beginning);
    if (longer == SAT_UNKNOWN || beginning) return longer != SAT_UNKNOWN;
    uint32_t e = merged_store_event(m, t, b->row.data, (uint32_t)b->row.len);
    if (longer == SAT_YES) {
        configs_forbid_news(b->configs, &b->history, t, b->row.data);
        return true;
    }
    assert(!m->live.data[e]);
    m->live.data[e] = 1;
    m->n_live++;
    m->longest = MAX(m->longest, size);
    configs_add(b->configs, e);
    return true;
}

static bool limit_reached(Builder *b)
{
    uint64_t most = budget_max_events(b->budget);
    if (most && b->m->n_events >= most) budget_exhaust(b->budget, ENDING_EVENTS);
    return budget_spent(b->budget);
}

/* All configurations of fewer than `size` events; false when building is over. */
static bool build_size(Builder *b, uint32_t size)
{
    uint32_t t;
    bool any = false;
    configs_begin(b->configs, size);
    for (;;) {
        SatAnswer answer = limit_reached(b) ? SAT_UNKNOWN : configs_news(b->configs, size - 1, &b->run, &t);
        if (answer == SAT_NO) break;
        any = true;
        if (answer == SAT_UNKNOWN || !judge(b, t)) {
            if (b->m->end != ENDING_UNSAFE) b->m->end = budget_ending(b->budget);
            return false;
        }
    }
    if (any) return true;
    SatAnswer more = configs_news(b->configs, UINT32_MAX, &b->run, &t);
    if (more == SAT_UNKNOWN) b->m->end = budget_ending(b->budget);
    return more == SAT_YES;
}

static bool is_taken(const Net *net, Relation relation, GError **error)
{
    bool plain = net_is_ordinary(net);
    for (uint32_t p = 0; p < net->n_places && plain; p++) plain = net->initial[p] <= 1;
    if (plain && relation >= RELATION_CLASSIC && relation <= RELATION_LOOPS) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED,
                plain ? "merged processes are those of classic, read and loops"
                      : "merged processes are those of safe nets");
    return false;
}

Merged *merged_unfold(const Net *net, Relation relation, Budget *budget, GError **error)
{
    if (!is_taken(net, relation, error)) return NULL;
    Merged *m = merged_store_new(net, relation);
    Builder b = {.m = m,
                 .budget = budget,
                 .configs = configs_new(m, budget),
                 .sizes = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL),
                 .words = bitset_words(net->n_places) + 1,
                 .times = g_new(uint32_t, (size_t)net->n_places + 1)};
    b.marking = g_new0(uint64_t, b.words);
    for (uint32_t size = 1; build_size(&b, size); size++) {
    }
    configs_free(b.configs);
    g_hash_table_unref(b.sizes);
    g_free(b.marking);
    g_free(b.times);
    g_free(b.wanted);
    vec_free(&b.run);
    vec_free(&b.history);
    vec_free(&b.part);
    vec_free(&b.other);
    vec_free(&b.row);
    return m;
}

void merged_free(Merged *m)
{
    if (!m) return;
    for (int kind = 0; kind < N_MERGED_KINDS; kind++) {
        vec_free(&m->start[kind]);
        vec_free(&m->places[kind]);
    }
    for (uint32_t p = 0; p < m->net->n_places; p++) vec_free(&m->by_place[p]);
    g_free(m->by_place);
    vec_free(&m->transition);
    vec_free(&m->live);
    vec_free(&m->row_start);
    vec_free(&m->row);
    vec_free(&m->place);
    vec_free(&m->depth);
    g_hash_table_unref(m->index);
    g_free(m);
}

SatAnswer merged_dead(Merged *m, Budget *budget)
{
    assert(m->end == ENDING_COMPLETE);
    g_autoptr(Configs) configs = configs_new(m, budget);
    for (uint32_t e = 0; e < m->n_events; e++)
        if (m->live.data[e]) configs_add(configs, e);
    configs_begin(configs, 0);
    VecU32 run = {0};
    SatAnswer answer = configs_dead(configs, &run);
    vec_free(&run);
    return answer;
}
