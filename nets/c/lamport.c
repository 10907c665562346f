// LAMPORT ([POET15], Table 2): the fast mutex of two threads, with its three busy waits.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int b[2], x, y;
static volatile int inside; // no race, if the algorithm is right

static void *enter(void *number)
{
    int i = (int)(long)number, other = 1 - i, self = i + 1;
    for (;;) {
        atomic_store(&b[i], 1);
        atomic_store(&x, self);
        if (atomic_load(&y) != 0) {
            atomic_store(&b[i], 0);
            while (atomic_load(&y) != 0)
                ;
            continue;
        }
        atomic_store(&y, self);
        if (atomic_load(&x) == self) break;
        atomic_store(&b[i], 0);
        while (atomic_load(&b[other]))
            ;
        if (atomic_load(&y) == self) break;
        while (atomic_load(&y) != 0)
            ;
    }
    inside = i;
    assert(inside == i);
    atomic_store(&y, 0);
    atomic_store(&b[i], 0);
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
