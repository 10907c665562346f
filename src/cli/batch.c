#include "batch/answers.h"
#include "batch/contest.h"
#include "batch/ledger.h"
#include "batch/relations.h"
#include "batch/summary.h"
#include "base/error.h"
#include "base/vec.h"
#include "base/visible.h"
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Batch {
    Command *command;
    Jobs jobs;
    Expected *expected;
    Ledger *ledger;
    Rows rows;                      /* of this run, when there is no file to keep them */
    char *witnesses, *certificates; /* the folders as rows name them, or NULL */
    size_t *todo, n_todo, n_done;
    size_t wrong, solved;
    double started;
    Budget signals; /* its stop flag, and how progress is shown */
    GError *error;
} Batch;

/* ---- in the child ---- */

static int run_job(size_t job, void *data)
{
    Batch *b = data;
    const Options *o = &b->command->options;
    const Job *j = &b->jobs.data[job];
    g_autofree char *witnesses =
        o->witnesses ? g_build_filename(o->witnesses, j->instance, j->examination, NULL) : NULL;
    g_autofree char *certificates =
        o->certificates ? g_build_filename(o->certificates, j->instance, j->examination, NULL) : NULL;
    ContestRun run = {
        .path = j->path,
        .examination = j->examination,
        .engine = o->engine,
        .threads = (unsigned)MAX(o->threads, 1),
        .seed = (uint64_t)o->seed + j->repeat,
        .name_engines = true,
        .evidence = {witnesses, certificates, j->repeat},
        .out = stdout,
        .log = stderr,
    };
    uint64_t memory = (uint64_t)o->memory << 20;
    Budget budget = budget_new(o->time > 0 ? o->time - contest_margin(o->time) : 0, memory / 10 * 9, 0);
    if (run.threads == 1)
        budget_by_work(&budget, &b->command->work, o->time > 0 ? o->time - contest_margin(o->time) : 0);
    return contest_run(&run, &budget);
}

/* ---- in the parent ---- */

/* "x.run" of a job becomes "w/net/OneSafe/x.run". */
static void place(char **file, const char *folder, const Job *job)
{
    if (!*file || !folder) return;
    char *path = g_build_filename(folder, job->instance, job->examination, *file, NULL);
    g_free(*file);
    *file = path;
}

static bool job_done(size_t job, const Outcome *outcome, void *data)
{
    Batch *b = data;
    if (outcome->ending == ENDING_STOPPED) return true;
    Rows rows = {0};
    answers_rows(&b->jobs.data[job], outcome, b->expected, &rows);
    b->n_done++;
    for (size_t i = 0; i < rows.len; i++) {
        Row *row = &rows.data[i];
        place(&row->witness, b->witnesses, &b->jobs.data[job]);
        place(&row->certificate, b->certificates, &b->jobs.data[job]);
        b->solved += row->verdict != NULL;
        b->wrong += row->has_agrees && !row->agrees;
    }
    bool ok = true;
    if (b->ledger) {
        ok = ledger_append(b->ledger, rows.data, rows.len, &b->error);
        rows_clear(&rows);
    }
    for (size_t i = 0; i < rows.len; i++) vec_push(&b->rows, rows.data[i]);
    vec_free(&rows);
    return ok;
}

static void show_progress(size_t running, void *data)
{
    Batch *b = data;
    if (!b->signals.show) return;
    double elapsed = budget_now() - b->started;
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_append_printf(line, "%zu of %zu jobs, %zu running, %zu answers, %zu wrong", b->n_done, b->n_todo, running,
                           b->solved, b->wrong);
    if (b->n_done) {
        double left = elapsed / (double)b->n_done * (double)(b->n_todo - b->n_done);
        g_string_append_printf(line, ", about %d:%02d:%02d left", (int)left / 3600, (int)left / 60 % 60,
                               (int)left % 60);
    }
    b->signals.show(line->str, b->signals.show_data);
}

static bool parse_shard(const char *text, uint32_t *index, uint32_t *count)
{
    char *end;
    if (!g_ascii_isdigit(*text)) return false;
    guint64 i = g_ascii_strtoull(text, &end, 10);
    if (*end != '/') return false;
    guint64 n = g_ascii_strtoull(end + 1, &end, 10);
    *index = (uint32_t)i;
    *count = (uint32_t)n;
    return !*end && i >= 1 && i <= n && n <= 1000000;
}

static char **chosen_examinations(const Options *o)
{
    if (o->compare_relations) return g_strdupv((char **)relations_examinations);
    if (!o->examinations) return g_strdupv((char **)contest_examinations);
    return g_strsplit(o->examinations, ",", -1);
}

static bool known_examinations(char **names)
{
    for (char **name = names; *name; name++)
        if (!g_strv_contains(contest_examinations, *name)) {
            g_autofree char *all = g_strjoinv(", ", (char **)contest_examinations);
            command_fail("batch: there is no examination '%s'; choose from %s", *name, all);
            return false;
        }
    return true;
}

