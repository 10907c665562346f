// A thread pool with work stealing, as a library would have it: every worker owns a deque of tasks (the owner at the bottom,
// thieves at the top, after Chase and Lev, on a fixed array with sequentially consistent atomics), tasks may spawn tasks into
// a group, whoever waits for a group helps. Idle workers sleep on a condition and are woken when there is something to do.
//
// BUG=1: the owner takes the last task without competing for it: it can be run twice.
// BUG=2: a worker goes to sleep without looking again under the mutex: a task is never run, and the program hangs.
// BUG=3: the number of open tasks of a group is no atomic: a data race.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef TASKS
#define TASKS 1
#endif
#ifndef SPAWN
#define SPAWN 0
#endif

enum { DEQUE_SIZE = 8, POOL_SIZE = WORKERS + 1 /* and whoever waits */ };

/* ---- groups and tasks ---- */

typedef struct Group {
#if BUG == 3
    int open;
#else
    atomic_int open;
#endif
} Group;

typedef struct Pool Pool;
typedef struct Worker Worker;
typedef void TaskFunction(Worker *worker, void *data);

typedef struct Task {
    TaskFunction *function;
    void *data;
    Group *group;
    atomic_int runs;
} Task;

static void tell_done(Worker *worker);

static void group_init(Group *group)
{
    group->open = 0;
}

static void group_enter(Group *group)
{
    group->open++;
}

/* True for the last one. */
static bool group_leave(Group *group)
{
    int before = group->open--;
    assert(before > 0);
    return before == 1;
}

static bool group_done(Group *group)
{
    return group->open == 0;
}

static Task *task_new(TaskFunction *function, void *data, Group *group)
{
    Task *task = malloc(sizeof *task);
    if (!task) abort();
    task->function = function;
    task->data = data;
    task->group = group;
    atomic_init(&task->runs, 0);
    return task;
}

static void task_run(Task *task, Worker *worker)
{
    int runs = atomic_fetch_add(&task->runs, 1);
    assert(runs == 0);
    (void)runs;
    task->function(worker, task->data);
    if (group_leave(task->group)) tell_done(worker);
    free(task);
}

/* ---- deques ---- */

typedef struct Deque {
    atomic_int top, bottom;
    _Atomic(Task *) slot[DEQUE_SIZE];
} Deque;

typedef enum { STEAL_EMPTY, STEAL_LOST, STEAL_TASK } StealResult;

static void deque_init(Deque *deque)
{
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
    for (int i = 0; i < DEQUE_SIZE; i++) atomic_init(&deque->slot[i], NULL);
}

static int deque_length(Deque *deque)
{
    int bottom = atomic_load(&deque->bottom), top = atomic_load(&deque->top);
    return bottom > top ? bottom - top : 0;
}

/* By the owner. False when it is full. */
static bool deque_push(Deque *deque, Task *task)
{
    int bottom = atomic_load(&deque->bottom), top = atomic_load(&deque->top);
    if (bottom - top >= DEQUE_SIZE) return false;
    atomic_store(&deque->slot[bottom % DEQUE_SIZE], task);
    atomic_store(&deque->bottom, bottom + 1);
    return true;
}

/* The last task belongs to whoever moves the top. */
static Task *take_last(Deque *deque, Task *task, int top)
{
    int expected = top;
    if (BUG == 1) {
        atomic_store(&deque->top, top + 1);
        return task;
    }
    return atomic_compare_exchange_strong(&deque->top, &expected, top + 1) ? task : NULL;
}

/* By the owner. */
static Task *deque_pop(Deque *deque)
{
    int bottom = atomic_load(&deque->bottom) - 1;
    atomic_store(&deque->bottom, bottom);
    int top = atomic_load(&deque->top);
    if (bottom < top) {
        atomic_store(&deque->bottom, top);
        return NULL;
    }
    Task *task = atomic_load(&deque->slot[bottom % DEQUE_SIZE]);
    if (bottom > top) return task;
    task = take_last(deque, task, top);
    atomic_store(&deque->bottom, top + 1);
    return task;
}

/* By anybody else. */
static StealResult deque_steal(Deque *deque, Task **task)
{
    int top = atomic_load(&deque->top);
    int bottom = atomic_load(&deque->bottom);
    if (top >= bottom) return STEAL_EMPTY;
    *task = atomic_load(&deque->slot[top % DEQUE_SIZE]);
    if (!atomic_compare_exchange_strong(&deque->top, &top, top + 1)) return STEAL_LOST;
    return STEAL_TASK;
}

/* ---- workers ---- */

typedef struct WorkerFigures {
    int run, stolen, slept;
} WorkerFigures;

