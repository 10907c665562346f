// Things that users write, by KIND: what each should be found to be is in tests/native.py.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Node {
    int value;
    struct Node *next;
} Node;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items, data;
static atomic_int flag, left, right;
static atomic_uint sequence;
static _Atomic(Node *) top;
static __thread unsigned tries;
static char shared[32];
static volatile int stop;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// The timeout and the change of what is waited for can both happen before the mutex is had again.
static void take_in_time(void)
{
    struct timespec end = {time(NULL) + 1, 0};
    int r = 0;
    pthread_mutex_lock(&mutex);
    while (!items && r != ETIMEDOUT) r = pthread_cond_timedwait(&more, &mutex, &end);
    if (KIND == 1 && r == ETIMEDOUT) assert(items == 0);
    if (items) items--;
    pthread_mutex_unlock(&mutex);
}

static void give(void)
{
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&mutex);
}

// A stack without locks: what the swap expects stands in the node.
static void push(int value)
{
    Node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed))
        continue;
}

static int pop(void)
{
    Node *n = atomic_load_explicit(&top, memory_order_acquire);
    while (n && !atomic_compare_exchange_weak(&top, &n, n->next)) continue;
    return n ? n->value : 0;
}

static void write_pair(void)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&left, 5, memory_order_relaxed);
    atomic_store_explicit(&right, 5, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
}

static void read_pair(void)
{
    unsigned before, after;
    int a, b;
    do {
        before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&left, memory_order_relaxed);
        b = atomic_load_explicit(&right, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after || before & 1);
    assert(a == b);
}

static void publish(void)
{
    data = 7;
    if (KIND != 6) atomic_thread_fence(memory_order_release);
    if (KIND == 7) data = 8;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void consume(void)
{
    if (!atomic_load_explicit(&flag, memory_order_relaxed)) return;
    if (KIND != 8) atomic_thread_fence(memory_order_acquire);
    assert(data >= 7);
}

// Loops that end by themselves although nobody sets the flag, each by something else than what is on the stack.
static void wait_a_while(void)
{
    double end = now() + 1;
    while (!atomic_load(&flag)) {
        if (KIND == 11 && now() > end) return;
        if (KIND == 12 && time(NULL) > (time_t)end) return;
        if (KIND == 12) usleep(1000);
        if (KIND == 13 && ++tries > 5) return;
        if (KIND == 14 && rand_r(&tries) % 4 == 0) return;
        if (KIND == 15 && snprintf(shared, sizeof shared, "%d", atoi(shared) + 1) > 1) return;
        if (KIND == 16 && lrand48() % 4 == 0) return;
        if (KIND == 17 && !malloc((size_t)1 << 28)) return;
    }
}

static void print_shared(void)
{
    if (KIND == 18) snprintf(shared, sizeof shared, "%d", 1);
    if (KIND == 19) {
        char text[] = "a b";
        strtok(text, " ");
    }
    if (KIND == 20) free(strdup(shared));
    if (KIND == 21) (void)strcmp("b", shared); // they differ at once
}

// A flag that is no atomic: a data race, not an endless loop.
static void wait_plainly(void)
{
    while (!stop)
        if (KIND != 23) usleep(100);
}

static void *first(void *argument)
{
    if (KIND >= 22) wait_plainly();
    if (KIND <= 2) take_in_time();
    if (KIND == 3) push(1), pop();
    if (KIND == 4) write_pair();
    if (KIND >= 5 && KIND <= 8) publish();
    if (KIND >= 10 && KIND <= 17) wait_a_while();
    if (KIND >= 18 && KIND <= 21) print_shared();
    return argument;
}

static void *second(void *argument)
{
    if (KIND <= 2) give();
    if (KIND == 3) push(2), pop();
    if (KIND == 4) read_pair();
    if (KIND >= 5 && KIND <= 8) consume();
    if (KIND == 20) strcpy(shared, "a");
    if (KIND == 21) shared[1] = 'a';
    if (KIND == 18 || KIND == 19) print_shared();
    if (KIND == 22 || KIND == 23) stop = 1;
    return argument;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, second, 0);
    if (KIND == 24) return 0;
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
