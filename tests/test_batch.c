#include "test.h"

#include "base/budget.h"
#include "base/vec.h"
#include "verify/evidence.h"
#include "batch/jobs.h"
#include "batch/ledger.h"
#include "batch/runner.h"
#include "batch/summary.h"

#include <string.h>
#include <unistd.h>

/* ---- the runner, with jobs that misbehave ---- */

enum {
    JOB_FINE,
    JOB_CRASH,
    JOB_HANG,
    JOB_EATS_MEMORY,
    JOB_CLOSES_PIPE,
    JOB_EXIT_7,
    JOB_TALKS,
    JOB_SILENT_HANG,
    JOB_LEAVES_HEIR,
    JOB_TALKS_FOR_EVER,
    N_JOBS
};

enum { TALKS = 20000 }; /* lines of 7 bytes: more than a pipe holds */

static int misbehave(size_t job, int tell, void *data)
{
    (void)data;
    printf("what is printed is not told\n");
    fflush(stdout);
    dprintf(tell, "job %zu\n", job);
    switch (job) {
    case JOB_CRASH: abort();
    case JOB_HANG:
        for (;;) pause();
    case JOB_EATS_MEMORY:
        for (size_t i = 0;; i++) {
            char *block = malloc(1 << 20);
            if (!block) abort();
            memset(block, (int)i, 1 << 20);
        }
    case JOB_CLOSES_PIPE:
        close(tell);
        usleep(20000);
        return 0;
    case JOB_EXIT_7: return 7;
    case JOB_TALKS:
        for (int i = 0; i < TALKS; i++) dprintf(tell, "a line\n");
        return 0;
    case JOB_SILENT_HANG:
        close(tell);
        for (;;) pause();
    case JOB_LEAVES_HEIR: /* which keeps the pipe open */
        if (fork() == 0)
            for (;;) pause();
        return 0;
    case JOB_TALKS_FOR_EVER:
        for (;;) dprintf(tell, "a line\n");
    }
    return 0;
}

typedef struct Seen {
    JobEnding ending[N_JOBS];
    int status[N_JOBS];
    size_t told[N_JOBS], n, stop_after;
    bool truncated[N_JOBS];
} Seen;

static bool note(size_t job, const JobOutcome *outcome, void *data)
{
    Seen *seen = data;
    if (outcome->ending == JOB_ENDED_STOPPED) return true;
    seen->ending[job] = outcome->ending;
    seen->status[job] = outcome->status;
    seen->told[job] = outcome->told_len;
    seen->truncated[job] = outcome->truncated;
    seen->n++;
    return !seen->stop_after || seen->n < seen->stop_after;
}

START_TEST(a_job_that_misbehaves_is_an_outcome)
{
    static const size_t ends[] = {JOB_FINE,  JOB_CRASH,       JOB_CLOSES_PIPE, JOB_EXIT_7,
                                  JOB_TALKS, JOB_LEAVES_HEIR, JOB_EATS_MEMORY},
                        hangs[] = {JOB_HANG, JOB_SILENT_HANG, JOB_TALKS_FOR_EVER};
    Seen seen = {0};
    JobCalls runner = {.work = misbehave, .done = note, .data = &seen};
    RunnerOptions options = {.jobs = 3, .seconds = TEST_PLENTY, .memory = TEST_SANITIZED ? 0 : UINT64_C(200) << 20};
    ck_assert(runner_run(ends, G_N_ELEMENTS(ends) - TEST_SANITIZED, &options, &runner));
    options.seconds = 2;
    ck_assert(runner_run(hangs, G_N_ELEMENTS(hangs), &options, &runner));
    ck_assert_uint_eq(seen.n, N_JOBS - TEST_SANITIZED);
    ck_assert_int_eq(seen.ending[JOB_FINE], JOB_ENDED_DONE);
    ck_assert_int_eq(seen.ending[JOB_CRASH], JOB_ENDED_CRASH);
    ck_assert_int_eq(seen.status[JOB_CRASH], SIGABRT);
    ck_assert_int_eq(seen.ending[JOB_HANG], JOB_ENDED_TIME);
    if (!TEST_SANITIZED) ck_assert_int_eq(seen.ending[JOB_EATS_MEMORY], JOB_ENDED_MEMORY);
    ck_assert_int_eq(seen.ending[JOB_CLOSES_PIPE], JOB_ENDED_DONE);
    ck_assert_int_eq(seen.status[JOB_EXIT_7], 7);
    ck_assert_uint_eq(seen.told[JOB_FINE], strlen("job 0\n"));
    ck_assert_uint_eq(seen.told[JOB_TALKS], strlen("job 6\n") + 7 * TALKS);
    ck_assert_int_eq(seen.ending[JOB_SILENT_HANG], JOB_ENDED_TIME);
    ck_assert_int_eq(seen.ending[JOB_LEAVES_HEIR], JOB_ENDED_DONE);
    ck_assert_int_eq(seen.ending[JOB_TALKS_FOR_EVER], JOB_ENDED_TIME);
    for (size_t i = 0; i < N_JOBS; i++) ck_assert(!seen.truncated[i] || i == JOB_TALKS_FOR_EVER);
}
END_TEST

