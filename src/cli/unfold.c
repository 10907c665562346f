#include "cli/look.h"
#include "cli/arguments.h"

#include "base/visible.h"
#include "report/prefix_write.h"

#include <stdio.h>
#include <string.h>

static char **options_of(const Options *o)
{
    g_autofree char *finder = o->finder ? arguments_word("finder", o->finder) : NULL;
    const char *const given[][2] = {{"relation", o->relation},
                                    {"order", o->order},
                                    {"finder", finder},
                                    {"cutoffs", o->cutoffs == CUTOFFS_OFF ? "off" : "on"}};
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    for (size_t i = 0; i < G_N_ELEMENTS(given); i++) {
        g_autofree char *word = given[i][1] ? g_strdup_printf("%s=%s", given[i][0], given[i][1]) : NULL;
        if (word) g_strv_builder_add(words, word);
    }
    return g_strv_builder_end(words);
}

typedef struct Unfolded {
    Command *command;
    const mz_net *net;
    const mz_prefix *prefix;
    mz_ending ending;
    const uint32_t *run; /* of endings that are facts about the net */
    size_t run_length;
} Unfolded;

static bool repeats(const Unfolded *u)
{
    return u->ending == MZ_UNBOUNDED || u->ending == MZ_ENDLESS;
}

static bool is_limit(const Unfolded *u)
{
    return u->ending >= MZ_ENDED_BY_TIME && u->ending <= MZ_ENDED_BY_CANCEL;
}

/* Events and cutoffs under the relation. */
static uint32_t events_of(const mz_prefix *prefix)
{
    return mz_prefix_histories(prefix) ? mz_prefix_histories(prefix) : mz_prefix_events(prefix);
}

static uint32_t cutoffs_of(const mz_prefix *prefix)
{
    return mz_prefix_histories(prefix) ? mz_prefix_cutoff_histories(prefix) : mz_prefix_cutoffs(prefix);
}

/* ---- endings ---- */

static void json_ending(GString *json, const Unfolded *u)
{
    const Net *net = api_net_inside(u->net);
    if (is_limit(u) || repeats(u) || u->ending == MZ_REFUTED) json_string(json, "reason", mz_prefix_reason(u->prefix));
    if (u->ending == MZ_UNSAFE) {
        json_bool(json, "safe", false);
        json_string(json, "unsafe_place", mz_net_place_id(u->net, mz_prefix_unsafe_place(u->prefix)));
    }
    if (repeats(u)) json_int(json, "pump_from", mz_prefix_repeats_from(u->prefix));
    if (u->ending == MZ_REFUTED) command_json_run(json, "pair", net, mz_prefix_pair(u->prefix), 2);
    if (u->ending == MZ_UNSAFE || repeats(u) || u->ending == MZ_REFUTED)
        command_json_run(json, "witness", net, u->run, u->run_length);
}

static void print_run(const Unfolded *u, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) visible_print(stdout, " %s", mz_net_transition_id(u->net, u->run[i]));
}

/* The two firing sequences of a square that does not close. */
static void print_square(const Unfolded *u)
{
    static const char *const first[] = {
        [COMMUTE_DISABLES] = "cannot fire", [COMMUTE_ENABLES] = "can fire", [COMMUTE_DIFFERS] = "leads elsewhere than"};
    static const char *const second[] = {[COMMUTE_DISABLES] = "can fire",
                                         [COMMUTE_ENABLES] = "cannot fire",
                                         [COMMUTE_DIFFERS] = "fired the other way round"};
    const uint32_t *pair = mz_prefix_pair(u->prefix);
    const char *a = mz_net_transition_id(u->net, pair[0]), *b = mz_net_transition_id(u->net, pair[1]);
    Commute violation = api_prefix_inside(u->prefix)->violation;
    visible_print(stdout, "REFUTED     %s and %s are not independent\n  after", a, b);
    print_run(u, 0, u->run_length);
    visible_print(stdout, " %s: %s %s\n  after", a, b, first[violation]);
    print_run(u, 0, u->run_length);
    visible_print(stdout, ": %s %s\n", b, second[violation]);
}

static void print_ending(const Unfolded *u)
{
    if (is_limit(u)) visible_print(stdout, "UNKNOWN     %s\n", mz_prefix_reason(u->prefix));
    if (u->ending == MZ_UNSAFE) {
        visible_print(stdout, "UNSAFE      place %s gets a second token after:",
                      mz_net_place_id(u->net, mz_prefix_unsafe_place(u->prefix)));
        print_run(u, 0, u->run_length);
        visible_print(stdout, "\n            (--finder parametric unfolds nets that are not safe)\n");
    }
    if (repeats(u)) {
        uint32_t from = mz_prefix_repeats_from(u->prefix);
        visible_print(stdout, "%s after", u->ending == MZ_UNBOUNDED ? "UNBOUNDED  " : "ENDLESS    ");
        print_run(u, 0, from);
        visible_print(stdout, " this can be repeated for ever:");
        print_run(u, from, u->run_length);
        putchar('\n');
    }
    if (u->ending == MZ_REFUTED) print_square(u);
}

