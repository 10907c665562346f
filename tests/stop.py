#!/usr/bin/env python3
"""Limits that are kept: every command, on large generated nets, ends within a second of SIGTERM at random moments, and
within 5 % and half a second of --time and --memory. Every file that a command reads may be a pipe from which nothing
comes. When a question is answered the process ends.

    stop.py [--all] [--seed N] [WORD...]    only commands that contain a WORD; --all: every command, ten signals each

A short run takes a few commands, others with each seed; a long one another seed every hour. The machine may be busy: a
control process that does nothing but compute is stopped at the same moments, and what it takes to end is added to what
is allowed.
"""
import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import heard

MAZURKA = os.path.abspath(os.environ.get("MAZURKA", "build/mazurka"))
SRCDIR = os.environ.get("SRCDIR", ".")
SOAK = os.environ.get("MAZURKA_SOAK") == "1"
ANSWER_SECONDS, CALM_SECONDS, TRIES = 2.0, 0.2, 4
STOP_SECONDS, TIME_SECONDS, TIME_FACTOR, MEMORY_FACTOR = 1.0, 0.5, 1.05, 1.05
# What the files of programs and libraries take, and what the solver's process starts with.
MEMORY_SLACK = 24 << 20
SHORT_COMMANDS, SHORT_SIGNALS = 10, 2
CONTROL = ("import signal,sys\nstop=[]\nsignal.signal(signal.SIGTERM,lambda *a:stop.append(1))\nprint(flush=True)\n"
           "while not stop: sum(range(1000))")

NETS = {
    "chain": ["chain", "30000"],
    "ring": ["ring", "8000"],
    "phil": ["philosophers", "8000"],
    "free": ["philosophers-free", "3000"],
    "indep": ["independent", "30000"],
    "dense": ["dense", "3000"],
    "kanban": ["kanban", "40"],
    "slotted": ["slotted-ring", "40"],
    "choice": ["choice", "2000"],
    "rw": ["rw", "60"],
    "mutex": ["peterson", "7"],
    "random": ["random-cyclic", "300", "8", "4000"],
    "acyclic": ["random-acyclic", "300", "8", "4000"],
    "ten": ["philosophers-free", "10"],
    "ten-thousand": ["philosophers", "10000"],
    "long-ring": ["ring", "20000"],
    "pool": ["resource-pool", "40", "3", "90"],
    "weights": ["random-bounded", "300", "900", "5", "4"],
    "inhibit": ["random-inhibitor", "300", "900", "3", "3"],
}


# Each file that a command takes, as a pipe.
DOORS = ["info SILENT", "check SILENT", "unfold SILENT", "explore SILENT", "compile SILENT", "convert SILENT OUT.pnml",
         "compare SILENT", "replay SILENT SILENT", "check tiny --property SILENT", "unfold tiny --relation file:SILENT",
         "explore tiny --relation file:SILENT", "compare tiny --relation file:SILENT",
         "compare tiny --algorithms --relation file:SILENT", "explore tiny --algorithm sdpor --relation file:SILENT",
         "explore tiny --algorithm cdpor --constraints SILENT", "info tiny --independence --constraints SILENT",
         "replay tiny SILENT", "batch SILENT", "batch tiny --examinations OneSafe --expected SILENT",
         "batch-report SILENT",
         "simulate SILENT", "view SILENT -o OUT.html", "explore tiny --algorithm reverse --part SILENT:1 -o OUT.parts",
         "explore tiny --algorithm reverse --merge SILENT", "verify tiny SILENT", "verify SILENT tiny",
         "verify tiny tiny --property SILENT --id x"]


# What was deaf once and left to the guard.
ALONE = ["info chain", "check ring --engine pdr", "unfold chain --relation none", "unfold random --relation none",
         "explore acyclic --algorithm cdpor", "explore chain --algorithm cdpor", "compare acyclic --algorithms"]


def program_text(n):
    return "var x = 0;\nmutex m;\n" + "".join(f"thread t{i} {{ lock(m); x = (x + {i % 7}) % 50; unlock(m); }}\n"
                                              for i in range(n))


