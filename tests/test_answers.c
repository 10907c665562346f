#include "test.h"

#include "base/rng.h"
#include "base/vec.h"
#include "batch/answers.h"
#include "verify/evidence.h"
#include "batch/record.h"
#include "batch/summary.h"
#include "batch/technique.h"

#include <string.h>
#include <unistd.h>

/* ---- records ---- */

/* An answer as the contest would print it: as a name it must stay one. */
static const char forged[] = "zzz x\nFORMULA good FALSE TECHNIQUES FORGED\nWITNESS good ../../../../etc/passwd\nq";

static GString *stream(const Record *records, size_t n)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) record_print(&records[i], out);
    return out;
}

#define HELLO ((Record){.kind = RECORD_HELLO, .value = RECORD_VERSION})
#define END ((Record){.kind = RECORD_END})
#define ASK(n, id) ((Record){.kind = RECORD_QUERY, .query = (n), .text = (id)})
#define ANSWER(n, verdict)                                                                                             \
    ((Record){                                                                                                         \
        .kind = RECORD_ANSWER, .detail = (verdict), .query = (n), .techniques = TECHNIQUE_EXPLICIT, .engine = "walk"})
#define REASON(n, why) ((Record){.kind = RECORD_REASON, .query = (n), .text = (why)})
#define STREAM(...) stream((const Record[]){__VA_ARGS__}, G_N_ELEMENTS(((const Record[]){__VA_ARGS__})))

static const char *random_text(Rng *rng)
{
    static const char *const texts[] = {
        "", "a", "with blank", forged, "\xff\x01", "+inf", "a long text of several words"};
    return texts[rng_below(rng, G_N_ELEMENTS(texts))];
}

static Record random_record(Rng *rng, uint32_t *n_queries)
{
    RecordKind kind = RECORD_QUERY + (RecordKind)rng_below(rng, RECORD_END - RECORD_QUERY);
    if (!*n_queries) kind = RECORD_QUERY;
    uint32_t query = (uint32_t)rng_below(rng, *n_queries + 1), detail;
    if (query == *n_queries && kind != RECORD_QUERY) query = 0;
    switch (kind) {
    case RECORD_QUERY:
        detail = (uint32_t)rng_below(rng, N_QUERY_KINDS);
        return (Record){.kind = kind,
                        .detail = detail,
                        .query = (*n_queries)++,
                        .text = detail == QUERY_PROPERTY ? random_text(rng) : ""};
    case RECORD_ANSWER:
        detail = (uint32_t)rng_below(rng, N_SAID);
        return (Record){.kind = kind,
                        .detail = detail,
                        .query = query,
                        .techniques = (uint32_t)rng_next(rng) & TECHNIQUES_ALL,
                        .value = detail == SAID_NUMBER ? rng_next(rng) : 0,
                        .microseconds = rng_next(rng),
                        .engine = rng_chance(rng, 2) ? "explicit" : "",
                        .text = detail != SAID_DIGITS ? ""
                                : rng_chance(rng, 2)  ? "0"
                                                      : "18446744073709551616000"};
    case RECORD_REASON:
        return (Record){
            .kind = kind, .query = rng_chance(rng, 4) ? RECORD_EVERY_QUERY : query, .text = random_text(rng)};
    case RECORD_EVIDENCE:
        return (Record){.kind = kind, .detail = (uint32_t)rng_below(rng, N_EVIDENCE_KINDS), .query = query};
    case RECORD_LOSS:
        return (Record){.kind = kind,
                        .detail = (uint32_t)rng_below(rng, N_EVIDENCE_KINDS),
                        .query = query,
                        .text = random_text(rng)};
    default:
        return (Record){
            .kind = RECORD_REFUSAL, .detail = (uint32_t)rng_below(rng, N_REFUSALS), .text = random_text(rng)};
    }
}

static void same_record(const Record *a, const Record *b)
{
    ck_assert(a->kind == b->kind && a->detail == b->detail && a->query == b->query && a->techniques == b->techniques);
    ck_assert(a->value == b->value && a->microseconds == b->microseconds);
    ck_assert_str_eq(a->engine ? a->engine : "", b->engine ? b->engine : "");
    ck_assert_str_eq(a->text ? a->text : "", b->text ? b->text : "");
}