/* ---- one event ---- */

static uint64_t *marking_of(const Unfolded *u, uint32_t e)
{
    uint64_t *marking = g_new(uint64_t, (size_t)mz_net_places(u->net) + 1);
    mz_prefix_marking(u->prefix, e, marking);
    return marking;
}

static void json_event(GString *json, const Unfolded *u, uint32_t e)
{
    uint32_t n_causes, companion = mz_prefix_companion(u->prefix, e);
    const uint32_t *causes = mz_prefix_causes(u->prefix, e, &n_causes);
    g_autofree uint64_t *marking = marking_of(u, e);
    g_autofree char *why = mz_prefix_why(u->prefix, e);
    json_open(json, "event", '{');
    json_int(json, "event", e);
    json_string(json, "transition", mz_net_transition_id(u->net, mz_prefix_transition(u->prefix, e)));
    json_int(json, "size", mz_prefix_size(u->prefix, e));
    json_int(json, "depth", mz_prefix_depth(u->prefix, e));
    json_open(json, "causes", '[');
    for (uint32_t i = 0; i < n_causes; i++) json_int(json, NULL, causes[i]);
    json_close(json, ']');
    json_open(json, "marking", '[');
    for (uint32_t p = 0; p < mz_net_places(u->net); p++)
        for (uint64_t i = 0; i < marking[p]; i++) json_string(json, NULL, mz_net_place_id(u->net, p));
    json_close(json, ']');
    json_bool(json, "cutoff", companion != MZ_NONE);
    if (companion < mz_prefix_events(u->prefix))
        json_int(json, "companion", companion);
    else
        json_string(json, "companion", companion == MZ_BOTTOM ? "initial" : NULL);
    json_string(json, "why", why);
    json_close(json, '}');
}

static void print_event(const Unfolded *u, uint32_t e)
{
    uint32_t n_causes, t = mz_prefix_transition(u->prefix, e);
    const uint32_t *causes = mz_prefix_causes(u->prefix, e, &n_causes);
    const char *id = mz_net_transition_id(u->net, t), *label = mz_net_transition_label(u->net, t);
    g_autofree uint64_t *marking = marking_of(u, e);
    g_autofree char *why = mz_prefix_why(u->prefix, e);
    bool empty = true;
    visible_print(stdout, "\nevent       e%u\ntransition  %s", e, id);
    if (strcmp(label, id) != 0) visible_print(stdout, " (%s)", label);
    visible_print(stdout, "\nsize        %u\ndepth       %u\ncauses     ", mz_prefix_size(u->prefix, e),
                  mz_prefix_depth(u->prefix, e));
    for (uint32_t i = 0; i < n_causes; i++) visible_print(stdout, " e%u", causes[i]);
    visible_print(stdout, "%s\nmarking    ", n_causes ? "" : " none");
    for (uint32_t p = 0; p < mz_net_places(u->net); p++)
        for (uint64_t i = 0; i < marking[p]; i++, empty = false)
            visible_print(stdout, " %s", mz_net_place_id(u->net, p));
    visible_print(stdout, "%s\n%s\n", empty ? " empty" : "", why);
}

/* "12" or "e12"; MZ_NONE when there is no such event. */
static uint32_t parse_event(const Unfolded *u, const char *text)
{
    guint64 number;
    uint32_t n = mz_prefix_events(u->prefix);
    if (*text == 'e') text++;
    return n && g_ascii_string_to_unsigned(text, 10, 0, n - 1, &number, NULL) ? (uint32_t)number : MZ_NONE;
}

/* Writes what -o, --around and --radius ask for. */
static bool write_prefix(const Unfolded *u)
{
    const Options *o = &u->command->options;
    uint32_t around = MZ_NONE, n = mz_prefix_events(u->prefix);
    if (o->around && (around = parse_event(u, o->around)) == MZ_NONE) {
        command_fail("unfold: there is no event '%s' (0 to %u)", o->around, n ? n - 1 : 0);
        return false;
    }
    GError *error = NULL;
    g_autoptr(PrefixPart) part =
        prefix_part_new(api_prefix_inside(u->prefix), around, o->radius > 0 ? (uint32_t)MIN(o->radius, UINT32_MAX) : 2);
    if (prefix_write_file(part, o->output, &error)) return true;
    command_fail_error(error);
    return false;
}

