#include "batch/batch.h"

#include "base/error.h"
#include "base/vec.h"
#include "batch/answers.h"
#include "batch/contest.h"
#include "batch/ledger.h"

#include <errno.h>
#include <unistd.h>

struct Batch {
    BatchOptions options;
    Jobs jobs;
    Expected *expected;
    Ledger *ledger;                 /* NULL: rows stay here */
    Rows rows;                      /* of this run, or all of them once asked for */
    char *witnesses, *certificates; /* the folders as rows name them, or NULL */
    size_t *todo;
    Cgroups *groups;
    char *limits;
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
    return top ? evidence_folder(top, job->instance, question_name(job->question)) : NULL;
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
        .question = job->question,
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

static bool job_done(size_t number, const JobOutcome *outcome, void *data)
{
    Batch *b = data;
    const Job *job = &b->jobs.data[number];
    if (outcome->ending == ENDING_STOPPED) return true;
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
    bool ok = true;
    if (b->ledger) {
        ok = ledger_append(b->ledger, rows.data, rows.len, &b->error);
        rows_clear(&rows);
    }
    vec_append(&b->rows, rows.data, rows.len);
    vec_free(&rows);
    return ok;
}

static void show_progress(size_t running, void *data)
{
    Batch *b = data;
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
        if (!b->ledger || !ledger_has(b->ledger, job->instance, question_name(job->question), job->repeat))
            b->todo[b->progress.todo++] = i;
    }
    b->progress.jobs = b->jobs.len;
}

Batch *batch_open(const BatchOptions *options, GError **error)
{
    const BatchOptions *o = options;
    g_autoptr(Batch) b = g_new0(Batch, 1);
    b->options = *options;
    if (!jobs_collect(o->source, o->questions, o->n_questions, o->repeat, &b->jobs, error)) return NULL;
    if (o->shards) jobs_shard(&b->jobs, o->shard, o->shards);
    if (o->expected && !(b->expected = expected_read(o->expected, error))) return NULL;
    if (o->output && !(b->ledger = ledger_open(o->output, o->resume, error))) return NULL;
    if (!place_evidence(o->output, o->witnesses, &b->witnesses, error)) return NULL;
    if (!place_evidence(o->output, o->certificates, &b->certificates, error)) return NULL;
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
    bool whole = runner_run(b->todo, b->progress.todo, &options, &(JobCalls){run_job, job_done, show_progress, b});
    if (b->error) g_propagate_error(error, g_steal_pointer(&b->error));
    return whole;
}

const Rows *batch_rows(Batch *b, size_t *n_earlier, GError **error)
{
    *n_earlier = 0;
    if (!b->ledger) return &b->rows;
    rows_clear(&b->rows);
    return ledger_rows(b->ledger, &b->rows, n_earlier, error) ? &b->rows : NULL;
}

void batch_free(Batch *b)
{
    if (!b) return;
    cgroups_close(b->groups);
    rows_free(&b->rows);
    jobs_free(&b->jobs);
    ledger_close(b->ledger);
    expected_free(b->expected);
    g_free(b->todo);
    g_free(b->limits);
    g_free(b->witnesses);
    g_free(b->certificates);
    g_clear_error(&b->error);
    g_free(b);
}
