#include "unfold/parametric/square.h"

#include "base/bitset.h"

#include <assert.h>

typedef struct Walk {
    const ParametricStore *store;
    size_t words;
    uint64_t *goal, *done, *state;
    uint32_t event; /* the one that must be enabled once its history is done, and stay so */
    VecU32 *run;
} Walk;

/* Fires the events of `set` not done yet, in the order of ids. Stops with an event that is not enabled (*blocked
 * set), or when the event of the walk, enabled before, is not any more (*blocked is STORE_NONE, the run
 * ends before the culprit). */
static uint32_t fire_all(Walk *w, const uint64_t *set, bool watch, uint32_t *blocked)
{
    const ParametricStore *s = w->store;
    const Lts *lts = s->lts;
    *blocked = STORE_NONE;
    for (BITSET_EACH(i, set, w->words)) {
        if (bitset_get(w->done, i)) continue;
        uint32_t y = (uint32_t)i, action = s->action.data[y];
        if (!lts->enabled(lts, w->state, action)) {
            *blocked = y;
            return STORE_NONE;
        }
        if (!lts->fire(lts, w->state, action)) return STORE_NONE;
        if (watch && !lts->enabled(lts, w->state, s->action.data[w->event])) return y;
        assert(y < s->n);
        bitset_set(w->done, y);
        vec_push(w->run, action);
    }
    return STORE_NONE;
}

/* One round: first the history of the event, then the rest of the goal. True when it ended in a square. */
static bool walk_round(Walk *w, ParametricSquare *square, bool *again)
{
    const ParametricStore *s = w->store;
    memset(w->done, 0, w->words * sizeof *w->done);
    memcpy(w->state, s->initial, s->lts->state_words * sizeof *w->state);
    vec_clear(w->run);
    g_autofree uint64_t *history = g_new(uint64_t, parametric_store_words(s->n));
    parametric_store_closure(s, &w->event, 1, history);
    bitset_clear(history, w->event);
    uint32_t blocked, culprit = fire_all(w, history, false, &blocked);
    if (blocked == STORE_NONE) culprit = fire_all(w, w->goal, true, &blocked);
    *again = blocked != STORE_NONE;
    if (*again) {
        memcpy(w->goal, w->done, w->words * sizeof *w->goal);
        w->event = blocked;
    }
    if (culprit == STORE_NONE) return false;
    *square = (ParametricSquare){s->action.data[culprit], s->action.data[w->event], COMMUTE_DISABLES};
    return true;
}

ParametricSquare parametric_square_find(const ParametricStore *s, const uint64_t *configuration, uint32_t event,
                                        VecU32 *run)
{
    size_t words = parametric_store_words(s->n ? s->n - 1 : 0);
    assert(event < s->n);
    Walk w = {
        .store = s,
        .words = words,
        .goal = g_memdup2(configuration, words * sizeof *configuration),
        .done = g_new0(uint64_t, words),
        .state = g_new0(uint64_t, s->lts->state_words),
        .event = event,
        .run = run,
    };
    /* When no round shows it (orders of one configuration end in different states), the event itself is named. */
    ParametricSquare square = {s->action.data[event], s->action.data[event], COMMUTE_DIFFERS};
    bool again = true;
    while (again && !walk_round(&w, &square, &again)) continue;
    g_free(w.goal);
    g_free(w.done);
    g_free(w.state);
    return square;
}
