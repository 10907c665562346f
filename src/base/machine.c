#include "base/machine.h"

#include <glib.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

uint64_t machine_usual_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t most = pages > 0 && size > 0 ? (uint64_t)pages / 4 * 3 * (uint64_t)size : UINT64_MAX;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) most = MIN(most, space.rlim_cur / 3);
    return most;
}

char *machine_own_program(void)
{
    char *path = g_file_read_link("/proc/self/exe", NULL);
    return path ? path : g_strdup((const char *)getauxval(AT_EXECFN));
}
