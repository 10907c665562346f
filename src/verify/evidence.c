#include "verify/evidence.h"

#include "base/error.h"
#include "base/output.h"
#include "base/quote.h"
#include "colour/unmerge.h"
#include "verify/portfolio.h"
#include "verify/prove.h"
#include "verify/witness.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 200 };
/* Without a time limit, a proof that is only wanted as evidence gets so long. */
#define PROOF_SECONDS 60.0
/* An answer that came without a run is not asked for one longer than this part of what is left. */
#define RUN_SHARE 0.5
#define RUN_SECONDS 20.0

/* One part of a path, never "." or "..", not longer than file systems take. */
static char *path_part(const char *name)
{
    g_autofree char *escaped = g_uri_escape_string(name, NULL, FALSE);
    if (strlen(escaped) > LONGEST_NAME) return g_compute_checksum_for_string(G_CHECKSUM_SHA1, name, -1);
    return *escaped == '.' ? g_strconcat("%2E", escaped + 1, NULL) : g_steal_pointer(&escaped);
}

char *evidence_name(const char *id, uint32_t repeat, const char *ending)
{
    g_autofree char *part = path_part(id);
    return repeat ? g_strdup_printf("%s.%u%s", part, repeat + 1, ending) : g_strdup_printf("%s%s", part, ending);
}

/* Examinations have names of ours, "unfold/read" among them. */
char *evidence_folder(const char *top, const char *instance, const char *examination)
{
    g_autofree char *part = path_part(instance);
    return g_build_filename(top, part, examination, NULL);
}

static char *new_file(const char *folder, const char *id, uint32_t repeat, const char *ending, char **name,
                      GError **error)
{
    if (g_mkdir_with_parents(folder, 0777) < 0) {
        error_at(error, ERROR_IO, folder, 0, 0, "cannot be made: %s", g_strerror(errno));
        return NULL;
    }
    *name = evidence_name(id, repeat, ending);
    return g_build_filename(folder, *name, NULL);
}

/* One firing in a line, by the names of the file. */
static bool print_run(const EvidencePlace *place, const Net *net, const VecU32 *run, Budget *budget, GString *text)
{
    if (!place->unmerge) {
        witness_print(net, run->data, run->len, text);
        return true;
    }
    Budget own = budget_child(budget, 0, NULL); /* whoever answered may be another thread */
    g_autoptr(GPtrArray) names = unmerge_run(place->unmerge, net, run->data, run->len, &own);
    for (guint i = 0; names && i < names->len; i++) quote_append_line(text, g_ptr_array_index(names, i));
    return names != NULL;
}

void evidence_keep_run(const EvidencePlace *place, const Net *net, const char *id, const VecU32 *run, Budget *budget,
                       char **name, GError **error)
{
    *name = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!place->witnesses || !print_run(place, net, run, budget, text)) return;
    g_autofree char *path = new_file(place->witnesses, id, place->repeat, ".run", name, error);
    if (!path || !output_write(path, text->str, text->len, error)) g_clear_pointer(name, g_free);
}

/* Writes what is proved to a new file; false when nothing is. */
typedef bool (*Prove)(const ProofFile *file, Budget *budget, void *data);

static void keep_proved(const EvidencePlace *place, const char *id, Prove prove, void *data, Budget *budget,
                        char **name, GError **error)
{
    g_autofree char *path = new_file(place->certificates, id, place->repeat, EVIDENCE_PROOF_ENDING, name, error);
    if (!path) return;
    g_autofree char *unwritten = NULL;
    ProofFile file = {.path = path, .unwritten = &unwritten};
    if (!prove(&file, budget, data) || unwritten) g_clear_pointer(name, g_free);
    if (unwritten) g_set_error(error, MAZURKA_ERROR, ERROR_IO, "%s", unwritten);
}

typedef struct Unreachable {
    const Query *query;
    const BoundClaim *bound;
    const EngineOptions *options;
} Unreachable;

