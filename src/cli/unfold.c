#include "cli/command.h"

#include "base/visible.h"
#include "report/prefix_event.h"
#include "report/prefix_writer.h"
#include "unfold/unfold.h"

#include <stdio.h>
#include <string.h>

static bool parse_options(Command *command, UnfoldOptions *options)
{
    const Options *o = &command->options;
    *options = (UnfoldOptions){.relation = RELATION_CLASSIC, .order = ORDER_ERV, .cutoffs = true};
    if (o->relation && relation_refusal(o->relation)) {
        command_fail("unfold: %s", relation_refusal(o->relation));
        return false;
    }
    if (o->relation && !relation_parse(o->relation, &options->relation)) {
        command_fail("unfold: there is no relation '%s' (none, classic, read, loops, proved, file:PATH)", o->relation);
        return false;
    }
    if (o->order && !order_parse(o->order, &options->order)) {
        command_fail("unfold: there is no order '%s' (mcmillan, parikh, erv, mole)", o->order);
        return false;
    }
    if (o->cutoffs && strcmp(o->cutoffs, "on") != 0 && strcmp(o->cutoffs, "off") != 0) {
        command_fail("unfold: --cutoffs is on or off");
        return false;
    }
    options->cutoffs = !o->cutoffs || strcmp(o->cutoffs, "on") == 0;
    static const char *const engines[] = {"auto", "classic", "context", "parametric"};
    options->engine = UNFOLD_AUTO;
    for (size_t i = 0; i < G_N_ELEMENTS(engines); i++)
        if (o->engine && strcmp(o->engine, engines[i]) == 0) options->engine = (UnfoldEngine)i;
    if (o->engine && options->engine == UNFOLD_AUTO && strcmp(o->engine, "auto") != 0) {
        command_fail("unfold: there is no engine '%s' (auto, classic, context, parametric)", o->engine);
        return false;
    }
    return true;
}

static void json_run(JsonBuilder *json, const Prefix *prefix)
{
    json_builder_set_member_name(json, "witness");
    json_builder_begin_array(json);
    for (uint32_t i = 0; i < prefix->unsafe_len; i++)
        json_builder_add_string_value(json, net_transition_id(prefix->net, prefix->unsafe_run[i]));
    json_builder_end_array(json);
}

/* Ends that only the parametric engine knows. */
static void json_special_end(JsonBuilder *json, const Prefix *prefix)
{
    const Net *net = prefix->net;
    if (prefix->end == PREFIX_UNBOUNDED || prefix->end == PREFIX_INFINITE) {
        json_string(json, "reason", prefix->end == PREFIX_UNBOUNDED ? "unbounded" : "no end without cutoffs");
        json_int(json, "pump_from", prefix->pump_from);
        json_run(json, prefix);
    }
    if (prefix->end == PREFIX_REFUTED) {
        json_string(json, "reason", "relation refuted");
        json_builder_set_member_name(json, "pair");
        json_builder_begin_array(json);
        json_builder_add_string_value(json, net_transition_id(net, prefix->pair[0]));
        json_builder_add_string_value(json, net_transition_id(net, prefix->pair[1]));
        json_builder_end_array(json);
        json_run(json, prefix);
    }
}

static void print_run(const Prefix *prefix, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        visible_print(stdout, " %s", net_transition_id(prefix->net, prefix->unsafe_run[i]));
}

/* The two firing sequences of a square that does not close. */
static void print_square(const Prefix *prefix)
{
    static const char *const first[] = {
        [COMMUTE_DISABLES] = "cannot fire", [COMMUTE_ENABLES] = "can fire", [COMMUTE_DIFFERS] = "leads elsewhere than"};
    static const char *const second[] = {[COMMUTE_DISABLES] = "can fire",
                                         [COMMUTE_ENABLES] = "cannot fire",
                                         [COMMUTE_DIFFERS] = "fired the other way round"};
    const char *a = net_transition_id(prefix->net, prefix->pair[0]),
               *b = net_transition_id(prefix->net, prefix->pair[1]);
    visible_print(stdout, "REFUTED     %s and %s are not independent\n  after", a, b);
    print_run(prefix, 0, prefix->unsafe_len);
    visible_print(stdout, " %s: %s %s\n  after", a, b, first[prefix->violation]);
    print_run(prefix, 0, prefix->unsafe_len);
    visible_print(stdout, ": %s %s\n", b, second[prefix->violation]);
}

