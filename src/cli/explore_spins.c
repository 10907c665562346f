#include "cli/explore_spins.h"

/* In the order of the option's words; not given: AUTO. */
typedef enum { AUTO, ON, OFF } Await;

bool explore_spins_late(const Command *command)
{
    return command_choice(command->options.await) == AUTO;
}

Spins *explore_spins(const Command *command, const Net *net)
{
    const Options *o = &command->options;
    unsigned await = command_choice(o->await);
    bool in_parts = o->split || o->part || o->merge;
    if (await == OFF || (await == AUTO && in_parts)) return NULL;
    return spins_of(net);
}
