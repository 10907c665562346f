/* The table of formats (formats.def) as data: what a file is by its first bytes, which formats a path's ending names,
 * and each format's functions; those that write are reached by write.h alone, so that who only reads has none of them.
 *
 * NAME_begins: does a file that begins so (16 bytes are enough unless much white space or comment comes first; the
 * mark of UTF-8 is taken off) hold this format? NAME_read: makes a net, or sets an error with the position. NAME_write:
 * false, before anything is written, when the format cannot hold the net's behaviour or its ids, or when the stream
 * fails; the error has no path. What was written is read as an equal net, but for what the format does not keep. */
#pragma once
#include "base/input.h"
#include "net/builder.h"
#include "net/text.h"

#include <stdio.h>

typedef enum {
#define FORMAT(name, called, endings, beginning, manner, keeps) FORMAT_##name,
#include "net/formats.def"
#undef FORMAT
    N_FORMATS
} FormatId;

enum {
    FORMAT_KEEPS_READS = 1,
    FORMAT_KEEPS_PLACE_LABELS = 2,
    FORMAT_KEEPS_LABELS = 4,
    FORMAT_KEEPS_NOTES = 8,
    FORMAT_KEEPS_UNITS = 16,
    FORMAT_KEEPS_POSITIONS = 32,
    FORMAT_KEEPS_WEIGHTS = 64,
    FORMAT_KEEPS_COLOURS = 128
};

typedef struct Format {
    const char *name, *called, *endings, *beginning;
    bool (*begins)(const char *head, size_t len);
    Net *(*read_stream)(Input *input, const char *net_id, GError **error); /* one of these two */
    bool (*read_text)(Text *text, NetBuilder *builder);
    unsigned keeps;
} Format;

const Format *format_of(FormatId id);
/* N_FORMATS when no format begins so. */
FormatId format_of_content(const char *head, size_t len);
/* The one that is written to a path of this ending; N_FORMATS when there is none. "-" is PNML. */
FormatId format_of_path(const char *path);

/* The length of the ending by which a file in a folder is taken for a net (".pnml", ".pnml.gz"); 0 when it has none. */
size_t format_ending(const char *path);

/* "PNML, ll_net", ".pnml .ll_net", "neither PNML (XML) nor ll_net (first line PEP)"; free them. */
char *format_list_names(void);
char *format_list_written(void);
char *format_list_beginnings(void);

#define FORMAT_READS_STREAM(name) Net *name##_read(Input *input, const char *net_id, GError **error);
#define FORMAT_READS_TEXT(name) bool name##_read(Text *text, NetBuilder *builder);
#define FORMAT(name, called, endings, beginning, manner, keeps)                                                        \
    bool name##_begins(const char *head, size_t len);                                                                  \
    FORMAT_READS_##manner(name) bool name##_write(const Net *net, FILE *out, GError **error);
#include "net/formats.def"
#undef FORMAT
#undef FORMAT_READS_STREAM
#undef FORMAT_READS_TEXT