START_TEST(what_is_told_beyond_the_bound_is_dropped_and_said)
{
    const size_t order[] = {JOB_FINE, JOB_TALKS}, kept = strlen("job 6\n") + 7 * 1000;
    for (size_t spare = 0; spare < 3; spare++) {
        Seen seen = {0};
        JobCalls runner = {.work = misbehave, .done = note, .data = &seen};
        RunnerOptions options = {.jobs = 2, .most_told = spare ? kept + spare : strlen("job 6\n") + 7 * TALKS};
        ck_assert(runner_run(order, 2, &options, &runner));
        ck_assert(!seen.truncated[JOB_FINE] && seen.truncated[JOB_TALKS] == (spare > 0));
        ck_assert_uint_eq(seen.told[JOB_TALKS], options.most_told);
        ck_assert_int_eq(seen.ending[JOB_TALKS], JOB_ENDED_DONE);
    }
}
END_TEST

/* As from a shell that started the batch with "trap '' CHLD". */
START_TEST(children_are_seen_to_end_when_their_signal_is_ignored)
{
    signal(SIGCHLD, SIG_IGN);
    const size_t order[] = {JOB_FINE, JOB_CRASH, JOB_EXIT_7, JOB_TALKS};
    Seen seen = {0};
    JobCalls runner = {.work = misbehave, .done = note, .data = &seen};
    RunnerOptions options = {.jobs = 2, .seconds = TEST_PLENTY};
    alarm(60); /* it used to spin for ever */
    ck_assert(runner_run(order, G_N_ELEMENTS(order), &options, &runner));
    alarm(0);
    ck_assert_uint_eq(seen.n, 4);
    ck_assert_int_eq(seen.status[JOB_CRASH], SIGABRT);
    ck_assert_int_eq(seen.status[JOB_EXIT_7], 7);
    struct sigaction after;
    sigaction(SIGCHLD, NULL, &after);
    ck_assert_msg(after.sa_handler == SIG_IGN, "what was inherited is left as it was");
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

/* Descriptors 0 to 2 may be free when a batch starts: the pipe then gets them. */
START_TEST(jobs_tell_although_standard_descriptors_are_closed)
{
    int saved[3];
    for (int fd = 0; fd < 3; fd++) {
        saved[fd] = dup(fd);
        close(fd);
    }
    const size_t order[] = {JOB_FINE, JOB_EXIT_7, JOB_TALKS};
    Seen seen = {0};
    JobCalls runner = {.work = misbehave, .done = note, .data = &seen};
    RunnerOptions options = {.jobs = 2, .seconds = TEST_PLENTY};
    bool whole = runner_run(order, G_N_ELEMENTS(order), &options, &runner);
    for (int fd = 0; fd < 3; fd++) {
        if (saved[fd] < 0) continue;
        dup2(saved[fd], fd);
        close(saved[fd]);
    }
    ck_assert(whole);
    ck_assert_uint_eq(seen.told[JOB_FINE], strlen("job 0\n"));
    ck_assert_uint_eq(seen.told[JOB_TALKS], strlen("job 6\n") + 7 * TALKS);
}
END_TEST

START_TEST(a_refusal_stops_the_batch)
{
    size_t order[20];
    for (size_t i = 0; i < 20; i++) order[i] = JOB_FINE;
    Seen seen = {.stop_after = 3};
    JobCalls runner = {.work = misbehave, .done = note, .data = &seen};
    RunnerOptions options = {.jobs = 2};
    ck_assert(!runner_run(order, 20, &options, &runner));
    ck_assert_uint_eq(seen.n, 3);
}
END_TEST

/* ---- control groups, where this machine lets us have them (bench/batch/qemu-cgroup brings one that does) ---- */

enum { TREE_FINE, TREE_TOO_LARGE, TREE_ESCAPES, TREE_MULTIPLIES, N_TREES };

static void touch(size_t megabytes)
{
    char *block = malloc(megabytes << 20);
    if (!block) abort();
    memset(block, 1, megabytes << 20);
    __asm__ volatile("" : : "r"(block) : "memory"); /* or it would never be allocated */
}

/* None of its processes is too large by itself, and some leave the process group. */
static int grow_tree(size_t job, int tell, void *data)
{
    (void)data;
    if (job == TREE_FINE) touch(40);
    for (int i = 0; job == TREE_TOO_LARGE && i < 3; i++)
        if (fork() == 0) {
            touch(60);
            for (;;) pause();
        }
    if (job == TREE_TOO_LARGE)
        for (;;) pause();
    for (int i = 0; job == TREE_ESCAPES && i < 5; i++)
        if (fork() == 0) {
            setsid();
            close(tell);
            for (;;) pause();
        }
    if (job == TREE_MULTIPLIES) {
        int n = 0;
        for (pid_t pid; n < 3000 && (pid = fork()) >= 0; n++)
            if (pid == 0)
                for (;;) pause();
        return n < 3000 ? 0 : 1;
    }
    return 0;
}

typedef struct SeenTrees {
    JobOutcome outcome[N_TREES];
} SeenTrees;

static bool note_tree(size_t job, const JobOutcome *outcome, void *data)
{
    ((SeenTrees *)data)->outcome[job] = *outcome;
    return true;
}

/* Living ones: the dead wait for whoever inherited them. */
static size_t processes(void)
{
    size_t n = 0;
    g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename("/proc", name, "stat", NULL), *stat = NULL;
        if (!g_ascii_isdigit(*name) || !g_file_get_contents(path, &stat, NULL, NULL)) continue;
        const char *state = strrchr(stat, ')');
        n += state && strchr("ZX", state[2]) == NULL;
    }
    return n;
}

