#include "net/builder.h"

#include "base/error.h"
#include "base/vec.h"
#include "net/arcs.h"

#include <math.h>
#include <string.h>

/* Text offsets are 32 bits, and 0 is the empty string. */
typedef struct Nodes {
    VecU32 id, label;
} Nodes;

typedef struct Drawn {
    NetNodeKind kind;
    uint32_t node;
    double at[2];
} Drawn;

typedef struct Arcs {
    VecU32 place, transition;
    VecU64 weight; /* empty until the first weight other than 1 */
} Arcs;

enum { MAX_NODES = (1u << 29) - 1 }; /* of each kind */

struct NetBuilder {
    char *name, *final, *ignored;
    NetNupn *nupn;
    GString *text;
    bool too_much_text, too_many_nodes;
    Nodes places, transitions;
    VecU64 tokens;
    VecU32 note; /* empty or one per transition */
    VEC(Drawn) drawn;
    Arcs arcs[N_ARC_KINDS];
    uint64_t *table; /* ids, open addressing: offset in text, then 2 * index + is_transition + 1 */
    uint32_t mask;
    bool repeated; /* some id came twice for one kind of node */
    uint32_t repeated_id;
    const char *repeated_kind;
    Budget *budget; /* or NULL */
};

static bool is_spent(const NetBuilder *b)
{
    return b->budget && budget_ended(b->budget);
}

static bool has_room(NetBuilder *b, uint64_t bytes)
{
    return !b->budget || budget_allows(b->budget, bytes);
}

static void new_table(NetBuilder *b, uint32_t size)
{
    b->table = g_new0(uint64_t, size);
    b->mask = size - 1;
}

static uint32_t entry_node(uint64_t entry)
{
    return ((uint32_t)entry - 1) >> 1;
}

static NetNodeKind entry_kind(uint64_t entry)
{
    return ((uint32_t)entry - 1) & 1 ? NET_TRANSITION : NET_PLACE;
}

static const char *entry_id(const NetBuilder *b, uint64_t entry)
{
    return b->text->str + (entry >> 32);
}

static void grow_table(NetBuilder *b)
{
    uint64_t *old = b->table;
    uint32_t old_size = b->mask + 1;
    new_table(b, old_size * 2);
    for (uint32_t i = 0; i < old_size; i++) {
        if (!old[i]) continue;
        const char *id = entry_id(b, old[i]);
        uint32_t slot = net_hash_id(id, strlen(id)) & b->mask;
        while (b->table[slot]) slot = (slot + 1) & b->mask;
        b->table[slot] = old[i];
    }
    g_free(old);
}

NetBuilder *net_builder_new(const char *name)
{
    NetBuilder *b = g_new0(NetBuilder, 1);
    b->name = g_strdup(name);
    b->text = g_string_new(NULL);
    g_string_append_c(b->text, 0);
    new_table(b, 64);
    return b;
}

void net_builder_free(NetBuilder *b)
{
    if (!b) return;
    g_free(b->name);
    g_free(b->final);
    g_free(b->ignored);
    if (b->nupn) net_nupn_free(b->nupn);
    if (b->text) g_string_free(b->text, TRUE);
    vec_free(&b->places.id);
    vec_free(&b->places.label);
    vec_free(&b->transitions.id);
    vec_free(&b->transitions.label);
    vec_free(&b->tokens);
    vec_free(&b->note);
    vec_free(&b->drawn);
    g_free(b->table);
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        vec_free(&b->arcs[kind].place);
        vec_free(&b->arcs[kind].transition);
        vec_free(&b->arcs[kind].weight);
    }
    g_free(b);
}

static uint32_t keep_text(NetBuilder *b, const char *text)
{
    size_t offset = b->text->len, length = strlen(text);
    if (offset + length + 1 > UINT32_MAX) {
        b->too_much_text = true;
        return 0;
    }
    g_string_append_len(b->text, text, (gssize)length + 1);
    return (uint32_t)offset;
}

uint32_t net_builder_find(const NetBuilder *b, const char *id, size_t length, NetNodeKind kinds, NetNodeKind *kind)
{
    for (uint32_t slot = net_hash_id(id, length) & b->mask; b->table[slot]; slot = (slot + 1) & b->mask) {
        uint64_t entry = b->table[slot];
        NetNodeKind found = entry_kind(entry);
        if (!(found & kinds)) continue;
        const char *other = entry_id(b, entry);
        if (strncmp(other, id, length) != 0 || other[length]) continue;
        if (kind) *kind = found;
        return entry_node(entry);
    }
    return NET_NONE;
}

