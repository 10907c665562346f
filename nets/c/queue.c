// A bounded queue with timeouts and an orderly shutdown, as a service would have it: producers put jobs in, workers take them
// out in batches, a monitor looks at the figures, and shutdown drains what is left. Jobs carry a priority; the queue keeps one
// ring per priority and hands out the most urgent first.
//
// BUG=1: queue_close() wakes only one of the waiting workers; another one sleeps for ever.
// BUG=2: queue_take() looks at the count before it has the mutex: a data race, and a lost job.
// BUG=3: a job whose put timed out is put into the queue nonetheless, although its producer frees it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef JOBS
#define JOBS 1
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef MONITOR
#define MONITOR 0
#endif

/* ---- jobs ---- */

typedef enum { PRIORITY_URGENT, PRIORITY_NORMAL, PRIORITY_IDLE, N_PRIORITIES } Priority;

typedef enum { JOB_NEW, JOB_QUEUED, JOB_TAKEN, JOB_DONE, JOB_REFUSED } JobState;

typedef struct Job {
    int id;
    Priority priority;
    JobState state;
    int input, output;
    char label[16];
} Job;

static const char *priority_name(Priority priority)
{
    switch (priority) {
    case PRIORITY_URGENT: return "urgent";
    case PRIORITY_NORMAL: return "normal";
    case PRIORITY_IDLE: return "idle";
    default: return "?";
    }
}

static void make_label(Job *job)
{
    const char *name = priority_name(job->priority);
    size_t n = strlen(name);
    if (n > sizeof job->label - 4) n = sizeof job->label - 4;
    memcpy(job->label, name, n);
    job->label[n] = '-';
    job->label[n + 1] = (char)('0' + job->id / 10 % 10);
    job->label[n + 2] = (char)('0' + job->id % 10);
    job->label[n + 3] = 0;
}

static Job *job_new(int id, Priority priority, int input)
{
    Job *job = calloc(1, sizeof *job);
    if (!job) abort();
    job->id = id;
    job->priority = priority;
    job->state = JOB_NEW;
    job->input = input;
    make_label(job);
    return job;
}

static void job_run(Job *job)
{
    int a = 0, b = 1;
    assert(job->state == JOB_TAKEN);
    for (int i = 0; i < job->input; i++) {
        int next = a + b;
        a = b;
        b = next;
    }
    job->output = a;
    job->state = JOB_DONE;
}

static void job_free(Job *job)
{
    memset(job, 0, sizeof *job);
    free(job);
}

/* ---- rings ---- */

typedef struct Ring {
    Job *slot[CAPACITY];
    unsigned first, used;
} Ring;

static bool ring_full(const Ring *ring)
{
    return ring->used == CAPACITY;
}

static bool ring_empty(const Ring *ring)
{
    return ring->used == 0;
}

static void ring_push(Ring *ring, Job *job)
{
    assert(!ring_full(ring));
    ring->slot[(ring->first + ring->used) % CAPACITY] = job;
    ring->used++;
}

static Job *ring_pop(Ring *ring)
{
    assert(!ring_empty(ring));
    Job *job = ring->slot[ring->first];
    ring->slot[ring->first] = NULL;
    ring->first = (ring->first + 1) % CAPACITY;
    ring->used--;
    return job;
}

/* ---- the queue ---- */

typedef struct Figures {
    unsigned put, taken, refused, timeouts, most_waiting;
    unsigned by_priority[N_PRIORITIES];
} Figures;

typedef struct Queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full, drained;
    Ring ring[N_PRIORITIES];
    unsigned count, limit;
    unsigned waiting_workers, waiting_producers;
    bool closed;
    Figures figures;
} Queue;

typedef enum { QUEUE_OK, QUEUE_CLOSED, QUEUE_TIMEOUT } QueueResult;

static void queue_init(Queue *queue, unsigned limit)
{
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->not_empty, NULL);
    pthread_cond_init(&queue->not_full, NULL);
    pthread_cond_init(&queue->drained, NULL);
    queue->limit = limit;
}

static void queue_check(const Queue *queue)
{
    unsigned sum = 0;
    for (int p = 0; p < N_PRIORITIES; p++) sum += queue->ring[p].used;
    assert(sum == queue->count);
    assert(queue->count <= queue->limit);
    assert(queue->figures.put == queue->figures.taken + queue->count);
}

static void queue_lock(Queue *queue)
{
    int failed = pthread_mutex_lock(&queue->mutex);
    assert(!failed);
    (void)failed;
}

static void queue_unlock(Queue *queue)
{
    int failed = pthread_mutex_unlock(&queue->mutex);
    assert(!failed);
    (void)failed;
}

