#include "cli/check.h"

#include "cli/check_file.h"
#include "cli/native.h"

#include "base/visible.h"
#include "certify/certificate.h"
#include "cli/check_home.h"
#include "cli/check_run.h"
#include "cli/look.h"
#include "lts/relation.h"
#include "lts/replay.h"
#include "report/source.h"
#include "verify/engine.h"

#include <stdio.h>
#include <string.h>

typedef struct Check {
    Command *command;
    const mz_net *net;
    const char *word;  /* of the property */
    mz_answer *answer; /* NULL until there is one */
    char *unwritten;   /* why evidence is not in its file, or NULL */
    bool asked_on;     /* another question follows unless this one is violated */
} Check;

static const char assertions[] = "assertions", race[] = "race";

static bool asks(const Check *c, const char *word)
{
    return strcmp(c->word, word) == 0;
}

static bool is_reached(const Check *c)
{
    return mz_answer_evidence(c->answer) == MZ_EVIDENCE_RUN;
}

/* ---- what is asked ---- */

/* The property in the library's words, for the caller to free; NULL: *code is the failure, told. */
static char *choose(Check *c, int *code)
{
    const Options *o = &c->command->options;
    const struct {
        bool given;
        const char *word, *argument;
        bool of_programs;
    } asked[] = {
        {o->deadlock, "deadlock", NULL, false},
        {o->reach, "reach", o->reach, false},
        {o->invariant, "invariant", o->invariant, false},
        {o->fireable, "fireable", o->fireable, false},
        {o->safe, "safe", NULL, false},
        {o->assertions, assertions, NULL, true},
        {o->race, race, NULL, true},
    };
    size_t chosen = 0, n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(asked); i++)
        if (asked[i].given) chosen = i, n++;
    c->word = asked[chosen].word;
    if (n > 1)
        *code = command_fail("check: one property at a time");
    else if (o->final && chosen)
        *code = command_fail("check: --final belongs to --deadlock");
    else if (asked[chosen].of_programs && !mz_net_is_program(c->net))
        *code = command_fail("check: %s asks about programs, but this is a net", o->race ? "--race" : "--assertions");
    else
        return asked[chosen].argument ? g_strdup_printf("%s %s", c->word, asked[chosen].argument) : g_strdup(c->word);
    return NULL;
}

char **check_options(const Command *command, const char *more)
{
    const Options *o = &command->options;
    const char *const given[][2] = {{"engine", o->engine},
                                    {"relation", o->relation},
                                    {"order", o->order},
                                    {"final", o->final},
                                    {"witnesses", o->witnesses},
                                    {"certificates", o->certificates},
                                    {"certificate-file", o->certificate}};
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    for (size_t i = 0; i < G_N_ELEMENTS(given); i++) {
        g_autofree char *word = given[i][1] ? g_strdup_printf("%s=%s", given[i][0], given[i][1]) : NULL;
        if (word) g_strv_builder_add(words, word);
    }
    g_autofree char *seed = g_strdup_printf("seed=%" G_GUINT64_FORMAT, (uint64_t)o->seed);
    g_strv_builder_add(words, seed);
    if (more) g_strv_builder_add(words, more);
    return g_strv_builder_end(words);
}

int check_exit_code(mz_verdict verdict)
{
    return verdict == MZ_HOLDS ? EXIT_HOLDS : verdict == MZ_VIOLATED ? EXIT_VIOLATED : EXIT_UNKNOWN;
}

/* ---- text ---- */

