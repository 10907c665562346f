#!/usr/bin/env python3
"""Hostile names through every command and every output format.

Each name is the id of a place and a transition, a label, the net's id, a property's id, a file's name and a batch's
instance, as far as formats can carry it. Every output is read by a parser of its format and must be what the same
command gives for a harmless name, up to the name: the same elements in the same order. What people read holds nothing
that a terminal obeys and no line that a name wrote. No file appears where none was asked for.

    hostile.py            all names
    hostile.py NAME...    only these (keys of NAMES)"""
import csv
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata

import checks
import xml.etree.ElementTree as ET

MAZURKA = os.path.abspath(os.environ["MAZURKA"])
FORGED = "VERIFIED forged"

# What XML can carry; \r and \n and \t as character references.
NAMES = {
    "harmless": "harmless",
    "markup": "<script>alert(1)</script>&amp;--><!--]]></style></svg></html>",
    "quotes": "a\"b'c`d\\\"e\\n{}%s%n%%;,|",
    "shell": "$(touch PWNED)`touch PWNED`;touch PWNED|&>PWNED #",
    "path": "../../../escaped/x",
    "dots": "..",
    "formula": "=1+cmd|' /C calc'!A0",
    "plus": "+1+1",
    "at": "@SUM(1;2)",
    "wide": "\uff1d1+cmd|' /C calc'!A0",  # the full-width sign, which some spreadsheets take for the other
    "blank": " a  b ",
    "dash": "--quiet",
    "lines": "a\n" + FORGED + "\r\n" + FORGED + "\tb",
    "controls": "a\x7f\x85\x9b2J\u2028" + FORGED + "\u2029b",
    "bidi": "a\u202egpj.exe\u2066x\u2069\u200f\u061c\ufeff\u200b",
    "long": "x" * 10000,
    "all": "=<b>\"'\\$(touch PWNED)`;../..\n" + FORGED + "\r\x9b\u2028\u202e&]]>" + "y" * 2000,
}
# What only ll_net can carry, whose texts are bytes.
BYTES = {
    "escape": b"a\x1b[2K\x1b[G" + FORGED.encode() + b"\x1b[8m\x07\x08\x01",
    "invalid": b"a\xff\xfe\xc3(\xc0\x80\xed\xa0\x80z\xe2\x80",
    "latin": b"caf\xe9 \x9b2J\x85",
}

context = ""


def check(ok, what, detail=""):
    return checks.check(ok, ok or "%s: %s %s" % (context, what, str(detail)[:300].encode("unicode_escape").decode()))


# ---- formats: each returns the shape, which names do not change ----

