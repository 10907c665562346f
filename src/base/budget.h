/* Limits of one computation: wall time, memory of the process, a count of events, and a stop flag
 * that a signal handler or another thread sets. Engines call budget_spent() in their inner loop; when
 * it returns true they stop and answer UNKNOWN with budget->reason and the figures so far.
 *
 * A Budget belongs to one thread. budget_child() makes a narrower one for a part of the work or for
 * another thread; it also stops when a flag of its parent, or of that one's parents, is set. */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <glib.h>

typedef enum {
    BUDGET_OK,
    BUDGET_TIME,
    BUDGET_MEMORY,
    BUDGET_EVENTS,
    BUDGET_STOPPED, /* Ctrl-C, SIGTERM, or a rival engine was first */
} BudgetReason;

/* So many budgets with a flag of their own may be nested. */
enum { BUDGET_DEPTH = 6 };

typedef struct Budget Budget;
struct Budget {
    double deadline;       /* on budget_now()'s clock; 0 = none */
    uint64_t memory;       /* bytes of resident memory; 0 = none */
    uint64_t max_events;   /* engines compare their own counter; 0 = none */
    const volatile sig_atomic_t *stop; /* may be NULL */
    const volatile sig_atomic_t *outer[BUDGET_DEPTH]; /* of the parents, NULL-filled */
    BudgetReason reason;

    /* Progress: when show is set (by the command line), the slow path of budget_spent() calls it
     * about four times a second after the first second with one line made by describe. */
    void (*describe)(void *engine, GString *line);
    void *engine;
    void (*show)(const char *line, void *data);
    void *show_data;

    uint32_t countdown, stride; /* calls until the clock is looked at */
    double started, last_look, last_show, last_memory_look;
};

/* No limits at all. */
Budget budget_unlimited(void);
/* Limits of 0 mean none. */
Budget budget_new(double seconds, uint64_t memory_bytes, uint64_t max_events);
/* At most `seconds` (0 = as the parent) and the parent's other limits; `stop` may be NULL. */
Budget budget_child(const Budget *parent, double seconds, const volatile sig_atomic_t *stop);

/* The slow path: looks at the clock, the memory and the flags. */
bool budget_look(Budget *budget);

/* Cheap; true once a limit is reached and for ever after. */
static inline bool budget_spent(Budget *budget)
{
    if (G_LIKELY(--budget->countdown)) return false;
    return budget_look(budget);
}
/* False when `bytes` more would pass the memory limit; the budget is then spent. Ask before doubling
 * a large table. */
bool budget_allows(Budget *budget, uint64_t bytes);
/* Marks the budget spent for a reason the engine found itself (its event counter, say). */
void budget_exhaust(Budget *budget, BudgetReason reason);

/* "time limit", "memory limit", "event limit", "stopped"; "" for BUDGET_OK. */
const char *budget_reason_text(BudgetReason reason);

double budget_now(void);            /* monotonic seconds */
double budget_cpu(void);            /* CPU seconds of the process */
uint64_t budget_resident_of(int pid); /* bytes resident now; 0: this process */
uint64_t budget_resident(void);     /* bytes resident now */
uint64_t budget_peak_kib(void);     /* peak resident set of the process */
