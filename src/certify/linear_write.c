/* The writing half of linear.h. mazurka-verify has no part of it. */
#include "certify/linear.h"

static void put_terms(const LinearLists *lists, size_t i, bool factors, GString *line)
{
    size_t n;
    const LinearTerm *terms = linear_list(lists, i, &n);
    for (size_t k = 0; k < n; k++) {
        g_string_append_printf(line, "%s%u", line->len ? " " : "", terms[k].number);
        if (factors) g_string_append_printf(line, "*%" G_GINT64_FORMAT, terms[k].factor);
    }
}

void linear_put(const Linear *linear, LinearPart part, size_t i, GString *line)
{
    g_string_truncate(line, 0);
    if (part == LINEAR_ATOMS) g_string_append_printf(line, "%" G_GINT64_FORMAT, linear->bounds.data[i]);
    put_terms(linear_lists(linear, part), i, part == LINEAR_ATOMS || part == LINEAR_LEMMAS, line);
    if (part != LINEAR_LEMMAS) return;
    g_string_append(line, line->len ? " |" : "|");
    put_terms(&linear->leans, i, true, line);
    g_string_append(line, " |");
    put_terms(&linear->equations, i, true, line);
}
