#include "run/alternative.h"

#include "run/run.h"

/* ---- the configuration of C and what was added to it ---- */

static Occurrence *occurrence(uint32_t id)
{
    return &run.unfolding.event.data[id];
}

static CellState *cell_state(uint32_t cell)
{
    Alternative *a = &run.alternative;
    own_reserve(&a->cell, run.trace.cell.length);
    CellState *state = &a->cell.data[cell];
    if (state->stamp == a->stamp) return state;
    const Cell *known = &run.trace.cell.data[cell];
    uint32_t n = 0;
    for (uint32_t r = known->reader; r != EVENT_NONE; r = run.trace.event.data[r / 2].older[r % 2]) n++;
    uint32_t writer = known->writer == EVENT_NONE ? UNFOLDING_NONE : run.trace.event.data[known->writer].op.id;
    *state = (CellState){a->stamp, writer, n};
    return state;
}

static void begin(void)
{
    Alternative *a = &run.alternative;
    a->stamp++;
    if (!a->last) a->last = own_pages(0, MAX_THREADS * sizeof *a->last);
    a->added.length = 0;
    for (uint16_t i = 0; i < run.n_slots; i++) a->last[i] = UNFOLDING_NONE;
    for (uint32_t e = 0; e < run.trace.length; e++) {
        const Op *op = &run.trace.event.data[e].op;
        occurrence(op->id)->inside = a->stamp;
        a->last[op->thread] = op->id;
    }
    for (uint32_t i = run.sleep_at; i < run.sleep.length; i++) occurrence(run.sleep.data[i].id)->forbidden = a->stamp;
}

static bool inside(uint32_t id)
{
    return id == UNFOLDING_NONE || occurrence(id)->inside == run.alternative.stamp;
}

/* The first event of a thread, up to `last`, that comes after `before`. */
static uint32_t next_of_thread(uint32_t last, uint32_t before)
{
    while (occurrence(last)->before != before && occurrence(last)->before != UNFOLDING_NONE &&
           occurrence(occurrence(last)->before)->op.thread == occurrence(last)->op.thread)
        last = occurrence(last)->before;
    return last;
}

/* The first writer of the cell, up to `last`, after the writer `before`. */
static uint32_t next_writer(uint32_t cell, uint32_t last, uint32_t before)
{
    for (;;) {
        const Occurrence *event = occurrence(last);
        uint32_t older = event->writer[event->op.n > 1 && event->op.cell[0] != cell];
        if (older == before || older == UNFOLDING_NONE) return last;
        last = older;
    }
}

/* Can the event, whose past is there, happen? Then its thread and its cells look as they did to it. If not, what is in
 * conflict with it, UNFOLDING_NONE when that is not known. */
static bool fits(const Occurrence *event, uint32_t *obstacle)
{
    const Op *op = &event->op;
    uint32_t last = run.alternative.last[op->thread];
    bool first = event->before == UNFOLDING_NONE || occurrence(event->before)->op.thread != op->thread;
    *obstacle = UNFOLDING_NONE;
    if (event->forbidden == run.alternative.stamp) return false;
    if (last != (first ? UNFOLDING_NONE : event->before)) {
        *obstacle = next_of_thread(last, event->before);
        return false;
    }
    for (unsigned i = 0; i < op->n; i++) {
        const CellState *state = cell_state(op->cell[i]);
        if (state->writer != event->writer[i]) *obstacle = next_writer(op->cell[i], state->writer, event->writer[i]);
        if (state->writer != event->writer[i]) return false;
        if ((op->write >> i & 1) && state->n_readers != event->n_readers[i]) return false;
    }
    return true;
}

static void put(uint32_t id)
{
    Alternative *a = &run.alternative;
    Occurrence *event = occurrence(id);
    const Op *op = &event->op;
    Added added = {.id = id, .last = a->last[op->thread]};
    for (unsigned i = 0; i < op->n; i++) {
        CellState *state = cell_state(op->cell[i]);
        added.before[i] = *state;
        *state = op->write >> i & 1 ? (CellState){a->stamp, id, 0}
                                    : (CellState){a->stamp, state->writer, state->n_readers + 1};
    }
    a->last[op->thread] = id;
    event->inside = a->stamp;
    own_push(&a->added, added);
}

