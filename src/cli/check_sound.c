#include "base/visible.h"
#include "certify/certificate.h"
#include "cli/check.h"
#include "cli/check_home.h"
#include "cli/check_run.h"
#include "home/sound.h"
#include "lts/replay.h"

#include <stdio.h>
#include <string.h>

typedef struct SoundCheck {
    Command *command;
    const mz_net *net;
    const mz_answer *answer;
} SoundCheck;

/* --sound, --sound=2, --sound=weak, --sound=relaxed. */
static const char *variant_name(const char *word)
{
    return strcmp(word, "weak") == 0 ? "weakly sound" : strcmp(word, "relaxed") == 0 ? "relaxed sound" : "sound";
}

static int check_variant(const char *word)
{
    gint64 k;
    if (!*word || strcmp(word, "weak") == 0 || strcmp(word, "relaxed") == 0 ||
        g_ascii_string_to_signed(word, 10, 1, G_MAXUINT32, &k, NULL))
        return 0;
    return command_fail("check: --sound stands alone, or with a number of tokens from 1, weak or relaxed, not '%s'",
                        word);
}

/* ---- text ---- */

static const struct {
    const char *title, *broken;
    bool by_run;
} parts[] = {
    [PART_COMPLETES] = {"option to complete", "it can come where it cannot finish any more", true},
    [PART_PROPER] = {"proper completion", "it can finish and leave tokens behind", true},
    [PART_USEFUL] = {"no dead transition", "some transitions can never fire", false},
    [PART_RELAXED] = {"all on a run to the end", "some transitions are on no run to the end", false},
};

static SoundPart which(const mz_answer *part)
{
    SoundPart p = PART_COMPLETES;
    while (p + 1 < N_SOUND_PARTS && strcmp(sound_part_name(p), mz_answer_property(part)) != 0) p++;
    return p;
}

/* Where the run to the loss is empty. */
static const char never_finishes[] = "it cannot finish at all";

static void append_reason(const SoundCheck *c, GString *text)
{
    const char *separator = ", because ";
    for (uint32_t i = 0; i < mz_answer_parts(c->answer); i++) {
        const mz_answer *part = mz_answer_part(c->answer, i);
        if (mz_answer_verdict(part) != MZ_VIOLATED) continue;
        size_t n = 1;
        bool never = which(part) == PART_COMPLETES && mz_answer_run(part, &n) && n == 0;
        g_string_append_printf(text, "%s%s", separator, never ? never_finishes : parts[which(part)].broken);
        separator = ", and ";
    }
    if (strcmp(separator, ", because ") == 0)
        g_string_append_printf(text, ", because place %s has no bound", mz_answer_subject(c->answer));
}

/* "VIOLATED: not sound, because ...": for the caller to free. */
static char *headline(const SoundCheck *c)
{
    static const char *const begin[] = {
        [MZ_HOLDS] = "HOLDS: ", [MZ_VIOLATED] = "VIOLATED: not ", [MZ_UNKNOWN] = "UNKNOWN: whether it is "};
    mz_verdict verdict = mz_answer_verdict(c->answer);
    GString *text = g_string_new(begin[verdict]);
    g_string_append(text, variant_name(c->command->options.sound));
    if (verdict == MZ_VIOLATED) append_reason(c, text);
    return g_string_free(text, FALSE);
}

/* Takes away, place by place, what is not needed for a finished marking: these places have tokens left behind. For the
 * caller to free; NULL: none, or it is not known. */
static char *left_behind(const SoundCheck *c, const mz_answer *part)
{
    const Options *o = &c->command->options;
    uint64_t k = MAX(g_ascii_strtoull(o->sound, NULL, 10), 1);
    g_autofree uint64_t *marking = check_run_end(c->net, part);
    Workflow w;
    if (which(part) != PART_PROPER || !marking || !workflow_init(&w, api_net_inside(c->net), k, o->final, NULL))
        return NULL;
    g_autoptr(NetLts) lts = netlts_new(&w.net, 64);
    GString *text = g_string_new(NULL);
    for (uint32_t p = 0, n = 0; p < w.net.n_places; p++) {
        uint64_t tokens = marking[p];
        marking[p] = 0;
        if (tokens && formula_holds(w.formulas, w.covered, lts, marking)) {
            if (n++ < SHOWN_PLACES) g_string_append_printf(text, "%s%s", n > 1 ? " " : "", net_place_id(&w.net, p));
        } else
            marking[p] = tokens;
    }
    workflow_clear(&w);
    return g_string_free(text, text->len == 0);
}

static void print_run(const SoundCheck *c, const mz_answer *part)
{
    size_t n;
    const uint32_t *run = mz_answer_run(part, &n);
    g_autofree uint64_t *marking = check_run_end(c->net, part);
    check_run_print(api_net_inside(c->net), run, NULL, n, false);
    if (which(part) == PART_COMPLETES) {
        check_home_explain(api_net_inside(c->net), marking);
        return;
    }
    g_autoptr(GString) text = g_string_new(NULL);
    replay_marking_text(api_net_inside(c->net), marking, SHOWN_PLACES, text);
    visible_print(stdout, "reached:  %s\n", text->str);
    g_autofree char *left = left_behind(c, part);
    if (left) visible_print(stdout, "left:     %s (the option to complete does not mind these tokens)\n", left);
}

