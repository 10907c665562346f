"""Small coloured nets in the manner of the Model Checking Contest: what families of it that differ much are made of.

FAMILIES: functions that make a Net of a size; Net.text(random) writes it, with every label as <text> and <structure>,
declarations in any order in one or two groups, before or behind the nodes, and sometimes pages and references."""

FAMILIES = []


def family(make):
    FAMILIES.append(make)
    return make


# ---- terms ----

def op(kind, *terms):
    return "<%s>%s</%s>" % (kind, "".join("<subterm>%s</subterm>" % t for t in terms), kind.split()[0])


def var(name):
    return "<variable refvariable='var%s'/>" % name


def const(name):
    return "<useroperator declaration='%s'/>" % name


def num(n, term):
    return op("numberof", "<numberconstant value='%d'><positive/></numberconstant>" % n, term)


def tup(*terms):
    return op("tuple", *terms)


def use(sort):
    return "<dot/>" if sort == "." else "<usersort declaration='%s'/>" % sort


def everything(sort):
    return "<all>%s</all>" % use(sort)


def number(value, start, end):
    return "<finiteintrangeconstant value='%d'><finiteintrange start='%d' end='%d'/></finiteintrangeconstant>" % (
        value, start, end)


def block(partition, term):
    return op("partitionelementof refpartition='%s'" % partition, term)


DOT = "<dotconstant/>"


# ---- nets ----

class Net:
    def __init__(self, name):
        self.name, self.declarations, self.places, self.transitions, self.arcs = name, [], [], [], []

    def sort(self, name, definition):
        self.declarations.append("<namedsort id='%s' name='%s'>%s</namedsort>" % (name, name, definition))

    def colours(self, name, n, kind="cyclicenumeration"):
        self.sort(name, "<%s>%s</%s>" % (kind, "".join("<feconstant id='%s%d' name='%d'/>" % (name, i, i)
                                                       for i in range(n)), kind))

    def range(self, name, start, end):
        self.sort(name, "<finiteintrange start='%d' end='%d'/>" % (start, end))

    def product(self, name, *parts):
        self.sort(name, "<productsort>%s</productsort>" % "".join(map(use, parts)))

    def partition(self, name, base, **blocks):
        self.declarations.append("<partition id='%s' name='%s'>%s%s</partition>" % (name, name, use(base), "".join(
            "<partitionelement id='%s' name='%s'>%s</partitionelement>" % (b, b, "".join(map(const, members)))
            for b, members in blocks.items())))

    def variables(self, sort, *names):
        self.declarations += ["<variabledecl id='var%s' name='%s'>%s</variabledecl>" % (v, v, use(sort)) for v in names]

    def operator(self, name, sort, body):
        self.declarations.append("<namedoperator id='%s' name='%s'><parameter><variabledecl id='varq' name='q'>%s"
                                 "</variabledecl></parameter><def>%s</def></namedoperator>" %
                                 (name, name, use(sort), body))

    def place(self, name, sort, marking=None):
        self.places.append((name, sort, marking))

    def transition(self, name, takes, puts, guard=None):
        self.transitions.append((name, guard))
        self.arcs += [(p, name, term) for p, term in takes.items()] + [(name, p, term) for p, term in puts.items()]

    def text(self, random):
        def label(kind, term):
            return "<%s><text>%s</text><structure>%s</structure></%s>" % (kind, random.choice(["1'[(v)]", "x", ""]),
                                                                          term, kind) if term else ""
        nodes = ["<place id='%s'><name><text>%s</text></name>%s%s</place>" % (
            p, p, label("type", use(sort)), label("hlinitialMarking", marking)) for p, sort, marking in self.places]
        nodes += ["<transition id='%s'><name><text>%s</text></name>%s</transition>" % (t, t, label("condition", guard))
                  for t, guard in self.transitions]
        for i, ends in enumerate(self.arcs):
            ends, term = list(ends[:2]), ends[2]
            side = ends[0] not in [p for p, _, _ in self.places]
            if random.randrange(4) == 0:
                nodes.append("<referencePlace id='r%d' ref='%s'/>" % (i, ends[side]))
                ends[side] = "r%d" % i
            nodes.append("<arc id='a%d' source='%s' target='%s'>%s</arc>" % (i, *ends, label("hlinscription", term)))
        random.shuffle(nodes)
        random.shuffle(self.declarations)
        cut = random.randrange(len(self.declarations))
        groups = ["<declaration><structure><declarations>%s</declarations></structure></declaration>" % "".join(group)
                  for group in (self.declarations[:cut], self.declarations[cut:])]
        half = len(nodes) // 2
        inside = ["<page id='g1'>%s</page>" % "".join(nodes[:half]), "<page id='g2'><page id='g3'>%s</page></page>" %
                  "".join(nodes[half:])] + groups
        random.shuffle(inside)
        return "<pnml><net id='%s' type='x/symmetricnet'>%s</net></pnml>" % (self.name, "".join(inside))


