#include "symbolic/order.h"

#include "base/compare.h"

#include <math.h>

/* For each transition the groups that it touches; for each group the transitions. */
typedef struct Meetings {
    uint32_t n_groups, n_transitions;
    VecU32 groups, transitions;
    uint32_t *of_transition, *of_group; /* where rows begin */
} Meetings;

static void meetings_clear(Meetings *m)
{
    vec_free(&m->groups);
    vec_free(&m->transitions);
    g_free(m->of_transition);
    g_free(m->of_group);
}

static void collect(const Net *net, const uint32_t *group_of, Meetings *m)
{
    g_autofree uint32_t *seen = g_new0(uint32_t, (size_t)m->n_groups + 1);
    for (uint32_t t = 0; t < net->n_transitions; t++) {
        for (ArcKind kind = ARC_PRE; kind < N_ARC_KINDS; kind++) {
            NetRow row = net_places(net, kind, t);
            for (uint32_t i = 0; i < row.len; i++) {
                uint32_t g = group_of[row.node[i]];
                if (g == NET_NONE || seen[g] == t + 1) continue;
                seen[g] = t + 1;
                vec_push(&m->groups, g);
            }
        }
        m->of_transition[t + 1] = (uint32_t)m->groups.len;
    }
}

static void turn_round(Meetings *m)
{
    for (size_t i = 0; i < m->groups.len; i++) m->of_group[m->groups.data[i] + 1]++;
    for (uint32_t g = 0; g < m->n_groups; g++) m->of_group[g + 1] += m->of_group[g];
    vec_reserve(&m->transitions, m->groups.len);
    m->transitions.len = m->groups.len;
    g_autofree uint32_t *at = g_memdup2(m->of_group, ((size_t)m->n_groups + 1) * sizeof *at);
    for (uint32_t t = 0; t < m->n_transitions; t++)
        for (uint32_t i = m->of_transition[t]; i < m->of_transition[t + 1]; i++)
            m->transitions.data[at[m->groups.data[i]]++] = t;
}

static Meetings meetings(const Net *net, const uint32_t *group_of, uint32_t n)
{
    Meetings m = {.n_groups = n, .n_transitions = net->n_transitions};
    m.of_transition = g_new0(uint32_t, (size_t)net->n_transitions + 1);
    m.of_group = g_new0(uint32_t, (size_t)n + 1);
    collect(net, group_of, &m);
    turn_round(&m);
    return m;
}

/* ---- how good an order is ---- */

/* How far transitions reach, together; *tops: how high. */
static double span(const Meetings *m, const uint32_t *level, double *tops)
{
    double sum = 0;
    *tops = 0;
    for (uint32_t t = 0; t < m->n_transitions; t++) {
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t i = m->of_transition[t]; i < m->of_transition[t + 1]; i++) {
            low = MIN(low, level[m->groups.data[i]]);
            high = MAX(high, level[m->groups.data[i]]);
        }
        if (low > high) continue;
        sum += high - low;
        *tops += high;
    }
    return sum;
}

/* ---- FORCE ---- */

typedef struct Placed {
    double at;
    uint32_t group;
} Placed;

COMPARE_BY_BOTH(compare_placed, Placed, at, group)

static void move_to_centres(const Meetings *m, uint32_t *level, double *centre, Placed *placed)
{
    for (uint32_t t = 0; t < m->n_transitions; t++) {
        double sum = 0;
        uint32_t from = m->of_transition[t], to = m->of_transition[t + 1];
        for (uint32_t i = from; i < to; i++) sum += level[m->groups.data[i]];
        centre[t] = to > from ? sum / (to - from) : 0;
    }
    for (uint32_t g = 0; g < m->n_groups; g++) {
        double sum = 0;
        uint32_t from = m->of_group[g], to = m->of_group[g + 1];
        for (uint32_t i = from; i < to; i++) sum += centre[m->transitions.data[i]];
        placed[g] = (Placed){to > from ? sum / (to - from) : level[g], g};
    }
    qsort(placed, m->n_groups, sizeof *placed, compare_placed);
    for (uint32_t i = 0; i < m->n_groups; i++) level[placed[i].group] = i;
}