START_TEST(control_groups_hold_whole_process_trees)
{
    g_autofree char *how = NULL;
    Cgroups *groups = cgroups_open(&cgroup_kernel, &how);
    if (!groups) {
        printf("skipped: %s\n", how);
        return;
    }
    printf("%s\n", how);
    size_t order[N_TREES] = {0, 1, 2, 3}, before = processes();
    SeenTrees seen = {0};
    JobCalls runner = {.work = grow_tree, .done = note_tree, .data = &seen};
    RunnerOptions options = {.jobs = 1, .seconds = 300, .memory = UINT64_C(100) << 20, .groups = groups};
    ck_assert(runner_run(order, N_TREES, &options, &runner));
    cgroups_close(groups);
    ck_assert_int_eq(seen.outcome[TREE_FINE].ending, JOB_ENDED_DONE);
    ck_assert_uint_ge(seen.outcome[TREE_FINE].peak_kib, 40 << 10);
    ck_assert_uint_le(seen.outcome[TREE_FINE].peak_kib, 60 << 10);
    ck_assert_int_eq(seen.outcome[TREE_TOO_LARGE].ending, JOB_ENDED_MEMORY);
    ck_assert_uint_le(seen.outcome[TREE_TOO_LARGE].peak_kib, 100 << 10);
    ck_assert_uint_ge(seen.outcome[TREE_TOO_LARGE].peak_kib, 90 << 10);
    ck_assert_int_eq(seen.outcome[TREE_ESCAPES].ending, JOB_ENDED_DONE);
    ck_assert_int_eq(seen.outcome[TREE_MULTIPLIES].ending, JOB_ENDED_DONE);
    ck_assert_int_eq(seen.outcome[TREE_MULTIPLIES].status, 0); /* it met the limit */
    ck_assert_uint_le(processes(), before + 20);
    printf("control groups held\n");
}
END_TEST

