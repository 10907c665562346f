#include "cli/check_file.h"

#include "cli/check.h"

#include "base/visible.h"

#include <stdio.h>

typedef struct Tally {
    Command *command;
    const mz_net *net;
    size_t n_faulty;
    bool lost; /* evidence could not be written */
} Tally;

/* ---- one property ---- */

static void print_json(const Tally *t, const mz_answer *a)
{
    const Options *o = &t->command->options;
    GString *json = command_json_begin(t->command, mz_net_name(t->net));
    json_string(json, "property", mz_answer_property(a));
    json_string(json, "verdict", check_verdict_text(a));
    if (mz_answer_kind(a) == MZ_KIND_FAULTY) json_string(json, "error", mz_answer_reason(a));
    if (mz_answer_kind(a) != MZ_KIND_QUESTION) json_string(json, "bound", mz_answer_bound(a));
    json_string(json, "reason", mz_answer_reason(a));
    json_string(json, "engine", mz_answer_engine(a));
    if (mz_answer_kind(a) == MZ_KIND_QUESTION) check_json_witness(json, t->net, a);
    if (o->witnesses) json_string(json, "witness_file", mz_answer_run_file(a));
    if (o->certificates) json_string(json, "certificate", mz_answer_certificate_file(a));
    command_json_end(t->command, json);
}

static void print_files(const Tally *t, const mz_answer *a)
{
    const char *run = mz_answer_run_file(a), *proof = mz_answer_certificate_file(a);
    if (run) visible_print(stdout, ", %s", run);
    if (proof) visible_print(stdout, ", %s", proof);
    if (t->command->options.certificates && mz_answer_evidence(a) == MZ_EVIDENCE_PROOF && !proof)
        visible_print(stdout, ", no certificate");
}

static void print_text(const Tally *t, const mz_answer *a)
{
    const char *id = mz_answer_property(a), *bound = mz_answer_bound(a), *engine = mz_answer_engine(a),
               *reason = mz_answer_reason(a);
    bool question = mz_answer_kind(a) == MZ_KIND_QUESTION;
    size_t n;
    command_end_progress();
    if (!question && !bound) {
        visible_print(stdout, "%-9s %s (%s)\n", mz_answer_kind(a) == MZ_KIND_FAULTY ? "ERROR" : "UNKNOWN", id, reason);
        return;
    }
    visible_print(stdout, "%-9s %s%s%s (%s", bound ? "BOUND" : check_verdict_word(mz_answer_verdict(a)), id,
                  bound ? " = " : "", bound ? bound : "", engine ? engine : "auto");
    if (mz_answer_run(a, &n)) visible_print(stdout, ", %zu firing%s", n, n == 1 ? "" : "s");
    if (question && mz_answer_verdict(a) == MZ_UNKNOWN && reason) visible_print(stdout, ", %s", reason);
    print_files(t, a);
    puts(")");
}

static void told(const mz_answer *answer, void *data)
{
    Tally *t = data;
    g_auto(GStrv) lost = g_strsplit(mz_answer_unwritten(answer) ? mz_answer_unwritten(answer) : "", "\n", -1);
    for (char **one = lost; *one; one++) command_fail("%s", *one);
    t->lost |= *lost != NULL;
    t->n_faulty += mz_answer_kind(answer) == MZ_KIND_FAULTY;
    if (t->command->options.json)
        print_json(t, answer);
    else
        print_text(t, answer);
    command_go_on(t->command);
}

/* ---- all of them ---- */

int check_file(Command *command, const mz_net *net)
{
    const Options *o = &command->options;
    if (o->witness || o->certificate)
        return command_fail("check: --witness and --certificate belong to a single property; with --property it is "
                            "--witnesses FOLDER and --certificates FOLDER, with a file for each");
    if (o->deadlock || o->reach || o->invariant || o->fireable || o->safe || o->assertions || o->race || o->final)
        return command_fail("check: --property FILE names all properties itself");
    Tally tally = {.command = command, .net = net};
    g_auto(GStrv) options = check_options(command, NULL);
    mz_error *error = NULL;
    mz_answer *all =
        mz_check_file(net, o->property, (const char *const *)options, command_limits(command), told, &tally, &error);
    if (!all) return command_fail_library(command, error, NULL);
    int code = tally.n_faulty || tally.lost ? EXIT_USAGE : check_exit_code(mz_answer_verdict(all));
    command_end_progress();
    mz_answer_free(all);
    return code;
}
