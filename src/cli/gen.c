#include "cli/command.h"

#include "base/visible.h"
#include "net/gen.h"
#include "net/write.h"

#include <stdio.h>

static int list_json(Command *command, const GenFamily *families, size_t n)
{
    GString *json = command_json_begin(command, NULL);
    json_open(json, "families", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(json, NULL, '{');
        json_string(json, "family", families[i].name);
        json_string(json, "help", families[i].help);
        json_open(json, "parameters", '{');
        for (int k = 0; k < GEN_MAX_PARAMETERS && families[i].parameters[k].name; k++)
            json_int(json, families[i].parameters[k].name, (int64_t)families[i].parameters[k].usual);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    command_json_end(command, json);
    return EXIT_HOLDS;
}

static int print_list(Command *command)
{
    size_t n;
    const GenFamily *families = gen_families(&n);
    if (command->n_arguments) return command_fail("gen: --list takes no argument");
    if (command->options.json) return list_json(command, families, n);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GString) head = g_string_new(families[i].name);
        for (int k = 0; k < GEN_MAX_PARAMETERS && families[i].parameters[k].name; k++) {
            const GenParameter *p = &families[i].parameters[k];
            g_string_append_printf(head, p->usual ? " %s=%" G_GUINT64_FORMAT : " %s", p->name, p->usual);
        }
        visible_print(stdout, "%-32s  %s\n", head->str, families[i].help);
    }
    return EXIT_HOLDS;
}

int command_gen(Command *command)
{
    const Options *o = &command->options;
    if (o->list) return print_list(command);
    if (command->n_arguments < 1) return command_fail("gen: a FAMILY is expected; `mazurka gen --list` names them");
    GError *error = NULL;
    g_autoptr(Net) net = gen_net(command->arguments[0], command->arguments + 1, (uint64_t)o->seed, &error);
    if (!net) {
        g_prefix_error(&error, "gen: ");
        return command_fail_error(error);
    }
    if (o->json && !o->output) return command_fail("gen: with --json the net needs a file: -o FILE");
    const char *out = o->output ? o->output : "-";
    if (!net_write_file(net, out, &error)) return command_fail_error(error);
    if (o->json) {
        GString *json = command_json_begin(command, net->name);
        json_string(json, "file", out);
        json_int(json, "places", net->n_places);
        json_int(json, "transitions", net->n_transitions);
        command_json_end(command, json);
    }
    return EXIT_HOLDS;
}
