#!/usr/bin/env python3
"""Tests of the code base itself: layers, headers, the build's file lists, documented options."""
import os
import re
import shutil
import subprocess

from checks import check, finish
import code_names
import code_packages

SRC = os.environ.get("SRCDIR", ".")
LAYERS = sorted(os.listdir(os.path.join(SRC, "src")))


def read(path):
    return open(os.path.join(SRC, path), encoding="utf-8").read()


def sources(folder, endings):
    for base, _, files in os.walk(os.path.join(SRC, folder)):
        for f in sorted(files):
            if f.endswith(endings):
                yield os.path.relpath(os.path.join(base, f), SRC)


def no_line(path, is_bad, message):
    bad = ["%s:%d: %s: %s" % (path, number, message, line.strip())
           for number, line in enumerate(read(path).splitlines(), 1) if is_bad(line)]
    check(not bad, "\n".join(bad))


def layers():
    allowed = {}
    for line in re.sub(r"\n +", " ", read("tests/layers")).splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, below = line.partition(":")
            allowed[name.strip()] = set(below.split()) | {name.strip()}
    for path in sources("src", (".c", ".h", ".cc", ".def")):
        layer = path.split("/")[1]
        check(layer in allowed, "%s: the layer %s is not in tests/layers" % (path, layer))
        for other in re.findall(r'^#include "(\w+)/[^"]+"', read(path), re.M):
            check(other in allowed.get(layer, ()), "%s includes %s/, which is not below %s" % (path, other, layer))


def build_lists():
    listed = read("Makefile.am")
    for path in list(sources("src", ".am")) + list(sources("tests", ".am")) + list(sources("man", ".am")):
        listed += read(path)
    words = set(listed.split())
    for path in list(sources("src", (".c", ".h", ".def", ".cc"))) + list(sources("tests", (".c", ".h"))) + \
            list(sources("man", (".1", ".5", ".7"))):
        check(path in words, "%s is in no list of the build" % path)


def is_verbatim(path, line):
    """Examples of manual pages, and tables and commands in what benches say, cannot be broken anywhere."""
    return line.startswith("$ ") if path.startswith("man/") else path.startswith("bench/") and line.startswith("  ")


def width():
    """One line width for code and texts; tests/cli/*.case are commands and what they print."""
    texts = ["README", "HACKING", "NEWS", "configure.ac", "Makefile.am", "bootstrap", "python/README", "bench/README"]
    texts += [path for path in sources("bench", ("README", ".py", ".sh")) if path != "bench/README"]
    texts += sources("man", (".1", ".3", ".5", ".7"))
    texts += sources("src", (".c", ".h", ".cc", ".def", ".am", ".js", ".css"))
    texts += [*sources("tests", (".c", ".h", ".py", ".am")), *sources("python", (".py",))]
    for path in texts:
        no_line(path, lambda line: len(line) > 120 and not is_verbatim(path, line), "longer than 120 columns")


def formatting():
    """`make format` changes nothing."""
    if not shutil.which("clang-format"):
        print("skipped: formatting (clang-format is not installed)")
        return
    files = [os.path.join(SRC, f) for f in sources("src", (".c", ".h", ".cc"))]
    files += [os.path.join(SRC, f) for f in sources("tests", (".c", ".h"))]
    done = subprocess.run(["clang-format", "--dry-run"] + files, capture_output=True, text=True)
    for path in files:
        relative = os.path.relpath(path, SRC)
        check(path + ":" not in done.stderr, "%s is not formatted: run make format" % relative)


