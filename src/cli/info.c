#include "cli/command.h"

#include "base/visible.h"
#include "explore/constraint.h"
#include "net/colours.h"
#include "net/invariant.h"
#include "net/safeness.h"
#include "net/structure.h"

#include <stdio.h>

enum { LISTED_INVARIANTS = 20 }; /* without --verbose */

/* Everything that both forms of output show. */
typedef struct Report {
    const Net *net;
    StructureFacts facts;
    Invariants *invariants;
    SafeAnswer safe;
    const char *reason;
    uint32_t listed; /* invariants */
} Report;

static GString *classes_of(const StructureFacts *facts, GString *json)
{
    const struct {
        bool holds;
        const char *name;
    } classes[] = {
        {facts->ordinary, "ordinary"},
        {facts->pure, "pure"},
        {facts->conservative, "conservative"},
        {facts->state_machine, "state machine"},
        {facts->marked_graph, "marked graph"},
        {facts->free_choice, "free choice"},
        {facts->extended_free_choice, "extended free choice"},
    };
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(classes); i++) {
        if (!classes[i].holds) continue;
        g_string_append_printf(text, "%s%s", text->len ? ", " : "", classes[i].name);
        if (json) json_string(json, NULL, classes[i].name);
    }
    return text;
}

/* JSON numbers are signed; a larger count is unknown to the reader of the JSON. */
static void json_count(GString *json, const char *key, uint64_t value)
{
    if (value > G_MAXINT64)
        json_null(json, key);
    else
        json_int(json, key, (int64_t)value);
}

