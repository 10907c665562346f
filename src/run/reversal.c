#include "run/reversal.h"

#include "run/explorer.h"
#include "run/objects.h"
#include "run/run.h"
#include "run/scheduler.h"

/* The second event of a race, executed or waiting: what it is and what its cells looked like before it. */
typedef struct Second {
    Op op;
    uint32_t event, base, enabler; /* EVENT_NONE: waiting; the end of its thread's past; the signal */
    uint32_t writer[2], reader[2];
} Second;

static Event *event_at(uint32_t e)
{
    return &run.trace.event.data[e];
}

static Second second_executed(uint32_t e)
{
    const Event *event = event_at(e);
    Second second = {.op = event->op, .event = e, .base = event->before, .enabler = event->joined};
    for (unsigned i = 0; i < event->op.n; i++) {
        second.writer[i] = event->writer[i];
        second.reader[i] = event->older[i];
    }
    return second;
}

static Second second_waiting(uint16_t number)
{
    const Thread *thread = &run.thread[number];
    Second second = {.op = scheduler_op(thread), .event = EVENT_NONE, .base = thread->last, .enabler = EVENT_NONE};
    if (thread->pending.kind == OP_WAKE && thread->signalled) second.enabler = thread->woken_by;
    for (unsigned i = 0; i < second.op.n; i++) {
        second.writer[i] = run.trace.cell.data[second.op.cell[i]].writer;
        second.reader[i] = run.trace.cell.data[second.op.cell[i]].reader;
    }
    return second;
}

/* ---- which events an operation could have come before ---- */

static bool takes(const Event *event)
{
    switch (event->op.kind) {
    case OP_LOCK:
    case OP_RELOCK:
    case OP_WAKE:
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_ONCE: return true;
    default: return event->acquire; /* the ones that try */
    }
}

static void candidate(uint32_t e)
{
    if (e != EVENT_NONE) own_push(&run.candidates, e);
}

/* The writer that took the object, behind those that gave it back. */
static uint32_t last_taker(uint32_t writer)
{
    while (writer != EVENT_NONE && !takes(event_at(writer))) writer = event_at(writer)->writer[0];
    return writer;
}

static void readers(uint32_t reader, bool takers)
{
    for (; reader != EVENT_NONE; reader = event_at(reader / 2)->older[reader % 2])
        if (!takers || takes(event_at(reader / 2))) candidate(reader / 2);
}

static void plain_candidates(const Second *f, unsigned i)
{
    uint32_t before = run.candidates.length;
    if (f->op.write >> i & 1) readers(f->reader[i], false);
    if (run.candidates.length == before) candidate(f->writer[i]);
}

/* The last operation that found the semaphore above zero. */
static uint32_t last_positive(uint32_t writer)
{
    while (writer != EVENT_NONE && event_at(writer)->value == 0) writer = event_at(writer)->writer[0];
    return writer;
}

static void collect(const Second *f)
{
    run.candidates.length = 0;
    uint32_t before = 0;
    switch (f->op.kind) {
    case OP_LOCK:
    case OP_RELOCK: candidate(last_taker(f->writer[0])); return;
    case OP_READ_LOCK:
        candidate(last_taker(f->writer[0]));
        candidate(f->writer[1]);
        return;
    case OP_WAKE:
        candidate(last_taker(f->writer[0]));
        if (f->writer[1] != f->enabler) candidate(f->writer[1]);
        return;
    case OP_WRITE_LOCK:
        readers(f->reader[0], true);
        if (run.candidates.length == before) candidate(last_taker(f->writer[0]));
        return;
    case OP_SEM_WAIT: candidate(last_positive(f->writer[0])); return;
    case OP_ONCE:
        if (f->writer[0] != EVENT_NONE) candidate(last_taker(f->writer[0]));
        return;
    default:
        for (unsigned i = 0; i < f->op.n; i++) plain_candidates(f, i);
    }
}

static bool in_past(uint32_t e, uint32_t of)
{
    return of != EVENT_NONE && trace_before(&run.trace, e, of);
}

/* Nothing else orders e before f. */
static bool immediate(uint32_t e, const Second *f)
{
    if (in_past(e, f->base)) return false;
    if (f->enabler != EVENT_NONE && e != f->enabler && in_past(e, f->enabler)) return false;
    for (uint32_t i = 0; i < run.candidates.length; i++)
        if (run.candidates.data[i] != e && trace_before(&run.trace, e, run.candidates.data[i])) return false;
    return true;
}

