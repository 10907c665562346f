#include "run/explorer.h"

#include "run/coroutine.h"
#include "run/extension.h"
#include "run/heap.h"
#include "run/pages.h"
#include "run/processes.h"
#include "run/scheduler.h"
#include "run/shadow.h"
#include "run/tell.h"
#include "run/threads.h"

#include <string.h>

/* ---- the node that the execution is at ---- */

static Event *node_at(uint32_t depth)
{
    return &run.trace.event.data[depth];
}

static void set_node(void)
{
    Event *node = node_at(run.depth);
    node->tree = run.tree_at;
    node->sleep = run.sleep_at;
    node->races = run.races.length;
    node->choices = run.choices.length;
}

/* Those asleep at the node before the event stay asleep when they do not depend on it. */
static void filter_sleep(const Op *op)
{
    uint32_t begin = run.sleep_at, end = run.sleep.length;
    run.sleep_at = end;
    for (uint32_t i = begin; i < end; i++)
        if (!op_dependent(&run.sleep.data[i], op)) own_push(&run.sleep, run.sleep.data[i]);
}

void explorer_arrived(bool visible)
{
    if (run.settings.algorithm == ALGORITHM_UNFOLDING) run_extension_of_last();
    if (visible) {
        const Op *op = &node_at(run.depth - 1)->op;
        filter_sleep(op);
        run.tree_at = run.tree.node.data[run.tree_at].first;
        run.tree.node.data[run.tree_at].op = *op;
        if (run.settings.algorithm != ALGORITHM_SLEEP) reversal_of_last();
    }
    set_node();
}

/* ---- choosing ---- */

/* Is the thread's operation with this choice asleep? CHOICE_OPEN: with any. */
static bool choice_asleep(const Thread *thread, uint16_t choice)
{
    for (uint32_t i = run.sleep_at; i < run.sleep.length; i++) {
        const Op *op = &run.sleep.data[i];
        if (op->thread == thread->number &&
            (choice == CHOICE_OPEN || op->choice == CHOICE_OPEN || op->choice == choice))
            return true;
    }
    return false;
}

static bool waits_for(uint16_t waiter, uintptr_t condition)
{
    const Thread *t = &run.thread[waiter];
    return t->state == THREAD_PARKED && t->waits_for == condition && !t->signalled;
}

/* A signal is asleep when whomever it may wake was tried; otherwise *choice is one who was not. */
static bool asleep(const Thread *thread, uint16_t *choice)
{
    *choice = CHOICE_OPEN;
    if (!choice_asleep(thread, CHOICE_OPEN)) return false;
    for (uint16_t i = 0; thread->pending.kind == OP_SIGNAL && i < run.n_slots; i++) {
        if (!waits_for(i, thread->pending.object[0]) || choice_asleep(thread, i)) continue;
        *choice = i;
        return false;
    }
    return true;
}

static Thread *finish(EndKind end)
{
    run.end = end;
    return NULL;
}

/* Nobody can go on: why? */
static EndKind standstill(void)
{
    bool waiting = false;
    for (uint16_t i = 0; i < run.n_slots; i++) {
        const Thread *t = &run.thread[i];
        if (scheduler_enabled(t)) return END_BLOCKED;
        waiting |= t->state == THREAD_PARKED || t->state == THREAD_PASSIVE;
    }
    return run.failed ? END_FAILURE : !waiting ? END_MAXIMAL : run.exiting ? END_EXIT : END_DEADLOCK;
}

/* When nobody else can go on, who gave way does; when the program ended it is left behind. */
static Thread *giving(void)
{
    for (uint16_t i = 0; i < run.n_slots && !run.exiting; i++)
        if (run.thread[i].state == THREAD_GIVING) return &run.thread[i];
    return NULL;
}

/* Every choice of the pending operation becomes a branch. */
static void add_choices(const Thread *thread)
{
    Op op = scheduler_op(thread);
    bool any = false;
    for (uint16_t i = 0; op.kind == OP_SIGNAL && i < run.n_slots; i++) {
        if (!waits_for(i, thread->pending.object[0]) || choice_asleep(thread, i)) continue;
        op.choice = i;
        tree_append(&run.tree, run.tree_at, &op);
        any = true;
    }
    if (!any) tree_append(&run.tree, run.tree_at, &op);
}

