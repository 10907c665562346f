// DEKKER ([POET15], Table 2): flags, and a turn that says who gives way. BUG=1: nobody looks at the other's flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef BUG
#define BUG 0
#endif

static atomic_int flag[2], turn;
static volatile int x; // no race, if the algorithm is right

static void *enter(void *number)
{
    int i = (int)(long)number, other = 1 - i;
    atomic_store(&flag[i], 1);
    while (!BUG && atomic_load(&flag[other])) {
        if (atomic_load(&turn) == i) continue;
        atomic_store(&flag[i], 0);
        while (atomic_load(&turn) != i)
            ;
        atomic_store(&flag[i], 1);
    }
    x = i;
    assert(x == i);
    atomic_store(&turn, other);
    atomic_store(&flag[i], 0);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, enter, (void *)0);
    pthread_create(&two, NULL, enter, (void *)1);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
