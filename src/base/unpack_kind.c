#include "base/unpack.h"

#include <glib.h>
#include <string.h>

UnpackKind unpack_kind(const char *head, size_t len)
{
    if (len >= 2 && memcmp(head, "\x1f\x8b", 2) == 0) return UNPACK_GZIP;
    if (len >= UNPACK_HEAD && memcmp(head,
                                     "\xfd"
                                     "7zXZ\0",
                                     UNPACK_HEAD) == 0)
        return UNPACK_XZ;
    return UNPACK_NONE;
}

size_t unpack_ending(const char *path)
{
    return g_str_has_suffix(path, ".gz") || g_str_has_suffix(path, ".xz") ? 3 : 0;
}
