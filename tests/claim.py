#!/usr/bin/env python3
"""Workers of one batch that share a folder: every job has its rows once, whoever is killed when.

Nets of very different cost are generated; several workers start, some are killed with -9 in the middle and others come
later. In the end the rows are those of one batch alone.
"""
import json
import os
import random
import signal
import subprocess
import tempfile
import time

from checks import check, finish
import heard

MAZURKA = os.environ["MAZURKA"]
SOAK = bool(os.environ.get("MAZURKA_SOAK"))


def run(*arguments):
    return subprocess.run([MAZURKA, *arguments], capture_output=True, text=True, timeout=300 * heard.SLOW)


def make_nets(folder):
    families = [("philosophers", n) for n in (3, 5, 8, 150)] + [("ring", n) for n in (3, 6, 9)]
    families += [("chain", n) for n in (5, 50, 4000)] + [("independent", n) for n in (4, 10, 6000)]
    for family, n in families:
        path = os.path.join(folder, "%s-%d.pnml" % (family, n))
        assert run("gen", family, str(n), "-o", path).returncode == 0


def answers(rows):
    return sorted((r["instance"], r["examination"], r["id"], r["verdict"]) for r in rows)


def rows_of(folder):
    rows = []
    for name in os.listdir(folder):
        if name.endswith(".rows"):
            rows += [json.loads(line) for line in open(os.path.join(folder, name))]
    return rows


def worker(nets, shared, *more):
    return subprocess.Popen([MAZURKA, "batch", nets, "-q", "--claim", shared, "--lease", "1.5", "-j", "1", *more,
                             *QUESTION], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


QUESTION = ["--examinations", "ReachabilityDeadlock,OneSafe,StableMarking", "--time", "300"]


def round_of_kills(nets, expected, seed, top):
    rng = random.Random(seed)
    shared = os.path.join(top, "shared-%d" % seed)
    workers = [worker(nets, shared) for _ in range(4)]
    for victim in workers[:2]:
        time.sleep(rng.random() * 0.6)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        workers.append(worker(nets, shared))
    last = workers[2]
    for w in workers[2:]:
        out, err = w.communicate(timeout=300 * heard.SLOW)
        check(w.returncode == 0, "seed %d: a worker ends with %d: %s" % (seed, w.returncode, err))
        check("Traceback" not in err, err)
    rows = rows_of(shared)
    check(answers(rows) == expected, "seed %d: %d rows, %d expected" % (seed, len(rows), len(expected)))
    again = run("batch", nets, "-q", "--claim", shared, *QUESTION)
    check(again.returncode == 0 and answers(rows_of(shared)) == expected, "a worker that comes late: " + again.stderr)
    report = run("batch-report", shared)
    check(report.returncode == 0 and ("\nall " in report.stdout), "batch-report: " + report.stdout + report.stderr)
    left = [n for n in os.listdir(shared) if n.endswith(".claim")]
    check(not left, "claims are left: %s" % left)
    return shared


def refusals(nets, shared, top):
    other = run("batch", nets, "-q", "--claim", shared, "--examinations", "OneSafe", "--time", "300")
    check(other.returncode == 3 and "belongs to another batch" in other.stderr, other.stderr)
    check(run("batch", nets, "-q", "--claim", shared, "-o", os.path.join(top, "o"), *QUESTION).returncode == 3,
          "-o with --claim")
    check(run("batch", nets, "-q", "--lease", "3", *QUESTION).returncode == 3, "--lease without --claim")
    locked = run("batch", nets, "-q", "--claim", "/proc/nothing", *QUESTION)
    check(locked.returncode == 3 and "/proc/nothing" in locked.stderr, locked.stderr)


def stopped(nets, expected, top):
    """Ctrl-C gives the claims back at once."""
    shared = os.path.join(top, "stopped")
    w = worker(nets, shared)
    heard.send(w, signal.SIGINT, after=0.2)
    w.communicate(timeout=300 * heard.SLOW)
    check(w.returncode in (0, 2), "stopped: %d" % w.returncode)
    check(not [n for n in os.listdir(shared) if n.endswith(".claim")], "claims are left after Ctrl-C")
    check(run("batch", nets, "-q", "--claim", shared, *QUESTION).returncode == 0, "continued")
    check(answers(rows_of(shared)) == expected, "rows after Ctrl-C")


def main():
    with tempfile.TemporaryDirectory() as top:
        nets = os.path.join(top, "nets")
        os.mkdir(nets)
        make_nets(nets)
        single = os.path.join(top, "single.jsonl")
        assert run("batch", nets, "-q", "-o", single, *QUESTION).returncode == 0
        expected = answers([json.loads(line) for line in open(single)])
        for seed in range(20 if SOAK else 2):
            shared = round_of_kills(nets, expected, seed, top)
        stopped(nets, expected, top)
        refusals(nets, shared, top)
    finish()


main()
