#include "batch/contest.h"
#include "batch/technique.h"
#include "base/visible.h"
#include "cli/guard.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the contest's lines ---- */

typedef struct Lines {
    Task task;
    GPtrArray *ids; /* by number of query; NULL: one that cannot stand in a line */
    GTree *numbers; /* id -> its number and 1 more */
} Lines;

static int compare_ids(const void *a, const void *b, void *data)
{
    (void)data;
    return strcmp(a, b);
}

/* A line is words separated by blanks: an id that has any, or a control character, would say something else. */
static bool is_word(const char *id)
{
    for (const unsigned char *c = (const unsigned char *)id; *c; c++)
        if (*c <= ' ' || *c == 0x7f) return false;
    return *id != 0;
}

static void announce(Lines *lines, const Record *query)
{
    const char *id = record_query_id(query->detail);
    if (query->detail == QUERY_PROPERTY) id = query->text;
    if (query->detail == QUERY_WHOLE) id = task_name(lines->task);
    guint earlier = GPOINTER_TO_UINT(g_tree_lookup(lines->numbers, id));
    bool usable = is_word(id) && !earlier;
    g_ptr_array_add(lines->ids, usable ? g_strdup(id) : NULL);
    if (earlier) g_clear_pointer(&lines->ids->pdata[earlier - 1], g_free);
    if (usable) g_tree_insert(lines->numbers, g_strdup(id), GUINT_TO_POINTER(query->query + 1));
    if (!usable)
        visible_print(stderr, "mazurka: property %u gets no line: its id %s\n", query->query + 1,
                      earlier ? "is that of another" : "is not one word");
}

static void print_answer(const Lines *lines, const Record *answer)
{
    const char *id = lines->ids->pdata[answer->query];
    if (!id) return;
    g_autofree char *verdict = record_verdict_text(answer);
    g_autoptr(GString) techniques = g_string_new(NULL);
    techniques_print(answer->techniques, techniques);
    visible_print(stdout, "%s %s %s TECHNIQUES %s\n", lines->task == TASK_STATE_SPACE ? "STATE_SPACE" : "FORMULA", id,
                  verdict, techniques->str);
    fflush(stdout);
}

static void print_fault(const Lines *lines, uint32_t query)
{
    const char *id = query < lines->ids->len ? lines->ids->pdata[query] : NULL;
    if (id) visible_print(stdout, "FORMULA %s CANNOT_COMPUTE\n", id);
    fflush(stdout);
}

static void print_refusal(Refusal refusal)
{
    puts(refusal == REFUSAL_UNSUPPORTED ? "DO_NOT_COMPETE" : "CANNOT_COMPUTE");
    fflush(stdout);
}

static void print_record(const Record *record, void *data)
{
    if (record->kind == RECORD_QUERY) announce(data, record);
    if (record->kind == RECORD_ANSWER) print_answer(data, record);
    if (record->kind == RECORD_REASON && record->detail == REASON_FAULT) print_fault(data, record->query);
    if (record->kind == RECORD_REFUSAL) print_refusal(record->detail);
}

/* ---- the command ---- */

/* A limit from the harness, unless an option says otherwise; 0 when neither is there. */
static double limit(double option, const char *const *variables)
{
    if (option > 0) return option;
    for (; *variables; variables++) {
        const char *text = g_getenv(*variables);
        double value = text ? g_ascii_strtod(text, NULL) : 0;
        if (value > 0) return value;
    }
    return 0;
}

static Budget contest_budget(Command *command)
{
    double seconds = limit(command->options.time, (const char *const[]){"BK_TIME_CONFINEMENT", NULL});
    double megabytes = limit((double)command->options.memory,
                             (const char *const[]){"BK_MEMORY_CONFINEMENT", "BK_MEM_CONFINEMENT", NULL});
    Budget budget = command_budget(command);
    /* Ended by the guard just before the harness would do it. */
    guard_arm(command, seconds > 0 ? command->started + seconds - guard_patience(seconds) : 0, seconds,
              (uint64_t)(megabytes * 1024 * 1024));
    if (seconds > 0) seconds -= contest_margin(seconds);
    budget_limit_time(&budget, command->started, seconds);
    if (megabytes > 0) budget_limit_memory(&budget, (uint64_t)(megabytes * 0.9 * 1024 * 1024));
    budget_show(&budget, NULL, NULL); /* standard error is kept by the harness */
    return budget;
}

int command_mcc(Command *command)
{
    const Options *o = &command->options;
    if (command->n_arguments > 1) return command_fail("mcc: at most one folder or net is expected");
    int code = command_check_names(command);
    if (code) return code;
    const char *examination = o->examination ? o->examination : g_getenv("BK_EXAMINATION");
    if (!examination || !*examination) return command_fail("mcc: BK_EXAMINATION is not set; it names the examination");
    Lines lines = {0};
    if (!task_find_examination(examination, &lines.task)) {
        print_refusal(REFUSAL_UNSUPPORTED);
        return EXIT_HOLDS;
    }
    Budget budget = contest_budget(command);
    g_autoptr(GPtrArray) ids = lines.ids = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GTree) numbers = lines.numbers = g_tree_new_full(compare_ids, NULL, g_free, NULL);
    ContestRun run = {
        .path = command->n_arguments ? command->arguments[0] : ".",
        .task = lines.task,
        .engine = o->engine,
        .threads = o->threads > 0 ? (unsigned)o->threads : (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1),
        .seed = (uint64_t)o->seed,
        .tell = print_record,
        .data = &lines,
        .log = o->verbose ? stderr : NULL,
    };
    return contest_run(&run, &budget) ? EXIT_HOLDS : EXIT_USAGE;
}
