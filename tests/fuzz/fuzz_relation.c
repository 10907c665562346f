#include "fuzz.h"

#include "lts/pairs.h"
#include "net/gen.h"

#include <stdlib.h>

/* A relation of the user's is symmetric, and nothing is independent of itself, whatever the file says. */
int fuzz_relation(const uint8_t *data, size_t size)
{
    g_autoptr(Net) net = gen_net_of_size("philosophers", 2);
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autoptr(GError) error = NULL;
    Indep *indep = pairs_read(net, text, "fuzz", &error);
    if (!indep == !error) abort();
    if (error && !g_utf8_validate(error->message, -1, NULL)) abort();
    for (uint32_t a = 0; indep && a < net->n_transitions; a++)
        for (uint32_t b = 0; b < net->n_transitions; b++) {
            if (indep_dependent(indep, a, b) != indep_dependent(indep, b, a)) abort();
            if (a == b && !indep_dependent(indep, a, b)) abort();
        }
    indep_free(indep);
    return 0;
}