static bool prove_unreachable(const ProofFile *file, Budget *budget, void *data)
{
    const Unreachable *u = data;
    ProofFile own = *file;
    own.bound = u->bound;
    EngineOptions with_file = *u->options;
    with_file.certificate = &own;
    Result result = {0};
    engine_run(engine_find("certified"), u->query, &with_file, budget, &result);
    bool proved = result.answer == ANSWER_UNREACHABLE;
    result_clear(&result);
    return proved;
}

void evidence_keep_proof(const EvidencePlace *place, const Query *query, const BoundClaim *bound, const char *id,
                         const EngineOptions *options, double share, Budget *budget, char **name, GError **error)
{
    *name = NULL;
    if (!place->certificates || budget_look(budget)) return;
    Budget part = budget_part(budget, share, isinf(budget_left(budget)) ? PROOF_SECONDS : 0, NULL);
    keep_proved(place, id, prove_unreachable, &(Unreachable){query, bound, options}, &part, name, error);
}

typedef struct Pumped {
    const Net *net;
    const VecU32 *places;
    Pump *pump;
} Pumped;

static bool prove_pumped(const ProofFile *file, Budget *budget, void *data)
{
    const Pumped *u = data;
    return prove_by_pump(u->net, u->places, u->pump, file, budget, NULL);
}

void evidence_keep_pump(const EvidencePlace *place, const Net *net, const VecU32 *places, Pump *pump, const char *id,
                        Budget *budget, char **name, GError **error)
{
    *name = NULL;
    if (!place->certificates || !pump->parts.len) return;
    keep_proved(place, id, prove_pumped, &(Pumped){net, places, pump}, budget, name, error);
}

bool evidence_find_run(const EvidencePlace *place, const Query *query, const char *id, const EngineOptions *options,
                       Budget *budget, VecU32 *run, char **name, GError **error)
{
    *name = NULL;
    if ((!place->witnesses && !run) || budget_look(budget)) return false;
    Result result = {0};
    Budget part = budget_part(budget, RUN_SHARE, RUN_SECONDS, NULL);
    portfolio_run(query->net, query->formulas, &query->goal, 1, &(PortfolioOptions){.engine = *options}, &part,
                  &result);
    bool found = result.answer == ANSWER_REACHABLE;
    if (found) {
        witness_shorten(query, &result.witness, budget);
        evidence_keep_run(place, query->net, id, &result.witness, budget, name, error);
        if (run) vec_append(run, result.witness.data, result.witness.len);
    }
    result_clear(&result);
    return found;
}

/* The last parts may not exist yet: they stay as they are. */
static char *real_path(const char *path)
{
    g_autofree char *head = g_canonicalize_filename(path, NULL), *tail = g_strdup("");
    for (;;) {
        char *real = realpath(head, NULL);
        if (real) {
            char *whole = *tail ? g_build_filename(real, tail, NULL) : g_strdup(real);
            free(real);
            return whole;
        }
        g_autofree char *name = g_path_get_basename(head), *up = g_path_get_dirname(head);
        if (strcmp(up, head) == 0) return g_canonicalize_filename(path, NULL);
        char *longer = *tail ? g_build_filename(name, tail, NULL) : g_strdup(name);
        g_free(tail);
        tail = longer;
        g_free(head);
        head = g_steal_pointer(&up);
    }
}

char *evidence_relative(const char *folder, const char *path)
{
    g_autofree char *from = real_path(folder), *to = real_path(path);
    g_auto(GStrv) a = g_strsplit(from + 1, "/", -1), b = g_strsplit(to + 1, "/", -1);
    size_t common = 0;
    while (a[common] && b[common] && *a[common] && strcmp(a[common], b[common]) == 0) common++;
    GString *out = g_string_new(NULL);
    for (size_t i = common; a[i] && *a[i]; i++) g_string_append(out, "../");
    for (size_t i = common; b[i]; i++) g_string_append_printf(out, "%s%s", b[i], b[i + 1] ? "/" : "");
    if (!out->len) g_string_append_c(out, '.');
    return g_string_free(out, FALSE);
}
