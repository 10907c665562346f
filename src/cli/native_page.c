#include "cli/look.h"
#include "cli/native.h"

#include <string.h>

enum { MOST_STEPS = 5000, SHOWN_RUNS = 8, SHOWN_CALLS = 12 };

typedef struct Page {
    const NativeAnswer *answer;
    View *view;
    GHashTable *files;  /* path -> its name on the page; "" : it cannot be read */
    GStringChunk *text; /* what steps borrow until they are added */
} Page;

/* ---- lines ---- */

static char *take(const Page *p, char *text)
{
    g_autofree char *own = text, *valid = g_utf8_make_valid(text, -1);
    return g_string_chunk_insert(p->text, valid);
}

/* The file's text goes to the page the first time it is met; two files of one name keep their folders. */
static const char *name_file(Page *p, const char *path)
{
    const char *known = g_hash_table_lookup(p->files, path);
    if (known) return known;
    g_autofree char *text = look_text(path), *base = g_path_get_basename(path);
    const char *name = "";
    if (text) {
        GHashTableIter iter;
        gpointer other;
        bool taken = false;
        g_hash_table_iter_init(&iter, p->files);
        while (g_hash_table_iter_next(&iter, NULL, &other)) taken |= strcmp(other, base) == 0;
        g_autofree char *valid = g_utf8_make_valid(text, -1);
        name = take(p, g_strdup(taken ? path : base));
        view_add_source(p->view, name, valid);
    }
    g_hash_table_insert(p->files, g_strdup(path), g_strdup(name));
    return name;
}

static ViewLine line_of(Page *p, uint64_t pc)
{
    Symbols *symbols = p->answer->symbols;
    const char *path = symbols_path(symbols, pc), *line = symbols_line(symbols, pc), *colon = strrchr(line, ':');
    guint64 number;
    if (!path || !colon || !g_ascii_string_to_unsigned(colon + 1, 10, 1, UINT32_MAX, &number, NULL))
        return (ViewLine){0};
    const char *file = name_file(p, path);
    return (ViewLine){file, *file ? (uint32_t)number : 0};
}

static char *step_text(const Page *p, const NativeStep *step)
{
    g_autofree char *words = cli_native_step_words(p->answer, NULL, step);
    return take(p, g_strdup_printf("%s %s", symbols_line(p->answer->symbols, step->pc), words));
}

/* ---- runs ---- */

static uint32_t clock_of(const NativeStep *step, uint32_t thread)
{
    return step->clock && thread < step->clock->len ? g_array_index(step->clock, uint32_t, thread) : 0;
}

/* Which steps are whose, by number of thread. */
static GPtrArray *steps_by_thread(const GPtrArray *steps)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < steps->len; i++) {
        const NativeStep *step = steps->pdata[i];
        while (rows->len <= step->number) g_ptr_array_add(rows, g_array_new(FALSE, FALSE, sizeof(uint32_t)));
        g_array_append_val(rows->pdata[step->number], i);
    }
    return rows;
}

/* Of each thread its last step in the past of this one, less what lies in the past of another of them. */
static void find_causes(const GPtrArray *steps, const GPtrArray *rows, uint32_t at, VecU32 *causes)
{
    const NativeStep *step = steps->pdata[at];
    for (uint32_t t = 0; t < rows->len; t++) {
        const GArray *row = rows->pdata[t];
        uint32_t count = clock_of(step, t) - (t == step->number);
        if (clock_of(step, t) && count && count <= row->len) vec_push(causes, g_array_index(row, uint32_t, count - 1));
    }
    size_t kept = 0;
    for (size_t i = 0; i < causes->len; i++) {
        const NativeStep *cause = steps->pdata[causes->data[i]];
        bool covered = false;
        for (size_t k = 0; k < causes->len && !covered; k++)
            covered =
                k != i && clock_of(steps->pdata[causes->data[k]], cause->number) >= clock_of(cause, cause->number);
        /* what covers a cause that was left out covers what that one did */
        if (!covered) causes->data[kept++] = causes->data[i];
    }
    causes->len = kept;
}

static ViewStep view_step(Page *p, const NativeFinding *finding, const NativeStep *step)
{
    const char *operation = step->operation;
    bool creates = strcmp(operation, "create") == 0, other = creates || strcmp(operation, "join") == 0;
    ViewStep made = {.thread = take(p, g_strdup(step->thread)),
                     .words = take(p, cli_native_step_words(p->answer, finding, step)),
                     .at = line_of(p, step->pc),
                     .operation = take(p, g_strdup(operation)),
                     .valued = step->valued,
                     .write = step->write,
                     .value = step->value,
                     .starts = creates ? take(p, g_strdup(step->other)) : NULL};
    if (!other && strcmp(operation, "end") != 0)
        made.object = take(p, g_strdup(symbols_object(p->answer->symbols, step->object)));
    return made;
}

static char *stack_text(const Page *p, const NativeFinding *finding, const NativeStack *stack)
{
    Symbols *symbols = p->answer->symbols;
    g_autofree char *words = cli_native_stack_words(p->answer, finding, stack);
    GString *text = g_string_new(words);
    for (guint i = 1; i < stack->pcs->len && i < SHOWN_CALLS; i++) {
        uint64_t pc = g_array_index(stack->pcs, uint64_t, i);
        g_string_append_printf(text, ", called at %s in %s", symbols_line(symbols, pc), symbols_function(symbols, pc));
    }
    return take(p, g_string_free(text, FALSE));
}

