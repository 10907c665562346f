#include "base/file.h"

#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

static bool write_directly(const char *path, const char *text, size_t length)
{
    FILE *out = fopen(path, "wb");
    if (!out) return false;
    bool ok = fwrite(text, 1, length, out) == length;
    int before = errno;
    if (fclose(out) != 0) return false;
    if (!ok) errno = before;
    return ok;
}

bool file_write(const char *path, const char *text, size_t length, GError **error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    if (!exists || S_ISREG(status.st_mode)) {
        g_autoptr(GError) inner = NULL;
        if (g_file_set_contents_full(path, text, (gssize)length, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &inner))
            return true;
        g_set_error(error, MAZURKA_ERROR, ERROR_IO, "%s: cannot be written: %s", path, inner->message);
        return false;
    }
    if (write_directly(path, text, length)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_IO, "%s: cannot be written: %s", path, g_strerror(errno));
    return false;
}
