/* One target for each format of nets (formats.def). */
#include "fuzz.h"

#include "../pieces.h"
#include "base/budget.h"
#include "net/write.h"
#include "net/invariant.h"
#include "net/read.h"
#include "net/safeness.h"
#include "net/structure.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static void compare(const Net *a, const Net *b)
{
    MUST(a->n_places == b->n_places && a->n_transitions == b->n_transitions);
    for (uint32_t p = 0; p < a->n_places; p++) {
        MUST(strcmp(net_place_id(a, p), net_place_id(b, p)) == 0);
        MUST(a->initial[p] == b->initial[p]);
        MUST(net_find_place(a, net_place_id(a, p)) == p);
    }
    for (uint32_t t = 0; t < a->n_transitions; t++) {
        MUST(strcmp(net_transition_id(a, t), net_transition_id(b, t)) == 0);
        for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) {
            NetRow x = net_places(a, kind, t), y = net_places(b, kind, t);
            MUST(x.len == y.len);
            for (uint32_t i = 0; i < x.len; i++) {
                MUST(x.node[i] < a->n_places && x.node[i] == y.node[i] && net_weight(x, i) == net_weight(y, i));
                MUST(i == 0 || x.node[i - 1] < x.node[i]);
                MUST(net_weight(x, i) > 0);
            }
        }
    }
    MUST(g_strcmp0(a->final, b->final) == 0);
    MUST(!a->nupn == !b->nupn);
}

static void analyse(const Net *net)
{
    Budget budget = budget_unlimited();
    g_autoptr(Invariants) invariants = invariant_compute(net, 20000, &budget);
    structure_facts(net);
    if (net->n_places < 1000) safeness_decide(net, invariants, NULL);
    g_free(net_summary(net));
}

static Net *read_as(const Format *format, const char *data, size_t size, GError **error)
{
    Pieces source = {data, size, 61};
    g_autoptr(Input) input = input_from(pieces_fetch, &source, "fuzz", NULL);
    return net_read_as(format, input, NULL, error);
}

/* Reads bytes as a net; if they are one, writes it, reads that again and aborts on a difference. */
static int fuzz_format(const Format *format, const char *data, size_t size)
{
    GError *error = NULL;
    g_autoptr(Net) net = read_as(format, data, size, &error);
    MUST(!net == !!error);
    if (!net) {
        MUST(g_utf8_validate(error->message, -1, NULL));
        g_error_free(error);
        return 0;
    }
    analyse(net);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bool written = net_write_as(net, (FormatId)(format - format_of(0)), out, &error);
    fclose(out);
    MUST(written == !error);
    if (written) {
        MUST(format_of(format_of_content(text, length)) == format);
        g_autoptr(Net) again = read_as(format, text, length, &error);
        if (!again) fprintf(stderr, "%s\n%s\n", error->message, text);
        MUST(again);
        compare(net, again);
    }
    g_clear_error(&error);
    free(text);
    return 0;
}

#define FORMAT(name, called, endings, beginning, manner, keeps)                                                        \
    int fuzz_##name(const uint8_t *data, size_t size)                                                                  \
    {                                                                                                                  \
        return fuzz_format(format_of(FORMAT_##name), (const char *)data, size);                                        \
    }
#include "net/formats.def"
