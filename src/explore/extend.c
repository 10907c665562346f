#include "explore/extend.h"

#include "base/compare.h"
#include "explore/extend_internal.h"

#include <assert.h>
#include <stdlib.h>

static void add_need(Extend *x, uint32_t place, Count least, Count below)
{
    assert(place < x->net->net->n_places && least < below);
    Need need = {.place = place, .least = least, .below = below};
    for (int count = 0; count < 2; count++) need.holds[count] = least <= count && count < below;
    vec_push(&x->needs, need);
    vec_push(&x->safe_needs, ((SafeNeed){place, x->net->net->initial[place] == 1, {need.holds[0], need.holds[1]}}));
}

static void add_move(Extend *x, uint32_t place, Count effect)
{
    if (effect) vec_push(&x->moves, ((Move){place, effect}));
}

/* What t asks of places, and what it moves. Several arcs with one place make several needs. */
static void add_transition(Extend *x, const Net *net, uint32_t t)
{
    for (int kind = 0; kind < N_ARC_KINDS; kind++) {
        NetRow places = net_places(net, kind, t);
        for (uint32_t i = 0; i < places.len; i++) {
            uint32_t p = places.node[i];
            Count weight = net_weight(places, i);
            switch ((ArcKind)kind) {
            case ARC_PRE:
                add_need(x, p, weight, COUNT_MAX);
                add_move(x, p, (Count)net_arc_weight(net, ARC_POST, t, p) - weight);
                break;
            case ARC_POST:
                if (!net_arc_weight(net, ARC_PRE, t, p)) add_move(x, p, weight);
                break;
            case ARC_READ: add_need(x, p, weight, COUNT_MAX); break;
            default: add_need(x, p, 0, weight); break;
            }
        }
    }
    vec_push(&x->need_start, (uint32_t)x->needs.len);
    vec_push(&x->move_start, (uint32_t)x->moves.len);
}

/* Does t want every place that u changes as u leaves it? */
static bool can_follow(const Extend *x, uint32_t t, uint32_t u)
{
    for (uint32_t i = x->move_start.data[u]; i < x->move_start.data[u + 1]; i++)
        for (uint32_t k = x->need_start.data[t]; k < x->need_start.data[t + 1]; k++)
            if (x->needs.data[k].place == x->moves.data[i].place &&
                !x->needs.data[k].holds[x->moves.data[i].effect > 0])
                return false;
    return true;
}

static uint32_t key_place(const Extend *x, uint32_t t)
{
    uint32_t best = NO_PLACE;
    for (uint32_t k = x->need_start.data[t]; k < x->need_start.data[t + 1]; k++) {
        const Need *need = &x->needs.data[k];
        if (!need->holds[0] && (best == NO_PLACE || x->tested_by.data[need->place] < x->tested_by.data[best]))
            best = need->place;
    }
    return best;
}

static const VecU32 *followers(Extend *x, uint32_t u)
{
    assert(u < x->config->indep->n);
    VecU32 *follow = &x->follow[u];
    if (x->follow_made[u]) return follow;
    x->follow_made[u] = true;
    const Indep *d = x->config->indep;
    VecU64 keyed = {0};
    for (uint32_t k = d->start[u]; k < d->start[u + 1]; k++)
        if (can_follow(x, d->dependent[k], u))
            vec_push(&keyed, (uint64_t)key_place(x, d->dependent[k]) << 32 | d->dependent[k]);
    if (keyed.len) qsort(keyed.data, keyed.len, sizeof *keyed.data, compare_u64);
    for (size_t i = 0, head = 0; i < keyed.len; i++) {
        uint32_t key = (uint32_t)(keyed.data[i] >> 32);
        if (!i || key != follow->data[head]) {
            head = follow->len;
            vec_push(follow, key);
            vec_push(follow, 0);
        }
        vec_push(follow, (uint32_t)keyed.data[i]);
        follow->data[head + 1]++;
    }
    vec_free(&keyed);
    return follow;
}

Extend *extend_new(Config *config, const NetLts *net, ExtendMethod method, Budget *budget)
{
    Extend *x = g_new0(Extend, 1);
    x->config = config;
    x->net = net;
    x->method = method;
    x->budget = budget;
    if (!net) return x;
    assert(&net->lts == config->lts);
    vec_push(&x->need_start, 0);
    vec_push(&x->move_start, 0);
    for (uint32_t t = 0; t < net->net->n_transitions; t++) add_transition(x, net->net, t);
    x->n_places = net->net->n_places;
    x->chain = g_new0(VecU32, MAX(x->n_places, 1));
    if (net->width > 1) return x;
    x->follow = g_new0(VecU32, MAX(net->net->n_transitions, 1));
    x->follow_made = g_new0(bool, MAX(net->net->n_transitions, 1));
    vec_reserve(&x->tested_by, x->n_places + 1);
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): n_places + 1 are reserved */
    memset(x->tested_by.data, 0, x->n_places * sizeof(uint32_t));
    for (size_t k = 0; k < x->needs.len; k++) x->tested_by.data[x->needs.data[k].place]++;
    return x;
}

