#!/usr/bin/env python3
"""One exploration by many commands that share nothing but files: whoever is killed when, whatever ends by a limit, is
split again, runs with threads or twice, the sum is that of one exploration, of another algorithm.

The twin is upor's answer (test_dpor.c and test_explore.c compare that with all runs). Jobs are taken in random order;
a killed one leaves no file or a whole one, and is done again.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile

from checks import check, finish
import heard

MAZURKA = os.environ["MAZURKA"]
SOAK = bool(os.environ.get("MAZURKA_SOAK"))
PROGRAMS = os.path.join(os.environ["SRCDIR"], "nets/programs")


def explore(*arguments):
    """Exit status, and what it said as JSON."""
    done = subprocess.run([MAZURKA, "explore", "--json", *arguments], capture_output=True, text=True,
                          timeout=300 * heard.SLOW)
    check("Traceback" not in done.stderr and done.returncode in (0, 2), " ".join(arguments) + ": " + done.stderr)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}


def marking(dead):
    return json.dumps([dead["marking"], dead["final"]], sort_keys=True)


def essence(row):
    dead = sorted(map(marking, row["dead_markings"]))
    return row["maximal_configurations"], row["deadlocks"], row["final_markings"], dead


def parts_of(path):
    return sum(line.startswith('{"run"') for line in open(path))


def run_job(rng, net, job, result, kills):
    """Explores one part in one of the ways there are. Was it killed?"""
    way = rng.choice(["whole", "whole", "limit", "split", "threads"])
    more = {"whole": [], "limit": ["--max-events", str(rng.choice([30, 300, 3000]))],
            "split": ["--split", str(rng.randint(1, 6))],
            "threads": ["--threads", "3"]}[way]
    command = [MAZURKA, "explore", "-q", *net, "--part", job, "-o", result, *more]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if kills and rng.random() < 0.4:
        try:
            process.wait(timeout=rng.random() * kills)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
    _, said = process.communicate(timeout=300 * heard.SLOW)
    check(process.returncode in (0, 2, -9), "%s: %d: %s" % (command, process.returncode, said))
    return process.returncode == -9


def in_parts(rng, net, top, kills):
    """All files of one exploration, and how many jobs were killed."""
    files, killed = [os.path.join(top, "parts")], 0
    code, row = explore(*net, "--split", str(rng.randint(1, 8)), "-o", files[0])
    jobs = ["%s:%d" % (files[0], i + 1) for i in range(parts_of(files[0]))]
    check(code == 0 and row["parts_left"] == len(jobs), "split: %s" % row)
    while jobs and len(files) < 200:
        job = jobs.pop(rng.randrange(len(jobs)))
        result = os.path.join(top, "result-%d" % len(files))
        if run_job(rng, net, job, result, kills):
            killed += 1
            jobs.append(job)  # whatever it left behind: done again, by another file
            check(not os.path.exists(result) or open(result).read().endswith("\n"), "a torn file")
        if os.path.exists(result):
            files.append(result)
            jobs += ["%s:%d" % (result, i + 1) for i in range(parts_of(result))]
        if rng.random() < 0.1:
            code, row = explore(*net, "--merge", *files)
            check((code == 2) == (row["parts_left"] > 0), "in between: %s" % row)
    return files, jobs, killed


def one_exploration(rng, net, kills):
    code, whole = explore(*net, "--await", "off", "--deadlocks")  # as parts have it
    if code or whole["cutoffs_used"]:
        return None
    with tempfile.TemporaryDirectory() as top:
        files, left, killed = in_parts(rng, net, top, kills)
        rng.shuffle(files)
        for job in left:  # there are limits to patience
            files.append(os.path.join(top, "last-%d" % len(files)))
            explore(*net, "--part", job, "-o", files[-1])
        code, summed = explore(*net, "--deadlocks", "--merge", *files, *rng.sample(files, len(files) // 2))
        check(code == 0 and summed["parts_left"] == 0 and essence(summed) == essence(whole),
              "%s: %s instead of %s" % (net, essence(summed), essence(whole)))
        return killed


def same_part_twice(rng, net):
    """Several results of one part: the sum takes one that leaves nothing, or one whose parts were explored, whatever
    the order; figures of parts that nobody explored are not those of the whole."""
    _, whole = explore(*net, "--algorithm", "reverse", "--deadlocks")
    with tempfile.TemporaryDirectory() as top:
        parts, files = os.path.join(top, "parts"), []
        explore(*net, "--split", "3", "-o", parts)
        for i in range(1, parts_of(parts) + 1):
            for name, limit in (("limit", ["--max-events", "60"]), ("whole", []), ("split", ["--split", "2"])):
                files.append(os.path.join(top, "%s-%d" % (name, i)))
                explore(*net, "--part", "%s:%d" % (parts, i), "-o", files[-1], *limit)
        for _ in range(6):
            rng.shuffle(files)
            code, row = explore(*net, "--deadlocks", "--merge", parts, *files)
            check(code == 0 and essence(row) == essence(whole), "several results of each part: %s" % row)
        cut = [f for f in files if "whole" not in f]
        left = [f for f in cut if parts_of(f)]
        check(len(left) > 2, "no limit was hit")
        below = []
        for f in left[:2]:
            for i in range(1, parts_of(f) + 1):
                below.append("%s-%d" % (f, i))
                explore(*net, "--part", "%s:%d" % (f, i), "-o", below[-1])
        code, row = explore(*net, "--merge", parts, *rng.sample(cut + below, len(cut + below)))
        check((code == 2) == (row["parts_left"] > 0), "parts of parts: %s" % row)
        for f in left[:2]:
            job = f[f.rindex("-") + 1:]
            others = [g for g in files if "whole" in g and not g.endswith("-" + job)]
            of_job = [g for g in cut if g.endswith("-" + job)]
            for order in (of_job + below, of_job[::-1] + below, below + of_job):
                code, row = explore(*net, "--deadlocks", "--merge", parts, *others, *order)
                check(code == 0 and essence(row) == essence(whole), "a part by its parts: %s" % row)
            code, row = explore(*net, "--merge", parts, *others)
            check(code == 2 and row["parts_left"] == 1, "a part without a result: %s" % row)


# The first time it runs a part it is killed with -9 in the middle, at every second part.
KILLED_ONCE = """#!/bin/sh
case "$*" in
*--part*)
  mark=$OUT/killed-$(echo "$PARTS-$SLURM_ARRAY_TASK_ID" | tr / _)
  if [ $((SLURM_ARRAY_TASK_ID % 2)) = 0 ] && [ ! -e "$mark" ]; then
    : >"$mark"
    "$REAL" "$@" &
    sleep 0.0$((SLURM_ARRAY_TASK_ID % 5))
    kill -9 $!
    wait
    exit 137
  fi ;;
