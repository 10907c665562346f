"""What the contest asks of a coloured net, answered by playing it through on its coloured markings.

The net is a Coloured of odd_coloured.py: sorts and initial tokens of places, and of each transition the bindings whose
guard holds with what they take and put. `answers` gives, for each examination, what `mazurka mcc` must say; those that
ask what stands in a file get one, with questions that tell markings apart."""
import collections
import itertools
import os
import random

SAY = {True: "TRUE", False: "FALSE"}


class Space:
    """All markings, as frozensets of ((place, colour), n), and all firings (from, transition, to)."""

    def __init__(self, net, most):
        first = frozenset(((p, c), n) for p, tokens in net.initial.items() for c, n in tokens.items())
        self.net, self.markings, self.firings, seen = net, [first], [], {first}
        for marking in self.markings:
            now = collections.Counter(dict(marking))
            for t, takes, puts in ((t, *b[1:]) for t, bindings in net.bindings.items() for b in bindings):
                if all(now[token] >= n for token, n in takes.items()):
                    after = frozenset((now - takes + puts).items())
                    self.firings.append((marking, t, after))
                    if after not in seen:
                        seen.add(after)
                        self.markings.append(after)
            if len(self.markings) > most:
                raise OverflowError
        self.counts = [self.by_place(m) for m in self.markings]
        self.fireable = collections.defaultdict(set)
        for a, t, _ in self.firings:
            self.fireable[a].add(t)

    def by_place(self, marking):
        counts = dict.fromkeys(self.net.sort, 0)
        for (place, _), n in marking:
            counts[place] += n
        return counts

    def reaching(self, t):
        """Markings from which t can be made fireable."""
        before = collections.defaultdict(set)
        for a, _, b in self.firings:
            before[b].add(a)
        found = {m for m in self.markings if t in self.fireable[m]}
        queue = list(found)
        for marking in queue:
            for a in before[marking] - found:
                found.add(a)
                queue.append(a)
        return found


def of_the_net(space):
    can = {t: space.reaching(t) for t in space.net.arcs}
    each = [[c[p] for c in space.counts] for p in space.net.sort]
    numbers = [len(space.markings), len(space.firings), max(sum(c.values()) for c in space.counts),
               max((n for m in space.markings for _, n in m), default=0)]
    words = ["STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE"]
    return {"ReachabilityDeadlock": SAY[any(not space.fireable[m] for m in space.markings)],
            "OneSafe": SAY[all(max(counts) <= 1 for counts in each)],
            "StableMarking": SAY[any(len(set(counts)) == 1 for counts in each)],
            "QuasiLiveness": SAY[all(space.markings[0] in can[t] for t in can)],
            "Liveness": SAY[all(len(can[t]) == len(space.markings) for t in can)],
            "StateSpace": dict(zip(words, map(str, numbers)))}


# ---- questions ----

def put(kind, *inside):
    return "<%s>%s</%s>" % (kind, "".join(inside), kind)


class Questions:
    """Of each examination with a file: formulas and their answers."""

    def __init__(self, space, seed):
        self.space, self.random = space, random.Random(seed)

    def some(self, names):
        return self.random.sample(sorted(names), min(len(names), self.random.randrange(1, 4)))

    def atom(self, examination):
        """(formula, what it is in the marking of this number)"""
        space = self.space
        if examination == "ReachabilityFireability":
            chosen = self.some(space.net.arcs)
            return (put("is-fireable", *(put("transition", t) for t in chosen)),
                    lambda i: any(t in space.fireable[space.markings[i]] for t in chosen))
        chosen, most = self.some(space.net.sort), self.random.randrange(4)
        count = put("tokens-count", *(put("place", p) for p in chosen))
        number = put("integer-constant", str(most))
        if self.random.randrange(2):
            return put("integer-le", count, number), lambda i: sum(space.counts[i][p] for p in chosen) <= most
        return put("integer-le", number, count), lambda i: sum(space.counts[i][p] for p in chosen) >= most

    def state(self, examination, depth):
        kind = self.random.randrange(4) if depth else 3
        if kind == 3:
            return self.atom(examination)
        a, holds_a = self.state(examination, depth - 1)
        if kind == 0:
            return put("negation", a), lambda i: not holds_a(i)
        b, holds_b = self.state(examination, depth - 1)
        if kind == 1:
            return put("conjunction", a, b), lambda i: holds_a(i) and holds_b(i)
        return put("disjunction", a, b), lambda i: holds_a(i) or holds_b(i)

    def question(self, examination):
        everywhere = range(len(self.space.markings))
        if examination == "UpperBounds":
            chosen = self.some(self.space.net.sort)
            return (put("place-bound", *(put("place", p) for p in chosen)),
                    str(max(sum(c[p] for p in chosen) for c in self.space.counts)))
        formula, holds = self.state(examination, 2)
        if self.random.randrange(2):
            return "<all-paths><globally>%s</globally></all-paths>" % formula, SAY[all(map(holds, everywhere))]
        return "<exists-path><finally>%s</finally></exists-path>" % formula, SAY[any(map(holds, everywhere))]

    def write(self, examination, folder, n=8):
        asked = {"%s-%02d" % (examination, i): self.question(examination) for i in range(n)}
        with open(os.path.join(folder, examination + ".xml"), "w", encoding="utf-8") as out:
            out.write("<property-set xmlns='http://mcc.lip6.fr/'>%s</property-set>" % "".join(
                put("property", put("id", name), put("formula", formula)) for name, (formula, _) in asked.items()))
        return {name: answer for name, (_, answer) in asked.items()}


def answers(net, folder, seed, most):
    """{examination: {what is said: its answer}}; None: more markings than `most`. Writes the files of questions."""
    try:
        space = Space(net, most)
    except OverflowError:
        return None
    said = {e: a if isinstance(a, dict) else {e: a} for e, a in of_the_net(space).items()}
    if net.sort and net.arcs:
        asked = Questions(space, seed)
        said.update((e, asked.write(e, folder)) for e in
                    ("UpperBounds", "ReachabilityCardinality", "ReachabilityFireability"))
    return said


def heard(text):
    """What `mazurka mcc` printed, in the same form as one examination of `answers`."""
    words = (line.split() for line in text.splitlines())
    return {w[1]: w[2] for w in words if w[:1] in (["FORMULA"], ["STATE_SPACE"]) and w[2] not in ("CANNOT_COMPUTE",
                                                                                                   "-1")}
