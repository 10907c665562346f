#!/usr/bin/env python3
"""mazurka-verify as the trusted base: how large it is, what it links, what it gives up, and that it ends when told to.

Certificates that are long or wide are made here; twice the size takes twice the instructions.
"""
import array
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import zlib

from checks import check, finish
import heard

MAZURKA = os.environ["MAZURKA"]
VERIFY = MAZURKA + "-verify"
SRC = os.environ.get("SRCDIR", ".")


def run(*arguments, **options):
    return subprocess.run([VERIFY, *arguments], capture_output=True, text=True, timeout=300 * heard.SLOW, **options)


# ---- nets and certificates ----

def pnml(places, transitions):
    """places: {id: tokens}; transitions: [(id, [from], [to])]."""
    out = ['<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">']
    for p, tokens in places.items():
        out.append('<place id="%s"><initialMarking><text>%d</text></initialMarking></place>' % (p, tokens))
    for t, pre, post in transitions:
        out.append('<transition id="%s"/>' % t)
        out += ['<arc id="%s-%s" source="%s" target="%s"/>' % (p, t, p, t) for p in pre]
        out += ['<arc id="%s-%s" source="%s" target="%s"/>' % (t, p, t, p) for p in post]
    return "".join(out) + "</page></net></pnml>"


def digest(places, transitions):
    """As src/certify/digest.h says, written again."""
    rank = {p: i for i, p in enumerate(sorted(places))}
    text = "".join("place %d %s %d\n" % (len(p), p, places[p]) for p in sorted(places))
    for t, pre, post in sorted(transitions):
        text += "transition %d %s" % (len(t), t)
        text += "".join(" pre %d 1" % rank[p] for p in sorted(pre, key=rank.get))
        text += "".join(" post %d 1" % rank[p] for p in sorted(post, key=rank.get)) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


def write(folder, name, places, transitions, goal, rest):
    net, certificate = os.path.join(folder, name + ".pnml"), os.path.join(folder, name + ".cert")
    open(net, "w").write(pnml(places, transitions))
    arcs = sum(len(pre) + len(post) for _, pre, post in transitions)
    body = ("mazurka-certificate 2\nnet %d %d %d\ndigest %s\n%s\n"
            % (len(places), len(transitions), arcs, digest(places, transitions),
               goal if goal.split()[0] in ("live", "home", "bound") else "goal " + goal)).encode() + rest
    open(certificate, "wb").write(body + b"sha256 " + hashlib.sha256(body).hexdigest().encode() + b"\n")
    return net, certificate


def binary(data):
    return b"bytes %d\n" % len(data) + data + b"\n"


def chain(n):
    """Two ways from each place of a ring to the next, unrolled n times: cutoffs as deep as the list is long."""
    places = {"p0": 1, "p1": 0, "p2": 0}
    transitions = [("%s%d" % (c, i), ["p%d" % i], ["p%d" % ((i + 1) % 3)]) for i in range(3) for c in "tu"]
    lines, last = [], None
    for i in range(n):
        t = 2 * (i % 3)
        lines.append("%d%s" % (t, "" if last is None else " %d" % last))
        lines.append("%d%s / %d" % (t + 1, "" if last is None else " %d" % last, 2 * i))
        last = 2 * i
    rest = "kind prefix classic\nevents %d\n%s\n" % (2 * n, "\n".join(lines))
    return places, transitions, "deadlock", rest.encode() + binary(b"a\0")


def wide(n):
    """One token that n transitions may take, each in conflict with all others."""
    lines = "".join("%d\n" % t for t in range(n))
    return ({"p": 1, "q": 0}, [("t%d" % i, ["p"], ["q"]) for i in range(n)], "p + q >= 2",
            ("kind prefix classic\nevents %d\n%s" % (n, lines)).encode() + binary(b"a\0"))


def comb(n):
    """Two transitions that carry n tokens from the last places to the first and back: live."""
    places = {"p%05d" % i: int(i >= n) for i in range(2 * n)}
    names = list(places)
    sets = "".join("tokens %d %d\n" % (i, n + i) for i in range(n))
    return (places, [("t", names[n:], names[:n]), ("u", names[:n], names[n:])], "live",
            ("kind free_choice\n%sflow 0 1\n" % sets).encode())


def loops(n):
    """One place, n transitions that take its token and put it back: each a cutoff at once."""
    lines = "".join("%d / -\n" % t for t in range(n))
    return ({"p": 1, "q": 0}, [("t%d" % i, ["p"], ["p"]) for i in range(n)], "q >= 1",
            ("kind prefix classic\nevents %d\n%s" % (n, lines)).encode() + binary(b"a\0"))