/* ---- the ledger ---- */

static Row sample(const char *instance, const char *id, uint32_t repeat)
{
    return (Row){.instance = g_strdup(instance),
                 .examination = g_strdup("E"),
                 .id = g_strdup(id),
                 .verdict = g_strdup("TRUE"),
                 .repeat = repeat,
                 .wall = 1.5};
}

static void append(Ledger *ledger, const char *instance, size_t n)
{
    Row rows[8];
    for (size_t i = 0; i < n; i++) {
        g_autofree char *id = g_strdup_printf("q\"%zu\\\n", i); /* characters that JSON escapes */
        rows[i] = sample(instance, id, 0);
    }
    ck_assert(ledger_append(ledger, rows, n, NULL));
    for (size_t i = 0; i < n; i++) row_clear(&rows[i]);
}

START_TEST(a_torn_ledger_resumes_at_its_last_whole_job)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-ledger-XXXXXX", NULL);
    close(g_mkstemp(path));
    Ledger *ledger = ledger_open(path, false, NULL);
    append(ledger, "A", 1);
    append(ledger, "B", 3);
    ledger_close(ledger);
    g_autofree char *whole = NULL;
    gsize len;
    ck_assert(g_file_get_contents(path, &whole, &len, NULL));
    size_t first = (size_t)(strchr(whole, '\n') + 1 - whole);
    for (size_t cut = 0; cut <= len; cut++) {
        ck_assert(g_file_set_contents(path, whole, (gssize)cut, NULL));
        GError *error = NULL;
        ledger = ledger_open(path, true, &error);
        ck_assert_msg(ledger != NULL, "cut at %zu: %s", cut, error ? error->message : "");
        ck_assert(ledger_has(ledger, "A", "E", 0) == (cut >= first));
        ck_assert(ledger_has(ledger, "B", "E", 0) == (cut == len));
        ck_assert(!ledger_has(ledger, "A", "E", 1));
        if (!ledger_has(ledger, "A", "E", 0)) append(ledger, "A", 1);
        if (!ledger_has(ledger, "B", "E", 0)) append(ledger, "B", 3);
        ledger_close(ledger);
        g_autofree char *again = NULL;
        ck_assert(g_file_get_contents(path, &again, NULL, NULL));
        ck_assert_str_eq(again, whole);
    }
    g_autoptr(GError) error = NULL;
    ck_assert_msg(ledger_open(path, false, &error) == NULL, "an existing file needs --resume");
    unlink(path);
}
END_TEST

/* What is no result file, or is one that somebody has written to, is refused and keeps every byte. */
START_TEST(foreign_files_are_left_as_they_are)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-ledger-XXXXXX", NULL);
    close(g_mkstemp(path));
    unlink(path);
    Ledger *ledger = ledger_open(path, false, NULL);
    append(ledger, "A", 2);
    ledger_close(ledger);
    g_autofree char *whole = NULL, *deep = g_strnfill(100000, '[');
    gsize len;
    ck_assert(g_file_get_contents(path, &whole, &len, NULL));
    const char *texts[] = {"x",
                           "a letter without a line break at its end",
                           "a letter\n",
                           "\n",
                           "{\"instance\":\"a\"}\n",
                           "{\"instances\":\"a",
                           "[1, 2, 3]\n",
                           deep};
    for (size_t i = 0; i < 3 * G_N_ELEMENTS(texts); i++) {
        g_autoptr(GString) text = g_string_new(NULL);
        if (i % 3 == 1) g_string_append(text, whole);
        if (i % 3 == 2) g_string_append_len(text, whole, strchr(whole, '\n') + 1 - whole); /* half a job */
        g_string_append(text, texts[i / 3]);
        ck_assert(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
        g_autoptr(GError) error = NULL;
        ck_assert_msg(!ledger_open(path, true, &error), "%zu: %.40s is continued", i, texts[i / 3]);
        g_autofree char *after = NULL;
        ck_assert(g_file_get_contents(path, &after, NULL, NULL));
        ck_assert_str_eq(after, text->str);
    }
    ck_assert(g_file_set_contents(path, "\0\0\0", 3, NULL));
    g_autoptr(GError) error = NULL;
    ck_assert(!ledger_open(path, true, &error));
    ck_assert(strstr(error->message, "no result file") != NULL);
    unlink(path);
}
END_TEST

