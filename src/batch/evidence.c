#include "batch/evidence.h"

#include "base/error.h"
#include "base/output.h"
#include "verify/witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 200 };

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

bool evidence_keep_run(const EvidencePlace *place, const Net *net, const char *id, const VecU32 *run, char **name,
                       GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    *name = NULL;
    witness_print(net, run->data, run->len, text);
    g_autofree char *path = new_file(place->witnesses, id, place->repeat, ".run", name, error);
    return path && output_write(path, text->str, text->len, error);
}

bool evidence_keep_proof(const EvidencePlace *place, const Query *query, const char *id, const EngineOptions *options,
                         Budget *budget, char **name, GError **error)
{
    g_autofree char *path = new_file(place->certificates, id, place->repeat, EVIDENCE_PROOF_ENDING, name, error);
    if (!path) return false;
    EngineOptions with_file = *options;
    g_autofree char *unwritten = NULL;
    ProofFile file = {.path = path, .unwritten = &unwritten};
    with_file.certificate = &file;
    Result result = {0};
    engine_run(engine_find("certified"), query, &with_file, budget, &result);
    bool proved = result.answer == ANSWER_UNREACHABLE && !unwritten;
    result_clear(&result);
    if (unwritten) g_set_error(error, MAZURKA_ERROR, ERROR_IO, "%s", unwritten);
    return proved;
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
