"""The package against small nets whose answers are known, and against the command line."""
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

import mazurka
from mazurka import Net, NetBuilder

SOURCE = os.environ["SRCDIR"]
PROGRAM = os.environ["MAZURKA"]
NETS = os.path.join(SOURCE, "nets")


def net_of(name):
    return Net.read(os.path.join(NETS, name))


def command(*arguments):
    out = subprocess.run([PROGRAM, *arguments, "--json", "-q"], capture_output=True, text=True, timeout=300)
    return json.loads(out.stdout)


# ---- nets ----

def test_structure():
    net = net_of("philosophers-3.pnml")
    assert (len(net.places), len(net.transitions)) == (12, 9)
    assert net.initial == {p + str(i): 1 for i in range(3) for p in ("think", "fork")}
    assert net.place("fork1") == net.places.index("fork1") and net.place_id(net.place("fork1")) == "fork1"
    arcs = list(net.arcs())
    assert len(arcs) == command("info", os.path.join(NETS, "philosophers-3.pnml"))["arcs"]
    assert net.facts["ordinary"] is True and net.facts["initial_tokens"] == 6
    forks = [i for i in net.invariants() if "fork0" in i.weights]
    assert forks and all(sum(w * net.initial.get(p, 0) for p, w in i.weights.items()) == i.value for i in forks)
    with pytest.raises(KeyError):
        net.place("nothing")
    with pytest.raises(IndexError):
        net.transition_id(99)


def test_token_game():
    net = net_of("philosophers-3.pnml")
    assert net.enabled() == ["first0", "first1", "first2"]
    after = net.fire(["first0", "second0"])
    assert after["eat0"] == 1 and "think0" not in after
    assert net.fire(["back0"], after) == net.initial if "back0" in net.transitions else True
    with pytest.raises(ValueError, match="cannot fire after 1"):
        net.fire(["first0", "first0"])


def test_what_a_terminal_obeys_is_not_shown():
    name, odd = "n\x1b[2J", "t\u202e\n"
    net = NetBuilder(name).place("p\x07", 1).transition(odd, "p\x07", "q\x9b").finish()
    prefix = net.unfold()
    verdict = net.check("deadlock")
    shown = [net, prefix, prefix[0], *prefix.conditions, verdict, verdict.witness, net.explore(),
             mazurka.compare([net])]
    for line in map(repr, shown):
        assert line.replace("\n", "").isprintable(), ascii(line)
    assert prefix[0].transition == odd and net.name == name


def test_builder_and_writing():
    b = NetBuilder("weights")
    b.place("a", 5, label="start").transition("t", pre={"a": 2}, post=["b"], read={"a": 1}, inhibit={"b": 2})
    net = b.finish()
    assert {tuple(arc) for arc in net.arcs()} == {("pre", 0, 0, 2), ("post", 1, 0, 1), ("read", 0, 0, 1),
                                                  ("inhibit", 1, 0, 2)}
    assert net.place_label("a") == "start"
    assert net.fire(["t", "t"]) == {"a": 1, "b": 2} and net.enabled(net.fire(["t", "t"])) == []
    again = Net.from_bytes(net.write("pnml"))
    assert sorted(again.arcs()) == sorted(net.arcs()) and again.initial == net.initial
    assert "<svg" in net._repr_svg_() and "digraph" in net.write("dot")
    with pytest.raises(ValueError):
        b.place("late")
    with pytest.raises(mazurka.Error, match="a"):
        NetBuilder().place("a").place("a").finish()


def test_one_id_is_no_list_of_letters():
    net = NetBuilder().place("in", 1).transition("go", "in", "out").finish()
    assert net.places == ["in", "out"] and net.fire("go") == {"out": 1} and list(net.run("go")) == ["go"]


def test_arcs_add_up():
    b = NetBuilder().transition("t")
    b.arc("pre", "p", "t").arc("pre", "p", "t", 2).arc("inhibit", "q", "t", 3).arc("inhibit", "q", "t")
    assert {(a.kind, a.weight) for a in b.finish().arcs()} == {("pre", 3), ("inhibit", 1)}
    with pytest.raises(ValueError, match="pre, post, read or inhibit"):
        NetBuilder().transition("t").arc("out", "p", "t")
    with pytest.raises(KeyError):
        NetBuilder().arc("pre", "p", "t")


