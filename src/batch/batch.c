#include "batch/batch.h"

#include "base/error.h"
#include "base/vec.h"
#include "batch/setting.h"
#include "batch/answers.h"
#include "batch/claims.h"
#include "batch/contest.h"
#include "batch/ledger.h"

#include <errno.h>
#include <unistd.h>

struct Batch {
    BatchOptions options;
    Jobs jobs;
    Expected *expected;
    Ledger *ledger;                 /* NULL: rows stay here, or go to */
    Claims *claims;                 /* a folder shared with others */
    Rows rows;                      /* of this run, or all of them once asked for */
    char *witnesses, *certificates; /* the folders as rows name them, or NULL */
    size_t *todo;
    Cgroups *groups;
    char *limits, *setting;
    BatchProgress progress;
    double started;
    GError *error; /* of the result file, while running */
};

/* ---- in the child ---- */

static void tell_parent(const Record *record, void *data)
{
    record_write(data, record);
}

static char *folder_of(const char *top, const Job *job)
{
    return top ? evidence_folder(top, job->instance, task_name(job->task)) : NULL;
}

static int run_job(size_t number, int tell, void *data)
{
    const Batch *b = data;
    const BatchOptions *o = &b->options;
    const Job *job = &b->jobs.data[number];
    RecordWriter writer;
    record_writer_open(&writer, tell);
    g_autofree char *witnesses = folder_of(o->witnesses, job), *certificates = folder_of(o->certificates, job);
    ContestRun run = {
        .path = job->path,
        .task = job->task,
        .engine = o->engine,
        .threads = MAX(o->threads, 1),
        .seed = o->seed + job->repeat,
        .evidence = {witnesses, certificates, job->repeat},
        .tell = tell_parent,
        .data = &writer,
        .log = stderr,
    };
    double seconds = o->seconds > 0 ? o->seconds - contest_margin(o->seconds) : 0;
    uint64_t work = 0;
    Budget budget = budget_new(seconds, o->memory / 10 * 9, 0);
    if (run.threads == 1) budget_by_work(&budget, &work, seconds);
    contest_run(&run, &budget);
    return record_writer_close(&writer) ? 0 : 1;
}

/* ---- in the parent ---- */

/* "x.run" of a job becomes "w/net/OneSafe/x.run". */
static void place(char **file, const char *folder, const Job *job)
{
    if (!*file || !folder) return;
    g_autofree char *name = *file, *of_job = folder_of(folder, job);
    *file = g_build_filename(of_job, name, NULL);
}

static bool share_rows(Batch *b, size_t number, const Rows *rows)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < rows->len; i++) {
        rows->data[i].rows = (uint32_t)rows->len;
        row_print(&rows->data[i], text);
    }
    return claims_finish(b->claims, number, text->str, text->len, &b->error);
}

static NextJob next_claim(size_t *job, void *data)
{
    return claims_next(((Batch *)data)->claims, job);
}

static bool job_done(size_t number, const JobOutcome *outcome, void *data)
{
    Batch *b = data;
    const Job *job = &b->jobs.data[number];
    if (outcome->ending == JOB_ENDED_STOPPED) {
        if (b->claims) claims_release(b->claims, number);
        return true;
    }
    Rows rows = {0};
    answers_rows(job, outcome, b->expected, &rows);
    b->progress.done++;
    for (size_t i = 0; i < rows.len; i++) {
        Row *row = &rows.data[i];
        place(&row->witness, b->witnesses, job);
        place(&row->certificate, b->certificates, job);
        b->progress.solved += row->verdict != NULL;
        b->progress.wrong += row->has_agrees && !row->agrees;
    }
    if (rows.len) rows.data[0].setting = g_strdup(b->setting);
    bool ok = true;
    if (b->ledger || b->claims) {
        ok = b->ledger ? ledger_append(b->ledger, rows.data, rows.len, &b->error) : share_rows(b, number, &rows);
        rows_clear(&rows);
    }
    vec_append(&b->rows, rows.data, rows.len);
    vec_free(&rows);
    return ok;
}

static void show_progress(size_t running, void *data)
{
    Batch *b = data;
    if (b->claims) claims_renew(b->claims);
    b->progress.running = running;
    b->progress.seconds = budget_now() - b->started;
    if (b->options.show) b->options.show(&b->progress, b->options.data);
}

/* Whether the folder of evidence can be made; *named is what rows call it: from the result file's folder. */
static bool place_evidence(const char *output, const char *folder, char **named, GError **error)
{
    if (!folder) return true;
    if (g_mkdir_with_parents(folder, 0777) < 0) {
        error_at(error, ERROR_IO, folder, 0, 0, "cannot be made: %s", g_strerror(errno));
        return false;
    }
    g_autofree char *home = output ? g_path_get_dirname(output) : g_strdup(".");
    *named = g_path_is_absolute(folder) && !output ? g_strdup(folder) : evidence_relative(home, folder);
    return true;
}

