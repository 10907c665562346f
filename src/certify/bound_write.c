/* The writing half of bound.h. mazurka-verify has no part of it. */
#include "certify/bound.h"

void bound_put_list(const uint32_t *list, size_t n, GString *out)
{
    for (size_t i = 0; i < n; i++) g_string_append_printf(out, " %u", list[i]);
    g_string_append_c(out, '\n');
}

void bound_put(const BoundClaim *bound, GString *out)
{
    if (bound->infinite)
        g_string_append(out, "bound inf");
    else
        g_string_append_printf(out, "bound %" G_GUINT64_FORMAT, bound->value);
    bound_put_list(bound->places.data, bound->places.len, out);
    if (bound->infinite) return;
    g_string_append(out, "run");
    bound_put_list(bound->run.data, bound->run.len, out);
}