def test_a_copy_of_a_net_is_the_net():
    import copy

    net = net_of("readers-2.pnml")
    # two owners of one handle would free it twice
    assert copy.copy(net) is net and copy.deepcopy({"n": net})["n"] is net


def test_errors_have_places():
    with pytest.raises(mazurka.InputError) as error:
        Net.from_bytes('<pnml>\n<net id="n"><place/></net></pnml>', name="bad.pnml")
    assert error.value.file == "bad.pnml" and error.value.line == 2 and str(error.value).startswith("bad.pnml:2:")
    with pytest.raises(mazurka.FileError):
        Net.read("/nowhere/at/all.pnml")
    net = net_of("ring-3.pnml") if os.path.exists(os.path.join(NETS, "ring-3.pnml")) else net_of("philosophers-3.pnml")
    for call in (lambda: net.check("reach nothing >= 1"), lambda: net.check("unheard"), lambda: net.unfold("strange"),
                 lambda: net.check("deadlock", engine="none such"), lambda: net.write("exe"),
                 lambda: net.explore("magic"), lambda: net.check(wrong_option=1), lambda: mazurka.compare(net, "odd")):
        with pytest.raises(mazurka.Error):
            call()
    with pytest.raises(ValueError):
        net.check("reach \0")
    net.close()
    with pytest.raises(ValueError, match="closed"):
        net.places
    with net_of("philosophers-3.pnml") as open_net:
        assert open_net.places
    assert repr(open_net) == "<Net, closed>"


def test_programs():
    net = Net.read(os.path.join(NETS, "programs", "pi.mzk"), define={"N": 4})
    assert net.is_program and net.explore().traces == 24
    assert "line" in net.describe() or net.describe()


# ---- answers ----

def test_parts_of_runs():
    run = net_of("philosophers-3.pnml").check().witness
    assert run[:2] == list(run)[:2] and run[-1:] == [run[2]] and run[::-1] == list(run)[::-1]


def test_verdicts():
    net = net_of("philosophers-3.pnml")
    dead = net.check("deadlock")
    assert dead.violated and not dead and dead.witness.marking == {"has0": 1, "has1": 1, "has2": 1}
    assert len(dead.witness) == 3 and list(dead.witness) == [dead.witness[i] for i in range(3)]
    assert "<svg" in dead._repr_svg_() and dead.witness.write("run").split() == list(dead.witness)
    assert net.check("invariant eat0 + eat1 <= 1").holds and bool(net.check("safe"))
    assert net.check("reach eat0 >= 1").witness.marking["eat0"] == 1
    assert net.check("reach eat0 + eat1 >= 2").violated
    assert net.check("home think0 >= 1").violated
    live = net_of("philosophers-free-4.pnml").check("live")
    assert live.holds or live.violated


def test_certificates():
    net = net_of("philosophers-free-4.pnml")
    proof = net.check("deadlock", certificate=True)
    assert proof.holds and proof.certificate.startswith(b"mazurka-certificate")
    assert "deadlock" in net.verify(proof.certificate)
    with pytest.raises(mazurka.Error):
        net_of("philosophers-3.pnml").verify(proof.certificate)
    with pytest.raises(mazurka.Error):
        net.verify(proof.certificate[:-30] + b"0" * 30)


def test_soundness_in_parts():
    b = NetBuilder("process")
    b.place("i", 1).transition("split", ["i"], ["a"]).transition("skip", ["i"], ["b"])
    b.transition("join", ["a", "b"], ["o"])
    sound = b.finish().check("sound")
    assert repr(sound) == "<sound: violated>" and sound.parts["completes"].violated
    assert sound.parts["useful"].transitions == ["join"]
    assert list(sound.parts["completes"].witness) in (["split"], ["skip"])


