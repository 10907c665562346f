#include "fuzz.h"

#include "explore/constraint.h"
#include "net/gen.h"

#include <stdlib.h>
#include <string.h>

/* What was read prints back to itself. */
int fuzz_constraints(const uint8_t *data, size_t size)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 2);
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GError) error = NULL;
    Constraints *constraints = constraints_read(net, text, "fuzz", &error);
    if (!constraints == !error) abort();
    if (error && !g_utf8_validate(error->message, -1, NULL)) abort();
    if (!constraints) return 0;
    g_autoptr(GString) printed = g_string_new(NULL), again = g_string_new(NULL);
    constraints_print(constraints, printed);
    constraints_free(constraints);
    g_autoptr(Constraints) read = constraints_read(net, printed->str, "printed", NULL);
    if (!read) abort();
    constraints_print(read, again);
    if (strcmp(printed->str, again->str) != 0) abort();
    return 0;
}
