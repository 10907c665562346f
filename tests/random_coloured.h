/* Random coloured nets as PNML, small enough to be played through: one sort of each kind, few colours, few arcs, every
 * operation somewhere. */
#pragma once
#include "base/rng.h"

#include <glib.h>
#include <stdbool.h>

/* The sorts of every net; variables are called v, and so on, after the sort. */
enum { C_DOT, C_CYCLE, C_RANGE, C_PAIR, C_TRIPLE, C_BLOCKS, N_C_SORTS };
static const char *const coloured_sorts[] = {"dot", "cycle", "range", "pair", "triple", "blocks"};

static const char coloured_declarations[] =
    "<declaration><structure><declarations>"
    "<namedsort id='triple'><productsort><usersort declaration='pair'/><usersort "
    "declaration='cycle'/></productsort></namedsort>"
    "<partition id='blocks'><usersort declaration='cycle'/><partitionelement id='odd'><useroperator declaration='c1'/>"
    "<useroperator declaration='c3'/></partitionelement><partitionelement id='even'><useroperator declaration='c2'/>"
    "</partitionelement><partitionelement id='none'/></partition>"
    "<namedsort id='pair'><productsort><usersort declaration='cycle'/><usersort "
    "declaration='range'/></productsort></namedsort>"
    "<namedsort id='range'><finiteintrange start='-1' end='0'/></namedsort>"
    "<namedsort id='cycle'><cyclicenumeration><feconstant id='c1'/><feconstant id='c2'/><feconstant id='c3'/>"
    "</cyclicenumeration></namedsort>"
    "<namedoperator id='next'><parameter><variabledecl id='z'><usersort "
    "declaration='cycle'/></variabledecl></parameter><def>"
    "<successor><subterm><variable refvariable='z'/></subterm></successor></def></namedoperator>"
    "<variabledecl id='x1'><usersort declaration='cycle'/></variabledecl>"
    "<variabledecl id='x2'><usersort declaration='range'/></variabledecl>"
    "<variabledecl id='x3'><usersort declaration='pair'/></variabledecl>"
    "<variabledecl id='x5'><usersort declaration='blocks'/></variabledecl>"
    "<variabledecl id='y1'><usersort declaration='cycle'/></variabledecl>"
    "<variabledecl id='y2'><usersort declaration='range'/></variabledecl>"
    "</declarations></structure></declaration>";

typedef struct Coloured {
    Rng rng;
    GString *text;
    bool variables; /* may be used */
} Coloured;

static inline void coloured_put(Coloured *c, const char *text)
{
    g_string_append(c->text, text);
}

static inline void coloured_constant(Coloured *c, int sort)
{
    static const char *const cycle[] = {"c1", "c2", "c3"}, *const blocks[] = {"odd", "even", "none"};
    if (sort == C_DOT)
        coloured_put(c, "<dotconstant/>");
    else if (sort == C_RANGE)
        g_string_append_printf(c->text,
                               "<finiteintrangeconstant value='%d'><finiteintrange start='-1' end='0'/>"
                               "</finiteintrangeconstant>",
                               -(int)rng_below(&c->rng, 2));
    else
        g_string_append_printf(c->text, "<useroperator declaration='%s'/>",
                               sort == C_CYCLE ? cycle[rng_below(&c->rng, 3)] : blocks[rng_below(&c->rng, 3)]);
}

static inline void coloured_colour(Coloured *c, int sort, int depth)
{
    bool basic = sort != C_PAIR && sort != C_TRIPLE;
    if (c->variables && sort != C_DOT && sort != C_TRIPLE && !rng_chance(&c->rng, 3)) {
        bool other = (sort == C_CYCLE || sort == C_RANGE) && rng_chance(&c->rng, 2);
        g_string_append_printf(c->text, "<variable refvariable='%c%d'/>", other ? 'y' : 'x', sort);
    } else if (!basic) {
        coloured_put(c, "<tuple><subterm>");
        coloured_colour(c, sort == C_PAIR ? C_CYCLE : C_PAIR, depth);
        coloured_put(c, "</subterm><subterm>");
        coloured_colour(c, sort == C_PAIR ? C_RANGE : C_CYCLE, depth);
        coloured_put(c, "</subterm></tuple>");
    } else if (depth > 0 && sort != C_DOT && rng_chance(&c->rng, 2)) {
        static const char *const open[] = {"successor", "predecessor", "useroperator declaration='next'",
                                           "partitionelementof refpartition='blocks'"};
        static const char *const close[] = {"successor", "predecessor", "useroperator", "partitionelementof"};
        int op = sort == C_BLOCKS ? 3 : (int)rng_below(&c->rng, sort == C_CYCLE ? 3 : 2);
        g_string_append_printf(c->text, "<%s><subterm>", open[op]);
        coloured_colour(c, op == 3 ? C_CYCLE : sort, depth - 1);
        g_string_append_printf(c->text, "</subterm></%s>", close[op]);
    } else {
        coloured_constant(c, sort);
    }
}

static inline void coloured_all(Coloured *c, int sort)
{
    g_string_append_printf(c->text, "<all><usersort declaration='%s'/></all>", coloured_sorts[sort]);
}

