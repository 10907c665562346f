#include "base/file.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>

FILE *file_open(const char *path, const char **name, GError **error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    *name = is_stdin ? "<stdin>" : path;
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (!stream) error_at(error, ERROR_IO, *name, 0, 0, "cannot be opened: %s", g_strerror(errno));
    return stream;
}

void file_close(FILE *stream)
{
    if (stream != stdin) fclose(stream);
}
