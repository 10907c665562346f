#include "verify/survey.h"

#include "base/hash.h"
#include "lts/tracker.h"
#include "net/colours.h"

#include <assert.h>
#include <string.h>

Survey *survey_new(const Net *net, const VecU32 *sums, uint32_t n_sums)
{
    Survey *s = g_new0(Survey, 1);
    s->net = net;
    s->least = g_new(uint64_t, net->n_places + 1);
    s->most = g_new(uint64_t, net->n_places + 1);
    memcpy(s->least, net->initial, net->n_places * sizeof *s->least);
    memcpy(s->most, net->initial, net->n_places * sizeof *s->most);
    s->enabled = g_new0(bool, net->n_transitions + 1);
    s->n_unseen = net->n_transitions;
    s->n_unchanged = net->n_places;
    for (uint32_t p = 0; p < net->n_places; p++) s->largest = MAX(s->largest, net->initial[p]);
    s->n_sums = n_sums;
    s->sum_least = g_new0(Total, n_sums + 1);
    s->sum_most = g_new0(Total, n_sums + 1);
    s->sum_unbounded = g_new0(bool, n_sums + 1);
    s->sum_pump = g_new0(Pump, n_sums + 1);
    s->sum_start = g_new0(uint32_t, net->n_places + 2);
    size_t total = 0;
    for (uint32_t i = 0; i < n_sums; i++)
        for (size_t k = 0; k < sums[i].len; k++) s->sum_start[sums[i].data[k] + 1]++, total++;
    for (uint32_t p = 0; p < net->n_places; p++) s->sum_start[p + 1] += s->sum_start[p];
    s->sums_of_place = g_new(uint32_t, total + 1);
    g_autofree uint32_t *next = g_memdup2(s->sum_start, (net->n_places + 1) * sizeof *next);
    for (uint32_t i = 0; i < n_sums; i++) {
        for (size_t k = 0; k < sums[i].len; k++) {
            s->sums_of_place[next[sums[i].data[k]]++] = i;
            s->sum_least[i] += net->initial[sums[i].data[k]]; /* fits a Total */
        }
        s->sum_most[i] = s->sum_least[i];
    }
    return s;
}

void survey_free(Survey *s)
{
    if (!s) return;
    g_free(s->least);
    g_free(s->most);
    g_free(s->enabled);
    g_free(s->sum_least);
    g_free(s->sum_most);
    g_free(s->sum_unbounded);
    for (uint32_t i = 0; i < s->n_sums; i++) pump_clear(&s->sum_pump[i]);
    g_free(s->sum_pump);
    g_free(s->sum_start);
    g_free(s->sums_of_place);
    g_free(s);
}

uint32_t survey_blocked(const Net *net, const uint64_t *marking, bool *blocked)
{
    g_autofree uint32_t *missing = g_new0(uint32_t, net->n_transitions + 1);
    g_autofree bool *marked = g_new(bool, net->n_places + 1);
    VecU32 ready = {0};
    for (uint32_t p = 0; p < net->n_places; p++) marked[p] = marking[p] > 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        for (int k = 0; k < 2; k++) {
            NetRow row = net_places(net, k ? ARC_READ : ARC_PRE, t);
            for (uint32_t i = 0; i < row.len; i++) missing[t] += !marked[row.node[i]];
        }
        if (!missing[t]) vec_push(&ready, t);
    }
    while (ready.len) {
        NetRow post = net_places(net, ARC_POST, vec_pop(&ready));
        for (uint32_t i = 0; i < post.len; i++) {
            if (marked[post.node[i]]) continue;
            marked[post.node[i]] = true;
            for (int k = 0; k < 2; k++) {
                NetRow row = net_transitions(net, k ? ARC_READ : ARC_PRE, post.node[i]);
                for (uint32_t j = 0; j < row.len; j++)
                    if (--missing[row.node[j]] == 0) vec_push(&ready, row.node[j]);
            }
        }
    }
    uint32_t n = 0;
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        blocked[t] = missing[t] > 0;
        n += blocked[t];
    }
    vec_free(&ready);
    return n;
}

/* ---- one walk ---- */

enum { MOST_POOLED = 4096, POOL_BYTES = 64 << 20, SIPHON_LENGTH = 2000, CANDIDATES = 4 };
/* Firings of one run that is kept, and of all. */
enum { LONGEST_RUN = 1 << 18, MOST_KEPT = 1 << 24 };

