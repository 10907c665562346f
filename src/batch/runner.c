#include "batch/runner.h"

#include "base/budget.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A job that respects its own budget ends before this; only one that hangs is killed. */
#define GRACE_SECONDS(limit) (1.0 + 0.05 * (limit))
#define TICK_SECONDS 0.25
#define MEMORY_SECONDS 0.1
#define EXIT_SECONDS 0.001
enum { MOST_TOLD = 64 << 20, AT_ONCE = 256, MOST_PIDS = 256, DRAIN_CHUNKS = 64 };

typedef struct Child {
    pid_t pid;
    int fd;    /* where it tells; -1 after the end of that */
    int pidfd; /* readable when it has exited; -1 when the system has no such thing */
    size_t job;
    double started;
    GString *told;
    bool truncated;
    JobEnding killed; /* JOB_ENDED_DONE while not killed */
    Cgroup group;     /* empty without control groups */
} Child;

typedef struct Pool {
    const RunnerOptions *options;
    const JobCalls *runner;
    VEC(Child) children;
    double last_memory, last_tick;
    bool refused; /* done() said stop */
} Pool;

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

/* Descriptors 0 to 2 may have been closed when the batch was started; then the pipe got one of them. */
static int above_standard(int fd)
{
    int higher = fd > STDERR_FILENO ? fd : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (higher < 0) _exit(127);
    return higher;
}

static void set_standard(const RunnerOptions *options)
{
    int null = above_standard(open("/dev/null", O_RDWR | O_CLOEXEC)), err = -1;
    if (options->stderr_path) err = open(options->stderr_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(err >= 0 ? err : null, STDERR_FILENO);
    if (err > STDERR_FILENO) close(err);
    close(null);
}

static void become_child(Pool *pool, size_t job, int tell, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); /* it died before prctl */
    signal(SIGINT, SIG_IGN);             /* the parent decides */
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    for (size_t i = 0; i < pool->children.len; i++) {
        const Child *other = &pool->children.data[i];
        if (other->fd >= 0) close(other->fd);
        if (other->pidfd >= 0) close(other->pidfd);
        if (other->group.fd >= 0) close(other->group.fd);
    }
    cgroups_forget(pool->options->groups);
    tell = above_standard(tell);
    set_standard(pool->options);
    limit_child(pool->options);
    _exit(pool->runner->work(job, tell, pool->runner->data));
}

/* A fork that starts in the group: entering it later makes the kernel wait for all processors, several milliseconds a
 * job. glibc has no call for it; what its fork() does on top matters only to processes with threads. */
static pid_t fork_into(const Cgroup *group, bool *placed)
{
    *placed = false;
#if defined SYS_clone3 && defined CLONE_INTO_CGROUP
    if (group->fd >= 0) {
        struct clone_args args = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)group->fd};
        long pid = syscall(SYS_clone3, &args, sizeof args);
        *placed = pid >= 0;
        if (pid >= 0) return (pid_t)pid;
    }
#else
    (void)group;
#endif
    return fork();
}

/* False when the system has no process or pipe to give. */
static bool start_child(Pool *pool, size_t job)
{
    Cgroups *groups = pool->options->groups;
    Child child = {.fd = -1, .pidfd = -1, .job = job, .group = {NULL, -1}};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return false;
    if (groups && !cgroup_new(groups, pool->options->memory, MOST_PIDS, &child.group)) child.group = (Cgroup){NULL, -1};
    fflush(NULL); /* or both processes would write what is buffered */
    bool placed;
    pid_t self = getpid();
    child.pid = fork_into(&child.group, &placed);
    if (child.pid < 0) {
        close(ends[0]);
        close(ends[1]);
        if (groups) cgroup_end(groups, &child.group);
        return false;
    }
    if (child.pid == 0) {
        close(ends[0]);
        if (child.group.path && !placed) cgroup_enter(groups, &child.group);
        if (child.group.fd >= 0) close(child.group.fd);
        become_child(pool, job, ends[1], self);
    }
    setpgid(child.pid, child.pid); /* both sides do it, so that neither waits for the other */
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    child.fd = ends[0];
    child.started = budget_now();
    child.told = g_string_new(NULL);
#ifdef SYS_pidfd_open
    child.pidfd = (int)syscall(SYS_pidfd_open, child.pid, 0);
#endif
    vec_push(&pool->children, child);
    return true;
}