/* A thread that goes on and on (it polls) gives way now and then: others may never be run otherwise, and an execution
 * that is cut by --depth would say nothing of them. */
static bool gives_way(void)
{
    enum { PATIENCE = 128, SHARE = 16 };
    uint32_t depth = run.settings.depth, most = depth && depth / SHARE < PATIENCE ? depth / SHARE + 1 : PATIENCE;
    if (++run.in_a_row <= most) return false;
    run.in_a_row = 0;
    return true;
}

/* At a node without branches: the current thread if it can, else the first one. */
static void branch_freely(void)
{
    bool all = run.settings.algorithm == ALGORITHM_SLEEP, way = !all && gives_way();
    uint16_t from = all ? 0 : way ? run.current->number + 1 : run.current->number, choice;
    for (uint16_t n = 0; n <= run.n_slots; n++) {
        /* the current one, then all from the first */
        Thread *t = &run.thread[all || way ? (from + n) % run.n_slots : n ? n - 1 : from];
        if (t->state != THREAD_PARKED || !scheduler_enabled(t) || asleep(t, &choice)) continue;
        if (all && n < run.n_slots) add_choices(t);
        if (all) continue;
        Op op = scheduler_op(t);
        op.choice = choice;
        tree_append(&run.tree, run.tree_at, &op);
        return;
    }
}

static uint16_t number_of(const char *name)
{
    char known[MAX_NAME];
    for (uint16_t i = 0; i < run.n_slots; i++) {
        threads_name(&run.thread[i], known, sizeof known);
        if (run.thread[i].state == THREAD_PARKED && strcmp(known, name) == 0) return i;
    }
    return CHOICE_OPEN;
}

/* The next step of the witness is the only branch. */
static void branch_by_witness(void)
{
    const WitnessStep *step = &run.witness.data[run.witness_at];
    uint16_t number = number_of(step->thread);
    if (number == CHOICE_OPEN || !scheduler_enabled(&run.thread[number])) tell_witness_ends();
    Op op = scheduler_op(&run.thread[number]);
    op.choice = number_of(step->woken);
    tree_append(&run.tree, run.tree_at, &op);
    run.witness_at++;
}

Thread *explorer_choose(uint16_t *choice)
{
    const Op *op;
    run.counts.steps++;
    if (run.depth < run.replayed) {
        op = &node_at(run.depth)->op;
    } else {
        if (run.settings.depth && run.depth >= run.settings.depth) return finish(END_BOUND);
        if (run.witness_at < run.witness.length)
            branch_by_witness();
        else if (run.tree.node.data[run.tree_at].first == TREE_NONE)
            branch_freely();
        uint32_t child = run.tree.node.data[run.tree_at].first;
        if (child == TREE_NONE) return giving() ? giving() : finish(standstill());
        op = &run.tree.node.data[child].op;
    }
    Thread *thread = &run.thread[op->thread];
    *choice = op->choice;
    return scheduler_enabled(thread) || thread->state == THREAD_GIVING ? thread : finish(END_BLOCKED);
}

/* ---- after an execution ---- */

static bool sleeper_covers(uint32_t node)
{
    const Event *event = node_at(node);
    for (uint32_t i = event->sleep; i < node_at(node + 1)->sleep; i++)
        if (tree_weak_initial(&run.sleep.data[i], run.sequence.data, run.sequence.length)) return true;
    return false;
}

static bool initial(const Op *op)
{
    for (uint32_t i = 0; i < run.sequence.length; i++) {
        if (op_same(op, &run.sequence.data[i])) return true;
        if (op_dependent(op, &run.sequence.data[i])) return false;
    }
    return false;
}

/* Source sets: unless some initial of the sequence is or was a branch, its first operation becomes one. */
static void add_branch(uint32_t node)
{
    const Event *event = node_at(node);
    for (uint32_t i = event->sleep; i < node_at(node + 1)->sleep; i++)
        if (initial(&run.sleep.data[i])) return;
    for (uint32_t c = run.tree.node.data[event->tree].first; c != TREE_NONE; c = run.tree.node.data[c].next)
        if (initial(&run.tree.node.data[c].op)) return;
    tree_append(&run.tree, event->tree, &run.sequence.data[0]);
}