def text_shape(data):
    """Text for people: UTF-8, nothing but line breaks that is not seen, no line of a name's own."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        return check(False, "text is not UTF-8", e)
    odd = sorted({c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")})
    check(not odd, "text has characters that a terminal obeys", [hex(ord(c)) for c in odd])
    check(not any(line.startswith(FORGED) for line in text.split("\n")), "a name wrote a line of its own")
    return len(text.split("\n"))


def json_shape(data, one_per_line=True):
    def shape(value):
        if isinstance(value, dict):
            return {"*": sorted(str(shape(v)) for v in value.values())}
        return [shape(v) for v in value] if isinstance(value, list) else type(value).__name__.replace("float", "int")
    try:
        text = data.decode("utf-8")
        return [shape(json.loads(line)) for line in (text.split("\n") if one_per_line else [text]) if line]
    except (ValueError, UnicodeDecodeError) as e:
        check(False, "no JSON", e)


def xml_shape(data):
    try:
        return [(e.tag, sorted(e.attrib)) for e in ET.fromstring(data).iter()]
    except ET.ParseError as e:
        check(False, "no XML", e)


class Tags(html.parser.HTMLParser):
    """The elements in their order. How many ticks a plot has depends on the seconds: in drawings only what is none of
    theirs counts."""
    def __init__(self):
        super().__init__()
        self.seen, self.drawn, self.depth = [], set(), 0

    def add(self, what):
        if self.depth:
            self.drawn.add(what)
        else:
            self.seen.append(what)

    def handle_starttag(self, tag, attributes):
        self.add(tag + " " + " ".join(sorted(a for a, _ in attributes)))
        self.depth += tag == "svg"

    def handle_endtag(self, tag):
        self.depth -= tag == "svg"
        self.add("/" + tag)

    def handle_comment(self, text):
        self.add("comment")


def html_shape(data):
    """Whether a page has a chart of seconds depends on the machine: without it."""
    try:
        tags = Tags()
        tags.feed(re.sub(r"<h2>Seconds \(logarithmic\)</h2>.*?(?=<h2>|</body>)", "", data.decode("utf-8"), flags=re.S))
        tags.close()
        plain = {"g", "line", "path", "polyline", "rect", "circle", "text", "tspan", "title", "defs", "marker", "style",
                 "svg"}
        return tags.seen, sorted(t for t in tags.drawn if t.split()[0].lstrip("/") not in plain)
    except UnicodeDecodeError as e:
        check(False, "no UTF-8", e)


DOT = re.compile(r'\s+|(?P<text>"(?:[^"\\]|\\.)*")|(?P<arrow>->)|(?P<word>[A-Za-z_0-9.-]+?(?=->|[^A-Za-z_0-9.-]|$))|'
                 r"(?P<sign>[{}\[\]=,;])", re.S)


def dot_shape(data):
    """The grammar of DOT as far as we use it: tokens, and brackets that close; with Graphviz installed, its parser
    too."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        return check(False, "DOT is not UTF-8", e)
    at, kinds, open_brackets = 0, [], []
    while at < len(text):
        token = DOT.match(text, at)
        if not token or token.end() == at:
            return check(False, "no DOT at byte %d" % at, text[at:at + 40])
        at = token.end()
        if token.lastgroup in ("arrow", "sign"):
            kinds.append(token.group())
        elif token.lastgroup == "text":
            kinds.append("text")
            check("\0" not in token.group(), "a NUL in a DOT text")
        if token.group() in "{[":
            open_brackets.append(token.group())
        if token.group() in "}]" and (not open_brackets or open_brackets.pop() + token.group() not in ("{}", "[]")):
            return check(False, "DOT brackets do not match")
    check(not open_brackets, "DOT brackets do not close")
    if shutil.which("dot"):
        done = subprocess.run(["dot", "-Tcanon"], input=data, capture_output=True)
        check(done.returncode == 0 and not done.stderr, "Graphviz refuses it", done.stderr)
    return kinds


def csv_shape(data):
    rows = list(csv.reader(data.decode("utf-8", "surrogateescape").splitlines(keepends=True), strict=True))
    for row in rows:
        for cell in row:
            number = re.fullmatch(r"[+-]?(\d+(\.\d*)?|inf)", cell)
            check(not re.match(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]", cell) or number, "a spreadsheet would run",
                  cell)
    return [len(row) for row in rows]


def mci_shape(data):
    """Mole's format: numbers, then the names between NULs; names are counted."""
    n_conditions, n_events = struct.unpack_from("ii", data)
    at = 8 + 4 * n_events
    for _ in range(n_conditions):
        at += 8
        while struct.unpack_from("i", data, at)[0]:
            at += 4
        at += 4
    while struct.unpack_from("i", data, at)[0]:
        at += 8
    at += 8
    places, transitions, longest = struct.unpack_from("iii", data, at)
    names = data[at + 12:].split(b"\0")
    check(len(names) >= places + transitions and max(map(len, names)) <= longest + 1, "no .mci: names do not fit")
    return n_conditions, n_events, places, transitions


def ll_net_shape(data):
    """Lines of blocks; quoted texts do not end a line."""
    check(data.startswith(b"PEP\nPTNet\nFORMAT_N\n"), "no ll_net")
    return len(data.split(b"\n"))


SHAPES = {".json": lambda data: json_shape(data, False), ".jsonl": json_shape, ".pnml": xml_shape, ".svg": xml_shape,
          ".html": html_shape, ".dot": dot_shape,
          ".csv": csv_shape, ".mci": mci_shape, ".ll_net": ll_net_shape}


# ---- inputs ----

def xml_text(text):
    return "".join("&#%d;" % ord(c) if c in "<>&\"'" or ord(c) < 32 or 0x7f <= ord(c) < 0xa0 else c for c in text)


