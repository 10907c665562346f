#!/usr/bin/env python3
"""Unfolds nets under classic, read and loops and writes one line per net and relation to standard output:
net, relation, events, contextual events, conditions, cutoffs, complete, CPU seconds, peak KiB (tab separated).

    run.py MAZURKA SECONDS NET...              the nets named
    run.py MAZURKA SECONDS --mcc DIRECTORY     the safe instances that DIRECTORY/instances.tsv lists
"""
import json
import os
import signal
import subprocess
import sys
import time

RELATIONS = ("classic", "read", "loops")


def instances(directory):
    with open(os.path.join(directory, "instances.tsv")) as table:
        names = next(table).rstrip("\n").split("\t")
        for line in table:
            row = dict(zip(names, line.rstrip("\n").split("\t")))
            if row["one_safe"] == "T":
                yield row["instance"], os.path.join(directory, row["instance"], "model.pnml")


def cpu_of(pid):
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def unfold(mazurka, seconds, path, relation):
    """The limit is on CPU time, so that a busy machine does not change what finishes; SIGINT ends a run with its
    figures so far."""
    command = [mazurka, "unfold", path, "--relation", relation, "--json", "--quiet", "--memory", "3000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        while run.poll() is None:
            time.sleep(0.02)
            if run.poll() is None and cpu_of(run.pid) > seconds:
                run.send_signal(signal.SIGINT)
                break
        out, err = run.communicate()
    try:
        return json.loads(out)
    except json.JSONDecodeError:
        return {"reason": (err or "exit %d" % run.returncode).strip().replace("\t", " ")}


def main():
    mazurka, seconds = sys.argv[1], float(sys.argv[2])
    if sys.argv[3] == "--mcc":
        nets = instances(sys.argv[4])
    else:
        nets = ((os.path.basename(path), path) for path in sys.argv[3:])
    print("net", "relation", "events", "contextual", "conditions", "cutoffs", "complete", "cpu", "kib", "note",
          sep="\t")
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
