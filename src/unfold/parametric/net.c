#include "unfold/parametric/net.h"

#include "base/error.h"
#include "lts/netlts.h"
#include "unfold/parametric/parametric.h"

#include <assert.h>

#define STEAL(field) (g_steal_pointer(&(field)))

static Prefix *make_prefix(const Net *net, const UnfoldOptions *options, Parametric *p)
{
    assert(p->end != ENDING_OVERFLOW);
    Prefix *prefix = prefix_new(net);
    prefix->relation = options->relation;
    prefix->order = options->order;
    prefix->cutoffs = options->cutoffs;
    prefix->n_events = p->n_events;
    prefix->n_cutoffs = p->n_cutoffs;
    prefix->event_transition = STEAL(p->action);
    prefix->event_companion = STEAL(p->companion);
    prefix->event_size = STEAL(p->size);
    prefix->event_depth = STEAL(p->depth);
    prefix->cause_start = STEAL(p->cause_start);
    prefix->cause = STEAL(p->cause);
    prefix->pre_start = g_new0(uint32_t, (size_t)p->n_events + 1);
    prefix->post_start = g_new0(uint32_t, (size_t)p->n_events + 1);
    prefix->end = p->end;
    prefix->goal_event = p->goal_event;
    prefix->unsafe_run = STEAL(p->run);
    prefix->unsafe_len = p->run_len;
    prefix->pump_from = p->pump_from;
    prefix->pair[0] = p->first;
    prefix->pair[1] = p->second;
    prefix->violation = p->violation;
    prefix->n_markings = p->n_states;
    return prefix;
}

Prefix *parametric_net_unfold(const Net *net, const UnfoldOptions *options, Budget *budget, GError **error)
{
    g_autoptr(Indep) own = NULL;
    const Indep *indep = options->indep;
    assert(indep || options->relation != RELATION_FILE);
    if (!indep) indep = own = indep_within(net, options->relation, budget, error);
    if (!indep) return NULL;
    for (unsigned width = netlts_initial_width(net); width <= 64; width *= 2) {
        g_autoptr(NetLts) lts = netlts_new(net, width);
        ScheduleRules rules = {options->order, options->cutoffs, width == 1 ? options->goal : NULL, options->goal_data};
        g_autoptr(Parametric) p = parametric_new(&lts->lts, indep, rules, budget);
        if (p->end != ENDING_OVERFLOW) return make_prefix(net, options, p);
    }
    g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "%s: a place gets more than 2^64 - 1 tokens", net->name);
    return NULL;
}
