#include "cli/native.h"

#include "base/visible.h"
#include "cli/explore_print.h"

#include <string.h>

enum { SHOWN_STEPS = 60, SHOWN_CALLS = 12 };

/* ---- words ---- */

const char *cli_native_reason(const NativeResult *r)
{
    if (r->complete) return NULL;
    const char *reason = r->reason ? r->reason : r->finished ? NULL : "died";
    if (!reason) return NULL;
    if (strcmp(reason, "time") == 0) return "the time limit was reached";
    if (strcmp(reason, "memory") == 0) return "the memory limit was reached";
    if (strcmp(reason, "executions") == 0) return "the limit of executions was reached";
    if (strcmp(reason, "depth") == 0) return "some executions are longer than --depth (10000 steps unless it is given)";
    if (strcmp(reason, "stopped") == 0) return "it was stopped";
    return "the program ended before everything was explored";
}

bool cli_native_is_note(const NativeFinding *finding)
{
    return strcmp(finding->kind, "note") == 0;
}

const char *cli_native_headline(const NativeFinding *finding)
{
    if (strcmp(finding->kind, "deadlock") == 0) return "a deadlock is reachable";
    if (strcmp(finding->kind, "race") == 0) return "a data race is reachable";
    return finding->text;
}

/* Of blocks that one line allocates, which one is it? "", " (2)", ...: for the caller to free. */
static char *which_block(const NativeAnswer *a, const GArray *blocks, guint at)
{
    const NativeBlock *b = &g_array_index(blocks, NativeBlock, at);
    guint number = 1;
    for (guint i = 0; i < at; i++) {
        const NativeBlock *c = &g_array_index(blocks, NativeBlock, i);
        number += c->start != b->start && c->bytes == b->bytes && c->address - c->start == b->address - b->start &&
                  strcmp(symbols_line(a->symbols, c->allocated), symbols_line(a->symbols, b->allocated)) == 0;
    }
    return number > 1 ? g_strdup_printf(" (%u)", number) : g_strdup("");
}

/* What an object is called: a variable, or the block of the heap that it lies in; `fate`: and where that was freed. */
static char *object_name(const NativeAnswer *a, const NativeFinding *finding, uint64_t address, bool fate)
{
    for (guint i = 0; finding && i < finding->blocks->len; i++) {
        const NativeBlock *b = &g_array_index(finding->blocks, NativeBlock, i);
        if (b->address != address) continue;
        g_autofree char *freed =
            fate && b->freed ? g_strdup_printf(", freed at %s", symbols_line(a->symbols, b->freed)) : g_strdup("");
        g_autofree char *number = which_block(a, finding->blocks, i);
        return g_strdup_printf("byte %" G_GINT64_FORMAT " of %" G_GUINT64_FORMAT " allocated at %s%s%s",
                               (gint64)(address - b->start), b->bytes, symbols_line(a->symbols, b->allocated), number,
                               freed);
    }
    return g_strdup(symbols_object(a->symbols, address));
}

static char *thread_name(const NativeAnswer *a, const NativeStack *stack)
{
    if (!stack->start || strcmp(stack->thread, "main") == 0) return g_strdup(stack->thread);
    return g_strdup_printf("%s (%s)", stack->thread, symbols_function(a->symbols, stack->start + 1));
}

static void print_calls(const NativeAnswer *a, const NativeStack *stack)
{
    for (guint i = 1; i < stack->pcs->len && i < SHOWN_CALLS; i++) {
        uint64_t pc = g_array_index(stack->pcs, uint64_t, i);
        visible_print(stdout, "  %-20s   called at %s in %s\n", "", symbols_line(a->symbols, pc),
                      symbols_function(a->symbols, pc));
    }
}

static char *waiting_words(const NativeAnswer *a, const NativeFinding *finding, const NativeStack *stack)
{
    const char *line = symbols_line(a->symbols, g_array_index(stack->pcs, uint64_t, 0));
    if (strcmp(stack->operation, "join") == 0)
        return g_strdup_printf("waits at %s for the end of %s", line, stack->target);
    GString *words = g_string_new(NULL);
    g_autofree char *object = object_name(a, finding, stack->object, true);
    if (strcmp(stack->operation, "signal") == 0)
        g_string_append_printf(words, "waits at %s for a signal of %s%s", line, object,
                               stack->spins ? "; its timeouts change nothing" : "");
    else if (stack->spins)
        g_string_append_printf(words, "spins at %s until %s changes", line, object);
    else
        g_string_append_printf(words, "waits at %s to %s %s", line, stack->operation, object);
    if (stack->holder)
        g_string_append_printf(words, ", held by %s since %s", stack->holder,
                               symbols_line(a->symbols, stack->held_since));
    return g_string_free(words, FALSE);
}

