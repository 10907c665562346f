// CCNF(P): P pairs of threads that write different values to one variable ([POET15], Table 1): 2^P traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef P
#define P 4
#endif

static atomic_int x[P];

static void *one(void *number)
{
    atomic_store(&x[(long)number], 1);
    return NULL;
}

static void *two(void *number)
{
    atomic_store(&x[(long)number], 2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (long i = 0; i < P; i++) {
        pthread_create(&thread, NULL, one, (void *)i);
        pthread_create(&thread, NULL, two, (void *)i);
    }
    pthread_exit(NULL);
}
