#include "cli/check_file.h"

#include "base/error.h"
#include "base/output.h"
#include "base/visible.h"
#include "lts/indep.h"
#include "lts/replay.h"
#include "report/run_dot.h"
#include "report/source.h"
#include "verify/portfolio.h"
#include "verify/question.h"
#include "verify/witness.h"

#include <stdio.h>
#include <string.h>

/* Longer explanations are cut there; --witness and --json have everything. */
enum { SHOWN_FIRINGS = 60, SHOWN_PLACES = 40, SHOWN_BLOCKED = 8 };

/* What a program is asked beyond questions about its net. */
typedef enum { ROLE_PLAIN, ROLE_ERRORS, ROLE_RACE } Role;

typedef struct Check {
    Command *command;
    const Net *net;
    const Compiled *program; /* NULL: the net was not compiled from one */
    Role role;
    Question question;
    Result result;
    Verdict verdict;
    char *unwritten; /* why the evidence is not in its file */
    bool asked_on;   /* another question follows unless this one is violated */
} Check;

static int ask_program(Check *c, Role role)
{
    const char *bad = role == ROLE_RACE ? c->program->races : c->program->errors;
    g_autofree char *never = bad ? g_strdup_printf("!(%s)", bad) : g_strdup("true");
    GError *error = NULL;
    if (!question_init(&c->question, c->net, QUESTION_INVARIANT, never, NULL, &error)) return command_fail_error(error);
    g_free(c->question.text);
    c->question.text = g_strdup(role == ROLE_RACE ? "race" : "assertions");
    c->role = role;
    return 0;
}

static int ask(Check *c)
{
    const Options *o = &c->command->options;
    const struct {
        bool given;
        QuestionKind kind;
        const char *argument;
        Role role;
    } asked[] = {
        {o->deadlock, QUESTION_DEADLOCK, NULL, ROLE_PLAIN},
        {o->reach, QUESTION_REACH, o->reach, ROLE_PLAIN},
        {o->invariant, QUESTION_INVARIANT, o->invariant, ROLE_PLAIN},
        {o->fireable, QUESTION_FIREABLE, o->fireable, ROLE_PLAIN},
        {o->safe, QUESTION_SAFE, NULL, ROLE_PLAIN},
        {o->assertions, QUESTION_INVARIANT, NULL, ROLE_ERRORS},
        {o->race, QUESTION_INVARIANT, NULL, ROLE_RACE},
    };
    size_t chosen = 0, n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(asked); i++)
        if (asked[i].given) chosen = i, n++;
    if (n > 1) return command_fail("check: one property at a time");
    if (o->final && asked[chosen].kind != QUESTION_DEADLOCK)
        return command_fail("check: --final belongs to --deadlock");
    if (asked[chosen].role != ROLE_PLAIN && !c->program)
        return command_fail("check: %s asks about programs, but this is a net", o->race ? "--race" : "--assertions");
    if (asked[chosen].role != ROLE_PLAIN) return ask_program(c, asked[chosen].role);
    GError *error = NULL;
    if (!question_init(&c->question, c->net, asked[chosen].kind, asked[chosen].argument, o->final, &error))
        return command_fail_error(error);
    return 0;
}

static bool write_witness(const Check *c, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const VecU32 *w = &c->result.witness;
    if (g_str_has_suffix(c->command->options.witness, ".dot")) {
        g_autoptr(Indep) indep = indep_new(c->net, RELATION_LOOPS);
        run_dot(c->net, indep, w->data, w->len, text);
    } else {
        witness_print(c->net, w->data, w->len, text);
    }
    return output_write(c->command->options.witness, text->str, text->len, error);
}

/* ---- text ---- */

static const char *claim(const Check *c)
{
    bool reachable = c->result.answer == ANSWER_REACHABLE;
    if (c->role == ROLE_ERRORS) return reachable ? "an error is reachable" : "no assertion fails";
    if (c->role == ROLE_RACE) return reachable ? "a race is reachable" : "no race is reachable";
    switch (c->question.kind) {
    case QUESTION_DEADLOCK: return reachable ? "a deadlock is reachable" : "no deadlock is reachable";
    case QUESTION_REACH: return reachable ? "such a marking is reachable" : "no such marking is reachable";
    case QUESTION_INVARIANT:
        return reachable ? "a reachable marking violates it" : "every reachable marking satisfies it";
    case QUESTION_FIREABLE: return reachable ? "it can fire" : "it never fires";
    case QUESTION_SAFE: return reachable ? "a place can get two tokens" : "no place ever has two tokens";
    }
    return "";
}

