// PRODCONS bounded to N rounds: three threads on one mutex ([POET15], Table 2): (3N)! / (N!)^3 traces.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int buffer;

static void *change(void *number)
{
    int by = (int)(long)number;
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m);
        if (by > 0 ? buffer < 6 : buffer > 0) buffer += by;
        assert(buffer >= 0 && buffer <= 7);
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    long by[3] = {1, 2, -1};
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, change, (void *)by[i]);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    return 0;
}
