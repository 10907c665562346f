/* Ids between double quotes, as firing sequences and files of relations and constraints hold them: one line each,
 * whatever the id.
 *
 * \" and \\ stand for themselves, \xNN for a byte. What would not be seen in a terminal is written so (visible.h), so
 * that such a file may also be printed. */
#pragma once
#include <glib.h>

void quote_append(GString *out, const char *id);
/* Reads from behind the opening quote; returns where the closing one stands, or NULL when it is not on this line. */
const char *quote_read(const char *at, GString *id);

/* As a line of its own: quoted only where the bare id would not come back (empty, blanks around it, a line break, a
 * quote in front). */
void quote_append_line(GString *out, const char *id);
