#include "api/handles.h"

#include "api/words.h"
#include "base/error.h"
#include "report/prefix_why.h"
#include "report/prefix_write.h"
#include "unfold/unfold.h"

#define OPTIONS "relation order finder cutoffs"

struct mz_prefix {
    Handle handle;
    mz_net *net; /* kept */
    Prefix *inside;
    /* Made when somebody asks for causes of a prefix that has conditions instead. */
    GMutex mutex;
    VecU32 cause_start, cause;
};

static bool read_options(const mz_net *net, const char *const *words, Budget *budget, UnfoldOptions *options,
                         Indep **indep, GError **error)
{
    const char *relation = words_value(words, "relation"), *order = words_value(words, "order");
    unsigned finder = UNFOLD_AUTO, cutoffs = 0;
    *options = (UnfoldOptions){.relation = relation_default(RELATION_DEFAULT_UNFOLD), .order = ORDER_ERV};
    if (!words_check(words, OPTIONS, error) || (relation && !words_relation(relation, &options->relation, error)) ||
        (order && !words_order(order, &options->order, error)) ||
        !words_choice(words, "finder", "auto classic context parametric", &finder, error) ||
        !words_choice(words, "cutoffs", "on off", &cutoffs, error))
        return false;
    options->engine = (UnfoldEngine)finder;
    options->cutoffs = cutoffs == 0;
    if (options->relation != RELATION_FILE) return true;
    *indep = indep_named(api_net_inside(net), relation, budget, error);
    options->indep = *indep;
    return *indep;
}

mz_prefix *mz_unfold(const mz_net *net, const char *const *words, mz_limits *limits, mz_error **error)
{
    assert(IS_HANDLE(net, NET));
    Call call;
    UnfoldOptions options;
    GError *failed = NULL;
    g_autoptr(Indep) indep = NULL;
    Budget *budget = api_limits_begin(limits, &call);
    if (!read_options(net, words, budget, &options, &indep, &failed)) return api_error_hand(failed, error);
    Prefix *inside = unfold(api_net_inside(net), &options, budget, &failed);
    if (!inside) return api_error_hand(failed, error);
    mz_prefix *prefix = g_new0(mz_prefix, 1);
    prefix->handle = HANDLE_PREFIX;
    prefix->net = api_net_keep(net);
    prefix->inside = inside;
    g_mutex_init(&prefix->mutex);
    return prefix;
}

void mz_prefix_free(mz_prefix *prefix)
{
    if (!prefix) return;
    END_HANDLE(prefix, PREFIX);
    prefix_free(prefix->inside);
    mz_net_free(prefix->net);
    vec_free(&prefix->cause_start);
    vec_free(&prefix->cause);
    g_mutex_clear(&prefix->mutex);
    g_free(prefix);
}

const Prefix *api_prefix_inside(const mz_prefix *prefix)
{
    return prefix->inside;
}

/* ---- the whole ---- */

mz_ending mz_prefix_ending(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return (mz_ending)prefix->inside->end;
}

const char *mz_prefix_reason(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return ending_text(prefix->inside->end);
}

const char *mz_prefix_relation(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return relation_name(prefix->inside->relation);
}

const char *mz_prefix_order(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return order_name(prefix->inside->order);
}

uint32_t mz_prefix_events(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->n_events;
}

uint32_t mz_prefix_cutoffs(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->n_cutoffs;
}

bool mz_prefix_has_conditions(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->has_conditions;
}

uint32_t mz_prefix_conditions(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->n_conditions;
}

uint32_t mz_prefix_histories(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->histories.n;
}

uint32_t mz_prefix_cutoff_histories(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->histories.n_cutoffs;
}

/* ---- arrays ---- */

static void make_causes(mz_prefix *prefix)
{
    const Prefix *p = prefix->inside;
    g_mutex_lock(&prefix->mutex);
    if (!prefix->cause_start.len) {
        vec_reserve(&prefix->cause_start, (size_t)p->n_events + 1);
        vec_reserve(&prefix->cause, 1);
        vec_push(&prefix->cause_start, 0);
        for (uint32_t e = 0; e < p->n_events; e++) {
            prefix_part_push_causes(p, e, &prefix->cause);
            vec_push(&prefix->cause_start, (uint32_t)prefix->cause.len);
        }
    }
    g_mutex_unlock(&prefix->mutex);
}

