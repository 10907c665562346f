/* What a job tells its batch: a stream of typed records over a pipe of its own, so that nothing that is printed, and no
 * name in a file, can be taken for an answer.
 *
 * A stream is a sequence of frames: 4 bytes with the length of the rest, a head of fixed size, and two texts, each
 * ended by a NUL. Numbers are little-endian. HELLO comes first and says the version. QUERY announces a query under the
 * next number from 0 on; all that is said later of it names that number. END comes last. A stream may stop anywhere
 * when its writer dies, and what stands whole before that counts; whatever else departs from this is a fault, after
 * which nothing of the stream is to be believed. Every accepted frame is what record_print() makes of its record. */
#pragma once
#include "base/exact.h"
#include "verify/evidence.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_VERSION = 1, RECORD_LONGEST_TEXT = 16 << 20, RECORD_LONGEST_ENGINE = 63 };
/* Instead of a query's number: every query of the job that has no reason of its own. */
#define RECORD_EVERY_QUERY UINT32_MAX

typedef enum {
#define RECORD(kind, details, fields) RECORD_##kind,
#include "batch/records.def"
    N_RECORD_KINDS
} RecordKind;

typedef enum {
#define QUERY_KIND(kind, id) QUERY_##kind,
#include "batch/records.def"
    N_QUERY_KINDS
} QueryKind;

typedef enum { SAID_FALSE, SAID_TRUE, SAID_NUMBER, SAID_INFINITE, SAID_DIGITS, N_SAID } Said;
/* Nothing found in time, or a query that the input gets wrong. */
typedef enum { REASON_UNDECIDED, REASON_FAULT, N_REASON_KINDS } ReasonKind;
/* A kind of net that is not answered for, or an input that cannot be read, or a question left open as a whole. */
typedef enum { REFUSAL_UNSUPPORTED, REFUSAL_CANNOT, N_REFUSALS } Refusal;

typedef struct Record {
    RecordKind kind;
    uint32_t detail;       /* QUERY: QueryKind; ANSWER: Said; EVIDENCE, LOSS: EvidenceKind; REASON, REFUSAL: theirs */
    uint32_t query;        /* its number */
    uint32_t techniques;   /* ANSWER: a set (technique.h) */
    Total value;           /* HELLO: RECORD_VERSION; ANSWER: the number when that is the verdict; below 2^96 */
    uint64_t microseconds; /* ANSWER, END: since the job began */
    const char *engine;    /* ANSWER: lower-case letters, may be empty */
    const char *text; /* QUERY of a property: its id; ANSWER of DIGITS: a number of any length; REASON, REFUSAL: why;
                         LOSS: why there is no file */
} Record;

/* The id that stands for a kind of query, or NULL. */
const char *record_query_id(QueryKind kind);
/* "TRUE", "FALSE", "+inf" or the number of an answer. Owned by the caller. */
char *record_verdict_text(const Record *answer);

/* Appends the frame. NULL texts count as empty; a text that is too long is cut between characters. */
void record_print(const Record *record, GString *out);

/* Announcements are gathered; any other record is written at once, with what was gathered before it. */
typedef struct RecordWriter {
    int fd;
    double started; /* on budget_now()'s clock; what microseconds are counted from */
    GString *gathered;
} RecordWriter;

/* Says HELLO. The descriptor stays the caller's. */
void record_writer_open(RecordWriter *writer, int fd);
/* False when the reader is gone. Sets the time of records that have one. */
bool record_write(RecordWriter *writer, const Record *record);
/* Says END. */
bool record_writer_close(RecordWriter *writer);

typedef struct RecordReader {
    const char *data; /* not owned; texts of records point into it */
    size_t len, at;
    uint32_t n_queries;
    bool greeted, ended;
    const char *fault; /* after RECORD_FAULT: what is wrong */
} RecordReader;

typedef enum {
    RECORD_READ,
    RECORD_COMPLETE, /* END was the last record, and nothing follows */
    RECORD_CUT,      /* the stream stops, inside a frame or between two */
    RECORD_FAULT
} RecordStep;

/* Start with {.data, .len}. Fills *record on RECORD_READ only. */
RecordStep record_next(RecordReader *reader, Record *record);