esac
exec "$REAL" "$@"
"""


def with_gnu_parallel(net, options, limit, expected):
    """The recipe of bench/slurm: everything is done, whatever is killed and however little one job may do."""
    if not shutil.which("parallel"):
        print("skipped: GNU parallel is not installed")
        return
    with tempfile.TemporaryDirectory() as top:
        wrapper, out = os.path.join(top, "mazurka"), os.path.join(top, "out")
        open(wrapper, "w").write(KILLED_ONCE)
        os.chmod(wrapper, 0o755)
        env = dict(os.environ, NET=net, OUT=out, NET_OPTIONS=options, OPTIONS=limit, SPLIT="9", JOBS="2",
                   MAZURKA=wrapper, REAL=MAZURKA, HOME=top)
        done = subprocess.run([os.path.join(os.environ["SRCDIR"], "bench/slurm/parts.parallel"), "--json"], env=env,
                              capture_output=True, text=True, timeout=600 * heard.SLOW)
        row = json.loads(done.stdout) if done.stdout else {}
        check(done.returncode == 0 and row.get("maximal_configurations") == expected and row["parts_left"] == 0,
              "parts.parallel: %d: %s %s" % (done.returncode, row, done.stderr[-2000:]))
        names = os.listdir(out)
        check(any(n.startswith("killed-") for n in names), "parts.parallel: nobody was killed")
        check(any(n.count("-") > 1 and n.endswith(".jsonl") for n in names), "parts.parallel: no limit was hit")


def main():
    rng, killed, compared = random.Random(23), 0, 0
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "net.pnml")
        for seed in range(400 if SOAK else 12):
            family = rng.choice([("random-acyclic", "C=4", "S=5", "T=14"), ("random-acyclic", "C=5", "S=4", "T=18"),
                                 ("random-bounded", "P=6", "T=6", "K=2", "W=2"),
                                 ("random-inhibitor", "P=5", "T=6", "K=2", "W=2")])
            made = subprocess.run([MAZURKA, "gen", "-q", *[w.split("=")[-1] for w in family], "--seed", str(seed), "-o",
                                   path], capture_output=True, text=True)
            check(made.returncode == 0, made.stderr)
            relation = rng.choice(["classic", "read", "loops"])
            compared += None is not one_exploration(rng, [path, "--relation", relation], 0)
        for program, *define in [("mpat.mzk", "-D", "K=5"), ("lastzero.mzk", "-D", "N=9"),
                                 ("mpc.mzk", "-D", "P=3", "-D", "W=5")] * (20 if SOAK else 1):
            killed += one_exploration(rng, [os.path.join(PROGRAMS, program), *define], 0.05)
    same_part_twice(rng, [os.path.join(PROGRAMS, "mpat.mzk"), "-D", "K=4"])
    with_gnu_parallel(os.path.join(PROGRAMS, "mpat.mzk"), "-D K=5", "--max-events 4000", 3840)
    check(killed > 0, "nobody was killed")
    check(compared >= (100 if SOAK else 4), "only %d random nets end" % compared)
    finish()


main()