static void list_todo(Batch *b)
{
    b->todo = g_new(size_t, b->jobs.len + 1);
    for (size_t i = 0; i < b->jobs.len; i++) {
        const Job *job = &b->jobs.data[i];
        if (!b->ledger || !ledger_has(b->ledger, job->instance, task_name(job->task), job->repeat))
            b->todo[b->progress.todo++] = i;
    }
    b->progress.jobs = b->jobs.len;
}

/* What makes two batches the same for those who share a folder: nets may lie elsewhere, the rest is equal. */
static bool open_claims(Batch *b, GError **error)
{
    const BatchOptions *o = &b->options;
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (size_t i = 0; i < b->jobs.len; i++) {
        const Job *job = &b->jobs.data[i];
        g_autofree char *line = g_strdup_printf("%s\n%s\n%u\n", job->instance, task_name(job->task), job->repeat);
        g_checksum_update(sum, (const guchar *)line, -1);
    }
    char seconds[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *what =
        g_strdup_printf("mazurka batch 1\njobs %zu %s\nengine %s threads %u seed %" G_GUINT64_FORMAT
                        " memory %" G_GUINT64_FORMAT " seconds %s\n",
                        b->jobs.len, g_checksum_get_string(sum), o->engine ? o->engine : "auto", o->threads, o->seed,
                        o->memory, g_ascii_dtostr(seconds, sizeof seconds, o->seconds));
    b->claims = claims_open(o->claim, what, b->jobs.len, o->lease, error);
    return b->claims != NULL;
}

Batch *batch_open(const BatchOptions *options, Budget *reading, GError **error)
{
    const BatchOptions *o = options;
    g_autoptr(Batch) b = g_new0(Batch, 1);
    b->options = *options;
    b->setting = setting_text(options);
    if (!jobs_collect(o->source, o->tasks, o->n_tasks, o->repeat, &b->jobs, reading, error)) return NULL;
    if (o->shards) jobs_shard(&b->jobs, o->shard, o->shards);
    if (o->expected && !(b->expected = expected_read(o->expected, reading, error))) return NULL;
    if (o->output && !(b->ledger = ledger_open(o->output, o->resume, error))) return NULL;
    if (o->claim && !open_claims(b, error)) return NULL;
    g_autofree char *inside = o->claim ? g_build_filename(o->claim, "batch", NULL) : NULL;
    const char *output = inside ? inside : o->output;
    if (!place_evidence(output, o->witnesses, &b->witnesses, error)) return NULL;
    if (!place_evidence(output, o->certificates, &b->certificates, error)) return NULL;
    list_todo(b);
    b->groups = cgroups_open(&cgroup_kernel, &b->limits);
    return g_steal_pointer(&b);
}

const BatchProgress *batch_progress(const Batch *b)
{
    return &b->progress;
}

const char *batch_limits(const Batch *b)
{
    return b->limits;
}

bool batch_run(Batch *b, GError **error)
{
    RunnerOptions options = {
        .jobs = b->options.at_once ? b->options.at_once : (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1),
        .seconds = b->options.seconds,
        .memory = b->options.memory,
        .stop = b->options.stop,
        .groups = b->groups,
    };
    b->started = budget_now();
    JobCalls calls = {run_job, job_done, show_progress, b, b->claims ? next_claim : NULL};
    bool whole = runner_run(b->todo, b->progress.todo, &options, &calls);
    if (b->error) g_propagate_error(error, g_steal_pointer(&b->error));
    return whole;
}

const Rows *batch_rows(Batch *b, size_t *n_earlier, GError **error)
{
    *n_earlier = 0;
    if (!b->ledger && !b->claims) return &b->rows;
    rows_clear(&b->rows);
    if (b->claims) return rows_read(b->options.claim, &b->rows, NULL, NULL, error) ? &b->rows : NULL;
    return ledger_rows(b->ledger, &b->rows, n_earlier, error) ? &b->rows : NULL;
}

void batch_free(Batch *b)
{
    if (!b) return;
    cgroups_close(b->groups);
    rows_free(&b->rows);
    jobs_free(&b->jobs);
    ledger_close(b->ledger);
    claims_close(b->claims);
    expected_free(b->expected);
    g_free(b->todo);
    g_free(b->limits);
    g_free(b->setting);
    g_free(b->witnesses);
    g_free(b->certificates);
    g_clear_error(&b->error);
    g_free(b);
}