START_TEST(two_batches_on_one_file_refuse)
{
    g_autofree char *path = g_build_filename(g_get_tmp_dir(), "mazurka-ledger-XXXXXX", NULL);
    close(g_mkstemp(path));
    Ledger *first = ledger_open(path, true, NULL);
    g_autoptr(GError) error = NULL;
    ck_assert(ledger_open(path, true, &error) == NULL);
    ck_assert(strstr(error->message, "another batch") != NULL);
    ledger_close(first);
    first = ledger_open(path, true, NULL);
    ck_assert(first != NULL);
    ledger_close(first);
    unlink(path);
}
END_TEST

/* ---- totals ---- */

START_TEST(repetitions_count_once_and_must_agree)
{
    Rows rows = {0};
    const double walls[] = {3, 1, 2};
    for (uint32_t k = 0; k < 3; k++) {
        Row same = sample("I-1", "a", k), differs = sample("I-1", "b", k);
        same.wall = differs.wall = walls[k];
        if (k == 2) {
            g_free(differs.verdict);
            differs.verdict = g_strdup("FALSE");
        }
        vec_push(&rows, same);
        vec_push(&rows, differs);
    }
    g_autoptr(Summary) summary = summary_new(&rows);
    ck_assert_uint_eq(summary->n_queries, 2);
    ck_assert_str_eq(summary->queries[0].verdict, "TRUE");
    ck_assert(summary->queries[0].wall == 2 && summary->queries[0].fastest == 1 && summary->queries[0].slowest == 3);
    ck_assert(summary->queries[1].unstable && !summary->queries[1].verdict);
    rows_free(&rows);
}
END_TEST

START_TEST(shards_are_disjoint_and_whole)
{
    g_autofree char *folder = g_build_filename(g_get_tmp_dir(), "mazurka-jobs-XXXXXX", NULL);
    ck_assert(g_mkdtemp(folder) != NULL);
    for (int i = 0; i < 7; i++) {
        g_autofree char *path = g_strdup_printf("%s/n%d.pnml", folder, i);
        ck_assert(g_file_set_contents(path, "", 0, NULL));
    }
    const Task tasks[] = {TASK_ONE_SAFE, TASK_LIVENESS};
    size_t total = 0;
    GHashTable *seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t shard = 1; shard <= 4; shard++) {
        Jobs jobs;
        ck_assert(jobs_collect(folder, tasks, 2, 2, &jobs, NULL, NULL));
        ck_assert_uint_eq(jobs.len, 28);
        jobs_shard(&jobs, shard, 4);
        for (size_t i = 0; i < jobs.len; i++)
            g_hash_table_add(seen, g_strdup_printf("%s %s %u", jobs.data[i].instance, task_name(jobs.data[i].task),
                                                   jobs.data[i].repeat));
        total += jobs.len;
        jobs_free(&jobs);
    }
    ck_assert_uint_eq(total, 28);
    ck_assert_uint_eq(g_hash_table_size(seen), 28);
    g_hash_table_unref(seen);
    for (int i = 0; i < 7; i++) {
        g_autofree char *path = g_strdup_printf("%s/n%d.pnml", folder, i);
        unlink(path);
    }
    rmdir(folder);
}
END_TEST