static const char *claim(const Check *c)
{
    static const struct {
        const char *word, *reached, *never;
    } claims[] = {
        {assertions, "an error is reachable", "no assertion fails"},
        {race, "a race is reachable", "no race is reachable"},
        {"deadlock", "a deadlock is reachable", "no deadlock is reachable"},
        {"reach", "such a marking is reachable", "no such marking is reachable"},
        {"invariant", "a reachable marking violates it", "every reachable marking satisfies it"},
        {"fireable", "it can fire", "it never fires"},
        {"safe", "a place can get two tokens", "no place ever has two tokens"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(claims); i++)
        if (asks(c, claims[i].word)) return is_reached(c) ? claims[i].reached : claims[i].never;
    return "";
}

const char *check_verdict_word(mz_verdict verdict)
{
    static const char *const words[] = {"UNKNOWN", "HOLDS", "VIOLATED"};
    return words[verdict];
}

/* All of a run that repeats itself. */
static void print_firings(const mz_answer *answer)
{
    char digits[TOTAL_DIGITS];
    size_t n;
    mz_answer_run(answer, &n);
    const uint64_t *times = mz_answer_times(answer);
    Total all = times ? 0 : n;
    for (size_t i = 0; times && i < n; i++) all += times[i];
    visible_print(stdout, ", %s firing%s", exact_text(all, digits), all == 1 ? "" : "s");
}

static void print_headline(const Check *c)
{
    const mz_answer *a = c->answer;
    const char *reason = mz_answer_reason(a), *engine = mz_answer_engine(a);
    mz_verdict verdict = mz_answer_verdict(a);
    visible_print(stdout, "%s: ", check_verdict_word(verdict));
    if (verdict == MZ_UNKNOWN)
        visible_print(stdout, "%s", reason ? reason : "the engine gave up");
    else
        visible_print(stdout, "%s", claim(c));
    visible_print(stdout, " (%s", engine ? engine : "auto");
    if (is_reached(c)) print_firings(a);
    if (mz_answer_markings(a) && !is_reached(c))
        visible_print(stdout, ", %" G_GUINT64_FORMAT " markings, %" G_GUINT64_FORMAT " firings", mz_answer_markings(a),
                      mz_answer_firings(a));
    if (mz_answer_evidence(a) == MZ_EVIDENCE_PROOF && !mz_answer_markings(a) && reason)
        visible_print(stdout, ", %s", reason);
    puts(")");
}

static void print_marking(const Check *c)
{
    g_autofree uint64_t *marking = check_run_end(c->net, c->answer);
    if (mz_net_is_program(c->net)) {
        g_autofree char *state = mz_net_describe(c->net, marking);
        g_auto(GStrv) accesses = asks(c, race) ? source_race(c->net->read, marking) : NULL;
        visible_lines(stdout, state);
        putchar('\n');
        if (accesses) visible_print(stdout, "race between\n%s\n%s\n", accesses[0], accesses[1]);
        return;
    }
    const Net *net = api_net_inside(c->net);
    g_autoptr(GString) text = g_string_new(NULL);
    replay_marking_text(net, marking, SHOWN_PLACES, text);
    visible_print(stdout, "%s %s\n", asks(c, "deadlock") ? "dead at:" : "reached: ", text->str);
    if (asks(c, "deadlock")) check_run_print_blocked(net, marking);
}

static void print_text(const Check *c)
{
    size_t n;
    const uint32_t *run = mz_answer_run(c->answer, &n);
    command_end_progress();
    print_headline(c);
    if (asks(c, "deadlock") && !mz_net_is_program(c->net) && api_net_inside(c->net)->final)
        visible_print(stdout, "accepted ends: %s\n", api_net_inside(c->net)->final);
    if (!is_reached(c)) return;
    check_run_print(api_net_inside(c->net), run, mz_answer_times(c->answer), n, mz_net_is_program(c->net));
    print_marking(c);
}

/* ---- JSON ---- */

const char *check_verdict_text(const mz_answer *answer)
{
    return question_verdict_text((Verdict)mz_answer_verdict(answer));
}

GString *check_json_begin(Command *command, const mz_net *net, const mz_answer *answer)
{
    GString *json = command_json_begin(command, mz_net_name(net));
    json_string(json, "property", mz_answer_property(answer));
    json_string(json, "verdict", check_verdict_text(answer));
    json_string(json, "reason", mz_answer_reason(answer));
    json_string(json, "engine", mz_answer_engine(answer));
    return json;
}

static void json_repeated(GString *json, const mz_net *net, const uint32_t *run, const uint64_t *times, size_t n)
{
    json_null(json, "witness");
    json_open(json, "witness_repeated", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(json, NULL, '{');
        json_string(json, "transition", mz_net_transition_id(net, run[i]));
        json_tokens(json, "times", times[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void check_json_witness(GString *json, const mz_net *net, const mz_answer *answer)
{
    size_t n;
    const uint32_t *run = mz_answer_run(answer, &n);
    const uint64_t *times = mz_answer_times(answer);
    if (times) {
        json_repeated(json, net, run, times, n);
        json_bool(json, "witness_checked", true);
    } else if (run) {
        command_json_run(json, "witness", api_net_inside(net), run, n);
        json_bool(json, "witness_checked", true);
    } else {
        json_null(json, "witness");
        json_null(json, "witness_checked");
    }
}

/* The witness in the words of the source: steps, and where they lead. */
static void json_program(const Check *c, GString *json)
{
    size_t n;
    const uint32_t *run = mz_answer_run(c->answer, &n);
    json_open(json, "steps", '[');
    for (size_t i = 0; i < n; i++) json_string(json, NULL, mz_net_transition_label(c->net, run[i]));
    json_close(json, ']');
    g_autofree uint64_t *marking = check_run_end(c->net, c->answer);
    g_auto(GStrv) accesses = asks(c, race) ? source_race(c->net->read, marking) : NULL;
    g_autofree char *failure = asks(c, assertions) ? source_error(c->net->read, marking) : NULL;
    if (accesses) json_strings(json, race, accesses);
    if (failure) json_string(json, "error", failure);
}

static void print_json(const Check *c)
{
    const mz_answer *a = c->answer;
    GString *json = check_json_begin(c->command, c->net, a);
    if (asks(c, "deadlock") && api_net_inside(c->net)->final)
        json_string(json, "accepted_ends", api_net_inside(c->net)->final);
    if (c->unwritten) json_string(json, "unwritten", c->unwritten);
    check_json_witness(json, c->net, a);
    if (mz_net_is_program(c->net) && is_reached(c)) json_program(c, json);
    if (mz_answer_markings(a)) {
        json_int(json, "markings", (int64_t)mz_answer_markings(a));
        json_int(json, "firings", (int64_t)mz_answer_firings(a));
        json_tokens(json, "max_tokens_in_place", mz_answer_tokens_in_place(a));
        json_digits(json, "max_tokens_in_marking", mz_answer_tokens_in_marking(a));
    }
    command_json_end(c->command, json);
}

/* ---- evidence ---- */

/* What lies where evidence was asked for and this run has none. */
static void tell_stale(const char *path, bool written, const char *what)
{
    if (path && !written && g_file_test(path, G_FILE_TEST_IS_REGULAR))
        command_fail("%s: left as it was, from before this run, which has no %s", path, what);
}

static void tell_about_evidence(const Check *c)
{
    const Options *o = &c->command->options;
    if (c->unwritten) command_fail("%s", c->unwritten);
    if (c->asked_on && !is_reached(c)) return;
    tell_stale(o->witness, is_reached(c) && !c->unwritten, "firing sequence");
    tell_stale(o->certificate, mz_answer_evidence(c->answer) == MZ_EVIDENCE_PROOF && !c->unwritten, "proof");
}

static int conclude(Check *c)
{
    g_autoptr(GError) error = NULL;
    size_t n;
    const uint32_t *run = mz_answer_run(c->answer, &n);
    const uint64_t *times = mz_answer_times(c->answer);
    c->unwritten = g_strdup(mz_answer_unwritten(c->answer));
    if (c->command->options.witness && is_reached(c) &&
        !check_run_write(c->command->options.witness, api_net_inside(c->net), run, times, n, &error))
        c->unwritten = g_strdup(error->message);
    if (c->command->options.json)
        print_json(c);
    else
        print_text(c);
    tell_about_evidence(c);
    bool shown = !c->command->options.html ||
                 look_verdict(c->command, c->net->read, claim(c), times ? NULL : run, times ? 0 : n);
    int code = c->unwritten || !shown ? EXIT_USAGE : check_exit_code(mz_answer_verdict(c->answer));
    g_free(c->unwritten);
    return code;
}

static int run(Check *c, double seconds)
{
    int code = EXIT_USAGE;
    g_autofree char *property = c->word ? g_strdup(c->word) : choose(c, &code);
    if (!property) return code;
    /* Steps of a program and firings of coloured nets are told one by one. */
    bool listed = mz_net_is_program(c->net) || api_net_inside(c->net)->colours;
    g_auto(GStrv) options = check_options(c->command, listed ? NULL : "repeats");
    mz_limits *limits = command_limits(c->command);
    if (seconds > 0) mz_limits_set_time(limits, seconds);
    mz_error *error = NULL;
    c->answer = mz_check(c->net, property, (const char *const *)options, limits, &error);
    if (!c->answer) return command_fail_library(c->command, error, c->command->options.final ? "final" : c->word);
    code = conclude(c);
    mz_answer_free(c->answer);
    return code;
}

/* ---- programs ---- */

/* A program without a property is asked for failing assertions, then for deadlocks. */
static bool asks_twice(const Options *o, const mz_net *net)
{
    bool asked = o->deadlock || o->reach || o->invariant || o->fireable || o->safe || o->assertions || o->race;
    return !asked && !o->final && net->read->errors;
}

/* The first violation ends it. */
static int run_program(const Check *check)
{
    const Options *o = &check->command->options;
    Check errors = *check, deadlock = *check;
    errors.word = assertions;
    errors.asked_on = true;
    if (!asks_twice(o, check->net)) return run(&deadlock, 0);
    int code = run(&errors, o->time / 2);
    if (code != EXIT_HOLDS && code != EXIT_UNKNOWN) return code;
    int second = run(&deadlock, 0);
    return second == EXIT_HOLDS ? code : second;
}

/* Is a proof asked for that nobody could write? */
static int check_certificate(const Command *command, const mz_net *net)
{
    const Options *o = &command->options;
    if (!o->certificate) return 0;
    if (o->engine && !engine_find(o->engine))
        return command_fail("check: a list of engines (%s) writes no certificates; name one, or none", o->engine);
    if (mz_net_is_program(net) && asks_twice(o, net))
        return command_fail(
            "check: a program is asked about assertions and deadlocks; say which one --certificate is for "
            "(--assertions or --deadlock)");
    certificate_forget(o->certificate);
    return 0;
}

/* Threads are engines side by side. */
static int check_threads(const Options *o)
{
    const Engine *engine = o->engine ? engine_find(o->engine) : NULL;
    if (o->threads <= 1 || !engine || engine->kind == ENGINE_MIXED) return 0;
    return command_fail("check: the engine %s has one thread; --threads lets several engines work side by side",
                        o->engine);
}

static int check_net(Command *command, const mz_net *net)
{
    if (command->options.html && command->options.property)
        return command_fail("check: --html shows one question; a file of properties has many");
    if (command->options.property) return check_file(command, net);
    if (command->options.witnesses || command->options.certificates)
        return command_fail(
            "check: --witnesses and --certificates belong to --property FILE; for a single property it is "
            "--witness FILE or --certificate FILE");
    if (check_home_asked(&command->options)) return check_home(command, net);
    int code = check_certificate(command, net);
    if (!code) code = check_threads(&command->options);
    if (code) return code;
    Check check = {.command = command, .net = net};
    return mz_net_is_program(net) ? run_program(&check) : run(&check, 0);
}

int command_check(Command *command)
{
    if (cli_native_wants(command)) return cli_native_check(command);
    if (command->n_arguments != 1) return command_fail("check: exactly one NET is expected");
    int code = command_check_names(command);
    if (code) return code;
    Relation relation;
    if (command->options.relation &&
        !(relation_parse(command->options.relation, &relation) && relation_has(relation, RELATION_CHECKED))) {
        g_autofree char *names = relation_names(RELATION_CHECKED);
        return command_fail("check: the engine unfold works under %s, not under '%s'", names,
                            command->options.relation);
    }
    code = check_home_usage(command);
    if (code) return code;
    mz_net *net = command_open(command, command->arguments[0]);
    if (!net) return command->failure;
    code = check_net(command, net);
    mz_net_free(net);
    return code;
}
