#include "cli/look.h"

#include "base/visible.h"
#include "report/prefix_read.h"
#include "unfold/unfold.h"
#include "verify/ask.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS = 20, MOST_EVENTS = 20000 };

typedef struct Look {
    Command *command;
    const Compiled *read;
    const Net *net;
    View *view;
    Budget budget;
    /* what it has, for what is printed */
    Prefix *prefix;
    GError *error;
    bool dead, asked;
    size_t run;
} Look;

static UnfoldOptions unfold_options(const Options *o, Relation relation)
{
    UnfoldOptions options = {.engine = (UnfoldEngine)command_choice(o->finder),
                             .relation = relation,
                             .order = ORDER_ERV,
                             .cutoffs = o->cutoffs != CUTOFFS_OFF};
    if (o->order) order_parse(o->order, &options.order);
    return options;
}

/* A net that turns out not to be safe is unfolded without conditions. */
static void make_prefix(Look *look, const Indep *indep, Relation relation)
{
    UnfoldOptions options = unfold_options(&look->command->options, relation);
    options.indep = indep;
    Budget part = budget_part(&look->budget, 0.5, 0, NULL);
    budget_limit_events(&part, MOST_EVENTS);
    look->prefix = unfold(look->net, &options, &part, &look->error);
    if (!look->prefix || look->prefix->end != ENDING_UNSAFE || look->command->options.finder) return;
    g_clear_pointer(&look->prefix, prefix_free);
    options.engine = UNFOLD_PARAMETRIC;
    look->prefix = unfold(look->net, &options, &part, &look->error);
}

static uint32_t parse_around(const Look *look)
{
    const char *text = look->command->options.around;
    guint64 number;
    if (text && *text == 'e') text++;
    if (!text || !g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX - 2, &number, NULL)) return PREFIX_NONE;
    return (uint32_t)number;
}

static void add_deadlock(Look *look)
{
    Question question;
    Finding finding = {0};
    if (!question_init(&question, look->net, QUESTION_DEADLOCK, NULL, NULL, NULL)) return;
    Budget part = budget_part(&look->budget, 0.5, 5, NULL);
    AskOptions options = {.engine = {.seed = (uint64_t)look->command->options.seed}};
    ask_question(&question, &options, NULL, &part, &finding);
    look->asked = finding.verdict != VERDICT_UNKNOWN;
    look->dead = finding.result.answer == ANSWER_REACHABLE;
    if (look->dead) {
        look->run = finding.result.witness.len;
        look_add_run(look->view, "a deadlock", look->net, finding.result.witness.data, look->run, &look->budget);
    }
    ask_finding_clear(&finding);
    question_clear(&question);
}

static void print_text(const Look *look, const char *path)
{
    visible_print(stdout, "%s\n", path);
    if (look->prefix)
        visible_print(stdout, "prefix      %u events under %s, %s\n", prefix_count(look->prefix),
                      relation_name(look->prefix->relation),
                      look->prefix->end == ENDING_COMPLETE ? "complete" : ending_text(look->prefix->end));
    else
        visible_print(stdout, "prefix      none: %s\n", look->error ? look->error->message : "it cannot be unfolded");
    if (look->asked)
        visible_print(stdout, look->dead ? "deadlock    after %zu firing%s\n" : "deadlock    none%.0zu%s\n", look->run,
                      look->dead && look->run != 1 ? "s" : "");
}

static void print_json(const Look *look, const char *path)
{
    GString *json = command_json_begin(look->command, look->net->name);
    json_string(json, "page", path);
    if (look->prefix)
        json_int(json, "events", prefix_count(look->prefix));
    else
        json_null(json, "events");
    json_string(json, "deadlock", !look->asked ? "unknown" : look->dead ? "reachable" : "none");
    command_json_end(look->command, json);
}

static int make_page(Look *look, const char *path)
{
    const Options *o = &look->command->options;
    const char *relation = relation_given(o->relation, RELATION_DEFAULT_UNFOLD);
    Relation kind;
    GError *error = NULL;
    g_autoptr(Indep) indep = indep_named(look->net, relation, &look->budget, &error);
    if (!indep) return command_fail_reading(look->command, error);
    relation_parse(relation, &kind);
    make_prefix(look, indep, kind);
    uint32_t around = parse_around(look);
    if (look->prefix && o->around && around >= look->prefix->n_events)
        return command_fail("view: there is no event '%s' in this prefix of %u events", o->around,
                            look->prefix->n_events);
    if (look->prefix) view_add_prefix(look->view, look->prefix, indep, around);
    if (around != PREFIX_NONE) view_first(look->view, "prefix");
    add_deadlock(look);
    look_add_trees(look->view, look->net, indep, N_ALGORITHMS, &look->budget);
    command_end_progress();
    if (!look_write(look->view, path)) return EXIT_USAGE;
    if (o->json)
        print_json(look, path);
    else
        print_text(look, path);
    return EXIT_HOLDS;
}

/* A prefix that `unfold -o FILE.json` wrote. */
static int view_prefix(Look *look, const char *path)
{
    GError *error = NULL;
    Compiled read = {0};
    look->prefix = prefix_read_file(look->command->arguments[0], &read.net, &look->budget, &error);
    if (!look->prefix) return command_fail_reading(look->command, error);
    look->read = &read;
    look->net = read.net;
    g_autofree char *made = g_strconcat(read.net->name, ".html", NULL);
    look->view = look_new(look->command, &read, NULL);
    uint32_t around = parse_around(look);
    view_add_prefix(look->view, look->prefix, NULL, around < look->prefix->n_events ? around : PREFIX_NONE);
    view_first(look->view, "prefix");
    int code = look_write(look->view, path ? path : made) ? EXIT_HOLDS : EXIT_USAGE;
    if (code == EXIT_HOLDS) (look->command->options.json ? print_json : print_text)(look, path ? path : made);
    prefix_free(look->prefix);
    view_free(look->view);
    net_free(read.net);
    look->read = NULL;
    look->net = NULL;
    return code;
}

int command_view(Command *command)
{
    if (command->n_arguments != 1) return command_fail("view: exactly one NET, PREFIX or PROGRAM is expected");
    const Options *o = &command->options;
    if (o->output && !g_str_has_suffix(o->output, ".html") && strcmp(o->output, "-") != 0)
        return command_fail("view: '%s': only .html is written", o->output);
    int code = command_check_names(command);
    if (code) return code;
    if (g_str_has_suffix(command->arguments[0], ".json")) {
        Look look = {.command = command, .budget = command_budget(command)};
        return view_prefix(&look, o->output);
    }
    g_autoptr(Compiled) read = command_read(command, command->arguments[0]);
    if (!read) return command->failure;
    g_autofree char *base = g_path_get_basename(read->net->name), *made = g_strconcat(base, ".html", NULL);
    Look look = {.command = command, .read = read, .net = read->net, .budget = command_budget(command)};
    if (!o->time) budget_limit_time(&look.budget, command->started, SECONDS);
    look.view = look_new(command, read, NULL);
    code = make_page(&look, o->output ? o->output : made);
    prefix_free(look.prefix);
    g_clear_error(&look.error);
    view_free(look.view);
    return code;
}