static void deadline_after(struct timespec *deadline, long milliseconds)
{
    clock_gettime(CLOCK_REALTIME, deadline);
    deadline->tv_sec += milliseconds / 1000;
    deadline->tv_nsec += milliseconds % 1000 * 1000000;
    if (deadline->tv_nsec >= 1000000000) {
        deadline->tv_sec++;
        deadline->tv_nsec -= 1000000000;
    }
}

/* Waits until there is room, for so long; the mutex is held. */
static QueueResult wait_for_room(Queue *queue, long milliseconds)
{
    struct timespec deadline;
    if (milliseconds > 0) deadline_after(&deadline, milliseconds);
    while (queue->count == queue->limit && !queue->closed) {
        int failed;
        queue->waiting_producers++;
        if (milliseconds > 0)
            failed = pthread_cond_timedwait(&queue->not_full, &queue->mutex, &deadline);
        else
            failed = pthread_cond_wait(&queue->not_full, &queue->mutex);
        queue->waiting_producers--;
        if (failed == ETIMEDOUT && queue->count == queue->limit && !queue->closed) {
            queue->figures.timeouts++;
            return QUEUE_TIMEOUT;
        }
    }
    return queue->closed ? QUEUE_CLOSED : QUEUE_OK;
}

static void insert(Queue *queue, Job *job)
{
    job->state = JOB_QUEUED;
    ring_push(&queue->ring[job->priority], job);
    queue->count++;
    queue->figures.put++;
    queue->figures.by_priority[job->priority]++;
}

/* 0 milliseconds: for ever. The job is the queue's afterwards, if QUEUE_OK. */
static QueueResult queue_put(Queue *queue, Job *job, long milliseconds)
{
    queue_lock(queue);
    QueueResult result = wait_for_room(queue, milliseconds);
    if (result == QUEUE_OK) {
        insert(queue, job);
        if (queue->waiting_workers) pthread_cond_signal(&queue->not_empty);
    } else {
        job->state = JOB_REFUSED;
        queue->figures.refused++;
        if (BUG == 3 && result == QUEUE_TIMEOUT) insert(queue, job), queue->limit++;
    }
    queue_check(queue);
    queue_unlock(queue);
    return result;
}

static Job *most_urgent(Queue *queue)
{
    for (int p = 0; p < N_PRIORITIES; p++)
        if (!ring_empty(&queue->ring[p])) return ring_pop(&queue->ring[p]);
    return NULL;
}

static unsigned take_locked(Queue *queue, Job **jobs, unsigned most)
{
    unsigned n = 0;
    while (n < most && queue->count) {
        Job *job = most_urgent(queue);
        assert(job);
        job->state = JOB_TAKEN;
        queue->count--;
        queue->figures.taken++;
        jobs[n++] = job;
    }
    return n;
}

/* Up to `most` jobs; 0 when the queue is closed and empty. */
static unsigned queue_take(Queue *queue, Job **jobs, unsigned most)
{
    if (BUG == 2 && queue->closed && queue->count == 0) return 0;
    queue_lock(queue);
    while (queue->count == 0 && !queue->closed) {
        queue->waiting_workers++;
        if (queue->waiting_workers > queue->figures.most_waiting) queue->figures.most_waiting = queue->waiting_workers;
        pthread_cond_wait(&queue->not_empty, &queue->mutex);
        queue->waiting_workers--;
    }
    unsigned n = take_locked(queue, jobs, most);
    if (n && queue->waiting_producers) pthread_cond_broadcast(&queue->not_full);
    if (queue->closed && queue->count == 0) pthread_cond_signal(&queue->drained);
    queue_check(queue);
    queue_unlock(queue);
    return n;
}

/* No more jobs; those inside are still handed out. */
static void queue_close(Queue *queue)
{
    queue_lock(queue);
    queue->closed = true;
    if (BUG == 1)
        pthread_cond_signal(&queue->not_empty);
    else
        pthread_cond_broadcast(&queue->not_empty);
    pthread_cond_broadcast(&queue->not_full);
    queue_unlock(queue);
}

static void queue_drain(Queue *queue)
{
    queue_lock(queue);
    while (queue->count) pthread_cond_wait(&queue->drained, &queue->mutex);
    queue_unlock(queue);
}

static Figures queue_figures(Queue *queue)
{
    queue_lock(queue);
    Figures figures = queue->figures;
    queue_check(queue);
    queue_unlock(queue);
    return figures;
}

static void queue_destroy(Queue *queue)
{
    assert(queue->closed && queue->count == 0);
    assert(queue->waiting_workers == 0 && queue->waiting_producers == 0);
    pthread_cond_destroy(&queue->not_empty);
    pthread_cond_destroy(&queue->not_full);
    pthread_cond_destroy(&queue->drained);
    pthread_mutex_destroy(&queue->mutex);
}

/* ---- who did how much ---- */

typedef struct Share {
    int jobs, batches, largest;
} Share;

