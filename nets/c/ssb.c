// SSB and SSB(N) ([POET15], Table 1): reads that decide whether writes happen. N = 0 is the plain program.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 1
#endif

static atomic_int x, y, z;

static void *p(void *nothing)
{
    atomic_store(&x, 1);
    return nothing;
}

static void *q(void *nothing)
{
    atomic_store(&y, 1);
    return nothing;
}

static void *r(void *nothing)
{
    if (atomic_load(&y) == 0) atomic_store(&z, 1);
    return nothing;
}

static void *s(void *nothing)
{
    if (N == 0) {
        if (atomic_load(&z) == 1) atomic_store(&x, 2);
        return nothing;
    }
    while (atomic_load(&y) < N) {
        if (atomic_load(&z) == 1) atomic_store(&x, 2);
        atomic_store(&y, atomic_load(&y) + 1);
    }
    return nothing;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, p, NULL);
    pthread_create(&thread, NULL, q, NULL);
    pthread_create(&thread, NULL, r, NULL);
    pthread_create(&thread, NULL, s, NULL);
    pthread_exit(NULL);
}