static void kill_child(const Pool *pool, Child *child, JobEnding why)
{
    if (child->killed != JOB_ENDED_DONE) return;
    child->killed = why;
    if (child->group.path) cgroup_kill(pool->options->groups, &child->group);
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
}

/* Takes what there is, but not for ever: one that writes without end is to be killed in time. */
static void drain(const Pool *pool, Child *child)
{
    size_t most = pool->options->most_told ? pool->options->most_told : MOST_TOLD;
    char chunk[16384];
    for (int i = 0; i < DRAIN_CHUNKS && child->fd >= 0; i++) {
        ssize_t n = read(child->fd, chunk, sizeof chunk);
        if (n > 0) {
            size_t kept = MIN((size_t)n, most - child->told->len);
            g_string_append_len(child->told, chunk, (gssize)kept);
            child->truncated |= kept < (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            return;
        } else if (n == 0 || errno != EINTR) {
            close(child->fd);
            child->fd = -1;
        }
    }
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static JobOutcome outcome_of(const Pool *pool, const Child *child, int status, const struct rusage *usage)
{
    JobOutcome o = {.wall = budget_now() - child->started,
                    .cpu = seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime),
                    .peak_kib = (uint64_t)usage->ru_maxrss,
                    .told = child->told->str,
                    .told_len = child->told->len,
                    .truncated = child->truncated};
    const Cgroup *group = child->group.path ? &child->group : NULL;
    bool out_of_memory = group && cgroup_out_of_memory(pool->options->groups, group);
    uint64_t group_kib = group ? cgroup_peak_kib(pool->options->groups, group) : 0;
    if (group_kib) o.peak_kib = group_kib;
    uint64_t memory_kib = pool->options->memory / 1024;
    if (child->killed != JOB_ENDED_DONE) {
        o.ending = child->killed;
    } else if (out_of_memory) {
        o.ending = JOB_ENDED_MEMORY;
    } else if (WIFSIGNALED(status)) {
        o.status = WTERMSIG(status);
        /* An allocation refused by the address-space limit, or the kernel's killer, ends like a crash. */
        o.ending = memory_kib && o.peak_kib > memory_kib / 10 * 8 ? JOB_ENDED_MEMORY : JOB_ENDED_CRASH;
    } else {
        o.ending = JOB_ENDED_DONE;
        o.status = WEXITSTATUS(status);
    }
    return o;
}

static bool has_exited(const Child *child)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) return info.si_pid == child->pid;
    return errno == ECHILD; /* somebody else took it: it is gone all the same */
}

