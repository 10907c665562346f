#!/usr/bin/env python3
"""PNML as nobody should write it, and a second reader of it.

odd_pnml.py [FIRST [COUNT]]: for each seed a random net is spelled in every way that is allowed (nested pages,
references across pages, arcs before their nodes, labels in all dialects, CDATA, character references, comments inside
numbers, remarks of tools anywhere, a lying NUPN, several nets) or, now and then, in a way that is not. The file is read
by `mazurka convert` and by the reader below, which shares nothing with it but the manual; places, markings, labels,
transitions, arcs and weights must be the same, and what one refuses the other must refuse, with file:line:column."""
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

MAZURKA = os.environ.get("MAZURKA", "mazurka")
LARGEST = 2**64 - 1


class Refused(Exception):
    """What the manual says is no P/T net, or contradicts itself."""


# ---- the second reader ----

def local(element):
    return element.tag.rpartition("}")[2]


def strip(text):
    return text.strip(" \t\r\n\v\f")


def number(text, empty, colours):
    """`colours` are those of tokens met so far: a P/T net has one."""
    text = strip(text)
    if not text:
        return empty
    if "," in text:
        parts = [strip(part) for part in text.split(",")]
        if len(parts) % 2 or not all(re.fullmatch("[0-9]+", n) for n in parts[1::2]):
            raise Refused("pairs of colour and number: " + text)
        used = [(colour, int(n)) for colour, n in zip(parts[::2], parts[1::2]) if int(n)]
        colours.update(colour for colour, _ in used)
        if len(used) > 1 or len(colours) > 1:
            raise Refused("two colours: " + text)
        value = used[0][1] if used else 0
    elif re.fullmatch(r"\+?[0-9]+", text):
        value = int(text)
    else:
        raise Refused("no number: " + text)
    if value > LARGEST:
        raise Refused("too large: " + text)
    return value


HARMLESS = ("graphics", "toolspecific", "offset", "position")


def label(element, strict=True):
    """The text of a label, None when it says nothing."""
    spellings = [element.get("value")] if element.get("value") is not None else []
    direct = element.text or ""
    for child in element:
        if local(child) in ("text", "value"):
            if len(child) and strict:
                raise Refused("elements inside a text")
            spellings.append(child.text or "")
        elif strict and local(child) not in HARMLESS:
            raise Refused("not understood: " + local(child))
        direct += child.tail or ""
    direct = strip(direct)
    if direct and not spellings:
        spellings = [direct]
    elif direct and strict:
        raise Refused("characters beside a text")
    said = {strip(text) for text in spellings if strip(text)}
    if strict and len(said) > 1:
        raise Refused("two texts")
    first = [text for text in spellings if strip(text)]
    return strip(first[0]) if first else "" if spellings else None


def agreed(values, what):
    values = [value for value in values if value is not None]
    if len(set(values)) > 1:
        raise Refused("contradiction: " + what)
    return values[0] if values else None


ARC_TYPES = {"": "normal", "normal": "normal", "read": "read", "test": "read", "inhibitor": "inhibitor",
             "tapninhibitor": "inhibitor"}


def arc_type(text):
    if strip(text).lower() not in ARC_TYPES:
        raise Refused("arcs of type " + text)
    return ARC_TYPES[strip(text).lower()]


