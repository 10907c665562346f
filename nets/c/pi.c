// PI(N): N threads, each adding its part under one mutex ([DPU18], Table 1): N! traces.
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static double pi;

static void *worker(void *number)
{
    long i = (long)number;
    double part = (i % 2 ? -4.0 : 4.0) / (double)(2 * i + 1);
    pthread_mutex_lock(&m);
    pi += part;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void)
{
    pthread_t thread[N];
    for (long i = 0; i < N; i++) pthread_create(&thread[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(thread[i], NULL);
    return 0;
}
