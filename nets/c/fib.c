// FIB(N): two threads add each other's variable N times ([POET15], Table 1).
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int i = 1, j = 1;

static void *first(void *nothing)
{
    for (int k = 0; k < N; k++) atomic_store(&i, atomic_load(&i) + atomic_load(&j));
    return nothing;
}

static void *second(void *nothing)
{
    for (int k = 0; k < N; k++) atomic_store(&j, atomic_load(&j) + atomic_load(&i));
    return nothing;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