static void add_run(Page *p, const NativeFinding *finding)
{
    uint32_t n = finding->steps->len;
    if (n > MOST_STEPS) return;
    g_autofree ViewStep *steps = g_new0(ViewStep, (size_t)n + 1);
    g_autofree ViewEnd *ends = g_new0(ViewEnd, (size_t)finding->stacks->len + 1);
    g_autofree ViewValue *values = g_new0(ViewValue, (size_t)finding->values->len + 1);
    g_autoptr(GPtrArray) rows = steps_by_thread(finding->steps);
    for (uint32_t i = 0; i < n; i++) {
        steps[i] = view_step(p, finding, finding->steps->pdata[i]);
        find_causes(finding->steps, rows, i, &steps[i].causes);
    }
    for (guint i = 0; i < finding->stacks->len; i++) {
        const NativeStack *stack = finding->stacks->pdata[i];
        ends[i] = (ViewEnd){.thread = take(p, g_strdup(stack->thread)),
                            .words = stack_text(p, finding, stack),
                            .at = line_of(p, g_array_index(stack->pcs, uint64_t, 0))};
    }
    for (guint i = 0; i < finding->values->len; i++) {
        const NativeValue *v = &g_array_index(finding->values, NativeValue, i);
        values[i] = (ViewValue){take(p, g_strdup(symbols_object(p->answer->symbols, v->object))), v->value};
    }
    ViewStory story = {.words = take(p, g_strdup(cli_native_headline(finding))),
                       .step = steps,
                       .n = n,
                       .end = ends,
                       .n_ends = finding->stacks->len,
                       .value = values,
                       .n_values = finding->values->len};
    view_add_story(p->view, &story);
    for (uint32_t i = 0; i < n; i++) vec_free(&steps[i].causes);
}

/* ---- the tree ---- */

static uint8_t kind_of(const char *end)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } known[] = {{"maximal", LEAF_MAXIMAL},
                 {"blocked", LEAF_BLOCKED},
                 {"bound", LEAF_BOUND},
                 {"deadlock", RUNTREE_DEADLOCK},
                 {"failure", RUNTREE_FAILURE}};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (strcmp(known[i].word, end) == 0) return known[i].kind;
    return RUNTREE_INNER;
}

/* Steps that read alike are one label. */
static uint32_t label_of(const Page *p, const NativeStep *step, GHashTable *numbers, GPtrArray *names)
{
    g_autofree char *full = g_strdup_printf("%s %s", step->thread, step_text(p, step));
    gpointer number;
    if (g_hash_table_lookup_extended(numbers, full, NULL, &number)) return GPOINTER_TO_UINT(number);
    char *name = take(p, g_steal_pointer(&full));
    g_hash_table_insert(numbers, name, GUINT_TO_POINTER(names->len));
    g_ptr_array_add(names, name);
    return names->len - 1;
}

static void add_tree(const Page *p)
{
    const NativeResult *r = p->answer->result;
    const NativeTree *told = &r->tree;
    if (told->step->len < 2) return;
    g_autoptr(GHashTable) numbers = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    RunTree tree;
    runtree_init(&tree, told->step->len);
    for (guint i = 1; i < told->step->len; i++) {
        vec_push(&tree.parent, g_array_index(told->parent, uint32_t, i));
        vec_push(&tree.label, label_of(p, told->step->pdata[i], numbers, names));
        vec_push(&tree.kind, kind_of(told->kind->pdata[i]));
    }
    tree.leaves[LEAF_MAXIMAL] = r->counts.traces;
    tree.leaves[LEAF_BLOCKED] = r->counts.blocked;
    tree.leaves[LEAF_BOUND] = r->counts.bounded;
    tree.left_out = r->counts.executions - MIN(told->n_leaves, r->counts.executions);
    g_ptr_array_add(names, NULL);
    view_add_labels(p->view, (char *const *)names->pdata);
    view_add_tree(p->view, &(ViewTree){.algorithm = p->answer->algorithm,
                                       .tree = &tree,
                                       .events = r->counts.events ? (int64_t)r->counts.events : -1,
                                       .nodes = -1,
                                       .deadlocks = (int64_t)r->counts.deadlocks,
                                       .reason = cli_native_reason(r)});
    runtree_clear(&tree);
}

/* ---- the page ---- */

static char *about(const NativeAnswer *a)
{
    g_autofree char *verdict = NULL;
    const char *reason = cli_native_reason(a->result);
    if (a->command->id == COMMAND_CHECK)
        verdict = a->finding ? g_strdup_printf("VIOLATED: %s · ", cli_native_headline(a->finding))
                  : reason   ? g_strdup_printf("UNKNOWN: %s · ", reason)
                             : g_strdup_printf("HOLDS: %s · ", cli_native_good_news(a->command));
    return g_strdup_printf("%s%" G_GUINT64_FORMAT " execution%s by %s", verdict ? verdict : "",
                           a->result->counts.executions, a->result->counts.executions == 1 ? "" : "s", a->algorithm);
}

bool cli_native_page(const NativeAnswer *a)
{
    const char *path = a->command->options.html;
    if (!path) return true;
    g_autofree char *title = g_path_get_basename(a->command->arguments[0]), *words = about(a);
    g_autoptr(View) view = look_begin(a->command, title, words);
    Page page = {.answer = a,
                 .view = view,
                 .files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                 .text = g_string_chunk_new(4096)};
    if (a->finding) add_run(&page, a->finding);
    for (guint i = 0, n = 0; i < a->result->findings->len && n < SHOWN_RUNS; i++) {
        const NativeFinding *finding = a->result->findings->pdata[i];
        if (finding != a->finding && !cli_native_is_note(finding)) add_run(&page, finding), n++;
    }
    add_tree(&page);
    view_first(view, a->command->id == COMMAND_CHECK ? "run" : "tree");
    bool written = look_write(view, path);
    g_hash_table_unref(page.files);
    g_string_chunk_free(page.text);
    return written;
}