/* A thread that spins does not see the place where only e lets it go. */
static bool lets_go(uint32_t e, const Second *f)
{
    if (f->event == EVENT_NONE || !event_at(f->event)->awaited) return false;
    if (f->op.kind == OP_STOP && f->writer[1] == f->base) return !run.thread[f->op.thread].n_seen; /* the signal did */
    if (f->op.kind == OP_STOP) return event_at(e)->writer[0] == f->base; /* the mutex is taken the first time */
    return event_at(e)->op.write && event_at(e)->value == event_at(f->event)->expected;
}

static void find(const Second *f)
{
    collect(f);
    for (uint32_t i = 0; i < run.candidates.length; i++) {
        uint32_t e = run.candidates.data[i];
        if (immediate(e, f) && !lets_go(e, f)) own_push(&run.races, (Reversal){e, f->event, f->op.thread, CHOICE_OPEN});
    }
}

void reversal_of_last(void)
{
    uint32_t last = run.trace.length - 1;
    Second f = second_executed(last);
    find(&f);
    if (f.op.kind != OP_SIGNAL) return;
    for (uint32_t i = event_at(last)->choices; i < run.choices.length; i++)
        if (run.choices.data[i] != f.op.choice)
            own_push(&run.races, (Reversal){last, EVENT_NONE, f.op.thread, run.choices.data[i]});
}

void reversal_of_waiting(uint16_t thread)
{
    if (!(op_flags(run.thread[thread].pending.kind) & ACQUIRES)) return;
    Second f = second_waiting(thread);
    if (f.op.kind == OP_WAKE && !run.thread[thread].signalled) return;
    find(&f);
}

/* ---- the reversing sequence ---- */

/* How the operation touches its cell when it comes before e. */
static void adapt(Op *op, const Event *f, const Event *e)
{
    bool gave = op_flags(e->op.kind) & RELEASES;
    switch (op->kind) {
    case OP_COMPARE: op->write = e->value == f->expected; return;
    case OP_TRYLOCK: op->write = !gave; return;
    case OP_ONCE: op->write = 1; return; /* nobody was there before e */
    case OP_SIGNAL: op->choice = CHOICE_OPEN; return;
    default: return;
    }
}

static bool is_dropped(uint32_t e, const uint32_t *dropped, unsigned n)
{
    for (unsigned b = 0; b < n; b++)
        if (trace_before(&run.trace, dropped[b], e)) return true;
    return false;
}

/* Does the thread that e belongs to give back what e took, in a part of the execution that is kept? */
static bool given_back(uint32_t e, const uint32_t *dropped, unsigned n)
{
    const Op *op = &event_at(e)->op;
    for (uint32_t i = e + 1; i < run.trace.length; i++) {
        const Op *other = &event_at(i)->op;
        if (other->thread != op->thread || !(op_flags(other->kind) & RELEASES) || other->cell[0] != op->cell[0])
            continue;
        return !is_dropped(i, dropped, n);
    }
    return false;
}

/* Who might still hold the object of the operation: readers, or the last writer that is kept. */
static void collect_holders(const Second *f, const uint32_t *dropped, unsigned n)
{
    run.candidates.length = 0;
    if (f->op.kind == OP_WRITE_LOCK) {
        readers(f->reader[0], true);
        return;
    }
    uint32_t taker = last_taker(f->writer[0]);
    while (taker != EVENT_NONE && is_dropped(taker, dropped, n)) taker = last_taker(event_at(taker)->writer[0]);
    candidate(taker);
}

/* What else must go so that the operation finds its object free. 0: it cannot. */
static unsigned drop_holders(const Second *f, uint32_t *dropped, unsigned n)
{
    if (f->op.kind != OP_WRITE_LOCK && f->op.kind != OP_WAKE) return n;
    for (bool more = true; more;) {
        more = false;
        collect_holders(f, dropped, n);
        for (uint32_t i = 0; i < run.candidates.length && !more; i++) {
            uint32_t e = run.candidates.data[i];
            if (is_dropped(e, dropped, n) || given_back(e, dropped, n)) continue;
            if (in_past(e, f->base) || n == MOST_DROPPED) return 0;
            dropped[n++] = e;
            more = true;
        }
    }
    return n;
}

