/* Control groups on a model of the kernel: controllers go down by subtree_control, groups with processes hand none on,
 * only empty groups can be removed, writing needs permission. bench/batch/qemu tries the same on a real one. */
#include "test.h"

#include "base/vec.h"
#include "batch/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct Node {
    char *path;        /* under the mount point; "" is the root */
    bool memory, pids; /* handed to subgroups */
    bool writable, locked;
    int busy; /* so many removals fail */
    VecU32 procs;
    GHashTable *files;
} Node;

typedef struct Kernel {
    char *mountinfo, *membership;
    bool has_memory, has_pids;
    bool old; /* no cgroup.kill, no memory.peak */
    VEC(Node *) nodes;
} Kernel;

#define MOUNT "/cg"
enum { OTHER = 0x7ffffff0 }; /* no process has this id */

static Node *find(Kernel *k, const char *path)
{
    for (size_t i = 0; i < k->nodes.len; i++)
        if (strcmp(k->nodes.data[i]->path, path) == 0) return k->nodes.data[i];
    return NULL;
}

static Node *parent(Kernel *k, const Node *node)
{
    const char *slash = strrchr(node->path, '/');
    g_autofree char *path = slash ? g_strndup(node->path, (gsize)(slash - node->path)) : NULL;
    return path ? find(k, path) : NULL;
}

static Node *add(Kernel *k, const char *path, bool writable)
{
    Node *node = g_new0(Node, 1);
    node->path = g_strdup(path);
    node->writable = writable;
    node->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    vec_push(&k->nodes, node);
    return node;
}

static void put(Node *node, uint32_t pid)
{
    vec_push(&node->procs, pid);
}

static bool has(Kernel *k, const Node *node, bool pids)
{
    Node *up = parent(k, node);
    return up ? (pids ? up->pids : up->memory) : (pids ? k->has_pids : k->has_memory);
}

/* Splits MOUNT/a/b/file. */
static Node *locate(Kernel *k, const char *path, const char **file)
{
    if (!g_str_has_prefix(path, MOUNT)) return NULL;
    g_autofree char *folder = g_path_get_dirname(path);
    *file = strrchr(path, '/') + 1;
    return g_str_has_prefix(folder, MOUNT) ? find(k, folder + strlen(MOUNT)) : NULL;
}

static char *model_read(const char *path, void *data)
{
    Kernel *k = data;
    const char *file;
    if (strcmp(path, "/proc/self/mountinfo") == 0) return g_strdup(k->mountinfo);
    if (strcmp(path, "/proc/self/cgroup") == 0) return g_strdup(k->membership);
    Node *n = locate(k, path, &file);
    if (!n) return NULL;
    if (strcmp(file, "cgroup.controllers") == 0)
        return g_strdup_printf("cpu%s%s\n", has(k, n, false) ? " memory" : "", has(k, n, true) ? " pids" : "");
    if (strcmp(file, "cgroup.subtree_control") == 0)
        return g_strdup_printf("%s%s\n", n->memory ? "memory " : "", n->pids ? "pids" : "");
    if (strcmp(file, "cgroup.procs") == 0) {
        GString *text = g_string_new(NULL);
        for (size_t i = 0; i < n->procs.len; i++) g_string_append_printf(text, "%u\n", n->procs.data[i]);
        return g_string_free(text, FALSE);
    }
    if (strcmp(file, "memory.peak") == 0 && k->old) return NULL;
    const char *value = g_hash_table_lookup(n->files, file);
    if (value) return g_strdup(value);
    bool limit = strcmp(file, "memory.max") == 0 || strcmp(file, "pids.max") == 0;
    return limit && n->path[0] && has(k, n, *file == 'p') ? g_strdup("max\n") : NULL;
}

static bool refuse(int why)
{
    errno = why;
    return false;
}

static bool any_below_has(Kernel *k, const Node *node, bool pids)
{
    for (size_t i = 0; i < k->nodes.len; i++)
        if (parent(k, k->nodes.data[i]) == node && (pids ? k->nodes.data[i]->pids : k->nodes.data[i]->memory))
            return true;
    return false;
}

static bool model_control(Kernel *k, Node *n, const char *text)
{
    bool on = *text == '+', pids = strcmp(text + 1, "pids") == 0;
    if (on && !has(k, n, pids)) return refuse(ENOENT);
    if (on && n->path[0] && n->procs.len) return refuse(EBUSY);
    if (!on && any_below_has(k, n, pids)) return refuse(EBUSY);
    if (pids)
        n->pids = on;
    else
        n->memory = on;
    return true;
}

