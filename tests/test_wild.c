/* Every file of the corpus' folder wild has the outcome of wild.tsv, every contest net the sizes of instances.tsv. */
#include "test.h"

#include "net/read.h"

#include <string.h>

static char **read_lines(const char *path)
{
    g_autofree char *text = NULL;
    ck_assert_msg(g_file_get_contents(path, &text, NULL, NULL), "%s", path);
    return g_strsplit(text, "\n", -1);
}

static char *find_wild(const char *folder, const char *prefix)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    char *path = NULL;
    const char *name;
    while (!path && (name = g_dir_read_name(dir)))
        if (g_str_has_prefix(name, prefix) && name[strlen(prefix)] == '-') path = g_build_filename(folder, name, NULL);
    g_dir_close(dir);
    ck_assert_msg(path != NULL, "no file %s", prefix);
    return path;
}

static void check_counts(const Net *net, char **field, const char *name)
{
    uint64_t counts[] = {net->n_places, net->n_transitions, net_arcs_in_file(net), net_arc_count(net, ARC_READ),
                         net_arc_count(net, ARC_INHIBIT)};
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        ck_assert_msg(counts[i] == g_ascii_strtoull(field[i], NULL, 10), "%s: count %zu is %" G_GUINT64_FORMAT, name, i,
                      counts[i]);
}

START_TEST(test_wild)
{
    if (!test_corpus()) return;
    g_autofree char *folder = g_build_filename(test_corpus(), "wild", NULL);
    g_autofree char *table = g_build_filename(g_getenv("SRCDIR"), "tests", "wild.tsv", NULL);
    g_auto(GStrv) lines = read_lines(table);
    int n = 0;
    for (char **line = lines; *line; line++) {
        if (!**line || **line == '#') continue;
        g_auto(GStrv) field = g_strsplit(*line, "\t", -1);
        g_autofree char *path = find_wild(folder, field[0]);
        GError *error = NULL;
        g_autoptr(Net) net = net_read_file(path, NULL, &error);
        if (strcmp(field[1], "read") == 0) {
            ck_assert_msg(net != NULL, "%s: %s", field[0], error ? error->message : "");
            check_counts(net, field + 2, field[0]);
        } else {
            ck_assert_msg(net == NULL, "%s was read", field[0]);
            ck_assert_msg(strstr(error->message, field[7]) != NULL, "%s: %s", field[0], error->message);
            ck_assert(g_str_has_prefix(error->message, path));
        }
        g_clear_error(&error);
        n++;
    }
    ck_assert_int_eq(n, 59);
}
END_TEST

START_TEST(test_contest)
{
    if (!test_corpus()) return;
    g_autofree char *table = g_build_filename(test_corpus(), "mcc", "instances.tsv", NULL);
    g_auto(GStrv) lines = read_lines(table);
    int n = 0;
    for (char **line = lines + 1; *line && **line; line++, n++) {
        g_auto(GStrv) field = g_strsplit(*line, "\t", -1);
        g_autofree char *path = g_build_filename(test_corpus(), "mcc", field[0], "model.pnml", NULL);
        GError *error = NULL;
        g_autoptr(Net) net = net_read_file(path, NULL, &error);
        ck_assert_msg(net != NULL, "%s", error ? error->message : "");
        char *counts[] = {field[1], field[2], field[3], "0", "0"};
        check_counts(net, counts, field[0]);
        ck_assert_uint_eq(net_max_weight(net), g_ascii_strtoull(field[4], NULL, 10));
        bool declared = strcmp(field[6], "safe") == 0;
        ck_assert_msg((net->nupn && net->nupn->safe) == declared, "%s: NUPN", field[0]);
    }
    ck_assert_int_gt(n, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wild");
    TEST_CASE(suite, test_wild);
    TEST_CASE(suite, test_contest);
    return test_run(suite);
}