char *cli_native_stack_words(const NativeAnswer *a, const NativeFinding *finding, const NativeStack *stack)
{
    if (stack->operation) return waiting_words(a, finding, stack);
    uint64_t pc = g_array_index(stack->pcs, uint64_t, 0);
    return g_strdup_printf("%s %s in %s", stack->role, symbols_line(a->symbols, pc), symbols_function(a->symbols, pc));
}

static void print_stack(const NativeAnswer *a, const NativeFinding *finding, const NativeStack *stack)
{
    g_autofree char *name = thread_name(a, stack), *words = cli_native_stack_words(a, finding, stack);
    visible_print(stdout, "  %-20s %s\n", name, words);
    print_calls(a, stack);
}

void cli_native_print_finding(const NativeAnswer *a, const NativeFinding *finding)
{
    visible_print(stdout, "%s\n", cli_native_headline(finding));
    if (finding->object) {
        g_autofree char *object = object_name(a, finding, finding->object, true);
        visible_print(stdout, "object:   %s\n", object);
    }
    visible_print(stdout, "threads:\n");
    for (guint i = 0; i < finding->stacks->len; i++) print_stack(a, finding, finding->stacks->pdata[i]);
}

/* ---- steps ---- */

char *cli_native_step_words(const NativeAnswer *a, const NativeFinding *finding, const NativeStep *step)
{
    if (strcmp(step->operation, "create") == 0 || strcmp(step->operation, "join") == 0)
        return g_strdup_printf("%s %s", step->operation, step->other);
    GString *words = g_string_new(step->operation);
    if (strcmp(step->operation, "end") == 0 || strcmp(step->operation, "fence") == 0)
        return g_string_free(words, FALSE);
    g_autofree char *object = object_name(a, finding, step->object, false);
    g_string_append_printf(words, strcmp(step->operation, "wait") == 0 ? " (releases %s)" : " %s", object);
    if (step->valued)
        g_string_append_printf(words, " (%s %" G_GINT64_FORMAT ")", step->write ? "was" : "is", step->value);
    if (strcmp(step->other, "-") != 0) g_string_append_printf(words, ", wakes %s", step->other);
    return g_string_free(words, FALSE);
}

void cli_native_print_steps(const NativeAnswer *a, const NativeFinding *finding, const GPtrArray *steps, bool all)
{
    guint from = all || steps->len <= SHOWN_STEPS ? 0 : steps->len - SHOWN_STEPS;
    if (from) visible_print(stdout, "      (%u steps before; --witness writes all)\n", from);
    for (guint i = from; i < steps->len; i++) {
        const NativeStep *step = steps->pdata[i];
        g_autofree char *words = cli_native_step_words(a, finding, step);
        visible_print(stdout, "%5u  %-10s %-18s %s\n", i + 1, step->thread, symbols_line(a->symbols, step->pc), words);
    }
}

static bool is_silent(const NativeStep *step)
{
    static const char *const silent[] = {"create", "end", "join", "leave barrier", "fence", NULL};
    return g_strv_contains(silent, step->operation);
}

char *cli_native_witness(const NativeAnswer *a, const NativeFinding *finding)
{
    GString *text = g_string_new("# thread, whom it wakes; what happens by itself is a comment\n");
    for (guint i = 0; i < finding->steps->len; i++) {
        const NativeStep *step = finding->steps->pdata[i];
        g_autofree char *words = cli_native_step_words(a, finding, step);
        bool wakes = strcmp(step->operation, "signal") == 0;
        g_string_append_printf(text, "%s%s %s # %s %s\n", is_silent(step) ? "# " : "", step->thread,
                               wakes ? step->other : "-", symbols_line(a->symbols, step->pc), words);
    }
    return g_string_free(text, FALSE);
}

/* ---- explore ---- */

static void print_counts(const NativeCounts *c)
{
    explore_print_figure("maximal configurations", c->traces);
    explore_print_figure("executions", c->executions);
    if (c->blocked) explore_print_figure("  sleep-set blocked", c->blocked);
    if (c->bounded) explore_print_figure("  ended by the bound", c->bounded);
    if (c->events) explore_print_figure("events", c->events);
    explore_print_figure("deadlocks", c->deadlocks);
    if (c->failures) explore_print_figure("failures", c->failures);
    if (c->races) explore_print_figure("data races", c->races);
}

static void print_restart(const NativeResult *r)
{
    if (r->outside)
        visible_print(stdout, "restart: each execution was a process, as %s() is called (--restart)\n", r->outside);
}

void cli_native_print_exploration(const NativeAnswer *a)
{
    const char *reason = cli_native_reason(a->result);
    if (reason) visible_print(stdout, "UNKNOWN: %s; the figures say how far it came\n", reason);
    print_counts(&a->result->counts);
    print_restart(a->result);
    for (guint i = 0; i < a->result->findings->len; i++) {
        const NativeFinding *finding = a->result->findings->pdata[i];
        visible_print(stdout, cli_native_is_note(finding) ? "\nnote: " : "\nfound: ");
        cli_native_print_finding(a, finding);
    }
}

