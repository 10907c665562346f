"""Prefixes of unfoldings."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, overload

from ._library import BOTTOM, NONE, Limits, drawn, encoded, ffi, lib, made, options, raise_error, taken, text, visible

if TYPE_CHECKING:
    from ._net import Net

ENDINGS = {getattr(lib, name): name[3:].lower() for name in (
    "MZ_COMPLETE", "MZ_ENDED_BY_GOAL", "MZ_ENDED_BY_TIME", "MZ_ENDED_BY_MEMORY", "MZ_ENDED_BY_EVENTS",
    "MZ_ENDED_BY_CANCEL", "MZ_UNSAFE", "MZ_UNBOUNDED", "MZ_ENDLESS", "MZ_REFUTED", "MZ_OVERFLOW")}

#: Arrays by name, as Prefix.array() takes them.
ARRAYS = ("event_transition", "event_companion", "event_size", "event_depth", "cause_start", "cause", "pre_start",
          "pre_condition", "read_start", "read_condition", "post_start", "condition_place", "condition_event",
          "history_event", "history_companion", "history_size", "history_depth", "history_cause_start", "history_cause")


class Event:
    """An event of a prefix; a number with ways to ask about it."""

    __slots__ = ("prefix", "number")

    def __init__(self, prefix: Prefix, number: int):
        self.prefix, self.number = prefix, number

    @property
    def transition(self) -> str:
        """The id of the transition that it is an occurrence of."""
        return self.prefix.net.transition_id(lib.mz_prefix_transition(self.prefix.handle, self.number))

    @property
    def is_cutoff(self) -> bool:
        """Nothing behind it is in the prefix, as its marking was there before."""
        return lib.mz_prefix_companion(self.prefix.handle, self.number) != NONE

    @property
    def companion(self) -> Optional[Event]:
        """Of a cutoff: the event with the same marking; None: the initial marking has it, or it is no cutoff."""
        companion = lib.mz_prefix_companion(self.prefix.handle, self.number)
        return None if companion in (NONE, BOTTOM) else Event(self.prefix, companion)

    @property
    def size(self) -> int:
        """Of its local configuration."""
        return lib.mz_prefix_size(self.prefix.handle, self.number)

    @property
    def depth(self) -> int:
        """Events on the longest chain of causes, itself included."""
        return lib.mz_prefix_depth(self.prefix.handle, self.number)

    @property
    def causes(self) -> list[Event]:
        """The direct ones: events that made what it takes or reads."""
        count = ffi.new("uint32_t *")
        causes = lib.mz_prefix_causes(self.prefix.handle, self.number, count)
        return [Event(self.prefix, causes[i]) for i in range(count[0])]

    def _conditions(self, ask: Any) -> list[Condition]:
        count = ffi.new("uint32_t *")
        listed = ask(self.prefix.handle, self.number, count)
        return [Condition(self.prefix, listed[i]) for i in range(count[0])]

    @property
    def pre(self) -> list[Condition]:
        """Conditions that it takes."""
        return self._conditions(lib.mz_prefix_pre)

    @property
    def read(self) -> list[Condition]:
        """Conditions that it needs and leaves."""
        return self._conditions(lib.mz_prefix_read)

    @property
    def post(self) -> list[Condition]:
        """Conditions that it makes."""
        count = ffi.new("uint32_t *")
        first = lib.mz_prefix_post(self.prefix.handle, self.number, count)
        return [Condition(self.prefix, first + i) for i in range(count[0])]

    @property
    def local(self) -> list[Event]:
        """Its local configuration, in an order in which it can happen, itself last."""
        events = ffi.new("uint32_t[]", max(self.size, 1))
        n = lib.mz_prefix_local(self.prefix.handle, self.number, events)
        return [Event(self.prefix, events[i]) for i in range(n)]

    @property
    def marking(self) -> dict[str, int]:
        """Where its local configuration leads."""
        counts = ffi.new("uint64_t[]", max(lib.mz_net_places(self.prefix.net.handle), 1))
        lib.mz_prefix_marking(self.prefix.handle, self.number, counts)
        return self.prefix.net.marking(counts)

    def why(self) -> str:
        """Why it is a cutoff, or what keeps it from being one."""
        return taken(lib.mz_prefix_why(self.prefix.handle, self.number)).decode("utf-8", "replace")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and (self.prefix, self.number) == (other.prefix, other.number)

    def __hash__(self) -> int:
        return hash((id(self.prefix), self.number))

    def __repr__(self) -> str:
        return "<event %d: %s%s>" % (self.number, visible(self.transition), ", cutoff" if self.is_cutoff else "")


class Condition:
    """A condition of a prefix: a place with the event that made it."""

    __slots__ = ("prefix", "number")

    def __init__(self, prefix: Prefix, number: int):
        self.prefix, self.number = prefix, number

    @property
    def place(self) -> str:
        """The id of its place."""
        return self.prefix.net.place_id(lib.mz_prefix_place(self.prefix.handle, self.number))

    @property
    def producer(self) -> Optional[Event]:
        """None: it is there initially."""
        producer = lib.mz_prefix_producer(self.prefix.handle, self.number)
        return None if producer == BOTTOM else Event(self.prefix, producer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and (self.prefix, self.number) == (other.prefix, other.number)

    def __hash__(self) -> int:
        return hash((id(self.prefix), self.number))

    def __repr__(self) -> str:
        return "<condition %d: %s>" % (self.number, visible(self.place))


class Prefix:
    """A finite prefix of an unfolding: a sequence of events."""

    def __init__(self, net: Net, handle: Any):
        self.net, self._handle = net, handle

    @property
    def handle(self) -> Any:
        """The library's handle, for calls of one's own through cffi."""
        return self._handle

    @property
    def complete(self) -> bool:
        """No limit and no fact about the net ended it."""
        return lib.mz_prefix_ending(self._handle) == lib.MZ_COMPLETE

    @property
    def ending(self) -> str:
        """"complete", "ended_by_time", "unsafe", "unbounded" and so on."""
        return ENDINGS[lib.mz_prefix_ending(self._handle)]

    @property
    def reason(self) -> str:
        """What ended it, in words; "" when it is complete."""
        return text(lib.mz_prefix_reason(self._handle)) or ""

    @property
    def relation(self) -> str:
        """The independence relation it was made under."""
        return text(lib.mz_prefix_relation(self._handle)) or ""

    @property
    def order(self) -> str:
        """The adequate order that decided about cutoffs."""
        return text(lib.mz_prefix_order(self._handle)) or ""

    def __len__(self) -> int:
        return lib.mz_prefix_events(self._handle)

    @overload
    def __getitem__(self, i: int) -> Event: ...

    @overload
    def __getitem__(self, i: slice) -> list[Event]: ...

    def __getitem__(self, i: Any) -> Any:
        n = len(self)
        if isinstance(i, slice):
            return [Event(self, e) for e in range(n)[i]]
        if not -n <= i < n:
            raise IndexError("there is no event %d" % i)
        return Event(self, i % n)

    def __iter__(self) -> Iterator[Event]:
        return (Event(self, i) for i in range(len(self)))

    @property
    def n_cutoffs(self) -> int:
        """How many of the events are cutoffs."""
        return lib.mz_prefix_cutoffs(self._handle)

    @property
    def n_histories(self) -> int:
        """Under relations that know reads: events with their histories, which are the relation's events."""
        return lib.mz_prefix_histories(self._handle)

    @property
    def conditions(self) -> list[Condition]:
        """All of them; none when it was made without."""
        return [Condition(self, i) for i in range(lib.mz_prefix_conditions(self._handle))]

    def array(self, name: str) -> memoryview:
        """A whole array of unsigned 32-bit numbers without a copy (numpy.asarray() takes it); ARRAYS has the names."""
        if name not in ARRAYS:
            raise ValueError("there is no array %r; ARRAYS has the names" % name)
        length = ffi.new("size_t *")
        data = lib.mz_prefix_array(self._handle, getattr(lib, "MZ_" + name.upper()), length)
        if not length[0]:
            return memoryview(b"").cast("I")
        kept = ffi.gc(data, lambda _, owner=self: None)  # the view keeps it, and it keeps the prefix
        return memoryview(ffi.buffer(kept, length[0] * 4)).cast("B").cast("I").toreadonly()

    def write(self, format: str = "json", around: Optional[int] = None, radius: int = 2) -> str:
        """"dot", "svg", "json", "mci" or "pnml"; ``around`` draws the neighbourhood of one event."""
        slot, size = ffi.new("mz_error **"), ffi.new("size_t *")
        out = lib.mz_prefix_write(self._handle, encoded(format), NONE if around is None else self[around].number,
                                  radius, size, slot)
        if out == ffi.NULL:
            raise_error(slot)
        return taken(out, size[0]).decode("utf-8", "replace")

    def _repr_svg_(self) -> Optional[str]:
        return drawn(self.write)

    def to_networkx(self) -> Any:
        """Events and causality as a networkx.DiGraph."""
        import networkx

        graph = networkx.DiGraph(name=self.net.name, relation=self.relation)
        for event in self:
            graph.add_node(event.number, transition=event.transition, cutoff=event.is_cutoff)
            graph.add_edges_from((cause.number, event.number) for cause in event.causes)
        return graph

    def __repr__(self) -> str:
        return "<prefix of %s under %s: %d events, %d cutoffs%s>" % (
            visible(self.net.name), self.relation, len(self), self.n_cutoffs,
            "" if self.complete else ", " + self.reason)


def unfold(net: Net, given: Mapping[str, Any], limits: Limits) -> Prefix:
    """What Net.unfold() does."""
    listed = options(given)
    return Prefix(net, made(lib.mz_unfold, limits, lib.mz_prefix_free, net.handle, listed.pointer, limits.pointer))