/* New events of the unfolding; those of the part that was repeated are known. */
static void extend(void)
{
    for (uint32_t i = node_at(run.replayed)->races; i < run.races.length; i++)
        run_extension_of_race(&run.races.data[i]);
}

static void reverse(const Reversal *race)
{
    Reversed r;
    if (!reversal_make(race, &r)) return;
    uint32_t begin = reversal_choices(race, &r);
    for (uint32_t i = begin; i < run.choices.length; i++) {
        uint32_t node = reversal_sequence(&r, run.choices.data[i]);
        if (run.settings.algorithm == ALGORITHM_SOURCE)
            add_branch(node);
        else if (!sleeper_covers(node))
            tree_insert(&run.tree, node_at(node)->tree, run.sequence.data, run.sequence.length);
    }
    run.choices.length = begin;
}

static void reverse_races(void)
{
    uint32_t known = run.races.length;
    if (run.settings.algorithm == ALGORITHM_SLEEP) return;
    for (uint16_t i = 0; i < run.n_slots; i++)
        if (run.thread[i].state == THREAD_PARKED && !scheduler_enabled(&run.thread[i])) reversal_of_waiting(i);
    if (run.settings.algorithm == ALGORITHM_UNFOLDING) extend();
    for (uint32_t i = 0; i < run.races.length && run.settings.algorithm != ALGORITHM_UNFOLDING; i++)
        reverse(&run.races.data[i]);
    run.races.length = known;
}

/* What comes next at the node that the search is back at. */
static bool branches(void)
{
    uint32_t at = run.tree_at;
    if (run.settings.algorithm != ALGORITHM_UNFOLDING) return run.tree.node.data[at].first != TREE_NONE;
    if (!run_alternative_find()) return false;
    for (uint32_t i = 0; i < run.sequence.length; i++) at = tree_append(&run.tree, at, &run.sequence.data[i]);
    return true;
}

/* Back to the last node that has another branch. False: all is explored. */
static bool backtrack(void)
{
    while (run.trace.length) {
        Event event = *node_at(run.trace.length - 1);
        uint32_t below = node_at(run.trace.length)->sleep;
        trace_pop(&run.trace);
        if (op_flags(event.op.kind) & SILENT) continue;
        run.sleep.length = below;
        own_push(&run.sleep, event.op);
        tree_drop_first(&run.tree, event.tree);
        run.tree_at = event.tree;
        run.sleep_at = event.sleep;
        run.races.length = event.races;
        run.choices.length = event.choices;
        if (branches()) return true;
    }
    return false;
}

static void count_end(void)
{
    Counts *c = &run.counts;
    c->executions++;
    if (run.depth > c->deepest) c->deepest = run.depth;
    switch (run.end) {
    case END_BLOCKED: c->blocked++; return;
    case END_BOUND: c->bounded++; return;
    case END_DEADLOCK:
        c->deadlocks++;
        tell_deadlock();
        break;
    case END_MAXIMAL:
    case END_EXIT:
        if (run.held) tell_held();
        break;
    default: break;
    }
    c->traces++;
    c->failures += run.failures;
}

static void one_execution(void)
{
    run.depth = 0;
    run.end = END_NONE;
    run.failures = 0;
    threads_begin();
    run.active = true;
    coroutine_switch(&run.explorer_sp, run.current->sp);
}

void explorer_run(void)
{
    bool complete = false;
    tree_start(&run.tree);
    trace_widen(&run.trace, 1);
    own_reserve(&run.trace.event, 1);
    set_node();
    bool fork = run.settings.restart == RESTART_FORK;
    for (;;) {
        if (fork)
            processes_run(one_execution);
        else
            one_execution();
        if (run.end == END_DIVERGED) break;
        count_end();
        tell_execution();
        if (run.counts.executions == 1) tell_first_output_ends();
        if (run.stopped || tell_limit()) break;
        reverse_races();
        if (!backtrack()) {
            complete = run.counts.bounded == 0;
            break;
        }
        run.replayed = run.trace.length;
        if (!fork) {
            pages_restore();
            heap_restore();
        }
        shadow_restart();
    }
    tell_counts(complete);
}