class Reader:
    def __init__(self, path, net_id):
        nets = [net for net in tree.parse(path).getroot() if local(net) == "net"]
        chosen = [net for net in nets if net_id is None or net.get("id") == net_id]
        if len(chosen) != 1:
            raise Refused("nets: %d" % len(chosen))
        self.places, self.transitions, self.references, self.arcs = {}, {}, {}, []
        self.levels, self.colours = set(), set()
        self.walk(chosen[0])
        if len(self.levels) > 1:
            raise Refused("priorities")
        for reference in self.references:
            self.resolve(reference)
        self.totals = {}
        for source, target, kind, weight in self.arcs:
            self.connect(self.resolve(source), self.resolve(target), kind, weight)

    def take(self, element, where):
        if not element.get("id") or element.get("id") in {**self.places, **self.transitions, **self.references}:
            raise Refused("id")
        where[element.get("id")] = None

    def walk(self, parent):
        for element in parent:
            kind = local(element)
            if kind == "page":
                self.walk(element)
            elif kind == "place":
                self.take(element, self.places)
                self.places[element.get("id")] = self.place(element)
            elif kind == "transition":
                self.take(element, self.transitions)
                self.transitions[element.get("id")] = self.transition(element)
            elif kind in ("referencePlace", "referenceTransition"):
                self.take(element, self.references)
                self.references[element.get("id")] = element.get("ref")
            elif kind == "arc":
                self.arcs.append(self.arc(element))

    def name(self, element):
        names = [label(child, False) for child in element if local(child) == "name"]
        return next((name for name in reversed(names) if name), element.get("name") or element.get("id"))

    def place(self, element):
        marking = element.get("initialMarking")
        markings = [number(marking, 0, self.colours)] if marking is not None else []
        for child in element:
            if local(child) == "initialMarking" and label(child) is not None:
                markings.append(number(label(child), 0, self.colours))
            if local(child) == "capacity" and number(label(child) or "", 0, set()):
                raise Refused("capacity")
        return agreed(markings, "markings") or 0, self.name(element)

    def transition(self, element):
        timed, priority = "false", "1"
        for child in element:
            if local(child) in ("guard", "condition", "interval", "delay"):
                raise Refused(local(child))
            if local(child) == "timed":
                timed = (label(child) or "false").lower()
            if local(child) == "priority":
                priority = label(child) or "1"
        if timed not in ("true", "false"):
            raise Refused("timed")
        self.levels.add("timed" if timed == "true" else float(priority))
        return self.name(element)

    def arc(self, element):
        types = [arc_type(element.get("type"))] if element.get("type") is not None else []
        weights = [number(element.get("weight"), 1, self.colours)] if element.get("weight") is not None else []
        for child in element:
            if local(child) in ("arctype", "type"):
                types.append(arc_type(label(child) or ""))
            if local(child) == "inscription" and label(child) is not None:
                weights.append(number(label(child), 1, self.colours))
        weight = agreed(weights, "weights")
        if weight == 0:
            raise Refused("weight 0")
        return element.get("source"), element.get("target"), agreed(types, "types") or "normal", weight or 1

    def resolve(self, node):
        for _ in range(len(self.references) + 1):
            if node not in self.references:
                break
            node = self.references[node]
        if node not in self.places and node not in self.transitions:
            raise Refused("no node " + str(node))
        return node

    def connect(self, source, target, kind, weight):
        if (source in self.places) == (target in self.places):
            raise Refused("between nodes of one kind")
        if kind == "inhibitor" and source in self.transitions:
            raise Refused("an inhibitor arc from a transition")
        if kind == "normal":
            kind = "in" if source in self.places else "out"
        place, transition = (source, target) if source in self.places else (target, source)
        key = (kind, place, transition)
        # Several tests of one place: all must hold.
        together = {"read": max, "inhibitor": min}.get(kind, lambda a, b: a + b)
        self.totals[key] = together(self.totals[key], weight) if key in self.totals else weight

    def everything(self):
        return self.places, self.transitions, self.totals


# ---- the writer ----

