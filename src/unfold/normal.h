/* A configuration written down so that the orders (unfold/order.h) compare two of one size word by word, without
 * looking at events: how often each transition occurs, a byte each, and after that the Foata normal form, a word depth
 * << 24 | transition for each event, sorted. One that extends another is written from it by a copy and a few
 * insertions. */
#pragma once
#include "unfold/order.h"

/* So that a count fits a byte and a depth too; with more transitions a copy is not cheap. */
enum { NORMAL_MAX_EVENTS = 255, NORMAL_MAX_TRANSITIONS = 1024 };

/* The words of 64 bits that a configuration of n events takes. */
static inline size_t normal_words(uint32_t n_transitions, uint32_t n)
{
    return (n_transitions + 7) / 8 + (n + 1) / 2;
}

/* Copies a normal form of n events; `from` may be NULL when n is 0. */
void normal_copy(uint64_t *to, const uint64_t *from, uint32_t n_transitions, uint32_t n);
/* Adds an event to a normal form of n events with room for it. */
void normal_add(uint64_t *form, uint32_t n_transitions, uint32_t n, OrderStep step);
/* As order_compare(), of two configurations of n events. */
int normal_compare(Order order, const uint64_t *a, const uint64_t *b, uint32_t n_transitions, uint32_t n);