def test_unknown_is_no_answer():
    b = NetBuilder("grows")
    b.place("p", 1).transition("t", ["p"], {"p": 1, "q": 1})
    answer = b.finish().check("home q == 0", time=0.3)
    if answer.unknown:
        with pytest.raises(ValueError):
            bool(answer)


def test_files(tmp_path):
    path = tmp_path / "p.xml"
    path.write_text(
        '<property-set xmlns="http://mcc.lip6.fr/"><property><id>x-0</id><description>d</description><formula>'
        "<exists-path><finally><integer-le><integer-constant>1</integer-constant><tokens-count><place>eat0</place>"
        "</tokens-count></integer-le></finally></exists-path></formula></property></property-set>")
    whole = net_of("philosophers-3.pnml").check_file(path)
    assert whole.holds and whole.parts["x-0"].holds


# ---- prefixes ----

def test_prefix():
    net = net_of("readers-6.pnml")
    classic, read = net.unfold("classic"), net.unfold("read")
    assert classic.complete and (len(classic), classic.n_cutoffs) == (256, 129) and read.n_histories == 70
    for event in classic:
        assert event.local[-1] == event and len(event.local) == event.size
        assert event.marking == net.fire([e.transition for e in event.local])
        assert {c.producer for c in event.pre if c.producer} <= set(event.causes)
        assert all(c.producer == event for c in event.post)
        if event.is_cutoff:
            known = event.companion.marking if event.companion else net.initial
            assert event.marking == known and event.why()
    assert sum(e.is_cutoff for e in classic) == 129
    with pytest.raises(IndexError):
        classic[256]
    assert classic[2:8:3] == [classic[2], classic[5]] and classic[-1:] == [classic[255]] and classic[300:] == []


def test_options_that_are_bools():
    net = net_of("philosophers-3.pnml")
    assert net.unfold(cutoffs=True).n_cutoffs == 3 and net.unfold(cutoffs=None).n_cutoffs == 3
    assert net.unfold(cutoffs=False, events=30).n_cutoffs == 0 and not net.explore(cutoffs=False, events=100).complete
    assert net.check("safe", certificate=True).certificate and net.check("safe", certificate=False).certificate is None


def test_arrays():
    prefix = net_of("readers-6.pnml").unfold("classic")
    start, cause = prefix.array("cause_start"), prefix.array("cause")
    assert len(start) == len(prefix) + 1 and start[len(prefix)] == len(cause) and cause.readonly
    for event in prefix:
        assert [c.number for c in event.causes] == list(cause[start[event.number]:start[event.number + 1]])
    transitions = prefix.array("event_transition")
    copy = list(transitions)
    del prefix, event
    gc.collect()
    assert list(transitions) == copy  # the view keeps the prefix
    with pytest.raises(ValueError):
        net_of("readers-6.pnml").unfold().array("nothing")


def test_drawings():
    prefix = net_of("readers-2.pnml").unfold("read")
    assert "<svg" in prefix._repr_svg_() and json.loads(prefix.write("json"))
    assert "<svg" in prefix.write("svg", around=0, radius=1)
    large = net_of("readers-6.pnml").unfold("classic", cutoffs=False)
    assert large._repr_svg_() is None and "events" in repr(large)  # notebooks show the text then
    with pytest.raises(mazurka.Error, match="cannot be read"):
        large.write("svg")


def test_same_as_the_command():
    path = os.path.join(NETS, "readers-6.pnml")
    for relation in ("classic", "read", "loops"):
        told, prefix = command("unfold", path, "--relation", relation), Net.read(path).unfold(relation)
        assert told["events"] == (prefix.n_histories or len(prefix))


# ---- exploring and comparing ----

def test_explore():
    net = net_of("philosophers-3.pnml")
    seen = []
    result = net.explore("upor", lambda kind, run: seen.append((kind, tuple(run))), cutoffs="on")
    assert result.complete and len(result.deadlocks) == 1 and result.deadlocks[0].marking["has0"] == 1
    assert seen and all(net.fire(run) is not None for _, run in seen)
    program = Net.read(os.path.join(NETS, "programs", "pi.mzk"), define={"N": 4})
    for algorithm in ("upor", "odpor", "reverse", "sdpor", "sleep"):
        runs = []
        assert program.explore(algorithm, lambda kind, run: runs.append(kind)).traces == 24
        assert runs.count("maximal") == 24
    stopped = program.explore("odpor", lambda kind, run: False)
    assert not stopped.complete


