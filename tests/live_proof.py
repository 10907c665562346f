"""Proves liveness of a PNML net by an argument of its own, which shares nothing with src and needs no set of all
markings.

For a transition t let R be the places that matter for it: what t needs, and whatever those need who bring tokens there.
A transition that needs places of R alone can fire in the net iff it can in the net cut down to R. Cut all transitions
down to R: more can happen then, so every reachable marking of the net is, on R, among those found in this way. If from
each of these t can be fired by transitions that need places of R alone, then t is live. Where R has no bound the least
is assumed, no tokens: more tokens never hinder, since there are no inhibitor arcs.

The argument proves or is silent; silence says nothing.
usage: live_proof.py NET.pnml   prints "live" or "silent TRANSITION"."""
import sys
import xml.etree.ElementTree as tree

MOST_MARKINGS = 50000
MOST_TOKENS = 3


def tag(element):
    return element.tag.rsplit("}", 1)[-1]


def number(element, kind, default):
    for child in element:
        if tag(child) == kind:
            return int("".join(child.itertext()).strip())
    return default


def read(path):
    """The initial marking, and for each transition what it takes and what it brings, by place. Plain nets with normal
    arcs."""
    initial, take, bring, arcs = {}, {}, {}, []
    for element in tree.parse(path).getroot().iter():
        kind, name = tag(element), element.get("id")
        if kind == "place":
            initial[name] = number(element, "initialMarking", 0)
        elif kind == "transition":
            take[name], bring[name] = {}, {}
        elif kind == "arc":
            assert not any(tag(child) in ("arctype", "type") for child in element)
            arcs.append((element.get("source"), element.get("target"), number(element, "inscription", 1)))
    for source, target, weight in arcs:
        row, place = (take[target], source) if source in initial else (bring[source], target)
        row[place] = row.get(place, 0) + weight
    return initial, take, bring


class Part:
    """The net cut down to some of its places; `low` are those without a bound."""

    def __init__(self, net, places):
        self.initial, self.take, self.bring = net
        self.places, self.low, self.found = sorted(places), set(), None

    def rows(self, names, places):
        index = {p: i for i, p in enumerate(places)}
        cut = lambda row: [(index[p], w) for p, w in row.items() if p in index]
        rows = {(tuple(cut(self.take[t])), tuple(cut(self.bring[t]))): t for t in names}
        return [(take, bring) for take, bring in rows if take or bring]

    @staticmethod
    def fire(marking, take, bring, cap=None):
        if any(marking[i] < w for i, w in take):
            return None
        after = list(marking)
        for i, w in take:
            after[i] -= w
        for i, w in bring:
            after[i] += w
            if cap is not None and after[i] > cap[i]:
                after[i] = cap[i]
        return tuple(after)

    def markings(self):
        """Those of the bounded places, or None when they are too many."""
        while True:
            places = [p for p in self.places if p not in self.low]
            rows = self.rows(self.take, places)
            seen = {tuple(self.initial[p] for p in places)}
            stack, passed = list(seen), None
            while stack and passed is None:
                marking = stack.pop()
                for take, bring in rows:
                    after = self.fire(marking, take, bring)
                    if after is None or after in seen:
                        continue
                    if max(after, default=0) > MOST_TOKENS + max(self.initial.values()):
                        passed = places[after.index(max(after))]
                        break
                    seen.add(after)
                    stack.append(after)
                    if len(seen) > MOST_MARKINGS:
                        return None, None
            if passed is None:
                return places, seen
            self.low.add(passed)

    def always_again(self, transition):
        self.found = self.found or self.markings()
        places, seen = self.found
        if seen is None:
            return False
        order = places + sorted(self.low)
        inside = [t for t in self.take if set(self.take[t]) <= set(order)]
        heaviest = max(w for t in inside for w in list(self.take[t].values()) + [1])
        cap = [sys.maxsize if i < len(places) else heaviest for i in range(len(order))]
        rows = self.rows(inside, order)
        goal = tuple((order.index(p), w) for p, w in self.take[transition].items())
        good = set()
        for start in sorted(seen):
            if not self.reaches(tuple(start) + (0,) * len(self.low), rows, cap, goal, good):
                return False
        return True

    def reaches(self, start, rows, cap, goal, good):
        """Can the goal be marked from here? What leads there is added to `good`."""
        parent, queue = {start: None}, [start]
        for marking in queue:
            if marking in good or all(marking[i] >= w for i, w in goal):
                while marking is not None:
                    good.add(marking)
                    marking = parent[marking]
                return True
            for take, bring in rows:
                after = self.fire(marking, take, bring, cap)
                if after is not None and after not in parent:
                    parent[after] = marking
                    queue.append(after)
            if len(queue) > MOST_MARKINGS:
                return False
        return False


def cone(net, transition):
    initial, take, bring = net
    places, stack = set(take[transition]), list(take[transition])
    while stack:
        place = stack.pop()
        for t in take:
            if bring[t].get(place, 0) > take[t].get(place, 0):
                stack += [p for p in take[t] if p not in places]
                places |= set(take[t])
    return places


def silent(net):
    """A transition of which nothing is proved, or None: the net is live."""
    parts = {}
    for t in sorted(net[1]):
        places = cone(net, t)
        part = parts.setdefault(frozenset(places), Part(net, places))
        if not part.always_again(t):
            return t
    return None


def main():
    open_one = silent(read(sys.argv[1]))
    print("live" if open_one is None else "silent " + open_one)


if __name__ == "__main__":
    main()
