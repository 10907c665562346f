#include "batch/setting.h"

#include "base/input.h"

#include <string.h>
#include <unistd.h>

/* As the system calls it; NULL when it does not say. */
static char *processor_model(void)
{
    enum { MOST = 1 << 20 };
    static const char key[] = "model name";
    size_t length;
    g_autofree char *text = input_read_file("/proc/cpuinfo", MOST, NULL, &length, NULL);
    const char *line = text ? strstr(text, key) : NULL, *value = line ? strchr(line, ':') : NULL;
    return value ? g_strstrip(g_strndup(value + 1, strcspn(value + 1, "\n"))) : NULL;
}

char *setting_text(const BatchOptions *o)
{
    GString *text = g_string_new("mazurka " PACKAGE_VERSION);
    if (o->seconds > 0)
        g_string_append_printf(text, ", %g s", o->seconds);
    else
        g_string_append(text, ", no time limit");
    if (o->memory) g_string_append_printf(text, ", %" G_GUINT64_FORMAT " MB", o->memory >> 20);
    g_string_append_printf(text, ", engine %s, %u thread%s", o->engine ? o->engine : "auto", MAX(o->threads, 1),
                           o->threads > 1 ? "s" : "");
    if (o->at_once) g_string_append_printf(text, ", %u at once", o->at_once);
    g_autofree char *model = processor_model();
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    g_string_append_printf(text, "; %s: %ld x %s, %.0f GB", g_get_host_name(), sysconf(_SC_NPROCESSORS_ONLN),
                           model ? model : "processor", bytes / 1e9);
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *date = g_date_time_format(now, "%Y-%m-%d");
    g_string_append_printf(text, "; %s", date);
    return g_string_free(text, FALSE);
}
