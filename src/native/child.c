#include "native/child.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOLD = 3, LOOK_MS = 100, LONGEST = 1 << 16 };

/* A little more than the limit: the program ends by itself in time, and knows how far it came. */
static const double patience = 1.5;

typedef struct Child {
    pid_t pid;
    int from;
    char *word;    /* before every line of the runtime */
    GString *text; /* the beginning of a line */
    double deadline;
    uint64_t memory;
    Budget *budget;
    NativeResult *result;
} Child;

char *native_child_settings(const NativeOptions *o)
{
    GString *s = g_string_new(NULL);
    g_string_printf(
        s,
        "file=%d algorithm=%u partial=%u restart=%d memory=%d stop=%d output=%d depth=%u executions=%" G_GUINT64_FORMAT,
        TOLD, o->algorithm, o->partial, o->restart, o->visible_memory, o->stop_at_failure, o->show_output, o->depth,
        o->max_executions);
    if (o->seconds > 0) g_string_append_printf(s, " milliseconds=%.0f", o->seconds * 1000);
    if (o->debugged) g_string_append(s, " gdb=1");
    if (o->tree) g_string_append_printf(s, " tree=%u", o->tree);
    if (o->witness) g_string_append_printf(s, " steps=1 witness=%s", o->witness);
    return g_string_free(s, FALSE);
}

static void become(char **argv, char **environment, int to)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    personality(ADDR_NO_RANDOMIZE);
    if (to == TOLD)
        fcntl(to, F_SETFD, 0);
    else
        dup2(to, TOLD);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* results have standard output for themselves */
    signal(SIGINT, SIG_IGN);            /* the parent decides */
    execve(argv[0], argv, environment);
    _exit(127);
}

static bool start(Child *child, char **argv, const NativeOptions *options, GError **error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_IO, "%s: no pipe: %s", argv[0], g_strerror(errno));
        return false;
    }
    g_autofree char *settings = native_child_settings(options), *told = NULL;
    told = g_strdup_printf("word=%s %s", child->word, settings);
    g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "MAZURKA_RUN", told, TRUE);
    child->pid = fork();
    if (child->pid == 0) become(argv, environment, ends[1]);
    close(ends[1]);
    child->from = ends[0];
    if (child->pid > 0) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_IO, "%s: no process: %s", argv[0], g_strerror(errno));
    close(ends[0]);
    return false;
}

static uint64_t resident(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/statm", (int)pid);
    unsigned long pages = 0, all;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%lu %lu", &all, &pages) != 2) pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Why the program must be ended now, or NULL. */
static const char *over_limit(const Child *child)
{
    if (child->deadline > 0 && (double)g_get_monotonic_time() * 1e-6 > child->deadline) return "time";
    if (child->memory && resident(child->pid) > child->memory) return "memory";
    if (budget_look(child->budget))
        return budget_ending(child->budget) == ENDING_TIME     ? "time"
               : budget_ending(child->budget) == ENDING_MEMORY ? "memory"
                                                               : "stopped";
    return NULL;
}

/* The program has the pipe too: what it writes there must not be taken for an answer. */
static void take_line(Child *child, const char *line)
{
    NativeResult *r = child->result;
    if (g_str_has_prefix(line, child->word) && line[strlen(child->word)] == '\t')
        native_result_read(r, line + strlen(child->word) + 1);
    else if (!r->refused)
        r->refused =
            g_strdup("it writes to the descriptor on which its runtime answers: nothing it says can be believed");
}

static void take_lines(Child *child)
{
    const char *line = child->text->str, *end;
    for (; (end = strchr(line, '\n')); line = end + 1) {
        child->text->str[end - child->text->str] = 0;
        take_line(child, line);
    }
    g_string_erase(child->text, 0, line - child->text->str);
    if (child->text->len > LONGEST) take_line(child, child->text->str);
}

/* False at the end of what it tells. */
static bool listen(Child *child)
{
    char bytes[1 << 14];
    struct pollfd from = {.fd = child->from, .events = POLLIN};
    if (poll(&from, 1, LOOK_MS) <= 0) return true;
    ssize_t n = read(child->from, bytes, sizeof bytes);
    if (n <= 0) return n < 0 && errno == EINTR;
    for (ssize_t i = 0; i < n; i++)
        if (!bytes[i]) bytes[i] = ' ';
    g_string_append_len(child->text, bytes, n);
    take_lines(child);
    return true;
}

static void finish(Child *child, const char *limit)
{
    int status;
    if (limit) kill(child->pid, SIGKILL);
    struct rusage usage = {0};
    while (wait4(child->pid, &status, 0, &usage) < 0 && errno == EINTR) continue;
    child->result->peak_kib = usage.ru_maxrss;
    close(child->from);
    NativeResult *r = child->result;
    if (!limit && WIFSIGNALED(status)) r->died_of = WTERMSIG(status);
    if (limit) {
        g_free(r->reason);
        r->reason = g_strdup(limit);
    }
}

NativeResult *native_child_run(char **argv, const NativeOptions *options, Budget *budget, GError **error)
{
    Child child = {.budget = budget, .memory = options->memory, .word = g_uuid_string_random()};
    if (!start(&child, argv, options, error)) {
        g_free(child.word);
        return NULL;
    }
    if (options->seconds > 0) child.deadline = (double)g_get_monotonic_time() * 1e-6 + options->seconds + patience;
    child.result = native_result_new();
    child.text = g_string_new(NULL);
    const char *limit = NULL;
    while (!limit && listen(&child)) limit = child.result->refused ? "stopped" : over_limit(&child);
    finish(&child, limit);
    g_string_free(child.text, TRUE);
    g_free(child.word);
    if (child.result->started || limit) return child.result;
    g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "%s: this program does not start under the runtime", argv[0]);
    native_result_free(child.result);
    return NULL;
}
