"""Odd nets, made and written without anything of the program.

A Net is lists: places are (id, tokens), transitions ids, arcs (kind, place, transition, weight) with kind one of pre,
post, read, inhibit. Parallel arcs are merged as mazurka-convert(1) says: pre and post add up, of reads the largest
counts, of inhibitors the smallest."""
import re
from xml.sax.saxutils import escape, quoteattr

LARGE = [2**31, 2**32 - 1, 2**53 + 1, 2**61, 2**62 - 1, 2**62, 2**63 - 1, 2**63]
ODD = ["%s 1", "%s<&>\"'", "%s\\\"", "\u00e9%s\u4e2d", "fireable(%s)", "deadlock%s", "-%s", "%s.%%s%%n", "3*%s",
       "a,b%s", "\U0001f600%s", "tokens %s", "%s\u00a0", "=>%s"]


class Net:
    def __init__(self):
        self.places, self.transitions, self.arcs = [], [], []
        self.units = None

    def place(self, name, tokens):
        self.places.append((name, tokens))
        return len(self.places) - 1

    def transition(self, name):
        self.transitions.append(name)
        return len(self.transitions) - 1

    def arc(self, kind, place, transition, weight=1):
        self.arcs.append((kind, place, transition, weight))

    def rules(self):
        """Per transition: what it needs, must not have, and how it changes counts, each a dictionary by place."""
        merge = {"pre": int.__add__, "post": int.__add__, "read": max, "inhibit": min}
        rows = [{kind: {} for kind in merge} for _ in self.transitions]
        for kind, p, t, w in self.arcs:
            row = rows[t][kind]
            row[p] = merge[kind](row[p], w) if p in row else w
        rules = []
        for row in rows:
            need = {p: max(row["pre"].get(p, 0), row["read"].get(p, 0)) for p in {**row["pre"], **row["read"]}}
            change = {p: row["post"].get(p, 0) - row["pre"].get(p, 0) for p in {**row["pre"], **row["post"]}}
            rules.append((need, row["inhibit"], change))
        return rules

    def fits(self):
        """Do merged weights fit 64 bits, as the reader demands?"""
        sums = {}
        for kind, p, t, w in self.arcs:
            sums[kind, p, t] = sums.get((kind, p, t), 0) + w
        return all(total < 2**64 for (kind, _, _), total in sums.items() if kind in ("pre", "post"))

    def without(self, place=None, transition=None):
        """A copy with one node less; the formula's business is the caller's."""
        def after(i, gone):
            return i - 1 if gone is not None and i > gone else i
        net = Net()
        net.places = [x for i, x in enumerate(self.places) if i != place]
        net.transitions = [x for i, x in enumerate(self.transitions) if i != transition]
        net.arcs = [(k, after(p, place), after(t, transition), w) for k, p, t, w in self.arcs
                    if p != place and t != transition]
        return net


# ---- making them ----

def weight(rng, most):
    if rng.random() < 0.7 or most == 1:
        return 1
    return rng.choice(LARGE) if most > 3 and rng.random() < 0.5 else rng.randint(1, 3)


def moves(rng, net, t, most, wild):
    inputs = 0 if rng.random() < 0.08 else rng.choice((1, 1, 2))
    outputs = 0 if rng.random() < 0.15 else rng.choice((1, 1, 2))
    outputs = outputs if wild else min(outputs, inputs)
    for i in range(max(inputs, outputs)):
        w = weight(rng, most)
        if i < inputs:
            net.arc("pre", rng.randrange(len(net.places)), t, w)
        if i < outputs:
            net.arc("post", rng.randrange(len(net.places)), t, weight(rng, most) if wild else w)


def tests(rng, net, t, most, reads, guards):
    p = rng.randrange(len(net.places))
    if reads and rng.random() < 0.5:
        net.arc("read", p, t, rng.randint(1, 3) if most > 1 or rng.random() < 0.15 else 1)
        if rng.random() < 0.3:
            net.arc("pre", p, t, weight(rng, most))
        if rng.random() < 0.3:
            net.arc("post", p, t, weight(rng, most))
    if guards and rng.random() < 0.3:
        net.arc("inhibit", rng.randrange(len(net.places)), t, weight(rng, most) + (rng.random() < 0.3))