def references():
    """The project stands alone: papers, traps, manual pages and files that are cited are there."""
    theory = read("man/mazurka-theory.7")
    papers = set(re.findall(r"^(\[[A-Z]+\d\d\])$", theory.partition(".SH REFERENCES")[2], re.M))
    traps = set(re.findall(r"^(\d+)\.$", theory.partition(".SH TRAPS")[2], re.M))
    texts = [p for p in ("README", "NEWS", "HACKING", "Makefile.am", "configure.ac", "bootstrap")
             if os.path.exists(os.path.join(SRC, p))]
    for folder in ("src", "tests", "bench", "man", "nets/programs"):
        texts += [p for p in sources(folder, "") if "fuzz/" not in p and not p.endswith((".svg", ".pyc", ".tsv"))]
    for path in texts:
        try:
            text = read(path)
        except UnicodeDecodeError:
            continue
        for cited in set(re.findall(r"\[[A-Z]{3,}\d\d\]", text)):
            check(cited in papers, "%s cites %s, which mazurka-theory(7) does not list" % (path, cited))
        for number in set(re.findall(r"\btraps? (\d+)\b", text)):
            check(number in traps, "%s names trap %s, which mazurka-theory(7) does not have" % (path, number))
        for page, section in set(re.findall(r"\b((?:lib)?mazurka[a-z-]*)(?:\\fR)? ?\((\d)\)",
                                            text.replace("\\-", "-"))):
            check(os.path.exists(os.path.join(SRC, "man", "%s.%s" % (page, section))),
                  "%s refers to %s(%s), which is not in man/" % (path, page, section))
        if path.startswith("src/"):
            for named in set(re.findall(r"\b((?:%s)/\w+\.(?:c|h|def))\b" % "|".join(LAYERS), text)):
                check(os.path.exists(os.path.join(SRC, "src", named)),
                      "%s names %s, which is not there" % (path, named))
        outside = re.findall(r"\b(?:DESIGN|STYLE|FORMATS|PROGRAMS|PEERS-C|MCC-PROTOCOL|CLI)(?:\.md\b| section| trap)"
                             r"|\b00[0-4] (?:Def|Thm|Fig|Alg|App|Ex|sec|Table)\b", text)
        check(path == "tests/code.py" or not outside, "%s cites %s, which is not in the project" % (path, outside[:1]))


def walks():
    """What HACKING names is there: files, and functions as file:function where they are defined. "toy" is the reader's
    own."""
    text = read("HACKING")
    for path, function in sorted(set(re.findall(r"\b((?:src|tests)/[\w/]+\.c):(\w+)", text))):
        there = os.path.exists(os.path.join(SRC, path))
        check(there and re.search(r"^\w[^;]*\b%s\([^;]*$" % function, read(path), re.M),
              "HACKING names %s:%s, which is not there" % (path, function))
    for path in sorted(set(re.findall(r"\b(?:src|tests|nets|man|bench)/[\w/.-]*\w\b(?!\*)", text))):
        check("toy" in path or "TOPIC" in path or os.path.exists(os.path.join(SRC, path)) or path + "*" in text,
              "HACKING names %s, which is not there" % path)
    for layer in LAYERS:
        check(re.search(r"^    %s  " % layer, text, re.M), "HACKING does not say what src/%s is" % layer)


def headers():
    """Each opens with its manual and can be included alone: the file beside it includes it first, or it is compiled
    here."""
    flags = subprocess.run(["pkg-config", "--cflags", "glib-2.0", "libxml-2.0"], capture_output=True,
                           text=True).stdout.split()
    for path in sources("src", ".h"):
        check(read(path).lstrip().startswith("/*"), "%s does not open with a paragraph on what it is" % path)
        named, beside = '"%s"' % path[len("src/"):], path[:-2] + ".c"
        if os.path.exists(os.path.join(SRC, beside)):
            first = re.search(r"^#include (.*)$", read(beside), re.M)
            if first and first.group(1) == named:
                continue
        done = subprocess.run(["cc", "-std=gnu11", "-fsyntax-only", "-x", "c", "-I", os.path.join(SRC, "src"), "-",
                               *flags], input="#include %s\n" % named, text=True, capture_output=True)
        check(done.returncode == 0, "%s is not self-contained:\n%s" % (path, done.stderr[:500]))


