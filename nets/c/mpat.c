// MPAT(K): K writers and K readers, each pair on a mutex of its own, the readers inside another ([DPU18], Table 1): 2^K K! traces.
#include <pthread.h>

#ifndef K
#define K 3
#endif

static pthread_mutex_t mi = PTHREAD_MUTEX_INITIALIZER, ma[K];
static int a[K], sum;

static void *writer(void *number)
{
    long i = (long)number;
    pthread_mutex_lock(&ma[i]);
    a[i] = 1;
    pthread_mutex_unlock(&ma[i]);
    return NULL;
}

static void *reader(void *number)
{
    long i = (long)number;
    pthread_mutex_lock(&mi);
    pthread_mutex_lock(&ma[i]);
    sum += a[i];
    pthread_mutex_unlock(&ma[i]);
    pthread_mutex_unlock(&mi);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < K; i++) pthread_mutex_init(&ma[i], NULL);
    for (long i = 0; i < K; i++) {
        pthread_create(&thread, NULL, writer, (void *)i);
        pthread_create(&thread, NULL, reader, (void *)i);
    }
    pthread_exit(NULL);
}