def forgotten(n):
    """One transition at n places, all of them forgotten one by one."""
    places = {"p%d" % i: 1 for i in range(n)}
    places["q"] = 0
    steps = "".join("forget %d\n" % i for i in range(n))
    return (places, [("t", ["p%d" % i for i in range(n)], [])], "q >= 1",
            ("steps %d\n%sconstant %d\nreduced 0 1\nkind none\n" % (n + 1, steps, n)).encode())


def group(n):
    """A ring of n places with one token, as one group; and a transition with a clause about all its places."""
    places = {"p%d" % i: int(i == 0) for i in range(n)}
    ring = [("t%d" % i, ["p%d" % i], ["p%d" % ((i + 1) % n)]) for i in range(n)]
    everywhere = " ".join(str(i + 1) for i in range(n))
    return (places, ring, "p0 + p1 >= 2",
            ("kind clauses\ngroups 1\n%s\nclauses 1\n%s\n" % (everywhere, everywhere)).encode() + binary(b""))


def trap(n):
    """One transition that takes from n places and gives to one of them: a trap of them all."""
    places = {"p%05d" % i: int(i == 0) for i in range(n)}
    names = list(places)
    text = "kind linear\natoms 0\ntraps 1\n%s\nsiphons 0\nlemmas 0\n" % " ".join(map(str, range(n)))
    return places, [("t", names, names[-1:])], "deadlock", text.encode() + binary(b"a\0")


def hub(n):
    """One transition that takes from all places of a trap and gives to many others before the one that keeps a
    token."""
    places = {"p%05d" % i: int(i == 0) for i in range(2 * n + 1)}
    names = list(places)
    text = "kind facts\ngroups 0\ntraps 1\n%s %d\nsums 0\n" % (" ".join(str(i + 1) for i in range(n)), 2 * n + 1)
    return places, [("t", names[:n], names[n:])], "deadlock", text.encode() + binary(b"a\0")


def counter(n):
    """A place with n tokens that go to another one by one: all markings."""
    markings = array.array("Q", (word for i in range(n + 1) for word in (i, n - i)))
    return {"p": n, "q": 0}, [("t", ["p"], ["q"])], "q > %d" % n, b"kind markings 64\nmarkings %d\n" % (n + 1) + binary(
        zlib.compress(markings.tobytes()))