bool reversal_drops(const Reversed *r, uint32_t e)
{
    return is_dropped(e, r->dropped, r->n);
}

/* Who holds the lock in the part of the execution that is kept? */
static void adapt_try_write(Reversed *r)
{
    uint32_t n = 0;
    int32_t writer = 0;
    for (uint32_t i = 0; i < run.trace.length; i++) {
        const Event *e = event_at(i);
        if (!e->op.n || e->op.cell[0] != r->op.cell[0] || reversal_drops(r, i)) continue;
        if (e->op.kind == OP_READ_UNLOCK) n--;
        if (e->op.kind == OP_READ_LOCK || (e->op.kind == OP_TRY_READ && e->acquire)) n++;
        if (e->op.kind == OP_WRITE_UNLOCK) writer = 0;
        if (e->op.kind == OP_WRITE_LOCK || (e->op.kind == OP_TRY_WRITE && e->acquire)) writer = 1;
    }
    objects_try_write(&r->op, n, writer);
}

bool reversal_make(const Reversal *race, Reversed *r)
{
    bool waits = race->second == EVENT_NONE && race->choice == CHOICE_OPEN;
    Second f = waits                        ? second_waiting(race->thread)
               : race->second == EVENT_NONE ? second_executed(race->first)
                                            : second_executed(race->second);
    r->op = f.op;
    r->base = f.base;
    r->enabler = f.enabler;
    for (unsigned i = 0; i < f.op.n; i++) {
        r->writer[i] = f.writer[i];
        r->reader[i] = f.reader[i];
    }
    r->dropped[0] = race->first;
    r->n = 1;
    if (race->choice != CHOICE_OPEN) {
        r->op.choice = race->choice;
        return true;
    }
    if (!waits) adapt(&r->op, event_at(f.event), event_at(race->first));
    if (r->op.kind == OP_TRY_WRITE) adapt_try_write(r);
    return (r->n = drop_holders(&f, r->dropped, 1)) > 0;
}

/* Who waits for the condition in the part of the execution that is kept: to run.choices, behind what is there. */
static void find_waiting(const Reversed *r)
{
    uint32_t cell = r->op.cell[0], begin = run.choices.length;
    for (uint32_t e = 0; e < run.trace.length; e++) {
        const Op *op = &event_at(e)->op;
        bool waits = op->kind == OP_WAIT && op->cell[1] == cell;
        bool wakes = (op->kind == OP_WAKE && op->cell[1] == cell) || (op->kind == OP_STOP && op->cell[0] == cell);
        bool signals = (op->kind == OP_SIGNAL || op->kind == OP_BROADCAST) && op->cell[0] == cell;
        if (!(waits || wakes || signals) || reversal_drops(r, e)) continue;
        if (waits) own_push(&run.choices, op->thread);
        if (signals && op->kind == OP_BROADCAST) run.choices.length = begin;
        uint16_t gone = wakes ? op->thread : signals ? op->choice : CHOICE_OPEN;
        for (uint32_t i = begin; i < run.choices.length && !waits; i++)
            if (run.choices.data[i] == gone) run.choices.data[i--] = run.choices.data[--run.choices.length];
    }
}

uint32_t reversal_choices(const Reversal *race, const Reversed *r)
{
    uint32_t begin = run.choices.length;
    if (r->op.kind == OP_SIGNAL && race->choice == CHOICE_OPEN) find_waiting(r);
    if (run.choices.length == begin) own_push(&run.choices, r->op.choice);
    return begin;
}

uint32_t reversal_sequence(const Reversed *r, uint16_t choice)
{
    uint32_t first = r->dropped[0];
    for (unsigned b = 1; b < r->n; b++) first = r->dropped[b] < first ? r->dropped[b] : first;
    run.sequence.length = 0;
    for (uint32_t i = first; i < run.trace.length; i++) {
        const Op *op = &event_at(i)->op;
        bool silent = op_flags(op->kind) & SILENT;
        if (!silent && !reversal_drops(r, i)) own_push(&run.sequence, *op);
    }
    own_push(&run.sequence, r->op);
    run.sequence.data[run.sequence.length - 1].choice = choice;
    return first;
}
