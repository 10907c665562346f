/* draw TITLE XLABEL YLABEL < series: lines "NAME X Y", sorted by X in each series, a logarithmic y axis; writes an SVG
 * file of its own on standard output. */
#include "report/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000, SERIES = 8 };

typedef struct Series {
    char name[64];
    double x[MOST], y[MOST];
    size_t n;
} Series;

static Series *series_of(Series *all, size_t *n, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    if (*n == SERIES) return NULL;
    g_strlcpy(all[*n].name, name, sizeof all->name);
    return &all[(*n)++];
}

static void draw(Plot *plot, const Series *s, unsigned style)
{
    plot_steps(plot, s->x, s->y, s->n, style);
    for (size_t i = 0; i < s->n; i++) {
        g_autofree char *tip = g_strdup_printf("%s at %g: %g", s->name, s->x[i], s->y[i]);
        plot_point(plot, s->x[i], s->y[i], style, tip);
    }
    unsigned y = 54 + 16 * style;
    g_string_append_printf(plot->out,
                           "<circle class=\"s%u\" cx=\"84\" cy=\"%u\" r=\"4\"/><text x=\"94\" y=\"%u\">%s</text>\n",
                           style, y - 4, y, s->name);
}

int main(int argc, char **argv)
{
    if (argc != 4) return EXIT_FAILURE;
    Series *all = g_new0(Series, SERIES);
    size_t n = 0;
    char name[64];
    double x, y, low = G_MAXDOUBLE, high = 0, top = 1;
    while (scanf("%63s %lf %lf", name, &x, &y) == 3) {
        Series *s = series_of(all, &n, name);
        if (!s || s->n == MOST) return EXIT_FAILURE;
        s->x[s->n] = x;
        s->y[s->n++] = y;
        low = MIN(low, x);
        high = MAX(high, x);
        top = MAX(top, y);
    }
    if (!n) return EXIT_FAILURE;
    GString *out = g_string_new(NULL);
    PlotAxis across = {argv[2], low, MAX(high, low + 1), false}, up = {argv[3], 0.9, top * 2, true};
    Plot plot = plot_begin(out, across, up, argv[1]);
    for (size_t i = 0; i < n; i++) draw(&plot, &all[i], (unsigned)i);
    plot_end(&plot);
    /* a file needs the name space, and the style inside */
    const char *inside = strchr(out->str, '>');
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\"%.*s>\n<style>%s</style>\n%s", (int)(inside - out->str - 4),
           out->str + 4, plot_css(), inside + 1);
    g_string_free(out, TRUE);
    g_free(all);
    return EXIT_SUCCESS;
}