/* ---- evidence ---- */

START_TEST(names_of_evidence_are_file_names)
{
    const struct {
        const char *id, *name;
        uint32_t repeat;
    } cases[] = {{"Net-PT-1-RC-00", "Net-PT-1-RC-00.run", 0},
                 {"x", "x.3.run", 2},
                 {"../../etc", "%2E.%2F..%2Fetc.run", 0},
                 {".", "%2E.run", 0},
                 {"a b%", "a%20b%25.run", 0},
                 {"", ".run", 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *name = evidence_name(cases[i].id, cases[i].repeat, ".run");
        ck_assert_str_eq(name, cases[i].name);
    }
    g_autofree char *long_id = g_strnfill(5000, 'x'), *other = g_strconcat(long_id, "y", NULL);
    g_autofree char *a = evidence_name(long_id, 0, ".run"), *b = evidence_name(other, 0, ".run");
    ck_assert_uint_lt(strlen(a), 200);
    ck_assert_str_ne(a, b);
}
END_TEST

START_TEST(paths_are_named_from_any_folder)
{
    g_autofree char *top = g_dir_make_tmp("mazurka-paths-XXXXXX", NULL), *deep = g_build_filename(top, "a", "b", NULL);
    g_autofree char *link = g_build_filename(top, "link", NULL), *file = g_build_filename(top, "w", "x", "y.run", NULL);
    g_mkdir_with_parents(deep, 0700);
    ck_assert_int_eq(symlink(deep, link), 0);
    g_autofree char *near = g_build_filename(deep, "c.run", NULL), *through = g_build_filename(link, "c.run", NULL);
    const struct {
        const char *folder, *path, *name;
    } cases[] = {{top, file, "w/x/y.run"},
                 {deep, file, "../../w/x/y.run"},
                 {link, file, "../../w/x/y.run"},
                 {deep, near, "c.run"},
                 {top, through, "a/b/c.run"},
                 {top, top, "."},
                 {"/", "/usr", "usr"},
                 {"/usr", "/", "../"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *name = evidence_relative(cases[i].folder, cases[i].path);
        ck_assert_str_eq(name, cases[i].name);
    }
    unlink(link);
    rmdir(deep);
    g_autofree char *a = g_build_filename(top, "a", NULL);
    rmdir(a);
    rmdir(top);
}
END_TEST

START_TEST(reasons_are_grouped_by_their_heads)
{
    const struct {
        const char *reason, *head;
    } heads[] = {{"time limit; walk: x", "time limit"},
                 {"memory limit (killed)", "memory limit"},
                 {"/a/m.pnml:3:1: bad", "cannot be read"},
                 {"the net is not safe: p", "the net is not safe"},
                 {"x", "x"},
                 {"", ""}};
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
        g_autofree char *head = summary_reason_head(heads[i].reason);
        ck_assert_str_eq(head, heads[i].head);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("batch");
    TEST_CASE(suite, a_job_that_misbehaves_is_an_outcome);
    TEST_CASE(suite, what_is_told_beyond_the_bound_is_dropped_and_said);
    TEST_CASE(suite, children_are_seen_to_end_when_their_signal_is_ignored);
    TEST_CASE(suite, jobs_tell_although_standard_descriptors_are_closed);
    TEST_CASE(suite, a_refusal_stops_the_batch);
    TEST_CASE(suite, control_groups_hold_whole_process_trees);
    TEST_CASE(suite, a_torn_ledger_resumes_at_its_last_whole_job);
    TEST_CASE(suite, foreign_files_are_left_as_they_are);
    TEST_CASE(suite, two_batches_on_one_file_refuse);
    TEST_CASE(suite, repetitions_count_once_and_must_agree);
    TEST_CASE(suite, shards_are_disjoint_and_whole);
    TEST_CASE(suite, names_of_evidence_are_file_names);
    TEST_CASE(suite, paths_are_named_from_any_folder);
    TEST_CASE(suite, reasons_are_grouped_by_their_heads);
    return test_run(suite);
}