def exchanged(n):
    """n tokens that go between two places, which may be exchanged: the first never has more."""
    markings = array.array("Q", (word for i in range(n // 2 + 1) for word in (i, n - i)))
    rest = b"kind symmetric 64\nsymmetry 1 0 0 1 2 3 3 2\nmarkings %d\n" % (n // 2 + 1)
    return {"p": n, "q": 0}, [("t", ["p"], ["q"]), ("u", ["q"], ["p"])], "p + q > %d" % n, rest + binary(
        zlib.compress(markings.tobytes()))


def ranked(n):
    """The same, with ranks: it always gets to q."""
    places, transitions, _, rest = counter(n)
    ranks = array.array("I", range(n + 1))
    head = rest.replace(b"kind markings", b"kind ranks")
    return places, transitions, "home q >= %d" % n, head + binary(zlib.compress(ranks.tobytes()))


def pumps(n):
    """A ring that puts a token aside in each of n loops."""
    loops = "".join("loop %d %d\n" % (i % 5, 5 + i % 5) for i in range(n))
    places = {"p": 1, "r": 0, **{"q%d" % i: 0 for i in range(5)}}
    transitions = [("t%d" % i, ["p"], ["r", "q%d" % i]) for i in range(5)]
    transitions += [("u%d" % i, ["r"], ["p"]) for i in range(5)]
    return places, transitions, "bound inf 2", ("kind pump\nparts %d\n%s" % (n, loops)).encode()


def ways(n):
    """Two places between which a token goes: the same way n times."""
    return ({"p": 1, "q": 0}, [("t", ["p"], ["q"]), ("u", ["q"], ["p"])], "home q >= 1",
            ("level 0\n%skind clauses\ngroups 1\n1 2\nclauses 0\n" % ("way 1 0\n" * n)).encode() + binary(b"a\0"))


SHAPES = {  # the certificate, its sizes, what is said of it
    "chain": (chain, (2000, 4000), "REJECTED: lemma 1 of the proof does not follow"),
    "wide": (wide, (5000, 10000), "REJECTED: lemma 1 of the proof does not follow"),
    "comb": (comb, (10000, 20000), "VERIFIED: every transition can always fire again"),
    "loops": (loops, (8000, 16000), "VERIFIED"),
    "forgotten": (forgotten, (5000, 10000), "VERIFIED"),
    "group": (group, (2000, 4000), "REJECTED: the proof does not reach a contradiction"),
    "trap": (trap, (5000, 10000), "REJECTED: lemma 1 of the proof does not follow"),
    "hub": (hub, (4000, 8000), "REJECTED: lemma 1 of the proof does not follow"),
    "counter": (counter, (20000, 40000), "VERIFIED"),
    "exchanged": (exchanged, (40000, 80000), "VERIFIED"),
    "ranked": (ranked, (20000, 40000), "VERIFIED"),
    "pumps": (pumps, (20000, 40000), "VERIFIED"),
    "ways": (ways, (4000, 8000), "REJECTED: lemma 1 of the proof does not follow"),
}


def instructions(net, certificate):
    """By valgrind; None without it."""
    if not shutil.which("valgrind"):
        return None
    out = os.path.join(os.path.dirname(net), "callgrind.out")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out, VERIFY, net, certificate],
                          capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found.group(1)) if found else None


def near_linear(folder):
    for name, (make, sizes, said) in SHAPES.items():
        cost = []
        for n in sizes:
            net, certificate = write(folder, name, *make(n))
            done = run(net, certificate, "--time", "300")
            check(said in done.stdout, "%s of %d: %s" % (name, n, done.stdout + done.stderr))
            cost.append(instructions(net, certificate))
        if None in cost:
            print("skipped: instructions of %s (valgrind is not installed)" % name)
            continue
        print("%s: %.0f and %.0f million instructions for %d and %d" % (name, cost[0] / 1e6, cost[1] / 1e6, *sizes))
        check(cost[1] < 2.2 * cost[0],
              "%s: twice the size takes %.1f times the instructions" % (name, cost[1] / cost[0]))


# ---- limits ----

def bombs(folder):
    """Markings that unpack to a thousand times their size, all the same or in order, and sizes that are not there."""
    zeros = zlib.compress(bytes(64 << 20), 9)
    many = 8 << 20
    net, certificate = write(folder, "bomb", {"p": 0}, [], "p >= 1",
                             b"kind markings 64\nmarkings %d\n" % many + binary(zeros))
    done = run(net, certificate, "--memory", "60")
    check("not sorted" in done.stdout and done.returncode == 1, "equal markings: " + done.stdout + done.stderr)
    rising = array.array("Q", range(4 << 20)).tobytes()
    for memory, said in (("20", "NOT CHECKED: memory limit\n"), ("4000", None)):
        net, certificate = write(folder, "rising", {"p": 0}, [], "p >= 1",
                                 b"kind markings 64\nmarkings %d\n" % (4 << 20) + binary(zlib.compress(rising)))
        done = run(net, certificate, "--memory", memory)
        check(done.returncode == (2 if said else 1) and (said or "satisfies the goal") in done.stdout,
              "--memory %s: %s" % (memory, done.stdout))
    net, certificate = write(folder, "sizes", {"p": 0}, [], "p >= 1",
                             b"kind markings 64\nmarkings 4294967295\n" + binary(zlib.compress(bytes(8))))
    done = run(net, certificate, "--memory", "60")
    check(done.returncode == 1 and "not as many" in done.stdout, "declared sizes: " + done.stdout)


def slow(folder):
    """A certificate that takes long: all markings of 21 switches."""
    n = 21
    places = {"%s%d" % (c, i): int(c == "a") for i in range(n) for c in "ab"}
    transitions = [("t%s%d" % (c, i), ["%s%d" % (c, i)], ["%s%d" % ("b" if c == "a" else "a", i)])
                   for i in range(n) for c in "ab"]
    states = [0]
    for i in range(n):
        states = [1 << 2 * i | s for s in states] + [2 << 2 * i | s for s in states]
    rest = b"kind markings 1\nmarkings %d\n" % (1 << n) + binary(zlib.compress(array.array("Q", states).tobytes(), 1))
    return write(folder, "slow", places, transitions, "a0 + b0 >= 2", rest)


def ends(folder):
    net, certificate = slow(folder)
    done = run(net, certificate, "--time", "0.5")
    check(done.returncode == 2 and done.stdout == "NOT CHECKED: time limit\n", "--time: " + done.stdout)
    for number in (signal.SIGINT, signal.SIGTERM):
        for after in (0.02, 0.1, 0.4):
            child = subprocess.Popen([VERIFY, net, certificate], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True)
            heard.send(child, number, after=after)
            out, _ = child.communicate(timeout=300 * heard.SLOW)
            check(child.returncode == 2 and out == "NOT CHECKED: stopped\n",
                  "%s: exit %d: %s" % (number.name, child.returncode, out))


# ---- what it is made of ----

def needed_by(program):
    return re.findall(r"NEEDED.*\[(.*?)\]",
                      subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout)


def links():
    needed = needed_by(VERIFY)
    check("libxml2.so" in " ".join(needed), "libxml2 would have to be opened in the sandbox")
    others = " ".join(needed_by(MAZURKA))
    check("san.so" in others or "libxml2" not in others, "mazurka loads at its start what only XML needs: " + others)
    for name in needed:
        check(re.match(r"lib(c|glib-2\.0|xml2|m|pthread|asan|ubsan|tsan|gcov)\.so", name), "it links " + name)
    print("links: " + " ".join(needed))


def size():
    """Of the source files whose code is in the program: lines with something on them that is no comment."""
    done = subprocess.run(["nm", "--defined-only", VERIFY], capture_output=True, text=True)
    functions = set(re.findall(r"^[0-9a-f]+ [tT] (\w+)", done.stdout, re.M))
    archive = os.path.join(os.path.dirname(VERIFY), ".libs", "libparts.a")
    members, name = {}, None
    for line in subprocess.run(["nm", "--defined-only", archive], capture_output=True, text=True).stdout.splitlines():
        if line.endswith(".o:"):
            name = os.path.basename(line[:-1])
        elif re.match(r"^[0-9a-f]+ T ", line):
            members.setdefault(name, []).append(line.split()[-1])
    total, folders = 0, {}
    for path in sorted(os.path.join(b, f)
                       for b, _, fs in os.walk(os.path.join(SRC, "src")) for f in fs if f.endswith(".c")):
        folder, file = path.split(os.sep)[-2:]
        own = [m for m in members if re.fullmatch(r"(lt\d+-)?" + re.escape(file[:-2]) + r"\.o", m)]
        exported = [s for m in own for s in members[m]]
        text = open(path).read()
        defined = [s for s in exported if re.search(r"\b%s\(" % re.escape(s), text)]
        if not (folder == "certify" and file == "main.c") and not (defined and all(s in functions for s in defined)):
            continue
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
        lines = sum(1 for l in text.splitlines() if l.strip())
        folders.setdefault(folder, [0, 0])
        folders[folder][0] += 1
        folders[folder][1] += lines
        total += lines
    check({"certify", "net", "prop", "base"} <= set(folders), "the size cannot be found: %s" % folders)
    for bad in ("lts", "sat", "verify", "unfold", "explore", "reduce", "report", "batch", "program", "pes"):
        check(bad not in folders, "code of src/%s is in it" % bad)
    print("trusted base: %d lines, %d functions (%s)" % (
        total, len(functions),
        ", ".join("%s: %d files, %d lines" % (f, n, l) for f, (n, l) in sorted(folders.items()))))
    check(total < 13000, "it has grown to %d lines" % total)
    writers = [f for f in functions if re.search(r"_write(_|$)|^output", f)]
    check(not writers, "it can write files: " + " ".join(writers))


def sandbox(folder):
    """While it waits for the rest of its certificate it can do next to nothing."""
    net, certificate = write(folder, "small", {"p": 0}, [], "p >= 1", b"kind none\n")
    child = subprocess.Popen([VERIFY, net, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    mode = "0"
    for _ in range(100):
        status = open("/proc/%d/status" % child.pid).read()
        mode = re.search(r"^Seccomp:\s*(\d)", status, re.M)
        mode = mode.group(1) if mode else None
        if mode != "0":
            break
        time.sleep(0.05)
    child.communicate(open(certificate, "rb").read())
    if mode != "2" and (os.environ.get("MAZURKA_SANDBOX") == "off" or b"__asan_init" in open(VERIFY, "rb").read() or
                        mode is None):
        print("skipped: the sandbox (not here)")
        return
    check(mode == "2", "it runs without a seccomp filter")


def main():
    links()
    size()
    with tempfile.TemporaryDirectory() as folder:
        sandbox(folder)
        bombs(folder)
        ends(folder)
        near_linear(folder)
    finish()


main()