def test_explore_what_waits():
    program = Net.read(os.path.join(NETS, "programs", "peterson.mzk"))
    for algorithm in ("odpor", "reverse"):
        kinds = []
        result = program.explore(algorithm, lambda kind, run: kinds.append(kind), await_="on")
        assert result.complete and result.traces == 4 and result.leaves["waiting"] == kinds.count("waiting") == 4
        assert "depth" in program.explore(algorithm, unroll=2).reason
        assert program.explore(algorithm).ending == "endless"
        assert set(program.explore(algorithm, depth=4).leaves) == set(result.leaves)
    assert program.explore(cutoffs=False, await_=True).traces == 4


def test_callbacks_may_fail():
    program = Net.read(os.path.join(NETS, "programs", "pi.mzk"), define={"N": 4})

    def fail(kind, run):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        program.explore("odpor", fail)
    assert program.explore("odpor").traces == 24


def test_compare():
    table = mazurka.compare([net_of("readers-6.pnml")], ["classic", "read"], "erv")
    assert [(row["relation"], row["events"]) for row in table] == [("classic", 256), ("read", 70)]
    assert "classic" in repr(table) and "<table>" in table._repr_html_() and set(table[0]) == set(mazurka.COLUMNS)


# ---- other packages ----

class Thing:
    def __init__(self, **members):
        self.__dict__.update(members)


def test_from_pm4py_by_looks():
    source, sink = Thing(name="source"), Thing(name="sink")
    middle = Thing(name="source")  # the same name twice
    work = Thing(name="work", label="Do it", in_arcs=[Thing(source=source, weight=1)],
                 out_arcs=[Thing(target=middle, weight=2)])
    end = Thing(name="end", label=None, in_arcs=[Thing(source=middle, weight=2)],
                out_arcs=[Thing(target=sink, weight=1)])
    model = Thing(name="m", places={source, sink, middle}, transitions={work, end})
    net = Net.from_pm4py(model, {source: 1}, {sink: 1})
    assert sorted(net.places) == ["sink", "source", "source_2"] and net.transition_label("work") == "Do it"
    assert net.check("sound").holds
    with pytest.raises(ValueError, match="no place"):
        Net.from_pm4py(model, {Thing(name="x"): 1})
    inhibitors = [Thing(source=sink, weight=w, properties={"arctype": "inhibitor"}) for w in (3, 2)]
    end.in_arcs += inhibitors + [Thing(source=middle, weight=1)]
    arcs = {(a.kind, a.weight) for a in Net.from_pm4py(model, {source: 1}).arcs()}
    assert ("inhibit", 2) in arcs and ("pre", 3) in arcs  # the stricter one; tokens are added up
    end.in_arcs.append(Thing(source=Thing(name="elsewhere"), weight=1))
    with pytest.raises(ValueError, match="no place"):
        Net.from_pm4py(model, {source: 1})


class Graph:
    """What a networkx.DiGraph looks like."""

    def __init__(self, nodes, edges):
        self.graph, self._nodes, self._edges = {"name": "g"}, nodes, edges

    def nodes(self, data):
        return list(self._nodes.items())

    def edges(self, data):
        return self._edges


def test_from_networkx_by_looks():
    graph = Graph({"p": {"kind": "place", "tokens": 1}, 2: {"kind": "place"}, "t": {"kind": "transition"}},
                  [("p", "t", {}), ("t", 2, {"weight": 3}), (2, "t", {"kind": "inhibit"})])
    net = Net.from_networkx(graph)
    assert net.fire(["t"]) == {"2": 3} and {a.kind for a in net.arcs()} == {"pre", "post", "inhibit"}
    with pytest.raises(ValueError, match="both of one kind"):
        Net.from_networkx(Graph({"p": {"kind": "place"}, "q": {"kind": "place"}}, [("p", "q", {})]))
    parallel = Graph({"p": {"kind": "place"}, "t": {"kind": "transition"}}, [("p", "t", {}), ("p", "t", {"weight": 2})])
    assert [a.weight for a in Net.from_networkx(parallel).arcs()] == [3]  # as a MultiDiGraph may have them
    parallel.is_directed = lambda: False
    with pytest.raises(ValueError, match="direction"):
        Net.from_networkx(parallel)


