/* The libFuzzer program: the environment variable FUZZ_TARGET names the target. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FuzzTarget target;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!target) target = fuzz_target(getenv("FUZZ_TARGET"));
    if (!target) {
        fputs("FUZZ_TARGET must name a target of targets.def\n", stderr);
        exit(2);
    }
    return target(data, size);
}