START_TEST(records_come_back_as_they_were_up_to_any_cut)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        Rng rng = {seed};
        Record records[12] = {HELLO};
        size_t n = 2 + rng_below(&rng, 10), ends[12];
        uint32_t n_queries = 0;
        for (size_t i = 1; i < n - 1; i++) records[i] = random_record(&rng, &n_queries);
        records[n - 1] = (Record){.kind = RECORD_END, .microseconds = seed};
        g_autoptr(GString) bytes = g_string_new(NULL);
        for (size_t i = 0; i < n; i++) {
            record_print(&records[i], bytes);
            ends[i] = bytes->len;
        }
        for (size_t cut = 0; cut <= bytes->len; cut++) {
            RecordReader reader = {.data = bytes->str, .len = cut};
            Record record;
            RecordStep step;
            size_t got = 0;
            for (; (step = record_next(&reader, &record)) == RECORD_READ; got++) same_record(&records[got], &record);
            ck_assert_int_eq(step, cut == bytes->len ? RECORD_COMPLETE : RECORD_CUT);
            ck_assert(got == n || cut < ends[got]);
            ck_assert(got == 0 || cut >= ends[got - 1]);
        }
    }
}
END_TEST

/* Whatever bytes there are: what is accepted is exactly what the writer would have written. */
START_TEST(a_changed_byte_is_another_record_or_a_fault)
{
    g_autoptr(GString) right = STREAM(HELLO, ASK(0, "a"), ANSWER(0, SAID_TRUE), REASON(0, "why"), END);
    Rng rng = {7};
    for (size_t i = 0; i < 20 * right->len; i++) {
        g_autoptr(GString) bytes = g_string_new_len(right->str, (gssize)right->len), again = g_string_new(NULL);
        bytes->str[i % right->len] = (char)(i < right->len ? 0 : rng_next(&rng));
        RecordReader reader = {.data = bytes->str, .len = bytes->len};
        Record record;
        while (record_next(&reader, &record) == RECORD_READ) record_print(&record, again);
        ck_assert_uint_eq(again->len, reader.at);
        ck_assert(memcmp(again->str, bytes->str, reader.at) == 0);
    }
}
END_TEST

