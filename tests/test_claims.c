/* Claims of jobs in a shared folder, by workers that are processes: whatever they do to each other, every job is done,
 * and has its rows once. */
#include "test.h"

#include "base/error.h"
#include "base/rng.h"
#include "batch/claims.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_JOBS = 300, N_WORKERS = 8, LONG_JOBS = 12, LONG_MS = 120, SHORT_MS = 4 };

/* In a soak they wait so long that what else runs here hardly counts; the longest is then ten times the shortest, and
 * who takes jobs in the order of the list without knowing how long they are needs 1.10 of the ideal time. */
static unsigned duration_ms(size_t job)
{
    bool is_long = job % (N_JOBS / LONG_JOBS) == 7;
    if (g_getenv("MAZURKA_SOAK")) return is_long ? 20 * LONG_MS : 60 * SHORT_MS;
    return is_long ? LONG_MS : SHORT_MS;
}

/* Works until nothing is left; every so often it stalls for longer than the lease, or dies. */
static void work(const char *folder, uint64_t seed, double lease, bool wild)
{
    Rng rng = {seed};
    g_autoptr(Claims) claims = claims_open(folder, "test\n", N_JOBS, lease, NULL);
    if (!claims) _exit(1);
    size_t job;
    for (NextJob next; (next = claims_next(claims, &job)) != NEXT_NONE;) {
        claims_renew(claims);
        if (next == NEXT_LATER) {
            g_usleep(2000);
            continue;
        }
        if (wild && rng_chance(&rng, 30)) _exit(0);
        bool stalls = wild && rng_chance(&rng, 30);
        g_usleep(stalls ? (gulong)(lease * 3e6) : duration_ms(job) * 1000ul);
        if (wild && rng_chance(&rng, 10)) {
            claims_release(claims, job);
            continue;
        }
        char row[64];
        g_snprintf(row, sizeof row, "{\"instance\":%zu,\"worker\":%d}\n", job, (int)getpid());
        if (!claims_finish(claims, job, row, strlen(row), NULL)) _exit(1);
    }
}

static pid_t start(const char *folder, uint64_t seed, double lease, bool wild)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid) return pid;
    work(folder, seed, lease, wild);
    _exit(0);
}

static void check_rows(const char *folder)
{
    g_autoptr(GString) rows = g_string_new(NULL);
    ck_assert(claims_rows(folder, rows, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(rows->str, "\n", -1);
    ck_assert_uint_eq(g_strv_length(lines), N_JOBS + 1);
    for (size_t i = 0; i < N_JOBS; i++) {
        g_autofree char *begin = g_strdup_printf("{\"instance\":%zu,", i);
        ck_assert_msg(g_str_has_prefix(lines[i], begin), "%s", lines[i]);
    }
}

static char *new_folder(void)
{
    char *folder = g_dir_make_tmp("mazurka-claims-XXXXXX", NULL);
    ck_assert_ptr_nonnull(folder);
    return folder;
}

static void remove_folder(char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; (name = g_dir_read_name(dir)) != NULL;) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
    g_free(folder);
}

START_TEST(workers_share_the_jobs)
{
    char *folder = new_folder();
    double began = budget_now(), total = 0;
    for (size_t i = 0; i < N_JOBS; i++) total += duration_ms(i) * 1e-3;
    for (uint64_t i = 0; i < N_WORKERS; i++) start(folder, i + 1, 5, false);
    int status;
    for (int i = 0; i < N_WORKERS; i++) {
        ck_assert(wait(&status) > 0);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    double took = budget_now() - began, ideal = total / N_WORKERS;
    printf("%d workers, %d jobs: %.3f s, ideal %.3f s\n", N_WORKERS, N_JOBS, took, ideal);
    if (g_getenv("MAZURKA_SOAK")) ck_assert_double_le(took, 1.15 * ideal);
    check_rows(folder);
    remove_folder(folder);
}
END_TEST

START_TEST(the_dead_and_the_slow_lose_nothing)
{
    for (uint64_t round = 1; round <= test_rounds(2, 20); round++) {
        char *folder = new_folder();
        pid_t pids[N_WORKERS];
        for (uint64_t i = 0; i < N_WORKERS; i++) pids[i] = start(folder, round * 100 + i, 0.2, true);
        Rng rng = {round};
        for (int i = 0; i < N_WORKERS / 2; i++) {
            g_usleep((gulong)rng_below(&rng, 100000));
            kill(pids[i], SIGKILL);
        }
        pid_t last = start(folder, 1, 0.2, false);
        int status;
        ck_assert_int_eq(waitpid(last, &status, 0), last);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        check_rows(folder);
        while (wait(&status) > 0) ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        check_rows(folder);
        remove_folder(folder);
    }
}
END_TEST

START_TEST(folders_of_other_batches_are_refused)
{
    char *folder = new_folder();
    g_autoptr(GError) error = NULL;
    claims_close(claims_open(folder, "one\n", 3, 1, NULL));
    ck_assert_ptr_null(claims_open(folder, "other\n", 3, 1, &error));
    ck_assert_ptr_nonnull(strstr(error->message, "another batch"));
    g_autoptr(Claims) same = claims_open(folder, "one\n", 3, 1, NULL);
    size_t job, n = 0;
    for (; claims_next(same, &job) == NEXT_JOB; n++) ck_assert(claims_finish(same, job, "r\n", 2, NULL));
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(claims_done(same), 3);
    claims_close(g_steal_pointer(&same));
    remove_folder(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("claims");
    TEST_CASE(suite, workers_share_the_jobs);
    TEST_CASE(suite, the_dead_and_the_slow_lose_nothing);
    TEST_CASE(suite, folders_of_other_batches_are_refused);
    return test_run(suite);
}
