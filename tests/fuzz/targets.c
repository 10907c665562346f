#include "fuzz.h"

#include <string.h>

FuzzTarget fuzz_target(const char *name)
{
    static const struct {
        const char *name;
        FuzzTarget run;
    } targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "targets.def"
#undef TARGET
    };
    for (size_t i = 0; name && i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0) return targets[i].run;
    return NULL;
}
