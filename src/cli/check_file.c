#include "cli/check_file.h"

#include "base/visible.h"
#include "batch/evidence.h"
#include "certify/certificate.h"
#include "prop/property.h"
#include "verify/examination.h"
#include "verify/witness.h"

#include <stdio.h>
#include <string.h>

/* Without a time limit, a proof that is only wanted as evidence gets so long. */
#define PROOF_SECONDS 60.0

typedef struct Asked {
    Command *command;
    Budget *budget;
    const Net *net;
    FormulaStore *formulas;
    PropertySet *set;
    FormulaId *goals; /* of those that are reachability questions */
    size_t *property; /* goal -> property */
    size_t n_goals, n_violated, n_unknown, n_faulty;
    EvidencePlace evidence;
    bool lost; /* evidence could not be written */
} Asked;

/* Names of files in the folders of evidence, or NULL. */
typedef struct Kept {
    char *run, *proof;
} Kept;

static void kept_clear(Kept *kept)
{
    g_free(kept->run);
    g_free(kept->proof);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Kept, kept_clear)

static const char *verdict_name(bool known, bool holds)
{
    return !known ? "unknown" : holds ? "holds" : "violated";
}

static void json_witness(const Asked *a, JsonBuilder *json, const Result *r)
{
    if (r->answer != ANSWER_REACHABLE) {
        json_null(json, "witness");
        json_null(json, "witness_checked");
        return;
    }
    json_builder_set_member_name(json, "witness");
    json_builder_begin_array(json);
    for (size_t i = 0; i < r->witness.len; i++)
        json_builder_add_string_value(json, net_transition_id(a->net, r->witness.data[i]));
    json_builder_end_array(json);
    json_bool(json, "witness_checked", true);
}

static void json_kept(const Asked *a, JsonBuilder *json, const Kept *kept)
{
    if (a->evidence.witnesses) json_string(json, "witness_file", kept->run);
    if (a->evidence.certificates) json_string(json, "certificate", kept->proof);
}

static void print_kept(const Asked *a, bool proof_due, const Kept *kept)
{
    if (kept->run) visible_print(stdout, ", %s", kept->run);
    if (kept->proof) visible_print(stdout, ", %s", kept->proof);
    if (a->evidence.certificates && proof_due && !kept->proof) visible_print(stdout, ", no certificate");
}

static EngineOptions engine_options(const Asked *a)
{
    const Options *o = &a->command->options;
    return (EngineOptions){.seed = (uint64_t)o->seed,
                           .threads = (unsigned)MAX(o->threads, 0),
                           .relation = o->relation,
                           .order = o->order,
                           .log = o->verbose ? command_log_line : NULL};
}

static void lose(Asked *a, GError *error)
{
    if (!error) return;
    command_fail_error(error);
    a->lost = true;
}

/* Proves once more, by engines that can say how. `part`: of the time left. */
static void keep_proof(Asked *a, const char *id, FormulaId goal, double part, Kept *kept)
{
    if (!a->evidence.certificates || budget_look(a->budget)) return;
    Query query = {a->net, a->formulas, goal};
    EngineOptions options = engine_options(a);
    Budget share = budget_part(a->budget, part, a->budget->deadline > 0 ? 0 : PROOF_SECONDS, NULL);
    GError *error = NULL;
    if (!evidence_keep_proof(&a->evidence, &query, id, &options, &share, &kept->proof, &error))
        g_clear_pointer(&kept->proof, g_free);
    lose(a, error);
}

static void keep_run(Asked *a, const char *id, const VecU32 *run, Kept *kept)
{
    if (!a->evidence.witnesses) return;
    GError *error = NULL;
    if (!evidence_keep_run(&a->evidence, a->net, id, run, &kept->run, &error)) g_clear_pointer(&kept->run, g_free);
    lose(a, error);
}

