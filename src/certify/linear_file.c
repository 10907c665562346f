#include "certify/linear.h"

#include <errno.h>

const char *const linear_part_names[N_LINEAR_PARTS] = {"atoms", "traps", "siphons", "lemmas"};

const LinearLists *linear_lists(const Linear *linear, LinearPart part)
{
    return part == LINEAR_ATOMS    ? &linear->atoms
           : part == LINEAR_TRAPS  ? &linear->traps
           : part == LINEAR_LEMMAS ? &linear->uses
                                   : &linear->siphons;
}

size_t linear_part_count(const Linear *linear, LinearPart part)
{
    return linear_count(linear_lists(linear, part));
}

/* ---- reading ---- */

static bool take_number(const char **at, int64_t *value)
{
    const char *digits = **at == '-' ? *at + 1 : *at;
    if (!g_ascii_isdigit(*digits)) return false;
    char *end;
    errno = 0;
    *value = g_ascii_strtoll(*at, &end, 10);
    *at = end;
    return errno == 0;
}

/* Terms up to the end of the line or a bar; a missing factor is 1. */
static bool take_terms(const char **at, bool factors, LinearLists *lists)
{
    while (**at && **at != '|') {
        LinearTerm term = {0, 1};
        int64_t number;
        if (!take_number(at, &number) || number < 0 || number > UINT32_MAX) return false;
        term.number = (uint32_t)number;
        if (factors) {
            if (**at != '*') return false;
            ++*at;
            if (!take_number(at, &term.factor)) return false;
        }
        vec_push(&lists->terms, term);
        if (**at == ' ')
            ++*at;
        else if (**at)
            return false;
    }
    linear_end(lists);
    return true;
}

static bool take_bar(const char **at)
{
    if (**at != '|') return false;
    ++*at;
    if (**at == ' ') ++*at;
    return true;
}

bool linear_parse(Linear *linear, LinearPart part, const char *line)
{
    const char *at = line;
    if (part == LINEAR_TRAPS) return take_terms(&at, false, &linear->traps) && !*at;
    if (part == LINEAR_SIPHONS) return take_terms(&at, false, &linear->siphons) && !*at;
    if (part == LINEAR_LEMMAS)
        return take_terms(&at, true, &linear->uses) && take_bar(&at) && take_terms(&at, true, &linear->leans) &&
               take_bar(&at) && take_terms(&at, true, &linear->equations) && !*at;
    int64_t bound;
    if (!take_number(&at, &bound)) return false;
    if (*at == ' ')
        at++;
    else if (*at)
        return false;
    vec_push(&linear->bounds, bound);
    return take_terms(&at, true, &linear->atoms) && !*at;
}
