// What ordinary programs do beside locking, one thing per KIND. tests/native.py has what is said about it.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t early;
static int count, given;
static atomic_int stop;
static _Thread_local int local = 5;
static struct stat status[200]; // more than one page
static pthread_t handle;

__attribute__((constructor)) static void before_main(void)
{
    sem_init(&early, 0, 0);
    sem_post(&early);
}

static void at_end(void)
{
    assert(KIND != 1 || count == 1);
}

static void give_back(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

// Leaves by pthread_exit() with the mutex, which the handler gives back.
static void leave(void)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(give_back, &m);
    if (++count > 0) pthread_exit(NULL);
    pthread_cleanup_pop(1);
}

// Looks once a second whether there is something to do.
static void poll_for_work(void)
{
    pthread_mutex_lock(&m);
    while (!given && !stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 300000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&c, &m, &until);
    }
    pthread_mutex_unlock(&m);
}

// What it waits for is guarded by another mutex.
static void poll_elsewhere(void)
{
    struct timespec until = {2000000000, 0};
    for (int done = 0; !done;) {
        pthread_mutex_lock(&other);
        done = count;
        pthread_mutex_unlock(&other);
        pthread_mutex_lock(&m);
        if (!done) pthread_cond_timedwait(&c, &m, &until);
        pthread_mutex_unlock(&m);
    }
}

// Gives up after a second, whatever happens meanwhile.
static void wait_a_second(void)
{
    struct timespec now, until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&m);
    do {
        pthread_cond_timedwait(&c, &m, &until);
        clock_gettime(CLOCK_REALTIME, &now);
    } while (!given && now.tv_sec < until.tv_sec);
    pthread_mutex_unlock(&m);
}

static void large_frame(void)
{
    volatile char room[20 << 20];
    room[0] = room[sizeof room - 1] = 1;
    assert(room[0] + room[sizeof room - 1] == 2);
}

static void jump(int n)
{
    volatile int tries = 0;
    int values[n]; // of variable length
    jmp_buf place;
    memset(values, 0, sizeof values);
    if (setjmp(place) < 3) {
        pthread_mutex_lock(&m);
        tries++;
        pthread_mutex_unlock(&m);
        longjmp(place, tries);
    }
    local += tries + values[n - 1];
    assert(local == 8);
}

static void look_at_file(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int file = open("/dev/null", O_RDONLY);
    assert(file >= 0 && page != MAP_FAILED && page[0] == 0);
    page[0] = 1;
    assert(fstat(file, &status[count * 100]) == 0);
}

static void on_signal(int number)
{
    given = number;
}

static void *nothing_at_all(void *nothing)
{
    return nothing;
}

static void refused(void)
{
    switch (KIND) {
    case 20: pthread_cancel(handle); break;
    case 21: pthread_kill(handle, SIGUSR1); break;
    case 22: alarm(1); break;
    case 23: sem_open("/nothing", 0); break;
    case 24: pthread_tryjoin_np(handle, NULL); break;
    case 25: given = getchar(); break;
    case 26: pause(); break;
    case 28: kill(1, 0); break;
    case 29: execl("/bin/true", "true", NULL); break;
    case 27:
        for (int i = 0; i < 300; i++) {
            pthread_t t;
            if (pthread_create(&t, NULL, nothing_at_all, NULL)) return;
        }
    }
}

static void *second(void *nothing)
{
    switch (KIND) {
    case 2: leave(); break;
    case 3: poll_for_work(); break;
    case 4: wait_a_second(); break;
    case 5: pthread_mutex_lock(&m); exit(3);
    case 6: large_frame(); break;
    case 7: sem_wait(&early); break;
    case 8: jump(4); break;
    case 9:
        pthread_mutex_lock(&m);
        look_at_file();
        count++;
        pthread_mutex_unlock(&m);
        break;
    case 10: assert(raise(SIGUSR1) == 0 && given == SIGUSR1); break;
    case 11: _exit(1);
    case 12: poll_for_work(); break; // nobody ever gives
    case 13: poll_elsewhere(); break;
    case 14:
        for (int i = 3; i < 20; i++) close(i);
        break;
    case 15: raise(SIGTERM); break;
    case 16: assert(kill(getpid(), SIGUSR1) == 0 && given == SIGUSR1); break;
    }
    return nothing;
}

int main(void)
{
    atexit(at_end);
    signal(SIGUSR1, on_signal);
    handle = pthread_self();
    if (KIND >= 20) refused();
    pthread_create(&handle, NULL, second, NULL);
    if (KIND == 1) count = 2;
    if (KIND == 2 || KIND == 8) second(NULL);
    if (KIND == 3) atomic_store(&stop, 1);
    if (KIND == 4) {
        pthread_mutex_lock(&m);
        given = KIND % 4;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    if (KIND == 9) second(NULL);
    if (KIND == 13) {
        pthread_mutex_lock(&other);
        count = 1;
        pthread_mutex_unlock(&other);
    }
    pthread_join(handle, NULL);
    return 0;
}
