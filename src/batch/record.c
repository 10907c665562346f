#include "batch/record.h"

#include "base/budget.h"
#include "base/output.h"
#include "batch/technique.h"

#include <string.h>
#include <unistd.h>

enum {
    FIELD_QUERY = 1,
    FIELD_VALUE = 2,
    FIELD_TECHNIQUES = 4,
    FIELD_MICROSECONDS = 8,
    FIELD_ENGINE = 16,
    FIELD_TEXT = 32,
    GATHERED_MOST = 32 << 10,
};

static const struct {
    unsigned details, fields;
} shapes[N_RECORD_KINDS] = {
#define RECORD(kind, details, fields) [RECORD_##kind] = {details, fields},
#include "batch/records.def"
};

/* After the length. */
typedef struct Head {
    uint8_t kind, detail, zero[2];
    uint32_t query, techniques, value_high;
    uint64_t value, microseconds;
} Head;
G_STATIC_ASSERT(sizeof(Head) == 32);

enum {
    SHORTEST_FRAME = sizeof(Head) + 2,
    LONGEST_FRAME = sizeof(Head) + RECORD_LONGEST_ENGINE + RECORD_LONGEST_TEXT + 2
};

const char *record_query_id(QueryKind kind)
{
    static const char *const ids[N_QUERY_KINDS] = {
#define QUERY_KIND(kind, id) [QUERY_##kind] = (id),
#include "batch/records.def"
    };
    g_assert(kind < N_QUERY_KINDS);
    return ids[kind];
}

char *record_verdict_text(const Record *answer)
{
    g_assert(answer->kind == RECORD_ANSWER);
    char digits[TOTAL_DIGITS];
    switch ((Said)answer->detail) {
    case SAID_FALSE: return g_strdup("FALSE");
    case SAID_TRUE: return g_strdup("TRUE");
    case SAID_INFINITE: return g_strdup("+inf");
    case SAID_DIGITS: return g_strdup(answer->text);
    case SAID_NUMBER: return g_strdup(exact_text(answer->value, digits));
    case N_SAID: break;
    }
    g_assert_not_reached();
}

/* ---- writing ---- */

/* At most so many bytes, and no half character at the end. */
static size_t whole_characters(const char *text, size_t most)
{
    size_t len = strlen(text);
    if (len <= most) return len;
    len = most;
    while (len && ((unsigned char)text[len] & 0xc0) == 0x80) len--;
    return len;
}

void record_print(const Record *record, GString *out)
{
    g_assert(record->kind < N_RECORD_KINDS && record->detail < shapes[record->kind].details);
    g_assert(record->value >> 96 == 0); /* a sum of 2^32 counts */
    const char *engine = record->engine ? record->engine : "", *text = record->text ? record->text : "";
    size_t engine_len = whole_characters(engine, RECORD_LONGEST_ENGINE),
           text_len = whole_characters(text, RECORD_LONGEST_TEXT);
    uint32_t length = GUINT32_TO_LE((uint32_t)(sizeof(Head) + engine_len + text_len + 2));
    Head head = {.kind = (uint8_t)record->kind,
                 .detail = (uint8_t)record->detail,
                 .query = GUINT32_TO_LE(record->query),
                 .techniques = GUINT32_TO_LE(record->techniques),
                 .value_high = GUINT32_TO_LE((uint32_t)(record->value >> 64)),
                 .value = GUINT64_TO_LE((uint64_t)record->value),
                 .microseconds = GUINT64_TO_LE(record->microseconds)};
    g_string_append_len(out, (const char *)&length, sizeof length);
    g_string_append_len(out, (const char *)&head, sizeof head);
    g_string_append_len(out, engine, (gssize)engine_len);
    g_string_append_c(out, 0);
    g_string_append_len(out, text, (gssize)text_len);
    g_string_append_c(out, 0);
}

static bool flush(RecordWriter *writer)
{
    if (!output_put(writer->fd, writer->gathered->str, writer->gathered->len)) return false;
    g_string_truncate(writer->gathered, 0);
    return true;
}

void record_writer_open(RecordWriter *writer, int fd)
{
    *writer = (RecordWriter){fd, budget_now(), g_string_new(NULL)};
    record_print(&(Record){.kind = RECORD_HELLO, .value = RECORD_VERSION}, writer->gathered);
}

bool record_write(RecordWriter *writer, const Record *record)
{
    Record timed = *record;
    if (shapes[record->kind].fields & FIELD_MICROSECONDS)
        timed.microseconds = (uint64_t)MAX((budget_now() - writer->started) * 1e6, 0);
    record_print(&timed, writer->gathered);
    return (record->kind == RECORD_QUERY && writer->gathered->len < GATHERED_MOST) || flush(writer);
}

