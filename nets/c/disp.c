// DISP(S, R): a dispatcher serves R requests, each going to the server that a concurrent picker last chose among S
// ([DPU18], Table 1).
#include <pthread.h>

#ifndef S
#define S 5
#endif
#ifndef R
#define R 2
#endif

static pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, s[S];
static int sid, served[S];

static void serve(int i)
{
    pthread_mutex_lock(&s[i]);
    served[i]++;
    pthread_mutex_unlock(&s[i]);
}

static void *server(void *number)
{
    serve((int)(long)number);
    return NULL;
}

static void *picker(void *nothing)
{
    for (int x = 0; x < S; x++) {
        pthread_mutex_lock(&k);
        sid = x;
        pthread_mutex_unlock(&k);
    }
    return nothing;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < S; i++) pthread_mutex_init(&s[i], NULL);
    for (long i = 0; i < S; i++) pthread_create(&thread, NULL, server, (void *)i);
    for (int r = 0; r < R; r++) {
        pthread_create(&thread, NULL, picker, NULL);
        pthread_mutex_lock(&k);
        int chosen = sid;
        pthread_mutex_unlock(&k);
        serve(chosen);
        pthread_join(thread, NULL);
    }
    return 0;
}