/* How a marking was reached, where pumps are kept. */
typedef struct Trail {
    VecU32 run;
    bool lost; /* too long: the run is empty */
} Trail;

typedef struct Walker {
    Survey *s;
    Tracker *now;
    Total *sums;          /* current values */
    int8_t *effect;       /* CLIMBING: of each transition on the sum that should grow: 1, 0 or -1 */
    uint32_t climbs;      /* so far; each goes for the next sum */
    uint32_t last;        /* fired in this walk, or NET_NONE */
    uint64_t *checkpoint; /* an earlier marking of this walk */
    uint32_t *fired;      /* how often, over all walks */
    bool *blocked;
    bool inhibitors;
    bool news;
    Tracker **pool;  /* where something new was seen: good places to start again */
    uint32_t *tried; /* how often */
    uint32_t pooled, pool_size;
    Trail trail;          /* of this walk */
    size_t checkpoint_at; /* in its run */
    Trail *trails;        /* of the pool */
    uint64_t kept;        /* firings in these */
} Walker;

static void note_enabled(Walker *w)
{
    Survey *s = w->s;
    if (!s->n_unseen) return;
    for (uint32_t i = 0; i < w->now->n_enabled; i++) {
        uint32_t t = w->now->enabled[i];
        if (s->enabled[t]) continue;
        s->enabled[t] = true;
        s->n_unseen--;
        w->news = true;
    }
}

static void note_count(Walker *w, uint32_t p)
{
    Survey *s = w->s;
    uint64_t count = w->now->marking[p];
    if (count >= s->least[p] && count <= s->most[p]) return;
    if (s->least[p] == s->most[p]) s->n_unchanged--, w->news = true;
    s->least[p] = MIN(s->least[p], count);
    s->most[p] = MAX(s->most[p], count);
    if (count > s->largest) s->largest = count, w->news = true;
}

static void change_sums(Walker *w, const TrackerChange *change)
{
    Survey *s = w->s;
    for (uint32_t i = s->sum_start[change->place]; i < s->sum_start[change->place + 1]; i++) {
        uint32_t sum = s->sums_of_place[i];
        if (change->grows)
            w->sums[sum] += change->by; /* fits a Total */
        else
            w->sums[sum] -= change->by; /* fits: the sum had it */
    }
}

/* After all changes of a firing: half-way values are no values. */
static void note_sums(Walker *w)
{
    Survey *s = w->s;
    for (uint32_t i = 0; i < s->n_sums; i++) {
        if (w->sums[i] > s->sum_most[i]) s->sum_most[i] = w->sums[i], w->news = true;
        if (w->sums[i] < s->sum_least[i]) s->sum_least[i] = w->sums[i];
    }
}

static bool fire(Walker *w, uint32_t t)
{
    Tracker *now = w->now;
    if (!tracker_fire(now, t)) return false;
    w->s->steps++;
    for (uint32_t i = now->change_start[t]; i < now->change_start[t + 1]; i++) {
        note_count(w, now->changes[i].place);
        if (w->s->n_sums) change_sums(w, &now->changes[i]);
    }
    if (w->s->n_sums) note_sums(w);
    note_enabled(w);
    return true;
}

/* ---- runs, where pumps are kept ---- */

static void trail_push(Trail *trail, uint32_t t)
{
    if (trail->lost) return;
    vec_push(&trail->run, t);
    if (trail->run.len <= LONGEST_RUN) return;
    vec_clear(&trail->run);
    trail->lost = true;
}

static void trail_assign(Trail *to, const Trail *from)
{
    vec_clear(&to->run);
    to->lost = from->lost;
    vec_append(&to->run, from->run.data, from->run.len);
}

static void keep_trail(Walker *w, uint32_t i)
{
    if (!w->s->keep_pumps) return;
    Trail *to = &w->trails[i];
    w->kept -= to->run.len;
    if (w->kept + w->trail.run.len > MOST_KEPT) {
        vec_free(&to->run);
        to->lost = true;
        return;
    }
    trail_assign(to, &w->trail);
    w->kept += to->run.len;
}

static void keep_pump(Walker *w, uint32_t sum)
{
    const VecU32 *run = &w->trail.run;
    Pump *pump = &w->s->sum_pump[sum];
    if (!w->s->keep_pumps || w->trail.lost || (pump->parts.len && pump->firings.len <= run->len)) return;
    pump_clear(pump);
    pump_add(pump, false, run->data, w->checkpoint_at);
    pump_add(pump, true, run->data + w->checkpoint_at, run->len - w->checkpoint_at);
}

