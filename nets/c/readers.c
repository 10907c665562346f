// readers(N) ([ODPOR14]): a writer of x; reader i reads a variable of its own, then x. 2^N traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int x, y[N];

static void *writer(void *nothing)
{
    atomic_store(&x, 1);
    return nothing;
}

static void *reader(void *number)
{
    atomic_load(&y[(long)number]);
    atomic_load(&x);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    for (long i = 0; i < N; i++) pthread_create(&thread, NULL, reader, (void *)i);
    pthread_exit(NULL);
}
