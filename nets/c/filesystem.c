// filesystem(N) ([ODPOR14]): thread t takes inode t mod 32 and looks for a free block from 2t mod 26 on. Threads t and t+13
// collide: 2^(N-13) traces for 13 <= N <= 26.
#include <pthread.h>

#ifndef N
#define N 14
#endif

enum { INODES = 32, BLOCKS = 26 };

static pthread_mutex_t locki[INODES], lockb[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *make(void *number)
{
    int i = (int)(long)number % INODES;
    pthread_mutex_lock(&locki[i]);
    if (inode[i] == 0) {
        int b = (i * 2) % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&lockb[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&lockb[b]);
                break;
            }
            pthread_mutex_unlock(&lockb[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&locki[i]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < INODES; i++) pthread_mutex_init(&locki[i], NULL);
    for (int i = 0; i < BLOCKS; i++) pthread_mutex_init(&lockb[i], NULL);
    for (long i = 0; i < N; i++) pthread_create(&thread, NULL, make, (void *)i);
    pthread_exit(NULL);
}
