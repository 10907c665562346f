#!/usr/bin/env python3
"""Speed of `mazurka explore` along the families of [DPU18] Table 1:
run.py MAZURKA [--large] [--instructions] [--blocked] [--growth]

Prints a TSV: instance, traces, events, CPU seconds, traces/s, events/s, peak MiB, calls per trace; with --instructions
also instructions per event (valgrind). --large adds the instances that take seconds. --blocked prints instead the
sleep-set blocked runs of k-partial alternatives, --growth time per trace and memory of each algorithm against the
number of traces."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "..", "nets", "programs")
SMALL = [("pi", N) for N in ("N=5", "N=6", "N=7")] + [("mpat", N) for N in ("K=3", "K=4", "K=5")]
SMALL += [("disp", "S=5 R=2"), ("disp", "S=5 R=3"), ("disp", "S=5 R=4")]
SMALL += [("mpc", "P=2 W=5"), ("mpc", "P=3 W=5"), ("pol", "N=7 K=3"), ("pol", "N=8 K=3"), ("pol", "N=9 K=3")]
LARGE = [("pi", "N=8"), ("mpat", "K=6"), ("mpat", "K=7"), ("disp", "S=5 R=5"), ("mpc", "P=4 W=5")]
LARGE += [("pol", "N=10 K=3"), ("pol", "N=11 K=3"), ("pol", "N=12 K=3")]
BLOCKED = [("disp", "S=5 R=%d" % r) for r in range(2, 6)] + [("mpc", "P=%d W=5" % p) for p in range(2, 5)]
BLOCKED += [("pol", "N=%d K=3" % n) for n in range(7, 13)] + [("mpat", "K=5"), ("pi", "N=7")]


def command(mazurka, program, defines, *options):
    line = [mazurka, "explore", os.path.join(PROGRAMS, program + ".mzk"), "--cutoffs", "off", "--json", "--quiet"]
    for d in defines.split():
        line += ["-D", d]
    return line + list(options)


def answer(line):
    return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)


def instructions(line):
    with tempfile.NamedTemporaryFile() as out:
        run = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no",
                              "--cachegrind-out-file=" + out.name] + line, capture_output=True, text=True)
        return int(run.stderr.split("I   refs:")[1].split()[0].replace(",", "").replace("I", ""))


def measure(mazurka, rows, count):
    print("instance\ttraces\tevents\tcpu_s\ttraces_per_s\tevents_per_s\tpeak_mib\tcalls_per_trace" +
          ("\tinstructions_per_event" if count else ""))
    for program, defines in rows:
        line = command(mazurka, program, defines)
        r = answer(line)
        cpu, traces = max(r["timing"]["cpu"], 0.001), r["maximal_configurations"]
        events = answer(line + ["--count-events", "exact"])["events"]  # costs memory, so not what is measured
        row = [program + " " + defines, traces, events, "%.2f" % cpu, int(traces / cpu), int(events / cpu),
               r["peak_kib"] // 1024, "%.1f" % (r["nodes"] / traces)]
        if count:
            row.append(instructions(line) // events)
        print("\t".join(map(str, row)), flush=True)


def growth(mazurka, large):
    print("algorithm\tinstance\ttraces\tleaves\tcpu_us_per_trace\tpeak_mib\twaiting")
    rows = [("mpat", "K=%d" % k) for k in range(2, 8 if large else 7)]
    rows += [("lastzero", "N=%d" % n) for n in (6, 9, 12, 15) + (17,) * large]
    for algorithm in ("upor", "odpor", "reverse", "sdpor"):
        for program, defines in rows:
            line = command(mazurka, program, defines, "--algorithm", algorithm, "--relation", "read", "--time", "600")
            r = json.loads(subprocess.run(line, capture_output=True, text=True).stdout)
            if not r["complete"]:
                continue
            print("%s\t%s %s\t%d\t%d\t%.1f\t%.1f\t%s" %
                  (algorithm, program, defines, r["maximal_configurations"], r["leaves"],
                   1e6 * r["timing"]["cpu"] / r["maximal_configurations"], r["peak_kib"] / 1024,
                   r.get("most_tree", "-")), flush=True)


def blocked(mazurka, seconds):
    print("instance\tk=1\tk=2\tk=3\toptimal")
    for program, defines in BLOCKED:
        row = [program + " " + defines]
        for k in ("k=1", "k=2", "k=3", "optimal"):
            line = command(mazurka, program, defines, "--alternatives", k, "--time", str(seconds))
            r = json.loads(subprocess.run(line, capture_output=True, text=True).stdout)
            row.append(r["ssb"] if r["complete"] else "time")
        print("\t".join(map(str, row)), flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    if "--blocked" in arguments:
        blocked(arguments[0], 60)
    elif "--growth" in arguments:
        growth(arguments[0], "--large" in arguments)
    else:
        measure(arguments[0], SMALL + (LARGE if "--large" in arguments else []), "--instructions" in arguments)
