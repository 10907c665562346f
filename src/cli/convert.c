#include "cli/command.h"

#include "base/visible.h"
#include "net/write.h"

#include <stdio.h>

int command_convert(Command *command)
{
    if (command->n_arguments != 2) return command_fail("convert: IN and OUT are expected");
    GError *error = NULL;
    const char *out = command->arguments[1];
    if (!net_write_knows(out, &error)) return command_fail_error(error);
    g_autoptr(Net) net = command_read_net(command, command->arguments[0]);
    if (!net) return command->failure;
    if (!net_write_file(net, out, &error)) return command_fail_error(error);
    g_autofree char *losses = net_write_losses(net, out);
    if (losses && !command->options.quiet) visible_print(stderr, "%s: left out: %s\n", out, losses);
    if (!command->options.json) return EXIT_HOLDS;
    GString *json = command_json_begin(command, net->name);
    json_string(json, "file", out);
    json_string(json, "left_out", losses);
    command_json_end(command, json);
    return EXIT_HOLDS;
}