static void print_special_end(const Prefix *prefix)
{
    if (prefix->end == PREFIX_UNBOUNDED || prefix->end == PREFIX_INFINITE) {
        visible_print(stdout, "%s after", prefix->end == PREFIX_UNBOUNDED ? "UNBOUNDED  " : "ENDLESS    ");
        print_run(prefix, 0, prefix->pump_from);
        visible_print(stdout, " this can be repeated for ever:");
        print_run(prefix, prefix->pump_from, prefix->unsafe_len);
        putchar('\n');
    }
    if (prefix->end == PREFIX_REFUTED) print_square(prefix);
}

static void json_event(JsonBuilder *json, const Prefix *prefix, uint32_t e)
{
    g_autoptr(PrefixEvent) event = prefix_event_new(prefix, e);
    json_builder_set_member_name(json, "event");
    json_builder_begin_object(json);
    json_int(json, "event", e);
    json_string(json, "transition", event->transition);
    json_int(json, "size", event->size);
    json_int(json, "depth", event->depth);
    json_builder_set_member_name(json, "causes");
    json_builder_begin_array(json);
    for (uint32_t i = 0; i < event->n_causes; i++) json_builder_add_int_value(json, event->causes[i]);
    json_builder_end_array(json);
    json_builder_set_member_name(json, "marking");
    json_builder_begin_array(json);
    for (uint32_t i = 0; i < event->n_marking; i++)
        json_builder_add_string_value(json, net_place_id(prefix->net, event->marking[i]));
    json_builder_end_array(json);
    json_bool(json, "cutoff", event->companion != PREFIX_NONE);
    if (event->companion < prefix->n_events)
        json_int(json, "companion", event->companion);
    else
        json_string(json, "companion", event->companion == PREFIX_BOTTOM ? "initial" : NULL);
    json_string(json, "why", event->why);
    json_builder_end_object(json);
}

static void print_event(const Prefix *prefix, uint32_t e)
{
    g_autoptr(PrefixEvent) event = prefix_event_new(prefix, e);
    visible_print(stdout, "\nevent       e%u\ntransition  %s", e, event->transition);
    if (strcmp(event->label, event->transition) != 0) visible_print(stdout, " (%s)", event->label);
    visible_print(stdout, "\nsize        %u\ndepth       %u\ncauses     ", event->size, event->depth);
    for (uint32_t i = 0; i < event->n_causes; i++) visible_print(stdout, " e%u", event->causes[i]);
    visible_print(stdout, "%s\nmarking    ", event->n_causes ? "" : " none");
    for (uint32_t i = 0; i < event->n_marking; i++)
        visible_print(stdout, " %s", net_place_id(prefix->net, event->marking[i]));
    visible_print(stdout, "%s\n%s\n", event->n_marking ? "" : " empty", event->why);
}

/* "12" or "e12"; PREFIX_NONE when there is no such event. */
static uint32_t parse_event(const Prefix *prefix, const char *text)
{
    guint64 number;
    if (*text == 'e') text++;
    if (!prefix->n_events || !g_ascii_string_to_unsigned(text, 10, 0, prefix->n_events - 1, &number, NULL))
        return PREFIX_NONE;
    return (uint32_t)number;
}

/* Writes what -o, --around and --radius ask for. */
static bool write_prefix(Command *command, const Prefix *prefix)
{
    const Options *o = &command->options;
    uint32_t around = PREFIX_NONE;
    if (o->around && (around = parse_event(prefix, o->around)) == PREFIX_NONE) {
        command_fail("unfold: there is no event '%s' (0 to %u)", o->around,
                     prefix->n_events ? prefix->n_events - 1 : 0);
        return false;
    }
    GError *error = NULL;
    g_autoptr(PrefixPart) part =
        prefix_part_new(prefix, around, o->radius > 0 ? (uint32_t)MIN(o->radius, UINT32_MAX) : 2);
    if (prefix_write_file(part, o->output, &error)) return true;
    command_fail_error(error);
    return false;
}