BLANKS = ["", "", " ", "\n", "\t ", "\r\n", "<!-- 7 -->", " <?pi 3?> "]
WORDS = ["p", "a b", "<&>", 'quo"te', "é", "日本", "x\ny", "tab\tbed", "]]", "--", "a'b", "%s", "../up", "\\n", "#1", "0"]


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.out = []
        self.bad = self.random.random() < 0.25  # once, something that is refused
        self.prefix = self.random.choice(["", "", "", "pn:"])

    def chance(self, probability):
        return self.random.random() < probability

    def wrong(self):
        """True once in a file that is to be refused."""
        if not self.bad or not self.chance(0.1):
            return False
        self.bad = False
        return True

    def escape(self, text, attribute):
        out = []
        for c in text:
            if c in '<>&"' or (attribute and c in "\n\t\r'") or c == "\r" or self.chance(0.05):
                out.append("&#%d;" % ord(c) if self.chance(0.5) else "&#x%x;" % ord(c))
            else:
                out.append(c)
        return "".join(out)

    def text(self, text):
        """Character data, in pieces of different kinds."""
        out, at = [], 0
        while at < len(text):
            end = self.random.randint(at + 1, len(text))
            piece, at = text[at:end], end
            if self.chance(0.2) and "]]>" not in piece and "\r" not in piece:
                out.append("<![CDATA[" + piece + "]]>")
            else:
                out.append(self.escape(piece, False))
            if self.chance(0.15):
                out.append("<!-- not 9 -->")
        return "".join(out)

    def element(self, name, attributes=(), body=None):
        attributes = list(attributes)
        self.random.shuffle(attributes)
        quote = self.random.choice("\"'")
        written = "".join(" %s=%s%s%s" % (key, quote, self.escape(value, True), quote) for key, value in attributes)
        start = "<" + self.prefix + name + written
        if body is None or (body == "" and self.chance(0.5)):
            return start + self.random.choice(["/>", " />", "></" + self.prefix + name + ">"])
        return start + ">" + body + "</" + self.prefix + name + ">"

    def remark(self):
        if not self.chance(0.2):
            return ""
        inside = self.element("place", [("id", "hidden")]) + self.element("text", (), "5")
        return self.element(self.random.choice(["toolspecific", "graphics"]), [("tool", "x"), ("version", "1")], inside)

    def number(self, value):
        if self.wrong():
            return self.random.choice(["-1", "1.5", "0x2", "two", "1 2", str(2**64), "9" * 400, "A,1,B,1", ",", "+",
                                       "1e3"])
        text = str(value)
        if self.chance(0.2):
            text = "0" * self.random.randint(1, 30) + text
        if self.chance(0.1):
            return self.random.choice(["Default,", "x y , "]) + text
        return ("+" if self.chance(0.1) else "") + text

    def blank(self):
        return self.random.choice(BLANKS)

    def spelled(self, name, text, other="17"):
        """A label that says the text, in one of its spellings."""
        body = self.blank() + self.text(text) + self.blank()
        if self.wrong():
            return self.random.choice([
                self.element(name, (), self.element("tokens", (), body)),
                self.element(name, (), self.element("text", (), self.element("b", (), body))),
                self.element(name, (), self.element("text", (), body) + self.text(other)),
                self.element(name, (), self.element("text", (), body) + self.element("value", (), other)),
                self.element(name, [("value", other)], self.element("text", (), body)),
            ])
        spelling = self.random.randrange(6)
        if spelling == 0:
            return self.element(name, (), body)
        if spelling == 1:
            return self.element(name, [("value", text)], self.blank() + self.remark())
        if spelling == 2:
            return self.element(name, (), self.element("text", (), body) + self.element("value", (), self.text(text)))
        if spelling == 3:
            return self.element(name, (), self.element("value", (), self.blank()) + self.element("text", (), body))
        tag = self.random.choice(["text", "text", "value"])
        return self.element(name, (), self.remark() + self.blank() + self.element(tag, (), body) + self.remark())

    def shuffled(self, parts):
        self.random.shuffle(parts)
        return "".join(part + self.blank() for part in parts)

    # -- nodes --

    def ids(self, n, kind):
        return ["%s%s%d" % (self.random.choice(WORDS) if self.chance(0.3) else "", kind, i) for i in range(n)]

    def names(self):
        if not self.chance(0.4):
            return []
        return [self.spelled("name", self.random.choice([w for w in WORDS if w.strip()]))]

    def place(self, name):
        tokens = self.random.choice([0, 0, 1, 1, 2, 3, 10**9, 2**63, LARGEST])
        attributes, parts = [("id", name)], self.names() + [self.remark()]
        if tokens or self.chance(0.3):
            how = self.random.randrange(4)
            if how == 0:
                attributes.append(("initialMarking", self.number(tokens)))
            if how:
                parts.append(self.spelled("initialMarking", self.number(tokens)))
            if how == 1 and self.chance(0.3):
                parts.append(self.spelled("initialMarking", str(tokens if not self.wrong() else tokens // 2 + 3)))
        if self.chance(0.1):
            parts.append(self.spelled("capacity", "0" if not self.wrong() else "4"))
        return self.element("place", attributes, self.shuffled(parts))

    def transition(self, name):
        parts = self.names() + [self.remark()]
        if self.chance(0.1):
            parts.append(self.spelled("rate", "1.5"))
        if self.timed or self.wrong():
            parts.append(self.spelled("timed", "true", "false"))
        if self.wrong():
            parts.append(self.random.choice([self.element("guard"), self.element("interval"),
                                             self.spelled("priority", "2")]))
        return self.element("transition", [("id", name)], self.shuffled(parts))

    def arc(self, source, target, from_place):
        kind = self.random.choice(["normal"] * 4 + ["read"] + ["inhibitor"] * from_place)
        weight = self.random.choice([1, 1, 1, 2, 3, 2**40])
        attributes, parts = [("source", source), ("target", target)], [self.remark()]
        if self.chance(0.8):
            attributes.append(("id", "arc%d" % self.random.randrange(10)))
        if kind != "normal" or self.chance(0.2):
            word = self.random.choice({"read": ["read", "test"],
                                       "inhibitor": ["inhibitor", "INHIBITOR"]}.get(kind, ["normal"]))
            how = self.random.randrange(3)
            if how == 0:
                attributes.append(("type", word))
            if how:
                parts.append(self.spelled(self.random.choice(["arctype", "type"]), word, "reset"))
            if self.wrong():
                parts.append(self.spelled("arctype", "read" if kind == "inhibitor" else "inhibitor", "normal"))
        if weight > 1 or self.chance(0.3):
            if self.chance(0.2):
                attributes.append(("weight", self.number(weight)))
            else:
                parts.append(self.spelled("inscription", self.number(weight)))
        return self.element("arc", attributes, self.shuffled(parts))

    def nupn(self, places):
        """Structurally right, but its claims (safe, numbers of units) may be lies."""
        if not self.chance(0.3) or any(c.isspace() for name in places for c in name):
            return ""
        cut = self.random.randint(0, len(places))
        units = self.element("unit", [("id", "u")], self.element("places", (), self.text(" ".join(places[:cut]))) +
                             self.element("subunits", (), "v"))
        units += self.element("unit", [("id", "v")], self.element("places", (), self.text("\n".join(places[cut:]))) +
                              self.element("subunits", (), ""))
        structure = self.element("structure", [("units", "99"), ("root", "u"), ("safe", "true")], units)
        return self.element("toolspecific", [("tool", "nupn"), ("version", "1.1")], structure)

    def pages(self, parts, depth=0):
        """The parts in their order, some of them on pages inside pages."""
        if depth > 4 or len(parts) < 2 or self.chance(0.3):
            return self.blank().join(parts)
        cut = sorted(self.random.randint(0, len(parts)) for _ in range(2))
        inner = self.pages(parts[cut[0]:cut[1]], depth + 1)
        page = self.element("page", [("id", "page%d" % self.random.randrange(5))], self.remark() + inner)
        return self.blank().join(parts[:cut[0]] + [page] + parts[cut[1]:])

    def net(self, name):
        self.timed = self.chance(0.15)
        places, transitions = self.ids(self.random.randint(0, 6), "p"), self.ids(self.random.randint(1, 6), "t")
        parts = [self.place(p) for p in places] + [self.transition(t) for t in transitions]
        near = {p: [p] for p in places + transitions}
        for i in range(self.random.randint(0, 5)):
            target = self.random.choice(places + transitions)
            kind = "referencePlace" if target in places else "referenceTransition"
            ref = self.random.choice(near[target]) if not self.wrong() else "nowhere"
            near[target].append("ref%d" % i)
            parts.append(self.element(kind, [("id", "ref%d" % i), ("ref", ref)], self.remark()))
        for _ in range(self.random.randint(0, 14) if places else 0):
            place, transition = self.random.choice(places), self.random.choice(transitions)
            ends = [self.random.choice(near[place]), self.random.choice(near[transition])]
            from_place = self.chance(0.5)
            parts.append(self.arc(*(ends if from_place else ends[::-1]), from_place))
        if self.chance(0.5):
            self.random.shuffle(parts)
        kind = self.random.choice(["http://www.pnml.org/version-2009/grammar/ptnet", "P/T net", "fred", ""])
        attributes = [("id", name)] + ([("type", kind)] if kind else [])
        return self.element("net", attributes, self.pages(parts) + self.nupn(places) + self.remark())

    def document(self):
        ids = ["n"] if self.chance(0.8) else ["n", "other", "n 3"]
        nets = "".join(self.net(name) for name in ids)
        space = ("xmlns" + (":pn" if self.prefix else ""), "http://www.pnml.org/version-2009/grammar/pnml")
        text = self.element("pnml", [space] if self.prefix or self.chance(0.7) else [], nets)
        encoding = self.random.choice(["UTF-8", "UTF-8", "UTF-16", None])
        if encoding is None:
            return text.encode("utf-8"), ids
        return ("<?xml version='1.0' encoding='%s'?>\n%s" % (encoding, text)).encode(encoding), ids


# ---- the comparison ----

def say(seed, path, message):
    kept = os.path.join(tempfile.gettempdir(), "odd-pnml-%d.pnml" % seed)
    with open(path, "rb") as file, open(kept, "wb") as copy:
        copy.write(file.read())
    print("seed %d: %s\n  the file is %s" % (seed, message, kept))
    return False


def compare(seed, folder):
    """(did they agree, was it refused)"""
    data, ids = Writer(seed).document()
    path, back = os.path.join(folder, "odd.pnml"), os.path.join(folder, "back.pnml")
    with open(path, "wb") as file:
        file.write(data)
    choice = random.Random(seed).choice(ids) if len(ids) > 1 else None
    command = [MAZURKA, "convert", "-q", path, back] + (["--net", choice] if choice else [])
    run = subprocess.run(command, capture_output=True, timeout=60)
    errors = run.stderr.decode("utf-8")
    try:
        expected = Reader(path, choice).everything()
    except Refused as why:
        if run.returncode == 0:
            return say(seed, path, "read, but should be refused: %s" % why), True
        if run.returncode != 3 or not re.search(re.escape(path) + r":\d+:\d+: ", errors):
            return say(seed, path, "exit %d, refused without a place: %s" % (run.returncode, errors)), True
        return True, True
    if run.returncode != 0:
        return say(seed, path, "exit %d: %s" % (run.returncode, errors)), False
    found = Reader(back, None).everything()
    for what, wanted, got in zip(("places", "transitions", "arcs"), expected, found):
        if wanted != got:
            return say(seed, path, "%s: %s was read as %s" % (what, wanted, got)), False
    return True, False


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40000 if os.environ.get("MAZURKA_SOAK") else 400
    failed = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            agreed_on, was_refused = compare(seed, folder)
            failed += not agreed_on
            refused += was_refused
            if failed >= 5:
                break
    print("seeds %d to %d, %d refused by both" % (first, seed, refused))
    print("%d passed, %d failed" % (seed - first + 1 - failed, failed))
    return failed != 0


sys.exit(main())
