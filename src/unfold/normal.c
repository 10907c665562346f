#include "unfold/normal.h"

#include <assert.h>

enum { DEPTH_SHIFT = 24, NEAR_END = 8 };

static uint32_t count_words(uint32_t n_transitions)
{
    return (n_transitions + 7) / 8;
}

void normal_copy(uint64_t *to, const uint64_t *from, uint32_t n_transitions, uint32_t n)
{
    if (n)
        memcpy(to, from, normal_words(n_transitions, n) * sizeof *to);
    else
        memset(to, 0, count_words(n_transitions) * sizeof *to);
}

/* How many of n sorted words are not larger than the key. */
static uint32_t position(const uint32_t *words, uint32_t n, uint32_t key)
{
    const uint32_t *from = words;
    while (n) {
        uint32_t half = n / 2;
        if (words[half] <= key) {
            words += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return (uint32_t)(words - from);
}

void normal_add(uint64_t *form, uint32_t n_transitions, uint32_t n, OrderStep step)
{
    assert(n < NORMAL_MAX_EVENTS && step.depth <= NORMAL_MAX_EVENTS && step.transition < n_transitions);
    ((uint8_t *)form)[step.transition]++;
    uint32_t *words = (uint32_t *)(form + count_words(n_transitions)),
             key = step.depth << DEPTH_SHIFT | step.transition;
    if (n > NEAR_END && words[n - NEAR_END] > key) {
        uint32_t at = position(words, n - NEAR_END, key);
        memmove(words + at + 1, words + at, (n - at) * sizeof *words);
        words[at] = key;
        return;
    }
    for (; n && words[n - 1] > key; n--) words[n] = words[n - 1];
    words[n] = key;
}

static uint32_t depth_of(uint32_t word)
{
    return word >> DEPTH_SHIFT;
}

static uint32_t rest_of_level(const uint32_t *form, uint32_t i, uint32_t n, uint32_t depth)
{
    uint32_t from = i;
    while (i < n && depth_of(form[i]) == depth) i++;
    return i - from;
}

static int compare_levels(bool length_first, const uint32_t *a, const uint32_t *b, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    if (i == n) return 0;
    uint32_t depth = MIN(depth_of(a[i]), depth_of(b[i]));
    if (length_first) {
        uint32_t rest_a = rest_of_level(a, i, n, depth), rest_b = rest_of_level(b, i, n, depth);
        if (rest_a != rest_b) return rest_a < rest_b ? -1 : 1;
    }
    /* One that is in the next level already has the shorter one of this depth, a proper prefix of the other's. */
    if (depth_of(a[i]) != depth_of(b[i])) return depth_of(a[i]) > depth ? -1 : 1;
    return a[i] < b[i] ? -1 : 1;
}

int normal_compare(Order order, const uint64_t *a, const uint64_t *b, uint32_t n_transitions, uint32_t n)
{
    uint32_t words = count_words(n_transitions);
    assert(order < N_ORDERS);
    if (order == ORDER_MCMILLAN) return 0;
    /* The smallest transition that one has more often is where the sorted multisets differ first. */
    int counts = memcmp(b, a, words * sizeof *a);
    if (counts) return counts;
    if (order == ORDER_PARIKH) return 0;
    return compare_levels(order == ORDER_MOLE, (const uint32_t *)(a + words), (const uint32_t *)(b + words), n);
}