static void print_part(const SoundCheck *c, const mz_answer *part)
{
    const char *engine = mz_answer_engine(part), *reason = mz_answer_reason(part);
    size_t n, n_transitions;
    const uint32_t *transitions = mz_answer_transitions(part, &n_transitions), *run = mz_answer_run(part, &n);
    visible_print(stdout, "%-19s %s (%s", parts[which(part)].title, check_verdict_text(part), engine ? engine : "auto");
    if (n) visible_print(stdout, ", %zu firing%s", n, n == 1 ? "" : "s");
    if (reason) visible_print(stdout, ", %s", reason);
    visible_print(stdout, ")");
    for (size_t i = 0; i < n_transitions; i++) {
        if (i == SHOWN_PLACES) {
            visible_print(stdout, " ... (%zu transitions)", n_transitions);
            break;
        }
        visible_print(stdout, "%s%s", i ? " " : ": ", mz_net_transition_id(c->net, transitions[i]));
    }
    putchar('\n');
    if (run && parts[which(part)].by_run) print_run(c, part);
}

static void print_text(const SoundCheck *c)
{
    g_autofree char *words = headline(c);
    command_end_progress();
    visible_print(stdout, "%s\n", words);
    for (uint32_t i = 0; i < mz_answer_parts(c->answer); i++) print_part(c, mz_answer_part(c->answer, i));
}

/* ---- JSON ---- */

static void json_part(const SoundCheck *c, const mz_answer *part, GString *json)
{
    const Net *net = api_net_inside(c->net);
    size_t n, n_transitions;
    const uint32_t *transitions = mz_answer_transitions(part, &n_transitions), *run = mz_answer_run(part, &n);
    json_open(json, mz_answer_property(part), '{');
    json_string(json, "verdict", check_verdict_text(part));
    json_string(json, "engine", mz_answer_engine(part));
    json_string(json, "reason", mz_answer_reason(part));
    if (!parts[which(part)].by_run)
        command_json_run(json, "transitions", net, transitions, n_transitions);
    else if (run)
        command_json_run(json, "witness", net, run, n);
    else
        json_null(json, "witness");
    if (run && which(part) == PART_COMPLETES) {
        g_autofree uint64_t *marking = check_run_end(c->net, part);
        check_home_json_reasons(json, net, marking);
    }
    json_close(json, '}');
}

static void print_json(const SoundCheck *c)
{
    GString *json = command_json_begin(c->command, mz_net_name(c->net));
    json_string(json, "property", mz_answer_property(c->answer));
    json_string(json, "verdict", check_verdict_text(c->answer));
    json_string(json, "unbounded", mz_answer_subject(c->answer));
    json_open(json, "parts", '{');
    for (uint32_t i = 0; i < mz_answer_parts(c->answer); i++) json_part(c, mz_answer_part(c->answer, i), json);
    json_close(json, '}');
    command_json_end(c->command, json);
}

/* The first one that has a run, or the whole. */
static const mz_answer *shown_part(const SoundCheck *c)
{
    for (uint32_t i = 0; i < mz_answer_parts(c->answer); i++)
        if (mz_answer_run(mz_answer_part(c->answer, i), NULL)) return mz_answer_part(c->answer, i);
    return c->answer;
}

/* The headline, each part, and what the run that is drawn leaves behind. */
static bool look(const SoundCheck *c)
{
    const mz_answer *shown = shown_part(c);
    g_autofree char *head = headline(c), *left = mz_answer_run(shown, NULL) ? left_behind(c, shown) : NULL;
    GString *words = g_string_new(head);
    for (uint32_t i = 0; i < mz_answer_parts(c->answer); i++) {
        const mz_answer *part = mz_answer_part(c->answer, i);
        g_string_append_printf(words, "%s%s: %s", i ? ", " : " (", parts[which(part)].title, check_verdict_text(part));
    }
    if (mz_answer_parts(c->answer)) g_string_append_c(words, ')');
    if (left) g_string_append_printf(words, "; left behind: %s", left);
    bool written = check_home_look(c->command, c->net, words->str, shown);
    g_string_free(words, TRUE);
    return written;
}

int check_sound(Command *command, const mz_net *net)
{
    const char *word = command->options.sound;
    int code = check_variant(word);
    if (code) return code;
    g_autofree char *property = g_strdup_printf("sound%s%s", *word ? " " : "", word);
    g_auto(GStrv) options = check_options(command, NULL);
    mz_error *error = NULL;
    if (command->options.certificate) certificate_forget(command->options.certificate);
    mz_answer *answer = mz_check(net, property, (const char *const *)options, command_limits(command), &error);
    if (!answer) return command_fail_library(command, error, "final");
    SoundCheck c = {command, net, answer};
    bool written = check_home_write_run(command, net, shown_part(&c));
    /* A proof that is not found leaves the verdict as it is, which is said. */
    if (mz_answer_unwritten(answer)) command_fail("%s", mz_answer_unwritten(answer));
    if (command->options.json)
        print_json(&c);
    else
        print_text(&c);
    written &= look(&c);
    code = written ? check_exit_code(mz_answer_verdict(answer)) : EXIT_USAGE;
    mz_answer_free(answer);
    return code;
}