# Arcs: a run that ends, one that goes on, two transitions that want the same tokens.
STUCK = [("p0", "t0"), ("t0", "p1"), ("p1", "t1"), ("t1", "p2")]
CYCLE = STUCK[:3] + [("t1", "p0")]
RIVALS = [("p0", "t0"), ("p0", "t1")]


def pnml(name, arcs):
    place = lambda i: '<place id="p%d%s"><name><text>%s</text></name>%s</place>' % (
        i, name, name, "<initialMarking><text>%d</text></initialMarking>" % (1 + (arcs == RIVALS)) if i == 0 else "")
    transition = lambda i: '<transition id="t%d%s"><name><text>%s</text></name></transition>' % (i, name, name)
    arc = lambda k, a, b: '<arc id="a%d" source="%s%s" target="%s%s"/>' % (k, a, name, b, name)
    return ('<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n%s" '
            'type="http://www.pnml.org/version-2009/grammar/ptnet">'
            "<name><text>%s</text></name><page id=\"g\">" %
            (name, name) + "".join(place(i) for i in range(3)) + "".join(transition(i) for i in range(2)) +
            "".join(arc(k, a, b) for k, (a, b) in enumerate(arcs)) + "</page></net></pnml>").encode("utf-8")


def ll_net(name, arcs):
    quoted = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    number = lambda node: int(node[1]) + 1
    lines = ["PEP", "PTNet", "FORMAT_N", "PL"] + [
        '%d"p%d@"%s' % (i + 1, i, "M%d" % (1 + (arcs == RIVALS)) if i == 0 else "") for i in range(3)]
    lines += ["TR"] + ['%d"t%d@"' % (i + 1, i) for i in range(2)]
    lines += ["TP"] + ["%d<%d" % (number(a), number(b)) for a, b in arcs if a[0] == "t"]
    lines += ["PT"] + ["%d>%d" % (number(a), number(b)) for a, b in arcs if a[0] == "p"]
    return ("\n".join(lines) + "\n").encode().replace(b"@", quoted)


def properties(name):
    one = lambda i, formula: "<property><id>%d%s</id><description>%s</description><formula>%s</formula></property>" % (
        i, name, name, formula)
    count = "<integer-le><integer-constant>1</integer-constant>" \
            "<tokens-count><place>p1%s</place></tokens-count></integer-le>" % name
    return ('<property-set xmlns="http://mcc.lip6.fr/">' +
            one(0, "<exists-path><finally>%s</finally></exists-path>" % count) +
            one(1, "<all-paths><globally><negation>%s</negation></globally></all-paths>" % count) +
            "</property-set>").encode("utf-8")


def expression_text(name):
    return '"p1%s" >= 1' % name.replace("\\", "\\\\").replace('"', '\\"')


# ---- runs ----

class World:
    """A folder in which everything happens: top/a/b/work, so that "../../.." stays inside and is seen."""
    def __init__(self, top, name):
        self.top, self.work = top, os.path.join(top, "a", "b", "work")
        os.makedirs(os.path.join(self.work, "out"))
        os.makedirs(os.path.join(self.work, "mcc"))
        self.name, self.shapes, self.stdin = name, {}, None

    def put(self, path, data):
        with open(os.path.join(self.work, path), "wb") as f:
            f.write(data)

    def run(self, key, *arguments, program=MAZURKA, environment=None, stdin=None):
        global context
        context = "%s: %s" % (self.name, key)
        done = subprocess.run([program] + list(arguments), cwd=self.work, capture_output=True,
                              stdin=subprocess.DEVNULL if stdin is None else None, input=stdin,
                              env=dict(os.environ, LC_ALL="C.UTF-8", **(environment or {})), timeout=300)
        check(done.returncode in (0, 1, 2, 3), "exit %d" % done.returncode, done.stderr)
        check(b"CRITICAL" not in done.stderr and b"WARNING **" not in done.stderr, "a complaint of GLib", done.stderr)
        as_json = "--json" in arguments
        self.keep(key + " stdout", (json_shape if as_json else text_shape)(done.stdout), done.returncode)
        text_shape(done.stderr)
        return done

    def keep(self, key, shape, code=None):
        self.shapes[key] = (shape, code)

    def file(self, key, path):
        global context
        context = "%s: %s %s" % (self.name, key, path)
        whole = os.path.join(self.work, path)
        if os.path.isfile(whole):
            data = open(whole, "rb").read()
            shape = SHAPES.get(os.path.splitext(path)[1])
            self.keep("%s %s" % (key, path), shape(data) if shape else len(data.split(b"\n")))
            return data
        self.keep("%s %s" % (key, path), None)

    def files_outside(self):
        seen = []
        for base, _, files in os.walk(self.top):
            if not base.startswith(self.work):
                seen += [os.path.join(base, f) for f in files]
        return seen + [f for f in os.listdir(self.work) if f == "PWNED" or f.startswith(".mazurka")]


