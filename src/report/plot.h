/* Plots as inline SVG for self-contained pages: logarithmic or linear axes with ticks, step lines and
 * points with tooltips. Colours work on light and dark backgrounds. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct PlotAxis {
    const char *label;
    double low, high; /* low < high; > 0 when logarithmic */
    bool logarithmic;
} PlotAxis;

typedef struct Plot {
    GString *out;
    PlotAxis x, y;
} Plot;

/* Writes the frame, the axes and their labels. */
Plot plot_begin(GString *out, PlotAxis x, PlotAxis y, const char *title);
/* Points outside the axes are drawn at the border. `style` picks one of eight colours. */
void plot_steps(Plot *plot, const double *x, const double *y, size_t n, unsigned style);
void plot_point(Plot *plot, double x, double y, unsigned style, const char *tooltip);
/* A thin line from corner to corner, for scatter plots with equal axes. */
void plot_diagonal(Plot *plot);
void plot_end(Plot *plot);

/* CSS for the page's <style>, once. */
const char *plot_css(void);
