#include "cli/command.h"

#include "base/visible.h"
#include "net/write.h"
#include "program/open.h"

#include <stdio.h>
#include <string.h>

int command_compile(Command *command)
{
    if (command->n_arguments != 1) return command_fail("compile: exactly one PROGRAM is expected");
    const char *out = command->options.output ? command->options.output : "-";
    if (command->options.json && strcmp(out, "-") == 0)
        return command_fail("compile: --json needs -o FILE for the net");
    GError *error = NULL;
    if (!net_write_knows(out, &error)) return command_fail_error(error);
    g_autoptr(Compiled) program = command_read(command, command->arguments[0]);
    if (!program) return command->failure;
    if (!program->is_program)
        return command_fail("compile: %s is a net already; see `mazurka convert`", command->arguments[0]);
    if (!net_write_file(program->net, out, &error)) return command_fail_error(error);
    g_autofree char *losses = net_write_losses(program->net, out);
    if (losses && !command->options.quiet) visible_print(stderr, "%s: left out: %s\n", out, losses);
    if (!command->options.json) return EXIT_HOLDS;
    GString *json = command_json_begin(command, program->net->name);
    json_string(json, "file", out);
    json_int(json, "places", program->net->n_places);
    json_int(json, "transitions", program->net->n_transitions);
    json_string(json, "final", program->net->final);
    json_string(json, "errors", program->errors);
    json_string(json, "races", program->races);
    command_json_end(command, json);
    return EXIT_HOLDS;
}