def both(w, key, *arguments):
    w.run(key, *arguments)
    return w.run(key + " --json", *arguments, "--json")


def commands(w, stuck, cycle):
    """Everything that takes a net, with every format it writes."""
    both(w, "info", "info", stuck)
    both(w, "info --independence", "info", stuck, "--independence")
    listed = w.run("constraints", "info", "rivals" + os.path.splitext(stuck)[1], "--independence")
    w.put("out/constraints", listed.stdout)
    w.run("constraints read", "explore", "rivals" + os.path.splitext(stuck)[1], "--algorithm", "cdpor", "--constraints",
          "out/constraints")
    for ending in (".pnml", ".ll_net"):
        both(w, "convert " + ending, "convert", stuck, "out/c" + ending)
        w.file("convert", "out/c" + ending)
    for ending in (".run", ".dot"):
        both(w, "check " + ending, "check", stuck, "--witness", "out/w" + ending, "-v")
        w.file("check", "out/w" + ending)
    both(w, "replay", "replay", stuck, "out/w.run")
    both(w, "check --safe", "check", cycle, "--safe")
    for engine in ("equation", "unfold", "pdr", "explicit", "stubborn"):
        w.run("check --certificate " + engine, "check", cycle, "--certificate", "out/cert", "--engine", engine)
        w.run("verify " + engine, cycle, "out/cert", program=MAZURKA + "-verify")
    for relation in ("classic", "read", "loops", "proved", "none"):
        for ending in (".dot", ".svg", ".json", ".mci", ".pnml"):
            if relation in ("classic", "read") or ending in (".dot", ".svg", ".json"):
                w.run("unfold %s %s" % (relation, ending), "unfold", cycle, "--relation", relation, "-o",
                      "out/u" + ending)
                w.file("unfold " + relation, "out/u" + ending)
    both(w, "unfold --event", "unfold", stuck, "--event", "1")
    w.run("unfold --around", "unfold", stuck, "--around", "0", "-o", "out/a.dot")
    both(w, "explore", "explore", stuck, "--deadlocks", "--trace-tree", "out/t.dot", "--progress", "always")
    w.file("explore", "out/t.dot")
    for algorithm in ("sleep", "sdpor", "odpor", "reverse", "cdpor"):
        both(w, "explore " + algorithm, "explore", stuck, "--algorithm", algorithm, "--deadlocks")
    both(w, "compare", "compare", stuck, cycle, "--html", "out/c.html", "--relation", "classic,loops", "--order", "erv")
    w.file("compare", "out/c.html")
    both(w, "compare --algorithms", "compare", stuck, "--algorithms")
    for ending in (".lola", ".tpn", ".net"):
        both(w, "convert " + ending, "convert", stuck, "out/c" + ending)
        if os.path.exists(w.work + "/out/c" + ending):
            w.run("info " + ending, "info", "out/c" + ending)
    pages(w, stuck, cycle)


