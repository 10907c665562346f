#include "lts/symmetry.h"

#include "base/bitset.h"

Symmetry *symmetry_new(const Net *net, VecU32 *lists)
{
    Symmetry *s = g_new0(Symmetry, 1);
    s->net = net;
    s->lists = *lists;
    *lists = (VecU32){0};
    const uint32_t *list = s->lists.data;
    size_t len = s->lists.len;
    for (size_t k = 0; k < len; k++) s->n += list[k] == NET_NONE;
    s->words = (uint32_t)bitset_words(s->n);
    s->moves = g_new(SymmetryMove, len / 2 + 1);
    s->places = g_new0(uint32_t, (size_t)s->n + 1);
    s->transitions = g_new0(uint32_t, (size_t)s->n + 1);
    s->moving = g_new0(uint64_t, (size_t)net->n_places * s->words + 1);
    s->suspect = g_new0(uint64_t, (size_t)s->words + 1);
    s->counts = g_new0(uint64_t, (size_t)net->n_places + 1);
    uint32_t n = 0;
    for (size_t i = 0, k = 0; k < len; k++, i++) {
        s->places[i] = n;
        for (; list[k] < net->n_places; k += 2) {
            s->moves[n++] = (SymmetryMove){list[k], list[k + 1]};
            bitset_set(bitset_row(s->moving, list[k], s->words), i);
        }
        s->transitions[i] = n;
        for (; list[k] != NET_NONE; k += 2)
            s->moves[n++] = (SymmetryMove){list[k] - net->n_places, list[k + 1] - net->n_places};
    }
    s->places[s->n] = n;
    return s;
}

void symmetry_free(Symmetry *s)
{
    if (!s) return;
    vec_free(&s->lists);
    g_free(s->moves);
    g_free(s->places);
    g_free(s->transitions);
    g_free(s->moving);
    g_free(s->suspect);
    g_free(s->counts);
    g_free(s);
}

static bool lessens(Symmetry *s, uint32_t i, const NetLts *lts, const uint64_t *state)
{
    uint32_t from = s->places[i], to = s->transitions[i];
    for (uint32_t k = from; k < to; k++) {
        uint64_t now = netlts_count(lts, state, s->moves[k].to), then = netlts_count(lts, state, s->moves[k].from);
        if (now == then) continue;
        s->effort += k - from + 1;
        return then < now;
    }
    s->effort += to - from;
    return false;
}

static void suspect_all_at(Symmetry *s, uint32_t place)
{
    bitset_or(s->suspect, bitset_row(s->moving, place, s->words), s->words);
}

static void apply(Symmetry *s, uint32_t i, const NetLts *lts, uint64_t *state)
{
    uint32_t from = s->places[i], to = s->transitions[i];
    for (uint32_t k = from; k < to; k++) s->counts[k - from] = netlts_count(lts, state, s->moves[k].from);
    for (uint32_t k = from; k < to; k++) {
        uint32_t place = s->moves[k].to;
        if (netlts_count(lts, state, place) == s->counts[k - from]) continue;
        netlts_set_count(lts, state, place, s->counts[k - from]);
        suspect_all_at(s, place);
    }
    s->effort += 2 * (uint64_t)(to - from);
}

/* The first suspect from i on; s->n when there is none. */
static uint32_t next_suspect(const Symmetry *s, uint32_t i)
{
    for (uint32_t w = i / 64; w < s->words; w++) {
        uint64_t rest = s->suspect[w];
        if (w == i / 64) rest &= UINT64_MAX << i % 64;
        if (rest) return w * 64 + (uint32_t)__builtin_ctzll(rest);
    }
    return s->n;
}

void symmetry_normalise(Symmetry *s, const NetLts *lts, uint64_t *state, uint32_t fired, VecU32 *applied)
{
    for (int kind = 0; kind < 2 && fired != NET_NONE; kind++) {
        NetRow row = net_places(s->net, kind ? ARC_POST : ARC_PRE, fired);
        for (uint32_t k = 0; k < row.len; k++) suspect_all_at(s, row.node[k]);
    }
    for (uint32_t i = 0; i < s->n && fired == NET_NONE; i++) bitset_set(s->suspect, i);
    while (bitset_any(s->suspect, s->words)) {
        for (uint32_t i = next_suspect(s, 0); i < s->n; i = next_suspect(s, i + 1)) {
            bitset_clear(s->suspect, i);
            if (!lessens(s, i, lts, state)) continue;
            apply(s, i, lts, state);
            if (applied) vec_push(applied, i);
        }
    }
}

void symmetry_conjugate(const Symmetry *s, uint32_t i, uint32_t *real)
{
    uint32_t from = s->transitions[i], to = s->places[i + 1];
    g_autofree uint32_t *moved = g_new(uint32_t, to - from + 1);
    for (uint32_t k = from; k < to; k++) moved[k - from] = real[s->moves[k].from];
    for (uint32_t k = from; k < to; k++) real[s->moves[k].to] = moved[k - from];
}
