#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 1000 };

/* Edit distance without regard to case, cut off at `limit`. */
static size_t edit_distance(const char *a, const char *b, size_t limit)
{
    size_t n = strlen(a), m = strlen(b);
    if ((n > m ? n - m : m - n) >= limit || m > LONGEST || n > LONGEST) return limit;
    size_t row[LONGEST + 1];
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0], best = row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t change = diagonal + (g_ascii_tolower(a[i - 1]) != g_ascii_tolower(b[j - 1]));
            diagonal = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
            best = MIN(best, row[j]);
        }
        if (best >= limit) return limit;
    }
    return row[m];
}

void nearest_offer(Nearest *nearest, const char *wanted, const char *name)
{
    size_t distance = edit_distance(wanted, name, nearest->name ? nearest->distance : SIZE_MAX);
    if (nearest->name && distance >= nearest->distance) return;
    nearest->name = name;
    nearest->distance = distance;
}

char *nearest_hint(const Nearest *nearest, const char *wanted)
{
    if (!nearest->name || nearest->distance > 1 + strlen(wanted) / 4) return g_strdup("");
    return g_strdup_printf("; did you mean '%s'?", nearest->name);
}

char *nearest_hint_of(const char *wanted, const char *names)
{
    g_auto(GStrv) list = g_strsplit_set(names, ", ", -1);
    Nearest nearest = {0};
    for (char **name = list; *name; name++)
        if (**name) nearest_offer(&nearest, wanted, *name);
    return nearest_hint(&nearest, wanted);
}
