#include "lts/walk.h"

#include "lts/tracker.h"

/* Steps of the shortest walks; those that begin again and again are at most 2^LONGEST times longer, in every second
 * round with at least a step per transition: in a large net the goal may be that far. Beside them go walks that get 4
 * times longer each round, up to 2^ENDLESS times: where parts of a net get stuck for ever one after the other,
 * beginning again only undoes it. */
enum {
    SHORTEST = 512,
    LONGEST = 11,
    ENDLESS = 17,
    SAMPLES = 6,
    LARGE = 1000,
    SWEEP = 4096,
    BACKWARDS = 64, /* places and transitions that are copied while one firing is undone */
    FIRST_POTENCY = 10,
    MOST_POTENCY = 1000
};

typedef struct Walker Walker;
struct Walker {
    Tracker *here, *start;
    const WalkGoal *goal;
    Rng rng;
    Walk *walk;
    uint64_t *fired;    /* in all walks */
    uint32_t *priority; /* of the current walk */
    uint32_t *potency;  /* in all walks: grows when a firing led nearer to the goal, falls when it led away */
    uint32_t last;
    uint64_t spent; /* units of work, in all walks */
};

static uint32_t random_enabled(Walker *w)
{
    return w->here->enabled[rng_below(&w->rng, w->here->n_enabled)];
}

static uint32_t uniform(Walker *w)
{
    return random_enabled(w);
}

/* Of a few enabled transitions, the one fired least so far. */
static uint32_t rarest(Walker *w)
{
    uint32_t best = random_enabled(w);
    for (int i = 1; i < SAMPLES; i++) {
        uint32_t t = random_enabled(w);
        if (w->fired[t] < w->fired[best]) best = t;
    }
    return best;
}

/* A random order of importance, drawn once per walk: some components starve, others run ahead. */
static uint32_t preferred(Walker *w)
{
    if (rng_chance(&w->rng, 16)) return random_enabled(w);
    const Tracker *k = w->here;
    uint32_t best = random_enabled(w);
    uint32_t look = MIN(k->n_enabled, 64), from = (uint32_t)rng_below(&w->rng, k->n_enabled);
    for (uint32_t i = 0; i < look; i++) {
        uint32_t t = k->enabled[(from + i) % k->n_enabled];
        if (w->priority[t] < w->priority[best]) best = t;
    }
    return best;
}

/* Of a few successors, the one where fewest transitions are enabled. */
static uint32_t narrowest(Walker *w)
{
    if (w->here->n_enabled == 1 || rng_chance(&w->rng, 8)) return random_enabled(w);
    uint32_t best = NET_NONE, least = UINT32_MAX;
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t t = random_enabled(w);
        if (!tracker_fire(w->here, t)) continue;
        uint32_t n = w->here->n_enabled;
        tracker_unfire(w->here, t);
        if (n < least) least = n, best = t;
    }
    return best == NET_NONE ? random_enabled(w) : best;
}

/* The same transition as long as it can, then another. */
static uint32_t persistent(Walker *w)
{
    if (w->last != NET_NONE && tracker_is_enabled(w->here, w->last) && !rng_chance(&w->rng, 8)) return w->last;
    return rarest(w);
}

/* Of a few successors, the one that seems nearest to the goal. */
static uint32_t nearest(Walker *w)
{
    const WalkGoal *goal = w->goal;
    if (!goal->distance) return narrowest(w);
    if (w->here->n_enabled == 1 || rng_chance(&w->rng, 10)) return random_enabled(w);
    uint32_t best = NET_NONE;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t t = random_enabled(w);
        if (!tracker_fire(w->here, t)) continue;
        uint64_t d = goal->distance(goal->data, w->here->marking);
        tracker_unfire(w->here, t);
        if (d < least) least = d, best = t;
    }
    return best == NET_NONE ? random_enabled(w) : best;
}

/* Drawn with a probability that grows with how often it led nearer to the goal. */
static uint32_t potent(Walker *w)
{
    const Tracker *k = w->here;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->n_enabled; i++) sum += w->potency[k->enabled[i]];
    uint64_t drawn = rng_below(&w->rng, sum);
    uint32_t i = 0;
    for (; drawn >= w->potency[k->enabled[i]]; i++) drawn -= w->potency[k->enabled[i]];
    return k->enabled[i];
}

/* One transition after the other as they stand in the net: in a large one neighbours are often alike (the colours of
 * one coloured transition, say), and a goal may need them all. */
static uint32_t sweeping(Walker *w)
{
    uint32_t next = NET_NONE;
    if (w->last != NET_NONE && !rng_chance(&w->rng, SWEEP))
        next = tracker_next_enabled(w->here, 0, w->here->net->n_transitions, w->last);
    return next == NET_NONE ? random_enabled(w) : next;
}

static uint64_t seeming_distance(const Walker *w)
{
    return w->goal->distance ? w->goal->distance(w->goal->data, w->here->marking) : w->here->n_enabled;
}

static void learn_potency(Walker *w, uint32_t t, uint64_t before)
{
    uint64_t after = seeming_distance(w);
    if (after < before && w->potency[t] < MOST_POTENCY) w->potency[t]++;
    if (after > before && w->potency[t] > 1) w->potency[t]--;
}

static const struct {
    const char *name;
    uint32_t (*choose)(Walker *w);
    uint32_t looks; /* successors looked at per step */
} ways[] = {
    {"uniform", uniform, 0}, {"preferred", preferred, 0},   {"narrowest", narrowest, SAMPLES},
    {"rarest", rarest, 0},   {"persistent", persistent, 0}, {"nearest", nearest, SAMPLES},
    {"potent", potent, 0},   {"sweeping", sweeping, 0}, /* the last one is for large nets */
};