# ---- families ----

@family
def reunion(n):
    """Products of products, all inside a tuple, a sum of two tuples of one place."""
    net = Net("reunion")
    net.colours("Who", n)
    net.colours("Kin", 2, "finiteenumeration")
    net.product("Pair", "Who", "Kin")
    net.product("Answer", "Pair", "Kin")
    net.variables("Who", "w")
    net.variables("Kin", "k", "a")
    net.variables("Pair", "p")
    net.place("home", "Pair", num(1, everything("Pair")))
    net.place("asked", "Answer")
    net.place("joined", "Who")
    net.place("office", ".", num(2, DOT))
    net.transition("ask", {"home": num(1, var("p")), "office": DOT}, {"asked": tup(var("p"), var("a"))})
    net.transition("join", {"asked": op("add", tup(var("w"), const("Kin0"), const("Kin1")),
                                        tup(tup(var("w"), const("Kin1")), const("Kin1")))},
                   {"joined": var("w"), "office": num(2, DOT)})
    net.transition("again", {"asked": tup(var("w"), var("k"), const("Kin0"))},
                   {"home": tup(var("w"), var("k")), "office": num(1, DOT)},
                   op("not", op("equality", var("w"), const("Who0"))))
    return net


@family
def election(n):
    """Ranges counted up, everybody but one as receivers, order in guards."""
    net = Net("election")
    net.range("M", 0, n)
    net.product("Message", "M", "M")
    net.variables("M", "i", "j", "x")
    net.place("start", "M", num(1, everything("M")))
    net.place("network", "Message")
    net.place("stage", "Message", tup(everything("M"), number(0, 0, n)))
    net.place("poll", "M")
    net.transition("propose", {"start": num(1, var("i"))},
                   {"network": tup(var("i"), op("subtract", everything("M"), var("i"))), "poll": var("i")},
                   op("lessthan", var("i"), number(1, -3, 9)))
    net.transition("count", {"network": tup(var("i"), var("j")), "stage": tup(var("i"), var("x"))},
                   {"stage": tup(var("i"), op("successor", var("x")))}, op("lessthan", var("x"), number(n, 0, n)))
    net.transition("win", {"poll": var("i"), "stage": tup(var("i"), number(n, 0, n))},
                   {"start": op("subtract", op("add", everything("M"), var("i")), everything("M"))})
    return net


@family
def certificate(n):
    """All of a class taken at once, alone and inside a tuple, and all but one."""
    net = Net("certificate")
    net.colours("Site", n)
    net.product("Two", "Site", "Site")
    net.variables("Site", "x", "y")
    net.place("idle", ".", num(1, DOT))
    net.place("begun", "Site")
    net.place("heard", "Two")
    net.place("ready", "Site")
    net.transition("begin", {"idle": DOT}, {"begun": num(1, everything("Site"))})
    net.transition("tell", {"begun": var("x")}, {"heard": tup(var("x"), everything("Site"))})
    net.transition("agree", {"heard": tup(everything("Site"), var("y"))}, {"ready": num(1, var("y"))})
    net.transition("close", {"ready": num(1, everything("Site"))}, {"idle": num(1, DOT)})
    net.transition("lose", {"ready": op("subtract", everything("Site"), var("x"))}, {"begun": var("y")},
                   op("and", op("inequality", var("x"), var("y")), op("inequality", var("x"), const("Site0"))))
    return net