def pages(w, stuck, cycle):
    """Pages to look at, the game, what can always happen, and explorations in parts."""
    for command in ("view", "check", "explore"):
        out = "out/%s.html" % command
        w.run(command + " page", command, stuck, "-o" if command == "view" else "--html", out)
        w.file(command + " page", out)
    w.run("simulate", "simulate", stuck,
          stdin=b"list\n1\nwhy 1\nmarking\ndiff\nrun\nsave out/s.run\nsave out/s.dot\nback\nnosuch\nquit\n")
    w.file("simulate", "out/s.dot")
    for net in (stuck, cycle):
        both(w, "check --live " + net[:5], "check", net, "--live")
        both(w, "check --sound " + net[:5], "check", net, "--sound")
    w.run("split", "explore", stuck, "--algorithm", "reverse", "--split", "2", "-o", "out/parts")
    w.run("merge", "explore", stuck, "out/parts", "--algorithm", "reverse", "--merge")
    w.run("part", "explore", stuck, "--algorithm", "reverse", "--part", "out/parts:1", "-o", "out/part")
    w.run("merge again", "explore", stuck, "out/parts", "out/part", "--algorithm", "reverse", "--merge")


def refusals(w, stuck, name):
    """Messages that quote what was given."""
    for command in ("info", "check", "unfold", "explore", "compare", "batch", "batch-report", "compile", "mcc"):
        w.run("nosuch " + command, command, "./" + name + ".nosuch")
    w.run("no command", name + "!")
    w.run("no option", "info", "--" + name + "!", stuck)
    for option in ("--engine", "--relation", "--order", "--cutoffs"):
        w.run("odd " + option, "unfold", stuck, option, name)
    w.run("odd --reach", "check", stuck, "--reach", name + " >= 1")
    w.run("odd --fireable", "check", stuck, "--fireable", name)
    w.run("odd -o", "unfold", stuck, "-o", "out/" + name[:100].replace("/", "_") + ".odd")
    w.run("odd --examination", "mcc", "mcc", "--examination", name)
    w.run("odd family", "gen", name)
    w.run("odd parameter", "gen", "ring", name)
    w.put("bad.run", (name.replace("\n", " ") + "\n").encode("utf-8"))
    w.run("odd witness", "replay", stuck, "bad.run")
    w.put("bad.mzk", ("thread " + name + " { x = 1; }").encode("utf-8"))
    w.run("odd program", "check", "bad.mzk")
    w.put("bad.pnml", ("<pnml><net id='n' type='" + xml_text(name) + "'/></pnml>").encode("utf-8"))
    w.run("odd type", "info", "bad.pnml")
    w.run("odd define", "compile", "p.mzk", "-D", name + "=1")
    w.run("odd certificate", stuck, "./" + name + ".nosuch", program=MAZURKA + "-verify")


def questions(w, name):
    """Property ids and expressions."""
    w.put("p.xml", properties(xml_text(name)))
    both(w, "check --property", "check", "stuck.pnml", "--property", "p.xml")
    both(w, "check --reach", "check", "stuck.pnml", "--reach", expression_text(name))
    w.run("certificate of a goal", "check", "cycle.pnml", "--invariant",
          expression_text(name).replace("p1", "p2").replace(">=", "<="), "--certificate", "out/goal.cert")
    w.run("verify a goal", "cycle.pnml", "out/goal.cert", program=MAZURKA + "-verify")
    both(w, "check --fireable", "check", "stuck.pnml", "--fireable", "t1" + name)
    shutil.copy(w.work + "/stuck.pnml", w.work + "/mcc/model.pnml")
    shutil.copy(w.work + "/p.xml", w.work + "/mcc/ReachabilityCardinality.xml")
    w.run("mcc", "mcc", "mcc", "-v", environment={"BK_EXAMINATION": "ReachabilityCardinality"})