/* ---- check ---- */

static const char *property(const Command *command)
{
    const Options *o = &command->options;
    return o->deadlock ? "deadlock" : o->race ? "race" : o->assertions ? "assertions" : "all";
}

const char *cli_native_good_news(const Command *command)
{
    const Options *o = &command->options;
    if (o->deadlock) return "no deadlock is reachable";
    if (o->race) return "there is no data race";
    if (o->assertions) return "no assertion fails, and nothing else goes wrong";
    return "no deadlock, no data race, no failure";
}

void cli_native_print_check(const NativeAnswer *a)
{
    const NativeCounts *c = &a->result->counts;
    const char *reason = cli_native_reason(a->result);
    if (a->finding) {
        visible_print(stdout, "VIOLATED: ");
        cli_native_print_finding(a, a->finding);
        visible_print(stdout, "steps:\n");
        cli_native_print_steps(a, a->finding, a->finding->steps, false);
    } else if (reason) {
        visible_print(stdout, "UNKNOWN: %s (%" G_GUINT64_FORMAT " executions)\n", reason, c->executions);
    } else {
        visible_print(stdout, "HOLDS: %s (%s, %" G_GUINT64_FORMAT " trace%s)\n", cli_native_good_news(a->command),
                      a->algorithm, c->traces, c->traces == 1 ? "" : "s");
    }
    print_restart(a->result);
    for (guint i = 0; i < a->result->findings->len && !a->finding; i++)
        if (cli_native_is_note(a->result->findings->pdata[i])) {
            visible_print(stdout, "note: ");
            cli_native_print_finding(a, a->result->findings->pdata[i]);
        }
}

/* ---- JSON ---- */

static void json_steps(const NativeAnswer *a, GString *json, const NativeFinding *finding)
{
    json_open(json, "witness", '[');
    for (guint i = 0; finding && i < finding->steps->len; i++) {
        const NativeStep *step = finding->steps->pdata[i];
        g_autofree char *words = cli_native_step_words(a, finding, step);
        g_autofree char *text = g_strdup_printf("%s %s %s", step->thread, symbols_line(a->symbols, step->pc), words);
        json_string(json, NULL, text);
    }
    json_close(json, ']');
}

static void json_finding(const NativeAnswer *a, GString *json, const NativeFinding *finding)
{
    json_open(json, NULL, '{');
    json_string(json, "kind", finding->kind);
    json_string(json, "text", cli_native_headline(finding));
    json_open(json, "threads", '[');
    for (guint i = 0; i < finding->stacks->len; i++) {
        const NativeStack *stack = finding->stacks->pdata[i];
        json_open(json, NULL, '{');
        json_string(json, "thread", stack->thread);
        json_string(json, "role", stack->role);
        json_string(json, "line", symbols_line(a->symbols, g_array_index(stack->pcs, uint64_t, 0)));
        if (stack->holder) json_string(json, "holder", stack->holder);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void cli_native_json(const NativeAnswer *a)
{
    const NativeCounts *c = &a->result->counts;
    const char *reason = cli_native_reason(a->result);
    GString *json = command_json_begin(a->command, a->command->arguments[0]);
    json_string(json, "algorithm", a->algorithm);
    json_int(json, "maximal_configurations", (int64_t)c->traces);
    json_int(json, "executions", (int64_t)c->executions);
    json_int(json, "ssb", (int64_t)c->blocked);
    if (c->events)
        json_int(json, "events", (int64_t)c->events);
    else
        json_null(json, "events");
    json_int(json, "cutoffs", 0);
    json_int(json, "leaves", (int64_t)c->executions);
    json_int(json, "bound_leaves", (int64_t)c->bounded);
    json_int(json, "deadlocks", (int64_t)c->deadlocks);
    json_int(json, "failures", (int64_t)c->failures);
    json_int(json, "races", (int64_t)c->races);
    json_int(json, "steps", (int64_t)c->steps);
    json_int(json, "most_tree", (int64_t)c->tree);
    json_int(json, "program_kib", a->result->peak_kib);
    json_string(json, "outside", a->result->outside);
    json_bool(json, "complete", a->result->complete);
    json_string(json, "reason", reason);
    if (a->command->id == COMMAND_CHECK) {
        json_string(json, "property", property(a->command));
        json_string(json, "verdict", a->finding ? "violated" : reason ? "unknown" : "holds");
        json_string(json, "engine", a->algorithm);
        json_steps(a, json, a->finding);
    }
    json_open(json, "findings", '[');
    for (guint i = 0; i < a->result->findings->len; i++) json_finding(a, json, a->result->findings->pdata[i]);
    json_close(json, ']');
    command_json_end(a->command, json);
}
