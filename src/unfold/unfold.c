#include "unfold/unfold.h"

#include "base/error.h"
#include "unfold/classic.h"
#include "unfold/context.h"
#include "unfold/parametric_net.h"

/* What the relation is best unfolded by. Nets that the engines for safe nets cannot read (weights,
 * inhibitor arcs, several tokens at first) go to the one that takes everything. */
static UnfoldEngine choose(const Net *net, Relation relation)
{
    bool plain = net_is_ordinary(net);
    for (uint32_t p = 0; p < net->n_places && plain; p++) plain = net->initial[p] <= 1;
    if (plain && relation == RELATION_CLASSIC) return UNFOLD_CLASSIC;
    if (plain && (relation == RELATION_READ || relation == RELATION_LOOPS)) return UNFOLD_CONTEXT;
    return UNFOLD_PARAMETRIC;
}

Prefix *unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    UnfoldEngine engine = options->engine == UNFOLD_AUTO ? choose(net, options->relation) : options->engine;
    if (engine == UNFOLD_CLASSIC) return classic_unfold(net, options, budget, error);
    if (engine == UNFOLD_CONTEXT) return context_unfold(net, options, budget, error);
    if (engine == UNFOLD_PARAMETRIC) return parametric_unfold(net, options, budget, error);
    g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "there is no unfolding engine for the relation '%s'",
                relation_name(options->relation));
    return NULL;
}