def small(rng, prefix="", odd=False):
    """Up to seven places and transitions; safe or not, bounded or not, now and then without any."""
    most = rng.choice((1, 1, 3, 4))
    wild, reads, guards = rng.random() < 0.25, rng.random() < 0.5, rng.random() < 0.3
    net = Net()
    for i in range(0 if rng.random() < 0.01 else rng.randint(1, 7)):
        name = "%sp%d" % (prefix, i)
        tokens = 0 if rng.random() < 0.5 else weight(rng, most) + (most > 1 and rng.random() < 0.5)
        net.place(rng.choice(ODD) % name if odd else name, tokens)
    for i in range(0 if rng.random() < 0.02 else rng.randint(1, 7)):
        name = "%st%d" % (prefix, i)
        t = net.transition(rng.choice(ODD) % name if odd else name)
        if net.places and rng.random() < 0.97:
            moves(rng, net, t, most, wild)
            tests(rng, net, t, most, reads, guards)
    if rng.random() < 0.3 and net.places and not odd:
        lie(rng, net)
    return net if net.fits() else small(rng, prefix, odd)


def lie(rng, net):
    """Units that say safe, whatever is true: (id, places, subunits), the root first."""
    names = [name for name, _ in net.places]
    rng.shuffle(names)
    cut = rng.randint(0, len(names))
    net.units = [("root", [], ["u1", "u2"]), ("u1", names[:cut], []), ("u2", names[cut:], [])]


def compose(rng, parts):
    """The parts side by side, coupled by tests that never fail on places that never change: their behaviours are
    independent. Returns the net and the counts of those places, which come last."""
    net = Net()
    for part in parts:
        at, first = len(net.places), len(net.transitions)
        net.places += part.places
        net.transitions += part.transitions
        net.arcs += [(k, at + p, first + t, w) for k, p, t, w in part.arcs]
    constants = rng.choice(([], [2, 0]))
    if constants:
        always, never = net.place("always", 2), net.place("never", 0)
        for t in range(len(net.transitions)):
            if rng.random() < 0.2:
                net.arc("read", always, t, rng.randint(1, 2))
            if rng.random() < 0.05:
                net.arc("inhibit", never, t)
    return net, constants


def chain(rng):
    """Tokens go along a line of places and are multiplied or lost by the way, up to 2^80 times. Returns the net and
    how many each transition takes and gives."""
    net, kind = Net(), rng.choice(("double", "double", "halve", "large", "any"))
    rates = []
    for _ in range(rng.choice((1, 2, 3, 5, 8, 20, 40, 63, 64, 65, 80))):
        rates.append({"double": (1, 2), "halve": (2, 1), "large": (weight(rng, 4), weight(rng, 4))}.get(
            kind, (rng.randint(1, 3), rng.randint(1, 3))))
    net.place("p0", weight(rng, 4 if kind in ("halve", "large") else 3))
    for i, (takes, gives) in enumerate(rates):
        net.place("p%d" % (i + 1), 0)
        net.transition("t%d" % i)
        net.arc("pre", i, i, takes)
        net.arc("post", i + 1, i, gives)
    return net, rates


# ---- writing them ----

def label(name, text):
    return "<%s><text>%s</text></%s>" % (name, text, name)


def pnml_arc(number, kind, place, transition, w):
    ends = (transition, place) if kind == "post" else (place, transition)
    kinds = {"read": label("arctype", "read"), "inhibit": label("arctype", "inhibitor")}
    return "<arc id='a%d' source=%s target=%s>%s%s</arc>" % (
        number, quoteattr(ends[0]), quoteattr(ends[1]), label("inscription", w) if w != 1 else "", kinds.get(kind, ""))


def pnml(net, rng):
    """On one page or two; then arcs may go through references."""
    paged = rng.random() < 0.3
    first, second = [], []
    names = {}
    for i, (name, tokens) in enumerate(net.places):
        home = second if paged and rng.random() < 0.5 else first
        home.append("<place id=%s>%s%s</place>" % (quoteattr(name), label("name", escape(name[::-1])) if paged else "",
                                                   label("initialMarking", tokens) if tokens else ""))
        names["place", i] = [name]
    for i, name in enumerate(net.transitions):
        (second if paged and rng.random() < 0.5 else first).append("<transition id=%s/>" % quoteattr(name))
        names["transition", i] = [name]
    for (kind, i), known in names.items():
        for k in range(2 if paged and rng.random() < 0.2 else 0):
            second.append("<reference%s id='r%s%d.%d' ref=%s/>" % (kind.title(), kind, i, k, quoteattr(known[-1])))
            known.append("r%s%d.%d" % (kind, i, k))
    for number, (kind, p, t, w) in enumerate(net.arcs):
        ends = rng.choice(names["place", p]), rng.choice(names["transition", t])
        (second if paged and rng.random() < 0.5 else first).append(pnml_arc(number, kind, *ends, w))
    units = "".join("<unit id='%s'><places>%s</places><subunits>%s</subunits></unit>" %
                    (name, " ".join(places), " ".join(below)) for name, places, below in net.units or ())
    if units:
        first.insert(0, "<toolspecific tool='nupn' version='1.1'><size places='%d' transitions='%d' arcs='%d'/>"
                     "<structure units='3' root='root' safe='true'>%s</structure></toolspecific>" %
                     (len(net.places), len(net.transitions), len(net.arcs), units))
    if paged:
        rng.shuffle(second)
        first.insert(rng.randint(1 if units else 0, len(first)), "<page id='page2'>%s</page>" % "\n".join(second))
    return ("<?xml version='1.0' encoding='UTF-8'?>\n<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'>\n"
            "<net id='twin' type='http://www.pnml.org/version-2009/grammar/ptnet'><page id='page1'>\n%s\n</page></net>"
            "</pnml>\n" % "\n".join(first))


