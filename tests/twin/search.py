"""What is true of a net: breadth-first search with unlimited integers, and what follows from it by definition.

Beyond the limit nothing is true but what was met: `complete` is False then, and callers use `met` facts only."""


class Space:
    def __init__(self, net, limit=1500):
        self.net, self.rules = net, net.rules()
        start = tuple(tokens for _, tokens in net.places)
        self.markings, self.number, self.parent = [start], {start: 0}, [None]
        self.next = []  # per expanded marking: (transition, successor's number)
        while len(self.next) < len(self.markings) < limit:
            self.expand(len(self.next))
        self.complete = len(self.next) == len(self.markings)
        self.unbounded = not self.complete and self.grows()

    def can(self, marking, t):
        need, ban, _ = self.rules[t]
        return all(marking[p] >= w for p, w in need.items()) and all(marking[p] < w for p, w in ban.items())

    def enabled(self, marking):
        return [t for t in range(len(self.rules)) if self.can(marking, t)]

    def fire(self, marking, t):
        after = list(marking)
        for p, w in self.rules[t][2].items():
            after[p] += w
        return tuple(after)

    def expand(self, i):
        row = []
        for t in self.enabled(self.markings[i]):
            after = self.fire(self.markings[i], t)
            if after not in self.number:
                self.number[after] = len(self.markings)
                self.markings.append(after)
                self.parent.append(i)
            row.append((t, self.number[after]))
        self.next.append(row)

    def grows(self):
        """A run that repeats itself with more. Without inhibitor arcs that goes on for ever."""
        if any(ban for _, ban, _ in self.rules):
            return False
        last = self.markings[-1]
        i = self.parent[-1]
        while i is not None:
            if all(a <= b for a, b in zip(self.markings[i], last)):
                return True
            i = self.parent[i]
        return False

    # ---- facts; of an incomplete space those that were met ----

    def dead(self):
        return [i for i, row in enumerate(self.next) if not row]

    def most(self, places):
        return max(sum(m[p] for p in places) for m in self.markings)

    def one_safe(self):
        return all(count <= 1 for m in self.markings for count in m)

    def stable(self):
        return any(all(m[p] == self.markings[0][p] for m in self.markings) for p in range(len(self.net.places)))

    def quasi_live(self):
        return len({t for row in self.next for t, _ in row}) == len(self.net.transitions)

    def states(self):
        return len(self.markings)

    def firings(self):
        return sum(map(len, self.next))

    def back(self, goals):
        """Who can reach one of the goals; of a complete space."""
        before = [[] for _ in self.markings]
        for i, row in enumerate(self.next):
            for _, j in row:
                before[j].append(i)
        can, todo = set(goals), list(goals)
        while todo:
            for i in before[todo.pop()]:
                if i not in can:
                    can.add(i)
                    todo.append(i)
        return can

    def live(self):
        return all(len(self.back([i for i, row in enumerate(self.next) if any(u == t for u, _ in row)])) ==
                   len(self.markings) for t in range(len(self.net.transitions)))

    def terminates(self):
        """No run is infinite; of a complete space."""
        degree = [0] * len(self.markings)
        for row in self.next:
            for _, j in row:
                degree[j] += 1
        todo, gone = [i for i, d in enumerate(degree) if d == 0], 0
        while todo:
            gone += 1
            for _, j in self.next[todo.pop()]:
                degree[j] -= 1
                if degree[j] == 0:
                    todo.append(j)
        return gone == len(self.markings)

    def leap(self, marking, t, times):
        """The marking after so many firings of t, one after the other. What it asks of a place is asked of a count that
        rises or falls all the way: the first and the last firing decide."""
        def after(n):
            return tuple(tokens + n * self.rules[t][2].get(p, 0) for p, tokens in enumerate(marking))
        return after(times) if times > 0 and self.can(marking, t) and self.can(after(times - 1), t) else None

    def run(self, names):
        """Where a firing sequence leads, or None. It has ids, or pairs of an id and how often it is fired."""
        marking = self.markings[0]
        number = {name: t for t, name in enumerate(self.net.transitions)}
        for name in names:
            name, times = name if isinstance(name, tuple) else (name, 1)
            marking = self.leap(marking, number[name], times) if name in number else None
            if marking is None:
                return None
        return marking


class Product:
    """The facts of complete spaces side by side, none of which the others can change, and of places that never change
    (`constants`: their counts)."""

    def __init__(self, net, parts, constants):
        self.net, self.parts, self.constants = net, parts, constants
        self.whole = Space(net, 1)  # knows the rules of all
        self.complete, self.unbounded = True, False
        self.markings = self.whole.markings
        self.first = [0]
        for part in parts:
            self.first.append(self.first[-1] + len(part.net.places))
        self.run, self.enabled, self.can = self.whole.run, self.whole.enabled, self.whole.can

    def states(self):
        product = 1
        for part in self.parts:
            product *= len(part.markings)
        return product

    def firings(self):
        return sum(part.firings() * (self.states() // len(part.markings)) for part in self.parts)

    def dead(self):
        """As many as there are, by number."""
        product = 1
        for part in self.parts:
            product *= len(part.dead())
        return range(product)

    def most(self, places):
        total = sum(self.constants[p - self.first[-1]] for p in places if p >= self.first[-1])
        for part, at in zip(self.parts, self.first):
            inside = [p - at for p in places if at <= p < at + len(part.net.places)]
            total += part.most(inside) if inside else 0
        return total

    def one_safe(self):
        return all(part.one_safe() for part in self.parts) and all(count <= 1 for count in self.constants)

    def stable(self):
        return bool(self.constants) or any(part.stable() for part in self.parts)

    def quasi_live(self):
        return all(part.quasi_live() for part in self.parts)

    def live(self):
        return all(part.live() for part in self.parts)

    def terminates(self):
        return all(part.terminates() for part in self.parts)


class Chain:
    """The facts of nets.chain(): as much as can be comes to a place when everything before it has gone on."""

    def __init__(self, net, rates):
        self.net, self.rates = net, rates
        self.whole = Space(net, 1)
        self.complete, self.unbounded, self.markings = True, False, self.whole.markings
        self.run, self.enabled, self.can = self.whole.run, self.whole.enabled, self.whole.can
        self.top, self.times = [net.places[0][1]], []
        for takes, gives in rates:
            self.times.append(self.top[-1] // takes)
            self.top.append(self.times[-1] * gives)

    def dead(self):
        return range(1)  # no two transitions are ever in conflict

    def most(self, places):
        assert len(places) == 1
        return self.top[places[0]]

    def one_safe(self):
        return max(self.top) <= 1

    def stable(self):
        around = zip([0] + self.times, self.times + [0])
        return any(before == after == 0 for before, after in around)

    def quasi_live(self):
        return all(self.times)

    def live(self):
        return False

    def terminates(self):
        return True
