#include "cli/check_home.h"

#include "base/visible.h"
#include "certify/certificate.h"
#include "cli/check.h"
#include "cli/check_run.h"
#include "cli/look.h"
#include "home/outlook.h"
#include "lts/replay.h"

#include <stdio.h>

bool check_home_asked(const Options *o)
{
    return o->home || o->live || o->reversible || o->sound;
}

int check_home_usage(const Command *command)
{
    const Options *o = &command->options;
    if (!check_home_asked(o)) return EXIT_HOLDS;
    bool others = o->deadlock || o->reach || o->invariant || o->fireable || o->safe || o->assertions || o->race;
    if (others || !!o->home + !!o->live + !!o->reversible + !!o->sound > 1)
        return command_fail("check: one property at a time");
    if (o->property) return command_fail("check: --property FILE names all properties itself");
    if (o->engine) return command_fail("check: --engine is for questions of reachability, not for this one");
    if (o->final && !o->sound) return command_fail("check: --final belongs to --deadlock and --sound");
    return EXIT_HOLDS;
}

/* ---- the question ---- */

typedef struct HomeCheck {
    Command *command;
    const mz_net *net;
    const char *word;
    mz_answer *answer;
} HomeCheck;

/* The property in the library's words. */
static char *property_of(HomeCheck *c)
{
    const Options *o = &c->command->options;
    c->word = o->home ? "home" : o->live ? "live" : "reversible";
    const char *argument = o->home ? o->home : o->live && *o->live ? o->live : NULL;
    return argument ? g_strdup_printf("%s %s", c->word, argument) : g_strdup(c->word);
}

static const char *always(const Options *o)
{
    if (o->home) return "such a marking can always be reached again";
    if (!o->live) return "the initial marking can always be reached again";
    return *o->live ? "it can always fire again" : "every transition can always fire again";
}

/* ---- telling ---- */

static bool stays(const Outlook *outlook, uint32_t p)
{
    return outlook->marking[p] && !outlook->falls[p];
}

static bool stays_empty(const Outlook *outlook, uint32_t p)
{
    return !outlook->marking[p] && !outlook->rises[p] && net_transitions(outlook->net, ARC_PRE, p).len;
}

static void print_places(const Outlook *outlook, bool (*such)(const Outlook *, uint32_t), const char *word,
                         const char *why)
{
    const Net *net = outlook->net;
    unsigned n = 0;
    for (uint32_t p = 0; p < net->n_places; p++) {
        if (!such(outlook, p) || n++ >= SHOWN_PLACES) continue;
        visible_print(stdout, "%s %s", n == 1 ? word : "", net_place_id(net, p));
    }
    if (n > SHOWN_PLACES) visible_print(stdout, " ... (%u places)", n);
    if (n) visible_print(stdout, " (%s)\n", why);
}

void check_home_explain(const Net *net, const uint64_t *marking)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(Outlook) outlook = outlook_new(net);
    replay_marking_text(net, marking, SHOWN_PLACES, text);
    visible_print(stdout, "lost at:  %s\n", text->str);
    outlook_at(outlook, marking);
    print_places(outlook, stays, "stay:    ", "nothing can take these tokens any more");
    print_places(outlook, stays_empty, "empty:   ", "nothing can fill these places any more");
    if (replay_is_dead(net, marking)) check_run_print_blocked(net, marking);
}

static void json_places(GString *json, const char *key, const Outlook *outlook, bool (*such)(const Outlook *, uint32_t))
{
    g_autoptr(GStrvBuilder) ids = g_strv_builder_new();
    for (uint32_t p = 0; p < outlook->net->n_places; p++)
        if (such(outlook, p)) g_strv_builder_add(ids, net_place_id(outlook->net, p));
    g_auto(GStrv) list = g_strv_builder_end(ids);
    json_strings(json, key, list);
}

void check_home_json_reasons(GString *json, const Net *net, const uint64_t *marking)
{
    g_autoptr(Outlook) outlook = outlook_new(net);
    outlook_at(outlook, marking);
    json_places(json, "stay", outlook, stays);
    json_places(json, "siphon", outlook, stays_empty);
}

bool check_home_write_run(const Command *command, const mz_net *net, const mz_answer *answer)
{
    const char *path = command->options.witness;
    GError *error = NULL;
    size_t n;
    const uint32_t *run = mz_answer_run(answer, &n);
    if (!path || !run || check_run_write(path, api_net_inside(net), run, NULL, n, &error)) return true;
    command_fail_error(error);
    return false;
}

