#include "base/output.h"

#include "base/error.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Output {
    FILE *stream;
    char *path;      /* as given */
    char *target;    /* what is renamed onto; NULL: written directly */
    char *temporary; /* until then */
    bool replaces;   /* there is an old file */
};

static void fail(GError **error, const char *path)
{
    error_at(error, ERROR_IO, path, 0, 0, "cannot be written: %s",
             errno == ENXIO ? "nobody reads it" : g_strerror(errno));
}

static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The standard stream that goes to this file already: written on through it, the two do not overwrite each other. */
static int standard_stream(const struct stat *status)
{
    struct stat stream;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &stream) == 0 && same_file(&stream, status)) return fd;
    return -1;
}

/* A pipe whose reader does not come would be waited for for ever, beyond all limits. */
static int open_patiently(const char *path)
{
    enum { TURNS = 300, TURN_US = 10000 };
    int fd = -1;
    for (int turn = 0; turn < TURNS; turn++) {
        fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
        bool alone = fd < 0 && errno == ENXIO;
        if (!alone) break;
        bool told_to_end = usleep(TURN_US) < 0;
        errno = ENXIO;
        if (told_to_end) break;
    }
    if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fd;
}

static int open_directly(const char *path, const struct stat *status)
{
    int fd = standard_stream(status);
    if (fd < 0) return open_patiently(path);
    fflush(stdout);
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* An existing file is opened once, so that its permissions count and those of links in folders of many owners. */
static int open_beside(Output *o, const struct stat *old)
{
    if (old) {
        int fd = open(o->path, O_WRONLY | O_CLOEXEC);
        if (fd < 0) return -1;
        close(fd);
        o->target = realpath(o->path, NULL);
        if (!o->target) return -1;
    } else {
        o->target = strdup(o->path);
    }
    o->replaces = old;
    g_autofree char *folder = g_path_get_dirname(o->target);
    o->temporary = g_build_filename(folder, ".mazurka-XXXXXX", NULL);
    int fd = g_mkstemp_full(o->temporary, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) {
        g_clear_pointer(&o->temporary, g_free);
    } else if (old) {
        /* the group first: changing it may take rights away; both as far as we may */
        if (fchown(fd, old->st_uid, old->st_gid) < 0) errno = 0;
        fchmod(fd, old->st_mode & 0777);
    }
    return fd;
}

static int open_file(Output *o)
{
    struct stat status;
    if (stat(o->path, &status) < 0) {
        bool ends_in_folder = g_str_has_suffix(o->path, "/");
        if (ends_in_folder) errno = EISDIR;
        return errno == ENOENT ? open_beside(o, NULL) : -1;
    }
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    bool direct = !S_ISREG(status.st_mode) || standard_stream(&status) >= 0;
    return direct ? open_directly(o->path, &status) : open_beside(o, &status);
}

Output *output_open(const char *path, GError **error)
{
    Output *o = g_new0(Output, 1);
    o->path = g_strdup(path);
    if (is_standard_output(path)) {
        o->stream = stdout;
        return o;
    }
    int fd = open_file(o);
    if (fd >= 0) o->stream = fdopen(fd, "wb");
    if (o->stream) return o;
    fail(error, path);
    output_discard(o);
    return NULL;
}

FILE *output_stream(Output *output)
{
    return output->stream;
}

void output_discard(Output *o)
{
    if (o->stream && o->stream != stdout) fclose(o->stream);
    if (o->temporary) unlink(o->temporary);
    free(o->target);
    g_free(o->temporary);
    g_free(o->path);
    g_free(o);
}

/* A new name may come to nothing when the power fails, but an old text may not be lost for it. */
static bool finish(Output *o)
{
    if (ferror(o->stream)) {
        errno = errno ? errno : EIO;
        return false;
    }
    if (fflush(o->stream) != 0) return false;
    if (o->stream == stdout) return true;
    if (o->replaces && fsync(fileno(o->stream)) < 0) return false;
    FILE *stream = g_steal_pointer(&o->stream);
    if (fclose(stream) != 0) return false;
    if (!o->temporary) return true;
    if (rename(o->temporary, o->target) < 0) return false;
    g_clear_pointer(&o->temporary, g_free);
    return true;
}

bool output_close(Output *o, GError **error)
{
    bool ok = finish(o);
    if (!ok) fail(error, o->path);
    output_discard(o);
    return ok;
}

bool output_write(const char *path, const char *text, size_t length, GError **error)
{
    Output *o = output_open(path, error);
    if (!o) return false;
    errno = 0;
    fwrite(text, 1, length, o->stream);
    return output_close(o, error);
}

bool output_put(int fd, const char *data, size_t length)
{
    while (length) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n;
        length -= (size_t)n;
    }
    return true;
}

bool outputs_can_write(const char *path, GError **error)
{
    struct stat status;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    /* opening a pipe would wait for its reader */
    if (is_standard_output(path) || special) return true;
    Output *o = output_open(path, error);
    if (o) output_discard(o);
    return o;
}

/* ---- what a command reads and writes ---- */

/* Where a file is, or where it would be: a name in a folder. */
typedef struct Place {
    dev_t device;
    ino_t inode;
    char *name; /* NULL: the file itself */
    bool is_input;
} Place;

struct Outputs {
    VEC(Place) places;
};

Outputs *outputs_new(void)
{
    return g_new0(Outputs, 1);
}

void outputs_free(Outputs *outputs)
{
    if (!outputs) return;
    for (size_t i = 0; i < outputs->places.len; i++) g_free(outputs->places.data[i].name);
    vec_free(&outputs->places);
    g_free(outputs);
}

/* False for what may be read and written by many: devices and pipes. */
static bool find_place(const char *path, Place *place)
{
    struct stat status;
    *place = (Place){0};
    if (stat(path, &status) < 0) {
        g_autofree char *folder = g_path_get_dirname(path);
        if (stat(folder, &status) < 0) return false;
        place->name = g_path_get_basename(path);
    } else if (!S_ISREG(status.st_mode)) {
        return false;
    }
    place->device = status.st_dev;
    place->inode = status.st_ino;
    return true;
}

void outputs_add_input(Outputs *outputs, const char *path)
{
    struct stat status;
    int code = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(path, &status);
    if (code == 0 && S_ISREG(status.st_mode))
        vec_push(&outputs->places, ((Place){status.st_dev, status.st_ino, NULL, true}));
}

bool outputs_add(Outputs *outputs, const char *path, GError **error)
{
    Place new;
    if (is_standard_output(path) || !find_place(path, &new)) return true;
    for (size_t i = 0; i < outputs->places.len; i++) {
        const Place *old = &outputs->places.data[i];
        if (old->device != new.device || old->inode != new.inode || g_strcmp0(old->name, new.name) != 0) continue;
        error_at(error, ERROR_USAGE, path, 0, 0,
                 old->is_input ? "is read by this command and would be overwritten; choose another file"
                               : "two results would be written to this file; choose another one for one of them");
        g_free(new.name);
        return false;
    }
    vec_push(&outputs->places, new);
    return true;
}
