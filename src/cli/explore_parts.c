#include "cli/explore_parts.h"

#include "base/error.h"
#include "base/exact.h"
#include "base/output.h"
#include "base/visible.h"
#include "certify/digest.h"
#include "cli/parts.h"
#include "explore/reverse.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_MISSING = 10, MOST_PARTS = 1000000 };

bool explore_parts_wanted(const Options *o)
{
    return o->split || o->part || o->merge;
}

int explore_parts_check(const Command *command)
{
    const Options *o = &command->options;
    if (o->merge && (o->split || o->part || o->output))
        return command_fail("explore: --merge NET FILE... adds up what --split and --part wrote, and takes neither of "
                            "them and no -o");
    if (o->merge && command->n_arguments < 2) return command_fail("explore: --merge takes NET and the files to add up");
    if (!o->merge && !o->output) return command_fail("explore: --split and --part write a file: -o FILE");
    if (o->split > MOST_PARTS) return command_fail("explore: at most %d parts", MOST_PARTS);
    if (o->split && o->threads > 1) return command_fail("explore: --split needs --threads 1");
    if (o->html || o->count_events)
        return command_fail("explore: --html and --count-events need the whole exploration");
    return EXIT_HOLDS;
}

/* ---- one job ---- */

/* Could this run come from the exploration? A file may say anything. */
static bool is_part(const Net *net, const Indep *indep, const DporOptions *options, const uint32_t *run, size_t n,
                    Budget *budget)
{
    g_autoptr(NetLts) lts = netlts_new(net, 64);
    Outcome outcome;
    DporStats stats = {0};
    Reverse search;
    outcome_init(&outcome, &lts->lts, budget);
    bool ok =
        !reverse_init(&search, &outcome, &stats, &lts->lts, lts, indep, options) || reverse_accepts(&search, run, n);
    reverse_clear(&search);
    outcome_clear(&outcome);
    return ok;
}

static bool read_part(ExploreParts *x, const char *text, const Net *net, const Indep *indep, const DporOptions *options,
                      Budget *budget, GError **error)
{
    const char *colon = strrchr(text, ':');
    guint64 part;
    if (!colon || !g_ascii_string_to_unsigned(colon + 1, 10, 1, UINT32_MAX, &part, NULL)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "explore: --part is FILE:I with I from 1, not '%s'", text);
        return false;
    }
    g_autofree char *path = g_strndup(text, (gsize)(colon - text));
    Parts parts;
    if (!parts_read(&parts, path, x->task, net->n_transitions, budget, error)) return false;
    size_t n = 0;
    bool there = part <= backlog_len(&parts.rest);
    const uint32_t *run = there ? backlog_run(&parts.rest, part - 1, &n) : NULL;
    bool ok = there && is_part(net, indep, options, run, n, budget);
    if (!there)
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "%s: has %zu parts, no part %u", path, backlog_len(&parts.rest),
                    (unsigned)part);
    else if (!ok)
        g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "%s: part %u is no run of this exploration", path,
                    (unsigned)part);
    if (ok) {
        backlog_push(&x->from, run, n);
        x->parent = g_strdup(parts.name);
        x->part = (uint32_t)part;
    }
    parts_clear(&parts);
    return ok;
}

bool explore_parts_begin(ExploreParts *x, const Command *command, const Net *net, const Indep *indep,
                         DporOptions *options, Budget *budget, GError **error)
{
    const Options *o = &command->options;
    g_autofree char *digest = digest_of(net);
    *x = (ExploreParts){.task = parts_task(net, digest, indep, options)};
    options->split = (size_t)o->split;
    if (!o->part) return true;
    options->from = &x->from;
    return read_part(x, o->part, net, indep, options, budget, error);
}

void explore_parts_clear(ExploreParts *x)
{
    g_free(x->task);
    g_free(x->parent);
    backlog_clear(&x->from);
}

bool explore_parts_write(const ExploreParts *x, const Command *command, const DporRun *run, GError **error)
{
    const Outcome *o = &run->outcome;
    if (o->end != ENDING_COMPLETE && !ending_is_limit(o->end)) return true;
    Parts parts = {.task = x->task,
                   .parent = x->parent,
                   .part = x->part,
                   .maximal = o->stats.leaves[LEAF_MAXIMAL],
                   .bound = o->stats.leaves[LEAF_BOUND],
                   .waiting = o->stats.leaves[LEAF_WAITING],
                   .stuck = o->stats.leaves[LEAF_STUCK],
                   .cut = o->stats.cut,
                   .nodes = o->stats.nodes,
                   .deepest = o->stats.deepest,
                   .rest = run->rest};
    for (size_t i = 0; i < o->dead.len; i++) backlog_push(&parts.dead, o->dead.data[i].run, o->dead.data[i].length);
    g_autoptr(GString) text = g_string_new(NULL);
    parts_print(&parts, text);
    backlog_clear(&parts.dead);
    return output_write(command->options.output, text->str, text->len, error);
}

/* ---- adding up ---- */

typedef struct Merge {
    const Net *net;
    Parts *file;
    const char *const *path;
    size_t n;
    GHashTable *of; /* "parent:part" -> 1 + the index of the file to take */
    DporRun *run;
    Budget *budget;
    size_t missing;
} Merge;

static char *key_of(const char *parent, uint32_t part)
{
    return g_strdup_printf("%s:%u", parent, part);
}