static bool model_enter(Kernel *k, Node *to)
{
    if (to->path[0] && (to->memory || to->pids)) return refuse(EBUSY);
    uint32_t self = (uint32_t)getpid();
    for (size_t i = 0; i < k->nodes.len; i++) {
        VecU32 *procs = &k->nodes.data[i]->procs;
        size_t kept = 0;
        for (size_t j = 0; j < procs->len; j++)
            if (procs->data[j] != self) procs->data[kept++] = procs->data[j];
        procs->len = kept;
    }
    vec_push(&to->procs, self);
    return true;
}

static bool model_write(const char *path, const char *text, void *data)
{
    Kernel *k = data;
    const char *file;
    Node *n = locate(k, path, &file);
    if (!n) return refuse(ENOENT);
    if (!n->writable) return refuse(EACCES);
    if (strcmp(file, "cgroup.subtree_control") == 0) return model_control(k, n, text);
    if (strcmp(file, "cgroup.procs") == 0) return model_enter(k, n);
    if (strcmp(file, "cgroup.kill") == 0) {
        for (size_t i = 0; i < n->procs.len; i++) ck_assert_uint_ne(n->procs.data[i], (uint32_t)getpid());
        if (!k->old) n->procs.len = 0;
        return !k->old || refuse(ENOENT);
    }
    bool pids = g_str_has_prefix(file, "pids.");
    if (!has(k, n, pids)) return refuse(ENOENT);
    g_hash_table_replace(n->files, g_strdup(file), g_strdup(text));
    return true;
}

static bool model_make(const char *folder, void *data)
{
    Kernel *k = data;
    const char *name;
    Node *up = locate(k, folder, &name);
    if (!up || !up->writable) return refuse(EACCES);
    if (find(k, folder + strlen(MOUNT))) return refuse(EEXIST);
    add(k, folder + strlen(MOUNT), true);
    return true;
}

static void node_free(Node *n)
{
    g_free(n->path);
    vec_free(&n->procs);
    g_hash_table_unref(n->files);
    g_free(n);
}

static bool model_remove(const char *folder, void *data)
{
    Kernel *k = data;
    Node *n = find(k, folder + strlen(MOUNT));
    if (!n) return refuse(ENOENT);
    if (n->procs.len || n->busy-- > 0) return refuse(EBUSY);
    for (size_t i = 0; i < k->nodes.len; i++)
        if (parent(k, k->nodes.data[i]) == n) return refuse(EBUSY);
    for (size_t i = 0; i < k->nodes.len; i++)
        if (k->nodes.data[i] == n) {
            k->nodes.data[i] = vec_last(&k->nodes);
            k->nodes.len--;
        }
    node_free(n);
    return true;
}