bool check_home_look(Command *command, const mz_net *net, const char *words, const mz_answer *shown)
{
    if (!command->options.html) return true;
    size_t n, bytes = mz_net_places(net) * sizeof(uint64_t);
    const uint32_t *run = mz_answer_run(shown, &n);
    /* A page plays runs from the initial marking; sound for several tokens begins elsewhere. */
    if (run && memcmp(mz_answer_start(shown), mz_net_initial(net), bytes) != 0) run = NULL;
    return look_verdict(command, net->read, words, run, run ? n : 0);
}

static void print_claim(const HomeCheck *c)
{
    const mz_answer *a = c->answer;
    const char *reason = mz_answer_reason(a);
    switch (mz_answer_verdict(a)) {
    case MZ_HOLDS: visible_print(stdout, "%s", always(&c->command->options)); break;
    case MZ_UNKNOWN: visible_print(stdout, "%s", reason ? reason : "nothing decided it"); break;
    case MZ_VIOLATED:
        if (mz_answer_subject(a))
            visible_print(stdout, "transition %s can become unable to fire", mz_answer_subject(a));
        else
            visible_print(stdout, "%s can become unreachable",
                          c->command->options.home ? "such a marking" : "the initial marking");
    }
}

static void print_text(const HomeCheck *c, const uint64_t *marking)
{
    const mz_answer *a = c->answer;
    const char *engine = mz_answer_engine(a);
    uint64_t markings = mz_answer_markings(a);
    size_t n;
    const uint32_t *run = mz_answer_run(a, &n);
    command_end_progress();
    visible_print(stdout, "%s: ", check_verdict_word(mz_answer_verdict(a)));
    print_claim(c);
    visible_print(stdout, " (%s", engine ? engine : "auto");
    if (run)
        visible_print(stdout, ", %zu firing%s", n, n == 1 ? "" : "s");
    else if (markings && mz_answer_verdict(a) == MZ_HOLDS)
        visible_print(stdout, ", %" G_GUINT64_FORMAT " marking%s", markings, markings == 1 ? "" : "s");
    puts(")");
    if (!run) return;
    check_run_print(api_net_inside(c->net), run, NULL, n, mz_net_is_program(c->net));
    if (mz_net_is_program(c->net)) {
        g_autofree char *state = mz_net_describe(c->net, marking);
        visible_lines(stdout, state);
        putchar('\n');
    } else {
        check_home_explain(api_net_inside(c->net), marking);
    }
}

static void print_json(const HomeCheck *c, const uint64_t *marking)
{
    const mz_answer *a = c->answer;
    GString *json = check_json_begin(c->command, c->net, a);
    check_json_witness(json, c->net, a);
    if (mz_answer_verdict(a) == MZ_VIOLATED) {
        if (c->command->options.live) json_string(json, "transition", mz_answer_subject(a));
        check_home_json_reasons(json, api_net_inside(c->net), marking);
    }
    if (mz_answer_markings(a)) json_int(json, "markings", (int64_t)mz_answer_markings(a));
    command_json_end(c->command, json);
}

static int tell(const HomeCheck *c)
{
    const mz_answer *a = c->answer;
    g_autofree uint64_t *marking = check_run_end(c->net, a);
    if (!marking) {
        command_fail("check: internal error: the run does not replay");
        return EXIT_INTERNAL;
    }
    /* A proof that is not found leaves the verdict as it is, which is said. */
    if (mz_answer_unwritten(a)) command_fail("%s", mz_answer_unwritten(a));
    bool written = check_home_write_run(c->command, c->net, a);
    if (c->command->options.json)
        print_json(c, marking);
    else
        print_text(c, marking);
    g_autofree char *words = g_strdup_printf("%s: %s", check_verdict_word(mz_answer_verdict(a)), mz_answer_property(a));
    bool looked = check_home_look(c->command, c->net, words, a);
    return written && looked ? check_exit_code(mz_answer_verdict(a)) : EXIT_USAGE;
}

int check_home(Command *command, const mz_net *net)
{
    if (command->options.sound) return check_sound(command, net);
    HomeCheck c = {.command = command, .net = net};
    g_autofree char *property = property_of(&c);
    g_auto(GStrv) options = check_options(command, NULL);
    mz_error *error = NULL;
    if (command->options.certificate) certificate_forget(command->options.certificate);
    c.answer = mz_check(net, property, (const char *const *)options, command_limits(command), &error);
    if (!c.answer) return command_fail_library(command, error, c.word);
    int code = tell(&c);
    mz_answer_free(c.answer);
    return code;
}