START_TEST(streams_that_break_the_rules_are_faults)
{
    Record bad_technique = ANSWER(0, SAID_TRUE), bad_engine = bad_technique, number = bad_technique;
    bad_technique.techniques = UINT32_C(1) << 31;
    bad_engine.engine = "two words";
    number.value = 7;
    Record no_digits = ANSWER(0, SAID_DIGITS), odd_digits = no_digits, words = bad_technique;
    words.techniques = 0;
    odd_digits.text = "007";
    words.text = "7";
    const struct {
        GString *bytes;
        const char *fault;
    } cases[] = {
        {STREAM(ASK(0, "a")), "no beginning"},
        {STREAM(HELLO, HELLO), "a second beginning"},
        {STREAM(((Record){.kind = RECORD_HELLO, .value = 2})), "another version"},
        {STREAM(HELLO, ASK(1, "a")), "out of order"},
        {STREAM(HELLO, ASK(0, "a"), no_digits), "no digits"},
        {STREAM(HELLO, ASK(0, "a"), odd_digits), "no digits"},
        {STREAM(HELLO, ASK(0, "a"), words), "no digits"},
        {STREAM(HELLO, ASK(0, "a"), ASK(0, "b")), "out of order"},
        {STREAM(HELLO, ANSWER(0, SAID_TRUE)), "not announced"},
        {STREAM(HELLO, ASK(0, "a"), REASON(1, "r")), "not announced"},
        {STREAM(HELLO, END, END), "follows the end"},
        {STREAM(HELLO, ASK(0, "a"), bad_technique), "no such technique"},
        {STREAM(HELLO, ASK(0, "a"), bad_engine), "no name of an engine"},
        {STREAM(HELLO, ASK(0, "a"), number), "a verdict that is none"},
        {STREAM(HELLO, ((Record){.kind = RECORD_QUERY, .detail = QUERY_STATES, .text = "x"})), "has none"},
        {STREAM(HELLO, ((Record){.kind = RECORD_END, .query = 1})), "does not have"},
        {g_string_new("FORMULA a TRUE TECHNIQUES EXPLICIT\nFORMULA b FALSE\n"), "such a length"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        RecordReader reader = {.data = cases[i].bytes->str, .len = cases[i].bytes->len};
        Record record;
        RecordStep step;
        while ((step = record_next(&reader, &record)) == RECORD_READ) {
        }
        ck_assert_msg(step == RECORD_FAULT, "case %zu ends by %d", i, step);
        ck_assert_msg(strstr(reader.fault, cases[i].fault) != NULL, "case %zu: %s", i, reader.fault);
        ck_assert_int_eq(record_next(&reader, &record), RECORD_FAULT);
        g_string_free(cases[i].bytes, TRUE);
    }
}
END_TEST

START_TEST(long_texts_are_cut_between_characters)
{
    g_autofree char *text = g_malloc(RECORD_LONGEST_TEXT + 3);
    memset(text, 'x', RECORD_LONGEST_TEXT + 2);
    memcpy(text + RECORD_LONGEST_TEXT - 1, "\xc3\xa9z", 4);
    g_autoptr(GString) bytes = STREAM(HELLO, ASK(0, text));
    RecordReader reader = {.data = bytes->str, .len = bytes->len};
    Record record;
    ck_assert_int_eq(record_next(&reader, &record), RECORD_READ);
    ck_assert_int_eq(record_next(&reader, &record), RECORD_READ);
    ck_assert_uint_eq(strlen(record.text), RECORD_LONGEST_TEXT - 1);
}
END_TEST

/* ---- rows ---- */

static const Job job = {"I", "path", TASK_CARDINALITY, 0};

static Expected *expect(const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-expected-XXXXXX", NULL);
    close(g_mkstemp(path));
    ck_assert(g_file_set_contents(path, text, -1, NULL));
    Expected *expected = expected_read(path, NULL, error);
    unlink(path);
    return expected;
}

static Rows rows_of(GString *bytes, JobEnding ending, const Expected *expected)
{
    JobOutcome outcome = {
        .ending = ending, .told = bytes->str, .told_len = bytes->len, .wall = 2, .peak_kib = 10, .truncated = false};
    Rows rows = {0};
    answers_rows(&job, &outcome, expected, &rows);
    g_string_free(bytes, TRUE);
    return rows;
}

START_TEST(what_is_told_becomes_rows)
{
    g_autoptr(Expected) expected = expect(
        "instance\texamination\tid\tverdict\nI\tReachabilityCardinality\ta\tTRUE\nI\tReachabilityCardinality\tb\t"
        "FALSE\nI\tOther\ta\tFALSE\nI\tReachabilityCardinality\tc\t7\nI\tReachabilityCardinality\td\tinf\nI\t"
        "ReachabilityCardinality\te\tTRUE\n",
        NULL);
    Record b = ANSWER(2, SAID_TRUE), witness = {.kind = RECORD_EVIDENCE, .detail = EVIDENCE_WITNESS, .query = 2};
    b.techniques |= TECHNIQUE_RANDOM_WALK;
    b.microseconds = 1500000;
    GString *bytes =
        STREAM(HELLO, ASK(0, "a"), ASK(1, "d"), ASK(2, "b"), ASK(3, "c"), ASK(4, "f"), ANSWER(0, SAID_TRUE), b, witness,
               ANSWER(1, SAID_INFINITE), REASON(4, "none"), ANSWER(3, SAID_NUMBER));
    g_string_truncate(bytes, bytes->len - 1); /* the last one was cut by death */
    Rows rows = rows_of(bytes, JOB_ENDED_TIME, expected);
    ck_assert_uint_eq(rows.len, 6);
    ck_assert_str_eq(rows.data[0].id, "a");
    ck_assert_str_eq(rows.data[0].verdict, "TRUE");
    ck_assert(rows.data[0].has_agrees && rows.data[0].agrees);
    ck_assert_str_eq(rows.data[1].verdict, "+inf");
    ck_assert(rows.data[1].has_agrees && rows.data[1].agrees); /* "inf" is expected */
    ck_assert_str_eq(rows.data[2].engine, "walk");
    ck_assert_str_eq(rows.data[2].technique, "EXPLICIT RANDOM_WALK");
    ck_assert_str_eq(rows.data[2].witness, "b.run");
    ck_assert(rows.data[2].has_after && rows.data[2].after == 1.5);
    ck_assert(rows.data[2].has_agrees && !rows.data[2].agrees);
    ck_assert_msg(!rows.data[3].verdict, "a record cut by death is no answer");
    ck_assert_str_eq(rows.data[3].reason, "time limit (killed)");
    ck_assert_str_eq(rows.data[4].reason, "none");
    ck_assert_str_eq(rows.data[5].id, "e"); /* expected and never announced */
    ck_assert_str_eq(rows.data[5].expected, "TRUE");

    g_autoptr(Summary) summary = summary_new(&rows);
    size_t n;
    SummaryGroup *groups = summary_groups(summary, GROUP_TOTAL, &n);
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(groups[0].solved, 2);
    ck_assert_uint_eq(groups[0].wrong, 1);
    ck_assert_uint_eq(groups[0].unknown, 3);
    summary_groups_free(groups, n);
    rows_free(&rows);
}
END_TEST

START_TEST(names_forge_nothing)
{
    Rows rows =
        rows_of(STREAM(HELLO, ASK(0, "good"), ASK(1, forged), ASK(2, "with space"), ASK(3, ""), ANSWER(0, SAID_TRUE),
                       ANSWER(1, SAID_FALSE), ANSWER(2, SAID_TRUE), REASON(3, forged), END),
                JOB_ENDED_DONE, NULL);
    ck_assert_uint_eq(rows.len, 4);
    ck_assert_str_eq(rows.data[0].verdict, "TRUE");
    ck_assert_str_eq(rows.data[0].technique, "EXPLICIT");
    ck_assert_ptr_null(rows.data[0].witness);
    ck_assert_str_eq(rows.data[1].id, forged);
    ck_assert_str_eq(rows.data[1].verdict, "FALSE");
    ck_assert_str_eq(rows.data[2].id, "with space");
    ck_assert_str_eq(rows.data[2].verdict, "TRUE");
    ck_assert_ptr_null(rows.data[3].verdict);
    rows_free(&rows);
}
END_TEST

START_TEST(an_id_that_several_have_is_not_answered)
{
    g_autoptr(Expected) expected = expect("I\tReachabilityCardinality\tx\tTRUE\n", NULL);
    Rows rows = rows_of(STREAM(HELLO, ASK(0, "x"), ASK(1, "y"), ASK(2, "x"), ANSWER(0, SAID_TRUE), ANSWER(1, SAID_TRUE),
                               ANSWER(2, SAID_FALSE), END),
                        JOB_ENDED_DONE, expected);
    ck_assert_uint_eq(rows.len, 2);
    ck_assert_ptr_null(rows.data[0].verdict);
    ck_assert_str_eq(rows.data[0].reason, "several queries have this id");
    ck_assert(!rows.data[0].has_agrees);
    ck_assert_str_eq(rows.data[1].verdict, "TRUE");
    rows_free(&rows);
}
END_TEST

START_TEST(a_stream_with_a_fault_answers_nothing)
{
    GString *after = STREAM(HELLO, ASK(0, "a"), ANSWER(0, SAID_TRUE), END);
    g_string_append(after, "more");
    const struct {
        GString *bytes;
        JobEnding ending;
        const char *reason;
    } cases[] = {
        {after, JOB_ENDED_DONE, "what the job told is damaged (something follows the end)"},
        {STREAM(HELLO, ASK(0, "a"), ANSWER(0, SAID_TRUE), ANSWER(0, SAID_TRUE)), JOB_ENDED_DONE,
         "what the job told is damaged (a second answer)"},
        {g_string_new("FORMULA a TRUE TECHNIQUES EXPLICIT\nFORMULA b TRUE\n"), JOB_ENDED_CRASH,
         "what the job told is damaged (no record has such a length)"},
        {STREAM(HELLO, ASK(0, "a")), JOB_ENDED_DONE, "the job ended without saying so"},
        {g_string_new(NULL), JOB_ENDED_DONE, "the job ended without saying so"},
        {STREAM(HELLO, ASK(0, "a"), END), JOB_ENDED_DONE, "unanswered"},
        {STREAM(HELLO, ASK(0, "a"), REASON(RECORD_EVERY_QUERY, "all of them"), END), JOB_ENDED_DONE, "all of them"},
        {STREAM(HELLO, ((Record){.kind = RECORD_REFUSAL, .detail = REFUSAL_CANNOT, .text = "no"}), END), JOB_ENDED_DONE,
         "no"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Rows rows = rows_of(cases[i].bytes, cases[i].ending, NULL);
        ck_assert_uint_eq(rows.len, 1);
        ck_assert_ptr_null(rows.data[0].verdict);
        ck_assert_str_eq(rows.data[0].reason, cases[i].reason);
        rows_free(&rows);
    }
}
END_TEST

START_TEST(more_than_is_kept_is_said)
{
    g_autoptr(GString) bytes = STREAM(HELLO, ASK(0, "a"), ASK(1, "b"), ANSWER(0, SAID_TRUE), ANSWER(1, SAID_TRUE));
    JobOutcome outcome = {.told = bytes->str, .told_len = bytes->len - 10, .truncated = true};
    Rows rows = {0};
    answers_rows(&job, &outcome, NULL, &rows);
    ck_assert_str_eq(rows.data[0].verdict, "TRUE");
    ck_assert(g_str_has_prefix(rows.data[1].reason, "the job told more than "));
    rows_free(&rows);
}
END_TEST

/* All ids have the same g_str_hash(), and neither their number nor that may make it slow: 131 072 of them took minutes
 * when each was looked for in a list. */
START_TEST(many_properties_and_expected_rows_cost_little)
{
    enum { BITS = 17 };
    g_autoptr(GString) bytes = STREAM(HELLO), table = g_string_new(NULL);
    for (uint32_t i = 0; i < 1u << BITS; i++) {
        char id[2 * BITS + 1] = "";
        for (int bit = 0; bit < BITS; bit++) memcpy(id + 2 * bit, i >> bit & 1 ? "Ab" : "BA", 2);
        record_print(&ASK(i, id), bytes);
        record_print(&ANSWER(i, i & 1 ? SAID_TRUE : SAID_FALSE), bytes);
        g_string_append_printf(table, "I\tReachabilityCardinality\t%s\t%s\n", id, i & 1 ? "TRUE" : "FALSE");
    }
    record_print(&END, bytes);
    alarm(60);
    g_autoptr(Expected) expected = expect(table->str, NULL);
    Rows rows = rows_of(g_steal_pointer(&bytes), JOB_ENDED_DONE, expected);
    alarm(0);
    ck_assert_uint_eq(rows.len, 1u << BITS);
    for (size_t i = 0; i < rows.len; i++) ck_assert(rows.data[i].agrees);
    rows_free(&rows);
}
END_TEST

START_TEST(expected_answers_are_checked_for_themselves)
{
    const struct {
        const char *text, *message; /* NULL: fine */
    } cases[] = {
        {"I\tE\ta\tTRUE\nI\tE\ta\tTRUE\n", NULL},
        {"instance\texamination\tid\tverdict\r\nI\tE\ta\tTRUE\r\n", NULL},
        {"I\tE\ta\tTRUE\nJ\tE\ta\tFALSE\nI\tE\ta\tFALSE\n", ":3:1: FALSE is expected for a here, but TRUE in line 1"},
        {"I\tE\ta\tTRUE\nI\tE\n", ":2:1: four columns are expected"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(Expected) expected = expect(cases[i].text, &error);
        ck_assert((expected != NULL) == !cases[i].message);
        ck_assert(!cases[i].message || strstr(error->message, cases[i].message));
        size_t n;
        const ExpectedRow *rows = expected_of_job(expected, "I", "E", &n);
        ck_assert(!expected || (n == 1 && strcmp(rows[0].verdict, "TRUE") == 0));
    }
}
END_TEST

/* ---- rows as text ---- */

START_TEST(rows_come_back_from_their_lines)
{
    static const char *const texts[] = {
        NULL, "", "plain", "\"\\/\b\f\n\r\t\x01", "[[[{{{", "// /* ' */", "\xc3\xa9\xe2\x80\xa8", forged};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        char *text = (char *)texts[i];
        Row row = {.instance = text ? text : "i",
                   .examination = "E",
                   .id = text ? text : "x",
                   .verdict = text,
                   .reason = text,
                   .technique = text,
                   .engine = text,
                   .expected = text,
                   .witness = text,
                   .certificate = text,
                   .wall = 1.25,
                   .after = 0.5,
                   .has_after = i & 1,
                   .peak_kib = 77,
                   .rows = 3,
                   .repeat = 2,
                   .has_agrees = i & 2,
                   .agrees = i & 4};
        g_autoptr(GString) line = g_string_new(NULL), again = g_string_new(NULL);
        row_print(&row, line);
        Row back;
        ck_assert(row_parse(line->str, line->len - 1, &back));
        ck_assert_str_eq(back.id, row.id);
        ck_assert(text ? strcmp(back.witness, text) == 0 : !back.witness);
        row_print(&back, again);
        ck_assert_str_eq(again->str, line->str);
        row_clear(&back);
    }
}
END_TEST

/* A reader that calls itself once per level died of 100 000 of them. */
START_TEST(deep_lines_are_no_rows)
{
    static const char head[] = "{\"instance\":\"i\",\"examination\":\"E\",\"id\":\"x\",\"more\":";
    g_autofree char *open = g_strnfill(200000, '['), *close = g_strnfill(200000, ']');
    g_autoptr(GString) nested = g_string_new(NULL);
    for (int i = 0; i < 100000; i++) g_string_append(nested, "{\"a\":");
    const struct {
        char *line;
        bool is_row;
    } cases[] = {{g_strconcat(head, "[1]}", NULL), true},
                 {g_strconcat(head, "\"[[[[\\\"[[[[\"}", NULL), true},
                 {g_strconcat(head, "[[[[[[1]]]]]]}", NULL), false},
                 {g_strconcat(open, NULL), false},
                 {g_strconcat(head, open, close, "}", NULL), false},
                 {g_strconcat(head, "/* \" */", open, close, "/* \" */}", NULL), false},
                 {g_strconcat(head, "// \"\r", open, close, "\"}", NULL), false},
                 {g_strconcat(head, "'\"'", open, close, "}", NULL), false},
                 {g_strconcat(nested->str, NULL), false},
                 {g_strconcat(head, "1", NULL), false},
                 {g_strconcat("}", head, "1}", NULL), false}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Row row;
        bool is_row = row_parse(cases[i].line, strlen(cases[i].line), &row);
        ck_assert_msg(is_row == cases[i].is_row, "case %zu", i);
        if (is_row) row_clear(&row);
        g_free(cases[i].line);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("answers");
    TEST_CASE(suite, records_come_back_as_they_were_up_to_any_cut);
    TEST_CASE(suite, a_changed_byte_is_another_record_or_a_fault);
    TEST_CASE(suite, streams_that_break_the_rules_are_faults);
    TEST_CASE(suite, long_texts_are_cut_between_characters);
    TEST_CASE(suite, what_is_told_becomes_rows);
    TEST_CASE(suite, names_forge_nothing);
    TEST_CASE(suite, an_id_that_several_have_is_not_answered);
    TEST_CASE(suite, a_stream_with_a_fault_answers_nothing);
    TEST_CASE(suite, more_than_is_kept_is_said);
    TEST_CASE(suite, many_properties_and_expected_rows_cost_little);
    TEST_CASE(suite, expected_answers_are_checked_for_themselves);
    TEST_CASE(suite, rows_come_back_from_their_lines);
    TEST_CASE(suite, deep_lines_are_no_rows);
    return test_run(suite);
}
