// Example 2 of [ODPOR14] as it is printed; with ONLY=1 the last thread reads y only if z was 1.
#include <pthread.h>
#include <stdatomic.h>

#ifndef ONLY
#define ONLY 0
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
    int n = atomic_load(&z);
    if (ONLY && n != 1) return nothing;
    int l = atomic_load(&y);
    if (n == 1 && l == 0) atomic_store(&x, 2);
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