static void causes_of(const mz_prefix *prefix, const uint32_t **start, const uint32_t **cause)
{
    if (prefix->inside->cause_start) {
        *start = prefix->inside->cause_start;
        *cause = prefix->inside->cause;
        return;
    }
    make_causes((mz_prefix *)prefix); /* what is seen stays the same */
    *start = prefix->cause_start.data;
    *cause = prefix->cause.data;
}

typedef struct Slice {
    const uint32_t *at;
    size_t length;
} Slice;

/* The rows of a table, or their numbers. */
static Slice table(const uint32_t *start, const uint32_t *entries, size_t rows, bool of_start)
{
    if (!start) return (Slice){0};
    return of_start ? (Slice){start, rows + 1} : (Slice){entries, start[rows]};
}

static Slice find(const mz_prefix *prefix, mz_array array)
{
    const Prefix *p = prefix->inside;
    const PrefixHistories *h = &p->histories;
    const uint32_t *start, *cause;
    uint32_t n = p->n_events;
    switch (array) {
    case MZ_EVENT_TRANSITION: return (Slice){p->event_transition, n};
    case MZ_EVENT_COMPANION: return (Slice){p->event_companion, n};
    case MZ_EVENT_SIZE: return (Slice){p->event_size, n};
    case MZ_EVENT_DEPTH: return (Slice){p->event_depth, n};
    case MZ_CAUSE_START:
    case MZ_CAUSE: causes_of(prefix, &start, &cause); return table(start, cause, n, array == MZ_CAUSE_START);
    case MZ_PRE_START:
    case MZ_PRE_CONDITION: return table(p->pre_start, p->pre, n, array == MZ_PRE_START);
    case MZ_READ_START:
    case MZ_READ_CONDITION: return table(p->read_start, p->read, n, array == MZ_READ_START);
    case MZ_POST_START: return table(p->post_start, NULL, n, true);
    case MZ_CONDITION_PLACE: return (Slice){p->condition_place, p->n_conditions};
    case MZ_CONDITION_EVENT: return (Slice){p->condition_event, p->n_conditions};
    case MZ_HISTORY_EVENT: return (Slice){h->event, h->n};
    case MZ_HISTORY_COMPANION: return (Slice){h->companion, h->n};
    case MZ_HISTORY_SIZE: return (Slice){h->size, h->n};
    case MZ_HISTORY_DEPTH: return (Slice){h->depth, h->n};
    case MZ_HISTORY_CAUSE_START:
    case MZ_HISTORY_CAUSE: return table(h->cause_start, h->cause, h->n, array == MZ_HISTORY_CAUSE_START);
    }
    assert(!"an array of mazurka.h");
    return (Slice){0};
}

const uint32_t *mz_prefix_array(const mz_prefix *prefix, mz_array array, size_t *length)
{
    assert(IS_HANDLE(prefix, PREFIX));
    Slice slice = find(prefix, array);
    if (length) *length = slice.length;
    return slice.at;
}

/* ---- one event, one condition ---- */

static uint32_t of_event(const mz_prefix *prefix, mz_array array, uint32_t event)
{
    assert(IS_HANDLE(prefix, PREFIX) && event < prefix->inside->n_events);
    return find(prefix, array).at[event];
}

uint32_t mz_prefix_transition(const mz_prefix *prefix, uint32_t event)
{
    return of_event(prefix, MZ_EVENT_TRANSITION, event);
}

uint32_t mz_prefix_companion(const mz_prefix *prefix, uint32_t event)
{
    return of_event(prefix, MZ_EVENT_COMPANION, event);
}

uint32_t mz_prefix_size(const mz_prefix *prefix, uint32_t event)
{
    return of_event(prefix, MZ_EVENT_SIZE, event);
}

uint32_t mz_prefix_depth(const mz_prefix *prefix, uint32_t event)
{
    return of_event(prefix, MZ_EVENT_DEPTH, event);
}

