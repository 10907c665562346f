/* A layered drawing as SVG: boxes in rows, arcs between rows. Arcs over several rows run through invisible nodes, so
 * that they avoid the boxes; rows are ordered by the mean position of neighbours, in a few sweeps. What is printed
 * depends on what was added, and its order, alone. For some thousand nodes. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Layered Layered;

Layered *layered_new(void);
void layered_free(Layered *drawing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Layered, layered_free)

/* Takes label and title over. Classes are "c" (round), "e", and with "e" also "cut", "mate", "middle". The new node's
 * number. */
uint32_t layered_node(Layered *drawing, uint32_t row, const char *class, char *label, char *title);

typedef enum { LAYERED_LINE, LAYERED_ARROW, LAYERED_STOP } LayeredEnd; /* without a head, with one, dotted */

/* From a node to one in another row, above or below; `text` (may be NULL) stands beside it. */
void layered_arc(Layered *drawing, uint32_t from, uint32_t to, LayeredEnd end, const char *text);
/* How many pieces the arcs have so far. */
size_t layered_pieces(const Layered *drawing);

/* Once, when all is there. */
void layered_print(Layered *drawing, const char *title, GString *out);
