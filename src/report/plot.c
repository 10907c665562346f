#include "report/plot.h"

#include "base/visible.h"

#include <math.h>

enum { WIDTH = 640, HEIGHT = 400, LEFT = 70, RIGHT = 20, TOP = 34, BOTTOM = 52 };

const char *plot_css(void)
{
    return "svg.plot{max-width:100%;height:auto;font:12px sans-serif}"
           "svg.plot .frame{fill:none;stroke:currentColor;stroke-opacity:.5}"
           "svg.plot .grid{stroke:currentColor;stroke-opacity:.12}"
           "svg.plot text{fill:currentColor}svg.plot .steps{fill:none;stroke-width:2}"
           ".s0{stroke:#3b7dd8;fill:#3b7dd8}.s1{stroke:#d8603b;fill:#d8603b}.s2{stroke:#3ba55d;fill:#3ba55d}"
           ".s3{stroke:#a259c4;fill:#a259c4}.s4{stroke:#c49a2c;fill:#c49a2c}.s5{stroke:#2ca6a4;fill:#2ca6a4}"
           ".s6{stroke:#c4467f;fill:#c4467f}.s7{stroke:#7a7f87;fill:#7a7f87}";
}

/* Position on an axis from 0 to 1, held inside. */
static double fraction(const PlotAxis *axis, double value)
{
    double f = axis->logarithmic
                   ? (log10(MAX(value, axis->low)) - log10(axis->low)) / (log10(axis->high) - log10(axis->low))
                   : (value - axis->low) / (axis->high - axis->low);
    return CLAMP(f, 0, 1);
}

static double x_of(const Plot *p, double value)
{
    return LEFT + fraction(&p->x, value) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const Plot *p, double value)
{
    return HEIGHT - BOTTOM - fraction(&p->y, value) * (HEIGHT - TOP - BOTTOM);
}

/* The next tick: powers of ten, or a round step that gives about six ticks. */
static double tick_step(const PlotAxis *axis)
{
    double raw = (axis->high - axis->low) / 6, power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void draw_tick(Plot *p, bool horizontal, double value)
{
    double at = horizontal ? x_of(p, value) : y_of(p, value);
    if (horizontal)
        g_string_append_printf(p->out,
                               "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                               "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                               at, at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, value);
    else
        g_string_append_printf(p->out,
                               "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                               "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                               LEFT, WIDTH - RIGHT, at, at, LEFT - 6, at + 4, value);
}

static void draw_ticks(Plot *p, bool horizontal)
{
    const PlotAxis *axis = horizontal ? &p->x : &p->y;
    if (axis->logarithmic) {
        for (double value = pow(10, ceil(log10(axis->low) - 1e-9)); value <= axis->high * 1.0001; value *= 10)
            draw_tick(p, horizontal, value);
        return;
    }
    double step = tick_step(axis);
    for (double k = ceil(axis->low / step); k * step <= axis->high * 1.0001; k++) draw_tick(p, horizontal, k * step);
}

Plot plot_begin(GString *out, PlotAxis x, PlotAxis y, const char *title)
{
    Plot p = {out, x, y};
    g_string_append_printf(
        out, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"", WIDTH,
        HEIGHT, WIDTH, HEIGHT);
    visible_markup(out, title);
    g_string_append_printf(out, "\">\n<text x=\"%d\" y=\"18\" text-anchor=\"middle\" font-weight=\"bold\">", WIDTH / 2);
    visible_markup(out, title);
    g_string_append(out, "</text>\n");
    draw_ticks(&p, true);
    draw_ticks(&p, false);
    g_string_append_printf(out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
                           WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    g_string_append_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (WIDTH + LEFT - RIGHT) / 2,
                           HEIGHT - 12);
    visible_markup(out, x.label);
    g_string_append_printf(out, "</text>\n<text transform=\"translate(16,%d) rotate(-90)\" text-anchor=\"middle\">",
                           (HEIGHT + TOP - BOTTOM) / 2);
    visible_markup(out, y.label);
    g_string_append(out, "</text>\n");
    return p;
}

void plot_steps(Plot *p, const double *x, const double *y, size_t n, unsigned style)
{
    if (n == 0) return;
    g_string_append_printf(p->out, "<path class=\"steps s%u\" style=\"fill:none\" d=\"M%.1f %.1f", style % 8,
                           x_of(p, x[0]), y_of(p, y[0]));
    for (size_t i = 1; i < n; i++) g_string_append_printf(p->out, "H%.1fV%.1f", x_of(p, x[i]), y_of(p, y[i]));
    g_string_append(p->out, "\"/>\n");
}

void plot_point(Plot *p, double x, double y, unsigned style, const char *tooltip)
{
    g_string_append_printf(p->out,
                           "<circle class=\"s%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill-opacity=\".6\"><title>",
                           style % 8, x_of(p, x), y_of(p, y));
    visible_markup(p->out, tooltip);
    g_string_append(p->out, "</title></circle>\n");
}

void plot_diagonal(Plot *p)
{
    g_string_append_printf(p->out,
                           "<line class=\"frame\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke-dasharray=\"4 3\"/>\n",
                           LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP);
}

void plot_end(Plot *p)
{
    g_string_append(p->out, "</svg>\n");
}
