#include "explore/netexplore.h"

#include "lts/store.h"
#include "lts/unbounded.h"

#include <assert.h>

/* The markings along the run of the configuration, as plain counts; NULL when there are too many. */
static uint64_t *markings_along(const Net *net, const Config *c)
{
    enum { MOST_WORDS = 1 << 24 };
    size_t p = MAX(net->n_places, 1);
    if (((size_t)c->n + 1) * p > MOST_WORDS) return NULL;
    uint64_t *markings = g_new(uint64_t, p * ((size_t)c->n + 1));
    memcpy(markings, net->initial, net->n_places * sizeof(uint64_t));
    for (uint32_t i = 0; i < c->n; i++) {
        memcpy(markings + (i + 1) * p, markings + i * p, p * sizeof(uint64_t));
        bool fired = net_fire(net, markings + (i + 1) * p, c->label.data[i]);
        assert(fired);
        (void)fired;
    }
    return markings;
}

/* Looks for a marking of the run that the run's last one equals (strict: covers strictly), so that what lies between
 * can be repeated for ever. */
static bool find_pump(NetExplore *run, bool strict)
{
    const Config *c = explore_config(run->explorer);
    const Net *net = run->net;
    uint64_t *markings = markings_along(net, c);
    if (!markings) return false;
    size_t p = MAX(net->n_places, 1);
    bool found = false;
    for (uint32_t to = c->n; to && !found; to = strict ? 0 : to - 1)
        for (uint32_t from = 0; from < to && !found; from++) {
            const uint64_t *small = markings + from * p, *large = markings + to * p;
            found = strict ? unbounded_by(net, small, large, vec_from(&c->label, from), to - from) != NET_NONE
                           : memcmp(small, large, net->n_places * sizeof *small) == 0;
            if (!found) continue;
            vec_append(&run->run, c->label.data, to);
            run->pump_from = from;
        }
    g_free(markings);
    return found;
}

/* The explorer met an event that cannot fire after its causes. Somewhere two actions do not commute:
 * breadth-first search finds the nearest place. */
static void find_square(NetExplore *run, const Indep *indep)
{
    const Lts *lts = &run->lts->lts;
    Store store;
    store_init(&store, lts->state_words);
    VecU32 by = {0};
    uint64_t *state = g_new0(uint64_t, lts->state_words), *scratch = g_new0(uint64_t, 2 * lts->state_words);
    bool fresh;
    lts->initial(lts, state);
    store_add(&store, state, store_hash(&store, state), &fresh, run->budget);
    vec_push(&by, 0);
    for (uint32_t i = 0; i < store.len && run->violation == COMMUTE_YES && !budget_spent(run->budget); i++) {
        assert(by.len == store.len); /* each state with the action that found it */
        memcpy(state, store_state(&store, i), lts->state_words * sizeof *state);
        run->violation = commute_check(lts, indep, state, scratch, &run->pair[0], &run->pair[1]);
        if (run->violation == COMMUTE_UNKNOWN) run->violation = COMMUTE_YES;
        if (run->violation != COMMUTE_YES) {
            /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): each state but the first has its action */
            for (uint32_t at = i; at; at = *store_value(&store, at)) vec_push(&run->run, by.data[at]);
            for (size_t k = 0; k < run->run.len / 2; k++) {
                uint32_t other = run->run.data[run->run.len - 1 - k];
                run->run.data[run->run.len - 1 - k] = run->run.data[k];
                run->run.data[k] = other;
            }
            break;
        }
        for (uint32_t t = 0; t < lts->n_actions; t++) {
            memcpy(state, store_state(&store, i), lts->state_words * sizeof *state);
            if (!lts->enabled(lts, state, t) || !lts->fire(lts, state, t)) continue;
            uint32_t j = store_add(&store, state, store_hash(&store, state), &fresh, run->budget);
            if (j == STORE_NONE) break;
            if (!fresh) continue;
            *store_value(&store, j) = i;
            vec_push(&by, t);
        }
    }
    g_free(state);
    g_free(scratch);
    vec_free(&by);
    store_clear(&store);
}

static void explain_refutation(NetExplore *run, const Indep *indep)
{
    run->violation = explore_refutation(run->explorer, run->pair);
    const Config *c = explore_config(run->explorer);
    if (run->violation != COMMUTE_YES)
        vec_append(&run->run, c->label.data, c->n);
    else
        find_square(run, indep);
}

static void start(NetExplore *run, const Indep *indep, unsigned width)
{
    assert(width && width <= 64 && (width & (width - 1)) == 0);
    explore_free(run->explorer);
    netlts_free(run->lts);
    run->lts = netlts_new(run->net, width);
    run->explorer = explore_new(&run->lts->lts, run->lts, indep, &run->options, run->budget);
    run->starts++;
    if (run->options.start) run->options.start(run->options.data);
    run->end = explore_run(run->explorer);
}

void netexplore_run(NetExplore *run, const Net *net, const Indep *indep, const ExploreOptions *options,
                    bool auto_cutoffs, Budget *budget)
{
    *run = (NetExplore){.net = net, .options = *options, .budget = budget};
    if (options->spins_late) run->options.spins = NULL;
    for (unsigned width = netlts_initial_width(net);;) {
        start(run, indep, width);
        switch (run->end) {
        case ENDING_OVERFLOW:
            if (find_pump(run, true)) {
                run->end = ENDING_UNBOUNDED;
                return;
            }
            if (width == 64) return;
            width *= 2;
            break;
        case ENDING_ENDLESS:
            if (run->options.spins != options->spins) {
                run->options.spins = options->spins;
            } else if (auto_cutoffs) {
                run->options.cutoffs = true;
            } else {
                find_pump(run, false);
                return;
            }
            break;
        case ENDING_REFUTED:
            explain_refutation(run, indep);
            /* No pair to blame: perhaps only counts that did not fit. */
            if (run->violation != COMMUTE_YES || width == 64 || budget_spent(budget)) return;
            width *= 2;
            break;
        default: return;
        }
    }
}

void netexplore_clear(NetExplore *run)
{
    explore_free(run->explorer);
    netlts_free(run->lts);
    vec_free(&run->run);
    *run = (NetExplore){0};
}

const char *netexplore_reason(const NetExplore *run)
{
    if (run->end != ENDING_COMPLETE) return ending_text(run->end);
    const ExploreStats *stats = explore_stats(run->explorer);
    return stats->leaves[LEAF_BOUND] || stats->cut ? "depth bound" : NULL;
}

bool netexplore_complete(const NetExplore *run)
{
    return netexplore_reason(run) == NULL;
}
