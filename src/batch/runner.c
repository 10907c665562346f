#include "batch/runner.h"

#include "base/budget.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A job that respects its own budget ends before this; only one that hangs is killed. */
#define GRACE_SECONDS(limit) (1.0 + 0.05 * (limit))
#define TICK_SECONDS 0.25
#define MEMORY_SECONDS 0.1
enum { LARGEST_OUTPUT = 64 << 20 };

typedef struct Child {
    pid_t pid;
    int fd;
    size_t job;
    double started;
    GString *output;
    Ending killed; /* ENDING_DONE while not killed */
} Child;

typedef struct Pool {
    const RunnerOptions *options;
    const Runner *runner;
    VEC(Child) children;
    double last_memory, last_tick;
    bool refused; /* done() said stop */
} Pool;

const char *runner_ending_name(Ending ending)
{
    static const char *const names[] = {"done", "time", "memory", "crash", "stopped"};
    return names[ending];
}

static void limit_child(const RunnerOptions *options)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__ /* its shadow needs terabytes of addresses */
    if (options->memory) {
        /* Resident memory is what counts and is watched by the parent; address space may be larger. */
        rlim_t bytes = (rlim_t)(options->memory * 2 + (UINT64_C(512) << 20));
        setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
    }
#else
    (void)options;
#endif
}

static void become_child(Pool *pool, size_t job, int out, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); /* it died before prctl */
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    int in = open("/dev/null", O_RDONLY);
    int err = open(pool->options->stderr_path ? pool->options->stderr_path : "/dev/null", O_WRONLY | O_APPEND | O_CREAT, 0666);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    if (err >= 0) dup2(err, STDERR_FILENO);
    for (size_t i = 0; i < pool->children.len; i++) close(pool->children.data[i].fd);
    if (in > 2) close(in);
    if (out > 2) close(out);
    if (err > 2) close(err);
    limit_child(pool->options);
    int status = pool->runner->work(job, pool->runner->data);
    fflush(stdout);
    _exit(status);
}

/* False when the system has no process or pipe to give. */
static bool start_child(Pool *pool, size_t job)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return false;
    fflush(NULL); /* or both processes would write what is buffered */
    pid_t self = getpid(), pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (pid == 0) {
        close(ends[0]);
        become_child(pool, job, ends[1], self);
    }
    setpgid(pid, pid); /* both sides do it, so that neither waits for the other */
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    vec_push(&pool->children, ((Child){pid, ends[0], job, budget_now(), g_string_new(NULL), ENDING_DONE}));
    return true;
}

static void kill_child(Child *child, Ending why)
{
    if (child->killed != ENDING_DONE) return;
    child->killed = why;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
}

/* True at the end of the child's output. */
static bool drain(Child *child)
{
    char chunk[16384];
    for (;;) {
        ssize_t n = read(child->fd, chunk, sizeof chunk);
        if (n > 0) {
            if (child->output->len < LARGEST_OUTPUT) g_string_append_len(child->output, chunk, n);
        } else if (n == 0) {
            return true;
        } else if (errno != EINTR) {
            return errno != EAGAIN;
        }
    }
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static Outcome outcome_of(const Pool *pool, const Child *child, int status, const struct rusage *usage)
{
    Outcome o = {.wall = budget_now() - child->started,
                 .cpu = seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime),
                 .peak_kib = (uint64_t)usage->ru_maxrss,
                 .output = child->output->str,
                 .output_len = child->output->len};
    uint64_t memory_kib = pool->options->memory / 1024;
    if (child->killed != ENDING_DONE) {
        o.ending = child->killed;
    } else if (WIFSIGNALED(status)) {
        o.status = WTERMSIG(status);
        /* An allocation refused by the address-space limit, or the kernel's killer, ends like a crash. */
        o.ending = memory_kib && o.peak_kib > memory_kib / 10 * 8 ? ENDING_MEMORY : ENDING_CRASH;
    } else {
        o.ending = ENDING_DONE;
        o.status = WEXITSTATUS(status);
    }
    return o;
}

static void finish_child(Pool *pool, size_t i)
{
    Child child = pool->children.data[i];
    pool->children.data[i] = vec_last(&pool->children);
    pool->children.len--;
    int status = 0;
    struct rusage usage = {0};
    while (wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {}
    kill(-child.pid, SIGKILL); /* whatever it may have started itself */
    close(child.fd);
    Outcome outcome = outcome_of(pool, &child, status, &usage);
    if (!pool->refused && !pool->runner->done(child.job, &outcome, pool->runner->data)) pool->refused = true;
    g_string_free(child.output, TRUE);
}

static void enforce_limits(Pool *pool)
{
    const RunnerOptions *o = pool->options;
    double now = budget_now();
    bool look_at_memory = o->memory && now - pool->last_memory >= MEMORY_SECONDS;
    if (look_at_memory) pool->last_memory = now;
    bool stopping = pool->refused || (o->stop && *o->stop);
    for (size_t i = 0; i < pool->children.len; i++) {
        Child *child = &pool->children.data[i];
        if (stopping)
            kill_child(child, ENDING_STOPPED);
        else if (o->seconds > 0 && now - child->started > o->seconds + GRACE_SECONDS(o->seconds))
            kill_child(child, ENDING_TIME);
        else if (look_at_memory && budget_resident_of((int)child->pid) > o->memory)
            kill_child(child, ENDING_MEMORY);
    }
    if (pool->runner->tick && now - pool->last_tick >= TICK_SECONDS) {
        pool->last_tick = now;
        pool->runner->tick(pool->children.len, pool->runner->data);
    }
}

static void wait_for_output(Pool *pool)
{
    struct pollfd fds[256];
    size_t n = MIN(pool->children.len, G_N_ELEMENTS(fds));
    for (size_t i = 0; i < n; i++) fds[i] = (struct pollfd){pool->children.data[i].fd, POLLIN, 0};
    poll(fds, n, (int)(MEMORY_SECONDS * 1000));
    for (size_t i = n; i-- > 0;) /* from the end: finishing moves the last one here */
        if (fds[i].revents && drain(&pool->children.data[i])) finish_child(pool, i);
}

bool runner_run(const size_t *order, size_t n, const RunnerOptions *options, const Runner *runner)
{
    Pool pool = {.options = options, .runner = runner};
    size_t next = 0, at_once = CLAMP(options->jobs, 1, 256);
    while (next < n || pool.children.len) {
        bool stopping = pool.refused || (options->stop && *options->stop);
        while (!stopping && next < n && pool.children.len < at_once && start_child(&pool, order[next])) next++;
        if (pool.children.len)
            wait_for_output(&pool);
        else if (stopping)
            break;
        else if (next < n)
            g_usleep(50000); /* no process to be had just now */
        enforce_limits(&pool);
    }
    vec_free(&pool.children);
    return next == n && !pool.refused && !(options->stop && *options->stop);
}