/* Improves the order until it gets no better for a while. */
static bool force(const Meetings *m, uint32_t *best, Budget *budget)
{
    g_autofree uint32_t *level = g_memdup2(best, ((size_t)m->n_groups + 1) * sizeof *best);
    g_autofree double *centre = g_new(double, (size_t)m->n_transitions + 1);
    g_autofree Placed *placed = g_new(Placed, (size_t)m->n_groups + 1);
    double tops, least = span(m, best, &tops);
    uint32_t units = (uint32_t)MIN(m->groups.len + 20 * m->n_groups, UINT32_MAX / 2);
    for (int failures = 0; failures < 20; failures++) {
        if (budget_charge(budget, units)) return false;
        move_to_centres(m, level, centre, placed);
        double now = span(m, level, &tops);
        if (now >= least) continue;
        least = now;
        failures = 0;
        memcpy(best, level, m->n_groups * sizeof *best);
    }
    return true;
}

/* ---- where to begin ---- */

/* From the first group on, each time what the last ones meet. */
static void by_search(const Meetings *m, uint32_t *level)
{
    for (uint32_t g = 0; g < m->n_groups; g++) level[g] = UINT32_MAX;
    uint32_t n = 0;
    VecU32 stack = {0};
    for (uint32_t g = 0; g < m->n_groups; g++) {
        vec_push(&stack, g);
        while (stack.len) {
            uint32_t next = vec_pop(&stack);
            if (level[next] != UINT32_MAX) continue;
            level[next] = n++;
            for (uint32_t i = m->of_group[next]; i < m->of_group[next + 1]; i++) {
                uint32_t t = m->transitions.data[i];
                for (uint32_t j = m->of_transition[t]; j < m->of_transition[t + 1]; j++)
                    if (level[m->groups.data[j]] == UINT32_MAX) vec_push(&stack, m->groups.data[j]);
            }
        }
    }
    vec_free(&stack);
}

static void by_file(const Net *net, const uint32_t *group_of, uint32_t n, uint32_t *level)
{
    for (uint32_t g = 0; g < n; g++) level[g] = UINT32_MAX;
    uint32_t next = 0;
    for (uint32_t p = 0; p < net->n_places; p++)
        if (group_of[p] != NET_NONE && level[group_of[p]] == UINT32_MAX) level[group_of[p]] = next++;
}

/* Transitions should have their highest level low: upside down if that is better. */
static void turn_over(const Meetings *m, uint32_t *level)
{
    g_autofree uint32_t *other = g_new(uint32_t, (size_t)m->n_groups + 1);
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): every group has its level */
    for (uint32_t g = 0; g < m->n_groups; g++) other[g] = m->n_groups - 1 - level[g];
    double tops, others;
    span(m, level, &tops);
    span(m, other, &others);
    if (others < tops) memcpy(level, other, m->n_groups * sizeof *level);
}

uint32_t *symbolic_order_groups(const Net *net, const uint32_t *group_of, uint32_t n, LevelsOrder order, Budget *budget)
{
    Meetings m = meetings(net, group_of, n);
    g_autofree uint32_t *level = g_new(uint32_t, (size_t)n + 1), *other = g_new(uint32_t, (size_t)n + 1);
    by_file(net, group_of, n, level);
    by_search(&m, other);
    bool done = true;
    double tops;
    if (order == LEVELS_FORCE) {
        done = force(&m, level, budget) && force(&m, other, budget);
        if (span(&m, other, &tops) < span(&m, level, &tops)) memcpy(level, other, n * sizeof *level);
    } else if (order == LEVELS_SEARCH) {
        done = force(&m, other, budget);
        memcpy(level, other, n * sizeof *level);
    }
    turn_over(&m, level);
    meetings_clear(&m);
    return done ? g_steal_pointer(&level) : NULL;
}
