#include "colour/draft.h"

#include <stdlib.h>

/* Next time the chain from here is short. */
static void shorten(Draft *draft, GHashTable *ids, const char *id, const DraftNode *end)
{
    for (;;) {
        DraftNode *node = &draft->nodes.data[GPOINTER_TO_UINT(g_hash_table_lookup(ids, id)) - 1];
        if (node == end) return;
        id = node->reference;
        node->reference = end->id;
    }
}

/* The place or transition with this id, through any chain of references; NULL after a failure. */
static DraftNode *find(Draft *draft, GHashTable *ids, const char *id, XmlPosition at)
{
    const char *start = id;
    for (size_t steps = 0; steps <= draft->nodes.len; steps++) {
        gpointer number = g_hash_table_lookup(ids, id);
        if (!number) {
            draft_fail(draft, at, ERROR_INPUT, "there is no place or transition \"%s\"",
                       error_excerpt(id, SIZE_MAX).text);
            return NULL;
        }
        DraftNode *node = &draft->nodes.data[GPOINTER_TO_UINT(number) - 1];
        if (!node->reference) {
            shorten(draft, ids, start, node);
            return node;
        }
        id = node->reference;
    }
    draft_fail(draft, at, ERROR_INPUT, "references go round in circles");
    return NULL;
}

static void check_reference(Draft *draft, GHashTable *ids, const DraftNode *node)
{
    const DraftNode *real = find(draft, ids, node->id, node->at);
    if (real && real->is_transition != node->is_transition)
        draft_fail(draft, node->at, ERROR_INPUT, "this reference leads to a %s",
                   real->is_transition ? "transition" : "place");
}

static void add_place(Draft *draft, DraftNode *node)
{
    ColourPlace place = {.id = node->id, .label = node->label ? node->label : node->id, .marking = TERM_NONE};
    if (node->sort == TERM_NONE) {
        draft_fail(draft, node->at, ERROR_INPUT, "this place has no <type>");
        return;
    }
    place.sort = declare_sort(draft, node->sort);
    if (place.sort == SORT_NONE) return;
    if (node->term != TERM_NONE) place.marking = translate_term(draft, node->term, place.sort);
    node->index = (uint32_t)draft->net->places.len;
    vec_push(&draft->net->places, place);
}

static void add_transition(Draft *draft, DraftNode *node)
{
    ColourTransition transition = {.id = node->id, .label = node->label ? node->label : node->id, .guard = TERM_NONE};
    if (node->term != TERM_NONE) transition.guard = translate_term(draft, node->term, SORT_NONE);
    node->index = (uint32_t)draft->net->transitions.len;
    vec_push(&draft->net->transitions, transition);
}

/* A marking has no variables: nobody would bind them. */
static void check_marking(Draft *draft, uint32_t term)
{
    if (term == TERM_NONE) return;
    const Term *root = colour_net_term(draft->net, term);
    for (const Term *t = root; t < root + root->size; t++)
        if (t->op == TERM_VARIABLE) draft_fail(draft, t->at, ERROR_INPUT, "an initial marking cannot have variables");
}

/* One dot, where nothing is said. */
static uint32_t default_inscription(Draft *draft, const DraftArc *arc, uint32_t sort)
{
    if (sort != 0) {
        draft_fail(draft, arc->at, ERROR_INPUT, "this arc has no <hlinscription>");
        return TERM_NONE;
    }
    Term one = {.op = TERM_CONSTANT, .type = TERM_IS_COLOUR, .size = 1, .at = arc->at};
    vec_push(&draft->net->terms, one);
    return (uint32_t)draft->net->terms.len - 1;
}

static void add_arc(Draft *draft, GHashTable *ids, const DraftArc *arc)
{
    const DraftNode *source = find(draft, ids, arc->source, arc->at);
    const DraftNode *target = source ? find(draft, ids, arc->target, arc->at) : NULL;
    if (!target) return;
    if (source->is_transition == target->is_transition) {
        draft_fail(draft, arc->at, ERROR_INPUT, "this arc joins two %s",
                   source->is_transition ? "transitions" : "places");
        return;
    }
    bool output = source->is_transition;
    ColourArc real = {
        .place = (output ? target : source)->index, .transition = (output ? source : target)->index, .output = output};
    uint32_t sort = draft->net->places.data[real.place].sort;
    real.inscription =
        arc->term != TERM_NONE ? translate_term(draft, arc->term, sort) : default_inscription(draft, arc, sort);
    vec_push(&draft->net->arcs, real);
}

static uint64_t arc_key(const ColourArc *arc)
{
    return 2 * (uint64_t)arc->transition + arc->output;
}

/* By transition, inputs first, otherwise in the order of the file. */
static void sort_arcs(ColourNet *net)
{
    uint32_t n = (uint32_t)net->transitions.len, *start = g_new0(uint32_t, 2 * (size_t)n + 1);
    ColourArc *sorted = g_new(ColourArc, net->arcs.len + 1);
    for (size_t i = 0; i < net->arcs.len; i++) start[arc_key(&net->arcs.data[i]) + 1]++;
    for (uint32_t k = 0; k < 2 * n; k++) start[k + 1] += start[k];
    for (uint32_t t = 0; t < n; t++) {
        net->transitions.data[t].arc = start[2 * (size_t)t];
        net->transitions.data[t].n_arcs = start[2 * (size_t)t + 2] - start[2 * (size_t)t];
    }
    for (size_t i = 0; i < net->arcs.len; i++) sorted[start[arc_key(&net->arcs.data[i])]++] = net->arcs.data[i];
    if (net->arcs.len) memcpy(net->arcs.data, sorted, net->arcs.len * sizeof *sorted);
    g_free(sorted);
    g_free(start);
}

void link_nodes(Draft *draft)
{
    g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < draft->nodes.len && !xml_failed(draft->xml); i++)
        if (!g_hash_table_insert(ids, (gpointer)draft->nodes.data[i].id, GUINT_TO_POINTER(i + 1)))
            draft_fail(draft, draft->nodes.data[i].at, ERROR_INPUT,
                       "the id \"%s\" is taken by another place or transition",
                       error_excerpt(draft->nodes.data[i].id, SIZE_MAX).text);
    for (size_t i = 0; i < draft->nodes.len && !xml_failed(draft->xml); i++) {
        DraftNode *node = &draft->nodes.data[i];
        if (node->reference)
            check_reference(draft, ids, node);
        else if (node->is_transition)
            add_transition(draft, node);
        else
            add_place(draft, node);
    }
    for (size_t i = 0; i < draft->net->places.len && !xml_failed(draft->xml); i++)
        check_marking(draft, draft->net->places.data[i].marking);
    for (size_t i = 0; i < draft->arcs.len && !xml_failed(draft->xml); i++) add_arc(draft, ids, &draft->arcs.data[i]);
    if (!xml_failed(draft->xml)) sort_arcs(draft->net);
}