static void print_headline(const Check *c)
{
    const Result *r = &c->result;
    static const char *const words[] = {"UNKNOWN", "HOLDS", "VIOLATED"};
    visible_print(stdout, "%s: ", words[c->verdict]);
    if (c->verdict == VERDICT_UNKNOWN)
        visible_print(stdout, "%s", r->reason ? r->reason : "the engine gave up");
    else
        visible_print(stdout, "%s", claim(c));
    visible_print(stdout, " (%s", r->engine ? r->engine : "auto");
    if (r->answer == ANSWER_REACHABLE)
        visible_print(stdout, ", %zu firing%s", r->witness.len, r->witness.len == 1 ? "" : "s");
    if (r->markings && r->answer != ANSWER_REACHABLE)
        visible_print(stdout, ", %" G_GUINT64_FORMAT " markings, %" G_GUINT64_FORMAT " firings", r->markings,
                      r->firings);
    if (r->answer == ANSWER_UNREACHABLE && !r->markings && r->reason) visible_print(stdout, ", %s", r->reason);
    puts(")");
}

static void print_firings(const Check *c)
{
    const VecU32 *w = &c->result.witness;
    for (size_t i = 0; i < w->len; i++) {
        if (i == SHOWN_FIRINGS && w->len > SHOWN_FIRINGS + 1) {
            visible_print(stdout, "  ...  %zu more (--witness FILE has all)\n", w->len - i);
            break;
        }
        const char *id = net_transition_id(c->net, w->data[i]), *label = net_transition_label(c->net, w->data[i]);
        const char *note = net_transition_note(c->net, w->data[i]);
        if (c->program) {
            visible_print(stdout, "%4zu  %s\n", i + 1, label);
            continue;
        }
        visible_print(stdout, "%4zu  %s", i + 1, id);
        if (strcmp(id, label) != 0) visible_print(stdout, "  %s", label);
        if (*note) visible_print(stdout, "  (%s)", note);
        putchar('\n');
    }
}

/* How far a transition is from firing: those that have part of what they need are nearer than those that have
 * nothing, then the number of obstacles counts. */
static unsigned farness(const Net *net, const uint64_t *marking, uint32_t t, GString *obstacles)
{
    g_string_truncate(obstacles, 0);
    unsigned missing = replay_obstacles(net, marking, t, obstacles);
    unsigned needed = net_places(net, ARC_PRE, t).len + net_places(net, ARC_READ, t).len;
    return missing < needed ? missing : G_MAXUINT / 2 + MIN(missing, 1000);
}

static void print_blocked(const Check *c, const uint64_t *marking)
{
    const Net *net = c->net;
    g_autoptr(GString) text = g_string_new(NULL);
    unsigned least = G_MAXUINT, n = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) least = MIN(least, farness(net, marking, t, text));
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        if (farness(net, marking, t, text) != least || n++ >= SHOWN_BLOCKED) continue;
        visible_print(stdout, "%-9s %s waits for %s\n", n == 1 ? "blocked:" : "", net_transition_id(net, t), text->str);
    }
    if (n > SHOWN_BLOCKED) visible_print(stdout, "          ... and %u more\n", n - SHOWN_BLOCKED);
}

