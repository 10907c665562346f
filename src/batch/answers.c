#include "batch/answers.h"

#include "base/vec.h"
#include "verify/evidence.h"
#include "batch/record.h"
#include "batch/technique.h"

#include <stdlib.h>
#include <string.h>

/* What was told of one query. */
typedef struct Told {
    const char *id;
    Record answer;
    const char *reason, *loss;
    bool answered, has[N_EVIDENCE_KINDS], shared; /* shared: the id is not its alone */
} Told;

typedef struct Account {
    VEC(Told) queries;
    const char *refusal, *reason; /* of the job as a whole; NULL: none */
    const char *fault;
    RecordStep end;
} Account;

/* ---- from records ---- */

/* NULL, or what is wrong with it. The reader has seen that its query was announced. */
static const char *take_record(const Job *job, const Record *r, Account *account)
{
    bool of_one = r->kind != RECORD_HELLO && r->kind != RECORD_REFUSAL && r->query < account->queries.len;
    Told *told = of_one ? &account->queries.data[r->query] : NULL;
    switch (r->kind) {
    case RECORD_QUERY: {
        const char *fixed = record_query_id(r->detail), *whole = task_name(job->task);
        const char *id = r->detail == QUERY_PROPERTY ? r->text : r->detail == QUERY_WHOLE ? whole : fixed;
        vec_push(&account->queries, (Told){.id = id});
        return NULL;
    }
    case RECORD_ANSWER:
        g_assert(told);
        if (told->answered) return "a second answer";
        told->answer = *r;
        told->answered = true;
        return NULL;
    case RECORD_REASON:
        if (told)
            told->reason = r->text;
        else
            account->reason = r->text;
        return NULL;
    case RECORD_EVIDENCE:
        g_assert(told);
        told->has[r->detail] = true;
        return NULL;
    case RECORD_LOSS:
        g_assert(told);
        told->loss = r->text;
        return NULL;
    case RECORD_REFUSAL:
        account->refusal = r->detail == REFUSAL_UNSUPPORTED ? "not supported" : "cannot compute";
        account->reason = *r->text ? r->text : account->refusal;
        return NULL;
    case RECORD_HELLO:
    case RECORD_END:
    case N_RECORD_KINDS: break;
    }
    return NULL;
}

static Account read_account(const Job *job, const JobOutcome *outcome)
{
    Account account = {0};
    RecordReader reader = {.data = outcome->told, .len = outcome->told_len};
    Record record;
    while ((account.end = record_next(&reader, &record)) == RECORD_READ)
        if ((account.fault = take_record(job, &record, &account))) break;
    if (account.end == RECORD_FAULT) account.fault = reader.fault;
    return account;
}

/* ---- to rows ---- */

static const char *reason_of(const JobOutcome *outcome, const Account *account, char *space, size_t size)
{
    if (account->fault)
        g_snprintf(space, (gulong)size, "what the job told is damaged (%s)", account->fault);
    else if (outcome->ending == JOB_ENDED_CRASH)
        g_snprintf(space, (gulong)size, "crash (signal %d)", outcome->status);
    else if (outcome->ending == JOB_ENDED_TIME)
        return "time limit (killed)";
    else if (outcome->ending == JOB_ENDED_MEMORY)
        return "memory limit (killed)";
    else if (outcome->truncated)
        g_snprintf(space, (gulong)size, "the job told more than %zu MB (the rest is left out)",
                   outcome->told_len >> 20);
    else if (account->reason)
        return account->reason;
    else if (outcome->status != 0)
        g_snprintf(space, (gulong)size, "exit status %d", outcome->status);
    else
        return account->end == RECORD_COMPLETE ? "unanswered" : "the job ended without saying so";
    return space;
}

static bool same_verdict(const char *a, const char *b)
{
    if (strcmp(a, b) == 0) return true;
    return (strcmp(a, "inf") == 0 && strcmp(b, "+inf") == 0) || (strcmp(a, "+inf") == 0 && strcmp(b, "inf") == 0);
}

