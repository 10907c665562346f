"""Nets: reading, building, firing, writing, and what is asked of them."""
from __future__ import annotations

import os
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from . import _adapters
from ._answer import Verdict, Witness
from ._exploration import Exploration, explore
from ._library import (NONE, Limits, Texts, call, drawn, encoded, ffi, lib, made, options, raise_error, several, taken,
                       text, visible)
from ._prefix import Prefix, unfold

ARCS = {"pre": lib.MZ_PRE, "post": lib.MZ_POST, "read": lib.MZ_READ, "inhibit": lib.MZ_INHIBIT}
FACTS = {
    "loops": lib.MZ_FACT_LOOPS, "source_transitions": lib.MZ_FACT_SOURCE_TRANSITIONS,
    "sink_transitions": lib.MZ_FACT_SINK_TRANSITIONS, "source_places": lib.MZ_FACT_SOURCE_PLACES,
    "sink_places": lib.MZ_FACT_SINK_PLACES, "isolated_places": lib.MZ_FACT_ISOLATED_PLACES,
    "initial_tokens": lib.MZ_FACT_INITIAL_TOKENS, "largest_weight": lib.MZ_FACT_LARGEST_WEIGHT,
}
CLASSES = {
    "ordinary": lib.MZ_FACT_ORDINARY, "pure": lib.MZ_FACT_PURE, "conservative": lib.MZ_FACT_CONSERVATIVE,
    "state_machine": lib.MZ_FACT_STATE_MACHINE, "marked_graph": lib.MZ_FACT_MARKED_GRAPH,
    "free_choice": lib.MZ_FACT_FREE_CHOICE, "extended_free_choice": lib.MZ_FACT_EXTENDED_FREE_CHOICE,
}

#: What names a place or a transition: its number or its id.
Node = Union[int, str]
#: Tokens by place (id or number); places that are not named have none.
Marking = Mapping[Node, int]
#: The ends of arcs: a place, several, or places with weights.
Places = Union[str, Iterable[str], Mapping[str, int]]


class Arc(NamedTuple):
    """An arc between a place and a transition, both by number."""

    kind: str  #: "pre", "post", "read" or "inhibit"
    place: int
    transition: int
    weight: int


class Invariant(NamedTuple):
    """A weighted sum of places that no firing changes."""

    weights: dict[str, int]  #: by place
    value: int  #: of the weighted sum of tokens, at every reachable marking