static void set_checkpoint(Walker *w)
{
    memcpy(w->checkpoint, w->now->marking, w->s->net->n_places * sizeof *w->checkpoint);
    w->checkpoint_at = w->trail.run.len;
}

/* A run from a marking to a larger one can be repeated: what grew has no bound (without inhibitors). */
static void compare_with_checkpoint(Walker *w)
{
    Survey *s = w->s;
    const uint64_t *before = w->checkpoint, *after = w->now->marking;
    if (w->inhibitors || !s->n_sums) return;
    bool grew = false;
    for (uint32_t p = 0; p < s->net->n_places; p++) {
        if (after[p] < before[p]) return;
        grew |= after[p] > before[p];
    }
    if (!grew) return;
    s->unbounded = true;
    for (uint32_t p = 0; p < s->net->n_places; p++) {
        if (after[p] == before[p]) continue;
        for (uint32_t i = s->sum_start[p]; i < s->sum_start[p + 1]; i++) {
            s->sum_unbounded[s->sums_of_place[i]] = true;
            keep_pump(w, s->sums_of_place[i]);
        }
    }
}

typedef enum { ANY, RARE, PREFERRED, SWEEPING, CLIMBING } Way;
/* Nets of so many transitions are swept too, now and then from another place on. */
enum { LARGE = 1000, SWEEP = 4096 };
enum { CLIMB_CANDIDATES = 512, CLIMB_ASIDE = 16, CLIMB_PATIENCE = 1000 };

/* Which transitions make a sum larger or smaller. */
static void aim(Walker *w, uint32_t sum, Budget *budget)
{
    const Survey *s = w->s;
    const Tracker *now = w->now;
    for (uint32_t t = 0; t < s->net->n_transitions; t++) {
        Total plus = 0, minus = 0;
        for (uint32_t i = now->change_start[t]; i < now->change_start[t + 1]; i++) {
            const TrackerChange *change = &now->changes[i];
            for (uint32_t k = s->sum_start[change->place]; k < s->sum_start[change->place + 1]; k++)
                if (s->sums_of_place[k] == sum) *(change->grows ? &plus : &minus) += change->by; /* fits a Total */
        }
        w->effect[t] = (int8_t)((plus > minus) - (plus < minus));
        budget_charge(budget, 1 + now->change_start[t + 1] - now->change_start[t]);
    }
}

/* One that makes the sum larger; else, mostly, one that does not make it smaller. */
static uint32_t climb(const Walker *w, Rng *rng)
{
    const Tracker *now = w->now;
    uint32_t from = (uint32_t)rng_below(rng, now->n_enabled), level = now->enabled[from];
    bool aside = rng_chance(rng, CLIMB_ASIDE);
    for (uint32_t i = 0; i < MIN(now->n_enabled, CLIMB_CANDIDATES); i++) {
        uint32_t t = now->enabled[(from + i) % now->n_enabled];
        if (w->effect[t] > 0) return t;
        if (w->effect[t] == 0 && w->effect[level] < 0 && !aside) level = t;
    }
    return level;
}

/* The next one of the same coloured transition, as long as there is one. */
static uint32_t sweep(const Walker *w)
{
    const Net *net = w->s->net;
    NetRange range = {0, net->n_transitions};
    for (uint32_t i = 0; net->colours && i < net_colours_asked(net)->n_transitions; i++) {
        range = net_colours_asked_transitions(net, i);
        if (w->last < range.to) break;
    }
    return tracker_next_enabled(w->now, range.from, range.to, w->last);
}

/* PREFERRED: by an order drawn for the walk, so that some parts of the net run ahead and others starve. */
static uint32_t choose(Walker *w, Rng *rng, Way way, uint64_t order)
{
    const Tracker *now = w->now;
    uint32_t chosen = now->enabled[rng_below(rng, now->n_enabled)];
    if (way == SWEEPING) {
        uint32_t next = w->last == NET_NONE || rng_chance(rng, SWEEP) ? NET_NONE : sweep(w);
        return next == NET_NONE ? chosen : next;
    }
    if (way == CLIMBING) return climb(w, rng);
    if (way == ANY || (way == PREFERRED && rng_chance(rng, 12))) return chosen;
    for (int i = 0; i < (way == RARE ? 3 : 8); i++) {
        uint32_t other = now->enabled[rng_below(rng, now->n_enabled)];
        if (way == RARE ? w->fired[other] < w->fired[chosen] : hash_mix(order ^ other) < hash_mix(order ^ chosen))
            chosen = other;
    }
    return chosen;
}

