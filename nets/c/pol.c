// POL(N, K): K times, a reader looks at the element that a concurrent thread chooses among N, each with a writer
// ([DPU18], Table 1).
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 2
#endif

static pthread_mutex_t mi = PTHREAD_MUTEX_INITIALIZER, ma[N];
static int i, a[N], seen;

static void *writer(void *number)
{
    long x = (long)number;
    pthread_mutex_lock(&ma[x]);
    a[x] = 1;
    pthread_mutex_unlock(&ma[x]);
    return NULL;
}

static void *choice(void *nothing)
{
    for (int x = 1; x < N; x++) {
        pthread_mutex_lock(&mi);
        i = x;
        pthread_mutex_unlock(&mi);
    }
    return nothing;
}

static void *reader(void *nothing)
{
    pthread_mutex_lock(&mi);
    int x = i;
    pthread_mutex_unlock(&mi);
    pthread_mutex_lock(&ma[x]);
    seen += a[x];
    pthread_mutex_unlock(&ma[x]);
    return nothing;
}

int main(void)
{
    pthread_t writers[N], chooser, looker;
    for (int x = 0; x < N; x++) pthread_mutex_init(&ma[x], NULL);
    for (long x = 0; x < N; x++) pthread_create(&writers[x], NULL, writer, (void *)x);
    for (int k = 0; k < K; k++) {
        pthread_create(&chooser, NULL, choice, NULL);
        pthread_create(&looker, NULL, reader, NULL);
        pthread_join(chooser, NULL);
        pthread_join(looker, NULL);
    }
    for (int x = 0; x < N; x++) pthread_join(writers[x], NULL);
    return 0;
}