static void print_marking(const Check *c)
{
    g_autofree uint64_t *marking = replay_start(c->net);
    replay_run(c->net, c->result.witness.data, c->result.witness.len, marking);
    if (c->program) {
        g_autofree char *state = source_state(c->program, marking);
        g_auto(GStrv) race = c->role == ROLE_RACE ? source_race(c->program, marking) : NULL;
        visible_lines(stdout, state);
        putchar('\n');
        if (race) visible_print(stdout, "race between\n%s\n%s\n", race[0], race[1]);
        return;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    replay_marking_text(c->net, marking, SHOWN_PLACES, text);
    visible_print(stdout, "%s %s\n", c->question.kind == QUESTION_DEADLOCK ? "dead at:" : "reached: ", text->str);
    if (c->question.kind == QUESTION_DEADLOCK) print_blocked(c, marking);
}

static void print_text(const Check *c)
{
    command_end_progress();
    print_headline(c);
    if (c->result.answer != ANSWER_REACHABLE) return;
    print_firings(c);
    print_marking(c);
}

/* ---- JSON ---- */

static void json_strings(JsonBuilder *json, const char *key, char **values)
{
    json_builder_set_member_name(json, key);
    json_builder_begin_array(json);
    for (; values && *values; values++) json_builder_add_string_value(json, *values);
    json_builder_end_array(json);
}

/* The witness in the words of the source: steps, and where they lead. */
static void json_program(const Check *c, JsonBuilder *json)
{
    const VecU32 *w = &c->result.witness;
    json_builder_set_member_name(json, "steps");
    json_builder_begin_array(json);
    for (size_t i = 0; i < w->len; i++) json_builder_add_string_value(json, net_transition_label(c->net, w->data[i]));
    json_builder_end_array(json);
    g_autofree uint64_t *marking = replay_start(c->net);
    replay_run(c->net, w->data, w->len, marking);
    g_auto(GStrv) race = c->role == ROLE_RACE ? source_race(c->program, marking) : NULL;
    g_autofree char *failure = c->role == ROLE_ERRORS ? source_error(c->program, marking) : NULL;
    if (race) json_strings(json, "race", race);
    if (failure) json_string(json, "error", failure);
}

static void print_json(const Check *c)
{
    const Result *r = &c->result;
    JsonBuilder *json = command_json_begin(c->command, c->net->name);
    json_string(json, "property", c->question.text);
    json_string(json, "verdict", verdict_text(c->verdict));
    json_string(json, "reason", r->reason);
    json_string(json, "engine", r->engine);
    if (c->unwritten) json_string(json, "unwritten", c->unwritten);
    if (r->answer == ANSWER_REACHABLE) {
        json_builder_set_member_name(json, "witness");
        json_builder_begin_array(json);
        for (size_t i = 0; i < r->witness.len; i++)
            json_builder_add_string_value(json, net_transition_id(c->net, r->witness.data[i]));
        json_builder_end_array(json);
        json_bool(json, "witness_checked", true);
    } else {
        json_null(json, "witness");
        json_null(json, "witness_checked");
    }
    if (c->program && r->answer == ANSWER_REACHABLE) json_program(c, json);
    if (r->markings) {
        json_int(json, "markings", (int64_t)r->markings);
        json_int(json, "firings", (int64_t)r->firings);
        json_tokens(json, "max_tokens_in_place", r->max_tokens_in_place);
        json_tokens(json, "max_tokens_in_marking", r->max_tokens_in_marking);
    }
    command_json_end(c->command, json);
}

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
    if (c->asked_on && c->result.answer != ANSWER_REACHABLE) return;
    tell_stale(o->witness, c->result.answer == ANSWER_REACHABLE && !c->unwritten, "firing sequence");
    tell_stale(o->certificate, c->result.answer == ANSWER_UNREACHABLE && !c->unwritten, "proof");
}

static int conclude(Check *c, Budget *budget)
{
    if (c->result.answer == ANSWER_REACHABLE) {
        VecU32 *w = &c->result.witness;
        if (!witness_replays(&c->question.query, w->data, w->len)) {
            command_fail("check: internal error: the witness of engine %s does not replay", c->result.engine);
            return EXIT_INTERNAL;
        }
        witness_shorten(&c->question.query, w, budget);
    }
    c->verdict = question_verdict(&c->question, c->result.answer);
    g_autoptr(GError) error = NULL;
    if (c->command->options.witness && c->result.answer == ANSWER_REACHABLE && !write_witness(c, &error))
        c->unwritten = g_strdup(error->message);
    if (c->command->options.json)
        print_json(c);
    else
        print_text(c);
    tell_about_evidence(c);
    if (c->unwritten) return EXIT_USAGE;
    return c->verdict == VERDICT_HOLDS ? EXIT_HOLDS : c->verdict == VERDICT_VIOLATED ? EXIT_VIOLATED : EXIT_UNKNOWN;
}

