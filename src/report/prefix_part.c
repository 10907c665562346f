#include "report/prefix_part.h"

#include "base/compare.h"

#include <assert.h>
#include <stdlib.h>

void prefix_part_causes(const Prefix *prefix, uint32_t e, void (*visit)(uint32_t cause, void *data), void *data)
{
    if (!prefix->has_conditions) {
        for (uint32_t i = prefix->cause_start[e]; i < prefix->cause_start[e + 1]; i++) visit(prefix->cause[i], data);
        return;
    }
    PrefixRow rows[] = {prefix_pre(prefix, e), prefix_read(prefix, e)};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < rows[k].len; i++) {
            uint32_t producer = prefix->condition_event[rows[k].id[i]];
            if (producer != PREFIX_BOTTOM) visit(producer, data);
        }
}

static void push_cause(uint32_t cause, void *data)
{
    VecU32 *causes = data;
    vec_push(causes, cause);
}

void prefix_part_sort_causes(VecU32 *causes, size_t first)
{
    if (causes->len == first) return;
    qsort(causes->data + first, causes->len - first, sizeof *causes->data, compare_u32);
    size_t to = first;
    for (size_t i = first; i < causes->len; i++)
        if (to == first || causes->data[i] != causes->data[to - 1]) causes->data[to++] = causes->data[i];
    causes->len = to;
}

void prefix_part_push_causes(const Prefix *prefix, uint32_t e, VecU32 *causes)
{
    size_t first = causes->len;
    prefix_part_causes(prefix, e, push_cause, causes);
    prefix_part_sort_causes(causes, first);
}

/* Undirected steps as rows: for every event the events next to it. */
typedef struct Steps {
    uint32_t *start, *next, *fill;
    uint32_t from;
    bool counting;
} Steps;

static void add_edge(Steps *steps, uint32_t a, uint32_t b)
{
    if (steps->counting) {
        steps->start[a + 1]++;
        steps->start[b + 1]++;
    } else {
        steps->next[steps->fill[a]++] = b;
        steps->next[steps->fill[b]++] = a;
    }
}

static void add_edge_to(uint32_t cause, void *data)
{
    Steps *steps = data;
    add_edge(steps, steps->from, cause);
}

static void all_steps(const Prefix *prefix, Steps *steps)
{
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        steps->from = e;
        prefix_part_causes(prefix, e, add_edge_to, steps);
        uint32_t companion = prefix->event_companion[e];
        if (companion < prefix->n_events) add_edge(steps, e, companion);
    }
}

static void mark_near(PrefixPart *part, uint32_t radius)
{
    const Prefix *prefix = part->prefix;
    uint32_t n = prefix->n_events;
    Steps steps = {.start = g_new0(uint32_t, n + 1), .counting = true};
    all_steps(prefix, &steps);
    for (uint32_t e = 0; e < n; e++) steps.start[e + 1] += steps.start[e];
    steps.fill = g_memdup2(steps.start, (n + 1) * sizeof(uint32_t));
    steps.next = g_new(uint32_t, steps.start[n] + 1);
    steps.counting = false;
    all_steps(prefix, &steps);
    VecU32 queue = {0};
    vec_push(&queue, part->around);
    part->event[part->around] = true;
    size_t at = 0;
    for (uint32_t distance = 0; distance < radius; distance++)
        for (size_t end = queue.len; at < end; at++)
            for (uint32_t i = steps.start[queue.data[at]]; i < steps.start[queue.data[at] + 1]; i++) {
                if (part->event[steps.next[i]]) continue;
                part->event[steps.next[i]] = true;
                vec_push(&queue, steps.next[i]);
            }
    vec_free(&queue);
    g_free(steps.start);
    g_free(steps.next);
    g_free(steps.fill);
}

static void mark_conditions(PrefixPart *part)
{
    const Prefix *prefix = part->prefix;
    for (uint32_t e = 0; e < prefix->n_events; e++) {
        if (!part->event[e]) continue;
        PrefixRow rows[] = {prefix_pre(prefix, e), prefix_read(prefix, e)};
        for (int k = 0; k < 2; k++)
            for (uint32_t i = 0; i < rows[k].len; i++) part->condition[rows[k].id[i]] = true;
        for (uint32_t c = prefix->post_start[e]; c < prefix->post_start[e + 1]; c++) part->condition[c] = true;
    }
}

PrefixPart *prefix_part_new(const Prefix *prefix, uint32_t around, uint32_t radius)
{
    assert(around == PREFIX_NONE || around < prefix->n_events);
    PrefixPart *part = g_new0(PrefixPart, 1);
    part->prefix = prefix;
    part->around = around;
    part->event = g_new0(bool, prefix->n_events + 1);
    part->condition = g_new0(bool, prefix->n_conditions + 1);
    if (around == PREFIX_NONE) {
        memset(part->event, true, prefix->n_events);
        if (prefix->has_conditions) memset(part->condition, true, prefix->n_conditions);
    } else {
        mark_near(part, radius);
        if (prefix->has_conditions) mark_conditions(part);
    }
    for (uint32_t e = 0; e < prefix->n_events; e++) part->n_events += part->event[e];
    for (uint32_t c = 0; prefix->has_conditions && c < prefix->n_conditions; c++)
        part->n_conditions += part->condition[c];
    return part;
}

void prefix_part_free(PrefixPart *part)
{
    if (!part) return;
    g_free(part->event);
    g_free(part->condition);
    g_free(part);
}
