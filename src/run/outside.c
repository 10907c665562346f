/* Functions that leave something behind where a snapshot of memory does not reach. This file includes no header that
 * declares them: parameters that are left out in a call (the mode of open) do no harm. */
#include "run/tell.h"

#define PUBLIC __attribute__((visibility("default")))

void *dlsym(void *, const char *);

enum { MAX_FUNCTION = 24 };

static void *real(const char *name)
{
    void *const next = (void *)-1L; /* RTLD_NEXT */
    if (run.active && run.settings.restart == RESTART_AUTO) tell_restart(name);
    bool active = run.active;
    run.active = false; /* dlsym() allocates for itself */
    void *function = dlsym(next, name);
    run.active = active;
    return function;
}

#define OUTSIDE(type, name, parameters, arguments)                                                                     \
    PUBLIC type name parameters;                                                                                       \
    type name parameters                                                                                               \
    {                                                                                                                  \
        return ((type(*) parameters)real(#name))arguments;                                                             \
    }
#include "run/outside.def"
#undef OUTSIDE

/* Onto the descriptor on which the runtime answers, findings would be lost and the rest be taken for all there is. */
static void keep_channel(int file)
{
    if (tell_is_channel(file)) tell_unsupported("dup2() takes the descriptor on which the runtime answers");
}

PUBLIC int dup2(int file, int other);
int dup2(int file, int other)
{
    keep_channel(other);
    return ((int (*)(int, int))real("dup2"))(file, other);
}

PUBLIC int dup3(int file, int other, int flags);
int dup3(int file, int other, int flags)
{
    keep_channel(other);
    return ((int (*)(int, int, int))real("dup3"))(file, other, flags);
}
