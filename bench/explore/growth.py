#!/usr/bin/env python3
"""Cost per trace and resident memory of each explorer against the number of traces, and memory while it runs:

    growth.py MAZURKA OUT.svg [--short]

Prints a TSV: algorithm, instance, traces, blocked runs, CPU microseconds per trace (the program's own start left out),
peak MiB. OUT.svg has three plots: both columns against the traces, and resident memory against the
part of the run that is done. --short: no instance of more than 50 000 traces."""
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "..", "nets", "programs")
MPAT = [("mpat", "K=%d" % k) for k in range(2, 8)]
LASTZERO = [("lastzero", "N=%d" % n) for n in (2, 4, 6, 8, 10, 12, 14, 16, 17)]
SPINLOCK = [("spinlock", "N=%d" % n) for n in range(2, 10)]
# Families in which an algorithm is not lost in blocked runs before it has come through four orders of magnitude.
LINES = [("upor", MPAT), ("odpor", MPAT), ("reverse", MPAT), ("sdpor", MPAT), ("cdpor", MPAT[:5]),
         ("upor", LASTZERO), ("odpor", LASTZERO), ("reverse", LASTZERO), ("sdpor", SPINLOCK[:7]),
         ("sleep", SPINLOCK[:7])]
COLOURS = {"upor": "#3b7dd8", "odpor": "#d8603b", "reverse": "#3ba55d", "sdpor": "#a259c4", "cdpor": "#c49a2c",
           "sleep": "#777777"}
DASHES = {"mpat": "", "lastzero": "6 3", "spinlock": "2 3"}
MOST_SHORT = 50000


def command(mazurka, algorithm, instance):
    program, defines = instance
    line = [mazurka, "explore", "-q", os.path.join(PROGRAMS, program + ".mzk"), "-D", defines, "--algorithm", algorithm,
            "--json"]
    return line + ([] if algorithm == "cdpor" else ["--relation", "read"])


def measure(mazurka, algorithm, instance, base):
    """traces, blocked runs, CPU microseconds per trace, peak MiB; and resident MiB against the part of the time that
    has passed."""
    begin = time.monotonic()
    child = subprocess.Popen(command(mazurka, algorithm, instance), stdout=subprocess.PIPE, text=True)
    points = []
    while child.poll() is None:
        try:
            pages = int(open("/proc/%d/statm" % child.pid).read().split()[1])
        except (OSError, IndexError):
            break
        if pages:
            points.append((time.monotonic() - begin, pages * os.sysconf("SC_PAGE_SIZE") / 2**20))
        time.sleep(0.01)
    r = json.loads(child.communicate()[0])
    end, step = (points[-1][0] if points else 1), max(len(points) // 60, 1)
    traces = r["traces"] if algorithm == "cdpor" else r["maximal_configurations"]
    row = (traces, r["ssb"], 1e6 * max(r["timing"]["cpu"] - base, 0.0001) / traces, r["peak_kib"] / 1024)
    return row, [(t / end, mib) for t, mib in points[::step]]


def decades(low, high):
    at = 1.0
    while at <= high * 1.0001:
        yield at
        at *= 10


class Plot:
    """One of the three, W wide and H high, at (x, y); logarithmic axes where `log` says so."""
    W, H = 380, 260

    def __init__(self, x, y, title, across, x_range, y_range, x_log):
        self.x, self.y, self.x_range, self.y_range, self.x_log = x, y, x_range, y_range, x_log
        self.out = ['<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888"/>' % (x, y, self.W, self.H),
                    '<text x="%d" y="%d" font-weight="bold">%s</text>' % (x, y - 8, title),
                    '<text x="%d" y="%d" text-anchor="middle">%s</text>' % (x + self.W / 2, y + self.H + 32, across)]
        for at in decades(*y_range):
            self.out.append('<path d="M%d %.1fh%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>' %
                            (x, self.down(at), self.W, x - 5, self.down(at) + 4, at))
        for at in decades(*x_range) if x_log else (0, 0.25, 0.5, 0.75, 1):
            self.out.append(
                '<path d="M%.1f %dv%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%g</text>' %
                (self.right(at), y, self.H, self.right(at), y + self.H + 16, at))

    def right(self, value):
        return self.x + self.W * part(value, self.x_range, self.x_log)

    def down(self, value):
        return self.y + self.H * (1 - part(value, self.y_range, True))

    def line(self, points, colour, dash, dots):
        self.out.append('<path d="M%s" fill="none" stroke="%s" stroke-width="1.8" stroke-dasharray="%s"/>' %
                        ("L".join("%.1f %.1f" % (self.right(a), self.down(b)) for a, b in points), colour, dash))
        if dots:
            self.out += ['<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>' % (self.right(a), self.down(b), colour)
                         for a, b in points]


def part(value, limits, log):
    import math
    low, high = limits
    if log:
        return math.log(max(value, low) / low) / math.log(high / low)
    return (value - low) / (high - low)


def draw(path, rows, watched):
    most = max(r[2] for r in rows)
    time_plot = Plot(60, 40, "CPU microseconds per trace", "traces", (1, most * 1.5), (0.5, 1000), True)
    memory = Plot(510, 40, "peak resident MiB", "traces", (1, most * 1.5), (1, 100), True)
    over = Plot(960, 40, "resident MiB while it runs", "part of the run", (0, 1), (1, 100), False)
    for algorithm, family in dict.fromkeys((r[0], r[1].split()[0]) for r in rows):
        points = [r for r in rows if r[0] == algorithm and r[1].split()[0] == family]
        time_plot.line([(r[2], r[4]) for r in points], COLOURS[algorithm], DASHES[family], True)
        memory.line([(r[2], r[5]) for r in points], COLOURS[algorithm], DASHES[family], True)
    for algorithm, instance, points in watched:
        over.line(points, COLOURS[algorithm], DASHES[instance[0]], False)
    names = ['<path d="M%d 352h24" stroke="%s" stroke-width="3"/><text x="%d" y="356">%s</text>' %
             (60 + 100 * i, COLOURS[a], 90 + 100 * i, a) for i, a in enumerate(COLOURS)]
    names += ['<path d="M%d 352h30" stroke="#000" stroke-width="1.8" stroke-dasharray="%s"/>'
              '<text x="%d" y="356">%s</text>' % (760 + 120 * i, d, 796 + 120 * i, f)
              for i, (f, d) in enumerate(DASHES.items())]
    with open(path, "w") as f:
        f.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1370 375" font-family="sans-serif" '
                'font-size="12">\n'
                '<rect width="1370" height="375" fill="#fff"/>\n')
        f.write("\n".join(time_plot.out + memory.out + over.out + names) + "\n</svg>\n")


def main(mazurka, path, short):
    rows, watched = [], {}
    base = min(measure(mazurka, "odpor", ("readers", "N=1"), 0)[0][2] * 2e-6 for _ in range(3))
    print("algorithm\tinstance\ttraces\tblocked\tcpu_us_per_trace\tpeak_mib")
    for algorithm, instances in LINES:
        for instance in instances:
            figures, points = measure(mazurka, algorithm, instance, base)
            row = (algorithm, "%s %s" % instance) + figures
            rows.append(row)
            print("%s\t%s\t%d\t%d\t%.2f\t%.1f" % row, flush=True)
            if instance[0] != "lastzero" and not (algorithm == "sdpor" and instance[0] == "spinlock"):
                watched[algorithm] = (algorithm, instance, points)
            if short and figures[0] * 9 > MOST_SHORT:
                break
    draw(path, rows, watched.values())


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], "--short" in sys.argv)
