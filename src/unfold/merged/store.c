#include "unfold/merged/store.h"

#include <assert.h>

static bool is_loop(const Net *net, uint32_t t, uint32_t p)
{
    return net_arc_weight(net, ARC_PRE, t, p) && net_arc_weight(net, ARC_POST, t, p);
}

static void add_places(Merged *m, uint32_t t, ArcKind arcs, int as, bool loops, bool others)
{
    NetRow row = net_places(m->net, arcs, t);
    for (uint32_t i = 0; i < row.len; i++) {
        uint32_t p = row.node[i];
        /* what is taken as well need not be read */
        bool wanted = arcs == ARC_READ        ? !net_arc_weight(m->net, ARC_PRE, t, p)
                      : is_loop(m->net, t, p) ? loops
                                              : others;
        if (wanted) vec_push(&m->places[as], p);
    }
}

static void see_transition(Merged *m, uint32_t t)
{
    bool copies = m->relation == RELATION_CLASSIC, loops_read = m->relation == RELATION_LOOPS;
    for (int kind = 0; kind < N_MERGED_KINDS; kind++) vec_push(&m->start[kind], (uint32_t)m->places[kind].len);
    add_places(m, t, ARC_PRE, MERGED_TAKES, !loops_read, true);
    add_places(m, t, ARC_POST, MERGED_MAKES, !loops_read, true);
    add_places(m, t, ARC_PRE, MERGED_READS, loops_read, false);
    add_places(m, t, ARC_READ, copies ? MERGED_TAKES : MERGED_READS, true, true);
    if (copies) add_places(m, t, ARC_READ, MERGED_MAKES, true, true);
}

Merged *merged_store_new(const Net *net, Relation relation)
{
    Merged *m = g_new0(Merged, 1);
    m->net = net;
    m->relation = relation;
    m->unsafe_place = NET_NONE;
    m->by_place = g_new0(VecU32, (size_t)net->n_places + 1);
    m->index = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    for (uint32_t t = 0; t < net->n_transitions; t++) see_transition(m, t);
    for (int kind = 0; kind < N_MERGED_KINDS; kind++) vec_push(&m->start[kind], (uint32_t)m->places[kind].len);
    for (uint32_t p = 0; p < net->n_places; p++)
        if (net->initial[p]) merged_store_condition(m, p, 1);
    return m;
}

uint32_t merged_store_condition(Merged *m, uint32_t place, uint32_t depth)
{
    assert(place < m->net->n_places);
    VecU32 *of = &m->by_place[place];
    assert(depth >= 1 && depth <= of->len + 1);
    if (depth <= of->len) return of->data[depth - 1];
    vec_push(of, m->n_conditions);
    vec_push(&m->place, place);
    vec_push(&m->depth, depth);
    return m->n_conditions++;
}

uint32_t merged_store_event(Merged *m, uint32_t transition, const uint32_t *row, uint32_t n)
{
    assert(transition < m->net->n_transitions && m->n_conditions == m->place.len && m->n_events == m->live.len);
    for (uint32_t i = 0; i < n; i++) assert(row[i] < m->n_conditions);
    VecU32 key = {0};
    vec_push(&key, transition);
    /* cppcheck-suppress nullPointer ; nothing is copied where n is 0 */
    vec_append(&key, row, n);
    GBytes *bytes = g_bytes_new(key.data, key.len * sizeof *key.data);
    vec_free(&key);
    gpointer known;
    if (g_hash_table_lookup_extended(m->index, bytes, NULL, &known)) {
        g_bytes_unref(bytes);
        return GPOINTER_TO_UINT(known);
    }
    g_hash_table_insert(m->index, bytes, GUINT_TO_POINTER(m->n_events));
    vec_push(&m->transition, transition);
    vec_push(&m->live, 0);
    vec_push(&m->row_start, (uint32_t)m->row.len);
    vec_append(&m->row, row, n);
    return m->n_events++;
}
