#include "explore/race.h"

#include <assert.h>

void races_clear(Races *races)
{
    vec_free(&races->race);
    vec_free(&races->pool);
    vec_free(&races->bad);
}

void races_add(Races *races, const Config *c, uint32_t label, const uint64_t *history, uint32_t first)
{
    uint32_t words = (c->n + 63) / 64;
    assert(words && first < c->n && !bitset_get(history, first));
    vec_push(&races->race, ((Race){label, first, words, races->pool.len}));
    vec_append(&races->pool, history, words);
}

void races_add_disabled(Races *races, uint32_t label, uint32_t first)
{
    vec_push(&races->race, ((Race){label, first, 0, races->pool.len}));
}

void races_cut(Races *races, size_t n)
{
    assert(n <= races->race.len);
    if (n < races->race.len) races->pool.len = races->race.data[n].history;
    races->race.len = n;
}

/* bad := the positions of C in conflict with f. */
static const uint64_t *conflicts(Races *races, const Race *race, const Config *c)
{
    uint32_t used = (c->n + 63) / 64;
    vec_reserve(&races->bad, used);
    uint64_t *bad = races->bad.data;
    memcpy(bad, config_touch(c, race->label), used * sizeof *bad);
    const uint64_t *history = vec_from(&races->pool, race->history);
    for (uint32_t w = 0; w < race->words; w++) bad[w] &= ~history[w];
    if (!race->words) {
        memset(bad, 0, race->first / 64 * sizeof *bad);
        bad[race->first / 64] &= ~(uint64_t)0 << (race->first % 64);
    }
    assert(bitset_get(bad, race->first));
    return bad;
}

void races_reverse(Races *races, const Race *race, const Config *c, VecU32 *v, uint64_t *kept)
{
    uint32_t used = (c->n + 63) / 64;
    assert(race->first < c->n);
    const uint64_t *bad = conflicts(races, race, c);
    memset(kept, 0, c->words * sizeof *kept);
    vec_clear(v);
    for (uint32_t i = race->first + 1; i < c->n; i++) {
        if (bitset_meets(config_local(c, i), bad, used)) continue;
        bitset_set(kept, i);
        vec_push(v, c->label.data[i]);
    }
    vec_push(v, race->label);
}
