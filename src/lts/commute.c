#include "lts/commute.h"

#include "base/bitset.h"

#include <assert.h>

Commute commute_after(const Lts *lts, uint64_t *state, uint32_t a, uint32_t b, uint64_t *scratch)
{
    assert(a != b && lts->enabled(lts, state, a));
    size_t words = lts->state_words;
    uint64_t *ab = scratch, *ba = scratch + words;
    memcpy(ab, state, words * sizeof *ab);
    if (!lts->fire(lts, ab, a)) return COMMUTE_UNKNOWN;
    bool before = lts->enabled(lts, state, b), after = lts->enabled(lts, ab, b);
    if (before != after) return before ? COMMUTE_DISABLES : COMMUTE_ENABLES;
    if (!before) return COMMUTE_YES;
    memcpy(ba, state, words * sizeof *ba);
    if (!lts->fire(lts, ba, b)) return COMMUTE_UNKNOWN;
    if (!lts->enabled(lts, ba, a)) return COMMUTE_YES;
    if (!lts->fire(lts, ab, b) || !lts->fire(lts, ba, a)) return COMMUTE_UNKNOWN;
    return bitset_equal(ab, ba, words) ? COMMUTE_YES : COMMUTE_DIFFERS;
}

Commute commute_check(const Lts *lts, const Indep *indep, uint64_t *state, uint64_t *scratch, uint32_t *a, uint32_t *b)
{
    assert(indep->doubt_start);
    Commute result = COMMUTE_YES;
    uint32_t unknown[2] = {0, 0};
    for (*a = 0; *a < indep->n; ++*a) {
        uint32_t from = indep->doubt_start[*a], to = indep->doubt_start[*a + 1];
        if (from == to || !lts->enabled(lts, state, *a)) continue;
        for (uint32_t i = from; i < to; i++) {
            *b = indep->doubtful[i];
            Commute found = commute_after(lts, state, *a, *b, scratch);
            if (found == COMMUTE_UNKNOWN)
                result = COMMUTE_UNKNOWN, unknown[0] = *a, unknown[1] = *b;
            else if (found != COMMUTE_YES)
                return found;
        }
    }
    *a = unknown[0];
    *b = unknown[1];
    return result;
}
