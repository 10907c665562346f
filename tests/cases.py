#!/usr/bin/env python3
"""Runs command / expected-output blocks and says how many passed.

    cases.py FILE...     FILE: *.case, README (indented blocks) or a man page (.EX ... .EE blocks)

A block is a command line after "$ ", then the expected standard output, then "[N]" when the exit code is
not 0. "..." inside a line matches any text; a line that is only "..." matches any number of lines. Lines
after "! " are expected on standard error (not looked at when there are none). In .case files "#" starts
a comment line. A "skip unless PATH" line skips the blocks after it, up to the next such line, when the
path is absent.

Commands run by sh in the source folder. `mazurka` is the built program ($MAZURKA), $TMP an empty folder
of the file's own, $MAZURKA_CORPUS the optional corpus. In README `./bootstrap run` means `mazurka` and
build/mazurka-verify its neighbour.

In a build with sanitizers ($SANITIZE) limits of memory mean nothing: of blocks that set one only what the sanitizers
say counts.
"""
import os
import re
import subprocess
import sys
import tempfile

from heard import SLOW

# Commands of the manual that are run; others are for the reader.
OURS = re.compile(r"(\w+=\S+ )*(mazurka|\$\{MAZURKA\}|mkdir|cat|echo|printf|sed|head|grep|cp|seq|for|test|sh|cd|ls|wc|"
                  r"sort|tail|\()")


def blocks_of(path):
    text = open(path, encoding="utf-8").read()
    name = os.path.basename(path)
    if name.endswith(".case"):
        lines = [(n, l) for n, l in enumerate(text.split("\n"), 1) if not l.startswith("#")]
        return parse(lines)
    lines, out, inside = list(enumerate(text.split("\n"), 1)), [], False
    for n, l in lines:
        if name == "README":
            if l.startswith("    "):
                command = l[4:].replace("./bootstrap run", "mazurka")
                out.append((n, command.replace("build/mazurka-verify", "${MAZURKA}-verify")))
            elif l.strip():
                out.append((n, None))
            else:
                out.append((n, ""))
        elif l.strip() in (".EX", ".EE"):
            inside = l.strip() == ".EX"
            out.append((n, None))
        elif inside:
            out.append((n, l.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'")))
    return parse(out)


def parse(lines):
    blocks, block, skip = [], None, None
    for n, l in lines:
        if l is None:
            block = None
        elif l.startswith("skip unless "):
            skip = l[len("skip unless "):].strip()
            block = None
        elif l.startswith("$ "):
            block = {"line": n, "command": l[2:], "out": [], "err": [], "exit": 0, "skip": skip}
            blocks.append(block)
        elif block is None:
            continue
        elif block["command"].endswith("\\") and not block["out"]:
            block["command"] = block["command"][:-1] + l.strip()
        elif re.fullmatch(r"\[\d+\]", l):
            block["exit"] = int(l[1:-1])
            block = None
        elif l.startswith("! "):
            block["err"].append(l[2:])
        else:
            block["out"].append(l)
    for b in blocks:
        while b["out"] and not b["out"][-1].strip():
            b["out"].pop()
    return blocks


def pattern(lines):
    parts = []
    for l in lines:
        if l.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(r"[^\n]*?".join(re.escape(x) for x in l.rstrip().split("...")) + r"[ \t]*\n")
    return re.compile("".join(parts) + r"\Z")


def run(block, env, cwd):
    done = subprocess.run(["sh", "-c", "mazurka() { \"$MAZURKA\" \"$@\"; }\n" + block["command"]],
                          stdin=subprocess.DEVNULL, capture_output=True, env=env, cwd=cwd, timeout=600 * SLOW)
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    ends = lambda s: s if not s or s.endswith("\n") else s + "\n"
    problems = []
    if done.returncode != block["exit"]:
        problems.append("exit %d, expected %d" % (done.returncode, block["exit"]))
    if not pattern(block["out"]).match(ends(out)):
        problems.append("standard output differs")
    if block["err"] and not pattern(block["err"]).match(ends(err)):
        problems.append("standard error differs")
    return problems, out, err


def limits_memory(block):
    return re.search(r"ulimit -v|--memory", block["command"]) is not None


def main():
    passed = failed = skipped = 0
    src = os.environ.get("SRCDIR", ".")
    for path in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as tmp:
            env = dict(os.environ, TMP=tmp, LC_ALL="C.UTF-8")
            for b in blocks_of(path):
                if b["skip"] and not os.path.exists(os.path.expandvars(b["skip"])):
                    print("%s:%d: skipped, %s is absent" % (path, b["line"], b["skip"]))
                    skipped += 1
                    continue
                if not path.endswith(".case") and not OURS.match(b["command"]):
                    continue        # a shell command for the reader (git clone, apt, make)
                problems, out, err = run(b, env, src)
                if not problems:
                    passed += 1
                    continue
                if os.environ.get("SANITIZE") and limits_memory(b) and not re.search("Sanitizer: |runtime error: ",
                                                                                     err):
                    print("%s:%d: skipped, memory is the sanitizers'" % (path, b["line"]))
                    skipped += 1
                    continue
                failed += 1
                print("%s:%d: %s\n  $ %s" % (path, b["line"], "; ".join(problems), b["command"]))
                print("--- expected\n%s\n--- standard output\n%s--- standard error\n%s" %
                      ("\n".join(b["out"]), out, err))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    sys.exit(1 if failed or not passed + skipped else 0)


if __name__ == "__main__":
    main()