def file_names(w, name):
    """As the name of files: instances of a batch, programs, results."""
    base = name.encode("utf-8")[:200].decode("utf-8", "ignore").replace("/", "_")
    folder = w.work + "/nets/" + base
    program = "nets/" + base + ".mzk"
    if base == "..":
        os.makedirs(w.work + "/nets/x")
        w.put("nets/" + base + ".pnml", open(w.work + "/stuck.pnml", "rb").read())
    else:
        os.makedirs(folder)
        for f in ("model.pnml", "ReachabilityCardinality.xml"):
            shutil.copy(w.work + "/mcc/" + f, folder)
    w.put("p.mzk", b"var x : 0..1 = 0;\nthread a { x = 1; }\nthread b { x = 0; assert(x == 1); }\n")
    w.put(program, open(w.work + "/p.mzk", "rb").read())
    w.run("program", "check", program)
    w.run("program race", "check", program, "--race")
    w.run("compile", "compile", program, "-o", "out/program.pnml")
    w.file("compile", "out/program.pnml")
    w.run("gen", "gen", "ring", "2", "-o", "out/" + base + ".pnml", "--json")
    os.remove(w.work + "/" + program)
    result = "out/" + base[:150] + ".jsonl"
    w.run("batch", "batch", "nets", "--examinations", "ReachabilityDeadlock,ReachabilityCardinality,OneSafe",
          "--witnesses", "out/witnesses",
          "--certificates", "out/certificates", "-o", result, "--jobs", "1", "--time", "60", "-v")
    w.run("batch --json", "batch", "nets", "--examinations", "OneSafe", "--jobs", "1", "--json")
    w.run("batch list", "batch", "nets", "--compare-relations", "--jobs", "1")
    both(w, "batch-report", "batch-report", result, "--csv", "out/r.csv", "--html", "out/r.html")
    w.file("batch-report", "out/r.csv")
    w.file("batch-report", "out/r.html")
    rows = []
    if os.path.exists(w.work + "/" + result):
        rows = [json.loads(line) for line in open(w.work + "/" + result, encoding="utf-8")]
    check(any(row.get("witness") for row in rows), "the batch kept no witness")
    for row in rows:
        for kind in ("witness", "certificate"):
            if row.get(kind):
                real = os.path.realpath(os.path.join(w.work, "out", row[kind]))
                folder = {"witness": "witnesses", "certificate": "certificates"}[kind]
                inside = os.path.realpath(os.path.join(w.work, "out", folder))
                check(real.startswith(inside + "/") and os.path.isfile(real), "evidence outside its folder", row[kind])
                check(len(os.path.relpath(real, inside).split("/")) == 3, "evidence not in its job's folder", row[kind])


def coloured(name):
    """Two colours of a sort, a variable, a guard; all of them called so."""
    sort, x, first = ('<usersort declaration="c%s"/>' % name, '<variable refvariable="x%s"/>' % name,
                      '<useroperator declaration="a%s"/>' % name)
    struct = lambda tag, text: "<%s><structure>%s</structure></%s>" % (tag, text, tag)
    place = lambda i, marking: '<place id="p%d%s"><name><text>%s</text></name>%s%s</place>' % (
        i, name, name, struct("type", sort), marking and struct("hlinitialMarking", marking))
    arc = lambda i, a, b: '<arc id="e%d" source="%s%s" target="%s%s">%s</arc>' % (
        i, a, name, b, name, struct("hlinscription", x))
    return ('<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n%s" '
            'type="http://www.pnml.org/version-2009/grammar/symmetricnet">' %
            name + "<declaration><structure><declarations>"
            '<namedsort id="c%s" name="%s"><cyclicenumeration><feconstant id="a%s" name="a%s"/><feconstant id="b%s" '
            'name="b%s"/></cyclicenumeration></namedsort>' % ((name,) * 6) +
            '<variabledecl id="x%s" name="%s">%s</variabledecl>' % (name, name, sort) +
            '</declarations></structure></declaration><page id="g">' + place(0, "<all>%s</all>" % sort) + place(1, "") +
            '<transition id="t0%s"><name><text>%s</text></name>%s</transition>' % (
                name, name,
                struct("condition", "<equality><subterm>%s</subterm><subterm>%s</subterm></equality>" % (x, first))) +
            arc(0, "p0", "t0") + arc(1, "t0", "p1") + "</page></net></pnml>").encode("utf-8")


