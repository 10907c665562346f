#include "base/bitset.h"
#include "view/pieces.h"
#include "view/view_internal.h"

#include <assert.h>

void view_add_source(View *view, const char *file, const char *text)
{
    pieces_next(view->sources);
    json_string(view->sources, "file", file);
    json_string(view->sources, "text", text);
    g_string_append_c(view->sources, '}');
}

/* The firings that each one needs directly: it depends on them, and on nothing in between that does. */
static void add_causes(GString *out, const Indep *indep, const uint32_t *run, size_t n)
{
    size_t words = bitset_words(n);
    g_autofree uint64_t *below = g_new0(uint64_t, n * words + 1);
    pieces_open(out, "causes");
    for (size_t i = 0; i < n; i++) {
        uint64_t *own = below + i * words;
        json_separate(out);
        g_string_append_c(out, '[');
        for (size_t k = i; k-- > 0;) {
            if (bitset_get(own, k) || !indep_dependent(indep, run[i], run[k])) continue;
            pieces_number(out, k);
            bitset_or(own, below + k * words, words);
            bitset_set(own, k);
        }
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
}

void view_add_run(View *view, const char *words, const Net *net, const Indep *indep, const uint32_t *run, size_t n)
{
    GString *out = view->runs;
    assert(indep->n == net->n_transitions);
    pieces_next(out);
    json_string(out, "words", words);
    pieces_numbers(out, "run", run, n);
    add_causes(out, indep, run, n);
    g_string_append_c(out, '}');
}

static void add_line(GString *out, const ViewLine *at)
{
    if (!at->line) return;
    json_string(out, "file", at->file);
    g_string_append_printf(out, ",\"line\":%u", at->line);
}

static void add_step(GString *out, const ViewStep *step)
{
    json_separate(out);
    g_string_append_c(out, '{');
    json_string(out, "thread", step->thread);
    json_string(out, "words", step->words);
    json_string(out, "operation", step->operation);
    if (step->object) json_string(out, "object", step->object);
    if (step->starts) json_string(out, "starts", step->starts);
    add_line(out, &step->at);
    /* a text: more than a page can count without loss */
    if (step->valued) g_string_append_printf(out, ",\"value\":\"%" G_GINT64_FORMAT "\"", step->value);
    if (step->write) g_string_append(out, ",\"write\":true");
    g_string_append_c(out, '}');
}

void view_add_story(View *view, const ViewStory *story)
{
    GString *out = view->runs;
    pieces_next(out);
    json_string(out, "words", story->words);
    pieces_open(out, "steps");
    for (size_t i = 0; i < story->n; i++) add_step(out, &story->step[i]);
    g_string_append_c(out, ']');
    pieces_open(out, "causes");
    for (size_t i = 0; i < story->n; i++) {
        json_separate(out);
        g_string_append_c(out, '[');
        for (size_t k = 0; k < story->step[i].causes.len; k++) pieces_number(out, story->step[i].causes.data[k]);
        g_string_append_c(out, ']');
    }
    g_string_append_c(out, ']');
    pieces_open(out, "ends");
    for (size_t i = 0; i < story->n_ends; i++) {
        json_separate(out);
        g_string_append_c(out, '{');
        json_string(out, "thread", story->end[i].thread);
        json_string(out, "words", story->end[i].words);
        add_line(out, &story->end[i].at);
        g_string_append_c(out, '}');
    }
    g_string_append(out, "],\n\"values\":{");
    for (size_t i = 0; i < story->n_values; i++) {
        g_string_append(out, i ? "," : "");
        json_quote(out, story->value[i].object);
        g_string_append_printf(out, ":\"%" G_GINT64_FORMAT "\"", story->value[i].value);
    }
    g_string_append(out, "}}");
}

void view_add_labels(View *view, char *const *names)
{
    for (; *names; names++) {
        if (view->labels->len) g_string_append_c(view->labels, ',');
        json_quote(view->labels, *names);
    }
}

void view_add_tree(View *view, const ViewTree *given)
{
    static const char *const kinds[] = {"maximal", "cutoff", "blocked",  "bound",  "waiting",
                                        "stuck",   "",       "deadlock", "failure"};
    GString *out = view->trees;
    const RunTree *tree = given->tree;
    pieces_next(out);
    json_string(out, "algorithm", given->algorithm);
    json_string(out, "reason", given->reason ? given->reason : "");
    g_string_append_printf(
        out, ",\"events\":%" G_GINT64_FORMAT ",\"nodes\":%" G_GINT64_FORMAT ",\"deadlocks\":%" G_GINT64_FORMAT,
        given->events, given->nodes, given->deadlocks);
    g_string_append_printf(out, ",\"leftOut\":%" G_GUINT64_FORMAT ",\"leaves\":{", tree->left_out);
    for (int kind = 0; kind < N_LEAF_KINDS; kind++)
        g_string_append_printf(out, "%s\"%s\":%" G_GUINT64_FORMAT, kind ? "," : "", kinds[kind], tree->leaves[kind]);
    g_string_append_c(out, '}');
    pieces_links(out, "parent", tree->parent.data, tree->parent.len);
    pieces_numbers(out, "label", tree->label.data, tree->label.len);
    pieces_open(out, "kind");
    for (size_t i = 0; i < tree->kind.len; i++) {
        json_separate(out);
        g_string_append_printf(out, "\"%s\"", kinds[tree->kind.data[i]]);
    }
    g_string_append(out, "]}");
}
