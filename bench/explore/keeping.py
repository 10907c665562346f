#!/usr/bin/env python3
"""What it costs `mazurka explore` to keep relations and states: keeping.py MAZURKA causality|states [NETS_DIR]

causality: instructions (valgrind, millions) and bytes per stored event, with bit sets and with trees of several skip
steps.
states: instructions with cutoffs on, without standby markings and with one every 1, 2, 4, ... events, on nets of
NETS_DIR."""
import json
import os
import subprocess
import sys

from run import command, instructions

STEPS = (1, 2, 4, 8, 16)
PROGRAMS = [("pi", "N=7"), ("mpat", "K=5"), ("disp", "S=5 R=3"), ("mpc", "P=3 W=5"), ("pol", "N=7 K=3")]
NETS = [("dme7", 0), ("buf100", 0), ("byzagr4_1b", 0), ("key_2", 0), ("dph_6.fsa", 10000), ("elevator_4", 5000)]


def millions(line):
    return "%.1f" % (instructions(line) / 1e6)


def causality(mazurka):
    print("instance\tbits\t" + "\t".join("s=%d" % s for s in STEPS) + "\tbytes_bits\tbytes_trees")
    for program, defines in PROGRAMS:
        ways = [["--causality", "bits"]] + [["--causality", "trees", "--skip-step", str(s)] for s in STEPS]
        row = [program + " " + defines] + [millions(command(mazurka, program, defines, *way)) for way in ways]
        for way in (ways[0], ways[1 + STEPS.index(4)]):
            line = command(mazurka, program, defines, *way)
            r = json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
            row.append(r["event_bytes"] // r["most_events"])
        print("\t".join(map(str, row)), flush=True)


def states(mazurka, folder):
    print("net\tnone\t" + "\t".join("S=%d" % s for s in STEPS))
    for net, limit in NETS:
        line = [mazurka, "explore", os.path.join(folder, net + ".ll_net"), "--cutoffs", "on", "--quiet", "--json"]
        if limit:
            line += ["--max-events", str(limit)]
        row = [net] + [millions(line + ["--standby", str(s)]) for s in ("none",) + STEPS]
        print("\t".join(row), flush=True)


if __name__ == "__main__":
    if sys.argv[2] == "causality":
        causality(sys.argv[1])
    else:
        states(sys.argv[1], sys.argv[3])