static void take_back(uint32_t length)
{
    Alternative *a = &run.alternative;
    while (a->added.length > length) {
        const Added *added = &a->added.data[--a->added.length];
        Occurrence *event = occurrence(added->id);
        for (unsigned i = event->op.n; i-- > 0;) *cell_state(event->op.cell[i]) = added->before[i];
        a->last[event->op.thread] = added->last;
        event->inside = 0;
    }
}

/* ---- the past of an event ---- */

static void want(uint32_t id)
{
    Alternative *a = &run.alternative;
    if (id == UNFOLDING_NONE || occurrence(id)->inside == a->stamp || occurrence(id)->collected == a->collection)
        return;
    occurrence(id)->collected = a->collection;
    own_push(&a->past, id);
}

static bool is_obstructed(const Occurrence *event)
{
    return event->obstacle != UNFOLDING_NONE && occurrence(event->obstacle)->inside == run.alternative.stamp;
}

/* All of its past that is not there, to a->past. False: it does not fit to what is there. */
static bool collect(uint32_t id)
{
    Alternative *a = &run.alternative;
    a->past.length = 0;
    a->collection++;
    want(id);
    for (uint32_t at = 0; at < a->past.length; at++) {
        const Occurrence *event = occurrence(a->past.data[at]);
        if (is_obstructed(event)) {
            occurrence(id)->obstacle = event->obstacle;
            return false;
        }
        want(event->before);
        want(event->joined);
        for (unsigned i = 0; i < event->op.n; i++) want(event->writer[i]);
        for (uint32_t i = 0; i < event->n_readers[0] + event->n_readers[1]; i++)
            want(run.unfolding.reader.data[event->readers + i]);
    }
    unfolding_sort(a->past.data, a->past.length);
    return true;
}

/* Adds the event with all of its past, or nothing. */
static bool put_past(uint32_t id)
{
    Alternative *a = &run.alternative;
    uint32_t before = a->added.length, obstacle;
    if (!collect(id)) return false;
    for (uint32_t at = 0; at < a->past.length; at++) {
        if (!fits(occurrence(a->past.data[at]), &obstacle)) {
            take_back(before);
            if (obstacle == UNFOLDING_NONE) return false;
            occurrence(id)->obstacle = occurrence(a->past.data[at])->obstacle = obstacle;
            return false;
        }
        put(a->past.data[at]);
    }
    return true;
}

/* ---- the search ---- */

/* Is the explored event in conflict with something that is there already? */
static bool is_avoided(uint32_t id)
{
    for (uint32_t c = occurrence(id)->conflicts; c != UNFOLDING_NONE; c = run.unfolding.conflict.data[c].next)
        if (inside(run.unfolding.conflict.data[c].with)) return true;
    return false;
}

/* The next conflict of the level's event that can be added. */
static bool next_choice(Level *level)
{
    take_back(level->added);
    while (level->conflict != UNFOLDING_NONE) {
        const Conflict *conflict = &run.unfolding.conflict.data[level->conflict];
        level->conflict = conflict->next;
        if (put_past(conflict->with)) return true;
    }
    return false;
}

static void enter(uint32_t id)
{
    Alternative *a = &run.alternative;
    bool free = is_avoided(id);
    own_push(
        &a->level,
        (Level){.added = a->added.length, .conflict = free ? UNFOLDING_NONE : occurrence(id)->conflicts, .free = free});
}

/* One event in conflict with each, the last of them first. */
static bool search(uint32_t first, uint32_t end)
{
    Alternative *a = &run.alternative;
    a->level.length = 0;
    enter(run.sleep.data[end - 1].id);
    while (a->level.length) {
        Level *level = &a->level.data[a->level.length - 1];
        bool forward = level->free ? !level->entered : next_choice(level);
        level->entered = true;
        if (!forward) {
            a->level.length--;
            continue;
        }
        if (a->level.length == end - first) return true;
        enter(run.sleep.data[end - 1 - a->level.length].id);
    }
    return false;
}

bool run_alternative_find(void)
{
    uint32_t first = run.sleep_at, end = run.sleep.length, k = run.settings.partial;
    begin();
    if (k && end - first > k) first = end - k;
    run.sequence.length = 0;
    if (!search(first, end)) return false;
    for (uint32_t i = 0; i < run.alternative.added.length; i++) {
        const Op *op = &occurrence(run.alternative.added.data[i].id)->op;
        if (!(op_flags(op->kind) & SILENT)) own_push(&run.sequence, *op);
    }
    return true;
}
