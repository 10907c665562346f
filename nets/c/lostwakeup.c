// A flag set without its mutex: the signal can come between the waiter's look and its wait. FIXED=1: with the mutex.
#include <pthread.h>
#include <stdatomic.h>

#ifndef FIXED
#define FIXED 0
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *nothing)
{
    pthread_mutex_lock(&m);
    while (!atomic_load(&ready)) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return nothing;
}

static void *setter(void *nothing)
{
    if (FIXED) pthread_mutex_lock(&m);
    atomic_store(&ready, 1);
    pthread_cond_signal(&c);
    if (FIXED) pthread_mutex_unlock(&m);
    return nothing;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, waiter, NULL);
    pthread_create(&two, NULL, setter, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
