#include "net/formats.h"

#include "base/unpack.h"

#include <string.h>

#define READS FORMAT_KEEPS_READS
#define PLACE_LABELS FORMAT_KEEPS_PLACE_LABELS
#define LABELS FORMAT_KEEPS_LABELS
#define NOTES FORMAT_KEEPS_NOTES
#define UNITS FORMAT_KEEPS_UNITS
#define POSITIONS FORMAT_KEEPS_POSITIONS
#define WEIGHTS FORMAT_KEEPS_WEIGHTS
#define COLOURS FORMAT_KEEPS_COLOURS
#define STREAM read_stream
#define TEXT read_text
static const Format formats[N_FORMATS] = {
#define FORMAT(name, called, endings, beginning, manner, kept)                                                         \
    {#name, called, endings, beginning, name##_begins, .manner = name##_read, .keeps = kept},
#include "net/formats.def"
#undef FORMAT
};

const Format *format_of(FormatId id)
{
    return &formats[id];
}

FormatId format_of_content(const char *head, size_t len)
{
    size_t mark = text_mark(head, len);
    FormatId id = 0;
    while (id < N_FORMATS && !formats[id].begins(head + mark, len - mark)) id++;
    return id;
}

static size_t first_ending(FormatId id)
{
    return strcspn(formats[id].endings, " ");
}

/* Do the first n bytes of the path end so? */
static bool ends(const char *path, size_t n, const char *ending, size_t len)
{
    return n >= len && memcmp(path + n - len, ending, len) == 0;
}

FormatId format_of_path(const char *path)
{
    if (strcmp(path, "-") == 0) return FORMAT_pnml;
    FormatId id = 0;
    while (id < N_FORMATS && !ends(path, strlen(path), formats[id].endings, first_ending(id))) id++;
    return id;
}

size_t format_ending(const char *path)
{
    size_t packed = unpack_ending(path), n = strlen(path) - packed;
    for (FormatId id = 0; id < N_FORMATS; id++)
        for (const char *at = formats[id].endings; *at; at += strspn(at, " ")) {
            size_t len = strcspn(at, " ");
            if (ends(path, n, at, len)) return len + packed;
            at += len;
        }
    return 0;
}

char *format_list_names(void)
{
    GString *list = g_string_new(NULL);
    for (FormatId id = 0; id < N_FORMATS; id++)
        g_string_append_printf(list, "%s%s", id ? ", " : "", formats[id].called);
    return g_string_free(list, FALSE);
}

char *format_list_written(void)
{
    GString *list = g_string_new(NULL);
    for (FormatId id = 0; id < N_FORMATS; id++)
        g_string_append_printf(list, "%s%.*s", id ? " " : "", (int)first_ending(id), formats[id].endings);
    return g_string_free(list, FALSE);
}

char *format_list_beginnings(void)
{
    GString *list = g_string_new("neither ");
    for (FormatId id = 0; id < N_FORMATS; id++)
        g_string_append_printf(list, "%s%s (%s)", id ? " nor " : "", formats[id].called, formats[id].beginning);
    return g_string_free(list, FALSE);
}
