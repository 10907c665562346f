#include "api/handles.h"

#include "base/error.h"
#include "net/builder.h"
#include "prop/expression.h"

/* The first mistake is kept and told at the end. */
struct mz_builder {
    Handle handle;
    NetBuilder *inside;
    char *final;
    char *mistake;
};

mz_builder *mz_builder_new(const char *name)
{
    mz_builder *builder = g_new0(mz_builder, 1);
    builder->handle = HANDLE_BUILDER;
    bool valid = !name || g_utf8_validate(name, -1, NULL);
    builder->inside = net_builder_new(name && valid ? name : "net");
    if (!valid) builder->mistake = g_strdup("the name of the net is not UTF-8");
    return builder;
}

void mz_builder_free(mz_builder *builder)
{
    if (!builder) return;
    END_HANDLE(builder, BUILDER);
    net_builder_free(builder->inside);
    g_free(builder->final);
    g_free(builder->mistake);
    g_free(builder);
}

static void G_GNUC_PRINTF(2, 3) note(mz_builder *builder, const char *format, ...)
{
    if (builder->mistake) return;
    va_list args;
    va_start(args, format);
    builder->mistake = g_strdup_vprintf(format, args);
    va_end(args);
}

/* An id, or a label that may be missing. */
static const char *text_of(mz_builder *builder, const char *text, const char *what, uint32_t number, bool may_miss)
{
    if (!text && may_miss) return NULL;
    if (!text || !*text)
        note(builder, "%s %u has no id", what, number);
    else if (g_utf8_validate(text, -1, NULL))
        return text;
    else
        note(builder, "%s %u: '%s' is not UTF-8", what, number, error_excerpt(text, SIZE_MAX).text);
    return may_miss ? NULL : "?";
}

uint32_t mz_builder_place(mz_builder *builder, const char *id, const char *label, uint64_t tokens)
{
    assert(IS_HANDLE(builder, BUILDER));
    uint32_t number = net_builder_n_places(builder->inside);
    const char *name = text_of(builder, id, "place", number, false);
    return net_builder_place(builder->inside, name, text_of(builder, label, "place", number, true), tokens);
}

uint32_t mz_builder_transition(mz_builder *builder, const char *id, const char *label)
{
    assert(IS_HANDLE(builder, BUILDER));
    uint32_t number = net_builder_n_transitions(builder->inside);
    const char *name = text_of(builder, id, "transition", number, false);
    return net_builder_transition(builder->inside, name, text_of(builder, label, "transition", number, true));
}

void mz_builder_arc(mz_builder *builder, mz_arc kind, uint32_t place, uint32_t transition, uint64_t weight)
{
    assert(IS_HANDLE(builder, BUILDER));
    if ((unsigned)kind >= N_ARC_KINDS)
        note(builder, "%u is no kind of arc", (unsigned)kind);
    else if (place >= net_builder_n_places(builder->inside))
        note(builder, "an arc to place %u, but there are %u places", place, net_builder_n_places(builder->inside));
    else if (transition >= net_builder_n_transitions(builder->inside))
        note(builder, "an arc to transition %u, but there are %u transitions", transition,
             net_builder_n_transitions(builder->inside));
    else if (!weight)
        note(builder, "the arc between place %u and transition %u has weight 0", place, transition);
    else
        net_builder_arc(builder->inside, (ArcKind)kind, place, transition, weight);
}

void mz_builder_final(mz_builder *builder, const char *expression)
{
    assert(IS_HANDLE(builder, BUILDER));
    g_free(builder->final);
    builder->final = g_strdup(expression);
    net_builder_set_final(builder->inside, expression);
}

static Net *finish(mz_builder *builder, GError **error)
{
    if (builder->mistake) {
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "%s", builder->mistake);
        return NULL;
    }
    g_autoptr(Net) net = net_builder_finish(builder->inside, error);
    if (!net || !builder->final) return g_steal_pointer(&net);
    g_autoptr(FormulaStore) formulas = formula_store_new(net);
    FormulaId final;
    return expression_parse(formulas, builder->final, "final", &final, error) ? g_steal_pointer(&net) : NULL;
}

mz_net *mz_builder_finish(mz_builder *builder, mz_error **error)
{
    assert(IS_HANDLE(builder, BUILDER));
    GError *failed = NULL;
    Net *net = finish(builder, &failed);
    mz_builder_free(builder);
    if (!net) return api_error_hand(failed, error);
    Compiled *read = g_new0(Compiled, 1);
    read->net = net;
    return api_net_wrap(read);
}