static void enter_id(NetBuilder *b, const char *id, uint32_t offset, uint32_t index, NetNodeKind kind)
{
    size_t length = strlen(id), n = b->places.id.len + b->transitions.id.len;
    if (n + n / 2 > b->mask && has_room(b, 2 * sizeof *b->table * ((uint64_t)b->mask + 1))) grow_table(b);
    uint32_t slot = net_hash_id(id, length) & b->mask;
    for (; b->table[slot]; slot = (slot + 1) & b->mask) {
        if (b->repeated || entry_kind(b->table[slot]) != kind || strcmp(entry_id(b, b->table[slot]), id) != 0) continue;
        b->repeated = true;
        b->repeated_id = offset;
        b->repeated_kind = kind == NET_PLACE ? "places" : "transitions";
    }
    b->table[slot] = (uint64_t)offset << 32 | (2 * index + (kind == NET_TRANSITION) + 1);
}

static uint32_t add_node(NetBuilder *b, NetNodeKind kind, const char *id, const char *label)
{
    Nodes *nodes = kind == NET_PLACE ? &b->places : &b->transitions;
    uint32_t offset = keep_text(b, id), index = (uint32_t)nodes->id.len;
    if (is_spent(b)) return 0;
    if (nodes->id.len >= MAX_NODES || b->too_much_text) {
        b->too_many_nodes = true;
        return 0;
    }
    enter_id(b, id, offset, index, kind);
    vec_push(&nodes->id, offset);
    vec_push(&nodes->label, label && strcmp(label, id) != 0 ? keep_text(b, label) : offset);
    return index;
}

uint32_t net_builder_place(NetBuilder *b, const char *id, const char *label, uint64_t tokens)
{
    vec_push(&b->tokens, tokens);
    return add_node(b, NET_PLACE, id, label);
}

uint32_t net_builder_transition(NetBuilder *b, const char *id, const char *label)
{
    if (b->note.len) vec_push(&b->note, 0);
    return add_node(b, NET_TRANSITION, id, label);
}

void net_builder_set_budget(NetBuilder *b, Budget *budget)
{
    b->budget = budget;
}

void net_builder_set_tokens(NetBuilder *b, uint32_t place, uint64_t tokens)
{
    b->tokens.data[place] = tokens;
}

uint64_t net_builder_tokens(const NetBuilder *b, uint32_t place)
{
    return b->tokens.data[place];
}

static void set_label(NetBuilder *b, Nodes *nodes, uint32_t node, const char *label)
{
    if (strcmp(b->text->str + nodes->label.data[node], label) != 0) nodes->label.data[node] = keep_text(b, label);
}

void net_builder_set_place_label(NetBuilder *b, uint32_t place, const char *label)
{
    set_label(b, &b->places, place, label);
}

void net_builder_set_transition_label(NetBuilder *b, uint32_t transition, const char *label)
{
    set_label(b, &b->transitions, transition, label);
}

void net_builder_set_note(NetBuilder *b, uint32_t transition, const char *note)
{
    while (b->note.len < b->transitions.id.len) vec_push(&b->note, 0);
    b->note.data[transition] = keep_text(b, note);
}

void net_builder_set_position(NetBuilder *b, NetNodeKind kind, uint32_t node, double x, double y)
{
    Drawn drawn = {kind, node, {x, y}};
    if (isfinite(x) && isfinite(y)) vec_push(&b->drawn, drawn);
}

static void replace(char **field, const char *value)
{
    g_free(*field);
    *field = g_strdup(value);
}

void net_builder_set_name(NetBuilder *b, const char *name)
{
    replace(&b->name, name);
}

void net_builder_set_final(NetBuilder *b, const char *expression)
{
    replace(&b->final, expression);
}

void net_builder_set_ignored(NetBuilder *b, const char *text)
{
    replace(&b->ignored, text);
}

void net_builder_set_nupn(NetBuilder *b, NetNupn *nupn)
{
    if (b->nupn) net_nupn_free(b->nupn);
    b->nupn = nupn;
}

void net_builder_arc(NetBuilder *b, ArcKind kind, uint32_t place, uint32_t transition, uint64_t weight)
{
    Arcs *arcs = &b->arcs[kind];
    if (weight != 1 && !arcs->weight.len) {
        vec_reserve(&arcs->weight, arcs->place.cap);
        for (size_t i = 0; i < arcs->place.len; i++) arcs->weight.data[i] = 1;
        arcs->weight.len = arcs->place.len;
    }
    if (weight != 1 || arcs->weight.len) vec_push(&arcs->weight, weight);
    vec_push(&arcs->place, place);
    vec_push(&arcs->transition, transition);
}

const char *net_builder_place_id(const NetBuilder *b, uint32_t place)
{
    return b->text->str + b->places.id.data[place];
}

uint32_t net_builder_n_places(const NetBuilder *b)
{
    return (uint32_t)b->places.id.len;
}

uint32_t net_builder_n_transitions(const NetBuilder *b)
{
    return (uint32_t)b->transitions.id.len;
}

static bool fail_spent(const NetBuilder *b, GError **error)
{
    g_set_error(error, MAZURKA_ERROR, ERROR_SPENT, "%s", budget_text(b->budget));
    return false;
}

