#include "api/handles.h"

#include "api/words.h"
#include "base/error.h"
#include "net/write.h"
#include "report/net_drawing.h"
#include "report/run_drawing.h"
#include "verify/witness.h"

#include <string.h>

static char *hand(GString *text, bool ok, size_t *size, GError *failed, mz_error **error)
{
    if (size) *size = text->len;
    char *bytes = g_string_free(text, !ok);
    return ok ? bytes : api_error_hand(failed, error);
}

char *mz_net_write(const mz_net *net, const char *format, size_t *size, mz_error **error)
{
    assert(IS_HANDLE(net, NET) && format);
    GError *failed = NULL;
    size_t length;
    bool svg = strcmp(format, "svg") == 0;
    if (svg || strcmp(format, "dot") == 0) {
        GString *text = g_string_new(NULL);
        bool ok =
            svg ? net_drawing_svg(api_net_inside(net), text, &failed) : net_drawing_dot(api_net_inside(net), text);
        return hand(text, ok, size, failed, error);
    }
    char *text = net_write_text(api_net_inside(net), format, &length, &failed);
    if (size) *size = text ? length : 0;
    return text ? text : api_error_hand(failed, error);
}

static bool write_run(const Net *net, const uint32_t *run, size_t length, const char *relation, const char *format,
                      GString *text, GError **error)
{
    Relation known;
    if (strcmp(format, "run") == 0) {
        witness_print(net, run, length, text);
        return true;
    }
    relation = relation ? relation : relation_name(RELATION_LOOPS);
    if (!words_relation(relation, &known, error)) return false;
    g_autoptr(Indep) indep = indep_named(net, relation, NULL, error);
    if (!indep) return false;
    if (strcmp(format, "svg") == 0) return run_drawing_svg(net, indep, run, length, text, error);
    if (strcmp(format, "dot") == 0) {
        run_drawing_dot(net, indep, run, length, text);
        return true;
    }
    g_set_error(error, MAZURKA_ERROR, ERROR_USAGE, "a run is written as run, dot or svg, not as '%s'",
                error_excerpt(format, SIZE_MAX).text);
    return false;
}

char *mz_net_write_run(const mz_net *net, const uint32_t *run, size_t length, const char *relation, const char *format,
                       size_t *size, mz_error **error)
{
    assert(IS_HANDLE(net, NET) && format && (run || !length));
    GError *failed = NULL;
    GString *text = g_string_new(NULL);
    bool ok = write_run(api_net_inside(net), run, length, relation, format, text, &failed);
    return hand(text, ok, size, failed, error);
}
