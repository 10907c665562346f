/* Looking for a place in what is sorted. */
#pragma once

/* i becomes the least of from..to for which `is_before`, an expression with i, is false: it holds up to there and not
 * behind, and is not asked about `to`. BISECT(i, 0, n, item[i].key < key) is where the key stands or belongs. */
#define BISECT(i, from, to, is_before)                                                                                 \
    do {                                                                                                               \
        __typeof__(i) low_ = (from), high_ = (to);                                                                     \
        while (low_ < high_) {                                                                                         \
            (i) = low_ + (high_ - low_) / 2;                                                                           \
            if (is_before)                                                                                             \
                low_ = (i) + 1;                                                                                        \
            else                                                                                                       \
                high_ = (i);                                                                                           \
        }                                                                                                              \
        (i) = low_;                                                                                                    \
    } while (0)