static size_t count_ways(const Net *net)
{
    return net->n_transitions >= LARGE ? G_N_ELEMENTS(ways) : G_N_ELEMENTS(ways) - 1;
}

static bool at_goal(const Walker *w)
{
    const WalkGoal *goal = w->goal;
    if (goal->only_dead && w->here->n_enabled) return false;
    return !goal->holds || goal->holds(goal->data, w->here->marking);
}

static void describe(void *engine, GString *line)
{
    const Walk *walk = engine;
    g_string_append_printf(line, "walk: %" G_GUINT64_FORMAT " steps, %" G_GUINT64_FORMAT " restarts (%s)", walk->steps,
                           walk->restarts, walk->way);
}

/* 1 1 2 1 1 2 4 ...: the exponent is the number of trailing ones of a counter. */
static unsigned luby_exponent(uint64_t i)
{
    unsigned e = (unsigned)__builtin_ctzll(~i);
    return MIN(e, LONGEST);
}

static uint64_t short_length(const Net *net, uint64_t round)
{
    uint64_t length = (uint64_t)SHORTEST << luby_exponent(round);
    return round % 2 ? MAX(length, net->n_transitions) : length;
}

static uint64_t long_length(const Net *net, uint64_t round)
{
    return MAX((uint64_t)SHORTEST << MIN(2 * round + 2, ENDLESS), net->n_transitions);
}

/* Of a step, but for what the firings in it cost. */
static uint32_t units_of(const Walker *w, size_t way)
{
    uint32_t (*choose)(Walker * w) = ways[way].choose;
    uint32_t asked = choose == nearest ? 1 + ways[way].looks : choose == potent ? 3 : 1;
    return 2 + ways[way].looks + w->goal->units * asked;
}

static bool charge(Walker *w, uint32_t units, Budget *budget)
{
    w->spent += units;
    return budget_charge(budget, units);
}

/* To the start: firing by firing when there were few, for in a large net whole trackers take longer to copy. */
static void go_back(Walker *w, VecU32 *path, size_t from)
{
    const Net *net = w->here->net;
    if (path->len - from > ((uint64_t)net->n_places + net->n_transitions) / BACKWARDS)
        tracker_assign(w->here, w->start);
    else
        for (size_t i = path->len; i-- > from;) tracker_unfire(w->here, path->data[i]);
    path->len = from;
}

static bool one_walk(Walker *w, uint64_t length, size_t way, Budget *budget, VecU32 *path)
{
    size_t from = path->len;
    uint32_t (*choose)(Walker * w) = ways[way].choose;
    uint32_t units = units_of(w, way);
    uint64_t looks = w->here->looks; /* before the last step */
    w->last = NET_NONE;
    for (uint64_t i = 0; i < length; i++) {
        if (at_goal(w)) return true;
        if (!w->here->n_enabled || charge(w, units + tracker_units(w->here, looks), budget)) break;
        looks = w->here->looks;
        uint32_t t = choose(w);
        uint64_t before = choose == potent ? seeming_distance(w) : 0;
        if (!tracker_fire(w->here, t)) break;
        if (choose == potent) learn_potency(w, t, before);
        w->fired[t]++;
        w->last = t;
        w->walk->steps++;
        vec_push(path, t);
    }
    if (at_goal(w)) return true;
    go_back(w, path, from);
    return false;
}

/* Walks of one kind: how many there were, and what they cost. */
typedef struct Tour {
    uint64_t walks, units;
} Tour;

/* The next walk is of the kind that had less so far; both kinds take turns in how they choose. */
static bool next_walk(Walker *w, Tour tours[2], Budget *budget, VecU32 *path)
{
    bool far = tours[1].units < tours[0].units;
    Tour *tour = &tours[far];
    const Net *net = w->here->net;
    size_t n_ways = count_ways(net), way = tour->walks % n_ways;
    uint64_t round = tour->walks++ / n_ways, before = w->spent;
    w->walk->way = ways[way].name;
    if (ways[way].choose == preferred)
        for (uint32_t t = 0; t < net->n_transitions; t++) w->priority[t] = (uint32_t)rng_next(&w->rng);
    bool found = one_walk(w, far ? long_length(net, round) : short_length(net, round), way, budget, path);
    tour->units += w->spent - before + 1;
    w->walk->restarts++;
    return found;
}

bool walk_run(Walk *walk, const Net *net, const WalkGoal *goal, uint64_t seed, Budget *budget, VecU32 *path)
{
    *walk = (Walk){0};
    Walker w = {.goal = goal, .rng = {seed}, .walk = walk};
    w.start = tracker_new(net);
    if (goal->groups) tracker_count_groups(w.start, goal->groups);
    w.here = tracker_copy(w.start);
    if (goal->here) *goal->here = w.here;
    w.fired = g_new0(uint64_t, (size_t)net->n_transitions + 1);
    w.priority = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    w.potency = g_new(uint32_t, (size_t)net->n_transitions + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) w.potency[t] = FIRST_POTENCY;
    budget_describe(budget, describe, walk);
    bool found = false;
    Tour tours[2] = {{0}};
    while (!found && !budget_spent(budget)) found = next_walk(&w, tours, budget, path);
    budget_describe(budget, NULL, NULL);
    tracker_free(w.here);
    tracker_free(w.start);
    g_free(w.fired);
    g_free(w.priority);
    g_free(w.potency);
    return found;
}