/* Whether the batch's folder of evidence can be made; as rows name it: from the result file's folder. */
static bool place_evidence(const Options *o, const char *folder, char **named, GError **error)
{
    if (!folder) return true;
    if (g_mkdir_with_parents(folder, 0777) < 0) {
        error_at(error, ERROR_IO, folder, 0, 0, "cannot be made: %s", g_strerror(errno));
        return false;
    }
    g_autofree char *home = o->output ? g_path_get_dirname(o->output) : g_strdup(".");
    *named = g_path_is_absolute(folder) && !o->output ? g_strdup(folder) : evidence_relative(home, folder);
    return true;
}

static bool prepare(Batch *b)
{
    Command *c = b->command;
    const Options *o = &c->options;
    g_auto(GStrv) examinations = chosen_examinations(o);
    if (!o->compare_relations && !known_examinations(examinations)) return false;
    if (!jobs_collect(c->arguments[0], (const char *const *)examinations, (uint32_t)MAX(o->repeat, 1), &b->jobs,
                      &b->error))
        return false;
    uint32_t index, count;
    if (o->shard && !parse_shard(o->shard, &index, &count)) {
        command_fail("batch: --shard wants I/N with 1 <= I <= N, not '%s'", o->shard);
        return false;
    }
    if (o->shard) jobs_shard(&b->jobs, index, count);
    if (o->expected && !(b->expected = expected_read(o->expected, &b->error))) return false;
    if (o->output && !(b->ledger = ledger_open(o->output, o->resume, &b->error))) return false;
    if (!place_evidence(o, o->witnesses, &b->witnesses, &b->error) ||
        !place_evidence(o, o->certificates, &b->certificates, &b->error))
        return false;
    b->todo = g_new(size_t, b->jobs.len + 1);
    for (size_t i = 0; i < b->jobs.len; i++) {
        const Job *job = &b->jobs.data[i];
        if (!b->ledger || !ledger_has(b->ledger, job->instance, job->examination, job->repeat))
            b->todo[b->n_todo++] = i;
    }
    return true;
}

static bool print_results(Batch *b)
{
    const Options *o = &b->command->options;
    size_t n_earlier = 0;
    if (b->ledger && !ledger_rows(b->ledger, &b->rows, &n_earlier, &b->error)) return false;
    g_autoptr(GString) text = g_string_new(NULL);
    if (o->json) {
        for (size_t i = n_earlier; i < b->rows.len; i++) row_print(&b->rows.data[i], text);
    } else if (o->compare_relations) {
        relations_print(&b->rows, text);
    } else {
        g_autoptr(Summary) summary = summary_new(&b->rows);
        summary_print(summary, text);
    }
    if (o->json)
        fputs(text->str, stdout);
    else
        visible_lines(stdout, text->str);
    return true;
}

static size_t wrong_rows(const Rows *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < rows->len; i++) n += rows->data[i].has_agrees && !rows->data[i].agrees;
    return n;
}

static int run_batch(Batch *b)
{
    const Options *o = &b->command->options;
    b->signals = command_budget(b->command);
    b->started = budget_now();
    if (!o->quiet && b->n_todo < b->jobs.len)
        visible_print(stderr, "%zu of %zu jobs are done already\n", b->jobs.len - b->n_todo, b->jobs.len);
    g_autofree char *limits = NULL;
    Cgroups *groups = cgroups_open(&cgroup_kernel, &limits);
    if (o->verbose) visible_print(stderr, "limits by rlimit, %s\n", limits);
    RunnerOptions options = {
        .jobs = o->jobs > 0 ? (unsigned)o->jobs : (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1),
        .seconds = o->time,
        .memory = (uint64_t)o->memory << 20,
        .stop = b->signals.stop,
        .groups = groups,
    };
    Runner runner = {run_job, job_done, show_progress, b};
    bool whole = runner_run(b->todo, b->n_todo, &options, &runner);
    cgroups_close(groups);
    command_end_progress();
    bool lost = b->error != NULL;
    if (lost) command_fail_error(g_steal_pointer(&b->error));
    if (!print_results(b)) {
        lost = true;
        command_fail_error(g_steal_pointer(&b->error));
    }
    b->wrong = MAX(b->wrong, wrong_rows(&b->rows));
    if (!whole && !o->quiet)
        visible_print(stderr, "stopped after %zu of %zu jobs%s\n", b->n_done, b->n_todo,
                      o->output ? "; --resume continues" : "");
    return lost ? EXIT_USAGE : b->wrong ? EXIT_VIOLATED : whole ? EXIT_HOLDS : EXIT_UNKNOWN;
}

int command_batch(Command *command)
{
    if (command->n_arguments != 1) return command_fail("batch: one folder of instances or one list is expected");
    if (command->options.resume && !command->options.output)
        return command_fail("batch: --resume needs the result file: -o FILE");
    int code = command_check_names(command);
    if (code) return code;
    Batch b = {.command = command};
    code = EXIT_USAGE;
    if (prepare(&b))
        code = run_batch(&b);
    else if (b.error)
        command_fail_error(g_steal_pointer(&b.error));
    rows_free(&b.rows);
    jobs_free(&b.jobs);
    ledger_close(b.ledger);
    expected_free(b.expected);
    g_free(b.todo);
    g_free(b.witnesses);
    g_free(b.certificates);
    return code;
}
