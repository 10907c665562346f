#include "batch/contest.h"
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A limit from the harness, unless an option says otherwise; 0 when neither is there. */
static double limit(double option, const char *const *variables)
{
    if (option > 0) return option;
    for (; *variables; variables++) {
        const char *text = g_getenv(*variables);
        double value = text ? g_ascii_strtod(text, NULL) : 0;
        if (value > 0) return value;
    }
    return 0;
}

int command_mcc(Command *command)
{
    const Options *o = &command->options;
    if (command->n_arguments > 1) return command_fail("mcc: at most one folder or net is expected");
    int code = command_check_names(command);
    if (code) return code;
    const char *examination = o->examination ? o->examination : g_getenv("BK_EXAMINATION");
    if (!examination || !*examination) return command_fail("mcc: BK_EXAMINATION is not set; it names the examination");
    double seconds = limit(o->time, (const char *const[]){"BK_TIME_CONFINEMENT", NULL});
    double megabytes =
        limit((double)o->memory, (const char *const[]){"BK_MEMORY_CONFINEMENT", "BK_MEM_CONFINEMENT", NULL});
    Budget budget = command_budget(command);
    if (seconds > 0) seconds -= contest_margin(seconds);
    budget.deadline = seconds > 0 ? command->started + seconds : 0;
    budget.allotted = seconds;
    budget.memory = (uint64_t)(megabytes * 0.9 * 1024 * 1024);
    budget.show = NULL; /* standard error is kept by the harness */
    ContestRun run = {
        .path = command->n_arguments ? command->arguments[0] : ".",
        .examination = examination,
        .engine = o->engine,
        .threads = o->threads > 0 ? (unsigned)o->threads : (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1),
        .seed = (uint64_t)o->seed,
        .out = stdout,
        .log = o->verbose ? stderr : NULL,
    };
    return contest_run(&run, &budget) == 0 ? EXIT_HOLDS : EXIT_USAGE;
}
