#include "unfold/unfold.h"

#include "base/error.h"
#include "unfold/classic.h"

Prefix *unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    UnfoldEngine engine = options->engine;
    if (engine == UNFOLD_AUTO && options->relation == RELATION_CLASSIC) engine = UNFOLD_CLASSIC;
    if (engine == UNFOLD_CLASSIC) return classic_unfold(net, options, budget, error);
    g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED, "there is no unfolding engine for the relation '%s'",
                relation_name(options->relation));
    return NULL;
}
