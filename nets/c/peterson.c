// PETERSON ([POET15], Table 2): flags and a turn. BUG=1: the turn is given before the flag is raised.
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
    if (BUG) atomic_store(&turn, other);
    atomic_store(&flag[i], 1);
    if (!BUG) atomic_store(&turn, other);
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other)
        ;
    x = i;
    assert(x == i);
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
