#include "report/html.h"

#include "base/visible.h"
#include "page_text.h"

#include <string.h>

static const struct {
    const char *style, *script;
} parts[] = {
    [HTML_VIEW] = {page_view_style, page_view_script}, [HTML_REPORT] = {page_report_style, page_report_script}};

static void append_hash(GString *out, const char *text)
{
    guint8 digest[32];
    gsize length = sizeof digest;
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text));
    g_checksum_get_digest(sum, digest, &length);
    g_autofree char *base64 = g_base64_encode(digest, length);
    g_string_append_printf(out, "'sha256-%s'", base64);
}

/* The JSON text with what could end a block of a page, or a line of a script, written by its number. */
static void put_data(GString *out, const char *json)
{
    for (const char *c = json; *c; c++) {
        if (*c == '<' || *c == '>' || *c == '&')
            g_string_append_printf(out, "\\u%04x", *c);
        else if (strncmp(c, "\xe2\x80\xa8", 3) == 0 || strncmp(c, "\xe2\x80\xa9", 3) == 0) {
            g_string_append(out, c[2] == '\xa8' ? "\\u2028" : "\\u2029");
            c += 2;
        } else
            g_string_append_c(out, *c);
    }
}

void html_page(GString *out, HtmlKind kind, const char *title, const char *body, const char *data)
{
    const char *style = parts[kind].style, *script = parts[kind].script;
    g_string_append(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
                         "form-action 'none'; style-src ");
    append_hash(out, style);
    g_string_append(out, "; script-src ");
    append_hash(out, script);
    g_string_append(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    visible_markup(out, title);
    g_string_append_printf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
    if (body) g_string_append(out, body);
    if (data) {
        g_string_append(out, "<script type=\"application/json\" id=\"data\">");
        put_data(out, data);
        g_string_append(out, "</script>\n");
    }
    g_string_append_printf(out, "<script>%s</script>\n</body>\n</html>\n", script);
}
