#include "net/pnml_link.h"

#include "base/error.h"
#include "base/vec.h"

#include <string.h>

typedef struct Reference {
    NetNodeKind kind;
    char *target;
    const char *end; /* the node that the chain ends in; NULL until pnml_link_finish() */
    XmlPosition position;
} Reference;

/* The two ids stand one after the other in PnmlLinks.text. */
typedef struct Pending {
    uint64_t weight;
    size_t ids;
    uint32_t source_len, target_len;
    XmlPosition position;
    PnmlArcType type;
} Pending;

struct PnmlLinks {
    NetBuilder *builder;
    GHashTable *references; /* id -> Reference */
    GPtrArray *order;       /* ids of the references as they came */
    GString *text;
    VEC(Pending) pending;
};

static void free_reference(void *data)
{
    Reference *reference = data;
    g_free(reference->target);
    g_free(reference);
}

PnmlLinks *pnml_link_new(NetBuilder *builder)
{
    PnmlLinks *links = g_new0(PnmlLinks, 1);
    links->builder = builder;
    links->references = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_reference);
    links->order = g_ptr_array_new();
    links->text = g_string_new(NULL);
    return links;
}

void pnml_link_free(PnmlLinks *links)
{
    if (!links) return;
    g_hash_table_unref(links->references);
    g_ptr_array_unref(links->order);
    g_string_free(links->text, TRUE);
    vec_free(&links->pending);
    g_free(links);
}

static const Reference *find_reference(const PnmlLinks *links, XmlText id)
{
    if (g_hash_table_size(links->references) == 0) return NULL;
    g_autofree char *key = g_strndup(id.data, id.len);
    return g_hash_table_lookup(links->references, key);
}

bool pnml_link_is_reference(const PnmlLinks *links, XmlText id)
{
    return find_reference(links, id) != NULL;
}

bool pnml_link_reference(PnmlLinks *links, NetNodeKind kind, XmlText id, XmlText target, XmlPosition position)
{
    if (find_reference(links, id)) return false;
    Reference *reference = g_new0(Reference, 1);
    *reference = (Reference){kind, g_strndup(target.data, target.len), NULL, position};
    char *key = g_strndup(id.data, id.len);
    g_hash_table_insert(links->references, key, reference);
    g_ptr_array_add(links->order, key);
    return true;
}

uint32_t pnml_link_find(const PnmlLinks *links, XmlText id, NetNodeKind kinds, NetNodeKind *kind)
{
    const Reference *reference = find_reference(links, id);
    if (reference) id = (XmlText){reference->end, strlen(reference->end)};
    return net_builder_find(links->builder, id.data, id.len, kinds, kind);
}

static bool add(PnmlLinks *links, NetNodeKind from, uint32_t source, NetNodeKind to, uint32_t target, PnmlArcType type,
                uint64_t weight, GError **error)
{
    if (from == to) {
        const char *what = from == NET_PLACE ? "place" : "transition";
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "this arc goes from a %s to a %s", what, what);
        return false;
    }
    if (type == PNML_ARC_INHIBIT && from == NET_TRANSITION) {
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "an inhibitor arc must go from a place to a transition");
        return false;
    }
    uint32_t place = from == NET_PLACE ? source : target, transition = from == NET_PLACE ? target : source;
    ArcKind kind = type == PNML_ARC_READ      ? ARC_READ
                   : type == PNML_ARC_INHIBIT ? ARC_INHIBIT
                   : from == NET_PLACE        ? ARC_PRE
                                              : ARC_POST;
    net_builder_arc(links->builder, kind, place, transition, weight);
    return true;
}

bool pnml_link_arc(PnmlLinks *links, XmlText source, XmlText target, PnmlArcType type, uint64_t weight,
                   XmlPosition position, GError **error)
{
    NetNodeKind from, to;
    uint32_t s = net_builder_find(links->builder, source.data, source.len, NET_NODE, &from);
    uint32_t t = s == NET_NONE ? NET_NONE : net_builder_find(links->builder, target.data, target.len, NET_NODE, &to);
    if (t != NET_NONE) return add(links, from, s, to, t, type, weight, error);
    Pending pending = {weight, links->text->len, (uint32_t)source.len, (uint32_t)target.len, position, type};
    g_string_append_len(links->text, source.data, (gssize)source.len);
    g_string_append_len(links->text, target.data, (gssize)target.len);
    vec_push(&links->pending, pending);
    return true;
}

/* Follows the chain from reference `id` to a node of its kind and notes it in every reference on the way,
 * so that all chains together cost linear time. */
static bool follow(PnmlLinks *links, const char *id, GError **error)
{
    Reference *first = g_hash_table_lookup(links->references, id), *at = first;
    NetNodeKind kind = first->kind;
    const char *end = NULL;
    for (guint steps = 0; !end; steps++) {
        const char *next = at->target;
        if (at->end || net_builder_find(links->builder, next, strlen(next), kind, NULL) != NET_NONE) {
            end = at->end ? at->end : next;
            break;
        }
        at = g_hash_table_lookup(links->references, next);
        if (!at || at->kind != kind) {
            g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "the reference \"%s\" leads to \"%s\", which is no %s",
                        error_excerpt(id, SIZE_MAX).text, error_excerpt(next, SIZE_MAX).text,
                        kind == NET_PLACE ? "place" : "transition");
            return false;
        }
        if (steps > links->order->len) {
            g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "the reference \"%s\" leads into a cycle",
                        error_excerpt(id, SIZE_MAX).text);
            return false;
        }
    }
    for (at = first; at && !at->end; at = g_hash_table_lookup(links->references, at->target)) at->end = end;
    return true;
}

static bool check_references(PnmlLinks *links, XmlPosition *position, GError **error)
{
    for (guint i = 0; i < links->order->len; i++) {
        const char *id = g_ptr_array_index(links->order, i);
        const Reference *reference = g_hash_table_lookup(links->references, id);
        *position = reference->position;
        if (!follow(links, id, error)) return false;
    }
    return true;
}

bool pnml_link_finish(PnmlLinks *links, XmlPosition *position, GError **error)
{
    if (!check_references(links, position, error)) return false;
    for (size_t i = 0; i < links->pending.len; i++) {
        const Pending *arc = &links->pending.data[i];
        XmlText source = {links->text->str + arc->ids, arc->source_len};
        XmlText target = {source.data + source.len, arc->target_len};
        NetNodeKind from, to;
        uint32_t s = pnml_link_find(links, source, NET_NODE, &from), t = pnml_link_find(links, target, NET_NODE, &to);
        *position = arc->position;
        if (s == NET_NONE || t == NET_NONE) {
            XmlText missing = s == NET_NONE ? source : target;
            g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "this arc's %s \"%s\" is no place or transition of the net",
                        s == NET_NONE ? "source" : "target", error_excerpt(missing.data, missing.len).text);
            return false;
        }
        if (!add(links, from, s, to, t, arc->type, arc->weight, error)) return false;
    }
    return true;
}
