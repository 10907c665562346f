#include "cli/explore_estimate.h"
#include "cli/explore_spins.h"

#include "base/json.h"
#include "base/visible.h"

#include <stdio.h>

enum { SECONDS = 2 };

/* ---- instead of an exploration ---- */

static void json_figures(GString *json, const TraceFigures *f)
{
    const struct {
        const char *key;
        double value;
    } figures[] = {{"traces_estimate", f->traces}, {"traces_low", f->low}, {"traces_high", f->high}};
    for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
        if (f->known)
            json_real(json, figures[i].key, figures[i].value);
        else
            json_null(json, figures[i].key);
    }
}

static int print_estimate(Command *command, const Net *net, const char *relation, Estimate *e)
{
    TraceFigures f = {0};
    f.known = estimate_get(e, &f.traces, &f.low, &f.high);
    bool exact = estimate_is_exact(e);
    command_end_progress();
    if (command->options.json) {
        GString *json = command_json_begin(command, net->name);
        json_string(json, "relation", relation);
        json_figures(json, &f);
        json_bool(json, "exact", exact);
        command_json_end(command, json);
    } else if (!f.known) {
        puts("UNKNOWN: no estimate; a run has no end, or more time is needed");
    } else if (exact) {
        visible_print(stdout, "%-22s %.0f\n", "traces", f.traces);
    } else {
        visible_print(stdout, "%-22s about %.3g (%.3g to %.3g)\n", "traces", f.traces, f.low, f.high);
    }
    return f.known ? EXIT_HOLDS : EXIT_UNKNOWN;
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
    double end = budget_now() + (o->time > 0 ? o->time : SECONDS);
    g_autoptr(Spins) spins = explore_spins(command, net);
    DporOptions options = {.depth = (uint32_t)o->depth, .unroll = (uint32_t)o->unroll};
    if (!explore_spins_late(command)) options.spins = spins;
    for (unsigned width = netlts_initial_width(net);;) {
        double traces, low, high;
        g_autoptr(NetLts) lts = netlts_new(net, width);
        g_autoptr(Estimate) e = estimate_new(&lts->lts, lts, indep, &options, (uint64_t)o->seed, &budget);
        while (estimate_step(e) && budget_now() < end) continue;
        if (estimate_overflows(e) && width < 64) {
            width *= 2;
        } else if (options.spins != spins && !estimate_get(e, &traces, &low, &high) && budget_now() < end) {
            options.spins = spins; /* a run had no end */
        } else {
            return print_estimate(command, net, relation, e);
        }
    }
}

/* ---- beside an exploration ---- */

static void start(ExploreEstimate *x)
{
    estimate_free(x->probes);
    netlts_free(x->lts);
    x->lts = netlts_new(x->net, x->width);
    x->probes = estimate_new(&x->lts->lts, x->lts, x->indep, &x->options, x->seed, &x->budget);
}

static void step(ExploreEstimate *x)
{
    if (!x->probes) start(x);
    if (estimate_step(x->probes)) return;
    x->over = !estimate_overflows(x->probes) || x->width == 64;
    if (x->over) return;
    x->width *= 2;
    start(x);
}

/* A tenth of the time at first, so that there soon is something to tell, later a fiftieth. Short explorations pay
 * nothing. */
static void ask(void *data)
{
    static const double SOON = 0.3, EARLY = 10, FIRST_SHARE = 0.1, LATER_SHARE = 0.02;
    ExploreEstimate *x = data;
    double now = budget_now(), age = now - x->began;
    if (age < SOON || !g_mutex_trylock(&x->lock)) return;
    double allowed = FIRST_SHARE * MIN(age, EARLY) + LATER_SHARE * MAX(age - EARLY, 0);
    while (!x->over && x->spent < allowed) {
        step(x);
        double after = budget_now();
        x->spent += after - now;
        now = after;
    }
    g_mutex_unlock(&x->lock);
}

void explore_estimate_begin(ExploreEstimate *x, const Net *net, const Indep *indep, const DporOptions *options,
                            Algorithm algorithm, uint64_t seed, Budget *budget)
{
    *x = (ExploreEstimate){.net = net, .indep = indep, .options = *options, .seed = seed, .began = budget_now()};
    g_mutex_init(&x->lock);
    if (options->spins_late) x->options.spins = NULL;
    x->width = netlts_initial_width(net);
    x->over = options->split || (options->depth && algorithm != ALGORITHM_REVERSE) ||
              (!budget_is_shown(budget) && !budget_is_timed(budget));
    if (x->over) return;
    x->budget = budget_child(budget, 0, NULL);
    budget_show(&x->budget, NULL, NULL);
    budget_ask(budget, ask, x);
}

static TraceFigures present(const ExploreEstimate *x)
{
    TraceFigures f = x->last;
    if (x->probes) f.known = estimate_get(x->probes, &f.traces, &f.low, &f.high);
    return f;
}

void explore_estimate_end(ExploreEstimate *x)
{
    x->last = present(x);
    x->over = true;
    g_clear_pointer(&x->probes, estimate_free);
    g_clear_pointer(&x->lts, netlts_free);
}

/* Not fewer than were found. Another thread may be at it: then nothing is known at this moment. */
static TraceFigures figures(ExploreEstimate *x, uint64_t found)
{
    if (!g_mutex_trylock(&x->lock)) return (TraceFigures){0};
    TraceFigures f = present(x);
    g_mutex_unlock(&x->lock);
    f.traces = MAX(f.traces, (double)found);
    f.low = MAX(f.low, (double)found);
    f.high = MAX(f.high, (double)found);
    return f;
}

static void append_time(GString *line, double seconds)
{
    if (seconds < 100)
        g_string_append_printf(line, "%.0f s", seconds);
    else if (seconds < 6000)
        g_string_append_printf(line, "%.0f min", seconds / 60);
    else if (seconds < 100 * 3600)
        g_string_append_printf(line, "%.0f h", seconds / 3600);
    else
        g_string_append_printf(line, "%.3g days", seconds / 86400);
}

void explore_estimate_describe(ExploreEstimate *x, uint64_t found, GString *line)
{
    TraceFigures f = figures(x, found);
    if (!f.known || !found) return;
    double left = f.traces - (double)found, seconds = left * (budget_now() - x->began) / (double)found;
    g_string_append_printf(line, "; about %.3g traces left of %.3g (%.3g to %.3g), ", left, f.traces, f.low, f.high);
    append_time(line, seconds);
}

void explore_estimate_json(ExploreEstimate *x, uint64_t found, bool exact, GString *json)
{
    TraceFigures f = exact ? (TraceFigures){(double)found, (double)found, (double)found, true} : figures(x, found);
    json_figures(json, &f);
    if (f.known)
        json_real(json, "traces_left", f.traces - (double)found);
    else
        json_null(json, "traces_left");
}

void explore_estimate_print(ExploreEstimate *x, uint64_t found)
{
    TraceFigures f = figures(x, found);
    if (f.known) visible_print(stdout, "%-22s about %.3g (%.3g to %.3g)\n", "of all traces", f.traces, f.low, f.high);
}