static void print_json(Command *command, const Prefix *prefix, uint32_t event)
{
    JsonBuilder *json = command_json_begin(command, prefix->net->name);
    json_string(json, "relation", relation_name(prefix->relation));
    json_string(json, "order", order_name(prefix->order));
    json_int(json, "events", prefix_count(prefix));
    if (prefix->has_conditions)
        json_int(json, "conditions", prefix->n_conditions);
    else
        json_null(json, "conditions");
    json_int(json, "cutoffs", prefix_count_cutoffs(prefix));
    json_bool(json, "complete", prefix->end == PREFIX_COMPLETE);
    if (prefix->has_conditions)
        json_int(json, "contextual_events", prefix->n_events);
    else
        json_null(json, "contextual_events");
    if (prefix->end == PREFIX_LIMIT) json_string(json, "reason", budget_reason_text(prefix->reason));
    if (prefix->end == PREFIX_UNSAFE) {
        json_bool(json, "safe", false);
        json_string(json, "unsafe_place", net_place_id(prefix->net, prefix->unsafe_place));
        json_run(json, prefix);
    }
    json_special_end(json, prefix);
    if (event != PREFIX_NONE) json_event(json, prefix, event);
    command_json_end(command, json);
}

static void print_text(const Prefix *prefix)
{
    visible_print(stdout, "relation    %s\norder       %s\nevents      %u\n", relation_name(prefix->relation),
                  order_name(prefix->order), prefix_count(prefix));
    if (prefix->has_conditions) visible_print(stdout, "conditions  %u\n", prefix->n_conditions);
    visible_print(stdout, "cutoffs     %u\n", prefix_count_cutoffs(prefix));
    if (prefix->histories.n) visible_print(stdout, "contextual  %u\n", prefix->n_events);
    visible_print(stdout, "complete    %s\n", prefix->end == PREFIX_COMPLETE ? "yes" : "no");
    if (prefix->end == PREFIX_LIMIT) visible_print(stdout, "UNKNOWN     %s\n", budget_reason_text(prefix->reason));
    if (prefix->end == PREFIX_UNSAFE) {
        visible_print(
            stdout, "UNSAFE      place %s gets a second token after:", net_place_id(prefix->net, prefix->unsafe_place));
        print_run(prefix, 0, prefix->unsafe_len);
        visible_print(stdout, "\n            (--engine parametric unfolds nets that are not safe)\n");
    }
    print_special_end(prefix);
}

static int exit_code(const Prefix *prefix)
{
    switch (prefix->end) {
    case PREFIX_UNSAFE:
    case PREFIX_UNBOUNDED:
    case PREFIX_REFUTED: return EXIT_VIOLATED;
    case PREFIX_LIMIT:
    case PREFIX_INFINITE: return EXIT_UNKNOWN;
    default: return EXIT_HOLDS;
    }
}

int command_unfold(Command *command)
{
    UnfoldOptions options;
    if (command->n_arguments != 1) return command_fail("unfold: exactly one NET is expected");
    if (command->options.around && !command->options.output) return command_fail("unfold: --around needs -o FILE");
    if (command->options.radius && !command->options.around) return command_fail("unfold: --radius goes with --around");
    GError *error = NULL;
    if (command->options.output && !prefix_write_knows(command->options.output, &error))
        return command_fail_error(error);
    if (!parse_options(command, &options)) return EXIT_USAGE;
    g_autoptr(Net) net = command_read_net(command, command->arguments[0]);
    if (!net) return command->failure;
    Budget budget = command_budget(command);
    g_autoptr(Indep) indep = NULL;
    if (options.relation == RELATION_FILE) {
        indep = indep_named(net, command->options.relation, &error);
        if (!indep) return command_fail_error(error);
        options.indep = indep;
    }
    g_autoptr(Prefix) prefix = unfold(net, &options, &budget, &error);
    command_end_progress();
    if (!prefix) return command_fail_error(error);
    uint32_t event = PREFIX_NONE;
    if (command->options.event && (event = parse_event(prefix, command->options.event)) == PREFIX_NONE)
        return command_fail("unfold: there is no event '%s' in this prefix of %u events", command->options.event,
                            prefix->n_events);
    if (command->options.json) {
        print_json(command, prefix, event);
    } else {
        print_text(prefix);
        if (event != PREFIX_NONE) print_event(prefix, event);
    }
    return command->options.output && !write_prefix(command, prefix) ? EXIT_USAGE : exit_code(prefix);
}
