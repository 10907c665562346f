#include "native/result.h"

#include <string.h>

static void step_free(gpointer data)
{
    NativeStep *step = data;
    if (!step) return;
    g_free(step->thread);
    g_free(step->operation);
    g_free(step->other);
    if (step->clock) g_array_unref(step->clock);
    g_free(step);
}

static void stack_free(gpointer data)
{
    NativeStack *stack = data;
    g_free(stack->role);
    g_free(stack->thread);
    g_free(stack->operation);
    g_free(stack->target);
    g_free(stack->holder);
    g_array_unref(stack->pcs);
    g_free(stack);
}

static void finding_free(gpointer data)
{
    NativeFinding *finding = data;
    g_free(finding->kind);
    g_free(finding->text);
    g_array_unref(finding->blocks);
    g_array_unref(finding->values);
    g_ptr_array_unref(finding->stacks);
    g_ptr_array_unref(finding->steps);
    g_free(finding);
}

static void tree_init(NativeTree *tree)
{
    tree->step = g_ptr_array_new_with_free_func(step_free);
    tree->kind = g_ptr_array_new_with_free_func(g_free);
    tree->parent = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tree->path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_ptr_array_add(tree->step, NULL);
    g_ptr_array_add(tree->kind, g_strdup(""));
    g_array_append_val(tree->parent, (uint32_t){0});
}

NativeResult *native_result_new(void)
{
    NativeResult *result = g_new0(NativeResult, 1);
    result->findings = g_ptr_array_new_with_free_func(finding_free);
    result->steps = g_ptr_array_new_with_free_func(step_free);
    tree_init(&result->tree);
    return result;
}

void native_result_free(NativeResult *result)
{
    g_free(result->reason);
    g_free(result->refused);
    g_free(result->outside);
    g_ptr_array_unref(result->findings);
    g_ptr_array_unref(result->steps);
    step_free(result->then);
    step_free(result->now);
    g_ptr_array_unref(result->tree.step);
    g_ptr_array_unref(result->tree.kind);
    g_array_unref(result->tree.parent);
    g_array_unref(result->tree.path);
    g_free(result);
}

/* ---- fields ---- */

typedef struct Fields {
    char **text;
    guint n;
} Fields;

static const char *field(const Fields *f, guint i)
{
    return i < f->n ? f->text[i] : "";
}

static uint64_t address(const Fields *f, guint i)
{
    return g_ascii_strtoull(field(f, i), NULL, 16);
}

static uint64_t number(const Fields *f, guint i)
{
    return g_ascii_strtoull(field(f, i), NULL, 10);
}

/* ---- records ---- */

static NativeFinding *open_finding(const NativeResult *result)
{
    return result->findings->len ? result->findings->pdata[result->findings->len - 1] : NULL;
}

static NativeStack *open_stack(const NativeResult *result)
{
    const NativeFinding *finding = open_finding(result);
    return finding && finding->stacks->len ? finding->stacks->pdata[finding->stacks->len - 1] : NULL;
}

static NativeStep *read_step(const Fields *f)
{
    NativeStep *step = g_new0(NativeStep, 1);
    *step = (NativeStep){.thread = g_strdup(field(f, 1)),
                         .operation = g_strdup(field(f, 2)),
                         .object = address(f, 3),
                         .pc = address(f, 4),
                         .other = g_strdup(field(f, 5)),
                         .valued = number(f, 6),
                         .value = g_ascii_strtoll(field(f, 7), NULL, 10),
                         .write = number(f, 8)};
    return step;
}

static void read_finding(NativeResult *result, const Fields *f)
{
    NativeFinding *finding = g_new0(NativeFinding, 1);
    *finding = (NativeFinding){.kind = g_strdup(field(f, 1)),
                               .text = g_strdup(field(f, 2)),
                               .blocks = g_array_new(FALSE, TRUE, sizeof(NativeBlock)),
                               .values = g_array_new(FALSE, TRUE, sizeof(NativeValue)),
                               .stacks = g_ptr_array_new_with_free_func(stack_free),
                               .steps = g_ptr_array_new_with_free_func(step_free)};
    g_ptr_array_add(result->findings, finding);
}

static void read_stack(NativeResult *result, const Fields *f)
{
    NativeFinding *finding = open_finding(result);
    if (!finding) return;
    NativeStack *stack = g_new0(NativeStack, 1);
    *stack = (NativeStack){.role = g_strdup(field(f, 1)), .thread = g_strdup(field(f, 2)), .start = address(f, 3)};
    stack->pcs = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    for (guint i = 4; i < f->n; i++) {
        uint64_t pc = address(f, i);
        g_array_append_val(stack->pcs, pc);
    }
    g_ptr_array_add(finding->stacks, stack);
}

static void read_waits(NativeResult *result, const Fields *f)
{
    NativeStack *stack = open_stack(result);
    if (!stack || stack->operation) return;
    stack->operation = g_strdup(field(f, 1));
    stack->object = address(f, 2);
    stack->target = g_strdup(field(f, 3));
    stack->spins = number(f, 4);
}

static void read_holder(NativeResult *result, const Fields *f)
{
    NativeStack *stack = open_stack(result);
    if (!stack || stack->holder) return;
    stack->holder = g_strdup(field(f, 1));
    stack->held_since = address(f, 2);
}

