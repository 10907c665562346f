// SZYMANSKI ([POET15], Table 2): mutual exclusion by flags that pass through a waiting room, two threads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static volatile int x; // no race, if the algorithm is right

static void *enter(void *number)
{
    int i = (int)(long)number, other = 1 - i;
    atomic_store(&flag[i], 1);
    while (atomic_load(&flag[other]) >= 3)
        ;
    atomic_store(&flag[i], 3);
    if (atomic_load(&flag[other]) == 1) {
        atomic_store(&flag[i], 2);
        while (atomic_load(&flag[other]) != 4)
            ;
    }
    atomic_store(&flag[i], 4);
    while (i == 1 && atomic_load(&flag[0]) >= 2)
        ;
    x = i;
    assert(x == i);
    if (i == 0)
        for (int seen; (seen = atomic_load(&flag[1])) >= 2 && seen <= 3;)
            ;
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
