/* The shell of every page that is written: one HTML file that needs nothing else, neither a network nor a server.
 *
 * Styles and scripts are ordinary files in src/report/page, which the build puts into page_text.h. A page allows itself
 * exactly those, by their hashes (Content-Security-Policy), and nothing from anywhere else: a name that looks like
 * markup or a script stays text even if some writer forgot to escape it. Data for the scripts is JSON in a block that
 * is not executed. */
#pragma once
#include <glib.h>

typedef enum { HTML_VIEW, HTML_REPORT } HtmlKind;

/* Appends the page. `body` is markup, `data` is JSON; either may be NULL. */
void html_page(GString *out, HtmlKind kind, const char *title, const char *body, const char *data);
