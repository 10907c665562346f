#!/usr/bin/env python3
"""Batches survive what happens to them: kill -9 of the parent and of children, a full disk, unreadable inputs, jumps of
the clock, SIGHUP, SIGINT, a second batch. After each, the result file is valid JSON lines and --resume completes it to
what an undisturbed run gives. And they keep nothing: memory, descriptors, processes and files of a long batch are those
of a short one.

    faults.py            all of it
    faults.py NAME...    only these (names of functions below)
    faults.py soak N     a batch of N tiny jobs, watched"""
import fcntl
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import heard

MAZURKA = os.environ["MAZURKA"]
SRC = os.environ.get("SRCDIR", ".")
passed = failed = skipped = 0


def report(ok, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED: %s %s" % (what, detail))


def skip(why):
    global skipped
    skipped += 1
    print("skipped " + why)


def start(*arguments, **more):
    return subprocess.Popen([MAZURKA, "batch"] + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **more)


def batch(nets, out, *more, **kw):
    return start(nets, "--examinations", "ReachabilityDeadlock,OneSafe,StateSpace", "--time", "300", "--jobs", "2",
                 "--threads", "1", "-o", out, *more, **kw)


def rows(path):
    """The rows of a file; every whole line must be JSON, only the last may be cut."""
    return [json.loads(line) for line in open(path, encoding="utf-8").read().split("\n")[:-1]]


def essence(rs):
    return sorted((r["instance"], r["examination"], r["id"], r["verdict"]) for r in rs)


def gen(path, *arguments):
    subprocess.run([MAZURKA, "gen", "-q"] + list(arguments) + ["-o", path], check=True)


class World:
    """Folders with easy and hard nets, and what an undisturbed batch answers on the easy ones."""

    def __init__(self, top):
        self.top, self.nets, self.hard, self.ref = top, top + "/nets", top + "/hard", top + "/ref.jsonl"
        self.rng = random.Random(5)
        os.makedirs(self.nets)
        os.makedirs(self.hard)
        for n in range(2, 26):
            gen("%s/phil%d.pnml" % (self.nets, n), "philosophers", str(2 + n % 6))
        for n in (14, 15):
            gen("%s/ring%d.pnml" % (self.hard, n), "slotted-ring", str(n))
        p = batch(self.nets, self.ref)
        p.communicate(timeout=300 * heard.SLOW)
        report(p.returncode == 0, "undisturbed run")
        self.expected = essence(rows(self.ref))
        report(len(self.expected) == 24 * 6, "rows of the undisturbed run", str(len(self.expected)))

    def resume(self, out, what, **kw):
        p = batch(self.nets, out, "--resume", **kw)
        _, err = p.communicate(timeout=300 * heard.SLOW)
        report(p.returncode == 0, what + ": resume exits 0", "%d %s" % (p.returncode, err[-300:]))
        report(essence(rows(out)) == self.expected, what + ": nothing lost, nothing twice")


def processes():
    """All that run: number, parent, command line (a minimal machine has no pgrep)."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as stat, open("/proc/%s/cmdline" % name, errors="replace") as command:
                found.append((int(name), int(stat.read().rpartition(")")[2].split()[1]),
                              command.read().replace("\0", " ")))
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended meanwhile
    return found


def parent_killed(w):
    out = w.top + "/killed.jsonl"
    for _ in range(6):
        p = batch(w.nets, out, "--resume")
        time.sleep(w.rng.uniform(0.02, 0.25))
        p.kill()
        p.communicate()
        if os.path.exists(out):
            rows(out)
    for _ in range(50):  # dying takes a moment
        left = [command for _, _, command in processes() if out in command]
        if not left:
            break
        time.sleep(0.1)
    report(not left, "no child survives its parent", str(left))
    w.resume(out, "kill -9 of the parent")


def children_killed(w):
    """Their jobs become rows with a reason, the batch goes on."""
    out = w.top + "/children.jsonl"
    p = start(w.hard, "--examinations", "StateSpace", "--engine", "explicit", "--time", "60", "--memory", "4000",
              "--jobs", "2", "-o", out)
    deadline = time.monotonic() + 300 * heard.SLOW
    killed = set()
    while len(killed) < 2 and time.monotonic() < deadline and p.poll() is None:
        for child in [number for number, parent, _ in processes() if parent == p.pid]:
            if child not in killed:
                time.sleep(0.1)
                try:
                    os.kill(child, signal.SIGKILL)
                    killed.add(child)
                except ProcessLookupError:
                    pass
        time.sleep(0.02)
    p.communicate(timeout=300 * heard.SLOW)
    rs = rows(out)
    report(len(rs) == 2 and all("signal 9" in (r["reason"] or "") for r in rs), "killed children are rows",
           str([r["reason"] for r in rs]))


def file_damaged(w):
    """As a power loss leaves it."""
    out = w.top + "/torn.jsonl"
    data = open(w.ref, "rb").read()
    for cut in sorted(w.rng.sample(range(1, len(data)), 3)):
        open(out, "wb").write(data[:cut])
        w.resume(out, "file cut at byte %d" % cut)
    open(out, "wb").write(data[:len(data) // 2] + b"\0" * 100)
    w.resume(out, "NUL bytes at the end")


def signals(w):
    """SIGHUP, SIGTERM and SIGINT end cleanly with exit 2."""
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        out = w.top + "/signal%d.jsonl" % number
        p = batch(w.nets, out)
        heard.send(p, number, after=0.12)
        p.communicate(timeout=300 * heard.SLOW)
        report(p.returncode in (0, 2), "signal %d: exit" % number, str(p.returncode))
        w.resume(out, "signal %d" % number)


def child_signal_ignored(w):
    """Whatever the batch inherits, it sees its jobs end; it used to spin."""
    p = batch(w.nets, w.top + "/ignored.jsonl", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    try:
        p.communicate(timeout=300 * heard.SLOW)
        report(p.returncode == 0 and essence(rows(w.top + "/ignored.jsonl")) == w.expected, "SIGCHLD ignored",
               str(p.returncode))
    except subprocess.TimeoutExpired:
        report(False, "SIGCHLD ignored: the batch does not end")
        p.kill()
        p.communicate()


def is_locked(path):
    if not os.path.exists(path):
        return False
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
        except BlockingIOError:
            return True


def one_file(w):
    """Two batches on one file, and an existing file without --resume, are refused."""
    out = w.top + "/two.jsonl"
    first = start(w.hard, "--examinations", "StateSpace", "--engine", "explicit", "--time", "300", "-o", out)
    heard.wait_for(lambda: is_locked(out))
    second = batch(w.nets, out, "--resume")
    _, err = second.communicate(timeout=300 * heard.SLOW)
    report(second.returncode == 3 and "another batch" in err, "a second batch is refused", err)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=300 * heard.SLOW)
    p = batch(w.nets, w.ref)
    _, err = p.communicate(timeout=300 * heard.SLOW)
    report(p.returncode == 3 and "--resume" in err, "an existing file needs --resume", err)


def unreadable(w):
    bad = w.top + "/bad"
    os.makedirs(bad)
    open(bad + "/empty.pnml", "w").close()
    open(bad + "/broken.pnml", "w").write("<pnml><net")
    os.symlink("/nonexistent", bad + "/dangling.ll_net")
    open(w.top + "/list", "w").write("bad/empty.pnml\nbad/broken.pnml\nbad/dangling.ll_net\nnets/phil2.pnml\n")
    out = w.top + "/bad.jsonl"
    text, _ = start(w.top + "/list", "--examinations", "ReachabilityDeadlock", "-o",
                    out).communicate(timeout=300 * heard.SLOW)
    rs = {r["instance"]: r for r in rows(out)}
    report(len(rs) == 4 and rs["phil2"]["verdict"] == "TRUE", "unreadable inputs are rows", str(rs))
    for name in ("empty", "broken", "dangling"):
        report(name in (rs[name]["reason"] or ""), "the row of %s says what is wrong with the file" % name,
               str(rs[name]["reason"]))
        report(re.search("^UNSOLVED: %s ReachabilityDeadlock .*%s" % (name, name), text, re.M),
               "the summary lists " + name, text)


def disk_full(w):
    small = w.top + "/small"
    os.makedirs(small)
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small],
                                           capture_output=True).returncode != 0:
        skip("the full disk: no tmpfs can be mounted here")
        return
    try:
        out = small + "/full.jsonl"
        p = batch(w.nets, out)
        _, err = p.communicate(timeout=300 * heard.SLOW)
        report(p.returncode in (2, 3) and "cannot be written" in err, "a full disk is said",
               "%d %s" % (p.returncode, err[-200:]))
        rows(out)
        shutil.copy(out, w.top + "/full.jsonl")
        w.resume(w.top + "/full.jsonl", "full disk")
        # evidence that finds no room is left out; the answers are there
        out = w.top + "/noroom.jsonl"
        p = batch(w.nets, out, "--witnesses", small + "/w")
        p.communicate(timeout=300 * heard.SLOW)
        rs = rows(out)
        report(p.returncode == 3 and essence(rs) == w.expected, "answers without room for witnesses", str(p.returncode))
        there = [r for r in rs if r["witness"]]
        report(len(there) < 24 and all(os.path.exists(w.top + "/" + r["witness"]) for r in there),
               "no witness is named that is not there")
    finally:
        subprocess.run(["umount", small])


def shards(w):
    parts = []
    for i in (1, 2, 3):
        part = w.top + "/shard%d.jsonl" % i
        batch(w.nets, part, "--shard", "%d/3" % i).communicate(timeout=300 * heard.SLOW)
        parts.append(part)
    report(essence(sum((rows(x) for x in parts), [])) == w.expected, "shards are the whole")
    p = subprocess.run([MAZURKA, "batch-report", "+".join(parts), "--csv", w.top + "/r.csv", "--html",
                        w.top + "/r.html"], capture_output=True, text=True)
    report(p.returncode == 0 and len(open(w.top + "/r.csv").readlines()) == len(w.expected) + 1,
           "shards merge in the report", p.stderr)
    page = open(w.top + "/r.html").read()
    report("Content-Security-Policy" in page and "http://" not in page.replace("http://www.w3.org", "") and
           "https://" not in page, "the page is self-contained")


def clock_jumps(w):
    """The wall clock goes to and fro by days, in the batch and its jobs; only the monotonic clock may count."""
    jumper = w.top + "/jumps.so"
    compiler = os.environ.get("CC", "cc").split()
    built = shutil.which(compiler[0]) and subprocess.run(compiler[:1] + ["-shared", "-fPIC", "-o", jumper,
                                                                         SRC + "/tests/clock_jumps.c", "-ldl"],
                                                         capture_output=True, text=True).returncode == 0
    if not built:
        skip("the clock jumps: no compiler for the library that makes them")
        return
    env = dict(os.environ, LD_PRELOAD=jumper)
    env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    out = w.top + "/jumps.jsonl"
    p = batch(w.nets, out, "--progress", "always", env=env)
    heard.send(p, signal.SIGINT, after=0.3)
    p.communicate(timeout=300 * heard.SLOW)
    report(p.returncode in (0, 2), "clock jumps: exit", str(p.returncode))
    w.resume(out, "clock jumps", env=env)
    report(all(0 <= r["wall"] < 300 for r in rows(out)), "clock jumps: times of rows")
    # limits: hard jobs run for their whole time, neither ended by a jump forwards nor kept by one backwards
    out = w.top + "/jumps-hard.jsonl"
    p = start(w.hard, "--examinations", "StateSpace,ReachabilityDeadlock", "--engine", "explicit", "--time", "2",
              "--memory", "2000", "--jobs", "2", "--threads", "1", "-o", out, "--progress", "always", env=env)
    _, err = p.communicate(timeout=300 * heard.SLOW)
    rs = [r for r in rows(out) if r["examination"] == "StateSpace"]
    report(p.returncode == 0 and len(rs) == 2, "clock jumps: hard jobs end", "%d %s" % (p.returncode, rs))
    report(all("time limit" in (r["reason"] or "") and 1.0 < r["wall"] < 300 for r in rs),
           "clock jumps: the time limit is kept", str([(r["reason"], r["wall"]) for r in rs]))
    left = re.findall(r"about (\d+):(\d+):(\d+) left", err)
    report(left and all(int(h) == 0 for h, _, _ in left), "clock jumps: the estimate stays sane", str(left[-3:]))


def evidence(w):
    """Runs replay to what they claim, proofs verify, after kill -9 and --resume as after a quiet run."""
    nets, out = w.top + "/evidence nets", w.top + "/evidence.jsonl"
    os.makedirs(nets)
    for name, arguments in (("phil 3", ["philosophers", "3"]), ("kanban-1", ["kanban", "1"]), ("fms-2", ["fms", "2"]),
                            ("readers-3", ["readers", "3"])):
        gen("%s/%s.pnml" % (nets, name), *arguments)
    more = ["--examinations", "ReachabilityDeadlock,OneSafe,Liveness", "--time", "300", "--threads", "1", "--witnesses",
            w.top + "/wi tn", "--certificates", w.top + "/certs", "--repeat", "2", "-o", out]
    p = start(nets, *more)
    time.sleep(0.4)
    p.kill()
    p.communicate()
    p = start(nets, "--resume", *more)
    _, err = p.communicate(timeout=300 * heard.SLOW)
    report(p.returncode == 0, "evidence: exit", err)
    runs = proofs = 0
    for r in rows(out):
        net, what = "%s/%s.pnml" % (nets, r["instance"]), "%s %s %d" % (r["instance"], r["examination"], r["repeat"])
        if r["witness"]:
            runs += 1
            q = subprocess.run([MAZURKA, "replay", "--json", net, w.top + "/" + r["witness"]], capture_output=True,
                               text=True)
            end = json.loads(q.stdout) if q.returncode == 0 else {"dead": None, "marking": {}}
            shown = max(end["marking"].values(), default=0) > 1 if r["examination"] == "OneSafe" else end["dead"]
            report(shown, "the run of %s shows it" % what, q.stdout + q.stderr)
        if r["certificate"]:
            proofs += 1
            q = subprocess.run([MAZURKA + "-verify", net, w.top + "/" + r["certificate"]], capture_output=True,
                               text=True)
            report(q.returncode == 0, "the certificate of %s holds" % what, q.stdout + q.stderr)
        claim = r["verdict"] == ("TRUE" if r["examination"] == "ReachabilityDeadlock" else "FALSE")
        if r["examination"] != "Liveness":
            report(bool(r["witness"]) == claim and bool(r["certificate"]) != claim, "evidence of " + what, str(r))
    report(runs >= 6 and proofs >= 6, "there are runs and proofs", "%d %d" % (runs, proofs))


def answers_to_signals(w):
    """Ctrl-C inside an examination is heard within its slice of time."""
    for arguments in (["mcc", w.hard + "/ring15.pnml", "--examination", "UpperBounds"],
                      ["mcc", w.hard + "/ring15.pnml", "--examination", "StateSpace", "--engine", "explicit"],
                      ["mcc", w.hard + "/ring15.pnml", "--examination", "OneSafe"],
                      ["check", w.hard + "/ring15.pnml", "--engine", "explicit"],
                      ["check", w.hard + "/ring15.pnml", "--engine", "unfold"]):
        p = subprocess.Popen([MAZURKA] + arguments + ["--time", "3000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
        heard.send(p, signal.SIGINT, after=1.0)
        try:
            p.communicate(timeout=300 * heard.SLOW)
            report(p.returncode in (0, 1, 2, 3), "%s: SIGINT" % arguments, str(p.returncode))
        except subprocess.TimeoutExpired:
            report(False, "%s: SIGINT is not heard" % arguments)
            p.kill()
            p.communicate()


def usage(pid):
    """What the parent holds: private memory in KiB, descriptors, children."""
    status = open("/proc/%d/status" % pid).read()
    children = open("/proc/%d/task/%d/children" % (pid, pid)).read().split()
    return int(re.search(r"RssAnon:\s+(\d+)", status).group(1)), len(os.listdir("/proc/%d/fd" % pid)), len(children)


def soak(w, jobs=2000):
    """What a batch holds after a tenth of its jobs it also holds at their end."""
    nets, out, temporary = w.top + "/tiny", w.top + "/soak.jsonl", w.top + "/soak-tmp"
    os.makedirs(nets)
    os.makedirs(temporary)
    for n in (2, 3, 4, 5, 6):
        gen("%s/readers-%d.pnml" % (nets, n), "readers", str(n))
    begin = time.monotonic()
    p = start(nets, "--quiet", "--json", "--examinations", "StateSpace", "--repeat", str(jobs // 5), "--time", "300",
              "--threads", "1", "-o", out, env=dict(os.environ, TMPDIR=temporary))
    p.stdout.close()
    samples, size = [], 0
    while p.poll() is None:
        time.sleep(0.05 if jobs < 100000 else 1)
        size = os.path.getsize(out) if os.path.exists(out) else 0
        try:
            samples.append((size,) + usage(p.pid))
        except (FileNotFoundError, ProcessLookupError, AttributeError):
            break
    p.wait()
    took = time.monotonic() - begin
    with open(out, encoding="utf-8") as lines:
        n = sum(1 for line in lines if json.loads(line)["verdict"])
    report(n == 4 * jobs, "soak: all rows", str(n))
    total = os.path.getsize(out)
    early = [s for s in samples if 0.08 * total < s[0] < 0.2 * total]
    late = [s for s in samples if 0.85 * total < s[0] < 0.98 * total]
    if not early or not late:
        skip("the soak: it was over before it could be watched")
        return
    memory = [max(s[1] for s in part) for part in (early, late)]
    descriptors = [max(s[2] for s in part) for part in (early, late)]
    children = max(s[3] for s in samples)
    print("soak: %d jobs in %.1f s, %.2f ms each; private memory %d KiB after a tenth, %d KiB at the end; "
          "%d and %d descriptors, at most %d children; %d bytes of results a job" %
          (jobs, took, 1000 * took / jobs, memory[0], memory[1], descriptors[0], descriptors[1], children,
           total // jobs))
    report(memory[1] - memory[0] <= 256, "soak: memory does not grow with jobs", str(memory))
    report(descriptors[1] <= descriptors[0], "soak: descriptors do not grow", str(descriptors))
    report(children <= os.cpu_count() + 1, "soak: children", str(children))
    report(not os.listdir(temporary), "soak: no temporary files", str(os.listdir(temporary)))


def without_proc(w):
    """Where /proc is not mounted, as in a bare chroot, what stands beside the program is found all the same."""
    bare = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", MAZURKA]
    net = os.path.join(SRC, "nets", "philosophers-3.pnml")
    if subprocess.run(bare + ["--version"], capture_output=True).returncode != 0:
        return skip("a system without /proc: unshare is not allowed here")
    run = subprocess.run(bare + ["check", net, "--engine", "equation", "--invariant", "eat0 + eat1 <= 1"],
                         capture_output=True, text=True)
    report(run.returncode == 0, "the solver without /proc", run.stdout + run.stderr)
    run = subprocess.run(bare + ["check", os.path.join(SRC, "nets", "c", "philosophers.c")], capture_output=True,
                         text=True)
    report(run.returncode == 1 and "a deadlock is reachable" in run.stdout, "C programs without /proc",
           run.stdout + run.stderr)


ALL = [parent_killed, children_killed, file_damaged, signals, child_signal_ignored, one_file, unreadable, disk_full,
       shards, clock_jumps, evidence, answers_to_signals, soak, without_proc]


def main():
    top = tempfile.mkdtemp()
    try:
        w = World(top)
        if len(sys.argv) == 3 and sys.argv[1] == "soak" and sys.argv[2].isdigit():
            soak(w, int(sys.argv[2]))
        else:
            for fault in ALL:
                if len(sys.argv) == 1 or fault.__name__ in sys.argv[1:]:
                    fault(w)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    sys.exit(1 if failed else 0)


main()
