// lastzero(N) ([ODPOR14]): thread 0 looks for the last zero of an array while thread j sets its j-th element to one more than
// the one before it. (N+3) 2^(N-2) traces.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int a[N + 1];

static void *search(void *nothing)
{
    int i = N;
    while (atomic_load(&a[i]) != 0) i--;
    return nothing;
}

static void *set(void *number)
{
    long j = (long)number;
    atomic_store(&a[j], atomic_load(&a[j - 1]) + 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, search, NULL);
    for (long j = 1; j <= N; j++) pthread_create(&thread, NULL, set, (void *)j);
    pthread_exit(NULL);
}
