#include "run/processes.h"

#include "run/run.h"
#include "run/threads.h"
#include "run/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void processes_prepare(void)
{
    own_share(&run_pages, sizeof run_pages);
}

static void be_child(void (*execute)(void))
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    threads_forget();
    watch_start();
    execute();
    fflush(stdout);
    own_exit(0);
}

void processes_run(void (*execute)(void))
{
    int status = 0;
    run.end = END_NONE;
    fflush(stdout);
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) be_child(execute);
    if (child < 0) own_exit(1);
    while (syscall(SYS_wait4, child, &status, 0, NULL) < 0 && errno == EINTR) continue;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    if (run.end == END_NONE) own_exit(0); /* it told why */
}