void extend_free(Extend *x)
{
    if (!x) return;
    for (uint32_t p = 0; x->chain && p < x->n_places; p++) vec_free(&x->chain[p]);
    g_free(x->chain);
    vec_free(&x->needs);
    vec_free(&x->safe_needs);
    vec_free(&x->moves);
    vec_free(&x->need_start);
    vec_free(&x->move_start);
    vec_free(&x->sets);
    vec_free(&x->branches);
    vec_free(&x->candidates);
    vec_free(&x->counts);
    vec_free(&x->bounds);
    vec_free(&x->start);
    vec_free(&x->last_cover);
    for (uint32_t t = 0; x->follow && t < x->net->net->n_transitions; t++) vec_free(&x->follow[t]);
    g_free(x->follow);
    g_free(x->follow_made);
    vec_free(&x->tested_by);
    g_free(x);
}

const ExtendStats *extend_stats(const Extend *x)
{
    return &x->stats;
}

void extend_pushed(Extend *x)
{
    if (!x->net) return;
    uint32_t position = x->config->n - 1, t = x->config->label.data[position];
    for (uint32_t i = x->move_start.data[t]; i < x->move_start.data[t + 1]; i++) {
        VecU32 *chain = &x->chain[x->moves.data[i].place];
        assert(!chain->len || vec_last(chain) < position);
        vec_push(chain, position);
    }
}

void extend_popping(Extend *x)
{
    if (!x->net) return;
    assert(x->config->n);
    uint32_t t = x->config->label.data[x->config->n - 1];
    for (uint32_t i = x->move_start.data[t]; i < x->move_start.data[t + 1]; i++) {
        uint32_t place = x->moves.data[i].place;
        assert(vec_last(&x->chain[place]) == x->config->n - 1);
        x->chain[place].len--;
    }
}

/* Closes `in` so that it enables t (see extend.h). False when that needs an event that is not there
 * or is in `out`. */
static bool settle(const Extend *x, uint32_t t, uint64_t *in, const uint64_t *out, uint32_t used)
{
    const SafeNeed *first = vec_from(&x->safe_needs, x->need_start.data[t]);
    const SafeNeed *end = vec_from(&x->safe_needs, x->need_start.data[t + 1]);
    for (bool again = true; again;) {
        again = false;
        for (const SafeNeed *need = first; need < end; need++) {
            const VecU32 *chain = &x->chain[need->place];
            size_t k = chain->len;
            while (k && !bitset_get(in, chain->data[k - 1])) k--;
            bool marked = need->initial ^ (k & 1);
            if (need->holds[marked]) continue;
            if (k == chain->len || !need->holds[!marked]) return false;
            const uint64_t *local = config_local(x->config, chain->data[k]);
            for (uint32_t w = 0; w < used; w++) {
                in[w] |= local[w];
                if (in[w] & out[w]) return false;
            }
            again = true;
        }
    }
    return true;
}

/* Rows of scratch sets: 2 d is `in` and 2 d + 1 is `out` of branch d. */
static uint64_t *row(Extend *x, size_t i)
{
    assert((i + 1) * x->config->words <= x->sets.cap);
    return vec_from(&x->sets, i * x->config->words);
}

static inline void reserve_rows(Extend *x, size_t n)
{
    vec_reserve(&x->sets, n * x->config->words);
}

void extend_candidates(Extend *x, uint32_t t, const uint64_t *in)
{
    const uint64_t *touch = config_touch(x->config, t);
    vec_clear(&x->candidates);
    for (uint32_t w = 0, used = (x->config->n + 63) / 64; w < used; w++)
        for (uint64_t rest = touch[w] & ~in[w]; rest; rest &= rest - 1)
            vec_push(&x->candidates, w * 64 + (uint32_t)__builtin_ctzll(rest));
}

static void emit(Extend *x, uint32_t t, const uint64_t *history, ExtendFound found, void *data)
{
    x->stats.found++;
    found(data, t, history);
}

/* The lattice method. Branch 0 is the current one; taking an event in saves the other choice on top
 * of the stack. */
