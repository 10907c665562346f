#include "net/pnml_priority.h"

#include <math.h>

void pnml_priority_open(PnmlPriorities *priorities)
{
    priorities->timed = false;
    priorities->priority = 1;
}

bool pnml_priority_timed(PnmlPriorities *priorities, const char *text, GError **error)
{
    g_autofree char *word = g_strstrip(g_strdup(text));
    priorities->timed = g_ascii_strcasecmp(word, "true") == 0;
    if (priorities->timed || !*word || g_ascii_strcasecmp(word, "false") == 0) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "timed: \"%s\" is neither true nor false",
                error_excerpt(word, SIZE_MAX).text);
    return false;
}

bool pnml_priority_set(PnmlPriorities *priorities, const char *text, GError **error)
{
    g_autofree char *word = g_strstrip(g_strdup(text));
    char *end = word;
    if (!*word) return true;
    priorities->priority = g_ascii_strtod(word, &end);
    if (!*end && isfinite(priorities->priority)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_INPUT, "priority: \"%s\" is not a number",
                error_excerpt(word, SIZE_MAX).text);
    return false;
}

bool pnml_priority_close(PnmlPriorities *p, GError **error)
{
    if (!p->any) {
        p->any = true;
        p->first_timed = p->timed;
        p->first_priority = p->priority;
        return true;
    }
    if (p->timed != p->first_timed) {
        g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED,
                    "immediate transitions go before timed ones: nets with both are not supported");
        return false;
    }
    if (p->timed || !islessgreater(p->priority, p->first_priority)) return true;
    g_set_error(error, MAZURKA_ERROR, ERROR_UNSUPPORTED,
                "priorities of transitions are not supported (%g here, %g before)", p->priority, p->first_priority);
    return false;
}