def printing():
    """What people read passes through base/visible: no name goes raw to a terminal."""
    raw = re.compile(r"\b(v?f?printf|v?dprintf|g_print|g_printerr|perror|psignal) ?\(|"
                     r"\b(?:puts|fputs) ?\((?!\"|[^\"();]*\? *\")")
    plain = {  # what is a file's text or this program's own
        "src/base/visible.c": "prints shown text",
        "src/report/comparison.c": "/proc/self/clear_refs",
    }
    for name in re.findall(r"^FORMAT\((\w+)", read("src/net/formats.def"), re.M):
        plain["src/net/%s.c" % name] = plain["src/net/%s_writer.c" % name] = "a file format"
    own = re.compile(r"fputs\(help, stdout\)|puts\(json->str\);|fputs\(text->str, stdout\)")  # help; JSON
    for path in sources("src", (".c", ".cc", ".h")):
        if path in plain:
            continue
        no_line(path, lambda line: raw.search(line) and not own.search(line), "printed raw, use visible_print()")


def writing():
    """Files are written by base/output: whole, beside what they replace, never over an input."""
    raw = re.compile(r'\bfopen ?\([^;]*"[wa]|g_file_set_contents|\bO_CREAT\b|\b(?:g_)?rename ?\(|\bmkstemp|'
                     r"g_file_open_tmp|(?<![>.])\b(?:g_)?(?:remove|unlink) ?\(")
    others = {
        "src/base/output.c": "this is it",
        "src/batch/ledger.c": "results are added to what is there",
        "src/batch/claims.c": "files that appear by link() and are never replaced",
        "src/batch/runner.c": "the standard error of jobs, for tests",
        "src/sat/proof.cc": "a temporary file of its own",
        "src/report/comparison.c": "/proc/self/clear_refs",
        "src/certify/certificate_write.c": "takes a certificate of an earlier run away",
        "src/native/build.c": "a temporary folder of its own",
    }
    for path in sources("src", (".c", ".cc", ".h")):
        if path not in others:
            no_line(path, raw.search, "files are written by base/output.h")


def budgets():
    """What is inside a Budget is its own; flags that threads share are atomic."""
    for path in [*sources("src", (".c", ".cc", ".h")), *sources("tests", (".c", ".h"))]:
        if path not in ("src/base/budget.c", "src/base/budget.h"):
            no_line(path, re.compile(r"(?:->|\.)hidden\.").search, "a Budget is used through base/budget.h")
        no_line(path, re.compile(r"\bsig_atomic_t\b").search, "a flag is a StopFlag (base/budget.h)")


def reading():
    """XML is read by base/xml alone, what users bring by base/input: within limits, and never to the end of memory."""
    raw = re.compile(r"g_file_get_contents|g_mapped_file_new")
    others = {
        "src/base/budget.c": "/proc", "src/batch/cgroup.c": "/sys",
        "src/batch/ledger.c": "a result file of ours, which it has looked at",
        "src/native/build.c": "looks for a mark in a program of ours",
        "src/certify/certificate_write.c": "for tests", "src/sat/proof.cc": "a temporary file of its own",
    }
    for path in sources("src", (".c", ".cc", ".h")):
        if path not in ("src/base/xml.c", "src/base/libxml.c", "src/base/libxml.h"):
            no_line(path, re.compile("#include (<libxml|\"base/libxml)").search, "XML is read by base/xml.h")
        if path not in others:
            no_line(path, raw.search, "files are read by base/input.h")


def options():
    commands = re.findall(r'^COMMAND\((\w+), (\w+),', read("src/cli/commands.def"), re.M)
    table = re.sub(r",\n +", ", ", read("src/cli/options.def"))
    rows = re.findall(r'^OPTION\(\w+, "([\w-]+)", [^,]+, (\w+), (?:"[^"]*"|[^",]+), ([^",]+), ["\w]', table, re.M)
    check(len(rows) == len(re.findall(r"^OPTION\(", table, re.M)), "options.def has a line this test cannot read")
    man = os.path.join(SRC, "man")
    for constant, name in commands:
        page = "man/mazurka-%s.1" % name.replace("_", "-")
        if not os.path.exists(os.path.join(SRC, page)):
            check(False, "there is no %s" % page)
            continue
        text = read(page).replace("\\-", "-")
        common = read("man/mazurka.1").replace("\\-", "-") if os.path.exists(os.path.join(man, "mazurka.1")) else ""
        for option, _, where in rows:
            if where.strip() == "EVERY":
                check("--" + option in common, "man/mazurka.1 does not mention --%s" % option)
            elif "FOR(%s)" % constant in where:
                check("--" + option in text, "%s does not mention --%s" % (page, option))
    readme = read("README")
    check(0 <= readme.find("TMP=$(mktemp -d)") < readme.find("$TMP/"), "README uses $TMP before it says what that is")
    for _, name in commands:
        check(name.replace("_", "-") in readme, "README does not mention the command %s" % name)