def colours(w, name):
    """A coloured net, and the net that it means."""
    w.put("coloured.pnml", coloured(xml_text(name)))
    both(w, "coloured info", "info", "coloured.pnml")
    both(w, "coloured check", "check", "coloured.pnml", "--witness", "out/coloured.run", "--html", "out/coloured.html")
    w.file("coloured check", "out/coloured.html")
    both(w, "coloured replay", "replay", "coloured.pnml", "out/coloured.run")
    both(w, "coloured --safe", "check", "coloured.pnml", "--safe", "--certificate", "out/coloured.cert")
    w.run("coloured verify", "coloured.pnml", "out/coloured.cert", program=MAZURKA + "-verify")
    for ending in (".pnml", ".ll_net"):
        both(w, "coloured convert " + ending, "convert", "coloured.pnml", "out/coloured" + ending)
        w.file("coloured convert", "out/coloured" + ending)
    for ending in (".dot", ".svg", ".json"):
        w.run("coloured unfold " + ending, "unfold", "coloured.pnml", "-o", "out/coloured" + ending)
        w.file("coloured unfold", "out/coloured" + ending)
    w.run("coloured view", "view", "coloured.pnml", "-o", "out/coloured.html")
    w.file("coloured view", "out/coloured.html")
    w.run("coloured simulate", "simulate", "coloured.pnml", stdin=b"list\n1\nmarking\nquit\n")


def exactness(w, name):
    """JSON and files keep the name."""
    w.run("exact", "check", "stuck.pnml", "--json")
    done = subprocess.run([MAZURKA, "check", "stuck.pnml", "--json", "--engine", "explicit"], cwd=w.work,
                          capture_output=True)
    witness = json.loads(done.stdout)["witness"]
    check(witness == ["t0" + name, "t1" + name], "JSON changes the name", witness)
    read = ET.parse(w.work + "/out/c.pnml")
    ids = [e.get("id") for e in read.iter() if e.tag.endswith("}place")]
    check(ids == ["p%d%s" % (i, name) for i in range(3)], "PNML changes the name", ids)


def one_name(key, shapes):
    with tempfile.TemporaryDirectory() as top:
        w = World(top, key)
        name = NAMES[key]
        os.mkdir(w.work + "/nets")
        for net, arcs in (("stuck", STUCK), ("cycle", CYCLE), ("rivals", RIVALS)):
            w.put(net + ".pnml", pnml(xml_text(name), arcs))
        commands(w, "stuck.pnml", "cycle.pnml")
        exactness(w, name)
        questions(w, name)
        colours(w, name)
        file_names(w, name)
        refusals(w, "stuck.pnml", name)
        finish(w, shapes)


def one_bytes(key, shapes):
    with tempfile.TemporaryDirectory() as top:
        w = World(top, key)
        for net, arcs in (("stuck", STUCK), ("cycle", CYCLE), ("rivals", RIVALS)):
            w.put(net + ".ll_net", ll_net(BYTES.get(key, b"harmless"), arcs))
        commands(w, "stuck.ll_net", "cycle.ll_net")
        finish(w, shapes)


# XML cannot hold an escape character: nets with it are refused, not changed.
NOT_IN_PNML = re.compile(r"^(convert|unfold).*\.pnml")
# A witness has one id per line, a contest line one id per word, and ids may be refused when they are read.
MAY_DIFFER = re.compile(r"^(check \.run|check out/w|replay|mcc|check --property|batch|odd|no |nosuch|check --reach"
                        r"|check --fireable|(coloured )?convert .*ll_net|(convert|info) \.(lola|tpn|net) |program)")


def finish(w, shapes):
    global context
    context = w.name
    check(not w.files_outside(), "files where none belong", w.files_outside())
    refused = w.shapes["info stdout"][1] == 3  # bytes that are not UTF-8
    for key, shape in w.shapes.items():
        context = "%s: %s" % (w.name, key)
        if refused:
            check(shape[1] in (3, None), "answered although the net is refused", shape)
        elif w.name in BYTES and NOT_IN_PNML.match(key):
            check(shape[0] is None or shape[1] in (None, 3), "a net is written that PNML cannot hold")
        elif key in shapes and not MAY_DIFFER.match(key):
            check(shape == shapes[key], "not the shape that a harmless name gives", "%r / %r" % (shape, shapes[key]))
    if not shapes:
        shapes.update(w.shapes)


def main():
    wanted = sys.argv[1:]
    shapes, byte_shapes = {}, {}
    for key in NAMES:
        if not wanted or key in wanted or key == "harmless":
            one_name(key, shapes)
    for key in ["harmless"] + list(BYTES):
        if not wanted or key in wanted:
            one_bytes(key, byte_shapes)
    checks.finish()


main()
