"""State formulas with their own meaning, as expressions of the command line and as contest XML.

A formula is a tuple: ("and"|"or", f...), ("not", f), ("cmp", op, terms, constant), ("fireable", t...), ("deadlock",),
("true",), ("false",); terms are (coefficient, place). The comparison is sum(terms) op constant."""
import operator
from xml.sax.saxutils import escape

OPS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq, "!=": operator.ne}
XML = {"<=": "le", ">=": "ge", "<": "lt", ">": "gt", "==": "eq", "!=": "ne"}
LARGE = [2**31, 2**32 + 1, 2**61, 2**62, 2**63 - 2, 2**63 - 1]


def atom(rng, space, only=None):
    """`only` keeps to the atoms of one examination: cardinality or fireability."""
    net = space.net
    kinds = [k for k in ("cmp", "cmp", "cmp", "fireable", "deadlock", "true")
             if (k != "cmp" or net.places) and (k != "fireable" or net.transitions)]
    if only == "cardinality":
        kinds = ["cmp"] if net.places else ["true"]
    if only == "fireability":
        kinds = ["fireable"] if net.transitions else ["false"]
    kind = rng.choice(kinds)
    if kind == "fireable":
        return (kind, *(rng.randrange(len(net.transitions)) for _ in range(rng.choice((1, 1, 2)))))
    if kind != "cmp":
        return (rng.choice(("true", "false")),) if kind == "true" else (kind,)
    large = only is None and rng.random() < 0.3
    terms = [(rng.choice((1, -1)) * (rng.choice(LARGE) if large and rng.random() < 0.5 else rng.randint(1, 3)),
              rng.randrange(len(net.places))) for _ in range(rng.choice((1, 2, 2, 3)))]
    marking = rng.choice(space.markings)
    constant = sum(c * marking[p] for c, p in terms) + rng.randint(-1, 1)
    if abs(constant) >= 2**63:
        constant = rng.choice(LARGE) * rng.choice((1, -1))
    return ("cmp", rng.choice(list(OPS)), tuple(terms), constant)


def formula(rng, space, depth, only=None):
    if depth == 0 or rng.random() < 0.25:
        return atom(rng, space, only)
    kind = rng.choice(("and", "or", "and", "or", "not"))
    parts = (formula(rng, space, depth - 1, only) for _ in range(1 if kind == "not" else rng.choice((2, 2, 3))))
    return (kind, *parts)


def holds(f, space, marking):
    kind = f[0]
    if kind == "and":
        return all(holds(g, space, marking) for g in f[1:])
    if kind == "or":
        return any(holds(g, space, marking) for g in f[1:])
    if kind == "not":
        return not holds(f[1], space, marking)
    if kind == "cmp":
        return OPS[f[1]](sum(c * marking[p] for c, p in f[2]), f[3])
    if kind == "fireable":
        return bool(set(f[1:]) & set(space.enabled(marking)))
    return not space.enabled(marking) if kind == "deadlock" else kind == "true"


def reachable(f, space):
    return any(holds(f, space, m) for m in space.markings)


def parts(f):
    """Smaller formulas to try instead."""
    if f[0] in ("and", "or"):
        yield from f[1:]
        if len(f) > 3:
            yield (f[0], *f[2:])
    if f[0] in ("and", "or", "not"):
        for i in range(1, len(f)):
            for g in parts(f[i]):
                yield (*f[:i], g, *f[i + 1:])
    if f[0] == "not":
        yield f[1]
    if f[0] == "cmp" and len(f[2]) > 1:
        for i in range(len(f[2])):
            yield ("cmp", f[1], f[2][:i] + f[2][i + 1:], f[3])


def renamed(f, place=None, transition=None):
    """The formula in a net without that node; None when it speaks of it."""
    if f[0] in ("and", "or", "not"):
        inner = [renamed(g, place, transition) for g in f[1:]]
        return None if None in inner else (f[0], *inner)
    if f[0] == "cmp" and place is not None:
        if any(p == place for _, p in f[2]):
            return None
        return ("cmp", f[1], tuple((c, p - (p > place)) for c, p in f[2]), f[3])
    if f[0] == "fireable" and transition is not None:
        return None if transition in f[1:] else ("fireable", *(t - (t > transition) for t in f[1:]))
    return f