static void finish_child(Pool *pool, size_t i)
{
    Child child = pool->children.data[i];
    pool->children.data[i] = vec_last(&pool->children);
    pool->children.len--;
    int status = 0;
    struct rusage usage = {0};
    kill(-child.pid,
         SIGKILL); /* what it may have started itself; what left the process group ends with the control group */
    drain(pool, &child);
    while (wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    if (child.fd >= 0) close(child.fd);
    if (child.pidfd >= 0) close(child.pidfd);
    JobOutcome outcome = outcome_of(pool, &child, status, &usage);
    if (pool->options->groups) cgroup_end(pool->options->groups, &child.group);
    if (!pool->refused && !pool->runner->done(child.job, &outcome, pool->runner->data)) pool->refused = true;
    g_string_free(child.told, TRUE);
}

static bool is_stopping(const Pool *pool)
{
    return pool->refused || (pool->options->stop && *pool->options->stop);
}

static void enforce_limits(Pool *pool)
{
    const RunnerOptions *o = pool->options;
    double now = budget_now();
    bool look_at_memory = o->memory && now - pool->last_memory >= MEMORY_SECONDS;
    if (look_at_memory) pool->last_memory = now;
    bool stopping = is_stopping(pool);
    for (size_t i = 0; i < pool->children.len; i++) {
        Child *child = &pool->children.data[i];
        if (stopping)
            kill_child(pool, child, JOB_ENDED_STOPPED);
        else if (o->seconds > 0 && now - child->started > o->seconds + GRACE_SECONDS(o->seconds))
            kill_child(pool, child, JOB_ENDED_TIME);
        else if (look_at_memory && !child->group.path && budget_resident_of((int)child->pid) > o->memory)
            kill_child(pool, child, JOB_ENDED_MEMORY);
    }
    if (pool->runner->tick && now - pool->last_tick >= TICK_SECONDS) {
        pool->last_tick = now;
        pool->runner->tick(pool->children.len, pool->runner->data);
    }
}

static void wait_for_children(Pool *pool)
{
    struct pollfd fds[2 * AT_ONCE];
    size_t n = pool->children.len;
    bool blind = false; /* one is about to exit and will not tell */
    for (size_t i = 0; i < n; i++) {
        const Child *child = &pool->children.data[i];
        fds[2 * i] = (struct pollfd){child->fd, POLLIN, 0};
        fds[2 * i + 1] = (struct pollfd){child->pidfd, POLLIN, 0};
        blind |= child->fd < 0 && child->pidfd < 0;
    }
    poll(fds, 2 * n, (int)((blind ? EXIT_SECONDS : MEMORY_SECONDS) * 1000));
    for (size_t i = n; i-- > 0;) { /* from the end: finishing moves the last one here */
        Child *child = &pool->children.data[i];
        if (fds[2 * i].revents) drain(pool, child);
        bool look = child->pidfd >= 0 ? fds[2 * i + 1].revents != 0 : true;
        if (look && has_exited(child)) finish_child(pool, i);
    }
}

typedef struct Order {
    const size_t *jobs;
    size_t n, at;
} Order;

static NextJob next_of_order(size_t *job, void *data)
{
    Order *order = data;
    if (order->at == order->n) return NEXT_NONE;
    *job = order->jobs[order->at++];
    return NEXT_JOB;
}

/* Starts what there is to start and room for. A job that could not be started, for want of a process, is *waiting. */
static NextJob start_some(Pool *pool, NextJob (*next)(size_t *, void *), void *data, size_t *job, bool *waiting)
{
    size_t at_once = CLAMP(pool->options->jobs, 1, AT_ONCE);
    while (pool->children.len < at_once) {
        if (!*waiting) {
            NextJob more = next(job, data);
            if (more != NEXT_JOB) return more;
        }
        *waiting = !start_child(pool, *job);
        if (*waiting) return NEXT_LATER;
    }
    return NEXT_JOB;
}

static bool run_all(Pool *pool, NextJob (*next)(size_t *, void *), void *data)
{
    NextJob more = NEXT_JOB;
    bool waiting = false;
    size_t job;
    while (more != NEXT_NONE || pool->children.len) {
        bool stopping = is_stopping(pool);
        if (!stopping && more != NEXT_NONE) more = start_some(pool, next, data, &job, &waiting);
        if (pool->children.len)
            wait_for_children(pool);
        else if (stopping)
            break;
        else if (more == NEXT_LATER)
            g_usleep(50000);
        enforce_limits(pool);
    }
    return more == NEXT_NONE && !is_stopping(pool);
}

bool runner_run(const size_t *order, size_t n, const RunnerOptions *options, const JobCalls *runner)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL}, before;
    sigaction(SIGCHLD, &by_default, &before);
    Pool pool = {.options = options, .runner = runner};
    Order given = {order, n, 0};
    bool whole = runner->next ? run_all(&pool, runner->next, runner->data) : run_all(&pool, next_of_order, &given);
    vec_free(&pool.children);
    sigaction(SIGCHLD, &before, NULL);
    return whole;
}