static void start_sums(Walker *w)
{
    Survey *s = w->s;
    memset(w->sums, 0, s->n_sums * sizeof *w->sums);
    for (uint32_t p = 0; p < s->net->n_places; p++)
        for (uint32_t i = s->sum_start[p]; i < s->sum_start[p + 1]; i++)
            w->sums[s->sums_of_place[i]] += w->now->marking[p]; /* fits a Total */
}

/* Every transition of a coloured one is. */
static bool some_is_blocked(const Net *net, const bool *blocked)
{
    for (uint32_t i = 0; i < net_colours_asked(net)->n_transitions; i++) {
        NetRange range = net_colours_asked_transitions(net, i);
        while (range.from < range.to && blocked[range.from]) range.from++;
        if (range.from == range.to) return true;
    }
    return false;
}

static void note_end(Walker *w, bool siphons)
{
    Survey *s = w->s;
    if (w->now->n_enabled == 0 && s->net->n_transitions) s->dead = s->not_live = true;
    if (siphons && !s->not_live && survey_blocked(s->net, w->now->marking, w->blocked))
        s->not_live = some_is_blocked(s->net, w->blocked);
}

static void remember(Walker *w, Rng *rng)
{
    uint32_t i = w->pooled < w->pool_size ? w->pooled : (uint32_t)rng_below(rng, w->pool_size);
    if (i == w->pooled)
        w->pool[w->pooled++] = tracker_copy(w->now);
    else
        tracker_assign(w->pool[i], w->now);
    w->tried[i] = 0;
    keep_trail(w, i);
}

/* Of a few, the one that was tried least: what was found last is looked at most. */
static uint32_t choose_start(Walker *w, Rng *rng)
{
    uint32_t best = (uint32_t)rng_below(rng, w->pooled);
    for (int k = 1; k < CANDIDATES; k++) {
        uint32_t i = (uint32_t)rng_below(rng, w->pooled);
        if (w->tried[i] < w->tried[best]) best = i;
    }
    w->tried[best]++;
    return best;
}

static void walk_once(Walker *w, uint64_t length, Rng *rng, Budget *budget)
{
    static const Way ways[] = {ANY, RARE, ANY, RARE, PREFERRED};
    const Net *net = w->s->net;
    Way way = net->n_transitions >= LARGE && rng_chance(rng, 3) ? SWEEPING : ways[rng_below(rng, G_N_ELEMENTS(ways))];
    /* Every sum once before anything else. */
    if (w->s->n_sums && (w->climbs < w->s->n_sums || rng_chance(rng, 4))) way = CLIMBING;
    assert(way != CLIMBING || w->s->n_sums);
    uint32_t sum = way == CLIMBING ? w->climbs++ % w->s->n_sums : 0;
    if (way == CLIMBING) aim(w, sum, budget);
    Total top = 0;
    uint64_t top_at = 0;
    if (way == SWEEPING || way == CLIMBING) length = MAX(length, net->n_transitions);
    uint64_t order = rng_next(rng);
    bool any_news = false;
    uint64_t next_checkpoint = 1, next_memory = 0;
    /* What costs a pass over the net is done so seldom that the steps between cost as much. */
    uint32_t compare_after = MAX(16, net->n_places / 64), remember_after = (net->n_places + net->n_transitions) / 256;
    uint32_t units = 2 + (way == CLIMBING ? MIN(w->now->n_enabled, CLIMB_CANDIDATES) / 4 : 0) + w->s->n_sums / 2 +
                     (w->s->n_sums ? net->n_places / compare_after : 0);
    uint64_t looks = w->now->looks; /* before the last firing */
    set_checkpoint(w);
    w->last = NET_NONE;
    for (uint64_t k = 0; k < length && w->now->n_enabled; k++) {
        if (budget_charge(budget, units + tracker_units(w->now, looks))) break;
        looks = w->now->looks;
        uint32_t t = choose(w, rng, way, order);
        w->fired[t]++;
        w->last = t;
        w->news = false;
        if (!fire(w, t)) break;
        if (w->s->keep_pumps) trail_push(&w->trail, t);
        if (way == CLIMBING && w->sums[sum] > top) top = w->sums[sum], top_at = k;
        any_news = any_news || w->news;
        if (way == CLIMBING && k > CLIMB_PATIENCE + 2 * top_at) break;
        if (w->news && k >= next_memory) {
            remember(w, rng);
            next_memory = k + remember_after;
        }
        if (k % compare_after == 0) compare_with_checkpoint(w);
        if (k == next_checkpoint) {
            set_checkpoint(w);
            next_checkpoint *= 2;
        }
    }
    w->news = any_news;
    /* Empty siphons cost a pass over the net: not after every short walk. */
    note_end(w, length >= SIPHON_LENGTH);
}