/* A prefix without conditions is looked at with the relation that made it. */
static bool write_page(const Unfolded *u)
{
    const Options *o = &u->command->options;
    const Prefix *prefix = api_prefix_inside(u->prefix);
    Budget budget = command_budget(u->command);
    budget_restart(&budget, 0);
    GError *error = NULL;
    g_autoptr(Indep) indep =
        indep_named(prefix->net, relation_given(o->relation, RELATION_DEFAULT_UNFOLD), &budget, &error);
    if (!indep) {
        command_fail_error(error);
        return false;
    }
    g_autoptr(View) view = look_new(u->command, u->net->read, NULL);
    view_add_prefix(view, prefix, indep, o->around ? parse_event(u, o->around) : MZ_NONE);
    view_first(view, "prefix");
    return look_write(view, o->html);
}

/* ---- the whole ---- */

static void print_json(const Unfolded *u, uint32_t event)
{
    const mz_prefix *p = u->prefix;
    GString *json = command_json_begin(u->command, mz_net_name(u->net));
    json_string(json, "relation", mz_prefix_relation(p));
    json_string(json, "order", mz_prefix_order(p));
    json_int(json, "events", events_of(p));
    if (mz_prefix_has_conditions(p))
        json_int(json, "conditions", mz_prefix_conditions(p));
    else
        json_null(json, "conditions");
    json_int(json, "cutoffs", cutoffs_of(p));
    json_bool(json, "complete", u->ending == MZ_COMPLETE);
    if (mz_prefix_has_conditions(p))
        json_int(json, "contextual_events", mz_prefix_events(p));
    else
        json_null(json, "contextual_events");
    json_ending(json, u);
    if (event != MZ_NONE) json_event(json, u, event);
    command_json_end(u->command, json);
}

static void print_text(const Unfolded *u)
{
    const mz_prefix *p = u->prefix;
    visible_print(stdout, "relation    %s\norder       %s\nevents      %u\n", mz_prefix_relation(p), mz_prefix_order(p),
                  events_of(p));
    if (mz_prefix_has_conditions(p)) visible_print(stdout, "conditions  %u\n", mz_prefix_conditions(p));
    visible_print(stdout, "cutoffs     %u\n", cutoffs_of(p));
    if (mz_prefix_histories(p)) visible_print(stdout, "contextual  %u\n", mz_prefix_events(p));
    visible_print(stdout, "complete    %s\n", u->ending == MZ_COMPLETE ? "yes" : "no");
    print_ending(u);
}

static int exit_code(const Unfolded *u)
{
    switch (u->ending) {
    case MZ_UNSAFE:
    case MZ_UNBOUNDED:
    case MZ_REFUTED: return EXIT_VIOLATED;
    case MZ_COMPLETE:
    case MZ_ENDED_BY_GOAL: return EXIT_HOLDS;
    default: return EXIT_UNKNOWN;
    }
}

static int tell(const Unfolded *u)
{
    const Options *o = &u->command->options;
    uint32_t event = MZ_NONE;
    if (o->event && (event = parse_event(u, o->event)) == MZ_NONE)
        return command_fail("unfold: there is no event '%s' in this prefix of %u events", o->event,
                            mz_prefix_events(u->prefix));
    if (o->json) {
        print_json(u, event);
    } else {
        print_text(u);
        if (event != MZ_NONE) print_event(u, event);
    }
    if (o->html && !write_page(u)) return EXIT_USAGE;
    return o->output && !write_prefix(u) ? EXIT_USAGE : exit_code(u);
}

static int unfold_net(Command *command, const mz_net *net)
{
    g_auto(GStrv) options = options_of(&command->options);
    mz_error *error = NULL;
    mz_prefix *prefix = mz_unfold(net, (const char *const *)options, command_limits(command), &error);
    command_end_progress();
    if (!prefix) return command_fail_library(command, error, NULL);
    Unfolded unfolded = {.command = command, .net = net, .prefix = prefix, .ending = mz_prefix_ending(prefix)};
    unfolded.run = mz_prefix_run(prefix, &unfolded.run_length);
    int code = tell(&unfolded);
    mz_prefix_free(prefix);
    return code;
}

int command_unfold(Command *command)
{
    if (command->n_arguments != 1) return command_fail("unfold: exactly one NET is expected");
    if (command->options.around && !command->options.output && !command->options.html)
        return command_fail("unfold: --around needs -o FILE or --html FILE");
    if (command->options.threads > 1)
        return command_fail("unfold: each event depends on those before it; a prefix is built by one thread");
    if (command->options.radius && !command->options.around) return command_fail("unfold: --radius goes with --around");
    GError *error = NULL;
    if (command->options.output && !prefix_write_knows(command->options.output, &error))
        return command_fail_error(error);
    int code = command_check_names(command);
    if (code) return code;
    mz_net *net = command_open(command, command->arguments[0]);
    if (!net) return command->failure;
    code = unfold_net(command, net);
    mz_net_free(net);
    return code;
}