static size_t find(const Merge *m, const char *parent, uint32_t part)
{
    g_autofree char *key = key_of(parent, part);
    return GPOINTER_TO_SIZE(g_hash_table_lookup(m->of, key));
}

/* Of several files about one part, all are exact: one that leaves nothing to others is best, then one whose parts were
 * explored. */
static unsigned merit(const Merge *m, const Parts *p)
{
    return !backlog_len(&p->rest) ? 2 : find(m, p->name, 1) > 0;
}

static void index_files(Merge *m)
{
    for (int pass = 0; pass < 2; pass++) /* in the second one it is known which have results of parts */
        for (size_t i = 0; i < m->n; i++) {
            const Parts *p = &m->file[i];
            size_t old = p->parent ? find(m, p->parent, p->part) : 0;
            if (!p->parent || (old && merit(m, &m->file[old - 1]) >= merit(m, p))) continue;
            g_hash_table_insert(m->of, key_of(p->parent, p->part), GSIZE_TO_POINTER(i + 1));
        }
}

static bool add_dead(Merge *m, const char *path, const uint32_t *run, size_t n, GError **error)
{
    const Lts *lts = &m->run->lts->lts;
    g_autofree uint64_t *state = g_new0(uint64_t, MAX(lts->state_words, 1));
    lts->initial(lts, state);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) ok = lts->enabled(lts, state, run[i]) && lts->fire(lts, state, run[i]);
    for (uint32_t t = 0; t < lts->n_actions && ok; t++) ok = !lts->enabled(lts, state, t);
    if (ok) return outcome_note_dead(&m->run->outcome, state, run, (uint32_t)n) || budget_ended(m->budget);
    g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "%s: has a run that does not end in a dead marking", path);
    return false;
}

static bool add_file(Merge *m, size_t i, VecU32 *queue, GError **error)
{
    const Parts *p = &m->file[i];
    ExploreStats *s = &m->run->outcome.stats;
    if (!checked_add(s->leaves[LEAF_MAXIMAL], p->maximal, &s->leaves[LEAF_MAXIMAL]) ||
        !checked_add(s->leaves[LEAF_BOUND], p->bound, &s->leaves[LEAF_BOUND]) ||
        !checked_add(s->leaves[LEAF_WAITING], p->waiting, &s->leaves[LEAF_WAITING]) ||
        !checked_add(s->leaves[LEAF_STUCK], p->stuck, &s->leaves[LEAF_STUCK]) ||
        !checked_add(s->nodes, p->nodes, &s->nodes)) {
        g_set_error(error, MAZURKA_ERROR, ERROR_LIMIT, "%s: the figures add up to more than 2^64 - 1", m->path[i]);
        return false;
    }
    s->cut |= p->cut > 0;
    s->deepest = MAX(s->deepest, p->deepest);
    for (size_t k = 0; k < backlog_len(&p->dead); k++) {
        size_t n;
        const uint32_t *run = backlog_run(&p->dead, k, &n);
        if (budget_spent(m->budget) || !add_dead(m, m->path[i], run, n, error)) return !error || !*error;
    }
    for (uint32_t part = 1; part <= backlog_len(&p->rest); part++) {
        size_t next = find(m, p->name, part);
        if (next) {
            vec_push(queue, (uint32_t)(next - 1));
        } else if (m->missing++ < SHOWN_MISSING) {
            visible_print(stderr, "mazurka: explore: no result of %s:%u\n", m->path[i], part);
        }
    }
    return true;
}

/* A file cannot be below itself: it has the checksum of the one above in it. */
static bool add_up(Merge *m, GError **error)
{
    VecU32 queue = {0};
    size_t root = m->n;
    bool ok = true;
    for (size_t i = 0; i < m->n && ok; i++) {
        if (m->file[i].parent) continue;
        ok = root == m->n || strcmp(m->file[root].name, m->file[i].name) == 0;
        if (!ok)
            g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                        "explore: %s and %s both begin an exploration; one is added up", m->path[root], m->path[i]);
        root = i;
    }
    if (ok && root == m->n) {
        g_set_error(error, MAZURKA_ERROR, ERROR_USAGE,
                    "explore: the file that the exploration was first split into is missing");
        ok = false;
    }
    if (ok) vec_push(&queue, (uint32_t)root);
    for (size_t i = 0; i < queue.len && ok; i++) ok = add_file(m, queue.data[i], &queue, error);
    vec_free(&queue);
    return ok;
}

bool explore_parts_merge(const ExploreParts *x, const Command *command, const Net *net, DporRun *run, size_t *missing,
                         Budget *budget, GError **error)
{
    size_t n = (size_t)command->n_arguments - 1;
    Merge m = {.net = net,
               .file = g_new0(Parts, n),
               .path = (const char *const *)command->arguments + 1,
               .n = n,
               .of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
               .run = run,
               .budget = budget};
    *run = (DporRun){.lts = netlts_new(net, 64)};
    outcome_init(&run->outcome, &run->lts->lts, budget);
    run->outcome.least_runs = true;
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok = parts_read(&m.file[i], m.path[i], x->task, net->n_transitions, budget, error);
    if (ok) index_files(&m);
    ok = ok && add_up(&m, error);
    outcome_sort(&run->outcome);
    outcome_end(&run->outcome);
    *missing = m.missing;
    for (size_t i = 0; i < n; i++) parts_clear(&m.file[i]);
    g_free(m.file);
    g_hash_table_destroy(m.of);
    return ok;
}