static const uint32_t *row(const mz_prefix *prefix, mz_array starts, mz_array entries, uint32_t event, uint32_t *count)
{
    assert(IS_HANDLE(prefix, PREFIX) && event < prefix->inside->n_events);
    const uint32_t *start = find(prefix, starts).at, *all = find(prefix, entries).at;
    if (count) *count = start ? start[event + 1] - start[event] : 0;
    return start && all ? all + start[event] : NULL;
}

const uint32_t *mz_prefix_causes(const mz_prefix *prefix, uint32_t event, uint32_t *count)
{
    return row(prefix, MZ_CAUSE_START, MZ_CAUSE, event, count);
}

const uint32_t *mz_prefix_pre(const mz_prefix *prefix, uint32_t event, uint32_t *count)
{
    return row(prefix, MZ_PRE_START, MZ_PRE_CONDITION, event, count);
}

const uint32_t *mz_prefix_read(const mz_prefix *prefix, uint32_t event, uint32_t *count)
{
    return row(prefix, MZ_READ_START, MZ_READ_CONDITION, event, count);
}

uint32_t mz_prefix_post(const mz_prefix *prefix, uint32_t event, uint32_t *count)
{
    assert(IS_HANDLE(prefix, PREFIX) && event < prefix->inside->n_events);
    const uint32_t *start = prefix->inside->post_start;
    if (count) *count = start ? start[event + 1] - start[event] : 0;
    return start ? start[event] : 0;
}

uint32_t mz_prefix_place(const mz_prefix *prefix, uint32_t condition)
{
    assert(IS_HANDLE(prefix, PREFIX) && condition < prefix->inside->n_conditions);
    return prefix->inside->condition_place[condition];
}

uint32_t mz_prefix_producer(const mz_prefix *prefix, uint32_t condition)
{
    assert(IS_HANDLE(prefix, PREFIX) && condition < prefix->inside->n_conditions);
    return prefix->inside->condition_event[condition];
}

uint32_t mz_prefix_local(const mz_prefix *prefix, uint32_t event, uint32_t *events)
{
    assert(IS_HANDLE(prefix, PREFIX) && events && event < prefix->inside->n_events);
    return prefix_local(prefix->inside, event, events);
}

void mz_prefix_marking(const mz_prefix *prefix, uint32_t event, uint64_t *marking)
{
    assert(IS_HANDLE(prefix, PREFIX) && marking && (event < prefix->inside->n_events || event == MZ_BOTTOM));
    prefix_marking(prefix->inside, event, marking);
}

char *mz_prefix_why(const mz_prefix *prefix, uint32_t event)
{
    assert(IS_HANDLE(prefix, PREFIX) && event < prefix->inside->n_events);
    return prefix_why(prefix->inside, event);
}

/* ---- endings ---- */

const uint32_t *mz_prefix_run(const mz_prefix *prefix, size_t *length)
{
    assert(IS_HANDLE(prefix, PREFIX));
    if (length) *length = prefix->inside->unsafe_len;
    return prefix->inside->unsafe_run;
}

uint32_t mz_prefix_unsafe_place(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->end == ENDING_UNSAFE ? prefix->inside->unsafe_place : MZ_NONE;
}

uint32_t mz_prefix_repeats_from(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->pump_from;
}

const uint32_t *mz_prefix_pair(const mz_prefix *prefix)
{
    assert(IS_HANDLE(prefix, PREFIX));
    return prefix->inside->end == ENDING_REFUTED ? prefix->inside->pair : NULL;
}

char *mz_prefix_write(const mz_prefix *prefix, const char *format, uint32_t around, uint32_t radius, size_t *size,
                      mz_error **error)
{
    assert(IS_HANDLE(prefix, PREFIX) && format && (around < prefix->inside->n_events || around == MZ_NONE));
    GError *failed = NULL;
    g_autofree char *name = g_strdup_printf("prefix.%s", format);
    g_autoptr(PrefixPart) part = prefix_part_new(prefix->inside, around, radius);
    g_autoptr(GString) text = g_string_new(NULL);
    if (!prefix_write_text(part, name, text, &failed)) return api_error_hand(failed, error);
    if (size) *size = text->len;
    return g_string_free(g_steal_pointer(&text), FALSE);
}