static char **model_list(const char *folder, void *data)
{
    Kernel *k = data;
    GPtrArray *names = g_ptr_array_new();
    Node *n = find(k, folder + strlen(MOUNT));
    for (size_t i = 0; n && i < k->nodes.len; i++)
        if (parent(k, k->nodes.data[i]) == n) g_ptr_array_add(names, g_path_get_basename(k->nodes.data[i]->path));
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

static int model_lock(const char *folder, void *data)
{
    Node *n = find(data, folder + strlen(MOUNT));
    if (!n || n->locked) return -1;
    n->locked = true;
    return open("/dev/null", O_RDONLY);
}

static int model_open(const char *folder, void *data)
{
    (void)folder, (void)data;
    return -1;
}

static Kernel kernel_at(const char *membership)
{
    return (Kernel){.mountinfo = g_strdup("20 1 0:5 / /proc rw - proc proc rw\n25 20 0:30 / " MOUNT
                                          " rw,nosuid - cgroup2 cgroup2 rw\n"),
                    .membership = g_strdup(membership),
                    .has_memory = true,
                    .has_pids = true};
}

static CgroupSystem system_of(Kernel *k)
{
    return (CgroupSystem){model_read, model_write, model_make, model_remove, model_list, model_lock, model_open, k};
}

static void kernel_clear(Kernel *k)
{
    for (size_t i = 0; i < k->nodes.len; i++) node_free(k->nodes.data[i]);
    vec_free(&k->nodes);
    g_free(k->mountinfo);
    g_free(k->membership);
}

/* What cgroups_open() says, with the groups made and closed again; the groups there are stay as they were. */
static char *how_of(Kernel *k)
{
    CgroupSystem system = system_of(k);
    size_t before = k->nodes.len;
    char *how = NULL;
    Cgroups *groups = cgroups_open(&system, &how);
    ck_assert_ptr_nonnull(how);
    cgroups_close(groups);
    ck_assert_uint_eq(k->nodes.len, before);
    return how;
}

#define ck_assert_has(text, part) ck_assert_msg(strstr(text, part) != NULL, "'%s' has no '%s'", text, part)

static const char *file_of(Kernel *k, const Cgroup *group, const char *file)
{
    return g_hash_table_lookup(find(k, group->path + strlen(MOUNT))->files, file);
}

START_TEST(a_job_gets_a_group_with_its_limits)
{
    Kernel k = kernel_at("0::/\n");
    put(add(&k, "", true), (uint32_t)getpid());
    CgroupSystem system = system_of(&k);
    g_autofree char *how = NULL;
    Cgroups *groups = cgroups_open(&system, &how);
    ck_assert_ptr_nonnull(groups);
    ck_assert_has(how, "(inside)");
    Cgroup a, b;
    ck_assert(cgroup_new(groups, 4096000, 50, &a));
    ck_assert(cgroup_new(groups, 0, 0, &b));
    ck_assert_str_ne(a.path, b.path);
    ck_assert_str_eq(file_of(&k, &a, "memory.max"), "4096000");
    ck_assert_str_eq(file_of(&k, &a, "memory.swap.max"), "0");
    ck_assert_str_eq(file_of(&k, &a, "pids.max"), "50");
    ck_assert_ptr_null(file_of(&k, &b, "memory.max"));
    ck_assert(!cgroup_out_of_memory(groups, &a));
    Node *node = find(&k, a.path + strlen(MOUNT));
    g_hash_table_replace(node->files, g_strdup("memory.events"),
                         g_strdup("low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 1\n"));
    g_hash_table_replace(node->files, g_strdup("memory.peak"), g_strdup("4096000\n"));
    ck_assert(cgroup_out_of_memory(groups, &a));
    ck_assert_uint_eq(cgroup_peak_kib(groups, &a), 4000);
    vec_push(&node->procs, (uint32_t)OTHER);
    cgroup_kill(groups, &a);
    ck_assert_uint_eq(node->procs.len, 0);
    node->busy = 2; /* its processes take a moment to die */
    cgroup_end(groups, &a);
    cgroup_end(groups, &b);
    size_t with_dying = k.nodes.len;
    ck_assert(cgroup_new(groups, 1, 1, &b));
    ck_assert_uint_eq(k.nodes.len, with_dying); /* the old one went as the new one came */
    cgroup_end(groups, &b);
    cgroups_close(groups);
    ck_assert_uint_eq(k.nodes.len, 1);
    kernel_clear(&k);
}
END_TEST

START_TEST(alone_in_a_delegated_group_it_moves_down_and_back)
{
    Kernel k = kernel_at("4:freezer:/x\n0::/user/run.scope\n");
    Node *root = add(&k, "", false), *user = add(&k, "/user", false), *own = add(&k, "/user/run.scope", true);
    root->memory = root->pids = user->memory = user->pids = true;
    vec_push(&own->procs, (uint32_t)getpid());
    CgroupSystem system = system_of(&k);
    g_autofree char *how = NULL;
    Cgroups *groups = cgroups_open(&system, &how);
    ck_assert_has(how, "(leaf)");
    ck_assert(own->memory && own->pids);
    ck_assert_uint_eq(own->procs.len, 0);
    Cgroup job;
    ck_assert(cgroup_new(groups, 4096, 7, &job));
    ck_assert_str_eq(file_of(&k, &job, "pids.max"), "7");
    cgroup_end(groups, &job);
    cgroups_close(groups);
    ck_assert_uint_eq(k.nodes.len, 3);
    ck_assert_uint_eq(own->procs.len, 1);
    ck_assert(!own->memory && !own->pids);
    kernel_clear(&k);
}
END_TEST

START_TEST(a_sibling_is_used_unless_limits_would_be_escaped)
{
    Kernel k = kernel_at("0::/s/session-1.scope\n");
    Node *root = add(&k, "", true), *slice = add(&k, "/s", true), *own = add(&k, "/s/session-1.scope", true);
    root->memory = slice->memory = true;
    vec_push(&own->procs, (uint32_t)OTHER); /* a shell */
    vec_push(&own->procs, (uint32_t)getpid());
    g_autofree char *how = how_of(&k);
    ck_assert_has(how, "(sibling)");
    ck_assert_has(how, MOUNT "/s/mazurka-batch-");
    g_hash_table_replace(own->files, g_strdup("memory.max"), g_strdup("100000000\n"));
    g_autofree char *limited = how_of(&k);
    ck_assert_has(limited, "no control groups");
    kernel_clear(&k);
}
END_TEST

START_TEST(where_none_can_be_had_nothing_changes)
{
    Kernel hybrid = kernel_at("0::/\n"); /* the memory controller is with version 1 */
    hybrid.has_memory = false;
    put(add(&hybrid, "", true), (uint32_t)getpid());
    Kernel foreign = kernel_at("0::/a/b\n");
    Node *root = add(&foreign, "", false), *a = add(&foreign, "/a", false), *b = add(&foreign, "/a/b", false);
    root->memory = a->memory = true;
    vec_push(&b->procs, (uint32_t)getpid());
    Kernel none = kernel_at("1:memory:/\n"), outside = kernel_at("0::/../x\n"), unmounted = kernel_at("0::/\n");
    add(&none, "", true);
    add(&outside, "", true);
    g_free(unmounted.mountinfo);
    unmounted.mountinfo = g_strdup("20 1 0:5 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n");
    Kernel *all[] = {&hybrid, &foreign, &none, &outside, &unmounted};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autofree char *how = how_of(all[i]);
        ck_assert_has(how, "no control groups");
        kernel_clear(all[i]);
    }
}
END_TEST