static void share_add(Share *share, unsigned n)
{
    share->jobs += (int)n;
    share->batches++;
    if ((int)n > share->largest) share->largest = (int)n;
}

static void share_check(const Share *share)
{
    assert(share->largest <= 2);
    assert(share->jobs >= share->batches);
    assert(share->jobs <= 2 * share->batches);
}

/* ---- results ---- */

typedef struct Results {
    pthread_mutex_t mutex;
    int done, sum;
    bool seen[64];
} Results;

static void results_init(Results *results)
{
    memset(results, 0, sizeof *results);
    pthread_mutex_init(&results->mutex, NULL);
}

static void results_add(Results *results, const Job *job)
{
    pthread_mutex_lock(&results->mutex);
    assert(job->state == JOB_DONE);
    assert(!results->seen[job->id]);
    results->seen[job->id] = true;
    results->done++;
    results->sum += job->output;
    pthread_mutex_unlock(&results->mutex);
}

/* ---- the service ---- */

typedef struct Service {
    Queue queue;
    Results results;
    pthread_t producer[PRODUCERS], worker[WORKERS], monitor;
    int accepted[PRODUCERS];
} Service;

typedef struct ProducerArgument {
    Service *service;
    int number;
} ProducerArgument;

static int job_id(int producer, int k)
{
    return producer * JOBS + k;
}

static void *producer(void *data)
{
    ProducerArgument *argument = data;
    Service *service = argument->service;
    int accepted = 0;
    for (int k = 0; k < JOBS; k++) {
        Job *job = job_new(job_id(argument->number, k), (Priority)(k % N_PRIORITIES), 3 + k);
        QueueResult result = queue_put(&service->queue, job, k % 2 ? 0 : 10);
        if (result == QUEUE_OK)
            accepted++;
        else
            job_free(job);
    }
    service->accepted[argument->number] = accepted;
    free(argument);
    return NULL;
}

static void *worker(void *data)
{
    Service *service = data;
    Job *batch[2];
    Share share = {0};
    unsigned n;
    while ((n = queue_take(&service->queue, batch, 2)) > 0) {
        share_add(&share, n);
        for (unsigned i = 0; i < n; i++) {
            job_run(batch[i]);
            results_add(&service->results, batch[i]);
            job_free(batch[i]);
        }
    }
    share_check(&share);
    return NULL;
}

static void *monitor(void *data)
{
    Service *service = data;
    Figures figures = queue_figures(&service->queue);
    assert(figures.taken <= figures.put);
    return NULL;
}

static void service_start(Service *service)
{
    memset(service, 0, sizeof *service);
    queue_init(&service->queue, CAPACITY);
    results_init(&service->results);
    for (int i = 0; i < WORKERS; i++) pthread_create(&service->worker[i], NULL, worker, service);
    for (int i = 0; i < PRODUCERS; i++) {
        ProducerArgument *argument = malloc(sizeof *argument);
        if (!argument) abort();
        argument->service = service;
        argument->number = i;
        pthread_create(&service->producer[i], NULL, producer, argument);
    }
    if (MONITOR) pthread_create(&service->monitor, NULL, monitor, service);
}

static void service_stop(Service *service)
{
    for (int i = 0; i < PRODUCERS; i++) pthread_join(service->producer[i], NULL);
    queue_close(&service->queue);
    if (MONITOR) queue_drain(&service->queue);
    for (int i = 0; i < WORKERS; i++) pthread_join(service->worker[i], NULL);
    if (MONITOR) pthread_join(service->monitor, NULL);
}

static int expected_sum(const Service *service)
{
    int sum = 0;
    for (int id = 0; id < PRODUCERS * JOBS; id++) {
        if (!service->results.seen[id]) continue;
        int a = 0, b = 1, input = 3 + id % JOBS;
        for (int i = 0; i < input; i++) {
            int next = a + b;
            a = b;
            b = next;
        }
        sum += a;
    }
    return sum;
}

static void service_check(const Service *service)
{
    int accepted = 0;
    for (int i = 0; i < PRODUCERS; i++) accepted += service->accepted[i];
    assert(service->results.done == accepted);
    assert(service->results.sum == expected_sum(service));
    assert((int)service->queue.figures.taken == accepted);
    assert(service->queue.figures.most_waiting <= WORKERS);
}

static void print_figures(const Figures *figures)
{
    printf("%u put, %u taken, %u refused, %u timeouts\n", figures->put, figures->taken, figures->refused,
           figures->timeouts);
    for (int p = 0; p < N_PRIORITIES; p++) printf("  %-8s %u\n", priority_name((Priority)p), figures->by_priority[p]);
}

int main(void)
{
    static Service service;
    service_start(&service);
    service_stop(&service);
    service_check(&service);
    print_figures(&service.queue.figures);
    queue_destroy(&service.queue);
    pthread_mutex_destroy(&service.results.mutex);
    return 0;
}
