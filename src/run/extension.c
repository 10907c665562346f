#include "run/extension.h"

#include "run/run.h"

static const Event *event_at(uint32_t e)
{
    return &run.trace.event.data[e];
}

static uint32_t id_of(uint32_t e)
{
    return e == EVENT_NONE ? UNFOLDING_NONE : event_at(e)->op.id;
}

/* Readers of one cell, from the newest one, to run.candidates. NULL: none is dropped. */
static uint32_t add_readers(uint32_t reader, const Reversed *r)
{
    uint32_t before = run.candidates.length;
    for (; reader != EVENT_NONE; reader = event_at(reader / 2)->older[reader % 2])
        if (!r || !reversal_drops(r, reader / 2)) own_push(&run.candidates, id_of(reader / 2));
    return run.candidates.length - before;
}

void run_extension_of_last(void)
{
    Event *event = &run.trace.event.data[run.trace.length - 1];
    Occurrence given = {.op = event->op, .before = id_of(event->before), .joined = id_of(event->joined)};
    run.candidates.length = 0;
    for (unsigned i = 0; i < event->op.n; i++) {
        given.writer[i] = id_of(event->writer[i]);
        given.n_readers[i] = event->op.write >> i & 1 ? add_readers(event->older[i], NULL) : 0;
    }
    own_reserve(&run.candidates, 1);
    event->op.id = unfolding_event(&run.unfolding, &given, run.candidates.data);
}

/* ---- reversed ---- */

/* What the cell looked like before the first writer that is dropped. */
static void go_back(const Reversed *r, uint32_t cell, uint32_t *writer, uint32_t *reader)
{
    while (*writer != EVENT_NONE && reversal_drops(r, *writer)) {
        const Event *event = event_at(*writer);
        unsigned i = event->op.n > 1 && event->op.cell[0] != cell;
        *writer = event->writer[i];
        *reader = event->older[i];
    }
}

static uint32_t reversed_event(const Reversed *r, uint16_t choice)
{
    Occurrence given = {.op = r->op, .before = id_of(r->base), .joined = UNFOLDING_NONE};
    if (r->enabler != EVENT_NONE && !reversal_drops(r, r->enabler)) given.joined = id_of(r->enabler);
    given.op.choice = choice;
    run.candidates.length = 0;
    for (unsigned i = 0; i < r->op.n; i++) {
        uint32_t writer = r->writer[i], reader = r->reader[i];
        go_back(r, r->op.cell[i], &writer, &reader);
        given.writer[i] = id_of(writer);
        given.n_readers[i] = r->op.write >> i & 1 ? add_readers(reader, r) : 0;
    }
    own_reserve(&run.candidates, 1);
    return unfolding_event(&run.unfolding, &given, run.candidates.data);
}

static void add(const Reversed *r, uint16_t choice)
{
    uint32_t id = reversed_event(r, choice);
    for (unsigned b = 0; b < r->n; b++) unfolding_conflict(&run.unfolding, event_at(r->dropped[b])->op.id, id);
}

void run_extension_of_race(const Reversal *race)
{
    Reversed r;
    if (!reversal_make(race, &r)) return;
    uint32_t begin = reversal_choices(race, &r);
    for (uint32_t i = begin; i < run.choices.length; i++) add(&r, run.choices.data[i]);
    run.choices.length = begin;
}
