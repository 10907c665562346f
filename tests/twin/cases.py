"""Nets with what is true of them, and questions whose answer is known."""
import collections

import formulas
import nets
import search

# EF formula, or AG; truth: can the goal be reached? None: not known.
Question = collections.namedtuple("Question", "id formula always truth")


def goal(question):
    return ("not", question.formula) if question.always else question.formula


def settled(space, question):
    """With what is known of its truth."""
    met = formulas.reachable(goal(question), space)
    return question._replace(truth=True if met else False if space.complete else None)


def make_question(rng, space, name, f):
    always = rng.random() < 0.4
    return settled(space, Question(name, ("not", f) if always else f, always, None))


def product_formula(rng, product, chosen):
    """A formula over some parts and whether it can be reached: parts do not hinder each other."""
    if len(chosen) == 1 or rng.random() < 0.2:
        i = rng.choice(chosen)
        part, at = product.parts[i], product.first[i]
        first = sum(len(other.net.transitions) for other in product.parts[:i])
        f = formulas.atom(rng, part, rng.choice(("cardinality", "fireability")))
        truth = formulas.reachable(f, part)
        if f[0] == "cmp":
            f = (*f[:2], tuple((c, p + at) for c, p in f[2]), f[3])
        if f[0] == "fireable":
            f = ("fireable", *(t + first for t in f[1:]))
        return f, truth
    cut = rng.randint(1, len(chosen) - 1)
    left, a = product_formula(rng, product, chosen[:cut])
    right, b = product_formula(rng, product, chosen[cut:])
    return (("and", left, right), a and b) if rng.random() < 0.6 else (("or", left, right), a or b)


def product_question(rng, product, name):
    if rng.random() < 0.1:
        return Question(name, ("deadlock",), False, bool(len(product.dead())))
    f, truth = product_formula(rng, product, rng.sample(range(len(product.parts)), min(len(product.parts), 5)))
    return Question(name, f, False, truth)


def chain_question(rng, chain, name):
    """Whether so many tokens come to a place, or a transition's turn comes; or either of two."""
    def atom():
        i = rng.randrange(len(chain.top))
        if i < len(chain.times) and rng.random() < 0.2:
            return ("fireable", i), chain.times[i] > 0
        factor, top = rng.choice((1, 1, 3, 2**31)), chain.top[i]
        many = min(rng.choice((top, top + 1, top // 2, 2**62)), (2**63 - 2) // factor)
        return ("cmp", ">=", ((factor, i),), factor * many), top >= many
    (f, a), (g, b) = atom(), atom()
    f, truth = (f, a) if rng.random() < 0.5 else (("or", f, g), a or b)
    return Question(name, ("not", f), True, truth) if rng.random() < 0.4 else Question(name, f, False, truth)


def question_about(rng, space, name, only=None):
    if isinstance(space, search.Product):
        return product_question(rng, space, name)
    if isinstance(space, search.Chain):
        return chain_question(rng, space, name)
    return make_question(rng, space, name, formulas.formula(rng, space, rng.randint(0, 4), only))


def make_part(rng, prefix):
    while True:
        part = search.Space(nets.small(rng, prefix), 60)
        if part.complete and part.net.places and part.net.transitions:
            return part


def copied(part, prefix):
    net = nets.Net()
    net.places = [(prefix + name, tokens) for name, tokens in part.net.places]
    net.transitions = [prefix + name for name in part.net.transitions]
    net.arcs = part.net.arcs
    return net


def make_space(rng):
    """A net with what is true of it."""
    kind = rng.random()
    if kind < 0.75:
        return search.Space(nets.small(rng, odd=rng.random() < 0.2))
    if kind < 0.85:
        return search.Chain(*nets.chain(rng))
    parts = [make_part(rng, "") for _ in range(4)]
    parts = [rng.choice(parts) for _ in range(rng.choice((2, 3, 5, 10, 10, 700)))]
    net, constants = nets.compose(rng, [copied(part, "c%d." % i) for i, part in enumerate(parts)])
    return search.Product(net, parts, constants)