@family
def bridge(n):
    """Cyclic successor of two colours, a counter, weights, guards of not and order."""
    net = Net("bridge")
    net.colours("Side", 2)
    net.range("Count", 0, n)
    net.variables("Side", "s")
    net.variables("Count", "c")
    net.place("room", ".", num(2, DOT))
    net.place("waiting", "Side", op("add", num(n, const("Side0")), const("Side1")))
    net.place("on", "Side")
    net.place("turn", "Side", num(1, const("Side0")))
    net.place("passed", "Count", number(0, 0, n))
    net.transition("enter", {"waiting": var("s"), "turn": var("s"), "room": DOT, "passed": var("c")},
                   {"on": var("s"), "turn": var("s"), "passed": op("successor", var("c"))},
                   op("inequality", var("c"), number(n, 0, n)))
    net.transition("leave", {"on": var("s")}, {"waiting": op("predecessor", var("s")), "room": num(1, DOT)})
    net.transition("switch", {"turn": var("s"), "room": num(2, DOT), "passed": var("c")},
                   {"turn": op("successor", var("s")), "room": num(2, DOT), "passed": number(0, 0, n)},
                   op("not", op("or", op("equality", var("c"), number(0, 0, n)),
                                op("greaterthan", number(1, 1, 1), var("c")))))
    return net


@family
def zones(n):
    """Partitions: blocks as colours, in tuples, as sets, in order; an operator with a definition."""
    net = Net("zones")
    net.colours("Town", n + 1)
    net.partition("Zone", "Town", north=["Town%d" % i for i in range(0, n + 1, 2)],
                  south=["Town%d" % i for i in range(1, n + 1, 2)])
    net.product("Away", "Town", "Zone")
    net.operator("beyond", "Town", block("Zone", op("successor", var("q"))))
    net.variables("Town", "t", "u")
    net.variables("Zone", "z")
    net.place("people", "Town", num(1, everything("Town")))
    net.place("votes", "Zone")
    net.place("away", "Away")
    net.place("seats", "Town", const("north"))
    net.transition("vote", {"people": num(1, var("t"))}, {"votes": block("Zone", var("t"))})
    net.transition("move", {"people": var("t"), "seats": var("u")},
                   {"away": tup(var("u"), op("useroperator declaration='beyond'", var("t")))},
                   op("imply", op("equality", var("t"), var("u")),
                      op("gtp", block("Zone", var("t")), const("north"))))
    net.transition("back", {"away": tup(var("t"), var("z"))}, {"people": var("t"), "seats": var("t")},
                   op("ltp", var("z"), const("south")))
    net.transition("close", {"votes": num(2, var("z"))}, {"votes": op("successor", var("z"))})
    net.transition("rise", {"seats": const("north")}, {"seats": const("south")})
    return net


@family
def boxes(n):
    """Neighbours in a grid: successors inside tuples that must not go round."""
    net = Net("boxes")
    net.range("X", 1, n)
    net.colours("Way", 2, "finiteenumeration")
    net.colours("Player", 2)
    net.product("Line", "X", "Way")
    net.product("Won", "Player", "X")
    net.variables("X", "x")
    net.variables("Way", "d")
    net.variables("Player", "p")
    net.place("free", "Line", everything("Line"))
    net.place("drawn", "Line")
    net.place("turn", "Player", const("Player0"))
    net.place("won", "Won")
    net.transition("draw", {"free": tup(var("x"), var("d")), "turn": var("p")},
                   {"drawn": tup(var("x"), var("d")), "turn": op("successor", var("p"))})
    net.transition("close", {"drawn": op("add", tup(var("x"), const("Way0")), tup(var("x"), const("Way1")),
                                         tup(op("successor", var("x")), const("Way1"))), "turn": var("p")},
                   {"won": num(2, tup(op("predecessor", var("p")), var("x"))), "turn": num(1, var("p"))},
                   op("lessthanorequal", op("successor", var("x")), number(n, 2, n)) if n > 2 else
                   op("lessthan", var("x"), number(n, 1, n)))
    return net
