#include "explore/choice.h"

/* Nobody else tests the places t tests: it can be postponed by nothing and disabled by nothing. */
static bool undisturbed(const Net *net, uint32_t t)
{
    if (net_places(net, ARC_INHIBIT, t).len) return false;
    for (int kind = ARC_PRE; kind <= ARC_READ; kind += ARC_READ - ARC_PRE) {
        NetRow row = net_places(net, kind, t);
        for (uint32_t i = 0; i < row.len; i++) {
            uint32_t testers =
                net_transitions(net, ARC_PRE, row.node[i]).len + net_transitions(net, ARC_READ, row.node[i]).len;
            if (testers > 1) return false;
        }
    }
    return true;
}

void choice_init(Choice *choice, const Lts *lts, const NetLts *net, bool least)
{
    *choice = (Choice){.undisturbed = g_new0(uint64_t, MAX(bitset_words(lts->n_actions), 1)), .least = least};
    for (uint32_t t = 0; net && t < lts->n_actions; t++)
        if (undisturbed(net->net, t)) bitset_set(choice->undisturbed, t);
}

void choice_clear(Choice *choice)
{
    g_free(choice->undisturbed);
}

/* The position after the latest cause; 0 without causes. */
static uint32_t latest_cause(const Config *c, uint32_t label)
{
    uint32_t latest = bitset_highest(config_touch(c, label), (c->n + 63) / 64);
    return latest == UINT32_MAX ? 0 : latest + 1;
}

uint32_t choice_next(const Choice *choice, const Config *c, const uint64_t *enabled, const uint64_t *without)
{
    uint32_t best = EVENT_NONE, latest = 0, others = 0;
    size_t words = bitset_words(c->lts->n_actions);
    for (size_t w = 0; w < words; w++) {
        uint64_t free = enabled[w] & ~without[w] & choice->undisturbed[w];
        if (free) return (uint32_t)w * 64 + (uint32_t)__builtin_ctzll(free);
    }
    if (choice->least) return bitset_least_outside(enabled, without, words);
    for (size_t w = 0; w < words; w++)
        for (uint64_t rest = enabled[w] & ~without[w]; rest; rest &= rest - 1) {
            uint32_t label = (uint32_t)w * 64 + (uint32_t)__builtin_ctzll(rest);
            uint32_t cause = latest_cause(c, label), n = c->indep->start[label + 1] - c->indep->start[label];
            if (best != EVENT_NONE && (cause != latest ? cause < latest : n < others)) continue;
            best = label, latest = cause, others = n;
        }
    return best;
}
