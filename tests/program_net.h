/* The nets of nets/programs. */
#pragma once
#include "test.h"

#include "program/open.h"

/* defines: "NAME=VALUE NAME=VALUE", or nothing. */
static inline Net *program_net(const char *name, const char *defines)
{
    g_autofree char *path =
        g_strdup_printf("%s/nets/programs/%s.mzk", g_getenv("SRCDIR") ? g_getenv("SRCDIR") : "..", name);
    g_auto(GStrv) words = g_strsplit(defines, " ", -1);
    OpenOptions options = {.defines = *defines ? words : NULL};
    GError *error = NULL;
    Net *net = open_net(path, &options, &error);
    ck_assert_msg(net != NULL, "%s", error ? error->message : "");
    return net;
}