/* `part`: of the time left, for a proof. */
static void print_goal(Asked *a, size_t i, Result *r, double part)
{
    const Property *p = &a->set->properties.data[a->property[i]];
    Query query = {a->net, a->formulas, a->goals[i]};
    g_auto(Kept) kept = {0};
    if (r->answer == ANSWER_REACHABLE && !witness_replays(&query, r->witness.data, r->witness.len)) {
        result_clear(r);
        r->reason = g_strdup("internal error: the witness does not replay");
    }
    if (r->answer == ANSWER_REACHABLE) {
        witness_shorten(&query, &r->witness, a->budget);
        keep_run(a, p->id, &r->witness, &kept);
    }
    if (r->answer == ANSWER_UNREACHABLE) keep_proof(a, p->id, a->goals[i], part, &kept);
    bool known = r->answer != ANSWER_UNKNOWN, holds = (r->answer == ANSWER_REACHABLE) == (p->kind == PROPERTY_EXISTS);
    a->n_unknown += !known;
    a->n_violated += known && !holds;
    if (a->command->options.json) {
        JsonBuilder *json = command_json_begin(a->command, a->net->name);
        json_string(json, "property", p->id);
        json_string(json, "verdict", verdict_name(known, holds));
        json_string(json, "reason", r->reason);
        json_string(json, "engine", r->engine);
        json_witness(a, json, r);
        json_kept(a, json, &kept);
        command_json_end(a->command, json);
        return;
    }
    visible_print(stdout, "%-9s %s (%s",
                  !known  ? "UNKNOWN"
                  : holds ? "HOLDS"
                          : "VIOLATED",
                  p->id, r->engine ? r->engine : "auto");
    if (r->answer == ANSWER_REACHABLE)
        visible_print(stdout, ", %zu firing%s", r->witness.len, r->witness.len == 1 ? "" : "s");
    if (!known && r->reason) visible_print(stdout, ", %s", r->reason);
    print_kept(a, r->answer == ANSWER_UNREACHABLE, &kept);
    puts(")");
}

/* A bound is proved when nothing above it is reachable. */
static void keep_bound(Asked *a, const Property *p, const ExaminationBound *bound, double part, Kept *kept)
{
    FormulaId exceeds;
    if (examination_bound_goal(a->formulas, &p->places, bound, true, &exceeds))
        keep_proof(a, p->id, exceeds, part, kept);
}

static void print_other(Asked *a, const Property *p, const ExaminationBound *bound, double part)
{
    g_auto(Kept) kept = {0};
    if (bound) keep_bound(a, p, bound, part, &kept);
    bool known = bound && bound->known;
    char digits[TOTAL_DIGITS];
    g_autofree char *value = !known            ? NULL
                             : bound->infinite ? g_strdup("+inf")
                                               : g_strdup(total_text(bound->value, digits));
    const char *reason = bound ? bound->reason : p->reason;
    bool faulty = p->kind == PROPERTY_FAULTY;
    a->n_unknown += !known;
    a->n_faulty += faulty;
    if (a->command->options.json) {
        JsonBuilder *json = command_json_begin(a->command, a->net->name);
        json_string(json, "property", p->id);
        json_string(json, "verdict", known ? "holds" : "unknown");
        if (faulty) json_string(json, "error", reason);
        json_string(json, "bound", value);
        json_string(json, "reason", reason);
        json_string(json, "engine", bound ? bound->engine : NULL);
        json_kept(a, json, &kept);
        command_json_end(a->command, json);
    } else if (known) {
        visible_print(stdout, "BOUND     %s = %s (%s", p->id, value, bound->engine ? bound->engine : "auto");
        print_kept(a, !bound->infinite, &kept);
        puts(")");
    } else {
        visible_print(stdout, "%-9s %s (%s)\n", faulty ? "ERROR" : "UNKNOWN", p->id, reason);
    }
}

