/* Limits of one computation: wall time, memory of the process, a count of events, and a stop flag
 * that a signal handler or another thread sets. Engines call budget_spent() in their inner loop; when
 * it returns true they stop and answer UNKNOWN with budget->reason and the figures so far.
 *
 * Parts of a computation (budget_child) are measured by the clock, or, after budget_by_work(), by the work that is done
 * in them: then what each part achieves is the same in every run, on every machine and under any load, and only the
 * limits of the whole are by the clock. Work is counted in units of about 10 nanoseconds; engines charge what a step
 * costs.
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
    double deadline;                                  /* on budget_now()'s clock; 0 = none */
    uint64_t memory;                                  /* bytes of resident memory; 0 = none */
    uint64_t max_events;                              /* engines compare their own counter; 0 = none */
    const volatile sig_atomic_t *stop;                /* may be NULL */
    const volatile sig_atomic_t *outer[BUDGET_DEPTH]; /* of the parents, NULL-filled */
    BudgetReason reason;

    uint64_t *work;    /* units done so far, shared by all parts; NULL: parts are by the clock */
    uint64_t work_end; /* of this part: where *work ends it; 0 = none */
    double allotted;   /* seconds the whole computation is meant to take; 0 = no limit */

    /* Progress: when show is set (by the command line), the slow path of budget_spent() calls it
     * about four times a second after the first second with one line made by describe. */
    void (*describe)(void *engine, GString *line);
    void *engine;
    void (*show)(const char *line, void *data);
    void *show_data;

    uint32_t countdown, stride; /* units until the clock is looked at */
    uint32_t given;             /* the countdown when it was last counted */
    uint32_t pending, boundary; /* units not yet in *work, and how many are put there at once */
    double started, last_look, last_show, last_memory_look;
};

/* No limits at all. */
Budget budget_unlimited(void);
/* Limits of 0 mean none. */
Budget budget_new(double seconds, uint64_t memory_bytes, uint64_t max_events);
/* From now on parts are measured by work. `work` (0 at first) outlives the budget and all its parts; `seconds` is the
 * limit of the whole, as far as sharing it out goes. For one thread only. */
void budget_by_work(Budget *budget, uint64_t *work, double seconds);
/* At most `seconds` (0 = as the parent) and the parent's other limits; `stop` may be NULL. */
Budget budget_child(const Budget *parent, double seconds, const volatile sig_atomic_t *stop);

/* That fraction of what is left, but at most so many seconds (0: no such bound). Without a limit: `most`. */
Budget budget_part(const Budget *parent, double fraction, double most, const volatile sig_atomic_t *stop);

/* Looks at the clock, the memory and the flags. */
bool budget_look(Budget *budget);
/* The slow path of budget_charge(). */
bool budget_pause(Budget *budget);

/* For another thread while this one works elsewhere: looks at the clock, the memory and the flags, counts no work. */
bool budget_watch(Budget *budget);

/* Notes work that is done. Cheap; true once a limit is reached and for ever after. */
static inline bool budget_charge(Budget *budget, uint32_t units)
{
    if (G_LIKELY(budget->countdown > units)) {
        budget->countdown -= units;
        return false;
    }
    budget->given += units - budget->countdown;
    budget->countdown = 0;
    return budget_pause(budget);
}
/* A step of about a microsecond. */
static inline bool budget_spent(Budget *budget)
{
    return budget_charge(budget, 100);
}

/* What parts are measured by, in seconds: a clock, or the work so far. For differences. */
double budget_clock(const Budget *budget);
/* Seconds on that measure until the budget ends; INFINITY without a limit. The whole never comes to its end by work. */
double budget_left(const Budget *budget);
/* Notes work that was done elsewhere, a lot at once. */
void budget_add(Budget *budget, double seconds);
/* False when `bytes` more would pass the memory limit; the budget is then spent. Ask before doubling
 * a large table. */
bool budget_allows(Budget *budget, uint64_t bytes);
/* Marks the budget spent for a reason the engine found itself (its event counter, say). */
void budget_exhaust(Budget *budget, BudgetReason reason);

/* "time limit", "memory limit", "event limit", "stopped"; "" for BUDGET_OK. */
const char *budget_reason_text(BudgetReason reason);

double budget_now(void);              /* monotonic seconds */
double budget_cpu(void);              /* CPU seconds of the process and of those that worked for it and ended */
uint64_t budget_resident_of(int pid); /* bytes resident now; 0: this process */
uint64_t budget_private_of(int pid);  /* without what it shares: program files, say */
uint64_t budget_resident(void);       /* bytes resident now, with what is noted below */
uint64_t budget_peak_kib(void);       /* the most that was, as far as seen */

/* Memory of a process that works for this one: was *known when last noted, is `bytes` now. Any thread may note. */
void budget_elsewhere(uint64_t *known, uint64_t bytes);
