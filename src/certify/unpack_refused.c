/* base/unpack.h for mazurka-verify: what is compressed is refused. */
#include "base/unpack.h"

#include <glib.h>

Unpack *unpack_new(UnpackKind kind)
{
    (void)kind;
    return g_malloc(1); /* that it is there is all it tells */
}

void unpack_free(Unpack *unpack)
{
    g_free(unpack);
}

size_t unpack_step(Unpack *unpack, const char **from, const char *end, bool last, char *buffer, size_t size,
                   const char **problem)
{
    (void)unpack, (void)from, (void)end, (void)last, (void)buffer, (void)size;
    *problem = "it is compressed; mazurka-verify reads plain files only: unpack it first (gzip -d, xz -d)";
    return 0;
}

bool unpack_complete(const Unpack *unpack)
{
    (void)unpack;
    return false;
}
