#include "fuzz.h"

#include "program/compile.h"

#include <stdlib.h>
#include <string.h>

/* Programs are not written back; an accepted one must give a net whose ends are named and an error must have a place.
 */
int fuzz_program(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    Compiled *program = compile_limited((const char *)data, size, "fuzz.mzk", NULL, 5000, NULL, &error);
    if (!program == !error) abort();
    for (uint32_t t = 0; program && t < program->net->n_transitions; t++)
        if (!strstr(net_transition_label(program->net, t), ": line ")) abort();
    if (error && !g_str_has_prefix(error->message, "fuzz.mzk:")) abort();
    g_clear_error(&error);
    compile_free(program);
    return 0;
}
