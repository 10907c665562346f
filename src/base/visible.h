/* Text that came from outside (names, file names, messages that quote them), as it is shown to people.
 *
 * A name may hold anything, also what a terminal obeys: line breaks that forge a verdict, escape sequences, characters
 * that turn the line around. Shown text has none of them: control characters, line and paragraph separators, invisible
 * format characters (bidirectional ones among them) and bytes that are not UTF-8 appear as \n, \x1b, \u202e, \xff.
 * Everything else, the backslash included, stays as it is, so showing shown text changes nothing. Files and JSON keep
 * names exactly; this is for standard output, standard error, tables and pictures.
 *
 * Everything that the programs tell people passes through visible_print() or visible_lines(). */
#pragma once
#include <glib.h>
#include <stddef.h>
#include <stdio.h>

/* The bytes of the first character when it is shown as it is; else 0. */
size_t visible_length(const char *text);

/* On one line: line breaks are escaped too. */
void visible_append(GString *out, const char *text);
char *visible_text(const char *text);

/* The columns that shown text takes in a terminal: two for a wide character, none for a combining one. */
size_t visible_columns(const char *text);

/* As printf does, with d i u x o c e f g s, but what %s brings in is shown as above; widths count columns, and a
 * precision does not cut one. The format's own line breaks are the caller's. */
void visible_format(GString *out, const char *format, ...) G_GNUC_PRINTF(2, 3);
void visible_print(FILE *out, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* In the pictures and pages that people look at. For text and attributes of HTML and XML (SVG), of which XML could not
 * hold every control character anyway; line breaks stay. And for a text between the quotes of DOT. */
void visible_markup(GString *out, const char *text);
void visible_dot(GString *out, const char *text);

/* Lines that the program has composed of shown text: their breaks stay, anything else odd does not. */
void visible_lines(FILE *out, const char *text);
