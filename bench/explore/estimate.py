#!/usr/bin/env python3
"""How good is explore --estimate? On all programs of nets/programs/EXPECT.tsv whose traces are known:
estimate.py MAZURKA [SECONDS]

Prints a TSV: program, traces, estimate, low, high, how many times too high or too low; then how many are exact, within
a factor of 2, and inside the range that was told. SECONDS of the clock, 2 without; on a machine with other work to do,
more."""
import json
import os
import subprocess
import sys

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "nets", "programs")


def estimate(mazurka, program, defines, relation, seconds):
    line = [mazurka, "explore", "-q", os.path.join(PROGRAMS, program + ".mzk"), "--relation", relation, "--estimate",
            "--json", "--time", seconds]
    for define in defines.split():
        line += ["-D", define]
    return json.loads(subprocess.run(line, capture_output=True, text=True).stdout)


def main(mazurka, seconds):
    rows = [l.split("\t") for l in open(os.path.join(PROGRAMS, "EXPECT.tsv")).read().splitlines()[1:]]
    rows = [r for r in rows if r[3] == "maximal_configurations"]
    exact = near = inside = 0
    print("program\trelation\ttraces\testimate\tlow\thigh\toff")
    for program, defines, relation, _, number, _, _ in rows:
        r, traces = estimate(mazurka, program, defines.strip("-"), relation, seconds), int(number)
        guess = r["traces_estimate"]
        off = max(guess / traces, traces / guess) if guess else float("inf")
        exact += bool(r["exact"])
        near += off <= 2
        inside += guess is not None and r["traces_low"] * 0.999999 <= traces <= r["traces_high"] * 1.000001
        print("%s %s\t%s\t%d\t%s\t%s\t%s\t%.2f" %
              (program, defines, relation, traces, guess, r["traces_low"], r["traces_high"], off), flush=True)
    print("# of %d: %d exact, %d within a factor of 2, %d inside the range" % (len(rows), exact, near, inside))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "2")