static Row *new_row(const Job *job, const JobOutcome *outcome, const char *id, Rows *rows)
{
    Row row = {.instance = g_strdup(job->instance),
               .examination = g_strdup(task_name(job->task)),
               .id = g_strdup(id),
               .wall = outcome->wall,
               .cpu = outcome->cpu,
               .peak_kib = outcome->peak_kib,
               .repeat = job->repeat};
    vec_push(rows, row);
    return &rows->data[rows->len - 1];
}

static void put_answer(const Job *job, const Told *told, Row *row)
{
    row->verdict = record_verdict_text(&told->answer);
    row->after = (double)told->answer.microseconds * 1e-6;
    row->has_after = true;
    GString *names = g_string_new(NULL);
    techniques_print(told->answer.techniques, names);
    row->technique = g_string_free(names, FALSE);
    if (*told->answer.engine) row->engine = g_strdup(told->answer.engine);
    if (told->has[EVIDENCE_WITNESS]) row->witness = evidence_name(told->id, job->repeat, ".run");
    row->unwritten = g_strdup(told->loss);
    if (told->has[EVIDENCE_CERTIFICATE]) row->certificate = evidence_name(told->id, job->repeat, EVIDENCE_PROOF_ENDING);
}

static void compare(Row *row, const char *right)
{
    row->expected = g_strdup(right);
    row->has_agrees = right && row->verdict;
    row->agrees = row->has_agrees && same_verdict(right, row->verdict);
}

static int compare_ids(const void *a, const void *b)
{
    const Told *x = *(Told *const *)a, *y = *(Told *const *)b;
    int order = strcmp(x->id, y->id);
    return order ? order : (x > y) - (x < y);
}

/* Pointers to the queries, sorted by id, each id once; the others of that id are marked. */
static Told **sort_ids(Account *account, size_t *n)
{
    Told **sorted = g_new(Told *, account->queries.len + 1);
    for (size_t i = 0; i < account->queries.len; i++) sorted[i] = &account->queries.data[i];
    if (account->queries.len) qsort(sorted, account->queries.len, sizeof *sorted, compare_ids);
    *n = 0;
    for (size_t i = 0; i < account->queries.len; i++) {
        bool again = *n && strcmp(sorted[*n - 1]->id, sorted[i]->id) == 0;
        if (again)
            sorted[*n - 1]->shared = true, sorted[i]->id = NULL;
        else
            sorted[(*n)++] = sorted[i];
    }
    return sorted;
}

void answers_rows(const Job *job, const JobOutcome *outcome, const Expected *expected, Rows *rows)
{
    Account account = read_account(job, outcome);
    char space[200];
    const char *reason = reason_of(outcome, &account, space, sizeof space);
    size_t from = rows->len, n, n_expected;
    g_autofree Told **sorted = sort_ids(&account, &n);
    g_autofree size_t *row_of = g_new(size_t, account.queries.len + 1);
    for (size_t i = 0; i < account.queries.len; i++) {
        const Told *told = &account.queries.data[i];
        if (!told->id) continue;
        row_of[i] = rows->len;
        Row *row = new_row(job, outcome, told->id, rows);
        if (told->shared)
            row->reason = g_strdup("several queries have this id");
        else if (told->answered && !account.fault)
            put_answer(job, told, row);
        else
            row->reason = g_strdup(told->reason && !account.fault ? told->reason : reason);
    }
    const ExpectedRow *right = expected_of_job(expected, job->instance, task_name(job->task), &n_expected);
    for (size_t i = 0, k = 0; i < n_expected; i++) {
        while (k < n && strcmp(sorted[k]->id, right[i].id) < 0) k++;
        bool told = k < n && strcmp(sorted[k]->id, right[i].id) == 0;
        Row *row =
            told ? &rows->data[row_of[sorted[k] - account.queries.data]] : new_row(job, outcome, right[i].id, rows);
        if (!told) row->reason = g_strdup(reason);
        compare(row, right[i].verdict);
    }
    if (rows->len == from) new_row(job, outcome, task_name(job->task), rows)->reason = g_strdup(reason);
    vec_free(&account.queries);
}
