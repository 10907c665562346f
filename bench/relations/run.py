#!/usr/bin/env python3
"""Unfolds nets under classic, read and loops and writes one line per net and relation to standard output:
net, relation, events, contextual events, conditions, cutoffs, complete, CPU seconds, peak KiB (tab separated).

    run.py MAZURKA SECONDS NET...              the nets named
    run.py MAZURKA SECONDS --mcc DIRECTORY     the safe instances that DIRECTORY/instances.tsv lists
"""
import json
import os
import subprocess
import sys

RELATIONS = ("classic", "read", "loops")


def instances(directory):
    with open(os.path.join(directory, "instances.tsv")) as table:
        names = next(table).rstrip("\n").split("\t")
        for line in table:
            row = dict(zip(names, line.rstrip("\n").split("\t")))
            if row["one_safe"] == "T":
                yield row["instance"], os.path.join(directory, row["instance"], "model.pnml")


def unfold(mazurka, seconds, path, relation):
    command = [mazurka, "unfold", path, "--relation", relation, "--json", "--quiet",
               "--time", seconds, "--memory", "3000"]
    run = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        return {"reason": (run.stderr or "exit %d" % run.returncode).strip().replace("\t", " ")}


def main():
    mazurka, seconds = sys.argv[1:3]
    if sys.argv[3] == "--mcc":
        nets = instances(sys.argv[4])
    else:
        nets = ((os.path.basename(path), path) for path in sys.argv[3:])
    print("net", "relation", "events", "contextual", "conditions", "cutoffs", "complete", "cpu", "kib", "note", sep="\t")
    for name, path in nets:
        for relation in RELATIONS:
            r = unfold(mazurka, seconds, path, relation)
            cpu = "%.2f" % r["timing"]["cpu"] if "timing" in r else ""
            note = r.get("reason") or ("unsafe" if r.get("safe") is False else "")
            fields = [r.get(k, "") for k in ("events", "contextual_events", "conditions", "cutoffs")]
            print(name, relation, *fields, "yes" if r.get("complete") else "no", cpu, r.get("peak_kib", ""), note,
                  sep="\t", flush=True)


if __name__ == "__main__":
    main()
