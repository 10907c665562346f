// A program given by its arguments, one thread each: pairs of a letter and a digit. tests/native_twin.py has the same
// meaning in Python and runs all schedules.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { OBJECTS = 4 };

static pthread_mutex_t mutex[OBJECTS];
static pthread_cond_t condition[OBJECTS];
static pthread_rwlock_t lock[OBJECTS];
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore[OBJECTS];
static atomic_int variable[OBJECTS];
static int plain[OBJECTS];

static void first(void)
{
    atomic_fetch_add(&variable[0], 1);
}

// The new value of what the thread saw last. *skip: so many operations are left out.
static int operate(char kind, int i, int seen, int *skip)
{
    int zero = 0;
    switch (kind) {
    case 'l': pthread_mutex_lock(&mutex[i]); return seen;
    case 'u': pthread_mutex_unlock(&mutex[i]); return seen;
    case 't':
        if (pthread_mutex_trylock(&mutex[i])) *skip = 2;
        return seen;
    case 'r': return atomic_load(&variable[i]);
    case 'w': atomic_store(&variable[i], seen + 1); return seen;
    case 'a': return atomic_fetch_add(&variable[i], 1);
    case 'c': return atomic_compare_exchange_strong(&variable[i], &zero, 1);
    case 'z':
        if (!seen) *skip = i;
        return seen;
    case 's': pthread_cond_signal(&condition[i]); return seen;
    case 'b': pthread_cond_broadcast(&condition[i]); return seen;
    case 'v': pthread_cond_wait(&condition[i], &mutex[0]); return seen;
    case 'T': return pthread_cond_timedwait(&condition[i], &mutex[0], 0) != 0;
    case 'p': sem_post(&semaphore[i]); return seen;
    case 'q': sem_wait(&semaphore[i]); return seen;
    case 'y': return sem_trywait(&semaphore[i]) == 0;
    case 'd': pthread_rwlock_rdlock(&lock[i]); return seen;
    case 'e': pthread_rwlock_wrlock(&lock[i]); return seen;
    case 'D':
        if (pthread_rwlock_tryrdlock(&lock[i])) *skip = 2;
        return seen;
    case 'E':
        if (pthread_rwlock_trywrlock(&lock[i])) *skip = 2;
        return seen;
    case 'f': pthread_rwlock_unlock(&lock[i]); return seen;
    case 'g': pthread_barrier_wait(&barrier); return seen;
    case 'o': pthread_once(&once, first); return seen;
    case 'n': plain[i] = seen; return seen;
    case 'm': return plain[i];
    case 'x': assert(seen != i); return seen;
    default: return seen;
    }
}

static void *thread(void *text)
{
    int seen = 0, skip = 0;
    for (const char *at = text; *at; at += 2) {
        if (skip)
            skip--;
        else
            seen = operate(at[0], at[1] - '0', seen, &skip);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t handle;
    for (int i = 0; i < OBJECTS; i++) {
        pthread_mutex_init(&mutex[i], 0);
        pthread_cond_init(&condition[i], 0);
        pthread_rwlock_init(&lock[i], 0);
        sem_init(&semaphore[i], 0, i);
    }
    pthread_barrier_init(&barrier, 0, 2);
    for (int i = 1; i < argc; i++) pthread_create(&handle, 0, thread, argv[i]);
    pthread_exit(0);
}
