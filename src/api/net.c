#include "api/handles.h"

#include "base/error.h"
#include "lts/replay.h"
#include "net/structure.h"
#include "program/open.h"
#include "report/source.h"

#include <limits.h>

mz_net *api_net_wrap(Compiled *read)
{
    mz_net *net = g_new0(mz_net, 1);
    net->handle = HANDLE_NET;
    net->users = 1;
    net->read = read;
    net->summary = net_summary(read->net);
    return net;
}

mz_net *api_net_keep(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    mz_net *kept = (mz_net *)net; /* only the count changes */
    kept->users++;
    return kept;
}

void mz_net_free(mz_net *net)
{
    if (!net) return;
    assert(IS_HANDLE(net, NET) && net->users > 0);
    if (--net->users) return;
    END_HANDLE(net, NET);
    compile_free(net->read);
    g_free(net->summary);
    g_free(net);
}

/* ---- reading ---- */

static OpenOptions open_options(const char *net_id, const char *const *defines, Budget *budget)
{
    return (OpenOptions){.net_id = net_id, .defines = (char **)defines, .budget = budget};
}

static mz_net *hand(Compiled *read, GError *failed, mz_error **error)
{
    return read ? api_net_wrap(read) : api_error_hand(failed, error);
}

mz_net *mz_net_read(const char *path, const char *net_id, const char *const *defines, mz_limits *limits,
                    mz_error **error)
{
    assert(path);
    Call call;
    Budget *budget = api_limits_begin(limits, &call);
    OpenOptions options = open_options(net_id, defines, budget);
    GError *failed = NULL;
    Compiled *read = open_file(path, &options, &failed); /* before `failed` is looked at */
    return hand(read, failed, error);
}

mz_net *mz_net_read_bytes(const void *data, size_t size, const char *name, const char *net_id,
                          const char *const *defines, mz_limits *limits, mz_error **error)
{
    assert((data || !size) && name);
    Call call;
    Budget *budget = api_limits_begin(limits, &call);
    OpenOptions options = open_options(net_id, defines, budget);
    g_autoptr(Input) input = input_bytes(data, size, name, budget);
    GError *failed = NULL;
    Compiled *read = open_input(input, &options, &failed);
    return hand(read, failed, error);
}

/* ---- names ---- */

const char *mz_net_name(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    return api_net_inside(net)->name;
}

const char *mz_net_summary(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    return net->summary;
}

bool mz_net_is_program(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    return net->read->is_program;
}

const char *mz_net_final(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    return api_net_inside(net)->final;
}

uint32_t mz_net_places(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    return api_net_inside(net)->n_places;
}

uint32_t mz_net_transitions(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    return api_net_inside(net)->n_transitions;
}

const char *mz_net_place_id(const mz_net *net, uint32_t place)
{
    assert(IS_HANDLE(net, NET) && place < mz_net_places(net));
    return net_place_id(api_net_inside(net), place);
}

const char *mz_net_place_label(const mz_net *net, uint32_t place)
{
    assert(IS_HANDLE(net, NET) && place < mz_net_places(net));
    return net_place_label(api_net_inside(net), place);
}

const char *mz_net_transition_id(const mz_net *net, uint32_t transition)
{
    assert(IS_HANDLE(net, NET) && transition < mz_net_transitions(net));
    return net_transition_id(api_net_inside(net), transition);
}

const char *mz_net_transition_label(const mz_net *net, uint32_t transition)
{
    assert(IS_HANDLE(net, NET) && transition < mz_net_transitions(net));
    return net_transition_label(api_net_inside(net), transition);
}

const char *mz_net_transition_note(const mz_net *net, uint32_t transition)
{
    assert(IS_HANDLE(net, NET) && transition < mz_net_transitions(net));
    return net_transition_note(api_net_inside(net), transition);
}

uint32_t mz_net_find_place(const mz_net *net, const char *id)
{
    assert(IS_HANDLE(net, NET) && id);
    return net_find_place(api_net_inside(net), id);
}

uint32_t mz_net_find_transition(const mz_net *net, const char *id)
{
    assert(IS_HANDLE(net, NET) && id);
    return net_find_transition(api_net_inside(net), id);
}

/* ---- arcs and tokens ---- */

const uint64_t *mz_net_initial(const mz_net *net)
{
    assert(IS_HANDLE(net, NET));
    return api_net_inside(net)->initial;
}

static const NetArcs *arcs_of(const mz_net *net, mz_arc kind)
{
    assert(IS_HANDLE(net, NET) && (unsigned)kind < N_ARC_KINDS);
    return &api_net_inside(net)->of_transition[kind];
}

uint32_t mz_net_arcs(const mz_net *net, mz_arc kind)
{
    return arcs_of(net, kind)->start[mz_net_transitions(net)];
}

const uint32_t *mz_net_arc_start(const mz_net *net, mz_arc kind)
{
    return arcs_of(net, kind)->start;
}

const uint32_t *mz_net_arc_place(const mz_net *net, mz_arc kind)
{
    return arcs_of(net, kind)->node;
}

const uint64_t *mz_net_arc_weight(const mz_net *net, mz_arc kind)
{
    return arcs_of(net, kind)->weight;
}

bool mz_net_enabled(const mz_net *net, const uint64_t *marking, uint32_t transition)
{
    assert(IS_HANDLE(net, NET) && marking && transition < mz_net_transitions(net));
    return net_enabled(api_net_inside(net), marking, transition);
}

size_t mz_net_fire(const mz_net *net, uint64_t *marking, const uint32_t *sequence, size_t length)
{
    assert(IS_HANDLE(net, NET) && marking && (sequence || !length));
    return replay_run(api_net_inside(net), sequence, length, marking);
}

char *mz_net_describe(const mz_net *net, const uint64_t *marking)
{
    assert(IS_HANDLE(net, NET) && marking);
    if (net->read->is_program) return source_state(net->read, marking);
    GString *text = g_string_new(NULL);
    replay_marking_text(api_net_inside(net), marking, UINT_MAX, text);
    return g_string_free(text, FALSE);
}

/* ---- structure ---- */

uint64_t mz_net_fact(const mz_net *net, mz_fact fact)
{
    assert(IS_HANDLE(net, NET));
    StructureFacts f = structure_facts(api_net_inside(net));
    switch (fact) {
    case MZ_FACT_LOOPS: return f.loops;
    case MZ_FACT_SOURCE_TRANSITIONS: return f.source_transitions;
    case MZ_FACT_SINK_TRANSITIONS: return f.sink_transitions;
    case MZ_FACT_SOURCE_PLACES: return f.source_places;
    case MZ_FACT_SINK_PLACES: return f.sink_places;
    case MZ_FACT_ISOLATED_PLACES: return f.isolated_places;
    case MZ_FACT_INITIAL_TOKENS: return f.initial_tokens;
    case MZ_FACT_LARGEST_WEIGHT: return f.max_weight;
    case MZ_FACT_ORDINARY: return f.ordinary;
    case MZ_FACT_PURE: return f.pure;
    case MZ_FACT_CONSERVATIVE: return f.conservative;
    case MZ_FACT_STATE_MACHINE: return f.state_machine;
    case MZ_FACT_MARKED_GRAPH: return f.marked_graph;
    case MZ_FACT_FREE_CHOICE: return f.free_choice;
    case MZ_FACT_EXTENDED_FREE_CHOICE: return f.extended_free_choice;
    }
    assert(!"a fact of mazurka.h");
    return 0;
}