bool record_writer_close(RecordWriter *writer)
{
    bool ok = record_write(writer, &(Record){.kind = RECORD_END});
    g_string_free(writer->gathered, TRUE);
    return ok;
}

/* ---- reading ---- */

static RecordStep fault(RecordReader *reader, const char *what)
{
    reader->fault = what;
    return RECORD_FAULT;
}

/* The next frame's head and texts, by its form alone; NULL, or what is wrong. */
static const char *read_frame(const char *frame, size_t len, Record *record)
{
    Head head;
    memcpy(&head, frame, sizeof head);
    if (head.zero[0] || head.zero[1]) return "a reserved byte is set";
    const char *engine = frame + sizeof head, *end = frame + len,
               *engine_end = memchr(engine, 0, (size_t)(end - engine));
    if (!engine_end || engine_end - engine > RECORD_LONGEST_ENGINE) return "the engine's name has no end";
    const char *text = engine_end + 1, *text_end = memchr(text, 0, (size_t)(end - text));
    if (!text_end || text_end + 1 != end) return "the text does not end with its frame";
    if (text_end - text > RECORD_LONGEST_TEXT) return "the text is too long";
    *record = (Record){.kind = head.kind,
                       .detail = head.detail,
                       .query = GUINT32_FROM_LE(head.query),
                       .techniques = GUINT32_FROM_LE(head.techniques),
                       .value = (Total)GUINT32_FROM_LE(head.value_high) << 64 | GUINT64_FROM_LE(head.value),
                       .microseconds = GUINT64_FROM_LE(head.microseconds),
                       .engine = engine,
                       .text = text};
    return NULL;
}

/* Decimal digits, no zero in front. */
static bool is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789")] && (*text != '0' || !text[1]);
}

static const char *check_fields(const Record *record)
{
    if (record->kind >= N_RECORD_KINDS) return "there is no such record";
    if (record->detail >= shapes[record->kind].details) return "there is no such detail";
    unsigned unused = ~shapes[record->kind].fields;
    if ((unused & FIELD_QUERY && record->query) || (unused & FIELD_VALUE && record->value) ||
        (unused & FIELD_TECHNIQUES && record->techniques) || (unused & FIELD_MICROSECONDS && record->microseconds) ||
        (unused & FIELD_ENGINE && *record->engine) || (unused & FIELD_TEXT && *record->text))
        return "a field is set that the record does not have";
    if (record->techniques & ~(uint32_t)TECHNIQUES_ALL) return "there is no such technique";
    for (const char *c = record->engine; *c; c++)
        if (!g_ascii_islower(*c)) return "that is no name of an engine";
    if (record->kind == RECORD_ANSWER && record->detail != SAID_NUMBER && record->value)
        return "a number beside a verdict that is none";
    if (record->kind == RECORD_ANSWER && (record->detail == SAID_DIGITS ? !is_number(record->text) : *record->text))
        return "no digits where they should be, or a text where none should";
    if (record->kind == RECORD_QUERY && record->detail != QUERY_PROPERTY && *record->text)
        return "an id beside a query that has none";
    return NULL;
}

static const char *check_place(RecordReader *reader, const Record *record)
{
    if (record->kind == RECORD_HELLO) {
        if (reader->greeted) return "a second beginning";
        if (record->value != RECORD_VERSION) return "another version";
        reader->greeted = true;
        return NULL;
    }
    if (!reader->greeted) return "no beginning";
    if (record->kind == RECORD_END) reader->ended = true;
    if (record->kind == RECORD_QUERY) return record->query == reader->n_queries++ ? NULL : "a query out of order";
    bool of_every = record->kind == RECORD_REASON && record->query == RECORD_EVERY_QUERY;
    bool of_one = shapes[record->kind].fields & FIELD_QUERY && !of_every;
    return of_one && record->query >= reader->n_queries ? "a query that was not announced" : NULL;
}

RecordStep record_next(RecordReader *reader, Record *record)
{
    if (reader->fault) return RECORD_FAULT;
    size_t left = reader->len - reader->at;
    if (left == 0) return reader->ended ? RECORD_COMPLETE : RECORD_CUT;
    if (reader->ended) return fault(reader, "something follows the end");
    uint32_t length;
    if (left < sizeof length) return RECORD_CUT;
    const char *frame = reader->data + reader->at;
    memcpy(&length, frame, sizeof length);
    length = GUINT32_FROM_LE(length);
    if (length < SHORTEST_FRAME || length > LONGEST_FRAME) return fault(reader, "no record has such a length");
    if (left - sizeof length < length) return RECORD_CUT;
    const char *wrong = read_frame(frame + sizeof length, length, record);
    if (!wrong) wrong = check_fields(record);
    if (!wrong) wrong = check_place(reader, record);
    if (wrong) return fault(reader, wrong);
    reader->at += sizeof length + length;
    return RECORD_READ;
}
