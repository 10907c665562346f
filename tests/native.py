#!/usr/bin/env python3
"""C programs: the numbers of traces of nets/c/EXPECT.tsv by every algorithm, what is found, what is refused and how."""
import json
import os
import re
import shutil
import subprocess

from checks import check, finish

SRC, MAZURKA = os.environ.get("SRCDIR", "."), os.environ["MAZURKA"]
LONG = os.environ.get("MAZURKA_SOAK") == "1"
SMALL = 3000
SLEEP = ("pi", "sections", "ssb", "example2", "prodcons")  # elsewhere less reduction means very many executions
SOURCE_SETS = SLEEP + ("mpat", "fib", "ccnf", "readers", "lastzero", "indexer", "disp")


def explore(program, *options):
    done = subprocess.run([MAZURKA, "explore", program, "--json"] + list(options), capture_output=True, text=True,
                          timeout=600)
    return json.loads(done.stdout) if done.stdout else {"error": done.stderr}


def expected_counts(scratch):
    for line in open(os.path.join(SRC, "nets/c/EXPECT.tsv"), encoding="utf-8").read().splitlines()[1:]:
        name, defines, quantity, number, _, length = line.split("\t")
        if length == "long" and not LONG:
            continue
        built = os.path.join(scratch, "program")
        macros = ["-D" + d for d in defines.split()]
        subprocess.run([MAZURKA, "cc", *macros, os.path.join(SRC, "nets/c", name + ".c"), "-o", built], check=True)
        algorithms = ["odpor"] + ["upor"] * (int(number) <= (50000 if LONG else SMALL)) + \
                     ["sdpor"] * (int(number) <= SMALL and name in SOURCE_SETS) + \
                     ["sleep"] * (name in SLEEP and int(number) <= 150)
        for algorithm in algorithms:
            got = explore(built, "--algorithm", algorithm)
            what = "%s %s %s: " % (name, defines, algorithm)
            check(got.get(quantity) == int(number),
                  "%s%s is %s, not %s" % (what, quantity, got.get(quantity, got), number))
            check(got.get("complete") and got.get("races") == 0, what + "not complete, or a race")
            check(algorithm not in ("odpor", "upor") or got.get("ssb") == 0, what + "blocked executions")


# The same benchmark in the other language, with the names of its parameters there.
NAMES = {"example2": {"ONLY": "SHORT"}, "prodcons": {"N": "ROUNDS"}}


def as_other_language():
    for line in open(os.path.join(SRC, "nets/c/EXPECT.tsv"), encoding="utf-8").read().splitlines()[1:]:
        name, defines, quantity, number, _, _ = line.split("\t")
        other = os.path.join(SRC, "nets/programs", name + ".mzk")
        if not os.path.exists(other) or int(number) > (50000 if LONG else 200):
            continue
        words = [word for d in defines.split()
                 for word in ("-D", NAMES.get(name, {}).get(d.split("=")[0], d.split("=")[0]) + "=" + d.split("=")[1])]
        got = explore(other, "--relation", "read", "--algorithm", "odpor", *words)
        check(got.get(quantity) == int(number), "%s %s as a .mzk program: %s" % (name, defines, got.get(quantity, got)))


def partial_alternatives(scratch):
    """k-partial alternatives find the same traces; with k large enough none is in vain."""
    built = os.path.join(scratch, "program")
    subprocess.run([MAZURKA, "cc", "-DN=3", "-DK=2", os.path.join(SRC, "nets/c/pol.c"), "-o", built], check=True)
    blocked = []
    for k in (1, 2, 9):
        got = explore(built, "--algorithm", "upor", "--alternatives", "k=%d" % k)
        check(got.get("maximal_configurations") == 33 and got["executions"] == 33 + got["ssb"], "k=%d: %s" % (k, got))
        blocked.append(got["ssb"])
    check(blocked[0] > blocked[1] >= blocked[2] == 0, "blocked executions for k = 1, 2, 9: %s" % blocked)
    for options, text in ((("--alternatives", "k=2"), "belongs to --algorithm upor"),
                          (("--algorithm", "upor", "--alternatives", "k=0"), "k=N with N at least 1"),
                          (("--algorithm", "cdpor"), "odpor, sdpor, upor or sleep")):
        code, _, err = run("explore", built, *options)
        check(code == 3 and text in err, "%s: %d %s" % (options, code, err))


