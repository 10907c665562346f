#include "report/prefix_read.h"

#include "base/error.h"
#include "base/input.h"
#include "base/json_read.h"
#include "base/vec.h"
#include "net/builder.h"

#include <string.h>

enum { MOST_EVENTS = 1 << 24 };

typedef struct Reader {
    const char *path;
    JsonTree tree;
    const JsonItem *conditions, *events;
    NetBuilder *builder;
    Prefix *prefix;
    VecU32 pre, read; /* of all events, one after the other */
    GError **error;
} Reader;

static bool fail(const Reader *r, const char *message)
{
    if (!*r->error) error_at(r->error, ERROR_INPUT, r->path, 0, 0, "%s", message);
    return false;
}

/* A number below `limit`; UINT32_MAX when it is something else. */
static uint32_t number_of(const JsonItem *node, uint32_t limit)
{
    bool fits = node && node->kind == JSON_INTEGER && node->integer >= 0 && node->integer < limit;
    return fits ? (uint32_t)node->integer : UINT32_MAX;
}

static uint32_t number_at(const Reader *r, const JsonItem *object, const char *key, uint32_t limit)
{
    return number_of(json_read_member(&r->tree, object, key), limit);
}

static const JsonItem *list_at(const Reader *r, const JsonItem *object, const char *key)
{
    return json_read_kind(&r->tree, object, key, JSON_LIST);
}

static uint32_t find_or_add(NetBuilder *b, const char *id, bool place)
{
    uint32_t found = net_builder_find(b, id, strlen(id), place ? NET_PLACE : NET_TRANSITION, NULL);
    if (found != NET_NONE) return found;
    return place ? net_builder_place(b, id, NULL, 0) : net_builder_transition(b, id, NULL);
}

static bool read_conditions(Reader *r)
{
    Prefix *p = r->prefix;
    uint32_t n = r->conditions->len, c = 0;
    p->n_conditions = n;
    p->condition_place = g_new0(uint32_t, (size_t)n + 1);
    p->condition_event = g_new0(uint32_t, (size_t)n + 1);
    for (JSON_EACH(object, r->conditions)) {
        const char *place = json_read_text(&r->tree, object, "place");
        if (!place || number_at(r, object, "condition", n) != c)
            return fail(r, "its conditions are not numbered from 0 on: is it a part of a prefix (--around)?");
        uint32_t producer = number_at(r, object, "producer", p->n_events);
        p->condition_place[c] = find_or_add(r->builder, place, true);
        p->condition_event[c] = producer == UINT32_MAX ? PREFIX_BOTTOM : producer;
        if (producer == UINT32_MAX)
            net_builder_set_tokens(r->builder, p->condition_place[c],
                                   net_builder_tokens(r->builder, p->condition_place[c]) + 1);
        c++;
    }
    return true;
}

/* Appends the conditions of a row, which come before event e. */
static bool read_row(Reader *r, const JsonItem *row, uint32_t e, VecU32 *to)
{
    if (!row) return true;
    for (JSON_EACH(i, row)) {
        uint32_t c = number_of(i, r->prefix->n_conditions);
        if (c == UINT32_MAX || (r->prefix->condition_event[c] != PREFIX_BOTTOM && r->prefix->condition_event[c] >= e))
            return fail(r, "an event consumes or reads what is not there before it");
        vec_push(to, c);
    }
    return true;
}

/* The arcs of a transition, from the first event that it has. */
static void add_arcs(Reader *r, uint32_t e, uint32_t t)
{
    const Prefix *p = r->prefix;
    for (uint32_t i = p->pre_start[e]; i < p->pre_start[e + 1]; i++)
        net_builder_arc(r->builder, ARC_PRE, p->condition_place[r->pre.data[i]], t, 1);
    for (uint32_t i = p->read_start[e]; i < p->read_start[e + 1]; i++)
        net_builder_arc(r->builder, ARC_READ, p->condition_place[r->read.data[i]], t, 1);
    for (uint32_t c = p->post_start[e]; c < p->post_start[e + 1]; c++)
        net_builder_arc(r->builder, ARC_POST, p->condition_place[c], t, 1);
}

/* The postset is the next interval of conditions. */
static bool read_post(Reader *r, const JsonItem *post, uint32_t e)
{
    Prefix *p = r->prefix;
    uint32_t c = p->post_start[e];
    for (JSON_EACH(i, post)) {
        if (number_of(i, p->n_conditions) != c || p->condition_event[c] != e)
            return fail(r, "the conditions are not in the order of the events that produce them");
        c++;
    }
    p->post_start[e + 1] = c;
    return true;
}