# ---- as expressions ----

def quoted(name):
    return '"%s"' % name.replace("\\", "\\\\").replace('"', '\\"')


def side(rng, terms, constant, net):
    """Of positive coefficients; the same sum in one of several forms."""
    words = []
    for c, p in terms:
        name = quoted(net.places[p][0])
        plain = "tokens(%s)" % name if rng.random() < 0.2 else name
        words.append(plain if c == 1 else "%d*(%s)" % (c, plain) if rng.random() < 0.2 else "%d*%s" % (c, plain))
    if constant or not words:
        words.append("%d" % constant)
    rng.shuffle(words)
    return " + ".join(words)


def text(f, net, rng):
    kind = f[0]
    if kind in ("and", "or"):
        inner = ["(%s)" % text(g, net, rng) for g in f[1:]]
        if kind == "or" and len(inner) == 2 and rng.random() < 0.3:
            return "!%s => %s" % tuple(inner)
        return (" && " if kind == "and" else " || ").join(inner)
    if kind == "not":
        return "!(%s)" % text(f[1], net, rng)
    if kind == "cmp":
        left = side(rng, [(c, p) for c, p in f[2] if c > 0], max(-f[3], 0), net)
        right = side(rng, [(-c, p) for c, p in f[2] if c < 0], max(f[3], 0), net)
        return "%s %s %s" % (left, f[1], right)
    if kind == "fireable":
        return "fireable(%s)" % ", ".join(quoted(net.transitions[t]) for t in f[1:])
    return kind


# ---- as contest XML ----

def tag(name, *inner):
    return "<%s>%s</%s>" % (name, "".join(inner), name)


def xml_sum(words):
    return words[0] if len(words) == 1 else tag("integer-sum", *words)


def xml_side(terms, constant, net):
    """Small multiples are repetitions: the format has no products."""
    words = [tag("tokens-count", tag("place", escape(net.places[p][0]))) for c, p in terms for _ in range(c)]
    return xml_sum(words + [tag("integer-constant", "%d" % constant)] if constant or not words else words)


def xml(f, net):
    """None when a coefficient is too large for repetition, or a number for a file: one would spoil all others."""
    kind = f[0]
    if kind in ("and", "or", "not"):
        inner = [xml(g, net) for g in f[1:]]
        name = {"and": "conjunction", "or": "disjunction", "not": "negation"}[kind]
        return None if None in inner else tag(name, *inner)
    if kind == "cmp":
        if any(abs(c) > 100 for c, _ in f[2]) or abs(f[3]) > 2**63 - 9:
            return None
        left = xml_side([(c, p) for c, p in f[2] if c > 0], max(-f[3], 0), net)
        right = xml_side([(-c, p) for c, p in f[2] if c < 0], max(f[3], 0), net)
        return tag("integer-" + XML[f[1]], left, right)
    if kind == "fireable":
        return tag("is-fireable", *(tag("transition", escape(net.transitions[t])) for t in f[1:]))
    return "<%s/>" % kind


def xml_property(name, body):
    return tag("property", tag("id", name), tag("description", "twin"), tag("formula", body))


def xml_reach(name, f, net, always):
    """EF f, or AG f."""
    inner = xml(f, net)
    path = tag("all-paths", tag("globally", inner or "")) if always else tag("exists-path", tag("finally", inner or ""))
    return inner and xml_property(name, path)


def xml_bound(name, places, net):
    return xml_property(name, tag("place-bound", *(tag("place", escape(net.places[p][0])) for p in places)))


def xml_file(properties):
    return "<?xml version='1.0'?><property-set xmlns='http://mcc.lip6.fr/'>%s</property-set>\n" % "\n".join(properties)