# Table, the macro of its rows, the manual page that explains every name.
TABLES = (
    ("src/lts/relations.def", "RELATION", "man/mazurka-relations.7"),
    ("src/unfold/orders.def", "ORDER", "man/mazurka-unfold.1"),
    ("src/explore/algorithms.def", "ALGORITHM", "man/mazurka-explore.1"),
    ("src/batch/tasks.def", "EXAMINATION", "man/mazurka-mcc.1"),
)
# These words mean something else elsewhere.
COMMON_WORDS = ("none", "read", "file", "sleep", "loops")


def tables():
    """A name in a table is explained in its manual page and spelled nowhere else in src (mazurka-verify, which trusts
    nobody, has its own)."""
    for table, macro, page in TABLES:
        names = re.findall(r'^%s\(\w+, "([^"]+)"' % macro, read(table), re.M)
        check(names, "%s has no rows that this test can read" % table)
        text = read(page).replace("\\-", "-")
        for name in names:
            check(re.search(r"\b%s\b" % re.escape(name), text), "%s does not explain %s" % (page, name))
        spelled = re.compile('"(?:%s)"' % "|".join(n for n in names if n not in COMMON_WORDS))
        for path in sources("src", (".c", ".h")):
            if not path.startswith("src/certify/"):
                no_line(path, spelled.search, "%s has this name" % table)
    for page in ("man/mazurka.1", "man/mazurka-convert.1", "README"):
        for name in re.findall(r'^FORMAT\(\w+, "([^"]+)"', read("src/net/formats.def"), re.M):
            check(re.search(r"\b%s\b" % re.escape(name), read(page)), "%s does not name the format %s" % (page, name))
    tried = re.findall(r"^STEP\((\w+)", read("src/verify/schedule.def"), re.M)
    for name, kind in re.findall(r"^ENGINE\((\w+), (\w+)", read("src/verify/engines.def"), re.M):
        check(kind == "MIXED" or name in tried,
              "src/verify/schedule.def has no step for %s, so lists of engines drop it" % name)
        check(re.search(r"\b%s\b" % name, read("man/mazurka-check.1")),
              "man/mazurka-check.1 does not explain %s" % name)


def names():
    code_names.names(check, read, sources)
    code_names.types(check, read, sources)
    code_names.callers(check, read, sources)


def packages():
    code_packages.packages(check, read)


def asserts():
    """The folders of the algorithms say what they keep true: so many asserts per thousand lines, at least."""
    for folder, least in (("pes", 20), ("unfold", 20), ("explore", 20)):
        text = "".join(read(path) for path in sources("src/" + folder, (".c", ".h")))
        per_thousand = 1000 * len(re.findall(r"^\s*assert\(", text, re.M)) / text.count("\n")
        check(per_thousand >= least, "src/%s has %.1f asserts per 1000 lines, not %d" % (folder, per_thousand, least))


SUMS_NOT_YET = ()

# Names of what may be as large as a file says: tokens, weights, coefficients and what is made of them.
LARGE = r"(net_weight\(|net_arc_weight\(|netlts_count\(|\binitial\[|\bmarking\[|\btokens\b|\bweight\b|" \
        r"\bcoefficient\b|\bneed\b|\bdelta\b|\boffset\b|(->|\.)bound\b|(->|\.)by\b|\bfactor\b)"
EXACT = r"\b(exact_add\w*|checked_\w+|exact_capped_add)\("


