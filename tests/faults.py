#!/usr/bin/env python3
"""Batches survive what happens to them: kill -9 of the parent and of children, a full disk, unreadable inputs, SIGHUP,
SIGINT, a second batch. After each, the result file is valid JSON lines and --resume completes it to what an
undisturbed run gives."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MAZURKA = os.environ["MAZURKA"]
passed = failed = skipped = 0


def report(ok, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED: %s %s" % (what, detail))


def batch(nets, out, *more, **kw):
    return subprocess.Popen([MAZURKA, "batch", nets, "--examinations", "ReachabilityDeadlock,OneSafe,StateSpace", "--time", "20",
                             "--jobs", "2", "--threads", "1", "-o", out] + list(more), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **kw)


def rows(path):
    """The rows of a file; every whole line must be JSON, only the last may be cut."""
    out = []
    for line in open(path, encoding="utf-8").read().split("\n")[:-1]:
        out.append(json.loads(line))
    return out


def essence(rs):
    return sorted((r["instance"], r["examination"], r["id"], r["verdict"]) for r in rs)


def make_nets(folder, count):
    os.makedirs(folder)
    for n in range(2, 2 + count):
        subprocess.run([MAZURKA, "gen", "philosophers", str(2 + n % 6), "-o", "%s/phil%d.pnml" % (folder, n)], check=True,
                       stderr=subprocess.DEVNULL)


def resume_gives(nets, out, expected, what):
    p = batch(nets, out, "--resume")
    _, err = p.communicate(timeout=300)
    report(p.returncode == 0, what + ": resume exits 0", "%d %s" % (p.returncode, err[-300:]))
    got = rows(out)
    report(essence(got) == expected, what + ": nothing lost, nothing twice")
    return got


def main():
    rng = random.Random(5)
    top = tempfile.mkdtemp()
    nets = top + "/nets"
    make_nets(nets, 24)
    ref = top + "/ref.jsonl"
    p = batch(nets, ref)
    p.communicate(timeout=300)
    report(p.returncode == 0, "undisturbed run")
    expected = essence(rows(ref))
    report(len(expected) == 24 * 6, "rows of the undisturbed run", str(len(expected)))

    # kill -9 of the parent at random moments, again and again, then to the end
    out = top + "/killed.jsonl"
    for k in range(6):
        p = batch(nets, out, "--resume")
        time.sleep(rng.uniform(0.02, 0.25))
        p.kill()
        p.communicate()
        if os.path.exists(out):
            rows(out)
    left = subprocess.run(["pgrep", "-f", out], capture_output=True, text=True).stdout
    report(not left.strip(), "no child survives its parent", left)
    resume_gives(nets, out, expected, "kill -9 of the parent")

    # kill -9 of children: their jobs become rows with a reason, the batch goes on
    hard = top + "/hard"
    os.makedirs(hard)
    for n in (14, 15):
        subprocess.run([MAZURKA, "gen", "slotted-ring", str(n), "-o", "%s/ring%d.pnml" % (hard, n)], check=True, stderr=subprocess.DEVNULL)
    out = top + "/children.jsonl"
    p = subprocess.Popen([MAZURKA, "batch", hard, "--examinations", "StateSpace", "--time", "60", "--memory", "4000", "--jobs", "2", "-o", out],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 30
    killed = set()
    while len(killed) < 2 and time.time() < deadline and p.poll() is None:
        for child in subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True, text=True).stdout.split():
            if child not in killed:
                time.sleep(0.1)
                try:
                    os.kill(int(child), signal.SIGKILL)
                    killed.add(child)
                except ProcessLookupError:
                    pass
        time.sleep(0.02)
    p.communicate(timeout=120)
    rs = rows(out)
    report(len(rs) == 2 and all("signal 9" in (r["reason"] or "") for r in rs), "killed children are rows", str([r["reason"] for r in rs]))

    # a damaged end, as a power loss leaves it
    out = top + "/torn.jsonl"
    data = open(ref, "rb").read()
    for cut in sorted(rng.sample(range(1, len(data)), 3)):
        open(out, "wb").write(data[:cut])
        resume_gives(nets, out, expected, "file cut at byte %d" % cut)
    open(out, "wb").write(data[:len(data) // 2] + b"\0" * 100)
    resume_gives(nets, out, expected, "NUL bytes at the end")

    # SIGHUP, SIGTERM and SIGINT end cleanly with exit 2
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        out = top + "/signal%d.jsonl" % number
        p = batch(nets, out)
        time.sleep(0.12)
        p.send_signal(number)
        p.communicate(timeout=60)
        report(p.returncode in (0, 2), "signal %d: exit" % number, str(p.returncode))
        resume_gives(nets, out, expected, "signal %d" % number)

    # two batches on one file
    out = top + "/two.jsonl"
    first = subprocess.Popen([MAZURKA, "batch", hard, "--examinations", "StateSpace", "--time", "5", "-o", out], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)
    second = batch(nets, out, "--resume")
    _, err = second.communicate(timeout=60)
    report(second.returncode == 3 and "another batch" in err, "a second batch is refused", err)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)

    # an existing file without --resume
    p = batch(nets, ref)
    _, err = p.communicate(timeout=60)
    report(p.returncode == 3 and "--resume" in err, "an existing file needs --resume", err)

    # unreadable inputs are rows
    bad = top + "/bad"
    os.makedirs(bad)
    open(bad + "/empty.pnml", "w").close()
    open(bad + "/broken.pnml", "w").write("<pnml><net")
    os.symlink("/nonexistent", bad + "/dangling.ll_net")
    open(top + "/list", "w").write("bad/empty.pnml\nbad/broken.pnml\nbad/dangling.ll_net\nnets/phil2.pnml\n")
    out = top + "/bad.jsonl"
    p = subprocess.Popen([MAZURKA, "batch", top + "/list", "--examinations", "ReachabilityDeadlock", "-o", out], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    p.communicate(timeout=60)
    rs = {r["instance"]: r for r in rows(out)}
    report(len(rs) == 4 and rs["phil2"]["verdict"] == "TRUE" and all(rs[n]["reason"] for n in ("empty", "broken", "dangling")),
           "unreadable inputs are rows", str(rs))

    # a full disk
    small = top + "/small"
    os.makedirs(small)
    if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], capture_output=True).returncode == 0:
        try:
            out = small + "/full.jsonl"
            p = batch(nets, out)
            _, err = p.communicate(timeout=120)
            report(p.returncode in (2, 3) and "cannot be written" in err, "a full disk is said", "%d %s" % (p.returncode, err[-200:]))
            rows(out)
            shutil.copy(out, top + "/full.jsonl")
            resume_gives(nets, top + "/full.jsonl", expected, "full disk")
        finally:
            subprocess.run(["umount", small])
    else:
        global skipped
        skipped += 1
        print("skipped the full disk: no tmpfs can be mounted here")

    # shards merge to the whole
    parts = []
    for i in (1, 2, 3):
        part = top + "/shard%d.jsonl" % i
        batch(nets, part, "--shard", "%d/3" % i).communicate(timeout=300)
        parts.append(part)
    report(essence(sum((rows(x) for x in parts), [])) == expected, "shards are the whole")
    p = subprocess.run([MAZURKA, "batch-report", "+".join(parts), "--csv", top + "/r.csv", "--html", top + "/r.html"], capture_output=True, text=True)
    report(p.returncode == 0 and len(open(top + "/r.csv").readlines()) == len(expected) + 1, "shards merge in the report", p.stderr)
    page = open(top + "/r.html").read()
    report("<svg" in page and "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page, "the page is self-contained")
    shutil.rmtree(top)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    sys.exit(1 if failed else 0)


main()
