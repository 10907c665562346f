// indexer(N) ([ODPOR14]): N threads insert four words each into a hash table by compare-and-swap, with linear probing:
// 8^(N-11) traces for 11 <= N <= 15.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 12
#endif

enum { SIZE = 128, WORDS = 4 };

static atomic_int table[SIZE];

static void *insert(void *number)
{
    for (int m = 1; m <= WORDS; m++) {
        int word = m * 11 + (int)(long)number, h = (word * 7) % SIZE, empty = 0;
        while (!atomic_compare_exchange_strong(&table[h], &empty, word)) {
            h = (h + 1) % SIZE;
            empty = 0;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (long i = 0; i < N; i++) pthread_create(&thread, NULL, insert, (void *)i);
    pthread_exit(NULL);
}
