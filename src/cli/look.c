#include "cli/look.h"

#include "base/input.h"
#include "unfold/unfold.h"
#include "view/executions.h"

#include <string.h>

enum {
    MOST_SOURCE = 1 << 20,
    MOST_TREE_NODES = 4000,
    MOST_FIRINGS = 5000,
    MOST_EVENTS = 5000,
    PREFIX_SECONDS = 3,
    VERDICT_SECONDS = 10
};

char *look_text(const char *path)
{
    size_t length;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) return NULL;
    g_autofree char *text = input_read_file(path, MOST_SOURCE, NULL, &length, NULL);
    return text && strlen(text) == length ? g_steal_pointer(&text) : NULL;
}

static char *read_source(const Compiled *read, const char *path)
{
    if (!read->is_program || strcmp(path, "-") == 0) return NULL;
    g_autofree char *text = look_text(path);
    return text && g_utf8_validate(text, -1, NULL) ? g_steal_pointer(&text) : NULL;
}

View *look_begin(const Command *command, const char *title, const char *words)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H:%M");
    g_autofree char *about = g_strdup_printf("%s · mazurka " PACKAGE_VERSION " %s, %s", words, command->name, date);
    return view_new(title, about);
}

View *look_new(Command *command, const Compiled *read, const char *words)
{
    const char *path = command->arguments[0];
    g_autofree char *summary = net_summary(read->net), *source = read_source(read, path);
    g_autofree char *about = g_strdup_printf("%s%s%s", words ? words : "", words ? " · " : "", summary);
    View *view = look_begin(command, read->net->name, about);
    view_add_net(view, read, path, source);
    return view;
}

void look_add_trees(View *view, const Net *net, const Indep *indep, Algorithm except, Budget *budget)
{
    for (Algorithm a = 0; a < N_ALGORITHMS && !budget_look(budget); a++) {
        if (a == except) continue;
        RunTree tree;
        Budget part = budget_part(budget, 0.1, 2, NULL);
        runtree_init(&tree, MOST_TREE_NODES);
        Executions run = {.algorithm = a, .cutoffs = true, .tree = &tree};
        executions_run(&run, net, indep, &part);
        ViewTree made = executions_tree(&run);
        if (tree.parent.len > 1 || run.reason) view_add_tree(view, &made);
        executions_clear(&run);
        runtree_clear(&tree);
    }
}

void look_add_run(View *view, const char *words, const Net *net, const uint32_t *run, size_t n, Budget *budget)
{
    if (n > MOST_FIRINGS) return;
    g_autoptr(Indep) indep = indep_within(net, RELATION_READ, budget, NULL);
    if (indep) view_add_run(view, words, net, indep, run, n);
}

/* The prefix under the relation, when it can be made within a part of the budget. */
static void add_prefix(View *view, const Net *net, Budget *budget)
{
    Budget part = budget_part(budget, 0.5, PREFIX_SECONDS, NULL);
    budget_limit_events(&part, MOST_EVENTS);
    UnfoldOptions options = {
        .relation = relation_default(RELATION_DEFAULT_UNFOLD), .order = ORDER_ERV, .cutoffs = true};
    g_autoptr(Indep) indep = indep_within(net, options.relation, &part, NULL);
    if (!indep) return;
    options.indep = indep;
    g_autoptr(Prefix) prefix = unfold(net, &options, &part, NULL);
    if (prefix && prefix->n_events && prefix->end != ENDING_UNSAFE) view_add_prefix(view, prefix, indep, PREFIX_NONE);
}

bool look_verdict(Command *command, const Compiled *read, const char *words, const uint32_t *run, size_t n)
{
    g_autoptr(View) view = look_new(command, read, words);
    Budget budget = command_budget(command);
    budget_restart(&budget, VERDICT_SECONDS); /* the verdict is there; its page may take a little longer */
    if (run) look_add_run(view, words, read->net, run, n, &budget);
    add_prefix(view, read->net, &budget);
    view_first(view, run ? "run" : "net");
    command_end_progress();
    return look_write(view, command->options.html);
}

bool look_write(const View *view, const char *path)
{
    GError *error = NULL;
    if (view_write(view, path, &error)) return true;
    command_fail_error(error);
    return false;
}
