#include "explore/backlog.h"

#include <assert.h>

void backlog_clear(Backlog *b)
{
    vec_free(&b->labels);
    vec_free(&b->end);
    *b = (Backlog){0};
}

static size_t start_of(const Backlog *b, size_t i)
{
    return i ? b->end.data[i - 1] : 0;
}

const uint32_t *backlog_run(const Backlog *b, size_t i, size_t *n)
{
    assert(i < backlog_len(b));
    size_t start = start_of(b, b->first + i);
    *n = b->end.data[b->first + i] - start;
    return vec_from(&b->labels, start);
}

void backlog_push(Backlog *b, const uint32_t *run, size_t n)
{
    vec_append(&b->labels, run, n);
    vec_push(&b->end, b->labels.len);
    b->most = MAX(b->most, backlog_len(b));
}

void backlog_append(Backlog *b, const Backlog *other)
{
    for (size_t i = 0; i < backlog_len(other); i++) {
        size_t n;
        const uint32_t *run = backlog_run(other, i, &n);
        backlog_push(b, run, n);
    }
}

static void copy(const Backlog *b, size_t i, VecU32 *run)
{
    size_t n;
    const uint32_t *labels = backlog_run(b, i, &n);
    vec_clear(run);
    vec_append(run, labels, n);
}

void backlog_empty(Backlog *b)
{
    b->first = b->end.len = b->labels.len = 0;
}

void backlog_take_newest(Backlog *b, VecU32 *run)
{
    copy(b, backlog_len(b) - 1, run);
    b->end.len--;
    b->labels.len = start_of(b, b->end.len);
    if (!backlog_len(b)) backlog_empty(b);
}

/* Room of runs that were taken is won back when it is half of all. */
void backlog_take_oldest(Backlog *b, VecU32 *run)
{
    copy(b, 0, run);
    size_t gone = b->end.data[b->first++];
    if (!backlog_len(b)) {
        backlog_empty(b);
    } else if (2 * gone >= b->labels.len && 2 * b->first >= b->end.len) {
        b->labels.len -= gone;
        memmove(b->labels.data, b->labels.data + gone, b->labels.len * sizeof *b->labels.data);
        b->end.len -= b->first;
        for (size_t i = 0; i < b->end.len; i++) b->end.data[i] = b->end.data[b->first + i] - gone;
        b->first = 0;
    }
}
