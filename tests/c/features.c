// What programs use beside threads: thread-local variables, errno, thread-specific data, constructors, large arrays,
// formatted output, time, random numbers, C11 threads. All of it must be the same in every execution, and nothing is a
// race.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static _Thread_local int mine = 7, zero;
static char large[3 << 20];
static int started, flag;
static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;

static void __attribute__((constructor)) construct(void)
{
    char *text = malloc(100);
    strcpy(text, "hello");
    started = (int)strlen(text);
}

static void first(void)
{
    large[5000]++;
}

static int worker(void *argument)
{
    int number = (int)(long)argument;
    mine += number;
    if (mine != 7 + number || zero) abort();
    zero = 3;
    call_once(&once, first);
    tss_set(key, malloc(10));
    errno = number;
    mtx_lock(&mutex);
    flag++;
    printf("worker %d of %d\n", number, flag);
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    if (errno != number || mine != 7 + number) abort();
    srand((unsigned)time(NULL));
    large[((long)number << 20) + rand() % 100] = 1;
    return number;
}

int main(void)
{
    thrd_t thread[2];
    int result;
    if (started != 5 || large[5000] || mine != 7) abort();
    mtx_init(&mutex, mtx_plain | mtx_recursive);
    cnd_init(&changed);
    tss_create(&key, free);
    for (long i = 0; i < 2; i++) thrd_create(&thread[i], worker, (void *)(i + 1));
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
    while (flag < 2) cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    for (int i = 0; i < 2; i++) {
        thrd_join(thread[i], &result);
        if (result != i + 1) abort();
    }
    if (mine != 7 || large[5000] != 1) abort();
    return 0;
}
