#include "explore/race.h"

#include <assert.h>

static void note_most(Races *races)
{
    races->most = MAX(races->most, races->race.len);
    races->most_words = MAX(races->most_words, races->pool.len);
}

void races_clear(Races *races)
{
    vec_free(&races->race);
    vec_free(&races->pool);
    vec_free(&races->bad);
}

void races_add(Races *races, const Config *c, uint32_t label, const uint64_t *history, uint32_t first, uint64_t weight)
{
    uint32_t words = (c->n + 63) / 64;
    assert(words && first < c->n && !bitset_get(history, first));
    vec_push(&races->race, ((Race){label, first, words, races->pool.len, weight}));
    vec_append(&races->pool, history, words);
    note_most(races);
}

void races_add_disabled(Races *races, uint32_t label, uint32_t first, uint64_t weight)
{
    vec_push(&races->race, ((Race){label, first, 0, races->pool.len, weight}));
    note_most(races);
}

void races_cut(Races *races, size_t n)
{
    assert(n <= races->race.len);
    if (n < races->race.len) races->pool.len = races->race.data[n].history;
    races->race.len = n;
}

const uint64_t *races_conflicts(Races *races, const Race *race, const Config *c)
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

/* Word w of the causes of f that its action depends on; all others are below them. */
static uint64_t causes_word(const Races *races, const Race *race, const Config *c, uint32_t w)
{
    uint64_t touch = config_touch(c, race->label)[w];
    if (race->words) return w < race->words ? touch & races->pool.data[race->history + w] : 0;
    uint32_t last = race->first / 64;
    return w < last ? touch : w == last ? touch & (((uint64_t)1 << (race->first % 64)) - 1) : 0;
}

bool races_causes_inside(const Races *races, const Race *race, const Config *c, const uint64_t *set)
{
    for (uint32_t w = 0, used = (c->n + 63) / 64; w < used; w++)
        if (causes_word(races, race, c, w) & ~set[w]) return false;
    return true;
}

bool races_conflict_inside(const Races *races, const Race *race, const Config *c, const uint64_t *set)
{
    const uint64_t *touch = config_touch(c, race->label);
    for (uint32_t w = race->first / 64, used = (c->n + 63) / 64; w < used; w++)
        if (touch[w] & set[w] & ~causes_word(races, race, c, w)) return true;
    return false;
}

void races_reverse(Races *races, const Race *race, const Config *c, VecU32 *v, uint64_t *kept)
{
    uint32_t used = (c->n + 63) / 64;
    assert(race->first < c->n);
    const uint64_t *bad = races_conflicts(races, race, c);
    memset(kept, 0, c->words * sizeof *kept);
    vec_clear(v);
    for (uint32_t i = race->first + 1; i < c->n; i++) {
        if (bitset_meets(config_local(c, i), bad, used)) continue;
        bitset_set(kept, i);
        vec_push(v, c->label.data[i]);
    }
    vec_push(v, race->label);
}
