/* Odd ids in every text format that is written and read again: each comes back, or is refused before anything is
 * written. */
#include "test.h"

#include "base/quote.h"
#include "base/rng.h"
#include "explore/constraint.h"
#include "lts/pairs.h"
#include "net/write.h"
#include "net/builder.h"
#include "net/read.h"
#include "prop/expression.h"
#include "verify/witness.h"

#include <string.h>

/* Pieces that some format gives a meaning to. */
static char *odd_name(Rng *rng, uint32_t number)
{
    static const char *const pieces[] = {"a",  "\"",    "\\",          "\n",   "\r", "\t",       " ",
                                         "#",  ":",     ",",           "<",    ">=", "\\n",      "\\\"",
                                         "'",  "&",     "]]",          "base", "//", "\xc3\xa9", "\xe2\x80\xa8",
                                         "%s", "never", "\xe2\x80\xae"};
    g_autoptr(GString) name = g_string_new(NULL);
    uint32_t n = (uint32_t)rng_below(rng, 6);
    uint32_t at = (uint32_t)rng_below(rng, n + 1);
    for (uint32_t i = 0; i <= n; i++)
        if (i == at) /* makes it unlike the others */
            g_string_append_printf(name, "%u", number);
        else
            g_string_append(name, pieces[rng_below(rng, G_N_ELEMENTS(pieces))]);
    return g_strdup(name->str);
}

/* So many places and transitions, each transition from its place to the next. */
static Net *odd_net(Rng *rng, uint32_t n)
{
    g_autoptr(NetBuilder) b = net_builder_new("odd");
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *place = odd_name(rng, 2 * i), *transition = odd_name(rng, 2 * i + 1);
        net_builder_place(b, place, NULL, i == 0);
        net_builder_transition(b, transition, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        net_builder_arc(b, ARC_PRE, i, i, 1);
        net_builder_arc(b, ARC_POST, (i + 1) % n, i, 1);
        net_builder_arc(b, ARC_PRE, (i + 2) % n, i, 1);
    }
    return net_builder_finish(b, NULL);
}

static void same_ids(const Net *a, const Net *b)
{
    ck_assert_uint_eq(a->n_places, b->n_places);
    for (uint32_t p = 0; p < a->n_places; p++) ck_assert_str_eq(net_place_id(a, p), net_place_id(b, p));
    for (uint32_t t = 0; t < a->n_transitions; t++) ck_assert_str_eq(net_transition_id(a, t), net_transition_id(b, t));
}

/* Was it written? */
static bool check_format(const Net *net, const Format *format)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    g_autoptr(GError) error = NULL;
    bool written = net_write_as(net, (FormatId)(format - format_of(0)), out, &error);
    fclose(out);
    if (written) {
        g_autoptr(Net) again = net_read_bytes(text, len, "again", NULL, &error);
        ck_assert_msg(again != NULL, "%s\n%s", error ? error->message : "", text);
        same_ids(net, again);
    } else {
        ck_assert(error && strstr(error->message, "cannot hold") && len == 0);
    }
    free(text);
    return written;
}

/* Every id is odd; those that a format cannot hold are few enough for some nets to be written. */
START_TEST(nets_keep_their_ids)
{
    for (FormatId id = 0; id < N_FORMATS; id++) {
        Rng rng = {1};
        int written = 0, n = 2000;
        for (int i = 0; i < n; i++) {
            g_autoptr(Net) net = odd_net(&rng, 1 + (uint32_t)i % 4);
            written += check_format(net, format_of(id));
        }
        ck_assert_msg(written >= (id == FORMAT_pnml ? n : n / 50), "%s: %d written", format_of(id)->name, written);
    }
}
END_TEST

/* By definition: lines, each bare or quoted. */
START_TEST(firing_sequences_keep_their_ids)
{
    Rng rng = {2};
    g_autoptr(GString) word = g_string_new(NULL);
    for (int i = 0; i < 5000; i++) {
        g_autoptr(Net) net = odd_net(&rng, 4);
        g_autoptr(GString) text = g_string_new(NULL);
        witness_print(net, (uint32_t[]){0, 1, 2, 3}, 4, text);
        g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
        ck_assert_uint_eq(g_strv_length(lines), 5);
        ck_assert_str_eq(lines[4], "");
        for (uint32_t t = 0; t < 4; t++) {
            const char *at = lines[t];
            g_string_assign(word, at);
            if (*at == '"') {
                g_string_truncate(word, 0);
                const char *end = quote_read(at + 1, word);
                ck_assert(end && !end[1]);
            } else {
                g_strstrip(word->str); /* as replay does */
            }
            ck_assert_str_eq(word->str, net_transition_id(net, t));
        }
    }
}
END_TEST

START_TEST(relations_and_constraints_keep_their_ids)
{
    Rng rng = {3};
    for (int i = 0; i < 2000; i++) {
        g_autoptr(Net) net = odd_net(&rng, 4);
        g_autoptr(GString) text = g_string_new(NULL);
        quote_append(text, net_transition_id(net, 0));
        g_string_append_c(text, ' ');
        quote_append(text, net_transition_id(net, 2));
        g_autoptr(GError) error = NULL;
        g_autoptr(Indep) indep = pairs_read(net, text->str, "pairs", &error);
        ck_assert_msg(indep != NULL, "%s\n%s", error ? error->message : "", text->str);
        ck_assert(!indep_dependent(indep, 2, 0) && indep_dependent(indep, 1, 0));
        g_autoptr(Constraints) constraints = constraints_new(net);
        g_autoptr(GString) printed = g_string_new(NULL), again = g_string_new(NULL);
        constraints_print(constraints, printed);
        g_autoptr(Constraints) read = constraints_read(net, printed->str, "constraints", &error);
        ck_assert_msg(read != NULL, "%s\n%s", error ? error->message : "", printed->str);
        constraints_print(read, again);
        ck_assert_str_eq(again->str, printed->str);
        ck_assert_uint_gt(printed->len, 0);
    }
}
END_TEST

START_TEST(expressions_keep_their_ids)
{
    Rng rng = {4};
    for (int i = 0; i < 2000; i++) {
        g_autoptr(Net) net = odd_net(&rng, 4);
        g_autoptr(FormulaStore) store = formula_store_new(net);
        FormulaTerm terms[] = {{0, 1}, {3, -2}};
        FormulaId sum, read;
        ck_assert(formula_at_most(store, terms, 2, 5, &sum, NULL));
        FormulaId both = formula_and(store, (FormulaId[]){sum, formula_fireable(store, (uint32_t[]){1, 2}, 2)}, 2);
        g_autofree char *text = formula_text(store, both);
        g_autoptr(GError) error = NULL;
        ck_assert_msg(expression_parse(store, text, "text", &read, &error), "%s\n%s", error ? error->message : "",
                      text);
        ck_assert_uint_eq(read, both);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("names");
    TEST_CASE(suite, nets_keep_their_ids);
    TEST_CASE(suite, firing_sequences_keep_their_ids);
    TEST_CASE(suite, relations_and_constraints_keep_their_ids);
    TEST_CASE(suite, expressions_keep_their_ids);
    return test_run(suite);
}
