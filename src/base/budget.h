/* Limits of one computation: wall time, memory of the process, a count of events, and a flag that a signal handler or
 * another thread sets. Engines call budget_spent() in their inner loop; when it returns true they stop and answer
 * UNKNOWN with budget_text() and the figures so far.
 *
 * Parts of a computation (budget_child) are measured by the clock, or, after budget_by_work(), by the work that is done
 * in them: then what each part achieves is the same in every run, on every machine and under any load, and only the
 * limits of the whole are by the clock. Work is counted in units of about 10 nanoseconds; engines charge what a step
 * costs.
 *
 * A Budget belongs to one thread; other threads may make children of it, which read what never changes. A child also
 * stops when a flag of its parents is set, so it must neither outlive nor be moved away from a parent with a flag: make
 * children of a Budget where it stays. What is inside is nobody else's business (tests/code.py). */
#pragma once
#include "base/ending.h"

#include <stdint.h>
#include <glib.h>

/* Set by whoever wants a computation to stop; lock-free, so that a signal handler may. */
#ifdef __cplusplus
typedef bool StopFlag; /* the same size; what is in C++ hands it on */
#else
#include <stdatomic.h>
typedef atomic_bool StopFlag;
#endif

typedef struct Budget Budget;
struct Budget {
    struct {
        double deadline;       /* on budget_now()'s clock; 0 = none */
        uint64_t memory;       /* bytes of resident memory; 0 = none */
        uint64_t max_events;   /* engines compare their own counter; 0 = none */
        const StopFlag *stop;  /* may be NULL */
        const Budget *flagged; /* the nearest parent that has a flag, or NULL */
        Ending ending;

        uint64_t *work;      /* units done so far, shared by all parts; NULL: parts are by the clock */
        uint64_t work_start; /* where *work was when the whole began */
        uint64_t work_end;   /* of this part: where *work ends it; 0 = none */
        double allotted;     /* seconds the whole computation is meant to take; 0 = no limit */

        void (*describe)(void *engine, GString *line);
        void *engine;
        void (*show)(const char *line, void *data);
        void *show_data;
        void (*ask)(void *data);
        void *ask_data;

        uint32_t countdown, stride; /* units until the clock is looked at */
        uint32_t given;             /* the countdown when it was last counted */
        uint32_t pending, boundary; /* units not yet in *work, and how many are put there at once */
        double started, last_look, last_show, last_memory_look;
    } hidden;
};

/* No limits at all. */
Budget budget_unlimited(void);
/* Limits of 0 mean none. */
Budget budget_new(double seconds, uint64_t memory_bytes, uint64_t max_events);
/* From now on parts are measured by work. `work` (0 at first) outlives the budget and all its parts; `seconds` is the
 * limit of the whole, as far as sharing it out goes. For one thread only. */
void budget_by_work(Budget *budget, uint64_t *work, double seconds);
/* The flag ends it, and all its children. */
void budget_stop_by(Budget *budget, const StopFlag *stop);
/* Called at every look, some hundred times a second, in whichever thread looks; may set the flag. Children inherit it.
 */
void budget_ask(Budget *budget, void (*ask)(void *data), void *data);
/* The computation began at that moment of budget_now()'s clock and may take so many seconds; 0: any time. */
void budget_limit_time(Budget *budget, double start, double seconds);
/* It begins now, with so many seconds (0: any time), whatever was done before and whatever ended that. */
void budget_restart(Budget *budget, double seconds);
void budget_limit_memory(Budget *budget, uint64_t bytes);
/* At most so many events, or fewer where it has that limit already. */
void budget_limit_events(Budget *budget, uint64_t events);

/* At most `seconds` (0 = as the parent) and the parent's other limits; `stop` may be NULL. */
Budget budget_child(const Budget *parent, double seconds, const StopFlag *stop);

/* That fraction of what is left, but at most so many seconds (0: no such bound). Without a limit: `most`. All that is
 * left, by work too, ends with the parent: what the clock still gives when the work was reckoned too high is used. */
Budget budget_part(const Budget *parent, double fraction, double most, const StopFlag *stop);

/* Looks at the clock, the memory and the flags. */
bool budget_look(Budget *budget);
/* The slow path of budget_charge(). */
bool budget_pause(Budget *budget);

/* For another thread while this one works elsewhere: looks at the clock, the memory and the flags, counts no work. */
bool budget_watch(Budget *budget);

/* Notes work that is done. Cheap; true once a limit is reached and for ever after. */
static inline bool budget_charge(Budget *budget, uint32_t units)
{
    if (G_LIKELY(budget->hidden.countdown > units)) {
        budget->hidden.countdown -= units;
        return false;
    }
    budget->hidden.given += units - budget->hidden.countdown;
    budget->hidden.countdown = 0;
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
/* False when `bytes` more would pass the memory limit, together with what other threads were just allowed; the budget
 * is then spent. Ask before doubling a large table. */
bool budget_allows(Budget *budget, uint64_t bytes);
/* Ends it with a limit that the engine found itself (its event counter, say). */
void budget_exhaust(Budget *budget, Ending limit);

/* What ended it: a limit, or ENDING_COMPLETE while nothing did. */
static inline Ending budget_ending(const Budget *budget)
{
    return budget->hidden.ending;
}
static inline bool budget_ended(const Budget *budget)
{
    return budget->hidden.ending != ENDING_COMPLETE;
}
/* ending_text() of that. */
const char *budget_text(const Budget *budget);
/* 0: no such limit. */
static inline uint64_t budget_max_events(const Budget *budget)
{
    return budget->hidden.max_events;
}
static inline uint64_t budget_memory(const Budget *budget)
{
    return budget->hidden.memory;
}
const StopFlag *budget_stop_flag(const Budget *budget); /* or NULL */
bool budget_is_timed(const Budget *budget);
/* Are parts measured by work? */
bool budget_is_by_work(const Budget *budget);
/* Units of work until this part ends, UINT64_MAX when no work ends it. */
uint64_t budget_work_left(const Budget *budget);
/* On budget_now()'s clock: when the whole computation began. */
double budget_started(const Budget *budget);

/* Progress: about four times a second after the first second `show` gets a line made by `describe`, in the thread that
 * charges. Children inherit `show`; engines describe themselves while they run. NULL ends either. */
void budget_show(Budget *budget, void (*show)(const char *line, void *data), void *data);
void budget_describe(Budget *budget, void (*describe)(void *engine, GString *line), void *engine);
bool budget_is_shown(const Budget *budget);
/* Shows a line at once. */
void budget_show_line(const Budget *budget, const char *line);

double budget_now(void);              /* monotonic seconds */
double budget_cpu(void);              /* CPU seconds of the process and of those that worked for it and ended */
uint64_t budget_resident_of(int pid); /* bytes resident now; 0: this process */
uint64_t budget_private_of(int pid);  /* without what it shares: program files, say */
uint64_t budget_addressed(void);      /* bytes that this process has addresses for, used or not */
uint64_t budget_resident(void);       /* bytes resident now, with what is noted below */
uint64_t budget_peak_kib(void);       /* the most that was, as far as seen */

/* Memory of a process that works for this one: was *known when last noted, is `bytes` now. Any thread may note. */
void budget_elsewhere(uint64_t *known, uint64_t bytes);