static void json_invariants(GString *json, const Report *report)
{
    json_int(json, "invariants", report->invariants->n);
    json_bool(json, "invariants_all", report->invariants->all);
    json_open(json, "invariant_list", '[');
    for (uint32_t k = 0; k < report->listed; k++) {
        const Invariant *y = &report->invariants->item[k];
        json_open(json, NULL, '{');
        json_count(json, "tokens", y->tokens);
        json_open(json, "places", '{');
        for (uint32_t i = 0; i < y->len; i++) json_count(json, net_place_id(report->net, y->place[i]), y->weight[i]);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The net of the file, when what the other figures are about is its expansion. */
static void json_coloured(GString *json, const NetColours *colours)
{
    if (!colours) return;
    json_int(json, "coloured_places", colours->coloured->n_places);
    json_int(json, "coloured_transitions", colours->coloured->n_transitions);
    json_int(json, "coloured_arcs", colours->n_arcs);
}

static void print_json(Command *command, const Report *report)
{
    const Net *net = report->net;
    const StructureFacts *facts = &report->facts;
    GString *json = command_json_begin(command, net->name);
    json_coloured(json, net->colours);
    json_int(json, "places", net->n_places);
    json_int(json, "transitions", net->n_transitions);
    json_count(json, "arcs", net_arcs_in_file(net));
    json_int(json, "read_arcs", net_arc_count(net, ARC_READ));
    json_int(json, "inhibitor_arcs", net_arc_count(net, ARC_INHIBIT));
    json_count(json, "parallel_arcs", net->n_merged);
    json_count(json, "initial_tokens", facts->initial_tokens);
    json_count(json, "max_weight", facts->max_weight);
    if (report->safe == SAFE_UNKNOWN)
        json_null(json, "safe");
    else
        json_bool(json, "safe", report->safe == SAFE_YES);
    json_string(json, "safe_reason", report->reason);
    json_string(json, "ignored", net->ignored);
    json_open(json, "class", '[');
    g_string_free(classes_of(facts, json), TRUE);
    json_close(json, ']');
    json_count(json, "loops", facts->loops);
    json_int(json, "source_transitions", facts->source_transitions);
    json_int(json, "sink_transitions", facts->sink_transitions);
    json_int(json, "source_places", facts->source_places);
    json_int(json, "sink_places", facts->sink_places);
    json_int(json, "isolated_places", facts->isolated_places);
    json_invariants(json, report);
    if (net->nupn) {
        json_int(json, "nupn_units", net->nupn->n_units);
        json_bool(json, "nupn_safe", net->nupn->safe);
    } else {
        json_null(json, "nupn_units");
        json_null(json, "nupn_safe");
    }
    json_string(json, "final", net->final);
    command_json_end(command, json);
}

static void print_line(const char *key, uint64_t value)
{
    visible_print(stdout, "%-19s %" G_GUINT64_FORMAT "\n", key, value);
}

static void print_invariants(const Report *report)
{
    const Invariants *invariants = report->invariants;
    visible_print(stdout, "%-19s %u%s\n", "place invariants", invariants->n,
                  invariants->all ? "" : " (search cut short)");
    for (uint32_t k = 0; k < report->listed; k++) {
        const Invariant *y = &invariants->item[k];
        fputs("  ", stdout);
        for (uint32_t i = 0; i < y->len; i++) {
            if (i) fputs(" + ", stdout);
            if (y->weight[i] != 1) visible_print(stdout, "%" G_GUINT64_FORMAT "*", y->weight[i]);
            visible_print(stdout, "%s", net_place_id(report->net, y->place[i]));
        }
        if (y->tokens == UINT64_MAX)
            puts(" constant");
        else
            visible_print(stdout, " = %" G_GUINT64_FORMAT "\n", y->tokens);
    }
    if (report->listed < invariants->n)
        visible_print(stdout, "  and %u more (--verbose)\n", invariants->n - report->listed);
}

static void print_text(const Report *report)
{
    const Net *net = report->net;
    const StructureFacts *facts = &report->facts;
    if (net->colours) {
        print_line("coloured places", net->colours->coloured->n_places);
        print_line("coloured transitions", net->colours->coloured->n_transitions);
        print_line("coloured arcs", net->colours->n_arcs);
    }
    print_line("places", net->n_places);
    print_line("transitions", net->n_transitions);
    print_line("arcs", net_arcs_in_file(net));
    print_line("read arcs", net_arc_count(net, ARC_READ));
    print_line("inhibitor arcs", net_arc_count(net, ARC_INHIBIT));
    if (net->n_merged) print_line("parallel arcs", net->n_merged);
    print_line("loops", facts->loops);
    print_line("max weight", facts->max_weight);
    print_line("initial tokens", facts->initial_tokens);
    static const char *const answers[] = {[SAFE_UNKNOWN] = "unknown", [SAFE_YES] = "yes", [SAFE_NO] = "no"};
    visible_print(stdout, "%-19s %s (%s)\n", "safe", answers[report->safe], report->reason);
    g_autoptr(GString) classes = classes_of(facts, NULL);
    visible_print(stdout, "%-19s %s\n", "class", classes->len ? classes->str : "none");
    print_line("source transitions", facts->source_transitions);
    print_line("sink transitions", facts->sink_transitions);
    print_line("source places", facts->source_places);
    print_line("sink places", facts->sink_places);
    print_line("isolated places", facts->isolated_places);
    if (net->nupn)
        visible_print(stdout, "%-19s %u%s\n", "NUPN units", net->nupn->n_units,
                      net->nupn->safe ? ", declared safe" : "");
    if (net->final) visible_print(stdout, "%-19s %s\n", "final", net->final);
    print_invariants(report);
    visible_print(stdout, "%-19s %s\n", "ignored", net->ignored ? net->ignored : "nothing");
}

/* The independence constraints of all pairs that do not commute everywhere. */
static int print_independence(Command *command, const Net *net)
{
    GError *error = NULL;
    const char *file = command->options.constraints;
    Budget budget = command_budget(command);
    g_autoptr(Constraints) c =
        file ? constraints_read_file(net, file, &budget, &error) : constraints_within(net, &budget, &error);
    if (!c) return command_fail_reading(command, error);
    g_autoptr(GString) text = g_string_new(NULL);
    constraints_print(c, text);
    if (!command->options.json) {
        visible_lines(stdout, text->str);
        return EXIT_HOLDS;
    }
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    GString *json = command_json_begin(command, net->name);
    json_int(json, "pairs", c->pair_start[net->n_transitions] / 2);
    json_int(json, "constraints", c->n_constraints);
    json_int(json, "given", c->n_given);
    json_int(json, "doubtful", c->n_doubtful);
    json_open(json, "independence", '[');
    for (char **line = lines; *line; line++)
        if (**line) json_string(json, NULL, *line);
    json_close(json, ']');
    command_json_end(command, json);
    return EXIT_HOLDS;
}

int command_info(Command *command)
{
    if (command->n_arguments != 1) return command_fail("info: exactly one NET is expected");
    g_autoptr(Net) net = command_read_net(command, command->arguments[0]);
    if (!net) return command->failure;
    if (command->options.independence) return print_independence(command, net);
    if (command->options.constraints) return command_fail("info: --constraints goes with --independence");
    Budget budget = command_budget(command);
    g_autoptr(Invariants) invariants = invariant_compute(net, 0, &budget);
    Report report = {.net = net, .facts = structure_facts(net), .invariants = invariants};
    report.safe = safeness_decide(net, invariants, &report.reason);
    report.listed = command->options.verbose ? invariants->n : MIN(invariants->n, LISTED_INVARIANTS);
    command_end_progress();
    if (command->options.json)
        print_json(command, &report);
    else
        print_text(&report);
    return EXIT_HOLDS;
}