/* A multiset. */
static inline void coloured_tokens(Coloured *c, int sort, int depth)
{
    switch (depth > 0 ? rng_below(&c->rng, 8) : 7) {
    case 0:
    case 1:
        coloured_put(c, "<add><subterm>");
        coloured_tokens(c, sort, depth - 1);
        coloured_put(c, "</subterm><subterm>");
        coloured_tokens(c, sort, depth - 1);
        coloured_put(c, "</subterm></add>");
        break;
    case 2:
        coloured_put(c, "<subtract><subterm>");
        if (rng_chance(&c->rng, 2))
            coloured_all(c, sort);
        else
            coloured_tokens(c, sort, depth - 1);
        coloured_put(c, "</subterm><subterm>");
        coloured_tokens(c, sort, depth - 1);
        coloured_put(c, "</subterm></subtract>");
        break;
    case 3:
        if (sort == C_PAIR || sort == C_TRIPLE) {
            coloured_put(c, "<tuple><subterm>");
            coloured_tokens(c, sort == C_PAIR ? C_CYCLE : C_PAIR, depth - 1);
            coloured_put(c, "</subterm><subterm>");
            coloured_tokens(c, sort == C_PAIR ? C_RANGE : C_CYCLE, depth - 1);
            coloured_put(c, "</subterm></tuple>");
        } else {
            coloured_all(c, sort);
        }
        break;
    case 4:
    case 5:
        g_string_append_printf(c->text, "<numberof><subterm><numberconstant value='%d'/></subterm><subterm>",
                               (int)rng_below(&c->rng, 3));
        coloured_tokens(c, sort, depth - 1);
        coloured_put(c, "</subterm></numberof>");
        break;
    case 6:
        if (sort == C_CYCLE)
            coloured_constant(c, C_BLOCKS); /* all colours of the block */
        else
            coloured_colour(c, sort, 2);
        break;
    default: coloured_colour(c, sort, 2);
    }
}

static inline void coloured_guard(Coloured *c, int depth)
{
    static const char *const connectives[] = {"and", "or", "imply", "not"};
    static const char *const comparisons[] = {"equality",    "equality",        "inequality",        "lessthan",
                                              "greaterthan", "lessthanorequal", "greaterthanorequal"};
    if (depth > 0 && rng_chance(&c->rng, 2)) {
        int op = (int)rng_below(&c->rng, 4);
        g_string_append_printf(c->text, "<%s><subterm>", connectives[op]);
        coloured_guard(c, depth - 1);
        if (op < 3) coloured_put(c, "</subterm><subterm>");
        if (op < 3) coloured_guard(c, depth - 1);
        g_string_append_printf(c->text, "</subterm></%s>", connectives[op]);
        return;
    }
    static const int sorts[] = {C_CYCLE, C_CYCLE, C_RANGE, C_BLOCKS, C_PAIR};
    int sort = sorts[rng_below(&c->rng, 5)], op = (int)rng_below(&c->rng, sort == C_PAIR ? 3 : 7);
    g_string_append_printf(c->text, "<%s><subterm>", comparisons[op]);
    coloured_colour(c, sort, 1);
    coloured_put(c, "</subterm><subterm>");
    coloured_colour(c, sort, 1);
    g_string_append_printf(c->text, "</subterm></%s>", comparisons[op]);
}

static inline void coloured_arcs(Coloured *c, int transition, const int *sorts, int n_places)
{
    for (int p = 0; p < n_places; p++)
        for (int out = 0; out < 2; out++) {
            if (rng_chance(&c->rng, 2)) continue;
            g_string_append_printf(c->text,
                                   out ? "<arc source='t%d' target='p%d'><hlinscription><structure>"
                                       : "<arc target='t%d' source='p%d'><hlinscription><structure>",
                                   transition, p);
            coloured_tokens(c, sorts[p], out ? 2 : (int)rng_below(&c->rng, 3));
            coloured_put(c, "</structure></hlinscription></arc>");
        }
}

/* The caller's. */
static inline char *random_coloured(uint64_t seed)
{
    Coloured c = {.rng = {seed}, .text = g_string_new("<pnml><net id='n' type='symmetricnet'>")};
    int n_places = 1 + (int)rng_below(&c.rng, 4), n_transitions = 1 + (int)rng_below(&c.rng, 3), sorts[4];
    for (int p = 0; p < n_places; p++) {
        sorts[p] = (int)rng_below(&c.rng, N_C_SORTS);
        g_string_append_printf(c.text,
                               "<place id='p%d'><type><structure><usersort declaration='%s'/></structure></type>", p,
                               coloured_sorts[sorts[p]]);
        if (!rng_chance(&c.rng, 4)) {
            coloured_put(&c, "<hlinitialMarking><structure>");
            coloured_tokens(&c, sorts[p], 3);
            coloured_put(&c, "</structure></hlinitialMarking>");
        }
        coloured_put(&c, "</place>");
    }
    c.variables = true;
    for (int t = 0; t < n_transitions; t++) {
        g_string_append_printf(c.text, "<transition id='t%d'>", t);
        if (rng_chance(&c.rng, 2)) {
            coloured_put(&c, "<condition><structure>");
            coloured_guard(&c, 2);
            coloured_put(&c, "</structure></condition>");
        }
        coloured_put(&c, "</transition>");
        coloured_arcs(&c, t, sorts, n_places);
    }
    coloured_put(&c, coloured_declarations);
    coloured_put(&c, "</net></pnml>");
    return g_string_free(c.text, FALSE);
}
