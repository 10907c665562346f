#include "api/handles.h"

#include "base/error.h"
#include "base/visible.h"

#include <string.h>

struct mz_error {
    Handle handle;
    mz_code code;
    char *message, *text, *file;
    int line, column;
};

static mz_code code_of(const GError *error)
{
    return error->domain == MAZURKA_ERROR ? (mz_code)error->code : MZ_ERROR_IO;
}

/* What the command line calls --reach is reach here. */
static bool is_word(const char *file)
{
    static const char *const words[] = {"--reach", "--invariant", "--fireable", "--final", "--home", "--live"};
    for (size_t i = 0; file && i < G_N_ELEMENTS(words); i++)
        if (strcmp(words[i], file) == 0) return true;
    return false;
}

void *api_error_hand(GError *from, mz_error **to)
{
    _Static_assert((int)MZ_ERROR_INPUT == ERROR_INPUT && (int)MZ_ERROR_SPENT == ERROR_SPENT, "codes");
    if (to) {
        ErrorPlace place = error_place(from);
        size_t dashes = is_word(place.file) ? 2 : 0;
        *to = g_new0(mz_error, 1);
        **to = (mz_error){.handle = HANDLE_ERROR,
                          .code = code_of(from),
                          .message = visible_text(from->message + dashes),
                          .text = visible_text(place.text),
                          .file = place.file ? g_strdup(place.file + dashes) : NULL,
                          .line = place.line,
                          .column = place.column};
    }
    g_error_free(from);
    return NULL;
}

void *api_error_say(mz_error **to, mz_code code, const char *format, ...)
{
    if (!to) return NULL;
    va_list args;
    va_start(args, format);
    g_autofree char *told = g_strdup_vprintf(format, args);
    va_end(args);
    char *message = visible_text(told);
    *to = g_new0(mz_error, 1);
    **to = (mz_error){.handle = HANDLE_ERROR, .code = code, .message = message, .text = g_strdup(message)};
    return NULL;
}

mz_code mz_error_code(const mz_error *error)
{
    assert(IS_HANDLE(error, ERROR));
    return error->code;
}

const char *mz_error_message(const mz_error *error)
{
    assert(IS_HANDLE(error, ERROR));
    return error->message;
}

const char *mz_error_text(const mz_error *error)
{
    assert(IS_HANDLE(error, ERROR));
    return error->text;
}

const char *mz_error_file(const mz_error *error)
{
    assert(IS_HANDLE(error, ERROR));
    return error->file;
}

int mz_error_line(const mz_error *error)
{
    assert(IS_HANDLE(error, ERROR));
    return error->line;
}

int mz_error_column(const mz_error *error)
{
    assert(IS_HANDLE(error, ERROR));
    return error->column;
}

void mz_error_free(mz_error *error)
{
    if (!error) return;
    END_HANDLE(error, ERROR);
    g_free(error->message);
    g_free(error->text);
    g_free(error->file);
    g_free(error);
}

const char *mz_version(void)
{
    return PACKAGE_VERSION;
}

void mz_free(void *memory)
{
    g_free(memory);
}
