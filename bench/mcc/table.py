#!/usr/bin/env python3
"""Per examination and technique what was decided, what disagrees, and the list of what is left."""
import collections
import csv
import json
import sys

instances, *files = sys.argv[1:]
safe = {row["instance"] for row in csv.DictReader(open(instances), delimiter="\t") if row["one_safe"] == "T"}
rows = [json.loads(line) for name in files for line in open(name) if line.strip()]
open_verdicts = (None, "unknown", "?")

count = collections.defaultdict(collections.Counter)
engines = collections.defaultdict(collections.Counter)
left = collections.defaultdict(collections.Counter)
for row in rows:
    exam, decided = row["examination"], row["verdict"] not in open_verdicts
    keys = [exam]
    if exam == "ReachabilityDeadlock" and row["instance"] in safe:
        keys.append("  safe, " + ("deadlock" if row["expected"] == "TRUE" else "deadlock-free"))
    for key in keys:
        count[key]["asked"] += 1
        count[key]["decided"] += decided
        count[key]["wrong"] += row["agrees"] is False
    if decided:
        engines[exam][row["engine"] or "?"] += 1
    else:
        left[exam][row["instance"] + (" (" + str(row["expected"]) + ")" if exam not in ("UpperBounds",) else "")] += 1

print(f"{'examination':<30}{'asked':>7}{'decided':>9}{'':>8}{'wrong':>7}  by engine")
for key, c in count.items():
    by = ", ".join(f"{name} {n}" for name, n in engines[key].most_common()) if key in engines else ""
    print(f"{key:<30}{c['asked']:>7}{c['decided']:>9}{100 * c['decided'] / c['asked']:>7.1f}%{c['wrong']:>7}  {by}")
print("\nnot decided:")
for exam, names in left.items():
    for name, n in sorted(names.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {exam:<26} {name}" + (f" x{n}" if n > 1 else ""))
sys.exit(any(c["wrong"] for c in count.values()))
