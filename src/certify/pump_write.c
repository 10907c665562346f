/* The writing half of pump.h. mazurka-verify has no part of it. */
#include "certify/bound.h"
#include "certify/pump.h"

void pump_add(Pump *pump, bool loop, const uint32_t *firings, size_t n)
{
    vec_append(&pump->firings, firings, n);
    vec_push(&pump->parts, ((PumpPart){loop, pump->firings.len}));
}

void pump_put(const Pump *pump, GString *out)
{
    size_t from = 0;
    for (size_t i = 0; i < pump->parts.len; i++) {
        PumpPart part = pump->parts.data[i];
        g_string_append(out, part.loop ? "loop" : "run");
        bound_put_list(vec_from(&pump->firings, from), part.end - from, out);
        from = part.end;
    }
}
