#!/usr/bin/env python3
"""Explores the programs of nets/programs and compares with nets/programs/EXPECT.tsv.

The rows marked long run only with MAZURKA_SOAK=1."""
import json
import os
import subprocess
import sys

SRC = os.environ.get("SRCDIR", ".")
MAZURKA = os.environ.get("MAZURKA", "./mazurka")


def explore(program, defines, relation):
    command = [MAZURKA, "explore", "--json", "--cutoffs", "off", "--count-events", "exact", "--relation", relation,
               os.path.join(SRC, "nets/programs", program + ".mzk")]
    for define in defines.split():
        command += ["-D", define]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return {"error": run.stderr.strip()}
    return json.loads(run.stdout)


def main():
    soak = os.environ.get("MAZURKA_SOAK") == "1"
    lines = open(os.path.join(SRC, "nets/programs/EXPECT.tsv"), encoding="utf-8").read().splitlines()[1:]
    done, passed, failed = {}, 0, 0
    for line in lines:
        program, defines, relation, quantity, number, _, length = line.split("\t")
        if length == "long" and not soak:
            continue
        key = (program, "" if defines == "-" else defines, relation)
        if key not in done:
            done[key] = explore(*key)
        got = done[key].get(quantity)
        if got == int(number) and done[key].get("ssb") == 0:
            passed += 1
        else:
            failed += 1
            print("FAILED: %s %s, %s: %s is %s, not %s %s" % (program, defines, relation, quantity, got, number,
                                                              done[key].get("error", "")))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


main()