def coloured_text(n):
    """Two hundred million bindings of one transition."""
    sort, x, y = '<usersort declaration="r"/>', '<variable refvariable="x"/>', '<variable refvariable="y"/>'

    def arc(source, target, term):
        return f'<arc id="{source}{target}" source="{source}" target="{target}">' \
               f'<hlinscription><structure>{term}</structure></hlinscription></arc>'

    return ('<pnml><net id="n" type="symmetricnet"><page id="g">'
            f'<place id="p"><type><structure>{sort}</structure></type>'
            f'<hlinitialMarking><structure><all>{sort}</all></structure></hlinitialMarking></place>'
            f'<place id="q"><type><structure>{sort}</structure></type></place>'
            '<transition id="t"><condition><structure>'
            f'<lessthan><subterm>{x}</subterm><subterm>{y}</subterm></lessthan></structure></condition></transition>'
            + arc("p", "t", f"<add><subterm>{x}</subterm><subterm>{y}</subterm></add>") + arc("t", "q", y) +
            '</page><declaration><structure><declarations>'
            f'<namedsort id="r" name="r"><finiteintrange start="1" end="{n}"/></namedsort>'
            f'<variabledecl id="x" name="x">{sort}</variabledecl><variabledecl id="y" name="y">{sort}</variabledecl>'
            '</declarations></structure></declaration></net></pnml>')


def commands():
    """Name, arguments; NAME.pnml stands for a net."""
    out = []

    def add(*words):
        out.append(list(words))

    for net in ["chain", "ring", "indep", "dense", "random", "kanban"]:
        add("info", net)
        add("convert", net, "OUT.ll_net")
    for net in ["chain", "ring", "phil", "free", "indep", "dense", "slotted", "random", "weights", "inhibit", "kanban",
                "mutex"]:
        add("check", net, "--engine", "auto")
        add("mcc", net, "--examination", "ReachabilityDeadlock")
    for engine in ["explicit", "stubborn", "best", "symmetry", "walk", "equation", "unfold", "pdr", "explore",
                   "symbolic"]:
        for net in ["ring", "free", "random", "weights", "mutex"]:
            add("check", net, "--engine", engine)
    for net in ["free", "random", "mutex", "ring"]:
        add("check", net, "--certificate", "OUT.cert")
        add("check", net, "--safe")
    for examination in ["OneSafe", "QuasiLiveness", "StableMarking", "Liveness", "StateSpace"]:
        for net in ["ring", "random", "weights", "chain"]:
            add("mcc", net, "--examination", examination)
    for relation in ["none", "classic", "read", "loops", "proved"]:
        for net in ["chain", "slotted", "indep", "random", "weights", "rw"]:
            add("unfold", net, "--relation", relation)
    for algorithm in ["upor", "sleep", "sdpor", "odpor", "reverse", "cdpor"]:
        for net in ["choice", "acyclic", "indep", "chain"]:
            add("explore", net, "--algorithm", algorithm)
    for net in ["slotted", "random", "chain"]:
        add("compare", net)
    add("compare", "acyclic", "--algorithms")
    add("replay", "chain", "chain.run")
    add("compile", "program.mzk", "-o", "OUT.pnml")
    add("check", "program.mzk")
    add("explore", "program.mzk")
    add("batch", "FOLDER", "--examinations", "ReachabilityDeadlock,OneSafe", "-o", "OUT.jsonl")
    add("verify", "mutex", "mutex.cert")
    for net in ["ring", "weights", "chain"]:
        add("view", net, "-o", "OUT.html")
        add("check", net, "--live")
    add("check", "weights", "--home", "p0 >= 1")
    add("check", "random", "--sound")
    add("explore", "choice", "--algorithm", "reverse", "--split", "1000", "-o", "OUT.parts")
    add("info", "coloured.pnml")
    add("check", "coloured.pnml")
    add("mcc", "coloured.pnml", "--examination", "OneSafe")
    add("verify", "coloured.pnml", "mutex.cert")
    return out