static bool build_arcs(NetBuilder *b, Net *net, ArcKind kind, GError **error)
{
    Arcs *arcs = &b->arcs[kind];
    if (arcs->place.len >= UINT32_MAX) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "more than 2^32 - 2 arcs");
        return false;
    }
    uint64_t n_given = arcs->place.len, per_arc = sizeof(uint32_t) + (arcs->weight.len ? sizeof(uint64_t) : 0);
    if (!has_room(b, n_given * per_arc + 2 * sizeof(uint32_t) * net->n_transitions)) return fail_spent(b, error);
    NetArcs *rows = &net->of_transition[kind];
    *rows = arcs_sorted(arcs->transition.data, arcs->place.data, arcs->weight.len ? arcs->weight.data : NULL, n_given,
                        net->n_transitions);
    vec_free(&arcs->place);
    vec_free(&arcs->transition);
    vec_free(&arcs->weight);
    if (arcs_are_parallel(rows, net->n_transitions)) {
        if (!rows->weight && !has_room(b, n_given * sizeof *rows->weight)) return fail_spent(b, error);
        if (!arcs_merge(rows, kind, net->n_transitions)) {
            g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "the weights of parallel arcs add up to more than 2^64 - 1");
            return false;
        }
    }
    uint64_t n = net_arc_count(net, kind);
    net->n_merged += n_given - n;
    if (!has_room(b, sizeof(uint32_t) * (n + 2 * (uint64_t)net->n_places))) return fail_spent(b, error);
    net->of_place[kind] = arcs_transposed(rows, net->n_transitions, net->n_places);
    return true;
}

/* The builder's table has the slots of the net's; the entries differ. */
static bool number_ids(NetBuilder *b, Net *net, GError **error)
{
    if (!has_room(b, sizeof *net->id_table * ((uint64_t)b->mask + 1))) return fail_spent(b, error);
    net->id_mask = b->mask;
    net->id_table = g_new(uint32_t, (size_t)b->mask + 1);
    for (uint32_t slot = 0; slot <= b->mask; slot++) {
        uint64_t entry = b->table[slot];
        uint32_t first = entry && entry_kind(entry) == NET_TRANSITION ? net->n_places : 0;
        net->id_table[slot] = entry ? first + entry_node(entry) + 1 : 0;
    }
    g_clear_pointer(&b->table, g_free);
    new_table(b, 64);
    return true;
}

static void place_nodes(const NetBuilder *b, Net *net)
{
    size_t n = (size_t)net->n_places + net->n_transitions;
    if (!b->drawn.len) return;
    net->position = g_new(double, 2 * n);
    for (size_t i = 0; i < 2 * n; i++) net->position[i] = NAN;
    for (size_t i = 0; i < b->drawn.len; i++) {
        const Drawn *drawn = &b->drawn.data[i];
        size_t node = (size_t)drawn->node + (drawn->kind == NET_TRANSITION ? net->n_places : 0);
        memcpy(net->position + 2 * node, drawn->at, sizeof drawn->at);
    }
}

/* Moves a vector's memory out, trimmed to its length. */
static void *steal(void *data, size_t len, size_t size)
{
    return len ? g_realloc_n(data, len, size) : g_realloc_n(data, 1, size);
}
#define STEAL(v) (steal((v)->data, (v)->len, sizeof *(v)->data))

Net *net_builder_finish(NetBuilder *b, GError **error)
{
    if (is_spent(b)) {
        fail_spent(b, error);
        return NULL;
    }
    if (b->too_much_text || b->too_many_nodes) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "%s",
                    b->too_much_text ? "more than 4 GiB of names" : "more than 2^29 places or transitions");
        return NULL;
    }
    if (b->repeated) {
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "two %s have the id \"%s\"", b->repeated_kind,
                    b->text->str + b->repeated_id);
        return NULL;
    }
    g_autoptr(Net) net = g_new0(Net, 1);
    net->n_places = net_builder_n_places(b);
    net->n_transitions = net_builder_n_transitions(b);
    net->name = g_steal_pointer(&b->name);
    net->final = g_steal_pointer(&b->final);
    net->ignored = g_steal_pointer(&b->ignored);
    net->nupn = g_steal_pointer(&b->nupn);
    net->initial = STEAL(&b->tokens);
    net->place_id = STEAL(&b->places.id);
    net->place_label = STEAL(&b->places.label);
    net->transition_id = STEAL(&b->transitions.id);
    net->transition_label = STEAL(&b->transitions.label);
    net->transition_note = b->note.len ? STEAL(&b->note) : NULL;
    size_t text_len = b->text->len;
    net->text = g_realloc(g_string_free(g_steal_pointer(&b->text), FALSE), text_len);
    memset(&b->tokens, 0, sizeof b->tokens);
    memset(&b->places, 0, sizeof b->places);
    memset(&b->transitions, 0, sizeof b->transitions);
    memset(&b->note, 0, sizeof b->note);
    b->text = g_string_new(NULL);
    g_string_append_c(b->text, 0);
    place_nodes(b, net);
    if (!number_ids(b, net, error)) return NULL;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++)
        if (!build_arcs(b, net, kind, error)) return NULL;
    return g_steal_pointer(&net);
}