struct Worker {
    Pool *pool;
    int number;
    pthread_t thread;
    Deque deque;
    WorkerFigures figures;
};

struct Pool {
    Worker worker[POOL_SIZE]; /* the last one is the program's own thread */
    pthread_mutex_t mutex;
    pthread_cond_t work, done; /* there is a new task; a group has no open one */
    int sleeping;
    bool closed;
};

/* ---- sleeping ---- */

static bool any_work(Pool *pool)
{
    for (int i = 0; i < POOL_SIZE; i++)
        if (deque_length(&pool->worker[i].deque) > 0) return true;
    return false;
}

/* Until there may be work. False when the pool is closed and there is none. */
static bool pool_sleep(Pool *pool, Worker *worker)
{
    bool idle = BUG == 2 && !any_work(pool);
    pthread_mutex_lock(&pool->mutex);
    while (!pool->closed && (idle || !any_work(pool))) {
        idle = false;
        pool->sleeping++;
        worker->figures.slept++;
        pthread_cond_wait(&pool->work, &pool->mutex);
        pool->sleeping--;
    }
    bool goes_on = !pool->closed || any_work(pool);
    pthread_mutex_unlock(&pool->mutex);
    return goes_on;
}

/* There is a new task. */
static void pool_wake(Pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    if (pool->sleeping) pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

static void tell_done(Worker *worker)
{
    pthread_mutex_lock(&worker->pool->mutex);
    pthread_cond_broadcast(&worker->pool->done);
    pthread_mutex_unlock(&worker->pool->mutex);
}

/* ---- finding and running tasks ---- */

static Task *steal_somewhere(Pool *pool, Worker *thief)
{
    for (int k = 1; k < POOL_SIZE; k++) {
        Worker *victim = &pool->worker[(thief->number + k) % POOL_SIZE];
        Task *task = NULL;
        StealResult result;
        do {
            result = deque_steal(&victim->deque, &task);
        } while (result == STEAL_LOST);
        if (result == STEAL_TASK) {
            thief->figures.stolen++;
            return task;
        }
    }
    return NULL;
}

static Task *find_task(Pool *pool, Worker *worker)
{
    Task *task = deque_pop(&worker->deque);
    return task ? task : steal_somewhere(pool, worker);
}

static bool run_one(Pool *pool, Worker *worker)
{
    Task *task = find_task(pool, worker);
    if (!task) return false;
    worker->figures.run++;
    task_run(task, worker);
    return true;
}

static void *worker_main(void *data)
{
    Worker *worker = data;
    Pool *pool = worker->pool;
    do {
        while (run_one(pool, worker)) continue;
    } while (pool_sleep(pool, worker));
    return NULL;
}

/* ---- the pool ---- */

static Worker *pool_self(Pool *pool)
{
    return &pool->worker[POOL_SIZE - 1];
}

static void worker_init(Worker *worker, Pool *pool, int number)
{
    worker->pool = pool;
    worker->number = number;
    memset(&worker->figures, 0, sizeof worker->figures);
    deque_init(&worker->deque);
}

static void pool_init(Pool *pool)
{
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->sleeping = 0;
    pool->closed = false;
    for (int i = 0; i < POOL_SIZE; i++) worker_init(&pool->worker[i], pool, i);
}

static void pool_start(Pool *pool)
{
    for (int i = 0; i < WORKERS; i++) {
        Worker *worker = &pool->worker[i];
        int failed = pthread_create(&worker->thread, NULL, worker_main, worker);
        assert(!failed);
        (void)failed;
    }
}

/* By the thread that the worker is. */
static void pool_spawn(Worker *worker, TaskFunction *function, void *data, Group *group)
{
    Task *task = task_new(function, data, group);
    group_enter(group);
    if (!deque_push(&worker->deque, task)) {
        task_run(task, worker);
        return;
    }
    pool_wake(worker->pool);
}

/* Helps as long as there is something to do, then waits for those who do the rest. */
static void pool_wait(Worker *worker, Group *group)
{
    Pool *own = worker->pool;
    while (!group_done(group) && run_one(own, worker)) continue;
    pthread_mutex_lock(&own->mutex);
    while (!group_done(group)) pthread_cond_wait(&own->done, &own->mutex);
    pthread_mutex_unlock(&own->mutex);
}

static void pool_close(Pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->closed = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
}

static void pool_join(Pool *pool)
{
    for (int i = 0; i < WORKERS; i++) pthread_join(pool->worker[i].thread, NULL);
}

static void pool_destroy(Pool *pool)
{
    assert(pool->sleeping == 0);
    for (int i = 0; i < POOL_SIZE; i++) assert(deque_length(&pool->worker[i].deque) == 0);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->mutex);
}