def test_networkx_and_back():
    networkx = pytest.importorskip("networkx")
    net = net_of("readers-2.pnml")
    graph = net.to_networkx()
    again = Net.from_networkx(graph)
    assert sorted(again.places) == sorted(net.places) and again.initial == net.initial
    assert len(list(again.arcs())) == len(list(net.arcs()))
    assert networkx.is_directed_acyclic_graph(net.unfold().to_networkx())
    with pytest.raises(ValueError, match="both called 'x'"):
        NetBuilder().place("x").transition("x", ["x"]).finish().to_networkx()


def pm4py_by_looks(monkeypatch):
    """The few names of pm4py that are used, when it is not there."""
    import types

    class Place:
        def __init__(self, name):
            self.name, self.in_arcs, self.out_arcs = name, set(), set()

    class Transition(Place):
        def __init__(self, name, label):
            super().__init__(name)
            self.label = label

    class PetriNet:
        def __init__(self, name):
            self.name, self.places, self.transitions, self.arcs = name, set(), set(), set()

    PetriNet.Place, PetriNet.Transition = Place, Transition

    def add_arc_from_to(source, target, net, weight=1, type=None):
        arc = Thing(source=source, target=target, weight=weight, properties={"arctype": type} if type else {})
        net.arcs.add(arc)
        source.out_arcs.add(arc)
        target.in_arcs.add(arc)

    utils = types.SimpleNamespace(add_arc_from_to=add_arc_from_to)
    for name, module in {"pm4py": {}, "pm4py.objects": {}, "pm4py.objects.petri_net": {},
                         "pm4py.objects.petri_net.obj": {"PetriNet": PetriNet, "Marking": dict},
                         "pm4py.objects.petri_net.utils": {"petri_utils": utils}}.items():
        made = types.ModuleType(name)
        made.__dict__.update(module)
        monkeypatch.setitem(sys.modules, name, made)


PROCESS = """<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/pnmlcoremodel"><page id="g">
<place id="i"><initialMarking><text>1</text></initialMarking></place><place id="o"/><transition id="t"/>
<arc id="a" source="i" target="t"/><arc id="b" source="t" target="o"/></page>
<finalmarkings><marking><place idref="o"><text>1</text></place></marking></finalmarkings></net></pnml>"""


def b_with_end():
    return NetBuilder("w").place("i", 1).place("o").transition("t", ["i"], ["o"]).final('"i" == 0 && "o" == 1').finish()


def test_pm4py_and_back(monkeypatch):
    try:
        import pm4py  # noqa: F401
    except ImportError:
        pm4py_by_looks(monkeypatch)
    b = NetBuilder("b").place("p", 2).transition("t", pre={"p": 2}, post={"q": 3}, inhibit=["r"])
    for net in (net_of("philosophers-3.pnml"), b.finish()):
        again = Net.from_pm4py(*net.to_pm4py()[:2])
        assert again.initial == net.initial

        def named(n):
            return sorted((a.kind, n.place_id(a.place), n.transition_id(a.transition), a.weight) for a in n.arcs())

        assert named(again) == named(net)
    odd = NetBuilder("odd").place('i "1" \\ && o', 1).transition("t", ['i "1" \\ && o'], ["o"])
    for builder, final in ((NetBuilder("w").place("i", 1).transition("t", ["i"], ["o p"]), "i == 0 && \"o p\" == 2"),
                           (NetBuilder("w").place("i", 1).transition("t", ["i"], ["o"]), "o == 1"), (odd, None)):
        net = (builder.final(final) if final else builder).finish()
        final_marking = {place.name: tokens for place, tokens in net.to_pm4py()[2].items()}
        assert final_marking == ({"o p": 2} if final and "o p" in final else {})  # "o == 1" leaves i open: no marking
    net = Net.from_pm4py(*b_with_end().to_pm4py())
    assert net.final == b_with_end().final
    read = Net.from_bytes(PROCESS)  # as pm4py and ProM write it
    assert {place.name: tokens for place, tokens in read.to_pm4py()[2].items()} == {"o": 1}
    with pytest.raises(ValueError, match="read arcs"):
        NetBuilder("c").transition("t", read=["p"]).finish().to_pm4py()


