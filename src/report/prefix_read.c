#include "report/prefix_read.h"

#include "base/error.h"
#include "base/input.h"
#include "base/vec.h"
#include "net/builder.h"

#include <json-glib/json-glib.h>
#include <string.h>

enum { DEEPEST = 6, MOST_EVENTS = 1 << 24 };

typedef struct Reader {
    const char *path;
    JsonArray *conditions, *events;
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

/* json-glib calls itself for every level. */
static bool is_shallow(const char *text)
{
    int depth = 0;
    bool quoted = false;
    for (; *text; text++) {
        if (quoted && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            quoted = !quoted;
        else if (!quoted && (*text == '{' || *text == '[') && ++depth > DEEPEST)
            return false;
        else if (!quoted && (*text == '}' || *text == ']'))
            depth--;
    }
    return true;
}

static JsonObject *object_at(JsonArray *array, guint i)
{
    JsonNode *node = json_array_get_element(array, i);
    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

/* A number below `limit`; UINT32_MAX when it is something else. */
static uint32_t number_of(JsonNode *node, uint32_t limit)
{
    if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64) return UINT32_MAX;
    gint64 value = json_node_get_int(node);
    return value >= 0 && value < limit ? (uint32_t)value : UINT32_MAX;
}

static const char *text_of(JsonObject *object, const char *key)
{
    JsonNode *node = object ? json_object_get_member(object, key) : NULL;
    bool text = node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING;
    return text ? json_node_get_string(node) : NULL;
}

static JsonArray *array_of(JsonObject *object, const char *key)
{
    JsonNode *node = object ? json_object_get_member(object, key) : NULL;
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
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
    uint32_t n = json_array_get_length(r->conditions);
    p->n_conditions = n;
    p->condition_place = g_new0(uint32_t, (size_t)n + 1);
    p->condition_event = g_new0(uint32_t, (size_t)n + 1);
    for (uint32_t c = 0; c < n; c++) {
        JsonObject *object = object_at(r->conditions, c);
        const char *place = text_of(object, "place");
        if (!place || number_of(json_object_get_member(object, "condition"), n) != c)
            return fail(r, "its conditions are not numbered from 0 on: is it a part of a prefix (--around)?");
        uint32_t producer = number_of(json_object_get_member(object, "producer"), p->n_events);
        p->condition_place[c] = find_or_add(r->builder, place, true);
        p->condition_event[c] = producer == UINT32_MAX ? PREFIX_BOTTOM : producer;
        if (producer == UINT32_MAX)
            net_builder_set_tokens(r->builder, p->condition_place[c],
                                   net_builder_tokens(r->builder, p->condition_place[c]) + 1);
    }
    return true;
}

/* Appends the conditions of a row, which come before event e. */
static bool read_row(Reader *r, JsonArray *row, uint32_t e, VecU32 *to)
{
    for (guint i = 0; row && i < json_array_get_length(row); i++) {
        uint32_t c = number_of(json_array_get_element(row, i), r->prefix->n_conditions);
        if (c == UINT32_MAX || (r->prefix->condition_event[c] != PREFIX_BOTTOM && r->prefix->condition_event[c] >= e))
            return fail(r, "an event consumes or reads what is not there before it");
        vec_push(to, c);
    }
    return true;
}

/* The arcs of a transition, from the first event that it has. */
static void add_arcs(Reader *r, uint32_t e, uint32_t t, JsonArray *post)
{
    const Prefix *p = r->prefix;
    for (uint32_t i = p->pre_start[e]; i < p->pre_start[e + 1]; i++)
        net_builder_arc(r->builder, ARC_PRE, p->condition_place[r->pre.data[i]], t, 1);
    for (uint32_t i = p->read_start[e]; i < p->read_start[e + 1]; i++)
        net_builder_arc(r->builder, ARC_READ, p->condition_place[r->read.data[i]], t, 1);
    for (guint i = 0; i < json_array_get_length(post); i++)
        net_builder_arc(r->builder, ARC_POST, p->condition_place[p->post_start[e] + i], t, 1);
}

/* The postset is the next interval of conditions. */
static bool read_post(Reader *r, JsonArray *post, uint32_t e)
{
    Prefix *p = r->prefix;
    uint32_t from = p->post_start[e];
    for (guint i = 0; i < json_array_get_length(post); i++)
        if (number_of(json_array_get_element(post, i), p->n_conditions) != from + i ||
            p->condition_event[from + i] != e)
            return fail(r, "the conditions are not in the order of the events that produce them");
    p->post_start[e + 1] = from + json_array_get_length(post);
    return true;
}

static bool read_event(Reader *r, uint32_t e)
{
    Prefix *p = r->prefix;
    JsonObject *object = object_at(r->events, e);
    const char *transition = text_of(object, "transition");
    JsonArray *pre = array_of(object, "pre"), *post = array_of(object, "post");
    if (!transition || number_of(json_object_get_member(object, "event"), p->n_events) != e)
        return fail(r, "its events are not numbered from 0 on: is it a part of a prefix (--around)?");
    if (!pre || !post) return fail(r, "an event has no presets: a prefix without conditions needs its net");
    uint32_t known = net_builder_n_transitions(r->builder), t = find_or_add(r->builder, transition, false);
    if (!read_row(r, pre, e, &r->pre) || !read_row(r, array_of(object, "read"), e, &r->read)) return false;
    p->pre_start[e + 1] = (uint32_t)r->pre.len;
    p->read_start[e + 1] = (uint32_t)r->read.len;
    if (!read_post(r, post, e)) return false;
    if (t == known) add_arcs(r, e, t, post);
    uint32_t companion = number_of(json_object_get_member(object, "companion"), p->n_events);
    bool initial = g_strcmp0(text_of(object, "companion"), "initial") == 0;
    p->event_transition[e] = t;
    p->event_companion[e] = initial ? PREFIX_BOTTOM : companion == UINT32_MAX ? PREFIX_NONE : companion;
    p->n_cutoffs += p->event_companion[e] != PREFIX_NONE;
    uint32_t size = number_of(json_object_get_member(object, "size"), p->n_events + 1);
    uint32_t depth = number_of(json_object_get_member(object, "depth"), p->n_events + 1);
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
    for (uint32_t e = 0; e < n; e++)
        if (!read_event(r, e)) return false;
    p->pre = g_memdup2(r->pre.data, (r->pre.len + 1) * sizeof *r->pre.data);
    p->read = g_memdup2(r->read.data, (r->read.len + 1) * sizeof *r->read.data);
    return true;
}

static bool read_whole(Reader *r, JsonObject *top)
{
    const char *relation = text_of(top, "relation"), *order = text_of(top, "order");
    r->conditions = array_of(top, "conditions");
    r->events = array_of(top, "events");
    if (!relation || !order || !r->events) return fail(r, "this is no prefix as `unfold -o FILE.json` writes it");
    if (!r->conditions)
        return fail(r, "a prefix without conditions does not show enough of its net: `mazurka view NET`");
    if (json_array_get_length(r->events) > MOST_EVENTS) return fail(r, "it has too many events to be looked at");
    r->prefix->n_events = json_array_get_length(r->events);
    if (!relation_parse(relation, &r->prefix->relation) || !order_parse(order, &r->prefix->order))
        return fail(r, "its relation or order is not known");
    JsonNode *complete = json_object_get_member(top, "complete");
    bool is_complete = complete && JSON_NODE_HOLDS_VALUE(complete) && json_node_get_boolean(complete);
    r->prefix->end = is_complete ? ENDING_COMPLETE : ENDING_EVENTS;
    vec_reserve(&r->pre, 1);
    vec_reserve(&r->read, 1);
    return read_conditions(r) && read_events(r);
}

Prefix *prefix_read_file(const char *path, Net **net, Budget *budget, GError **error)
{
    size_t length;
    g_autofree char *text = input_read_file(path, INPUT_LARGE, budget, &length, error);
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autoptr(GError) bad = NULL;
    if (!text) return NULL;
    Reader r = {.path = path, .error = &bad};
    if (strlen(text) != length || !is_shallow(text) ||
        !json_parser_load_from_data(parser, text, (gssize)length, NULL) || !json_parser_get_root(parser) ||
        !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser))) {
        fail(&r, "this is no JSON of a prefix");
        g_propagate_error(error, g_steal_pointer(&bad));
        return NULL;
    }
    JsonObject *top = json_node_get_object(json_parser_get_root(parser));
    const char *name = text_of(top, "net");
    r.builder = net_builder_new(name ? name : "prefix");
    r.prefix = prefix_new(NULL);
    bool ok = read_whole(&r, top);
    *net = ok ? net_builder_finish(r.builder, &bad) : NULL;
    net_builder_free(r.builder);
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