FAULTS = {
    1: (1, "VIOLATED: use after free"), 2: (1, "VIOLATED: double free"), 3: (1, "VIOLATED: segmentation fault"),
    4: (1, "VIOLATED: stack overflow"), 5: (1, "VIOLATED: unlock of a mutex that the thread does not hold"),
    6: (1, "VIOLATED: abort() was called"), 7: (3, "runs for seconds without a visible operation"),
    8: (3, "read() from standard input"), 9: (3, "fork() is called"), 10: (3, "sigprocmask() is called"),
    11: (1, "faults.c:37: fault: assertion 'turn == 0' fails"), 12: (1, "VIOLATED: heap access out of bounds"),
    13: (1, "VIOLATED: arithmetic error"), 14: (1, "VIOLATED: free of what malloc did not return"), 15: (0, "HOLDS: "),
    16: (1, "VIOLATED: a data race is reachable"), 17: (0, "HOLDS: ")}


def run(*arguments):
    done = subprocess.run([MAZURKA, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)
    return done.returncode, done.stdout, done.stderr


def faults(scratch):
    program, witness = os.path.join(SRC, "tests/c/faults.c"), os.path.join(scratch, "witness")
    for kind, (code, text) in FAULTS.items():
        got, out, err = run("check", program, "-D", "KIND=%d" % kind, "--witness", witness)
        check(got == code and text in out + err, "fault %d: exit %d, %s%s" % (kind, got, out, err))
        if code == 1:
            got, again, err = run("replay", program, "-D", "KIND=%d" % kind, witness)
            check(got == 1 and text.replace("VIOLATED: ", "") in again,
                  "fault %d replayed: exit %d, %s%s" % (kind, got, again, err))
            steps = [line.split()[:2] for line in open(witness) if not line.startswith("#")]
            told = [line.split()[1:3] for line in again.splitlines()
                    if line[:5].strip().isdigit() and " create " not in line and not line.endswith(" end")]
            check(len(steps) == len(told) and all(a[0] == b[0] for a, b in zip(steps, told)),
                  "fault %d: other steps" % kind)


ODD = {
    1: (1, "at_end: assertion 'KIND != 1 || count == 1' fails"), 2: (0, "2 traces)\n"), 3: (0, "HOLDS: "),
    4: (0, "HOLDS: "), 5: (0, "note: the program ends while a lock is held"), 6: (0, "HOLDS: "), 7: (0, "HOLDS: "),
    8: (0, "20 traces)\n"), 9: (0, "2 traces)\n"), 10: (0, "HOLDS: "), 11: (0, "HOLDS: "),
    12: (1, "for a signal of c; its timeouts change nothing"), 13: (2, "longer than --depth"), 14: (0, "HOLDS: "),
    15: (1, "VIOLATED: signal 15 is raised"), 16: (0, "HOLDS: "),
    28: (3, "kill() is called: signals to other processes"), 29: (3, "execl() is called"),
    20: (3, "pthread_cancel() is called: cancellation"), 21: (3, "pthread_kill() is called: signals"),
    22: (3, "alarm() is called: signals"), 23: (3, "sem_open() is called: named semaphores"),
    24: (3, "pthread_tryjoin_np() is called: only pthread_join()"), 25: (3, "standard input is read"),
    26: (3, "pause() is called: waiting"), 27: (3, "more than 250 threads")}


def odd():
    for kind, (code, text) in ODD.items():
        got, out, err = run("check", os.path.join(SRC, "tests/c/odd.c"), "-D", "KIND=%d" % kind, "--time", "300",
                            *(["--depth", "40"] if kind == 13 else []))
        check(got == code and text in out + err, "odd %d: exit %d, %s%s" % (kind, got, out, err))


USERS = {
    1: (1, "take_in_time: assertion 'items == 0' fails"), 2: (0, "4 traces)\n"), 3: (0, "40 traces)\n"),
    4: (0, "HOLDS: "), 5: (0, "2 traces)\n"), 6: (1, "object:   data\n"), 7: (1, "object:   data\n"),
    8: (1, "object:   data\n"), 10: (1, "until flag changes"), **{kind: (0, "1 trace)\n") for kind in range(11, 18)},
    18: (1, "object:   shared\n"), 19: (1, "object:   state_of_strtok\n"), 20: (1, "object:   shared\n"),
    21: (0, "HOLDS: "), 22: (1, "object:   stop\n"), 23: (1, "object:   stop\n"), 24: (0, "1 trace)\n")}


def users():
    """Timeouts that meet a signal, stacks without locks, fences, loops that give up, strings: counted by hand."""
    for kind, (code, text) in USERS.items():
        got, out, err = run("check", os.path.join(SRC, "tests/c/users.c"), "-D", "KIND=%d" % kind, "--depth", "1000",
                            "--time", "300")
        check(got == code and text in out, "users %d: exit %d, %s%s" % (kind, got, out, err))


def wrapped():
    """What the runtime answers for is what programs are linked with."""
    ours = subprocess.run(["nm", "--defined-only", os.path.join(os.path.dirname(MAZURKA), "libmazurka-run.a")],
                          capture_output=True, text=True).stdout
    ours = {line.split("__wrap_")[1] for line in ours.splitlines() if " T __wrap_" in line}
    asked = subprocess.run([MAZURKA, "cc", "a.o"], capture_output=True, text=True,
                           env=dict(os.environ, MAZURKA_CC="echo")).stdout
    asked = {word.split("=")[1] for word in asked.split() if word.startswith("-Wl,--wrap=")}
    check(ours and ours == asked, "wrapped, or asked for: %s" % sorted(ours ^ asked))


def names():
    """Every function of the C library about threads is ours, refused, or about attributes alone."""
    here = os.path.dirname(MAZURKA)
    library = subprocess.run(["cc", "-print-file-name=libc.so.6"], capture_output=True, text=True).stdout.strip()
    theirs = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    ours = subprocess.run(["nm", "--defined-only", os.path.join(here, "libmazurka-run.a")], capture_output=True,
                          text=True).stdout
    ours = {line.split()[-1] for line in ours.splitlines() if len(line.split()) == 3}
    theirs = {line.split()[-1].split("@")[0] for line in theirs.splitlines()}
    harmless = re.compile(r"pthread_\w*attr_|sched_|pthread_getconcurrency|sem_close|sem_unlink|\w*_np$")
    left = [n for n in theirs
            if re.match(r"(pthread|sem|mtx|cnd|thrd|tss|sched|call)_", n) and n not in ours and not harmless.match(n)]
    check(theirs and not left, "functions that nobody answers for: " + " ".join(sorted(left)))


def restarts(scratch):
    """A process per execution: the same counts and findings; auto takes it for a program that opens files, and says
    so."""
    built = os.path.join(scratch, "program")
    subprocess.run([MAZURKA, "cc", "-DS=5", "-DR=2", os.path.join(SRC, "nets/c/disp.c"), "-o", built], check=True)
    for algorithm in ("odpor", "sdpor", "upor"):
        got, usual = (explore(built, "--algorithm", algorithm, "--restart", how) for how in ("fork", "snapshot"))
        check(got["maximal_configurations"] == 137 and got["complete"] and got["executions"] == usual["executions"] and
              got["events"] == usual["events"], "%s by fork: %s" % (algorithm, got))
    for name, defines, code, text in LARGE:
        if name in ("philosophers", "lostwakeup", "dekker") or "BUG=1" in defines:
            macros = [word for d in defines.split() for word in ("-D", d)]
            got, out, err = run("check", os.path.join(SRC, "nets/c", name + ".c"), "--restart", "fork", *macros)
            check(got == code and text in out, "%s %s by fork: exit %d, %s%s" % (name, defines, got, out, err))
    subprocess.run([MAZURKA, "cc", "-DKIND=9", os.path.join(SRC, "tests/c/odd.c"), "-o", built], check=True)
    for how, text in (("auto", "restart: each execution was a process, as mmap() is called"), ("fork", "2 traces)\n"),
                      ("snapshot", "2 traces)\n")):
        got, out, err = run("check", built, "--restart", how)
        check(got == 0 and text in out, "--restart %s: %d %s%s" % (how, got, out, err))


def debugger(scratch):
    if not shutil.which("gdb"):
        print("gdb is not installed: --gdb was not tried")
        return
    program, witness = os.path.join(SRC, "nets/c/philosophers.c"), os.path.join(scratch, "witness")
    run("check", program, "--witness", witness)
    got, out, err = run("replay", program, witness, "--gdb")
    check(got == 0 and "philosophers.c:22" in out, "--gdb: %d %s%s" % (got, out, err))


# Programs as users write them: complete without the bug, which is found when it is there.
LARGE = [
    ("queue", "BUG=0", 0, "HOLDS: "), ("queue", "BUG=1", 1, "a deadlock is reachable"),
    ("queue", "BUG=2", 1, "a data race is reachable"),
    ("queue", "BUG=3 PRODUCERS=2 CAPACITY=1", 1, "assertion '!ring_full(ring)' fails"),
    ("queue", "PRODUCERS=2 CAPACITY=1", 0, "HOLDS: "),
    ("stealing", "BUG=0", 0, "HOLDS: "), ("stealing", "BUG=1", 1, "use after free"),
    ("stealing", "BUG=2", 1, "a deadlock is reachable"),
    ("stealing", "BUG=3", 1, "a data race is reachable"),
    ("store", "BUG=0", 0, "HOLDS: "), ("store", "BUG=1", 1, "a deadlock is reachable"),
    ("store", "BUG=2", 1, "a data race is reachable"),
    ("store", "BUG=3", 1, "a data race is reachable"), ("store", "CLIENTS=3", 0, "HOLDS: "),
    ("philosophers", "N=3", 1, "a deadlock is reachable"), ("philosophers", "N=4 FREE=1", 0, "HOLDS: "),
    ("lostwakeup", "FIXED=0", 1, "a deadlock is reachable"), ("lostwakeup", "FIXED=1", 0, "HOLDS: "),
    ("dekker", "BUG=0", 0, "HOLDS: "), ("dekker", "BUG=1", 1, "a data race is reachable"),
    ("peterson", "BUG=0", 0, "HOLDS: "),
    ("peterson", "BUG=1", 1, "a data race is reachable"), ("szymanski", "", 0, "HOLDS: "),
    ("lamport", "", 0, "HOLDS: ")]


def programs():
    for name, defines, code, text in LARGE:
        macros = [word for d in defines.split() for word in ("-D", d)]
        got, out, err = run("check", os.path.join(SRC, "nets/c", name + ".c"), *macros)
        check(got == code and text in out, "%s %s: exit %d, %s%s" % (name, defines, got, out, err))


def features():
    got, out, err = run("check", os.path.join(SRC, "tests/c/features.c"))
    check(got == 0 and out.startswith("HOLDS: "), "features: exit %d, %s%s" % (got, out, err))
    check(err == "worker 1 of 1\nworker 2 of 2\n", "features: output of the first execution: " + err)


def make(scratch):
    """CC="mazurka cc" in a Makefile, arguments of the program, and mazurka cc asked to run itself."""
    open(os.path.join(scratch, "Makefile"), "w").write(
        "pi: pi.o\n\t$(CC) -o $@ $^ -lpthread\npi.o: %s\n\t$(CC) -DN=4 -c $< -o $@\n" %
        os.path.abspath(os.path.join(SRC, "nets/c/pi.c")))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    done = subprocess.run(["make", "-s", "CC=%s cc" % MAZURKA, "-C", scratch, "pi"], timeout=120, capture_output=True,
                          text=True, env=environment)
    check(done.returncode == 0, "make: " + done.stderr)
    got, out, err = run("check", os.path.join(scratch, "pi"), "--", "an", "argument")
    check(got == 0 and "24 traces" in out, "built by make: %d %s%s" % (got, out, err))
    check(subprocess.run([os.path.join(scratch, "pi")], timeout=60).returncode == 0, "run by hand")
    program = os.path.join(scratch, "words.c")
    open(program, "w", encoding="utf-8").write(
        "#include <assert.h>\n#include <string.h>\nint main(int n, char **word)\n{\n"
        '    assert(n == 3 && !strcmp(word[1], "-n") && !strcmp(word[2], "--time"));\n    return 0;\n}\n')
    subprocess.run([MAZURKA, "cc", program, "-o", os.path.join(scratch, "words")], check=True)
    for file in (program, os.path.join(scratch, "words")):
        got, out, err = run("check", file, "--", "-n", "--time")
        check(got == 0 and "1 trace)" in out, "arguments of %s: %d %s%s" % (file, got, out, err))
        witness = os.path.join(scratch, "witness")
        got, out, err = run("check", file, "--witness", witness, "--", "-n")
        check(got == 1, "other arguments of %s: %d %s%s" % (file, got, out, err))
        for words in (("--", "-n", witness), (witness, "--", "-n")):
            got, out, err = run("replay", file, *words)
            check(got == 1 and "assertion 'n == 3" in out, "replay %s %s: %d %s%s" % (file, words, got, out, err))
    for words, text in ((("-shared", program), "shared libraries are not supported"),
                        (("-static", program), "leave this option out"), (("a.cpp",), "C++ is not")):
        got, out, err = run("cc", *words)
        check(got == 3 and text in err, "cc %s: %d %s" % (words, got, err))
    done = subprocess.run([MAZURKA, "cc", "-c", "nothing.c"], timeout=60, capture_output=True, text=True,
                          env=dict(os.environ, MAZURKA_CC=MAZURKA + " cc"))
    check(done.returncode == 3 and "asked to run itself" in done.stderr,
          "itself: %d %s" % (done.returncode, done.stderr))


def bad_input(scratch):
    def written(name, text):
        path = os.path.join(scratch, name)
        open(path, "w", encoding="utf-8").write(text)
        return path
    broken = written("broken.c", "int main(void) { return x; }\n")
    got, _, err = run("check", broken)
    check(got == 3 and "undeclared" in err and "it does not compile" in err, "broken.c: %d %s" % (got, err))
    unlinked = written("unlinked.c", "int nowhere(void);\nint main(void) { return nowhere(); }\n")
    got, _, err = run("explore", unlinked)
    check(got == 3 and "nowhere" in err and "it does not link" in err, "unlinked.c: %d %s" % (got, err))
    got, _, err = run("explore", os.path.join(scratch, "absent.c"))
    check(got == 3 and "there is no such file" in err, "absent.c: %d %s" % (got, err))
    different = written(
        "different.c", "#include <pthread.h>\n#include <stdatomic.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
        "#include <time.h>\nstatic atomic_int a[64];\nstatic void *f(void *p)\n{\n    struct timespec t;\n"
        "    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);\n    atomic_fetch_add(&a[t.tv_nsec / 7 % 64], 1);\n"
        "    atomic_fetch_add(&a[0], 1);\n    return p;\n}\nint main(void)\n{\n    pthread_t t;\n"
        "    for (int i = 0; i < 4; i++) pthread_create(&t, 0, f, 0);\n    pthread_exit(0);\n}\n")
    got, _, err = run("explore", different)
    check(got == 3 and "does not repeat itself" in err and "different.c:11" in err, "different.c: %d %s" % (got, err))
    value = written("value.c",
                    "#include <pthread.h>\n#include <stdatomic.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
                    "#include <time.h>\n"
                    "static atomic_long a, b;\nstatic void *f(void *p)\n{\n    struct timespec t;\n"
                    "    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);\n"
                    "    atomic_store(&a, t.tv_nsec);\n    atomic_load(&a);\n"
                    "    for (int i = 0; i < 3; i++) atomic_fetch_add(&b, 1);\n    return p;\n}\nint main(void)\n{\n"
                    "    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    atomic_fetch_add(&b, 1);\n"
                    "    pthread_join(t, 0);\n    return 0;\n}\n")
    got, _, err = run("explore", value)
    check(got == 3 and "atomic load a at value.c:12, the value was" in err, "value.c: %d %s" % (got, err))
    plus = written("plus.cpp", "int main() {}\n")
    got, _, err = run("check", plus)
    check(got == 3 and "C++ is not" in err, "plus.cpp: %d %s" % (got, err))
    other = written("other", "main.5 -\n")
    got, _, err = run("replay", os.path.join(SRC, "nets/c/pi.c"), other)
    check(got == 3 and "step 1 of the witness" in err, "other witness: %d %s" % (got, err))
    got, out, err = run("check", os.path.join(SRC, "nets/c/pi.c"), "-D", "N=6", "--max-executions", "10")
    check(got == 2 and "limit of executions" in out, "limit: %d %s" % (got, out))
    got, out, err = run("check", os.path.join(SRC, "nets/c/pi.c"), "-D", "N=3", "--depth", "4")
    check(got == 2 and "longer than --depth" in out, "depth: %d %s" % (got, out))
    got, out, err = run("explore", os.path.join(SRC, "nets/c/pi.c"), "-D", "N=12", "--time", "2")
    check(got == 2 and "time limit" in out, "time: %d %s %s" % (got, out, err))


THREADS = ("#include <assert.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <stdio.h>\n"
           "#include <sys/syscall.h>\n#include <unistd.h>\n"
           "void __assert_fail(const char *, const char *, unsigned, const char *);\n"
           "static int x;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
           "static void *f(void *p)\n{\n    pthread_mutex_lock(&m);\n    x++;\n    pthread_mutex_unlock(&m);\n"
           "    return p;\n}\n"
           "int main(void)\n{\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n    f(0);\n    pthread_join(t, 0);\n"
           "    %s\n    return 0;\n}\n")
FORGED = '"counts\\t9\\t9\\t0\\t0\\t0\\t0\\t0\\t9\\t1\\t1\\t3\\t1\\t1\\t-\\n"'
FORGED_EVERYWHERE = 'for (int i = 3; i < 999; i++) dprintf(i, "%%s", ' + FORGED + ");"
HOSTILE = {  # what main does in the end, exit, what is said
    "forges an answer": (FORGED_EVERYWHERE + " syscall(SYS_exit_group, 0);", 3, "nothing it says can be believed"),
    "forges an answer beside the true one": (FORGED_EVERYWHERE + " assert(x == 3);", 3,
                                             "nothing it says can be believed"),
    "writes a line without end": ("static char a[1 << 18]; for (int i = 3; i < 999; i++) write(i, a, sizeof a);", 3,
                                  "nothing it says can be believed"),
    "uses the first descriptor": ('dprintf(3, "%%s", ' + FORGED + ");", 0, "2 traces"),
    "forges it by the text of an assertion": ('__assert_fail("a\\nend\\n" ' + FORGED + ', "b\\tc", 1, "d"); _exit(0);',
                                              1, "assertion 'a end counts 9 9"),
    "leaves": ("syscall(SYS_exit_group, 0);", 2, "ended before everything was explored"),
    "closes all": ("for (int i = 3; i < 999; i++) close(i);", 0, "2 traces"),
    "closes all and fails": ("for (int i = 3; i < 999; i++) close(i); assert(x == 3);", 1, "assertion 'x == 3' fails"),
    "replaces all": ('for (int i = 3; i < 999; i++) dup2(2, i); assert(x == 3);', 3,
                     "dup2() takes the descriptor on which"),
    "takes the pipe": ('dup2(open("/dev/null", O_WRONLY), 3); assert(x == 3);', 1, "assertion 'x == 3' fails"),
}


def hostile(scratch):
    """Nothing that a program prints or does to descriptors is taken for an answer; names are names; compiling obeys the
    limits."""
    source = os.path.join(scratch, "hostile.c")
    for what, (code, expected, text) in HOSTILE.items():
        open(source, "w", encoding="utf-8").write(THREADS % code.replace("%%", "%"))
        got, out, err = run("check", source, "--time", "60")
        check(got == expected and text in out + err, "a program that %s: exit %d, %s%s" % (what, got, out, err))
    for name in ("-dash.c", "@at.c", "two words.c", "$(touch pwned).c", 'quo"te.c', "-o.c"):
        open(os.path.join(scratch, name), "w", encoding="utf-8").write(THREADS % "assert(x == 3);")
        done = subprocess.run([MAZURKA, "check", "--time", "60", "--", name], capture_output=True, text=True,
                              cwd=scratch, env=dict(os.environ, TMPDIR="."))
        check(done.returncode == 1 and "  main                 at " + name + ":23 in main\n" in done.stdout,
              "%s: %s%s" % (name, done.stdout, done.stderr))
    check(not os.path.exists(os.path.join(scratch, "pwned")), "a shell read a file's name")
    os.mkfifo(os.path.join(scratch, "fifo.c"))
    open(os.path.join(scratch, "line\nfeed.c"), "w").close()
    for name, text in (("fifo.c", "an ordinary file"), ("line\nfeed.c", "control characters in its name")):
        got, out, err = run("explore", os.path.join(scratch, name))
        check(got == 3 and text in err, "%r: %d %s" % (name, got, err))
    slow = os.path.join(scratch, "slow")
    open(slow, "w", encoding="utf-8").write("#!/bin/sh\nsleep 1000 &\nwait\n")
    os.chmod(slow, 0o700)
    done = subprocess.run([MAZURKA, "check", source, "--time", "1"], capture_output=True, text=True,
                          env=dict(os.environ, MAZURKA_CC=slow))
    check(done.returncode == 2 and done.stdout == "UNKNOWN: the compiler did not end: time limit\n",
          "a slow compiler: " + done.stdout + done.stderr)


def main():
    import tempfile
    with tempfile.TemporaryDirectory() as scratch:
        faults(scratch)
        bad_input(scratch)
        hostile(scratch)
        programs()
        features()
        odd()
        users()
        wrapped()
        names()
        restarts(scratch)
        debugger(scratch)
        make(scratch)
        expected_counts(scratch)
        as_other_language()
        partial_alternatives(scratch)
    finish()


main()