START_TEST(a_mounted_part_of_the_hierarchy_is_found)
{
    Kernel k = kernel_at("0::/box/7\n");
    g_free(k.mountinfo);
    k.mountinfo = g_strdup("25 20 0:30 /box " MOUNT " rw - cgroup2 cgroup2 rw\n");
    add(&k, "", true)->memory = true; /* /box */
    put(add(&k, "/7", true), (uint32_t)getpid());
    g_autofree char *how = how_of(&k);
    ck_assert_has(how, "in " MOUNT "/7/mazurka-batch-");
    kernel_clear(&k);
}
END_TEST

START_TEST(what_a_killed_batch_left_is_removed)
{
    Kernel k = kernel_at("0::/\n");
    put(add(&k, "", true), (uint32_t)getpid());
    add(&k, "/mazurka-batch-11-0", true);
    put(add(&k, "/mazurka-batch-11-0/job-3", true), (uint32_t)OTHER);
    add(&k, "/mazurka-batch-11-0/job-4", true);
    add(&k, "/mazurka-batch-12-0", true)->locked = true;
    put(add(&k, "/mazurka-batch-12-0/job-0", true), (uint32_t)OTHER);
    put(add(&k, "/somebody", true), (uint32_t)OTHER);
    CgroupSystem system = system_of(&k);
    g_autofree char *how = NULL;
    Cgroups *groups = cgroups_open(&system, &how);
    ck_assert_has(how, "1 left by killed batches removed");
    ck_assert_ptr_null(find(&k, "/mazurka-batch-11-0"));
    ck_assert_uint_eq(find(&k, "/mazurka-batch-12-0/job-0")->procs.len, 1);
    ck_assert_uint_eq(find(&k, "/somebody")->procs.len, 1);
    cgroups_close(groups);
    ck_assert_uint_eq(k.nodes.len, 4);
    kernel_clear(&k);
}
END_TEST

START_TEST(an_old_kernel_tells_less)
{
    Kernel k = kernel_at("0::/\n");
    k.old = true;
    put(add(&k, "", true), (uint32_t)getpid());
    CgroupSystem system = system_of(&k);
    g_autofree char *how = NULL;
    Cgroups *groups = cgroups_open(&system, &how);
    Cgroup job;
    ck_assert(cgroup_new(groups, 4096, 7, &job));
    ck_assert_uint_eq(cgroup_peak_kib(groups, &job), 0);
    cgroup_kill(groups, &job);
    cgroup_end(groups, &job);
    cgroups_close(groups);
    ck_assert_uint_eq(k.nodes.len, 1);
    kernel_clear(&k);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cgroup");
    TEST_CASE(suite, a_job_gets_a_group_with_its_limits);
    TEST_CASE(suite, alone_in_a_delegated_group_it_moves_down_and_back);
    TEST_CASE(suite, a_sibling_is_used_unless_limits_would_be_escaped);
    TEST_CASE(suite, where_none_can_be_had_nothing_changes);
    TEST_CASE(suite, a_mounted_part_of_the_hierarchy_is_found);
    TEST_CASE(suite, what_a_killed_batch_left_is_removed);
    TEST_CASE(suite, an_old_kernel_tells_less);
    return test_run(suite);
}
