// One fault per KIND, each reachable in some schedule only, or refused. tests/native.py has what is said about it.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int *block, turn, zero;
static char bytes[64];

static int deep(int n)
{
    volatile char room[1000];
    room[0] = (char)n;
    return deep(n + 1) + room[0];
}

static void fault(void)
{
    char c;
    switch (KIND) {
    case 1: block[0] = 1; break;
    case 2: free(block); break;
    case 3: *(volatile int *)8 = 1; break;
    case 4: turn = deep(1); break;
    case 5: pthread_mutex_unlock(&other); break;
    case 6: abort();
    case 7:
        for (volatile int i = 0; !i;)
            ;
        break;
    case 8: turn = (int)read(0, &c, 1); break;
    case 9: turn = (int)fork(); break;
    case 10: sigprocmask(SIG_BLOCK, NULL, (sigset_t *)bytes); break;
    case 11: assert(turn == 0); break;
    case 12: block[100] = 3; break;
    case 13: turn = 5 / zero; break;
    case 14: free(bytes); break;
    case 15: block = realloc(block, 80); break;
    }
}

static void *second(void *nothing)
{
    pthread_mutex_lock(&m);
    if (turn) fault();
    pthread_mutex_unlock(&m);
    if (KIND >= 16) memset(bytes, 1, sizeof bytes);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    block = malloc(40);
    pthread_create(&thread, NULL, second, NULL);
    pthread_mutex_lock(&m);
    turn = 1;
    if (KIND == 1 || KIND == 2) free(block);
    pthread_mutex_unlock(&m);
    if (KIND == 16) turn = (int)strlen(bytes);
    pthread_join(thread, NULL);
    if (KIND == 17) turn = bytes[0]; // written by the thread, which has ended
    return 0;
}