def plain(net):
    """Neither reads nor inhibitors."""
    return all(kind in ("pre", "post") for kind, *_ in net.arcs)


def listed(net, kind, t, form):
    return [form(net.places[p][0], w) for k, p, u, w in net.arcs if k == kind and u == t]


def lola(net):
    """As all of these: None where the format cannot hold the net."""
    names = [name for name, _ in net.places] + net.transitions
    if not plain(net) or any(set(name) & set(",;:(){} \u00a0") for name in names):
        return None
    count = "{}: {}".format
    lines = ["PLACE %s;" % ", ".join(name for name, _ in net.places),
             "MARKING %s;" % ", ".join(count(*p) for p in net.places if p[1])]
    for t, name in enumerate(net.transitions):
        lines += ["TRANSITION " + name, *("  %s %s;" % (word, ", ".join(listed(net, kind, t, count)))
                                          for word, kind in (("CONSUME", "pre"), ("PRODUCE", "post")))]
    return "\n".join(lines) + "\n"


def tpn(net):
    names = [name for name, _ in net.places] + net.transitions
    if not plain(net) or any('"' in name for name in names) or sum(w for *_, w in net.arcs) > 1000 or not names:
        return None
    lines = ['place "%s"%s;' % (name, " init %d" % tokens if tokens else "") for name, tokens in net.places]
    for t, name in enumerate(net.transitions):
        sides = [(word, listed(net, kind, t, lambda p, w: " ".join(['"%s"' % p] * w)))
                 for word, kind in (("in", "pre"), ("out", "post"))]
        lines.append('trans "%s"%s;' %
                     (name, "".join(" %s %s" % (word, " ".join(side)) for word, side in sides if side)))
    return "\n".join(reversed(lines)) + "\n"  # places may come later


def tina(net):
    def braced(name):
        return "{%s}" % re.sub(r"([\\{}])", r"\\\1", name)
    forms = {"pre": "%s*%d", "read": "%s?%d", "inhibit": "%s?-%d", "post": "%s*%d"}
    lines = ["net twin"] + ["pl %s (%d)" % (braced(name), tokens) for name, tokens in net.places]
    for t, name in enumerate(net.transitions):
        sides = {kind: " ".join(listed(net, kind, t, lambda p, w: form % (braced(p), w)))
                 for kind, form in forms.items()}
        lines.append("tr %s %s %s %s -> %s" %
                     (braced(name), sides["read"], sides["pre"], sides["inhibit"], sides["post"]))
    return "\n".join(lines) + "\n"


def ll_net(net):
    """None where the format cannot hold the net."""
    names = [name for name, _ in net.places] + net.transitions
    if any(kind == "inhibit" for kind, *_ in net.arcs) or any('"' in name for name in names):
        return None
    lines = ["PEP", "PTNet", "FORMAT_N", "PL"]
    for i, (name, tokens) in enumerate(net.places):
        lines.append('%d"%s"%s' % (i + 1, name, "M%dm%d" % (tokens, tokens) if tokens else ""))
    lines += ["TR"] + ['%d"%s"' % (i + 1, name) for i, name in enumerate(net.transitions)]
    for section, kind, form in (("TP", "post", "%d<%d"), ("PT", "pre", "%d>%d"), ("RA", "read", "%d<%d")):
        arcs = [(p, t, w) for k, p, t, w in net.arcs if k == kind]
        if arcs or section != "RA":
            lines.append(section)
        for p, t, w in arcs:
            ends = (p + 1, t + 1) if kind == "pre" else (t + 1, p + 1)
            lines.append(form % ends + ("w%d" % w if w != 1 else ""))
    return "\n".join(lines) + "\n"
