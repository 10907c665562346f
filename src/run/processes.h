/* An execution in a process of its own, for programs that leave something behind where a snapshot of memory does not
 * reach (outside.def). What the explorer knows lies in memory that all these processes share (own.h). */
#pragma once

/* Before anything of the runtime's own is allocated. */
void processes_prepare(void);
/* Forks; the child calls `execute`, which must not change what is not shared, and ends. Ends this process too when the
 * child did not come to the end of its execution. */
void processes_run(void (*execute)(void));
