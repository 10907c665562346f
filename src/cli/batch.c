#include "batch/batch.h"
#include "batch/relations.h"
#include "batch/summary.h"
#include "base/visible.h"
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

/* Longer than a worker is ever busy with anything but waiting. */
#define LEASE_SECONDS 60

static bool parse_shard(const char *text, uint32_t *index, uint32_t *count)
{
    char *end;
    if (!g_ascii_isdigit(*text)) return false;
    guint64 i = g_ascii_strtoull(text, &end, 10);
    if (*end != '/' || !g_ascii_isdigit(end[1])) return false;
    guint64 n = g_ascii_strtoull(end + 1, &end, 10);
    *index = (uint32_t)i;
    *count = (uint32_t)n;
    return !*end && i >= 1 && i <= n && n <= 1000000;
}

/* Those of `names`, separated by commas; all when NULL. 0 and told when one is not known or stands twice. */
static size_t parse_examinations(const char *names, Task *tasks)
{
    bool chosen[N_EXAMINATIONS] = {0};
    g_auto(GStrv) list = g_strsplit(names, ",", -1);
    size_t n = 0;
    for (char **name = list; *name; name++) {
        Task task;
        if (!task_find_examination(*name, &task)) {
            g_autofree char *all = task_examinations();
            command_fail("batch: there is no examination '%s'; choose from %s", *name, all);
            return 0;
        }
        if (chosen[task]) {
            command_fail("batch: --examinations has %s twice", *name);
            return 0;
        }
        chosen[task] = true;
        tasks[n++] = task;
    }
    if (!n) command_fail("batch: --examinations names none");
    return n;
}

static size_t choose_tasks(const Options *o, Task *tasks)
{
    if (!o->compare_relations && o->examinations) return parse_examinations(o->examinations, tasks);
    size_t n = 0;
    for (Task q = 0; q < N_TASKS; q++) {
        Relation relation;
        bool unfolds = task_relation(q, &relation);
        if (o->compare_relations ? unfolds && relation_has(relation, RELATION_DEFAULT_COMPARE) : task_is_usual(q))
            tasks[n++] = q;
    }
    return n;
}

static void show_progress(const BatchProgress *p, void *data)
{
    const Budget *signals = data;
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_append_printf(line, "%zu of %zu jobs, %zu running, %zu answers, %zu wrong", p->done, p->todo, p->running,
                           p->solved, p->wrong);
    if (p->done) {
        double left = p->seconds / (double)p->done * (double)(p->todo - p->done);
        g_string_append_printf(line, ", about %d:%02d:%02d left", (int)left / 3600, (int)left / 60 % 60,
                               (int)left % 60);
    }
    budget_show_line(signals, line->str);
}

static void print_rows(const Options *o, const Rows *rows, size_t n_earlier)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (o->json) {
        for (size_t i = n_earlier; i < rows->len; i++) row_print(&rows->data[i], text);
    } else if (o->compare_relations) {
        relations_print(rows, text);
    } else {
        g_autoptr(Summary) summary = summary_new(rows);
        summary_print(summary, text);
    }
    if (o->json)
        fputs(text->str, stdout);
    else
        visible_lines(stdout, text->str);
}

static bool any_wrong(const Rows *rows)
{
    for (size_t i = 0; i < rows->len; i++)
        if (rows->data[i].has_agrees && !rows->data[i].agrees) return true;
    return false;
}

/* True, and told, when evidence of this run is missing. */
static bool tell_losses(const Rows *rows, size_t n_earlier)
{
    size_t n = 0, first = 0;
    for (size_t i = rows->len; i-- > n_earlier;)
        if (rows->data[i].unwritten) first = i, n++;
    if (n) command_fail("batch: evidence of %zu answers is not there: %s", n, rows->data[first].unwritten);
    return n;
}

static int run_batch(const Options *o, Batch *batch)
{
    const BatchProgress *p = batch_progress(batch);
    if (!o->quiet && p->todo < p->jobs)
        visible_print(stderr, "%zu of %zu jobs are done already\n", p->jobs - p->todo, p->jobs);
    if (o->verbose) visible_print(stderr, "limits by rlimit, %s\n", batch_limits(batch));
    GError *error = NULL;
    bool whole = batch_run(batch, &error);
    command_end_progress();
    bool lost = error != NULL;
    if (lost) command_fail_error(g_steal_pointer(&error));
    size_t n_earlier;
    const Rows *rows = batch_rows(batch, &n_earlier, &error);
    if (!rows) return command_fail_error(error);
    print_rows(o, rows, n_earlier);
    if (!whole && !o->quiet)
        visible_print(stderr, "stopped after %zu of %zu jobs%s\n", p->done, p->todo,
                      o->output  ? "; --resume continues"
                      : o->claim ? "; the same command continues"
                                 : "");
    bool missing = tell_losses(rows, n_earlier);
    if (any_wrong(rows) && !lost) return EXIT_VIOLATED;
    return lost || missing ? EXIT_USAGE : whole ? EXIT_HOLDS : EXIT_UNKNOWN;
}

int command_batch(Command *command)
{
    const Options *o = &command->options;
    if (command->n_arguments != 1) return command_fail("batch: one folder of instances or one list is expected");
    if (o->resume && !o->output) return command_fail("batch: --resume needs the result file: -o FILE");
    if (o->claim && (o->output || o->resume || o->shard))
        return command_fail("batch: with --claim the results are in its folder, which also says what is left: "
                            "no -o, --resume or --shard");
    if (o->lease && !o->claim) return command_fail("batch: --lease goes with --claim");
    int code = command_check_names(command);
    if (code) return code;
    Task tasks[N_TASKS];
    Budget signals = command_budget(command);
    BatchOptions options = {
        .source = command->arguments[0],
        .tasks = tasks,
        .n_tasks = choose_tasks(o, tasks),
        .repeat = (uint32_t)MAX(o->repeat, 1),
        .expected = o->expected,
        .output = o->output,
        .resume = o->resume,
        .claim = o->claim,
        .lease = o->lease > 0 ? o->lease : LEASE_SECONDS,
        .witnesses = o->witnesses,
        .certificates = o->certificates,
        .engine = o->engine,
        .threads = (unsigned)MAX(o->threads, 1),
        .at_once = (unsigned)MAX(o->jobs, 0),
        .seed = (uint64_t)o->seed,
        .memory = (uint64_t)o->memory << 20,
        .seconds = o->time,
        .stop = budget_stop_flag(&signals),
        .show = budget_is_shown(&signals) ? show_progress : NULL,
        .data = &signals,
    };
    if (!options.n_tasks) return EXIT_USAGE;
    if (o->shard && !parse_shard(o->shard, &options.shard, &options.shards))
        return command_fail("batch: --shard wants I/N with 1 <= I <= N, not '%s'", o->shard);
    GError *error = NULL;
    g_autoptr(Batch) batch = batch_open(&options, &signals, &error);
    return batch ? run_batch(o, batch) : command_fail_reading(command, error);
}
