#include "base/input.h"

#include "base/error.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 1 << 16, PATIENCE_MS = 50, PIECE = 1 << 16 };

struct Input {
    char *name;
    Budget *budget;
    int fd; /* -1: `fetch` instead */
    InputFetch fetch;
    void *source;
    const char *data; /* of input_bytes() */
    size_t data_left;
    char head[HEAD]; /* peeked, not yet read: head[head_from .. head_end) */
    size_t head_from, head_end;
    char raw[PIECE]; /* as it came, not yet unpacked: raw[raw_from .. raw_end) */
    size_t raw_from, raw_end;
    bool begun, raw_ended;
    Unpack *unpack; /* NULL: it is not compressed */
};

static Input *input_new(const char *name, Budget *budget)
{
    Input *input = g_new0(Input, 1);
    input->name = g_strdup(name);
    input->budget = budget;
    input->fd = -1;
    return input;
}

Input *input_open(const char *path, Budget *budget, GError **error)
{
    bool standard = strcmp(path, "-") == 0;
    int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (budget ? O_NONBLOCK : 0);
    int fd = standard ? STDIN_FILENO : open(path, flags);
    if (fd < 0) {
        error_at(error, ERROR_IO, path, 0, 0, "cannot be opened: %s", g_strerror(errno));
        return NULL;
    }
    Input *input = input_new(standard ? "<stdin>" : path, budget);
    input->fd = fd;
    return input;
}

static gssize fetch_bytes(void *source, char *buffer, size_t size)
{
    Input *input = source;
    size_t n = MIN(size, input->data_left);
    if (n) memcpy(buffer, input->data, n);
    input->data += n;
    input->data_left -= n;
    return (gssize)n;
}

Input *input_bytes(const char *data, size_t len, const char *name, Budget *budget)
{
    Input *input = input_from(fetch_bytes, NULL, name, budget);
    input->source = input;
    input->data = data;
    input->data_left = len;
    return input;
}

Input *input_from(InputFetch fetch, void *source, const char *name, Budget *budget)
{
    Input *input = input_new(name, budget);
    input->fetch = fetch;
    input->source = source;
    return input;
}

void input_close(Input *input)
{
    if (!input) return;
    if (input->fd > STDIN_FILENO) close(input->fd);
    unpack_free(input->unpack);
    g_free(input->name);
    g_free(input);
}

const char *input_name(const Input *input)
{
    return input->name;
}

Budget *input_budget(const Input *input)
{
    return input->budget;
}

static bool spent(Input *input, GError **error)
{
    if (!input->budget || !budget_look(input->budget)) return false;
    error_at(error, ERROR_SPENT, input->name, 0, 0, "not read to its end: %s", budget_text(input->budget));
    return true;
}

/* Reading only what poll() promised: a FIFO that no writer has opened yet looks like its end to read(). */
static bool wait_for_more(Input *input, GError **error)
{
    struct pollfd wait = {.fd = input->fd, .events = POLLIN};
    while (!spent(input, error))
        if (poll(&wait, 1, PATIENCE_MS) > 0) return true;
    return false;
}

static gssize fetch_descriptor(Input *input, char *buffer, size_t size, GError **error)
{
    for (;;) {
        if (input->budget && !wait_for_more(input, error)) return -1;
        gssize n = read(input->fd, buffer, size);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0) error_at(error, ERROR_IO, input->name, 0, 0, "cannot be read: %s", g_strerror(errno));
        return n;
    }
}

static gssize fetch_raw(Input *input, char *buffer, size_t size, GError **error)
{
    if (input->fd >= 0) return fetch_descriptor(input, buffer, size, error);
    if (spent(input, error)) return -1;
    gssize n = input->fetch(input->source, buffer, size);
    if (n < 0) error_at(error, ERROR_IO, input->name, 0, 0, "cannot be read: %s", g_strerror(errno));
    return n;
}

/* Adds to the raw bytes, behind those that are there. */
static bool refill(Input *input, GError **error)
{
    gssize n = fetch_raw(input, input->raw + input->raw_end, PIECE - input->raw_end, error);
    if (n < 0) return false;
    input->raw_end += (size_t)n;
    input->raw_ended = n == 0;
    return true;
}

/* Looks whether it is compressed. */
static bool begin(Input *input, GError **error)
{
    while (input->raw_end < UNPACK_HEAD && !input->raw_ended)
        if (!refill(input, error)) return false;
    UnpackKind kind = unpack_kind(input->raw, input->raw_end);
    if (kind != UNPACK_NONE) input->unpack = unpack_new(kind);
    input->begun = true;
    return true;
}

/* Ends: each turn fills the buffer, takes raw bytes, fetches more of them, or knows that there are none. */
static gssize fetch_unpacked(Input *input, char *buffer, size_t size, GError **error)
{
    for (;;) {
        if (spent(input, error)) return -1;
        if (input->raw_from == input->raw_end && !input->raw_ended) {
            input->raw_from = input->raw_end = 0;
            if (!refill(input, error)) return -1;
        }
        const char *from = input->raw + input->raw_from, *end = input->raw + input->raw_end, *problem = NULL;
        size_t n = unpack_step(input->unpack, &from, end, input->raw_ended, buffer, size, &problem);
        input->raw_from = (size_t)(from - input->raw);
        if (problem) {
            error_at(error, ERROR_INPUT, input->name, 0, 0, "%s", problem);
            return -1;
        }
        if (n || (input->raw_ended && from == end && unpack_complete(input->unpack))) return (gssize)n;
    }
}

static gssize fetch(Input *input, char *buffer, size_t size, GError **error)
{
    if (!input->begun && !begin(input, error)) return -1;
    if (input->unpack) return fetch_unpacked(input, buffer, size, error);
    size_t n = MIN(size, input->raw_end - input->raw_from);
    if (!n) return fetch_raw(input, buffer, size, error);
    memcpy(buffer, input->raw + input->raw_from, n);
    input->raw_from += n;
    return (gssize)n;
}

const char *input_peek(Input *input, size_t *len, GError **error)
{
    while (input->head_end < HEAD) {
        gssize n = fetch(input, input->head + input->head_end, HEAD - input->head_end, error);
        if (n < 0) return NULL;
        if (n == 0) break;
        input->head_end += (size_t)n;
    }
    *len = input->head_end - input->head_from;
    return input->head + input->head_from;
}

gssize input_read(Input *input, char *buffer, size_t size, GError **error)
{
    size_t left = input->head_end - input->head_from, n = MIN(size, left);
    if (!left) return fetch(input, buffer, size, error);
    memcpy(buffer, input->head + input->head_from, n);
    input->head_from += n;
    return (gssize)n;
}

char *input_read_all(Input *input, size_t most, size_t *len, GError **error)
{
    GString *text = g_string_new(NULL);
    g_autofree char *piece = g_malloc(PIECE);
    gssize n;
    while ((n = input_read(input, piece, PIECE, error)) > 0 && text->len + (size_t)n <= most)
        g_string_append_len(text, piece, n);
    if (n > 0)
        error_at(error, ERROR_LIMIT, input->name, 0, 0, "longer than %" G_GSIZE_FORMAT " MB, more than is read here",
                 most / 1000000);
    if (len) *len = text->len;
    return g_string_free(text, n != 0);
}

char *input_read_file(const char *path, size_t most, Budget *budget, size_t *len, GError **error)
{
    g_autoptr(Input) input = input_open(path, budget, error);
    return input ? input_read_all(input, most, len, error) : NULL;
}
