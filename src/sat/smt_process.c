#include "sat/smt_process.h"

#include "base/machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often the budget is looked at while it works, and how long it may take to hear that it should stop. */
enum { LOOK_MILLISECONDS = 10 };
#define GRACE_SECONDS 0.1
/* Of the memory limit: the process goes before the limit is met, so that the engines here can go on. */
#define MEMORY_PART 0.93

struct SmtProcess {
    pid_t pid;
    int line, control;
    uint64_t resident; /* when last looked */
    double stopping;   /* when it was told to stop; 0: it was not */
};

/* The file that this code was loaded from, and where. */
static Dl_info loaded_from(void)
{
    Dl_info here = {0};
    dladdr(smt_process_mode, &here);
    return here;
}

bool smt_process_is_own(void)
{
    Dl_info program = {0}, here = loaded_from();
    return dladdr((void *)getauxval(AT_PHDR), &program) == 0 || program.dli_fbase == here.dli_fbase;
}

/* Beside the library where it is installed, or in its build folder, whose libraries are in .libs. */
static char *solver_program(void)
{
    static const char *const places[] = {SOLVER_FOLDER "/mazurka-solver", "../mazurka-solver"};
    g_autofree char *folder = g_path_get_dirname(loaded_from().dli_fname);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        char *path = g_build_filename(folder, places[i], NULL);
        if (access(path, X_OK) == 0) return path;
        g_free(path);
    }
    return NULL;
}

/* By its name, so that it is the program also where a tool like valgrind runs it; by the other way in when the file was
 * replaced since. */
static char *server_program(void)
{
    if (!smt_process_is_own()) return solver_program();
    char *path = machine_own_program();
    if (path && access(path, X_OK) == 0) return path;
    g_free(path);
    return g_strdup("/proc/self/exe");
}

static bool start(pid_t *pid, int line, int control)
{
    g_autofree char *program = server_program();
    if (!program) return false;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, line, SMT_LINE);
    posix_spawn_file_actions_adddup2(&files, control, SMT_CONTROL);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    bool ok = posix_spawn(pid, program, &files, &attributes, (char *[]){program, (char *)smt_process_mode, NULL},
                          environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return ok;
}

/* Both ends above the numbers that the child gives them. */
static bool make_line(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return false;
    for (int i = 0; i < 2; i++) {
        if (ends[i] > SMT_CONTROL) continue;
        int higher = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
        close(ends[i]);
        ends[i] = higher;
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

SmtProcess *smt_process_new(void)
{
    int line[2] = {-1, -1}, control[2] = {-1, -1};
    pid_t pid = 0;
    bool ok = make_line(line) && make_line(control) && start(&pid, line[1], control[1]);
    if (line[1] >= 0) close(line[1]);
    if (control[1] >= 0) close(control[1]);
    if (!ok) {
        if (line[0] >= 0) close(line[0]);
        if (control[0] >= 0) close(control[0]);
        return NULL;
    }
    fcntl(line[0], F_SETFL, O_NONBLOCK);
    SmtProcess *p = g_new0(SmtProcess, 1);
    *p = (SmtProcess){.pid = pid, .line = line[0], .control = control[0]};
    return p;
}

void smt_process_free(SmtProcess *p)
{
    if (!p) return;
    close(p->line);
    close(p->control);
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    budget_elsewhere(&p->resident, 0);
    g_free(p);
}

static bool look_at_memory(SmtProcess *p, Budget *budget)
{
    budget_elsewhere(&p->resident, budget_private_of(p->pid));
    if (!budget_memory(budget) || (double)budget_resident() < MEMORY_PART * (double)budget_memory(budget)) return true;
    budget_exhaust(budget, ENDING_MEMORY);
    return false;
}

/* Waits until the line can be used. False: it never will be. */
static bool wait_for(SmtProcess *p, short what, Budget *budget)
{
    for (;;) {
        struct pollfd line = {.fd = p->line, .events = what};
        int n = poll(&line, 1, LOOK_MILLISECONDS);
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return false;
        if (!look_at_memory(p, budget)) return false;
        if (!budget_watch(budget)) continue;
        double now = budget_now();
        if (!p->stopping) {
            p->stopping = now;
            if (send(p->control, "", 1, MSG_NOSIGNAL) != 1) return false;
        }
        if (now - p->stopping > GRACE_SECONDS) return false;
    }
}

/* One way or the other, all of it. */
static bool transfer(SmtProcess *p, bool out, void *data, size_t bytes, Budget *budget)
{
    char *at = data;
    while (bytes) {
        ssize_t n = out ? send(p->line, at, bytes, MSG_NOSIGNAL) : recv(p->line, at, bytes, 0);
        if (n > 0) {
            at += n;
            bytes -= (size_t)n;
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR) || !wait_for(p, out ? POLLOUT : POLLIN, budget)) {
            return false;
        }
    }
    return true;
}

bool smt_process_ask(SmtProcess *p, int64_t limit, const SmtWords *question, Budget *budget, SmtWords *answer)
{
    int64_t n = (int64_t)question->len, head[] = {n + 1, limit};
    p->stopping = 0;
    vec_clear(answer);
    if (!transfer(p, true, head, sizeof head, budget) ||
        !transfer(p, true, question->data, question->len * sizeof *question->data, budget) ||
        !transfer(p, false, &n, sizeof n, budget) || n < 0)
        return false;
    vec_reserve(answer, (size_t)n);
    if (!transfer(p, false, answer->data, (size_t)n * sizeof *answer->data, budget)) return false;
    answer->len = (size_t)n;
    return true;
}
