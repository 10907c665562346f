#include "cli/command.h"

#include "native/build.h"

int command_cc(Command *command)
{
    GError *error = NULL;
    if (!command->n_arguments) return command_fail("cc: the arguments of a C compiler are expected");
    int status = build_drive(command->arguments, &error);
    return status < 0 ? command_fail_error(error) : status;
}
