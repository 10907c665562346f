#include "batch/cgroup.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PREFIX "mazurka-batch-"
enum { REMOVE_TRIES = 200, OPEN_TRIES = 3 };

struct Cgroups {
    const CgroupSystem *system;
    char *base; /* where our folder lies */
    char *folder;
    int lock;
    bool is_leaf; /* we moved ourselves into folder/main */
    bool has_pids;
    uint64_t n_made;
    VEC(char *) dying; /* groups whose processes were killed but not yet gone */
};

/* ---- the kernel's files ---- */

static char *kernel_read(const char *path, void *data)
{
    (void)data;
    char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

static bool kernel_write(const char *path, const char *text, void *data)
{
    (void)data;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text);
}

static bool kernel_make(const char *folder, void *data)
{
    (void)data;
    return mkdir(folder, 0755) == 0;
}

static bool kernel_remove(const char *folder, void *data)
{
    (void)data;
    return rmdir(folder) == 0;
}

static char **kernel_list(const char *folder, void *data)
{
    (void)data;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    GPtrArray *names = g_ptr_array_new();
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static int kernel_open(const char *folder, void *data)
{
    (void)data;
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int kernel_lock(const char *folder, void *data)
{
    int fd = kernel_open(folder, data);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

const CgroupSystem cgroup_kernel = {kernel_read, kernel_write, kernel_make, kernel_remove,
                                    kernel_list, kernel_lock,  kernel_open, NULL};

static char *read_in(const CgroupSystem *s, const char *folder, const char *file)
{
    g_autofree char *path = g_build_filename(folder, file, NULL);
    return s->read(path, s->data);
}

static bool write_in(const CgroupSystem *s, const char *folder, const char *file, const char *text)
{
    g_autofree char *path = g_build_filename(folder, file, NULL);
    return s->write(path, text, s->data);
}

static bool lists(const CgroupSystem *s, const char *folder, const char *file, const char *word)
{
    g_autofree char *text = read_in(s, folder, file);
    if (!text) return false;
    g_auto(GStrv) words = g_strsplit_set(text, " \n", -1);
    return g_strv_contains((const char *const *)words, word);
}

/* ---- where we are ---- */

/* The space-separated field of a line; mountinfo writes blanks in it as \040. */
static char *field(char **fields, guint i)
{
    return i < g_strv_length(fields) ? g_strcompress(fields[i]) : NULL;
}

/* The mount point of a v2 hierarchy and the part of the hierarchy that is mounted there. */
static bool find_mount(const char *mountinfo, char **point, char **root)
{
    g_auto(GStrv) lines = g_strsplit(mountinfo, "\n", -1);
    for (char **line = lines; *line; line++) {
        const char *rest = strstr(*line, " - cgroup2 ");
        if (!rest) continue;
        g_auto(GStrv) fields = g_strsplit(*line, " ", -1);
        *root = field(fields, 3);
        *point = field(fields, 4);
        return *root && *point;
    }
    return false;
}

/* Our own group as a folder, or NULL with a reason. */
static char *own_group(const CgroupSystem *s, const char **why)
{
    g_autofree char *mountinfo = s->read("/proc/self/mountinfo", s->data),
                    *membership = s->read("/proc/self/cgroup", s->data);
    g_autofree char *point = NULL, *root = NULL;
    *why = "no cgroup v2 hierarchy is mounted";
    if (!mountinfo || !membership || !find_mount(mountinfo, &point, &root)) return NULL;
    const char *line = g_str_has_prefix(membership, "0::") ? membership : strstr(membership, "\n0::");
    *why = "this process is in no cgroup v2";
    if (!line) return NULL;
    line = strchr(line, '/');
    if (!line) return NULL;
    g_autofree char *path = g_strndup(line, strcspn(line, "\n"));
    *why = "this process's cgroup is not under the mounted hierarchy";
    if (g_str_has_prefix(path, "/..") || g_str_has_suffix(path, " (deleted)")) return NULL;
    size_t skip = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (skip && (strncmp(path, root, skip) != 0 || (path[skip] && path[skip] != '/'))) return NULL;
    char *own = path[skip] && path[skip + 1] ? g_strconcat(point, path + skip, NULL) : g_strdup(point);
    return own;
}

/* ---- our folder ---- */

static void kill_in(const CgroupSystem *s, const char *folder)
{
    g_autofree char *self = g_strdup_printf("%d", (int)getpid());
    if (lists(s, folder, "cgroup.procs", self) || write_in(s, folder, "cgroup.kill", "1")) return;
    /* before Linux 5.14: until nobody is left to have started another */
    for (int i = 0; i < 20; i++) {
        g_autofree char *text = read_in(s, folder, "cgroup.procs");
        if (!text || !*text) return;
        g_auto(GStrv) pids = g_strsplit(text, "\n", -1);
        for (char **pid = pids; *pid; pid++)
            if (atoi(*pid) > 1) kill(atoi(*pid), SIGKILL);
    }
}

static bool remove_soon(const CgroupSystem *s, const char *folder)
{
    for (int i = 0; i < REMOVE_TRIES; i++) {
        if (s->remove(folder, s->data)) return true;
        if (errno != EBUSY) return false;
        g_usleep(5000);
    }
    return false;
}

/* With everything below it, one level deep. */
static void remove_folder(const CgroupSystem *s, const char *folder)
{
    g_auto(GStrv) below = s->list(folder, s->data);
    for (char **name = below; name && *name; name++) {
        g_autofree char *path = g_build_filename(folder, *name, NULL);
        kill_in(s, path);
        remove_soon(s, path);
    }
    remove_soon(s, folder);
}

static unsigned remove_leftovers(const CgroupSystem *s, const char *base)
{
    unsigned n = 0;
    g_auto(GStrv) all = s->list(base, s->data);
    for (char **name = all; name && *name; name++) {
        if (!g_str_has_prefix(*name, FOLDER_PREFIX)) continue;
        g_autofree char *path = g_build_filename(base, *name, NULL);
        int lock = s->lock(path, s->data);
        if (lock < 0) continue; /* its batch is alive */
        remove_folder(s, path);
        close(lock);
        n++;
    }
    return n;
}

static bool make_folder(Cgroups *g)
{
    const CgroupSystem *s = g->system;
    for (int i = 0; i < OPEN_TRIES; i++) {
        g_free(g->folder);
        g->folder = g_strdup_printf("%s/" FOLDER_PREFIX "%d-%d", g->base, (int)getpid(), i);
        if (!s->make(g->folder, s->data)) continue;
        g->lock = s->lock(g->folder, s->data);
        /* Between the two, another batch may have taken it for a leftover. */
        g_autofree char *there = read_in(s, g->folder, "cgroup.procs");
        if (g->lock >= 0 && there) return true;
        if (g->lock >= 0) close(g->lock);
        g->lock = -1;
    }
    return false;
}

static bool hand_on(const CgroupSystem *s, const char *folder)
{
    if (lists(s, folder, "cgroup.subtree_control", "memory")) return true;
    return lists(s, folder, "cgroup.controllers", "memory") && write_in(s, folder, "cgroup.subtree_control", "+memory");
}

/* Asks for process counts too where they are to be had. */
static bool ready(Cgroups *g)
{
    const CgroupSystem *s = g->system;
    if (!hand_on(s, g->folder)) return false;
    if (!lists(s, g->base, "cgroup.subtree_control", "pids")) write_in(s, g->base, "cgroup.subtree_control", "+pids");
    g->has_pids = write_in(s, g->folder, "cgroup.subtree_control", "+pids");
    return true;
}

static bool alone(const CgroupSystem *s, const char *folder)
{
    g_autofree char *text = read_in(s, folder, "cgroup.procs"), *self = g_strdup_printf("%d", (int)getpid());
    return text && strcmp(g_strstrip(text), self) == 0;
}

static bool open_inside(Cgroups *g, const char *own)
{
    g->base = g_strdup(own);
    return hand_on(g->system, own) && make_folder(g) && ready(g);
}

static bool open_leaf(Cgroups *g, const char *own)
{
    const CgroupSystem *s = g->system;
    g->base = g_strdup(own);
    if (!alone(s, own) || !lists(s, own, "cgroup.controllers", "memory") || !make_folder(g)) return false;
    g_autofree char *leaf = g_build_filename(g->folder, "main", NULL);
    if (!s->make(leaf, s->data)) return false;
    g->is_leaf = write_in(s, leaf, "cgroup.procs", "0");
    return g->is_leaf && hand_on(s, own) && ready(g);
}

static bool unlimited(const CgroupSystem *s, const char *folder, const char *file)
{
    g_autofree char *text = read_in(s, folder, file);
    return !text || strcmp(g_strstrip(text), "max") == 0;
}

static bool open_sibling(Cgroups *g, const char *own)
{
    const CgroupSystem *s = g->system;
    g->base = g_path_get_dirname(own);
    if (!lists(s, g->base, "cgroup.subtree_control", "memory")) return false;
    static const char *const limits[] = {"memory.max", "memory.high", "memory.swap.max", "pids.max"};
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++)
        if (!unlimited(s, own, limits[i])) return false;
    return make_folder(g) && ready(g);
}

static void undo(Cgroups *g)
{
    const CgroupSystem *s = g->system;
    if (g->is_leaf) {
        /* A group that hands controllers on takes no processes: first stop handing on, from the bottom. */
        write_in(s, g->folder, "cgroup.subtree_control", "-memory");
        write_in(s, g->folder, "cgroup.subtree_control", "-pids");
        write_in(s, g->base, "cgroup.subtree_control", "-memory");
        write_in(s, g->base, "cgroup.subtree_control", "-pids");
        write_in(s, g->base, "cgroup.procs", "0");
    }
    if (g->lock >= 0) remove_folder(s, g->folder);
    if (g->lock >= 0) close(g->lock);
    g->lock = -1;
    g->is_leaf = false;
    g_clear_pointer(&g->folder, g_free);
    g_clear_pointer(&g->base, g_free);
}

Cgroups *cgroups_open(const CgroupSystem *system, char **how)
{
    const char *why;
    g_autofree char *own = own_group(system, &why);
    if (!own) {
        *how = g_strdup_printf("no control groups (%s)", why);
        return NULL;
    }
    static const struct {
        bool (*open)(Cgroups *, const char *own);
        const char *name;
    } ways[] = {{open_inside, "inside"}, {open_leaf, "leaf"}, {open_sibling, "sibling"}};
    Cgroups *g = g_new0(Cgroups, 1);
    g->system = system;
    g->lock = -1;
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        if (ways[i].open(g, own)) {
            unsigned old = remove_leftovers(system, g->base);
            g_autofree char *note = old ? g_strdup_printf(", %u left by killed batches removed", old) : g_strdup("");
            *how = g_strdup_printf("control groups in %s (%s%s)", g->folder, ways[i].name, note);
            return g;
        }
        undo(g);
    }
    *how = g_strdup_printf("no control groups (%s hands no memory controller to groups of ours)", own);
    g_free(g);
    return NULL;
}

void cgroups_close(Cgroups *g)
{
    if (!g) return;
    undo(g);
    for (size_t i = 0; i < g->dying.len; i++) g_free(g->dying.data[i]);
    vec_free(&g->dying);
    g_free(g);
}

void cgroups_forget(Cgroups *g)
{
    if (g && g->lock >= 0) close(g->lock);
}

/* ---- one job's group ---- */

static void bury(Cgroups *g)
{
    size_t kept = 0;
    for (size_t i = 0; i < g->dying.len; i++) {
        if (g->system->remove(g->dying.data[i], g->system->data) || errno != EBUSY)
            g_free(g->dying.data[i]);
        else
            g->dying.data[kept++] = g->dying.data[i];
    }
    g->dying.len = kept;
}

bool cgroup_new(Cgroups *g, uint64_t memory, unsigned pids, Cgroup *group)
{
    const CgroupSystem *s = g->system;
    bury(g);
    *group = (Cgroup){g_strdup_printf("%s/job-%" G_GUINT64_FORMAT, g->folder, g->n_made++), -1};
    const char *path = group->path;
    if (!s->make(path, s->data)) {
        g_clear_pointer(&group->path, g_free);
        return false;
    }
    g_autofree char *bytes = g_strdup_printf("%" G_GUINT64_FORMAT, memory), *count = g_strdup_printf("%u", pids);
    if (memory && !write_in(s, path, "memory.max", bytes)) {
        cgroup_end(g, group);
        return false;
    }
    if (memory) write_in(s, path, "memory.swap.max", "0"); /* absent without swap */
    write_in(s, path, "memory.oom.group", "1");
    if (pids && g->has_pids) write_in(s, path, "pids.max", count);
    group->fd = s->open(path, s->data);
    return true;
}

bool cgroup_enter(const Cgroups *g, const Cgroup *group)
{
    return write_in(g->system, group->path, "cgroup.procs", "0");
}

uint64_t cgroup_peak_kib(const Cgroups *g, const Cgroup *group)
{
    g_autofree char *text = read_in(g->system, group->path, "memory.peak");
    return text ? g_ascii_strtoull(text, NULL, 10) / 1024 : 0;
}

bool cgroup_out_of_memory(const Cgroups *g, const Cgroup *group)
{
    g_autofree char *text = read_in(g->system, group->path, "memory.events");
    const char *line = text ? strstr(text, "oom_kill ") : NULL;
    return line && g_ascii_strtoull(line + strlen("oom_kill "), NULL, 10) > 0;
}

void cgroup_kill(const Cgroups *g, const Cgroup *group)
{
    kill_in(g->system, group->path);
}

void cgroup_end(Cgroups *g, Cgroup *group)
{
    if (!group->path) return;
    const CgroupSystem *s = g->system;
    if (group->fd >= 0) close(group->fd);
    bool gone = s->remove(group->path, s->data);
    if (!gone) {
        kill_in(s, group->path);
        gone = s->remove(group->path, s->data) || errno != EBUSY;
    }
    if (gone)
        g_free(group->path);
    else
        vec_push(&g->dying, group->path);
    *group = (Cgroup){NULL, -1};
}
