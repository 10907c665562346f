// N philosophers who take the fork on their left, then the one on their right. FREE=1: the last one starts on the right.
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef FREE
#define FREE 0
#endif

static pthread_mutex_t fork_of[N];
static int meals[N];

static void *philosopher(void *number)
{
    int i = (int)(long)number, left = i, right = (i + 1) % N;
    if (FREE && i == N - 1) {
        left = right;
        right = i;
    }
    pthread_mutex_lock(&fork_of[left]);
    pthread_mutex_lock(&fork_of[right]);
    meals[i]++;
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

int main(void)
{
    pthread_t thread[N];
    for (int i = 0; i < N; i++) pthread_mutex_init(&fork_of[i], NULL);
    for (long i = 0; i < N; i++) pthread_create(&thread[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(thread[i], NULL);
    return 0;
}