static int run(Check *c, double seconds)
{
    const Options *o = &c->command->options;
    const Engine *engine = engine_find(o->engine ? o->engine : o->certificate ? "certified" : "auto");
    int failed = c->role == ROLE_PLAIN ? ask(c) : ask_program(c, c->role);
    if (failed) return failed;
    ProofFile proof = {.path = o->certificate, .unwritten = &c->unwritten};
    EngineOptions options = {.seed = (uint64_t)o->seed,
                             .threads = (unsigned)MAX(o->threads, 0),
                             .certificate = o->certificate ? &proof : NULL,
                             .relation = o->relation,
                             .order = o->order};
    if (o->verbose) options.log = command_log_line;
    Budget budget = command_budget(c->command);
    if (seconds > 0) {
        budget.deadline = c->command->started + seconds;
        budget.allotted = seconds;
    }
    if (engine) {
        engine_run(engine, &c->question.query, &options, &budget, &c->result);
    } else { /* several names: the portfolio of just those */
        const Query *q = &c->question.query;
        portfolio_run(q->net, q->formulas, &q->goal, 1, &(PortfolioOptions){.engine = options, .only = o->engine},
                      &budget, &c->result);
    }
    int code = conclude(c, &budget);
    result_clear(&c->result);
    question_clear(&c->question);
    g_clear_pointer(&c->unwritten, g_free);
    return code;
}

/* A program without a property is asked for failing assertions, then for deadlocks. */
static bool asks_twice(const Options *o, const Compiled *program)
{
    bool asked = o->deadlock || o->reach || o->invariant || o->fireable || o->safe || o->assertions || o->race;
    return !asked && !o->final && program->errors;
}

/* The first violation ends it. */
static int run_program(const Check *check)
{
    const Options *o = &check->command->options;
    Check errors = *check, deadlock = *check;
    errors.role = ROLE_ERRORS;
    errors.asked_on = true;
    if (!asks_twice(o, check->program)) return run(&deadlock, 0);
    int code = run(&errors, o->time / 2);
    if (code != EXIT_HOLDS && code != EXIT_UNKNOWN) return code;
    int second = run(&deadlock, 0);
    return second == EXIT_HOLDS ? code : second;
}

/* Is a proof asked for that nobody could write? */
static int check_certificate(const Command *command, const Compiled *read)
{
    const Options *o = &command->options;
    if (!o->certificate) return 0;
    if (o->engine && !engine_find(o->engine))
        return command_fail("check: a list of engines (%s) writes no certificates; name one, or none", o->engine);
    if (read->is_program && asks_twice(o, read))
        return command_fail(
            "check: a program is asked about assertions and deadlocks; say which one --certificate is for "
            "(--assertions or --deadlock)");
    check_forget_proof(o->certificate);
    return 0;
}

int command_check(Command *command)
{
    if (command->n_arguments != 1) return command_fail("check: exactly one NET is expected");
    int code = command_check_names(command);
    if (code) return code;
    static const char *const relations[] = {"classic", "read", "loops", NULL};
    const char *relation = command->options.relation;
    if (relation && relation_refusal(relation)) return command_fail("check: %s", relation_refusal(relation));
    if (relation && !g_strv_contains(relations, relation))
        return command_fail("check: the engine unfold works under classic, read and loops, not under '%s'", relation);
    g_autoptr(Compiled) read = command_read(command, command->arguments[0]);
    if (!read) return command->failure;
    if (command->options.property) return check_file(command, read->net);
    if (command->options.witnesses || command->options.certificates)
        return command_fail(
            "check: --witnesses and --certificates belong to --property FILE; for a single property it is "
            "--witness FILE or --certificate FILE");
    code = check_certificate(command, read);
    if (code) return code;
    Check check = {.command = command, .net = read->net, .program = read->is_program ? read : NULL};
    return check.program ? run_program(&check) : run(&check, 0);
}
