// MPC(P, W): P producers put their numbers into one buffer and then wake the worker that the last value names
// ([DPU18], Table 1).
#include <pthread.h>

#ifndef P
#define P 2
#endif
#ifndef W
#define W 5
#endif

static pthread_mutex_t pm = PTHREAD_MUTEX_INITIALIZER, m[W];
static int buffer, work[W];

static void touch(int i)
{
    pthread_mutex_lock(&m[i]);
    work[i]++;
    pthread_mutex_unlock(&m[i]);
}

static void *worker(void *number)
{
    touch((int)(long)number);
    touch((int)(long)number);
    return NULL;
}

static void *producer(void *number)
{
    int last = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&pm);
        buffer = buffer * P + (int)(long)number;
        last = buffer;
        pthread_mutex_unlock(&pm);
    }
    touch(last % W);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < W; i++) pthread_mutex_init(&m[i], NULL);
    for (long i = 0; i < W; i++) pthread_create(&thread, NULL, worker, (void *)i);
    for (long i = 0; i < P; i++) pthread_create(&thread, NULL, producer, (void *)i);
    pthread_exit(NULL);
}