# ---- limits, threads, memory ----

def hard_net():
    return Net.from_bytes(subprocess.run([PROGRAM, "gen", "slotted-ring", "12"], capture_output=True,
                                         check=True).stdout)


def test_limits():
    began = time.monotonic()
    prefix = hard_net().unfold("classic", time=0.3)
    assert not prefix.complete and prefix.ending == "ended_by_time" and time.monotonic() - began < 30
    assert not hard_net().unfold("classic", events=100).complete
    for limit in ({"time": 0}, {"time": -1}, {"time": float("nan")}, {"memory": 0}, {"events": -5}):
        with pytest.raises(ValueError, match="above 0"):
            hard_net().unfold(**limit)


def test_keyboard_interrupt():
    net = hard_net()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run in the background
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        net.unfold("none", time=60)
    timer.join()
    assert net.unfold("classic", events=10).ending == "ended_by_events"


def test_two_threads_at_once():
    answers, net = [], net_of("philosophers-3.pnml")
    free = net_of("philosophers-free-4.pnml")

    def work(which):
        for _ in range(10):
            answers.append((which is net, which.check().verdict))

    workers = [threading.Thread(target=work, args=(n,)) for n in (net, free)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert sorted(set(answers)) == [(False, "holds"), (True, "violated")]


def test_memory_does_not_grow():
    net = net_of("philosophers-3.pnml")

    def many(n):
        for _ in range(n):
            assert net.check("reach has0 >= 1", threads=1).holds
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = many(200)
    assert many(10000 if os.environ.get("MAZURKA_SOAK") else 600) - before < 4096  # KiB


def test_import_needs_no_compiler_and_little_work():
    code = "import time; t = time.process_time(); import mazurka; print(time.process_time() - t)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    print("import: %s s of CPU" % out.stdout.strip())
    modules = subprocess.run([sys.executable, "-c", "import mazurka, sys; print('pycparser' in sys.modules)"],
                             capture_output=True, text=True, check=True)
    assert modules.stdout.strip() == "False"  # nothing is parsed at import


def test_tutorial(monkeypatch):
    import doctest

    monkeypatch.chdir(NETS)
    result = doctest.testfile(os.path.join(SOURCE, "python", "README"), module_relative=False,
                              optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 15 and result.failed == 0


def test_readme():
    block = subprocess.run([sys.executable, os.path.join(SOURCE, "tests", "readme.py"), "import mazurka"],
                           capture_output=True, text=True, check=True).stdout
    assert "Net.read" in block
    out = subprocess.run([sys.executable, "-c", block], cwd=SOURCE, capture_output=True, text=True, check=True).stdout
    assert "violated" in out and "first0" in out


def test_everything_public_says_what_it_is():
    """Also types: help() and editors show both."""
    import inspect

    def mine(owner):
        for name, member in vars(owner).items():
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, (property, classmethod))):
                yield name, member

    for name in mazurka.__all__:
        thing = getattr(mazurka, name)
        if inspect.isclass(thing):
            own = inspect.getdoc(thing)
            assert own and not own.startswith(name + "("), name  # a NamedTuple has that one by itself
        functions = mine(thing) if inspect.isclass(thing) else [(name, thing)] if inspect.isfunction(thing) else []
        for member, given in functions:
            function = given.fget if isinstance(given, property) else getattr(given, "__func__", given)
            assert function.__doc__, "%s.%s" % (name, member)
            hints = function.__annotations__
            arguments = [p for p in inspect.signature(function).parameters if p not in ("self", "cls")]
            assert "return" in hints and all(a in hints for a in arguments), "%s.%s" % (name, member)
