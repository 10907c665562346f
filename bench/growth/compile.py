#!/usr/bin/env python3
"""Instructions of `mazurka compile` over families of programs: see README."""
import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MAZURKA = os.environ.get("MAZURKA", os.path.join(ROOT, "build", "mazurka"))
START = 10e6  # of a program that does nothing


def assignments(n, between):
    return "var x : 0..1 = 0;\nthread t {" + between.join("x = %d;" % (i % 2) for i in range(n)) + "}\n"


def faults(n):
    return "var x : 0..1 = 0;\nthread t {\n" + "assert(x == 0);\n" * n + "}\nthread u { x = 1; }\n"


def labels(n):
    body = "".join("l%d: skip;\nif (x) goto l%d;\n" % (i, (i * 7 + 3) % n) for i in range(n))
    return "var x : 0..1 = 0;\nthread t {\n" + body + "}\n"


def values(n):
    return "var x : 0..%d = 0;\nthread t { while (x < %d) x++; }\n" % (n, n)


FAMILIES = {
    "mpc": (None, [50, 100, 200, 400, 800]),
    "line": (lambda n: assignments(n, " "), [500, 1000, 2000, 4000, 8000]),
    "lines": (lambda n: assignments(n, "\n"), [1000, 4000, 16000]),
    "faults": (faults, [250, 500, 1000, 2000, 4000]),
    "labels": (labels, [500, 1000, 2000, 4000]),
    "values": (values, [50, 100, 200]),
}


def measure(folder, make, n):
    program = os.path.join(folder, "p.mzk")
    arguments = [program]
    if make is None:
        arguments = [os.path.join(ROOT, "nets", "programs", "mpc.mzk"), "-D", "W=%d" % n]
    else:
        with open(program, "w") as out:
            out.write(make(n))
    net = os.path.join(folder, "p.pnml")
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", MAZURKA, "compile", "-q"] +
                         arguments + ["-o", net], capture_output=True, text=True, check=True)
    with open(net) as file:
        transitions = file.read().count("<transition ")
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1)), transitions


def main():
    short = "--short" in sys.argv
    print("family        n  transitions  instructions  per transition  exponent")
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, sizes) in FAMILIES.items():
            before = None
            for n in sizes[:3] if short else sizes:
                instructions, transitions = measure(folder, make, n)
                exponent = ""
                if before:
                    exponent = "%.2f" % (math.log((instructions - START) / (before[0] - START)) /
                                         math.log(transitions / before[1]))
                print("%-8s %6d %12d %13d %15d  %8s" %
                      (name, n, transitions, instructions, instructions // max(transitions, 1), exponent), flush=True)
                before = instructions, transitions


if __name__ == "__main__":
    main()