static bool read_event(Reader *r, const JsonItem *object, uint32_t e)
{
    Prefix *p = r->prefix;
    const char *transition = json_read_text(&r->tree, object, "transition");
    const JsonItem *pre = list_at(r, object, "pre"), *post = list_at(r, object, "post");
    if (!transition || number_at(r, object, "event", p->n_events) != e)
        return fail(r, "its events are not numbered from 0 on: is it a part of a prefix (--around)?");
    if (!pre || !post) return fail(r, "an event has no presets: a prefix without conditions needs its net");
    uint32_t known = net_builder_n_transitions(r->builder), t = find_or_add(r->builder, transition, false);
    if (!read_row(r, pre, e, &r->pre) || !read_row(r, list_at(r, object, "read"), e, &r->read)) return false;
    p->pre_start[e + 1] = (uint32_t)r->pre.len;
    p->read_start[e + 1] = (uint32_t)r->read.len;
    if (!read_post(r, post, e)) return false;
    if (t == known) add_arcs(r, e, t);
    uint32_t companion = number_at(r, object, "companion", p->n_events);
    bool initial = g_strcmp0(json_read_text(&r->tree, object, "companion"), "initial") == 0;
    p->event_transition[e] = t;
    p->event_companion[e] = initial ? PREFIX_BOTTOM : companion == UINT32_MAX ? PREFIX_NONE : companion;
    p->n_cutoffs += p->event_companion[e] != PREFIX_NONE;
    uint32_t size = number_at(r, object, "size", p->n_events + 1);
    uint32_t depth = number_at(r, object, "depth", p->n_events + 1);
    p->event_size[e] = size == UINT32_MAX ? 1 : size;
    p->event_depth[e] = depth == UINT32_MAX ? 1 : MAX(depth, 1);
    return true;
}

static uint32_t *column(uint32_t n)
{
    return g_new0(uint32_t, (size_t)n + 1);
}

static bool read_events(Reader *r)
{
    Prefix *p = r->prefix;
    uint32_t n = p->n_events;
    p->has_conditions = p->cutoffs = true;
    p->event_transition = column(n);
    p->event_companion = column(n);
    p->event_size = column(n);
    p->event_depth = column(n);
    p->pre_start = column(n);
    p->read_start = column(n);
    p->post_start = column(n);
    while (p->post_start[0] < p->n_conditions && p->condition_event[p->post_start[0]] == PREFIX_BOTTOM)
        p->post_start[0]++;
    uint32_t e = 0;
    for (JSON_EACH(object, r->events))
        if (!read_event(r, object, e++)) return false;
    if (p->post_start[n] != p->n_conditions) return fail(r, "a condition is in no postset, nor initial");
    p->pre = g_memdup2(r->pre.data, (r->pre.len + 1) * sizeof *r->pre.data);
    p->read = g_memdup2(r->read.data, (r->read.len + 1) * sizeof *r->read.data);
    return true;
}

static bool read_whole(Reader *r)
{
    const JsonItem *top = r->tree.nodes.data;
    const char *relation = json_read_text(&r->tree, top, "relation"), *order = json_read_text(&r->tree, top, "order");
    r->conditions = list_at(r, top, "conditions");
    r->events = list_at(r, top, "events");
    if (!relation || !order || !r->events) return fail(r, "this is no prefix as `unfold -o FILE.json` writes it");
    if (!r->conditions)
        return fail(r, "a prefix without conditions does not show enough of its net: `mazurka view NET`");
    if (r->events->len > MOST_EVENTS) return fail(r, "it has too many events to be looked at");
    r->prefix->n_events = r->events->len;
    if (!relation_parse(relation, &r->prefix->relation) || !order_parse(order, &r->prefix->order))
        return fail(r, "its relation or order is not known");
    const JsonItem *complete = json_read_kind(&r->tree, top, "complete", JSON_BOOL);
    r->prefix->end = complete && complete->yes ? ENDING_COMPLETE : ENDING_EVENTS;
    vec_reserve(&r->pre, 1);
    vec_reserve(&r->read, 1);
    return read_conditions(r) && read_events(r);
}

Prefix *prefix_read_file(const char *path, Net **net, Budget *budget, GError **error)
{
    size_t length;
    g_autofree char *text = input_read_file(path, INPUT_LARGE, budget, &length, error);
    g_autoptr(GError) bad = NULL;
    if (!text) return NULL;
    Reader r = {.path = path, .error = &bad, .prefix = prefix_new(NULL)};
    bool ok = json_read(&r.tree, text, length, budget) || fail(&r, "this is no JSON of a prefix");
    const char *name = ok ? json_read_text(&r.tree, r.tree.nodes.data, "net") : NULL;
    r.builder = net_builder_new(name ? name : "prefix");
    ok = ok && read_whole(&r);
    *net = ok ? net_builder_finish(r.builder, &bad) : NULL;
    net_builder_free(r.builder);
    json_read_free(&r.tree);
    vec_free(&r.pre);
    vec_free(&r.read);
    if (*net) {
        r.prefix->net = *net;
        return r.prefix;
    }
    prefix_free(r.prefix);
    g_propagate_error(error, g_steal_pointer(&bad));
    return NULL;
}