static void walker_init(Walker *w, Survey *s)
{
    *w = (Walker){.s = s,
                  .now = tracker_new(s->net),
                  .sums = g_new0(Total, s->n_sums + 1),
                  .effect = g_new0(int8_t, s->net->n_transitions + 1),
                  .checkpoint = g_new0(uint64_t, s->net->n_places + 1),
                  .fired = g_new0(uint32_t, s->net->n_transitions + 1),
                  .blocked = g_new0(bool, s->net->n_transitions + 1),
                  .inhibitors = net_arc_count(s->net, ARC_INHIBIT) > 0};
    uint64_t size = 32 * ((uint64_t)s->net->n_places + s->net->n_transitions) + 200;
    for (ArcKind kind = 0; kind < N_ARC_KINDS; kind++) size += 24 * (uint64_t)net_arc_count(s->net, kind);
    w->pool_size = (uint32_t)CLAMP(POOL_BYTES / size, 16, MOST_POOLED);
    w->pool = g_new0(Tracker *, w->pool_size);
    w->tried = g_new0(uint32_t, w->pool_size);
    w->trails = g_new0(Trail, w->pool_size);
    start_sums(w);
    note_sums(w);
    note_enabled(w);
}

static void walker_clear(Walker *w)
{
    tracker_free(w->now);
    for (uint32_t i = 0; i < w->pooled; i++) tracker_free(w->pool[i]);
    g_free(w->pool);
    for (uint32_t i = 0; i < w->pool_size; i++) vec_free(&w->trails[i].run);
    vec_free(&w->trail.run);
    g_free(w->trails);
    g_free(w->tried);
    g_free(w->sums);
    g_free(w->effect);
    g_free(w->checkpoint);
    g_free(w->fired);
    g_free(w->blocked);
}

enum { SHORTEST = 30, LONGEST = 1000000, STEPS_PER_NODE = 5000, STEPS_AT_LEAST = 300000 };

void survey_run(Survey *s, uint64_t seed, double patience, bool (*enough)(const Survey *survey), Budget *budget)
{
    Walker w;
    walker_init(&w, s);
    g_autoptr(Tracker) start = tracker_copy(w.now);
    Rng rng = {seed};
    double last_news = budget_clock(budget);
    uint64_t quiet = STEPS_AT_LEAST + STEPS_PER_NODE * ((uint64_t)s->net->n_places + s->net->n_transitions),
             news_at = 0;
    uint32_t restart =
        10 + (s->net->n_places + 3 * s->net->n_transitions) / 4; /* work of copying a marking and what is enabled */
    note_end(&w, true);
    for (uint64_t round = 1; !budget_spent(budget) && !(enough && enough(s)); round++) {
        /* Two rulers: one gives every length the same number of steps, because some nets leave their beginning for
         * good; the other favours long walks, because some need long ones. */
        int doublings = __builtin_ctzll(round / 2 + 1) * (round % 2 ? 1 : 2);
        uint64_t length = (uint64_t)SHORTEST << MIN(doublings, 15);
        budget_charge(budget, restart);
        uint32_t from = w.pooled && !rng_chance(&rng, 4) ? choose_start(&w, &rng) : NET_NONE;
        tracker_assign(w.now, from == NET_NONE ? start : w.pool[from]);
        const Trail empty = {0};
        if (s->keep_pumps) trail_assign(&w.trail, from == NET_NONE ? &empty : &w.trails[from]);
        start_sums(&w);
        walk_once(&w, MIN(length, LONGEST), &rng, budget);
        double now = budget_clock(budget);
        if (w.news)
            last_news = now, news_at = s->steps;
        else if (now - last_news > patience || s->steps - news_at > quiet)
            break;
        if (s->net->n_transitions == 0 || start->n_enabled == 0) break;
    }
    walker_clear(&w);
}

void survey_follow(Survey *s, const uint32_t *run, size_t n)
{
    Walker w;
    walker_init(&w, s);
    for (size_t i = 0; i < n; i++)
        if (!tracker_is_enabled(w.now, run[i]) || !fire(&w, run[i])) break;
    note_end(&w, true);
    walker_clear(&w);
}
