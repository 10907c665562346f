#include "home/rank_theorem.h"

#include "net/builder.h"
#include "net/structure.h"

/* One way to look at the net: the nodes that sets are made of, and the others. */
typedef struct Sight {
    const NetArcs *filled_by, *takes; /* of a node: what fills it; of the others: what they take from */
    uint32_t n, n_others;
} Sight;

typedef struct Growing {
    Sight sight;
    bool *in, *covered;   /* the set, and all sets before it */
    uint32_t *after;      /* per node that was met: the next one on the way to the target, n: it is the last one */
    uint32_t *round, now; /* per other: the search in which it was met */
    VecU32 set, fillers, queue, later;
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

/* Meets the nodes that the other takes from, from where `node` comes next. True: one of them is in the set. */
static bool meet(Growing *g, uint32_t other, uint32_t node)
{
    NetRow row = net_row(g->sight.takes, other);
    if (g->round[other] == g->now) return false;
    g->round[other] = g->now;
    if (node < g->sight.n && takes_from_set(g, other)) return true;
    for (uint32_t i = 0; i < row.len; i++) {
        if (g->after[row.node[i]] != NET_NONE) continue;
        g->after[row.node[i]] = node;
        vec_push(g->covered[row.node[i]] ? &g->later : &g->queue, row.node[i]);
    }
    return false;
}

/* Goes back from the target to the set, over as few nodes of sets before as can be; the first node outside the set, or
 * NET_NONE. */
static uint32_t search_path(Growing *g, uint32_t target)
{
    meet(g, target, g->sight.n);
    for (size_t i = 0;; i++) {
        if (i == g->queue.len) {
            vec_append(&g->queue, g->later.data, g->later.len);
            vec_clear(&g->later);
        }
        if (i == g->queue.len || budget_charge(g->budget, 10)) return NET_NONE;
        uint32_t node = g->queue.data[i];
        NetRow fillers = net_row(g->sight.filled_by, node);
        for (uint32_t k = 0; k < fillers.len; k++)
            if (meet(g, fillers.node[k], node)) return node;
    }
}

static bool add_path(Growing *g, uint32_t target)
{
    vec_clear(&g->queue);
    vec_clear(&g->later);
    g->now++;
    uint32_t begin = search_path(g, target);
    if (begin != NET_NONE)
        for (uint32_t node = begin; node < g->sight.n; node = g->after[node]) add_node(g, node);
    for (size_t i = 0; i < g->queue.len; i++) g->after[g->queue.data[i]] = NET_NONE;
    for (size_t i = 0; i < g->later.len; i++) g->after[g->later.data[i]] = NET_NONE;
    return begin != NET_NONE;
}

static bool grow(Growing *g, uint32_t start)
{
    vec_clear(&g->set);
    vec_clear(&g->fillers);
    add_node(g, start);
    while (g->fillers.len) {
        uint32_t filler = vec_pop(&g->fillers);
        if (budget_charge(g->budget, 10) || (!takes_from_set(g, filler) && !add_path(g, filler))) return false;
    }
    return true;
}

/* Sets that cover all nodes, as lists. */
static bool find_cover(Sight sight, Budget *budget, VecU32 *lists)
{
    size_t n = sight.n;
    g_autofree bool *in = g_new0(bool, n + 1), *covered = g_new0(bool, n + 1);
    g_autofree uint32_t *after = g_new(uint32_t, n + 1), *round = g_new0(uint32_t, (size_t)sight.n_others + 1);
    Growing g = {.sight = sight, .in = in, .covered = covered, .after = after, .round = round, .budget = budget};
    bool ok = true;
    for (size_t i = 0; i < n; i++) after[i] = NET_NONE;
    for (uint32_t i = 0; i < n && ok; i++) {
        if (covered[i]) continue;
        ok = grow(&g, i) && budget_allows(budget, g.set.len * sizeof *lists->data);
        for (size_t k = 0; k < g.set.len; k++) {
            covered[g.set.data[k]] = true;
            in[g.set.data[k]] = false;
        }
        vec_append(lists, g.set.data, g.set.len);
        vec_push(lists, NET_NONE);
    }
    VecU32 *vectors[] = {&g.set, &g.fillers, &g.queue, &g.later};
    for (size_t i = 0; i < G_N_ELEMENTS(vectors); i++) vec_free(vectors[i]);
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
    Sight by_places = {&places[ARC_POST], &transitions[ARC_PRE], closed->n_places, closed->n_transitions};
    Sight by_transitions = {&transitions[ARC_POST], &places[ARC_PRE], closed->n_transitions, closed->n_places};
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