def wraps(code):
    """Does the statement add up or multiply large numbers without saying what happens when they do not fit?"""
    for change in re.finditer(r"^(.*?)([-+*]=)([^=].*)$", code):
        compares = re.search(r"[<>]|[!=]=", change.group(3).replace("->", ""))
        if re.search(LARGE, change.group(1) + change.group(3)) and not compares:
            return True
    side = r"(weight|tokens|coefficient|factor|delta|need|count)(\([^()]*\)|\[[^][]*\])?"
    return bool(re.search(r"\b" + side + r" \* [\w(]", code) or
                re.search(r"[\w)\]] \* (\(\w+\))?[\w.>\[\]-]*\b" + side + r"(?!\w)", code))


def sums():
    """Sums and products of what a net or a formula says go through base/exact.h, or a comment on the line says why
    they fit. What a build with overflow checks sees on a corpus (make extreme) a reader should see everywhere."""
    for folder in ("prop", "lts", "reduce", "net", "explore", "unfold", "verify"):
        for path in sources("src/" + folder, (".c", ".h")):
            if path in SUMS_NOT_YET:
                continue
            inside = False
            for number, line in enumerate(read(path).split("\n"), 1):
                code = line.split("/*")[0]
                comment = inside or line.lstrip().startswith(("/*", "*"))
                inside = "*/" not in line.rpartition("/*")[2] if "/*" in line else inside and "*/" not in line
                if comment or re.search(EXACT, code) or re.search(r"/\* .*\b(fits|wraps)\b", line):
                    continue
                check(not wraps(code), "%s:%d: an unchecked sum (base/exact.h; or say why it fits): %s" %
                      (path, number, line.strip()))


def arguments(text):
    """Line and arguments of every call in a text without comments."""
    for call in re.finditer(r"\b(?!(?:if|while|for|switch|return|sizeof)\b)[A-Za-z_]\w*\(", text):
        depth, at, given = 1, call.end(), []
        start = at
        while at < len(text) and depth:
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if text[at] == "," and depth == 1:
                given.append(text[start:at])
                start = at + 1
            at += 1
        yield text.count("\n", 0, call.start()) + 1, given + [text[start:at - 1]]


def draws():
    """The order in which a call's arguments are evaluated is the compiler's: two random numbers in one call are another
    net, or another test, with each."""
    draw = re.compile(r"\b\w+\(&?(\w+(->|\.))*rng\b")
    for path in [*sources("src", (".c", ".h")), *sources("tests", (".c", ".h"))]:
        text = re.sub(r"/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment[0]), read(path), flags=re.S)
        twice = [line for line, given in arguments(text) if sum(map(bool, map(draw.search, given))) > 1]
        check(not twice, "%s:%s: two random numbers in one call, in an order that nobody knows" % (path, twice))


def manuals():
    """A macro that alternates fonts joins its words: a sentence behind one runs together."""
    joined = re.compile(r"^\.(BR|RB|BI|IB|RI|IR) .*(\b[a-z]{2,},? ){5}")
    for path in sources("man", (".1", ".3", ".5", ".7")):
        no_line(path, lambda line: joined.search(line) and '"' not in line, "words run together here")


def scripts():
    """Text from outside only ever becomes text in a page, and a page loads nothing."""
    bad = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval ?\(|new Function|XMLHttpRequest|"
                     r"\bfetch ?\(|import ?\(|WebSocket|localStorage|https?://(?!www\.w3\.org/2000/svg)")
    for path in sources("src/report/page", (".js", ".css")):
        no_line(path, bad.search, "pages neither parse markup nor load anything")
        check(path.endswith(".css") or read(path).startswith('"use strict";\n'),
              path + " does not begin with \"use strict\"")
        check("/" + os.path.basename(path) in read("src/report/sources.am"), path + " is in no page")


def main():
    for part in (layers, build_lists, width, formatting, references, walks, headers, printing, writing, reading,
                 budgets, manuals, scripts, options, tables, names, packages, asserts, sums, draws):
        part()
    finish()


main()