static bool lattice(Extend *x, uint32_t t, ExtendFound found, void *data)
{
    uint32_t used = (x->config->n + 63) / 64, words = x->config->words;
    assert(x->net->width == 1);
    if (!settle(x, t, row(x, 0), row(x, 1), used)) return true;
    extend_candidates(x, t, row(x, 0));
    size_t n = x->candidates.len;
    if (!n) {
        emit(x, t, row(x, 0), found, data);
        return true;
    }
    reserve_rows(x, 2 * (n + 2));
    vec_clear(&x->branches);
    vec_push(&x->branches, 0);
    while (x->branches.len) {
        size_t d = x->branches.len - 1, i = x->branches.data[d];
        uint64_t *in = row(x, 2 * d), *out = in + words;
        while (i < n) {
            uint32_t g = x->candidates.data[i++];
            if (bitset_get(in, g)) continue;
            const uint64_t *local = config_local(x->config, g);
            if (bitset_meets(local, out, used)) continue;
            if (budget_spent(x->budget)) return false;
            x->stats.branchings++;
            uint64_t *in2 = out + words, *out2 = in2 + words;
            for (uint32_t w = 0; w < used; w++) in2[w] = in[w] | local[w], out2[w] = out[w];
            bitset_set(out, g);
            if (settle(x, t, in2, out2, used)) {
                vec_last(&x->branches) = (uint32_t)i;
                vec_push(&x->branches, (uint32_t)i);
                d++, in = in2, out = out2;
                assert(d <= n && !bitset_meets(in, out, used));
            }
        }
        emit(x, t, in, found, data);
        x->branches.len = d;
    }
    return true;
}

static bool histories(Extend *x, uint32_t t, ExtendFound found, void *data)
{
    if (x->method == EXTEND_SAT && x->net) return extend_by_sat(x, t, row(x, 0), found, data);
    if (x->net && x->net->width == 1) return lattice(x, t, found, data);
    int answer = extend_by_counting(x, t, found, data);
    if (answer >= 0) return answer;
    uint32_t words = x->config->words;
    vec_reserve(&x->sets, words);
    memcpy(row(x, 0), x->start.data, words * sizeof(uint64_t));
    return extend_by_sat(x, t, row(x, 0), found, data);
}

/* Is a place that is wrong sure to stay so: never changed, or with all of its changes below the newest event? */
static inline bool stays(const VecU32 *chain, const uint64_t *local)
{
    return !chain->len || bitset_get(local, vec_last(chain));
}

static bool hopeless(const Extend *x, uint32_t t, const uint64_t *local)
{
    const SafeNeed *need = vec_from(&x->safe_needs, x->need_start.data[t]);
    const SafeNeed *end = vec_from(&x->safe_needs, x->need_start.data[t + 1]);
    const uint64_t *state = x->config->state;
    for (; need < end; need++)
        if (!need->holds[bitset_get(state, need->place)] && stays(&x->chain[need->place], local)) return true;
    return false;
}

static bool try_newest(Extend *x, uint32_t t, ExtendFound found, void *data)
{
    const Config *c = x->config;
    uint64_t *in = row(x, 0), *out = in + c->words;
    const uint64_t *local = c->n ? config_local(c, c->n - 1) : out;
    for (uint32_t w = 0; w < c->words; w++) out[w] = 0, in[w] = local[w];
    x->stats.calls++;
    return histories(x, t, found, data);
}

bool extend_newest(Extend *x, ExtendFound found, void *data)
{
    const Config *c = x->config;
    const Indep *d = c->indep;
    uint32_t newest = c->n ? c->label.data[c->n - 1] : 0;
    reserve_rows(x, 4);
    if (!c->n) {
        for (uint32_t t = 0; t < c->lts->n_actions; t++)
            if (!try_newest(x, t, found, data)) return false;
    } else if (!x->follow) {
        for (uint32_t k = d->start[newest]; k < d->start[newest + 1]; k++)
            if (!try_newest(x, d->dependent[k], found, data)) return false;
    } else {
        const uint64_t *local = config_local(c, c->n - 1), *state = c->state;
        const VecU32 *chain = x->chain, *follow = followers(x, newest);
        for (const uint32_t *at = follow->data, *end = vec_from(follow, follow->len), *next; at < end; at = next) {
            next = at + 2 + at[1];
            if (at[0] != NO_PLACE && !bitset_get(state, at[0]) && stays(&chain[at[0]], local)) continue;
            for (at += 2; at < next; at++)
                if (!hopeless(x, *at, local) && !try_newest(x, *at, found, data)) return false;
        }
    }
    return true;
}

bool extend_label(Extend *x, uint32_t t, ExtendFound found, void *data)
{
    reserve_rows(x, 4);
    memset(row(x, 0), 0, 2 * x->config->words * sizeof(uint64_t));
    x->stats.calls++;
    return histories(x, t, found, data);
}

typedef struct First {
    uint64_t *history;
    uint32_t words;
    bool found;
} First;

static void keep_first(void *data, uint32_t label, const uint64_t *history)
{
    (void)label;
    First *first = data;
    if (!first->found) memcpy(first->history, history, first->words * sizeof *history);
    first->found = true;
}

int extend_exists(Extend *x, uint32_t t, uint64_t *history)
{
    reserve_rows(x, 4);
    memset(row(x, 0), 0, 2 * x->config->words * sizeof(uint64_t));
    First first = {history, x->config->words, false};
    if (x->net && x->net->width > 1 && x->method != EXTEND_STRUCTURE) {
        int answer = extend_one_by_sat(x, t, history);
        x->stats.found += answer > 0;
        return answer;
    }
    bool complete = histories(x, t, keep_first, &first);
    return first.found ? 1 : complete ? -1 : 0;
}
