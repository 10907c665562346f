#!/usr/bin/env python3
"""simulate.py TREE WORKERS: how policies do on a tree that bench/scale/tree wrote. README says what is assumed."""
import bisect
import heapq
import itertools
import random
import sys

IDEAL, RENEWAL, EXPIRY, LIMIT, FAILURES = 600.0, 20.0, 60.0, 60.0, 60.0  # seconds


class Tree:
    """Lines are in the order of visits, so a subtree is a range of lines."""

    def __init__(self, path, workers):
        rows = [tuple(map(int, line.split())) for line in open(path)]
        self.parent, self.length = [r[0] for r in rows], [r[1] for r in rows]
        self.n = len(rows)
        self.nodes = [1] * self.n
        for i in range(self.n - 1, 0, -1):
            self.nodes[self.parent[i]] += self.nodes[i]
        unit = workers * IDEAL / sum(r[2] for r in rows)
        self.before = [0.0] + list(itertools.accumulate(r[2] * unit for r in rows))
        self.children = [[] for _ in rows]
        for i in range(1, self.n):
            self.children[self.parent[i]].append(i)

    def cost(self, first, end):
        return self.before[end] - self.before[first]

    def roots(self, first, end):
        """Of the subtrees that wait after a visit of everything before `first`."""
        found = []
        while first < end:
            found.append(first)
            first += self.nodes[first]
        return found

    def split(self, count, key):
        """Roots of the parts, in the order in which they are handed out, and the number of visits that it takes."""
        order, heap, visits = itertools.count(), [(key(0, 0), 0)], 0
        next(order)
        while heap and len(heap) < count:
            node = heapq.heappop(heap)[1]
            visits += 1
            for child in reversed(self.children[node]):
                heapq.heappush(heap, (key(child, next(order)), child))
        return [node for _, node in sorted(heap)], visits


def leases(tree, workers, roots, limit, failures, rng):
    """Workers take parts in order. A part that takes longer than the limit leaves what is left as parts. Every minute
    one worker loses its part."""
    queue, done, traffic, lost = [(0.0, k, r, r + tree.nodes[r]) for k, r in enumerate(roots)], 0.0, 0, 0.0
    heapq.heapify(queue)
    number = itertools.count(len(roots))
    free = [(0.0, w) for w in range(workers)]
    heapq.heapify(free)
    running = []  # (end, tie, what comes back)
    while queue or running:
        now = free[0][0] if free else float("inf")
        if running and (not queue or running[0][0] <= max(now, queue[0][0])):
            for part in heapq.heappop(running)[2]:
                heapq.heappush(queue, part)
            continue
        begin, tie, first, end = heapq.heappop(queue)
        now, worker = heapq.heappop(free)
        now = max(now, begin)
        cut = end if limit is None else min(
            end, max(first + 1, bisect.bisect_right(tree.before, tree.before[first] + limit, first, end + 1) - 1))
        took = tree.cost(first, cut)
        traffic += 2 + int(took / RENEWAL)
        fails = rng.expovariate(1 / (FAILURES * workers)) if failures else float("inf")
        if fails < took:
            lost += fails
            back = [(now + fails + EXPIRY, next(number), first, end)]
            finish = now + fails
        else:
            finish = now + took
            back = [(finish, next(number), r, min(r + tree.nodes[r], end)) for r in tree.roots(cut, end)]
            done = max(done, finish)
        heapq.heappush(running, (finish, next(number), back))
        heapq.heappush(free, (finish, worker))
    return done, traffic, lost


def stealing(tree, workers, rng):
    """Who has nothing takes the oldest run that waits at another one, as threads do (src/explore/crew.c). 10 ms
    each."""
    part, since, version = {0: (0, tree.n)}, {0: 0.0}, [0] * workers
    events, steals, done = [(tree.cost(0, tree.n), 0, 0)], 0, 0.0
    for w in range(1, workers):
        heapq.heappush(events, (0.01, w, 0))
    while events:
        now, w, v = heapq.heappop(events)
        if v != version[w]:
            continue
        if w in part:
            done = now
            del part[w]
        victims = list(part)
        rng.shuffle(victims)
        for victim in victims:
            first, end = part[victim]
            at = max(first + 1,
                     bisect.bisect_left(tree.before, tree.before[first] + now - since[victim], first, end + 1))
            roots = tree.roots(at, end)
            if not roots:
                continue
            steals += 1
            part[w], since[w] = (roots[-1], end), now + 0.01
            part[victim] = (first, roots[-1])
            for who in (w, victim):
                version[who] += 1
                heapq.heappush(events, (max(now, since[who] + tree.cost(*part[who])), who, version[who]))
            break
        else:
            if part:
                version[w] += 1
                heapq.heappush(events, (now + 1, w, version[w]))
    return done, steals


def main(path, workers):
    tree, rng = Tree(path, workers), random.Random(1)
    keys = {"oldest": lambda node, order: order, "shortest": lambda node, order: (tree.length[node], order)}
    print("policy\tparts\tvisits\tlimit\tmakespan/ideal\tleases_per_s\twith_failures\tlost")
    for name, key in keys.items():
        for each in (1, 4, 16):
            roots, visits = tree.split(each * workers, key)
            if not roots:
                print("%s\t0\t%d\tsplitting visits everything" % (name, visits))
                continue
            for limit in (None, LIMIT):
                span, traffic, _ = leases(tree, workers, roots, limit, False, rng)
                bad, _, lost = leases(tree, workers, roots, limit, True, rng)
                print("%s\t%d\t%d\t%s\t%.2f\t%.0f\t%.2f\t%.2f%%" %
                      (name, len(roots), visits, limit or "-", span / IDEAL, traffic / span, bad / IDEAL,
                       100 * lost / (workers * IDEAL)), flush=True)
    span, steals = stealing(tree, workers, rng)
    print("stealing\t-\t-\t-\t%.2f\t%.0f\t-\t-" % (span / IDEAL, steals / span))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