static void read_block(NativeResult *result, const Fields *f)
{
    NativeFinding *finding = open_finding(result);
    NativeBlock block = {address(f, 1), address(f, 2), number(f, 3), address(f, 4), address(f, 5)};
    if (finding) g_array_append_val(finding->blocks, block);
}

/* Belongs to the step before. */
static void read_clock(NativeResult *result, const Fields *f)
{
    NativeFinding *finding = open_finding(result);
    if (!finding || !finding->steps->len) return;
    NativeStep *step = finding->steps->pdata[finding->steps->len - 1];
    if (step->clock) return;
    step->number = (uint32_t)number(f, 1);
    step->clock = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (guint i = 2; i < f->n; i++) {
        uint32_t count = (uint32_t)number(f, i);
        g_array_append_val(step->clock, count);
    }
}

static void read_value(NativeResult *result, const Fields *f)
{
    NativeFinding *finding = open_finding(result);
    NativeValue value = {address(f, 1), g_ascii_strtoll(field(f, 2), NULL, 10)};
    if (finding) g_array_append_val(finding->values, value);
}

static uint32_t tree_at(const NativeTree *tree)
{
    return tree->path->len ? g_array_index(tree->path, uint32_t, tree->path->len - 1) : 0;
}

static void read_node(NativeTree *tree, const Fields *f)
{
    uint32_t node = tree->step->len, parent = tree_at(tree);
    g_ptr_array_add(tree->step, read_step(f));
    g_ptr_array_add(tree->kind, g_strdup(""));
    g_array_append_val(tree->parent, parent);
    g_array_append_val(tree->path, node);
}

static void read_end(NativeTree *tree, const Fields *f)
{
    char **kind = (char **)&tree->kind->pdata[tree_at(tree)];
    g_free(*kind);
    *kind = g_strdup(field(f, 1));
    tree->n_leaves++;
}

static void read_counts(NativeResult *result, const Fields *f, bool last)
{
    enum { N_COUNTS = sizeof(NativeCounts) / sizeof(uint64_t) };
    uint64_t counts[N_COUNTS] = {0};
    for (guint i = 0; i < N_COUNTS; i++) counts[i] = number(f, i + 1);
    memcpy(&result->counts, counts, sizeof counts);
    result->finished = last;
    result->complete = last && number(f, N_COUNTS + 1);
    g_clear_pointer(&result->reason, g_free);
    if (strcmp(field(f, N_COUNTS + 2), "-") != 0) result->reason = g_strdup(field(f, N_COUNTS + 2));
}

static void read_record(NativeResult *result, const char *kind, const Fields *f)
{
    NativeFinding *finding = open_finding(result);
    if (strcmp(kind, "base") == 0) {
        result->base = address(f, 1);
        result->started = true;
    } else if (strcmp(kind, "step") == 0) {
        g_ptr_array_add(finding ? finding->steps : result->steps, read_step(f));
    } else if (strcmp(kind, "clock") == 0) {
        read_clock(result, f);
    } else if (strcmp(kind, "value") == 0) {
        read_value(result, f);
    } else if (strcmp(kind, "from") == 0) {
        g_array_set_size(result->tree.path, (guint)MIN(number(f, 1), result->tree.path->len));
    } else if (strcmp(kind, "node") == 0) {
        read_node(&result->tree, f);
    } else if (strcmp(kind, "ended") == 0) {
        read_end(&result->tree, f);
    } else if (strcmp(kind, "finding") == 0) {
        read_finding(result, f);
    } else if (strcmp(kind, "stack") == 0) {
        read_stack(result, f);
    } else if (strcmp(kind, "waits") == 0) {
        read_waits(result, f);
    } else if (strcmp(kind, "holder") == 0) {
        read_holder(result, f);
    } else if (strcmp(kind, "block") == 0) {
        read_block(result, f);
    } else if (strcmp(kind, "object") == 0 && finding) {
        finding->object = address(f, 1);
    } else if (strcmp(kind, "counts") == 0 || strcmp(kind, "progress") == 0) {
        read_counts(result, f, *kind == 'c');
    } else if (strcmp(kind, "restart") == 0 && !result->outside) {
        result->outside = g_strdup(field(f, 1));
    } else if (strcmp(kind, "unsupported") == 0 && !result->refused) {
        result->refused = g_strdup(field(f, 1));
    } else if (strcmp(kind, "loops") == 0 && !result->refused) {
        result->refused =
            g_strdup_printf("thread %s runs for seconds without a visible operation; does it end?", field(f, 1));
    } else if (strcmp(kind, "blocks") == 0 && !result->refused) {
        result->refused = g_strdup_printf(
            "thread %s waits for something outside of the program, where no schedule helps", field(f, 1));
    } else if (strcmp(kind, "limit") == 0 && !result->reason) {
        result->reason = g_strdup(field(f, 1));
    } else if (strcmp(kind, "diverged") == 0) {
        result->diverged_at = number(f, 1);
    } else if (strcmp(kind, "then") == 0 && !result->then) {
        result->then = read_step(f);
    } else if (strcmp(kind, "now") == 0 && !result->now) {
        result->now = read_step(f);
    }
}

void native_result_read(NativeResult *result, const char *line)
{
    g_auto(GStrv) words = g_strsplit(line, "\t", -1);
    Fields f = {words, g_strv_length(words)};
    if (f.n) read_record(result, words[0], &f);
}