class Net:
    """A Petri net, or a concurrent program compiled to one. Nets never change, and any thread may use them."""

    def __init__(self, handle: Any):
        self._handle = handle

    # ---- making ----

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]], net: Optional[str] = None,
             define: Optional[Mapping[str, Any]] = None, **limits: Any) -> Net:
        """Reads a file of any format that Mazurka knows (PNML, coloured or not, LoLA, TPN, TINA, ll_net, compressed or
        not), or compiles a program (.mzk). ``net`` chooses one of several, ``define`` gives values to a program's
        parameters."""
        within, defines = Limits(**limits), _defines(define)
        return cls(made(lib.mz_net_read, within, lib.mz_net_free, encoded(os.fspath(path)),
                        encoded(net) if net is not None else ffi.NULL, defines.pointer, within.pointer))

    @classmethod
    def from_bytes(cls, data: Union[bytes, str], name: str = "net.pnml", net: Optional[str] = None,
                   define: Optional[Mapping[str, Any]] = None, **limits: Any) -> Net:
        """The same from memory; ``name`` is for messages, and tells a program by its ending .mzk."""
        data = data.encode() if isinstance(data, str) else bytes(data)
        within, defines = Limits(**limits), _defines(define)
        return cls(made(lib.mz_net_read_bytes, within, lib.mz_net_free, data, len(data), encoded(name),
                        encoded(net) if net is not None else ffi.NULL, defines.pointer, within.pointer))

    @classmethod
    def from_pm4py(cls, net: Any, initial_marking: Mapping[Any, int],
                   final_marking: Optional[Mapping[Any, int]] = None) -> Net:
        """From pm4py's PetriNet and Markings, or anything with places, transitions and arcs like these."""
        return _adapters.from_pm4py(NetBuilder, net, initial_marking, final_marking)

    def to_pm4py(self) -> tuple[Any, Any, Any]:
        """(PetriNet, initial marking, final marking) of pm4py, which must be installed. The final marking is empty when
        ``final``, an expression, stands for other markings than one."""
        return _adapters.to_pm4py(self)

    @classmethod
    def from_networkx(cls, graph: Any) -> Net:
        """From a directed graph whose nodes have ``kind`` "place" (with ``tokens``) or "transition", and whose edges
        may have ``weight`` and ``kind`` ("read", "inhibit")."""
        return _adapters.from_networkx(NetBuilder, graph)

    def to_networkx(self) -> Any:
        """A networkx.DiGraph with the attributes that from_networkx() reads; networkx must be installed."""
        return _adapters.to_networkx(self)

    # ---- life ----

    def close(self) -> None:
        """Frees it now instead of with the last reference."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None

    def __copy__(self) -> Net:
        return self  # nets never change

    def __deepcopy__(self, _memo: Any) -> Net:
        return self

    def __enter__(self) -> Net:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @property
    def handle(self) -> Any:
        """The library's handle, for calls of one's own through cffi."""
        if self._handle is None:
            raise ValueError("this net is closed")
        return self._handle

    # ---- structure ----

    @property
    def name(self) -> str:
        """As the file says."""
        return text(lib.mz_net_name(self.handle)) or ""

    @property
    def summary(self) -> str:
        """Sizes, and what of the file was ignored: "12 places, 9 transitions, 31 arcs"."""
        return text(lib.mz_net_summary(self.handle)) or ""

    @property
    def is_program(self) -> bool:
        """Was it compiled from a program?"""
        return lib.mz_net_is_program(self.handle)

    @property
    def final(self) -> Optional[str]:
        """The markings at which it may end, as an expression."""
        return text(lib.mz_net_final(self.handle))

    @property
    def places(self) -> list[str]:
        """Ids, in the order of numbers."""
        handle = self.handle
        return [text(lib.mz_net_place_id(handle, i)) or "" for i in range(lib.mz_net_places(handle))]

    @property
    def transitions(self) -> list[str]:
        """Ids, in the order of numbers."""
        handle = self.handle
        return [text(lib.mz_net_transition_id(handle, i)) or "" for i in range(lib.mz_net_transitions(handle))]

    def place(self, node: Node) -> int:
        """The number of a place."""
        return self._number(node, lib.mz_net_places, lib.mz_net_find_place, "place")

    def transition(self, node: Node) -> int:
        """The number of a transition."""
        return self._number(node, lib.mz_net_transitions, lib.mz_net_find_transition, "transition")

    def _number(self, node: Node, count: Callable[..., int], find: Callable[..., int], kind: str) -> int:
        if isinstance(node, str):
            number = find(self.handle, encoded(node))
            if number == NONE:
                raise KeyError("there is no %s %r" % (kind, node))
            return number
        if not 0 <= node < count(self.handle):
            raise IndexError("there is no %s %d" % (kind, node))
        return node

    def place_id(self, place: Node) -> str:
        """The id of a place."""
        return text(lib.mz_net_place_id(self.handle, self.place(place))) or ""

    def place_label(self, place: Node) -> str:
        """Its label; its id when the file has none."""
        return text(lib.mz_net_place_label(self.handle, self.place(place))) or ""

    def transition_id(self, transition: Node) -> str:
        """The id of a transition."""
        return text(lib.mz_net_transition_id(self.handle, self.transition(transition))) or ""

    def transition_label(self, transition: Node) -> str:
        """Its label; its id when the file has none."""
        return text(lib.mz_net_transition_label(self.handle, self.transition(transition))) or ""

    def arcs(self, kind: Optional[str] = None) -> Iterator[Arc]:
        """All arcs, or those of one kind, by transition."""
        for name in [kind] if kind else ARCS:
            if name not in ARCS:
                raise ValueError("arcs are pre, post, read or inhibit, not %r" % name)
            start, place = lib.mz_net_arc_start(self.handle, ARCS[name]), lib.mz_net_arc_place(self.handle, ARCS[name])
            weight = lib.mz_net_arc_weight(self.handle, ARCS[name])
            for t in range(lib.mz_net_transitions(self.handle)):
                for i in range(start[t], start[t + 1]):
                    yield Arc(name, place[i], t, 1 if weight == ffi.NULL else weight[i])

    @property
    def facts(self) -> dict[str, Union[int, bool]]:
        """Numbers and classes that the arcs tell."""
        numbers: dict[str, Union[int, bool]] = {n: lib.mz_net_fact(self.handle, f) for n, f in FACTS.items()}
        numbers.update({n: bool(lib.mz_net_fact(self.handle, f)) for n, f in CLASSES.items()})
        return numbers

    def invariants(self, **limits: Any) -> list[Invariant]:
        """Weighted sums of places that no firing changes."""
        within = Limits(**limits)
        found = ffi.gc(call(lambda: lib.mz_net_invariants(self.handle, within.pointer), within), lib.mz_invariants_free)
        count, out = ffi.new("uint32_t *"), []
        for i in range(lib.mz_invariants_count(found)):
            places, weights = lib.mz_invariants_places(found, i, count), lib.mz_invariants_weights(found, i)
            out.append(Invariant({self.place_id(places[k]): weights[k] for k in range(count[0])},
                                 lib.mz_invariants_value(found, i)))
        return out

    # ---- the token game ----

    @property
    def initial(self) -> dict[str, int]:
        """The initial marking: tokens by place, without the empty ones."""
        return self.marking(lib.mz_net_initial(self.handle))

    def marking(self, counts: Sequence[int]) -> dict[str, int]:
        """Tokens by place of a list with a number for each."""
        return {self.place_id(i): counts[i] for i in range(lib.mz_net_places(self.handle)) if counts[i]}

    def _counts(self, marking: Optional[Marking]) -> Any:
        n = lib.mz_net_places(self.handle)
        counts = ffi.new("uint64_t[]", max(n, 1))
        if marking is None:
            ffi.memmove(counts, lib.mz_net_initial(self.handle), n * 8)
        else:
            for node, tokens in marking.items():
                counts[self.place(node)] = tokens
        return counts

    def enabled(self, marking: Optional[Marking] = None) -> list[str]:
        """The transitions that can fire at a marking (the initial one when not given)."""
        counts = self._counts(marking)
        return [self.transition_id(t) for t in range(lib.mz_net_transitions(self.handle))
                if lib.mz_net_enabled(self.handle, counts, t)]

    def fire(self, transitions: Union[str, Iterable[Node]], marking: Optional[Marking] = None) -> dict[str, int]:
        """The marking after a firing sequence. ValueError when one of them cannot fire."""
        counts, run = self._counts(marking), [self.transition(t) for t in several(transitions)]
        fired = lib.mz_net_fire(self.handle, counts, ffi.new("uint32_t[]", run or [0]), len(run))
        if fired < len(run):
            raise ValueError("%s cannot fire after %d firings" % (self.transition_id(run[fired]), fired))
        return self.marking(counts)

    def describe(self, marking: Optional[Marking] = None) -> str:
        """A marking in words; of a program in those of its source."""
        return taken(lib.mz_net_describe(self.handle, self._counts(marking))).decode("utf-8", "replace")

    # ---- writing ----

    def write(self, format: str = "pnml") -> str:
        """In a format: pnml, ll_net, lola, tpn, net; or a drawing: dot, svg."""
        slot, size = ffi.new("mz_error **"), ffi.new("size_t *")
        out = lib.mz_net_write(self.handle, encoded(format), size, slot)
        if out == ffi.NULL:
            raise_error(slot)
        return taken(out, size[0]).decode("utf-8", "replace")

    def save(self, path: Union[str, os.PathLike[str]], format: Optional[str] = None) -> None:
        """The same to a file, by its ending when the format is not given."""
        data = self.write(format or os.path.splitext(os.fspath(path))[1][1:])
        with open(path, "w", encoding="utf-8") as file:
            file.write(data)

    def _repr_svg_(self) -> Optional[str]:
        return drawn(self.write)

    def __repr__(self) -> str:
        return "<Net %s: %s>" % (visible(self.name), self.summary) if self._handle is not None else "<Net, closed>"

    # ---- questions ----

    def check(self, property: str = "deadlock", *, time: Optional[float] = None, memory: Optional[float] = None,
              threads: Optional[int] = None, progress: Optional[Callable[[str], None]] = None, **more: Any) -> Verdict:
        """Asks one property and gives a Verdict with its evidence.

        ``"deadlock"``, ``"reach EXPR"``, ``"invariant EXPR"``, ``"fireable T"``, ``"safe"``, ``"home EXPR"``,
        ``"reversible"``, ``"live"``, ``"live T"``, ``"sound"`` (also ``"sound weak"``, ``"sound relaxed"``,
        ``"sound 3"``); of programs ``"assertions"`` and ``"race"``. Further arguments are options of mazurka-check(1):
        ``engine``, ``relation``, ``order``, ``seed``, ``final``, ``certificate=True``.
        """
        within, given = Limits(time, memory, None, threads, progress), options(more)
        handle = made(lib.mz_check, within, lib.mz_answer_free, self.handle, encoded(property), given.pointer,
                      within.pointer)
        return Verdict(self, handle)

    def check_file(self, path: Union[str, os.PathLike[str]], *, time: Optional[float] = None,
                   memory: Optional[float] = None, threads: Optional[int] = None,
                   progress: Optional[Callable[[str], None]] = None, **more: Any) -> Verdict:
        """All properties of a contest file: a Verdict whose ``parts`` they are."""
        within, given = Limits(time, memory, None, threads, progress), options(more)
        handle = made(lib.mz_check_file, within, lib.mz_answer_free, self.handle, encoded(os.fspath(path)),
                      given.pointer, within.pointer, ffi.NULL, ffi.NULL)
        return Verdict(self, handle)

    def verify(self, certificate: bytes, **limits: Any) -> str:
        """What a certificate proves about this net. An Error when it proves nothing."""
        within, slot, claim = Limits(**limits), ffi.new("mz_error **"), ffi.new("char **")
        if not call(lambda: lib.mz_verify(self.handle, certificate, len(certificate), within.pointer, claim, slot),
                    within):
            raise_error(slot)
        return taken(claim[0]).decode("utf-8", "replace")

    def unfold(self, relation: str = "classic", order: str = "erv", *, time: Optional[float] = None,
               memory: Optional[float] = None, events: Optional[int] = None, threads: Optional[int] = None,
               progress: Optional[Callable[[str], None]] = None, **more: Any) -> Prefix:
        """A finite complete prefix of the unfolding under an independence relation; options as of mazurka-unfold(1)."""
        return unfold(self, dict(more, relation=relation, order=order), Limits(time, memory, events, threads, progress))

    def explore(self, algorithm: str = "upor", on_leaf: Optional[Callable[[str, list[int]], Any]] = None, *,
                time: Optional[float] = None, memory: Optional[float] = None, events: Optional[int] = None,
                threads: Optional[int] = None, progress: Optional[Callable[[str], None]] = None,
                **more: Any) -> Exploration:
        """One run of each Mazurkiewicz trace. ``on_leaf(kind, run)`` is told of each; it stops by returning False.
        Options as of mazurka-explore(1), ``depth=`` and ``unroll=`` for runs without end; ``await_=`` is
        ``--await``."""
        return explore(self, dict(more, algorithm=algorithm), on_leaf, Limits(time, memory, events, threads, progress))

    def run(self, transitions: Union[str, Iterable[Node]]) -> Witness:
        """A firing sequence as an object that draws itself as a partial order."""
        return Witness(self, [self.transition(t) for t in several(transitions)])


def _defines(values: Optional[Mapping[str, Any]]) -> Texts:
    return Texts("%s=%s" % pair for pair in (values or {}).items())


class NetBuilder:
    """A net made in code::

        b = NetBuilder("mutex")
        b.place("free", 1)
        b.transition("enter", pre=["free"], post={"inside": 1})
        net = b.finish()

    Places that arcs name are made, without tokens, when they are not there yet.
    """

    def __init__(self, name: str = "net"):
        self._handle = ffi.gc(lib.mz_builder_new(encoded(name)), lib.mz_builder_free)
        self._places: dict[str, int] = {}
        self._transitions: dict[str, int] = {}

    def _builder(self) -> Any:
        if self._handle is None:
            raise ValueError("this net is finished")
        return self._handle

    def place(self, id: str, tokens: int = 0, label: Optional[str] = None) -> NetBuilder:
        """A place with tokens; the label is its id when not given."""
        number = lib.mz_builder_place(self._builder(), encoded(id), encoded(label) if label is not None else ffi.NULL,
                                      tokens)
        self._places[id] = number
        return self

    def transition(self, id: str, pre: Places = (), post: Places = (), read: Places = (), inhibit: Places = (),
                   label: Optional[str] = None) -> NetBuilder:
        """Arcs are places, or places with weights."""
        number = lib.mz_builder_transition(self._builder(), encoded(id),
                                           encoded(label) if label is not None else ffi.NULL)
        self._transitions[id] = number
        for kind, arcs in (("pre", pre), ("post", post), ("read", read), ("inhibit", inhibit)):
            for place, weight in arcs.items() if isinstance(arcs, Mapping) else [(place, 1) for place in several(arcs)]:
                self.arc(kind, place, id, weight)
        return self

    def arc(self, kind: str, place: str, transition: str, weight: int = 1) -> NetBuilder:
        """One more arc: "pre", "post", "read" or "inhibit". Those of one kind between two nodes are added up (read: the
        largest, inhibit: the smallest)."""
        if kind not in ARCS:
            raise ValueError("arcs are pre, post, read or inhibit, not %r" % kind)
        if transition not in self._transitions:
            raise KeyError("there is no transition %r" % transition)
        if place not in self._places:
            self.place(place)
        lib.mz_builder_arc(self._builder(), ARCS[kind], self._places[place], self._transitions[transition], weight)
        return self

    def final(self, expression: str) -> NetBuilder:
        """Markings at which the net may end."""
        lib.mz_builder_final(self._builder(), encoded(expression))
        return self

    def finish(self) -> Net:
        """The net; an Error says what is wrong with it. The builder is of no use any more."""
        builder, slot = self._builder(), ffi.new("mz_error **")
        ffi.gc(builder, None)  # finishing frees it
        self._handle = None
        net = lib.mz_builder_finish(builder, slot)
        if net == ffi.NULL:
            raise_error(slot)
        return Net(ffi.gc(net, lib.mz_net_free))
