#include "unfold/unfold.h"

#include "base/error.h"
#include "unfold/classic/classic.h"
#include "unfold/context/context.h"
#include "unfold/parametric/net.h"

/* What the relation is best unfolded by. Nets that the engines for safe nets cannot read (weights,
 * inhibitor arcs, several tokens at first) go to the one that takes everything. */
static UnfoldEngine choose(const Net *net, Relation relation)
{
    bool plain = net_is_ordinary(net);
    for (uint32_t p = 0; p < net->n_places && plain; p++) plain = net->initial[p] <= 1;
    if (plain && relation == RELATION_CLASSIC) return UNFOLD_CLASSIC;
    if (plain && relation >= RELATION_READ && relation <= RELATION_PROVED) return UNFOLD_CONTEXT;
    return UNFOLD_PARAMETRIC;
}

/* Without a place that is only read, `read` and `loops` are `classic`, whose engine is faster. A transition
 * without a preset has one event there, but follows itself in the others. */
static bool reads_nothing(const Net *net, Relation relation)
{
    if (net_arc_count(net, ARC_READ)) return false;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        NetRow pre = net_places(net, ARC_PRE, t);
        if (!pre.len) return false;
        for (uint32_t i = 0; i < pre.len && relation == RELATION_LOOPS; i++)
            if (net_arc_weight(net, ARC_POST, t, pre.node[i])) return false;
    }
    return true;
}

/* `read` or `loops` of a net that the engines for safe nets can read. */
static Prefix *unfold_reading(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    if (options->engine != UNFOLD_AUTO || !reads_nothing(net, options->relation))
        return context_unfold(net, options, budget, error);
    Prefix *prefix = classic_unfold(net, options, budget, error);
    if (prefix) prefix->relation = options->relation;
    return prefix;
}

/* On safe nets `proved` has the unfolding of `loops`: where two transitions that `loops` calls dependent
 * can follow each other, one really changes a place that the other tests, from 0 to 1 or back, and they interfere. So
 * the fast engine serves until the net shows itself unsafe. */
static Prefix *unfold_proved(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    UnfoldOptions loops = *options;
    loops.relation = RELATION_LOOPS;
    loops.indep = NULL;
    Prefix *prefix = unfold_reading(net, &loops, budget, error);
    if (!prefix) return NULL;
    prefix->relation = RELATION_PROVED;
    if (prefix->end != ENDING_UNSAFE) return prefix;
    prefix_free(prefix);
    return parametric_net_unfold(net, options, budget, error);
}

Prefix *unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    UnfoldEngine engine = options->engine == UNFOLD_AUTO ? choose(net, options->relation) : options->engine;
    if (engine == UNFOLD_CLASSIC && options->relation != RELATION_CLASSIC) {
        g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED,
                    "the classic unfolder builds prefixes under the relation classic only");
        return NULL;
    }
    if (engine == UNFOLD_CLASSIC) return classic_unfold(net, options, budget, error);
    if (engine == UNFOLD_CONTEXT && options->relation == RELATION_PROVED)
        return unfold_proved(net, options, budget, error);
    if (engine == UNFOLD_CONTEXT) return unfold_reading(net, options, budget, error);
    if (engine == UNFOLD_PARAMETRIC) return parametric_net_unfold(net, options, budget, error);
    g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "there is no unfolding engine for the relation '%s'",
                relation_name(options->relation));
    return NULL;
}