class Bench:
    def __init__(self, folder, rng):
        self.folder, self.rng, self.failed, self.passed, self.guarded = folder, rng, 0, 0, 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name):
        """The file behind a name of commands(), made when it is first needed."""
        if name in NETS:
            path = self.path(name + ".pnml")
            if not os.path.exists(path):
                subprocess.run([MAZURKA, "gen", *NETS[name], "-o", path], check=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
            return path
        if name == "coloured.pnml" and not os.path.exists(self.path(name)):
            with open(self.path(name), "w") as f:
                f.write(coloured_text(20000))
        if name == "program.mzk" and not os.path.exists(self.path(name)):
            with open(self.path(name), "w") as f:
                f.write(program_text(400))
        if name == "chain.run" and not os.path.exists(self.path(name)):
            with open(self.path(name), "w") as f:
                f.write("".join(f"t{i}\n" for i in range(0, 30000, 2)))
        if name == "mutex.cert" and not os.path.exists(self.path(name)):
            subprocess.run([MAZURKA, "check", self.make("small"), "--safe", "--certificate", self.path(name),
                            "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        if name == "FOLDER":
            folder = self.path("nets")
            os.makedirs(folder, exist_ok=True)
            for net in ["ring", "slotted", "random"]:
                link = os.path.join(folder, net + ".pnml")
                if not os.path.exists(link):
                    os.symlink(self.make(net), link)
            return folder
        if name.startswith("OUT") or name in ("program.mzk", "coloured.pnml", "chain.run", "mutex.cert"):
            return self.path(name)
        return name

    def line(self, words):
        program = MAZURKA
        if words[0] == "verify":
            program, words = MAZURKA + "-verify", words[1:]
            return [program, *map(self.make, words)]
        return [program, words[0], *map(self.make, words[1:])]

    def say(self, ok, words, text):
        self.passed += ok
        self.failed += not ok
        if not ok or SOAK or "--verbose" in sys.argv:
            print(f"{'ok' if ok else 'FAILED'}: {' '.join(words)}: {text}", flush=True)

    def insist(self, words, attempt, *arguments):
        """A busy machine is late now and then, what is deaf is late every time. `attempt` says whether it was good, and
        a text, or None where there was nothing to see."""
        for _ in range(TRIES):
            good, text = attempt(words, *arguments)
            if good:
                break
        if text:
            self.say(good, words, text)
        return text

    def start(self, line, err):
        return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, cwd=self.folder)

    def stop_once(self, words, most, alone=False):
        """SIGTERM after a random time; `alone`: the guard must not be needed, as far as the machine lets one see that.
        True: it had ended before."""
        return self.insist(words, self.stop_after, self.rng.random() ** 2 * most, alone) is None

    def stop_after(self, words, wait, alone):
        line = self.line(words)
        with open(self.path("stderr"), "w+b") as err:
            control = subprocess.Popen([sys.executable, "-c", CONTROL], stdout=subprocess.PIPE)
            control.stdout.readline()
            p = self.start(line, err)
            try:
                p.wait(wait)
            except subprocess.TimeoutExpired:
                pass
            ended = p.poll() is not None
            sent = time.monotonic()
            p.terminate()
            control.terminate()
            control.wait()
            lag = time.monotonic() - sent
            try:
                p.wait(30)
                took = time.monotonic() - sent
            except subprocess.TimeoutExpired:
                p.kill()
                took = float("inf")
            err.seek(0)
            guarded = b"guard" in err.read()
        self.guarded += guarded
        if ended:
            return True, None
        by = ", by the guard" if guarded else ""
        text = f"SIGTERM at {wait:.2f} s: ended after {took:.2f} s (a busy machine's share: {lag:.2f} s){by}"
        return took <= STOP_SECONDS + 2 * lag and not (alone and guarded and lag < CALM_SECONDS), text

    def limit_once(self, words, seconds, megabytes):
        if words[0] not in ("verify", "replay", "batch", "compare"):
            self.insist(words, self.limited, seconds, megabytes)

    def limited(self, words, seconds, megabytes):
        """Runs to the limits; looks at the memory of the process and its children all the time."""
        limits = ["--time", str(seconds), "--memory", str(megabytes)]
        with open(self.path("stderr"), "w+b") as err:
            control = subprocess.Popen([sys.executable, "-c", CONTROL], stdout=subprocess.PIPE)
            control.stdout.readline()
            start = time.monotonic()
            p = self.start(self.line(words) + limits, err)
            peak = 0
            while p.poll() is None and time.monotonic() - start < seconds + 30:
                peak = max(peak, resident(p.pid))
                time.sleep(0.01)
            took = time.monotonic() - start
            if p.poll() is None:
                p.kill()
                took = float("inf")
            sent = time.monotonic()
            control.terminate()
            control.wait()
            lag = time.monotonic() - sent
            err.seek(0)
            guarded = b"guard" in err.read()
        self.guarded += guarded
        by = ", by the guard" if guarded else ""
        in_time = took <= seconds * TIME_FACTOR + TIME_SECONDS + 2 * lag
        in_memory = peak <= megabytes * MEMORY_FACTOR * (1 << 20) + MEMORY_SLACK
        return in_time and in_memory, f"{' '.join(limits)}: took {took:.2f} s{by}, peak {peak >> 20} MiB"

    # ---- files from which nothing comes ----

    def door(self, words, signalled):
        """SILENT stands for a pipe that somebody holds open and never writes to: the command ends by itself, at its
        limit or when it is told to, not by the guard."""
        silent = self.path("SILENT")
        if not os.path.exists(silent):
            os.mkfifo(silent)
        line = [MAZURKA + "-verify" if words[0] == "verify" else MAZURKA] + words[words[0] == "verify":]
        line = [self.make(w) if w in NETS else w.replace("SILENT", silent) for w in line]
        line += [] if signalled else ["--time", "0.5"]
        writer = os.open(silent, os.O_RDWR)
        with open(self.path("stderr"), "w+b") as err:
            start = time.monotonic()
            p = self.start(line, err)
            if signalled:
                heard.send(p, signal.SIGTERM, after=0.2)
            try:
                code, took = p.wait(60), time.monotonic() - start
            except subprocess.TimeoutExpired:
                p.kill()
                code, took = p.wait(), float("inf")
            err.seek(0)
            guarded = b"guard" in err.read()
        os.close(writer)
        by = " by the guard" if guarded else ""
        text = f"{'SIGTERM' if signalled else '--time'}: ended{by} after {took:.2f} s with status {code}"
        # Generous: what is looked for is waiting for ever, and the guard.
        return code == 2 and not guarded and took < 60, text

    def doors(self):
        NETS["tiny"] = ["ring", "4"]
        for words in DOORS:
            self.insist(words.split(), self.door, False)
            self.insist(words.split(), self.door, True)

    # ---- the guard's last words ----

    def held_up(self, words, hold):
        """Time passes while the process is stopped, so that the guard ends it; nobody reads what it says for a while.
        One object comes out all the same, though its timer goes off in one thread after the other, and SIGTERM ends it
        at once."""
        out, full = os.pipe()
        os.set_blocking(full, False)
        filled = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                filled += os.write(full, bytes(4096))
        os.set_blocking(full, True)
        p = subprocess.Popen(self.line(words) + ["--json", "-q", "--time", "0.5"], stdout=full, stderr=subprocess.PIPE)
        os.close(full)
        heard.wait_for(lambda: heard.handles(p, signal.SIGALRM))
        time.sleep(0.2)
        p.send_signal(signal.SIGSTOP)
        time.sleep(1)
        p.send_signal(signal.SIGCONT)
        time.sleep(0.4)
        if hold:
            start = time.monotonic()
            p.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(20)
            took = time.monotonic() - start
            p.kill()
            p.communicate()
            os.close(out)
            return took < STOP_SECONDS + 5, f"SIGTERM while nobody reads: ended after {took:.2f} s"
        with os.fdopen(out, "rb") as f:
            said = f.read()[filled:]
        guarded = p.stderr.read().count(b"guard")
        p.communicate()
        try:
            verdict = json.loads(said)["verdict"]
        except ValueError:
            verdict = f"no object: {said}"
        return (verdict, guarded, p.returncode) == ("unknown", 1,
                                                    2), f"status {p.returncode}, guard heard {guarded} times, {verdict}"

    def last_words(self):
        for engine, threads in ("walk,explicit", "2"), ("best", "1"):
            words = ["check", "ring", "--reach", "deadlock", "--engine", engine, "--threads", threads]
            for hold in False, True:
                self.insist(words, self.held_up, hold)

    # ---- the end after the answer ----

    def answer(self, words):
        """How long the process lives after an engine has the answer; and no engine that has given up is asked again."""
        p = subprocess.Popen(self.line(words) + ["--verbose"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, cwd=self.folder)
        told, gave_up = None, []
        for line in p.stderr:
            found = re.match(rb"(?:goal 0: (\w+)|auto:) (unknown|reachable|unreachable) in [^:]*:?(.*)", line)
            if found and told is None and found[2] != b"unknown":
                told = time.monotonic()
            if found and found[1] and found[2] == b"unknown" and \
                    b"limit" not in found[3] and b"stopped" not in found[3]:
                gave_up.append(found[1].decode())
        p.wait(400)
        if told is None:
            return "long-ring" in words, "no answer"  # on a busy machine it takes too long
        took = time.monotonic() - told
        return (took < ANSWER_SECONDS and len(gave_up) == len(set(gave_up)),
                f"ended {took:.2f} s after the answer; engines that gave up: {' '.join(gave_up)}")

    def answers(self, whole):
        for net in ["ten-thousand", "pool", "kanban", "ten"] + (["long-ring"] if whole else []):
            self.insist(["check", net, "--time", "300"], self.answer)
        self.insist(["check", "ten", "--reach", "eat0 + eat1 >= 2", "--time", "300"], self.answer)


def resident(pid):
    """Of a process and its children, without what they share of files in the latter."""
    page, total = os.sysconf("SC_PAGESIZE"), 0
    try:
        pids = [pid] + [int(c) for c in open(f"/proc/{pid}/task/{pid}/children").read().split()]
        for task in os.listdir(f"/proc/{pid}/task"):
            pids += [int(c) for c in open(f"/proc/{pid}/task/{task}/children").read().split()]
        for one in sorted(set(pids)):
            fields = open(f"/proc/{one}/statm").read().split()
            total += (int(fields[1]) - (int(fields[2]) if one != pid else 0)) * page
    except (OSError, ValueError, IndexError):
        pass
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("MAZURKA_SEED", time.time() // 3600 if SOAK else 1)))
    parser.add_argument("--signals", type=int)
    parser.add_argument("--time", type=float, default=1.5)
    parser.add_argument("--memory", type=int, default=150)
    parser.add_argument("words", nargs="*")
    a = parser.parse_args()
    rng = random.Random(a.seed)
    NETS["small"] = ["peterson", "3"]
    chosen = [c for c in commands() if all(w in " ".join(c) for w in a.words)]
    whole = a.all or SOAK
    if not whole and not a.words:
        chosen = rng.sample(chosen, SHORT_COMMANDS)
    signals = a.signals or (10 if whole else SHORT_SIGNALS)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, rng)
        if not a.words:
            bench.doors()
            bench.last_words()
            for words in ALONE:
                bench.stop_once(words.split(), 2.0, alone=True)
            bench.answers(whole)
        for words in chosen:
            for _ in range(signals):
                if bench.stop_once(words, 2.0):
                    break
            bench.limit_once(words, a.time, a.memory)
        print(f"seed {a.seed}: {bench.guarded} ended by the guard")
        print(f"{bench.passed} passed, {bench.failed} failed")
    return bench.failed > 0


sys.exit(main())
