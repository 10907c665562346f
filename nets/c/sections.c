// Two threads with A and B critical sections on one mutex: (A+B)! / (A! B!) traces (STF is 2 and 2, SPIN08 is 3 and 6,
// [POET15] Table 1).
#include <pthread.h>

#ifndef A
#define A 2
#endif
#ifndef B
#define B 2
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *sections(void *number)
{
    for (long i = 0; i < (long)number; i++) {
        pthread_mutex_lock(&m);
        count++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, sections, (void *)(long)A);
    pthread_create(&two, NULL, sections, (void *)(long)B);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return count != A + B;
}