static void ask_goals(Asked *a, Budget *budget)
{
    g_autofree Result *results = g_new0(Result, a->n_goals + 1);
    const char *name = a->command->options.engine;
    bool several = name && strchr(name, ',');
    if (!name || several || strcmp(name, "auto") == 0) {
        PortfolioOptions options = {.engine = engine_options(a), .only = several ? name : NULL};
        portfolio_run(a->net, a->formulas, a->goals, a->n_goals, &options, budget, results);
    } else {
        EngineOptions options = engine_options(a);
        for (size_t i = 0; i < a->n_goals; i++) {
            Query query = {a->net, a->formulas, a->goals[i]};
            Budget share = budget_part(budget, 1.0 / (double)(a->n_goals - i), 0, NULL);
            engine_run(engine_find(name), &query, &options, &share, &results[i]);
        }
    }
    command_end_progress();
    size_t proofs = 1; /* and the bounds */
    for (size_t i = 0; i < a->n_goals; i++) proofs += results[i].answer == ANSWER_UNREACHABLE;
    for (size_t i = 0; i < a->n_goals; i++) {
        double part = 1.0 / (double)proofs;
        proofs -= results[i].answer == ANSWER_UNREACHABLE;
        print_goal(a, i, &results[i], part);
        result_clear(&results[i]);
    }
}

static void ask_bounds(Asked *a, Budget *budget)
{
    size_t all = a->set->properties.len, n = 0;
    g_autofree VecU32 *sums = g_new0(VecU32, all + 1);
    for (size_t i = 0; i < all; i++)
        if (a->set->properties.data[i].kind == PROPERTY_BOUND) sums[n++] = a->set->properties.data[i].places;
    g_autofree ExaminationBound *bounds = g_new0(ExaminationBound, n + 1);
    Examination examination = {.net = a->net, .options = engine_options(a)};
    if (n) examination_bounds(&examination, sums, n, budget, bounds, NULL, NULL);
    size_t asked = n;
    n = 0;
    for (size_t i = 0; i < all; i++) {
        const Property *p = &a->set->properties.data[i];
        if (p->kind == PROPERTY_BOUND) {
            print_other(a, p, &bounds[n], 1.0 / (double)(asked - n));
            g_free(bounds[n++].reason);
        }
        if (p->kind == PROPERTY_UNSUPPORTED || p->kind == PROPERTY_FAULTY) print_other(a, p, NULL, 0);
    }
}

static void collect_goals(Asked *a)
{
    size_t all = a->set->properties.len;
    a->goals = g_new(FormulaId, all + 1);
    a->property = g_new(size_t, all + 1);
    for (size_t i = 0; i < all; i++) {
        const Property *p = &a->set->properties.data[i];
        if (p->kind != PROPERTY_EXISTS && p->kind != PROPERTY_ALWAYS) continue;
        a->property[a->n_goals] = i;
        a->goals[a->n_goals++] = p->kind == PROPERTY_EXISTS ? p->formula : formula_not(a->formulas, p->formula);
    }
}

void check_forget_proof(const char *path)
{
    if (certificate_is_at(path)) remove(path);
}

static void remove_old_proofs(const Asked *a)
{
    for (size_t i = 0; i < a->set->properties.len; i++) {
        g_autofree char *name = evidence_name(a->set->properties.data[i].id, 0, EVIDENCE_PROOF_ENDING);
        g_autofree char *path = g_build_filename(a->evidence.certificates, name, NULL);
        check_forget_proof(path);
    }
}

int check_file(Command *command, const Net *net)
{
    const Options *o = &command->options;
    if (o->witness || o->certificate)
        return command_fail("check: --witness and --certificate belong to a single property; with --property it is "
                            "--witnesses FOLDER and --certificates FOLDER, with a file for each");
    if (o->deadlock || o->reach || o->invariant || o->fireable || o->safe || o->assertions || o->race || o->final)
        return command_fail("check: --property FILE names all properties itself");
    GError *error = NULL;
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    Budget budget = command_budget(command);
    g_autoptr(PropertySet) set = property_read_file(formulas, o->property, &budget, &error);
    if (!set) return command_fail_reading(command, error);
    Asked a = {.command = command,
               .net = net,
               .formulas = formulas,
               .set = set,
               .evidence = {o->witnesses, o->certificates, 0}};
    if (o->certificates) remove_old_proofs(&a);
    collect_goals(&a);
    a.budget = &budget;
    ask_goals(&a, &budget);
    ask_bounds(&a, &budget);
    g_free(a.goals);
    g_free(a.property);
    if (a.n_faulty || a.lost) return EXIT_USAGE;
    return a.n_violated ? EXIT_VIOLATED : a.n_unknown ? EXIT_UNKNOWN : EXIT_HOLDS;
}