/* ---- a program on top of it: sums of parts of an array ---- */

enum { NUMBERS = 8 };

typedef struct Part {
    const int *numbers;
    int n;
    atomic_int *sum;
    Group *group;
} Part;

static int sum_of(const int *numbers, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += numbers[i];
    return sum;
}

static Part *part_new(const int *numbers, int n, atomic_int *sum, Group *group)
{
    Part *part = malloc(sizeof *part);
    if (!part) abort();
    part->numbers = numbers;
    part->n = n;
    part->sum = sum;
    part->group = group;
    return part;
}

static void add_part(Worker *worker, void *data)
{
    Part *part = data;
    if (SPAWN && part->n > NUMBERS / (2 * TASKS)) {
        int half = part->n / 2;
        pool_spawn(worker, add_part, part_new(part->numbers, half, part->sum, part->group), part->group);
        atomic_fetch_add(part->sum, sum_of(part->numbers + half, part->n - half));
    } else {
        atomic_fetch_add(part->sum, sum_of(part->numbers, part->n));
    }
    free(part);
}

static void fill(int *numbers)
{
    for (int i = 0; i < NUMBERS; i++) numbers[i] = (i * 7 + 3) % 10;
}

static void spawn_parts(Worker *self, const int *numbers, atomic_int *sum, Group *group)
{
    int each = NUMBERS / TASKS;
    for (int i = 0; i < TASKS; i++) {
        int n = i == TASKS - 1 ? NUMBERS - i * each : each;
        pool_spawn(self, add_part, part_new(numbers + i * each, n, sum, group), group);
    }
}

/* ---- figures ---- */

static int total_run(const Pool *pool)
{
    int run = 0;
    for (int i = 0; i < POOL_SIZE; i++) run += pool->worker[i].figures.run;
    return run;
}

static void print_figures(const Pool *pool)
{
    for (int i = 0; i < POOL_SIZE; i++) {
        const WorkerFigures *figures = &pool->worker[i].figures;
        printf("worker %d: %d run, %d stolen, slept %d times\n", i, figures->run, figures->stolen, figures->slept);
    }
}

/* ---- a second program: counting the leaves of a small tree, sequentially, to compare with ---- */

typedef struct Tree {
    struct Tree *left, *right;
    int value;
} Tree;

static Tree *tree_new(int depth, int value)
{
    Tree *tree = calloc(1, sizeof *tree);
    if (!tree) abort();
    tree->value = value;
    if (depth > 0) {
        tree->left = tree_new(depth - 1, 2 * value);
        tree->right = tree_new(depth - 1, 2 * value + 1);
    }
    return tree;
}

static int tree_leaves(const Tree *tree)
{
    if (!tree->left && !tree->right) return 1;
    int leaves = 0;
    if (tree->left) leaves += tree_leaves(tree->left);
    if (tree->right) leaves += tree_leaves(tree->right);
    return leaves;
}

static void tree_free(Tree *tree)
{
    if (!tree) return;
    tree_free(tree->left);
    tree_free(tree->right);
    free(tree);
}

typedef struct Count {
    const Tree *tree;
    atomic_int *leaves;
} Count;

static void count_tree(Worker *worker, void *data)
{
    Count *count = data;
    (void)worker;
    atomic_fetch_add(count->leaves, tree_leaves(count->tree));
    free(count);
}

static void spawn_count(Worker *self, const Tree *tree, atomic_int *leaves, Group *group)
{
    Count *count = malloc(sizeof *count);
    if (!count) abort();
    count->tree = tree;
    count->leaves = leaves;
    pool_spawn(self, count_tree, count, group);
}

/* ---- */

static Pool pool;

int main(void)
{
    int numbers[NUMBERS], spawned = TASKS;
    atomic_int sum = 0, leaves = 0;
    Group group;
    Tree *tree = tree_new(2, 1);
    fill(numbers);
    group_init(&group);
    pool_init(&pool);
    pool_start(&pool);
    spawn_parts(pool_self(&pool), numbers, &sum, &group);
    if (TASKS > 2) {
        spawn_count(pool_self(&pool), tree, &leaves, &group);
        spawned++;
    }
    if (BUG == 2)
        while (!group_done(&group)) sched_yield(); /* only workers run tasks */
    pool_wait(pool_self(&pool), &group);
    pool_close(&pool);
    pool_join(&pool);
    assert(sum == sum_of(numbers, NUMBERS));
    assert(TASKS <= 2 || leaves == 4);
    assert(SPAWN || BUG || total_run(&pool) == spawned);
    print_figures(&pool);
    pool_destroy(&pool);
    tree_free(tree);
    return 0;
}
