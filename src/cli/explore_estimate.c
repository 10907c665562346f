#include "cli/explore_estimate.h"

#include "base/json.h"
#include "base/visible.h"
#include "explore/estimate.h"

#include <stdio.h>

enum { SECONDS = 2 };

static void json_estimate(GString *json, bool known, double traces, double low, double high)
{
    const struct {
        const char *key;
        double value;
    } figures[] = {{"traces_estimate", traces}, {"traces_low", low}, {"traces_high", high}};
    for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
        if (known)
            json_real(json, figures[i].key, figures[i].value);
        else
            json_null(json, figures[i].key);
    }
}

static int print_estimate(Command *command, const Net *net, const char *relation, Estimate *e)
{
    double traces = 0, low = 0, high = 0;
    bool known = estimate_get(e, &traces, &low, &high), exact = estimate_is_exact(e);
    command_end_progress();
    if (command->options.json) {
        GString *json = command_json_begin(command, net->name);
        json_string(json, "relation", relation);
        json_estimate(json, known, traces, low, high);
        json_bool(json, "exact", exact);
        command_json_end(command, json);
    } else if (!known) {
        puts("UNKNOWN: no estimate; a run has no end, or more time is needed");
    } else if (exact) {
        visible_print(stdout, "%-22s %.0f\n", "traces", traces);
    } else {
        visible_print(stdout, "%-22s about %.3g (%.3g to %.3g)\n", "traces", traces, low, high);
    }
    return known ? EXIT_HOLDS : EXIT_UNKNOWN;
}

int explore_estimate(Command *command, const Net *net)
{
    const Options *o = &command->options;
    const char *relation = relation_given(o->relation, RELATION_DEFAULT_EXPLORE);
    if (relation_refusal(relation)) return command_fail("explore: %s", relation_refusal(relation));
    GError *error = NULL;
    Budget budget = command_budget_of_half(command);
    g_autoptr(Indep) indep = indep_named(net, relation, &budget, &error);
    if (!indep) return command_fail_reading(command, error);
    double end = budget_now() + SECONDS;
    int code = EXIT_UNKNOWN;
    for (unsigned width = netlts_initial_width(net); width <= 64; width *= 2) {
        g_autoptr(NetLts) lts = netlts_new(net, width);
        g_autoptr(Estimate) e = estimate_new(&lts->lts, lts, indep, (uint64_t)o->seed, &budget);
        while (estimate_step(e) && budget_now() < end) continue;
        if (estimate_overflows(e) && width < 64) continue;
        code = print_estimate(command, net, relation, e);
        break;
    }
    return code;
}
