#include "home/rank_theorem.h"

#include "net/builder.h"
#include "net/structure.h"

/* One way to look at the net: the nodes that sets are made of, and the others. */
typedef struct Sight {
    const NetArcs *taken_by, *filled_by; /* of a node: what takes from it, what fills it */
    const NetArcs *takes, *fills;        /* of the others */
    uint32_t n;
} Sight;

typedef struct Growing {
    Sight sight;
    bool *in;         /* the set */
    uint32_t *before; /* where a path came from: per node, the node before; NET_NONE: not met */
    VecU32 set, fillers, queue;
    Budget *budget;
} Growing;

static bool takes_from_set(const Growing *g, uint32_t other)
{
    NetRow row = net_row(g->sight.takes, other);
    for (uint32_t i = 0; i < row.len; i++)
        if (g->in[row.node[i]]) return true;
    return false;
}

static void add_node(Growing *g, uint32_t node)
{
    NetRow row = net_row(g->sight.filled_by, node);
    g->in[node] = true;
    vec_push(&g->set, node);
    vec_append(&g->fillers, row.node, row.len);
}

/* Goes on from what was met; the last node of a shortest path to `target`, or NET_NONE. */
static uint32_t search_path(Growing *g, uint32_t target)
{
    for (size_t i = 0; i < g->queue.len; i++) {
        uint32_t node = g->queue.data[i];
        NetRow takers = net_row(g->sight.taken_by, node);
        for (uint32_t k = 0; k < takers.len; k++) {
            if (takers.node[k] == target) return node;
            NetRow next = net_row(g->sight.fills, takers.node[k]);
            for (uint32_t j = 0; j < next.len; j++) {
                if (g->in[next.node[j]] || g->before[next.node[j]] != NET_NONE) continue;
                g->before[next.node[j]] = node;
                vec_push(&g->queue, next.node[j]);
            }
        }
    }
    return NET_NONE;
}

static bool add_path(Growing *g, uint32_t target)
{
    vec_clear(&g->queue);
    vec_append(&g->queue, g->set.data, g->set.len);
    uint32_t end = search_path(g, target);
    VecU32 path = {0};
    for (uint32_t node = end; node != NET_NONE && !g->in[node]; node = g->before[node]) vec_push(&path, node);
    for (size_t i = 0; i < path.len; i++) add_node(g, path.data[i]);
    for (size_t i = 0; i < g->queue.len; i++) g->before[g->queue.data[i]] = NET_NONE;
    vec_free(&path);
    return end != NET_NONE;
}

static bool grow(Growing *g, uint32_t start)
{
    vec_clear(&g->set);
    vec_clear(&g->fillers);
    memset(g->in, 0, g->sight.n);
    add_node(g, start);
    while (g->fillers.len) {
        uint32_t filler = vec_pop(&g->fillers);
        if (budget_spent(g->budget) || (!takes_from_set(g, filler) && !add_path(g, filler))) return false;
    }
    return true;
}

/* Sets that cover all nodes, as lists. */
static bool find_cover(Sight sight, Budget *budget, VecU32 *lists)
{
    g_autofree bool *in = g_new0(bool, (size_t)sight.n + 1), *covered = g_new0(bool, (size_t)sight.n + 1);
    g_autofree uint32_t *before = g_new(uint32_t, (size_t)sight.n + 1);
    Growing g = {.sight = sight, .in = in, .before = before, .budget = budget};
    bool ok = true;
    for (uint32_t i = 0; i < sight.n; i++) before[i] = NET_NONE;
    for (uint32_t i = 0; i < sight.n && ok; i++) {
        if (covered[i]) continue;
        ok = grow(&g, i);
        for (size_t k = 0; k < g.set.len; k++) covered[g.set.data[k]] = true;
        vec_append(lists, g.set.data, g.set.len);
        vec_push(lists, NET_NONE);
    }
    vec_free(&g.set);
    vec_free(&g.fillers);
    vec_free(&g.queue);
    return ok;
}

/* With read arcs as arcs there and back and, between the ends of a workflow, a transition that begins it again. */
static Net *closed_net(const Net *net, const uint32_t *ends)
{
    static const struct {
        ArcKind from, to;
    } kinds[] = {{ARC_PRE, ARC_PRE}, {ARC_POST, ARC_POST}, {ARC_READ, ARC_PRE}, {ARC_READ, ARC_POST}};
    g_autoptr(NetBuilder) b = net_builder_new("closed");
    for (uint32_t p = 0; p < net->n_places; p++) net_builder_place(b, net_place_id(net, p), NULL, net->initial[p]);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        g_autofree char *id = g_strdup_printf("%u", t);
        net_builder_transition(b, id, NULL);
        for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
            NetRow row = net_places(net, kinds[k].from, t);
            for (uint32_t i = 0; i < row.len; i++) net_builder_arc(b, kinds[k].to, row.node[i], t, net_weight(row, i));
        }
    }
    if (ends) {
        net_builder_transition(b, "again", NULL);
        net_builder_arc(b, ARC_PRE, ends[1], net->n_transitions, 1);
        net_builder_arc(b, ARC_POST, ends[0], net->n_transitions, 1);
    }
    return net_builder_finish(b, NULL);
}

static bool prove(const Net *net, const uint32_t *ends, Budget *budget, Certificate *proof)
{
    *proof = (Certificate){.kind = CERTIFICATE_FREE_CHOICE,
                           .claim = ends ? CLAIM_SOUND : CLAIM_LIVE,
                           .places = net->n_places,
                           .transitions = net->n_transitions};
    if (ends) memcpy(proof->ends, ends, sizeof proof->ends);
    if (net_arc_count(net, ARC_INHIBIT)) return false;
    g_autoptr(Net) closed = closed_net(net, ends);
    if (!closed || !structure_facts(closed).extended_free_choice) return false;
    const NetArcs *places = closed->of_place, *transitions = closed->of_transition;
    Sight by_places = {&places[ARC_PRE], &places[ARC_POST], &transitions[ARC_PRE], &transitions[ARC_POST],
                       closed->n_places};
    Sight by_transitions = {&transitions[ARC_PRE], &transitions[ARC_POST], &places[ARC_PRE], &places[ARC_POST],
                            closed->n_transitions};
    g_autofree char *problem = NULL;
    return find_cover(by_places, budget, &proof->free_choice.tokens) &&
           find_cover(by_transitions, budget, &proof->free_choice.flows) &&
           certificate_check(proof, net, budget, &problem);
}

bool rank_theorem_live(const Net *net, Budget *budget, Certificate *proof)
{
    return prove(net, NULL, budget, proof);
}

bool rank_theorem_sound(const Net *net, uint32_t source, uint32_t sink, Budget *budget, Certificate *proof)
{
    return prove(net, (uint32_t[]){source, sink}, budget, proof);
}
