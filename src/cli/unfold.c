#include "cli/command.h"

#include "unfold/unfold.h"

#include <stdio.h>
#include <string.h>

static bool parse_options(Command *command, UnfoldOptions *options)
{
    const Options *o = &command->options;
    *options = (UnfoldOptions){.relation = RELATION_CLASSIC, .order = ORDER_ERV, .cutoffs = true};
    options->threads = (unsigned)CLAMP(o->threads, 1, 64);
    if (o->relation && !relation_parse(o->relation, &options->relation)) {
        command_fail("unfold: there is no relation '%s'", o->relation);
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
    return true;
}

static void print_json(Command *command, const Prefix *prefix)
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
        json_builder_set_member_name(json, "witness");
        json_builder_begin_array(json);
        for (uint32_t i = 0; i < prefix->unsafe_len; i++)
            json_builder_add_string_value(json, net_transition_id(prefix->net, prefix->unsafe_run[i]));
        json_builder_end_array(json);
    }
    command_json_end(command, json);
}

static void print_text(const Prefix *prefix)
{
    printf("relation    %s\norder       %s\nevents      %u\n", relation_name(prefix->relation), order_name(prefix->order),
           prefix_count(prefix));
    if (prefix->has_conditions) printf("conditions  %u\n", prefix->n_conditions);
    printf("cutoffs     %u\n", prefix_count_cutoffs(prefix));
    if (prefix->histories.n) printf("contextual  %u\n", prefix->n_events);
    printf("complete    %s\n", prefix->end == PREFIX_COMPLETE ? "yes" : "no");
    if (prefix->end == PREFIX_LIMIT) printf("UNKNOWN     %s\n", budget_reason_text(prefix->reason));
    if (prefix->end == PREFIX_UNSAFE) {
        printf("UNSAFE      place %s gets a second token after:", net_place_id(prefix->net, prefix->unsafe_place));
        for (uint32_t i = 0; i < prefix->unsafe_len; i++)
            printf(" %s", net_transition_id(prefix->net, prefix->unsafe_run[i]));
        putchar('\n');
    }
}

int command_unfold(Command *command)
{
    UnfoldOptions options;
    if (command->n_arguments != 1) return command_fail("unfold: exactly one NET is expected");
    if (!parse_options(command, &options)) return EXIT_USAGE;
    g_autoptr(Net) net = command_read_net(command, command->arguments[0]);
    if (!net) return EXIT_USAGE;
    Budget budget = command_budget(command);
    GError *error = NULL;
    g_autoptr(Prefix) prefix = unfold(net, &options, &budget, &error);
    command_end_progress();
    if (!prefix) return command_fail_error(error);
    if (command->options.json)
        print_json(command, prefix);
    else
        print_text(prefix);
    return prefix->end == PREFIX_UNSAFE ? EXIT_VIOLATED : prefix->end == PREFIX_LIMIT ? EXIT_UNKNOWN : EXIT_HOLDS;
}
