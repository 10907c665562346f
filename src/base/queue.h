/* Numbers with keys, the smallest key first (a heap). A zeroed one is empty; freed by vec_free(). */
#pragma once
#include "base/vec.h"

typedef struct QueueItem {
    uint32_t key, item;
} QueueItem;

typedef VEC(QueueItem) Queue;

static inline void queue_push(Queue *queue, uint32_t key, uint32_t item)
{
    vec_push(queue, ((QueueItem){key, item}));
    QueueItem *at = queue->data;
    size_t i = queue->len - 1;
    for (; i && at[(i - 1) / 2].key > key; i = (i - 1) / 2) at[i] = at[(i - 1) / 2];
    at[i] = (QueueItem){key, item};
}

/* Of one that is not empty. */
static inline QueueItem queue_pop(Queue *queue)
{
    QueueItem *at = queue->data, first = at[0], last = vec_pop(queue);
    size_t i = 0, n = queue->len;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && at[child + 1].key < at[child].key) child++;
        if (at[child].key >= last.key) break;
        at[i] = at[child];
    }
    at[i] = last;
    return first;
}
