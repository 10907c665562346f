/* Control groups (version 2) for the jobs of a batch: one group per running job, so that the kernel holds the whole
 * process tree of a job to its memory, tells how much it used, and kills it at once.
 *
 * Where groups can be made depends on how this process was started. In order of preference:
 *   inside   its own group hands the memory controller to subgroups already, or does so when asked (the root of a
 *            machine or container);
 *   leaf     it is the only process of its group, which it may write to (systemd-run --scope -p Delegate=yes): groups
 *            with processes cannot have subgroups with controllers, so it moves itself one level down, and back at the
 *            end;
 *   sibling  its group's parent hands the controller on and may be written to, and its own group sets no limits that
 *            jobs would escape.
 * Otherwise there are none, and callers limit by other means.
 *
 * A batch's groups lie in one folder "mazurka-batch-PID", locked as long as the batch lives. What a killed batch left
 * behind is not locked; the next one kills and removes it.
 *
 * All access to the system goes through a CgroupSystem, so that tests can put a model of the kernel there. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct CgroupSystem {
    /* The text of a file, owned by the caller; NULL when it cannot be read. */
    char *(*read)(const char *path, void *data);
    bool (*write)(const char *path, const char *text, void *data);
    bool (*make)(const char *folder, void *data);
    bool (*remove)(const char *folder, void *data);
    /* Names of the subfolders, owned by the caller; may be NULL. */
    char **(*list)(const char *folder, void *data);
    /* A descriptor of the folder that holds its lock until closed; -1 when another one has it. */
    int (*lock)(const char *folder, void *data);
    /* A descriptor of the folder for clone3(), or -1. */
    int (*open)(const char *folder, void *data);
    void *data;
} CgroupSystem;

extern const CgroupSystem cgroup_kernel;

typedef struct Cgroups Cgroups;

/* NULL when none can be made. *how (owned by the caller) says what is used, or why nothing is. */
Cgroups *cgroups_open(const CgroupSystem *system, char **how);
/* Kills what is left, moves this process back, removes the folder. */
void cgroups_close(Cgroups *groups);

typedef struct Cgroup {
    char *path; /* NULL: no group */
    int fd;     /* for CLONE_INTO_CGROUP, or -1 */
} Cgroup;

/* A new group. memory in bytes, pids in processes and threads; 0 means no limit. False when it cannot be made. */
bool cgroup_new(Cgroups *groups, uint64_t memory, unsigned pids, Cgroup *group);
/* Puts the calling process into it; only for a child that clone3() did not put there. */
bool cgroup_enter(const Cgroups *groups, const Cgroup *group);
/* In a forked child: forgets the descriptors (the lock is the parent's) and nothing else. */
void cgroups_forget(Cgroups *groups);
/* The group's largest memory so far in KiB (0: the kernel does not tell) and whether the kernel killed for it. */
uint64_t cgroup_peak_kib(const Cgroups *groups, const Cgroup *group);
bool cgroup_out_of_memory(const Cgroups *groups, const Cgroup *group);
/* Kills every process in it. */
void cgroup_kill(const Cgroups *groups, const Cgroup *group);
/* Kills, and removes it now or, when its processes need a moment to die, soon. */
void cgroup_end(Cgroups *groups, Cgroup *group);
