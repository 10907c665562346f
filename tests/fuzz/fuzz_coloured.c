/* Coloured nets: what is read is expanded within limits, and small ones agree with the expansion by definition. */
#include "fuzz.h"

#include "certify/coloured_net.h"
#include "certify/digest.h"
#include "colour/expand.h"
#include "colour/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_BINDINGS = 2000 };

/* Bindings that the definition would try. */
static uint64_t count_bindings(const ColourNet *net)
{
    uint64_t n = 1;
    for (size_t i = 0; i < net->variables.len && n <= FEW_BINDINGS; i++)
        n *= MIN(sort_at(&net->sorts, net->variables.data[i].sort)->size, FEW_BINDINGS + 1);
    for (size_t i = 0; i < net->sorts.sorts.len; i++)
        if (net->sorts.sorts.data[i].size > FEW_BINDINGS) return UINT64_MAX;
    return n;
}

static void compare(const ColourNet *coloured, const Net *net)
{
    if (count_bindings(coloured) > FEW_BINDINGS || coloured->terms.len > FEW_BINDINGS) return;
    g_autoptr(Net) naive = coloured_net_expand(coloured, NULL);
    g_autofree char *found = digest_of(net), *right = naive ? digest_of(naive) : NULL;
    if (right && strcmp(found, right) == 0) return;
    fprintf(stderr, "the expansion is not that of the definition\n");
    abort();
}

int fuzz_coloured(const uint8_t *data, size_t size)
{
    g_autoptr(Input) input = input_bytes((const char *)data, size, "fuzz", NULL);
    Net *plain = NULL;
    g_autoptr(ColourNet) coloured = NULL;
    colour_read(input, NULL, &plain, &coloured, NULL);
    g_autoptr(Net) other = plain;
    if (!coloured) return 0;
    Budget budget = budget_new(2, UINT64_C(1) << 29, 0);
    g_autoptr(Net) net = colour_expand(coloured, "fuzz", &budget, NULL);
    if (net) compare(coloured, net);
    return 0;
}
