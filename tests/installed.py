#!/usr/bin/env python3
"""What `make install` installs, used as a stranger would: the examples are built by pkg-config against a staging folder
and run; the library shows mazurka.h and nothing else, its interface is the recorded one, and `make uninstall` leaves no
file."""
import fnmatch
import os
import re
import shlex
import shutil
import subprocess
import tempfile

import checks
import readme
from checks import check, finish

SRC, BUILD = os.environ["SRCDIR"], os.path.dirname(os.environ["MAZURKA"])
RECORD = os.path.join(SRC, "tests", "abi", "libmazurka.so.0")


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", **more)


def make(*words):
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "DESTDIR")}
    done = run(["make", "-s", "-C", BUILD, *words], env=environment)
    check(done.returncode == 0, "make %s:\n%s" % (" ".join(words), done.stderr[-2000:]))
    return done.stdout


# ---- the interface ----

def declarations(text):
    """One line each, without comments and line breaks."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    defined = re.findall(r"^#define (\w+ \d\w*)", text, re.M)
    text = re.sub(r"^#.*$|extern \"C\" \{", "", text, flags=re.M)
    found, depth, one = [], 0, ""
    for c in text:
        depth += {"{": 1, "}": -1}.get(c, 0)
        if c == ";" and depth == 0:
            found.append(" ".join(one.split()))
            one = ""
        elif depth >= 0:
            one += c
        depth = max(depth, 0)
    return sorted("define " + d for d in defined) + sorted(found)


def interface(header, library):
    now = declarations(open(header).read())
    functions = {m.group(1) for d in now if not d.startswith("typedef") for m in [re.search(r"\b(mz_\w+)\(", d)] if m}
    done = run(["nm", "-D", "--defined-only", library])
    shown = {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
    check(shown == functions, "the library shows %s beyond mazurka.h and lacks %s" %
          (sorted(shown - functions), sorted(functions - shown)))
    done = run(["readelf", "-d", library])
    check("[libmazurka.so.0]" in done.stdout, "the name that programs look for is not libmazurka.so.0")
    if os.environ.get("MAZURKA_RECORD"):
        open(RECORD, "w").write("\n".join(now) + "\n")
    recorded = open(RECORD).read().splitlines()
    for line in recorded:
        check(line in now,
              "gone or changed, so that old programs break: %s (src/api/sources.am says what to do then)" % line)
    for line in now:
        check(line in recorded,
              "not recorded: %s (MAZURKA_RECORD=1 tests/run-installed; -version-info in src/api/sources.am)" % line)
    print("%d functions, %d declarations" % (len(functions), len(now)))
    check(len(open(header).read().splitlines()) < 600, "mazurka.h has 600 lines and more")


# ---- the examples ----

EXAMPLES = (  # program, arguments, exit status, what its output has
    ("deadlock", ["nets/philosophers-3.pnml"], 1, ["philosophers-3: violated", "   3  "]),
    ("deadlock", ["nets/philosophers-free-4.pnml"], 0, ["philosophers-free-4: holds"]),
    ("deadlock", ["nets/programs/lostwakeup.mzk"], 1, ["lostwakeup: violated"]),
    ("deadlock", ["nets/EXPECT.tsv"], 3, []),
    ("build", [], 0, ["7 places, 4 transitions, 12 arcs", "invariant busy0 + busy1 <= 1: holds",
                      "  proved: no reachable marking", "deadlock: holds", "lock + busy0 + busy1 = 1",
                      "  enter0 leave0 enter1 leave1", "  enter1 leave1 enter0 leave0"]),
    ("unfold", ["nets/readers-2.pnml"], 0, ["e0 ", "complete", "classic ", "read "]),
    ("README", ["nets/philosophers-3.pnml"], 1, ["first0\n", "first1\n", "first2\n"]),
    ("README", ["nets/philosophers-free-4.pnml"], 0, [""]),
    ("README", ["nets/EXPECT.tsv"], 3, [""]),
)


def source(name):
    return readme.program("#include <mazurka.h>") if name == "README" else open(
        os.path.join(SRC, "examples", name + ".c")).read()


def compile_example(name, flags, folder):
    program = os.path.join(folder, name)
    for compiler, more, text in (("cc", ["-xc", "-std=c11", "-pedantic", "-o", program], source(name)),
                                 ("c++", ["-xc++", "-fsyntax-only"], "#include <mazurka.h>\n")):
        command = [compiler, *more, "-Wall", "-Wextra", "-Werror", "-", *flags]
        done = run(command, input=text)
        check(done.returncode == 0, "%s: %s" % (shlex.join(command), done.stderr[:1000]))
    return program


def examples(stage, libdir):
    environment = dict(os.environ, PKG_CONFIG_PATH=stage + libdir + "/pkgconfig", PKG_CONFIG_SYSROOT_DIR=stage,
                       PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1", PKG_CONFIG_ALLOW_SYSTEM_LIBS="1")
    done = run(["pkg-config", "--cflags", "--libs", "mazurka"], env=environment)
    check(done.returncode == 0, "pkg-config: " + done.stderr)
    flags = done.stdout.split() + shlex.split(os.environ.get("SANITIZE", ""))
    programs = {name: compile_example(name, flags, stage) for name in sorted({e[0] for e in EXAMPLES})}
    environment = dict(os.environ, LD_LIBRARY_PATH=stage + libdir)
    for name, arguments, status, parts in EXAMPLES:
        done = run([programs[name], *arguments], cwd=SRC, env=environment)
        check(done.returncode == status,
              "%s %s: exit %d\n%s%s" % (name, arguments, done.returncode, done.stdout, done.stderr))
        for part in parts:
            check(part in done.stdout, "%s %s does not say '%s':\n%s" % (name, arguments, part, done.stdout))
    check(shutil.which("valgrind") or print("skipped: valgrind is not installed") is None, "")
    if not shutil.which("valgrind") or os.environ.get("SANITIZE"):
        return
    for name, arguments, status, _ in EXAMPLES[:1] + EXAMPLES[3:6]:  # README frees nothing
        done = run(["valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=99",
                    programs[name], *arguments], cwd=SRC, env=environment)
        check(done.returncode == status,
              "valgrind %s %s: exit %d\n%s" % (name, arguments, done.returncode, done.stderr[-2000:]))


def installed_files(stage):
    return sorted(os.path.relpath(os.path.join(base, f), stage) for base, _, files in os.walk(stage) for f in files)


def packaged(files, prefix):
    """Each file that is installed goes into a package of debian/, or is named as one that does not."""
    folder, patterns = os.path.join(SRC, "debian"), []
    for name in os.listdir(folder):
        if name.endswith(".install") or name == "not-installed":
            patterns += [p.replace("usr/lib/*/", "usr/lib/") for p in open(os.path.join(folder, name)).read().split()]
    for file in files:
        there = re.sub(r"^usr/lib/python[\d.]+/", "usr/lib/python3/",
                       "usr/" + os.path.relpath(file, prefix.lstrip("/")))
        there = re.sub(r"^usr/lib/[^/]*-linux-gnu[^/]*/", "usr/lib/", there)
        check(any(fnmatch.fnmatch(there, p) or there.startswith(p + "/") for p in patterns),
              "%s is in no package: debian/*.install or debian/not-installed names it" % there)


def main():
    stage = tempfile.mkdtemp()
    try:
        make("install", "DESTDIR=" + stage)
        files = installed_files(stage)
        library = [f for f in files if f.endswith("/libmazurka.so.0")]
        header = [f for f in files if f.endswith("include/mazurka.h")]
        solver = [f for f in files if f.endswith("/mazurka-0/mazurka-solver")]
        check(len(library) == len(header) == len(solver) == 1, "not installed: %s %s %s" % (library, header, solver))
        if not checks.failed:
            packaged(files, os.path.dirname(os.path.dirname(header[0])))
            interface(os.path.join(stage, header[0]), os.path.join(stage, library[0]))
            examples(stage, "/" + os.path.dirname(library[0]))
            for name in {e[0] for e in EXAMPLES}:
                os.remove(os.path.join(stage, name))
        make("uninstall", "DESTDIR=" + stage)
        check(not installed_files(stage), "make uninstall leaves %s" % installed_files(stage)[:5])
    finally:
        shutil.rmtree(stage)
    finish()


main()
