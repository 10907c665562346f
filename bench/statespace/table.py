#!/usr/bin/env python3
"""table.py VERDICTS.tsv RESULTS.jsonl: how many instances have all four figures, and what the others lack."""
import json
import sys

known = {}
for line in open(sys.argv[1], encoding="utf-8"):
    instance, examination, what, value = line.rstrip("\n").split("\t")
    if examination == "StateSpace":
        known.setdefault(instance, {})[what] = value

rows = {}
for line in open(sys.argv[2], encoding="utf-8"):
    row = json.loads(line)
    if "instance" in row:
        rows.setdefault(row["instance"], []).append(row)


def size(instance):
    value = known[instance]["STATES"]
    return float("inf") if value == "+inf" else float(value)


counted, wrong, left = [], [], []
for instance in sorted(rows):
    got = {row["id"]: row for row in rows[instance] if row["verdict"]}
    if any(row["verdict"] != known[instance][what] for what, row in got.items() if what in known[instance]):
        wrong.append(instance)
    elif len(got) == 4:
        counted.append((instance, max(row["cpu"] for row in got.values()), got["STATES"]["engine"],
                        max(row["peak_kib"] for row in got.values())))
    else:
        left.append((instance, rows[instance][0]["reason"]))

large = [i for i in rows if 1e12 < size(i) < float("inf")]
print("%d instances, %d counted, %d wrong; above 10^12 markings: %d of %d" %
      (len(rows), len(counted), len(wrong), sum(c[0] in large for c in counted), len(large)))
by = {}
for _, cpu, engine, _ in counted:
    n, sum_cpu = by.get(engine, (0, 0))
    by[engine] = (n + 1, sum_cpu + cpu)
for engine, (n, cpu) in sorted(by.items()):
    print("%-10s %4d instances %8.1f s CPU" % (engine, n, cpu))
for instance, cpu, engine, peak in sorted(counted, key=lambda c: -c[1])[:15]:
    print("%-40s %-10s %8.1f s CPU %8.0f MB %12.3g markings" % (instance, engine, cpu, peak / 1024, size(instance)))
for instance in wrong:
    print("%-40s WRONG" % instance)
for instance, reason in left:
    print("%-40s %s (%.3g markings)" % (instance, reason, size(instance)))
