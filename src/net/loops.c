#include "net/loops.h"

#include "base/exact.h"
#include "net/builder.h"

static void copy_nodes(const Net *net, NetBuilder *builder)
{
    for (uint32_t p = 0; p < net->n_places; p++)
        net_builder_place(builder, net_place_id(net, p), net_place_label(net, p), net->initial[p]);
    for (uint32_t t = 0; t < net->n_transitions; t++)
        net_builder_transition(builder, net_transition_id(net, t), net_transition_label(net, t));
}

static void copy_arcs(const Net *net, NetBuilder *builder, ArcKind kind, uint32_t t)
{
    NetRow row = net_places(net, kind, t);
    for (uint32_t i = 0; i < row.len; i++) net_builder_arc(builder, kind, row.node[i], t, net_weight(row, i));
}

/* Where t consumes less than it must see, the difference goes both ways; the builder adds it to the arcs there. */
static void add_loops(const Net *net, NetBuilder *builder, uint32_t t)
{
    NetRow row = net_places(net, ARC_READ, t);
    for (uint32_t i = 0; i < row.len; i++) {
        uint64_t missing;
        if (!checked_subtract(net_weight(row, i), net_arc_weight(net, ARC_PRE, t, row.node[i]), &missing) || !missing)
            continue;
        net_builder_arc(builder, ARC_PRE, row.node[i], t, missing);
        net_builder_arc(builder, ARC_POST, row.node[i], t, missing);
    }
}

Net *loops_for_reads(const Net *net, GError **error)
{
    g_autoptr(NetBuilder) builder = net_builder_new(net->name);
    copy_nodes(net, builder);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        copy_arcs(net, builder, ARC_PRE, t);
        copy_arcs(net, builder, ARC_POST, t);
        copy_arcs(net, builder, ARC_INHIBIT, t);
        add_loops(net, builder, t);
    }
    return net_builder_finish(builder, error);
}
