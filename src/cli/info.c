#include "cli/command.h"

#include <stdio.h>

int command_info(Command *command)
{
    if (command->n_arguments != 1) return command_fail("info: exactly one NET is expected");
    g_autoptr(Net) net = command_read_net(command, command->arguments[0]);
    if (!net) return EXIT_USAGE;
    if (command->options.json) {
        JsonBuilder *json = command_json_begin(command, net->name);
        json_int(json, "places", net->n_places);
        json_int(json, "transitions", net->n_transitions);
        command_json_end(command, json);
    } else {
        printf("places       %u\ntransitions  %u\n", net->n_places, net->n_transitions);
    }
    return EXIT_HOLDS;
}
