"""From and to the nets of other packages, by what their objects look like: none of them is needed to import this
one."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Mapping, Optional

if TYPE_CHECKING:
    from ._net import Net


class _Ids:
    """Ids for nodes whose names need be neither there nor different."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def give(self, name: Any, kind: str) -> str:
        base = str(name) if name not in (None, "") else kind
        candidate, n = base, 1
        while candidate in self._used:
            n += 1
            candidate = "%s_%d" % (base, n)
        self._used.add(candidate)
        return candidate


def _quoted(id: str) -> str:
    """An id in an expression."""
    return '"%s"' % id.replace("\\", "\\\\").replace('"', '\\"')


def _marking(net: Net) -> dict[str, int]:
    """The one marking at which a net may end, when its expression says how many tokens each place has, as that of a
    PNML file or of from_pm4py() does; else nothing."""
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    final = (net.final or "").strip()
    for part in (final[1:-1] if final.startswith("(") and final.endswith(")") else final).split(" && "):
        found = re.fullmatch(r'("(?:[^"\\]|\\.)*"|\w+) ?(==|<=|>=) ?(\d+)', part.strip())
        if not found:
            return {}
        id, relation, count = found.group(1), found.group(2), int(found.group(3))
        id = re.sub(r"\\(.)", r"\1", id[1:-1]) if id.startswith('"') else id
        if relation != "<=":
            least[id] = max(least.get(id, 0), count)
        if relation != ">=":
            most[id] = min(most.get(id, count), count)
    exact = all(id in most and least.get(id, 0) == most[id] for id in net.places)
    return {id: count for id, count in most.items() if count} if exact else {}


def _arc_kind(arc: Any) -> str:
    """Of an arc to a transition; pm4py keeps it in its properties."""
    properties = getattr(arc, "properties", None) or {}
    kind = properties.get("arctype")
    found = {None: "pre", "normal": "pre", "inhibitor": "inhibit", "read": "read"}.get(kind)
    if found is None:
        raise ValueError("an arc of the kind %r is not known" % kind)
    return found


def from_pm4py(builder: Any, net: Any, initial: Mapping[Any, int], final: Optional[Mapping[Any, int]]) -> Net:
    """What Net.from_pm4py() makes."""
    made, ids = builder(str(getattr(net, "name", None) or "net")), _Ids()
    places = {}
    for place in sorted(net.places, key=lambda p: str(p.name)):
        places[place] = ids.give(place.name, "place")
        made.place(places[place], int(initial.get(place, 0)))

    def known(place: Any) -> str:
        if place not in places:
            raise ValueError("a marking or an arc names %s, which is no place of the net" % place)
        return places[place]

    for place in [*initial, *(final or {})]:
        known(place)
    for transition in sorted(net.transitions, key=lambda t: str(t.name)):
        id = ids.give(transition.name, "transition")
        made.transition(id, label=transition.label)
        for arc in transition.in_arcs:
            made.arc(_arc_kind(arc), known(arc.source), id, int(getattr(arc, "weight", 1)))
        for arc in transition.out_arcs:
            made.arc("post", known(arc.target), id, int(getattr(arc, "weight", 1)))
    if final:
        made.final(" && ".join("%s == %d" % (_quoted(id), int(final.get(place, 0))) for place, id in places.items()))
    return made.finish()


def to_pm4py(net: Net) -> tuple[Any, Any, Any]:
    """What Net.to_pm4py() gives."""
    from pm4py.objects.petri_net.obj import Marking, PetriNet
    from pm4py.objects.petri_net.utils import petri_utils

    arcs = list(net.arcs())
    if any(arc.kind == "read" for arc in arcs):
        raise ValueError("pm4py's nets have no read arcs")
    out = PetriNet(net.name)
    places = [PetriNet.Place(id) for id in net.places]
    transitions = [PetriNet.Transition(id, net.transition_label(i)) for i, id in enumerate(net.transitions)]
    out.places.update(places)
    out.transitions.update(transitions)
    for arc in arcs:
        place, transition = places[arc.place], transitions[arc.transition]
        ends = (transition, place) if arc.kind == "post" else (place, transition)
        petri_utils.add_arc_from_to(*ends, out, weight=arc.weight, type="inhibitor" if arc.kind == "inhibit" else None)
    initial = Marking({places[net.place(id)]: tokens for id, tokens in net.initial.items()})
    return out, initial, Marking({places[net.place(id)]: tokens for id, tokens in _marking(net).items()})


def from_networkx(builder: Any, graph: Any) -> Net:
    """What Net.from_networkx() makes."""
    made, ids, names = builder(str(graph.graph.get("name") or "net")), _Ids(), {}
    kinds = {}
    if not getattr(graph, "is_directed", lambda: True)():
        raise ValueError("arcs have a direction, the edges of this graph have none")
    for node, data in graph.nodes(data=True):
        kinds[node] = data.get("kind")
        if kinds[node] not in ("place", "transition"):
            raise ValueError("node %r has neither the kind \"place\" nor \"transition\"" % (node,))
        names[node] = ids.give(node, kinds[node])
        if kinds[node] == "place":
            made.place(names[node], int(data.get("tokens", 0)), data.get("label"))
        else:
            made.transition(names[node], label=data.get("label"))
    for source, target, data in graph.edges(data=True):
        if kinds[source] == kinds[target]:
            raise ValueError("an edge goes from %r to %r, both of one kind" % (source, target))
        outgoing = kinds[source] == "transition"
        transition, place = (source, target) if outgoing else (target, source)
        kind = data.get("kind") or ("post" if outgoing else "pre")
        if kind not in ("pre", "post", "read", "inhibit") or outgoing != (kind == "post"):
            raise ValueError("an edge from %r to %r cannot have the kind %r" % (source, target, kind))
        made.arc(kind, names[place], names[transition], int(data.get("weight", 1)))
    if graph.graph.get("final"):
        made.final(graph.graph["final"])
    return made.finish()


def to_networkx(net: Net) -> Any:
    """Of two arcs of different kinds from one place to one transition a DiGraph can hold one: then it is a
    MultiDiGraph."""
    import networkx

    places, transitions, arcs = net.places, net.transitions, list(net.arcs())
    both = set(places) & set(transitions)
    if both:
        raise ValueError("a place and a transition are both called %r, and the nodes of a graph have one name each" %
                         min(both))
    inward = [(arc.place, arc.transition) for arc in arcs if arc.kind != "post"]
    graph = (networkx.DiGraph if len(set(inward)) == len(inward) else networkx.MultiDiGraph)(name=net.name)
    if net.final:
        graph.graph["final"] = net.final
    initial = net.initial
    for i, id in enumerate(places):
        graph.add_node(id, kind="place", tokens=initial.get(id, 0), label=net.place_label(i))
    for i, id in enumerate(transitions):
        graph.add_node(id, kind="transition", label=net.transition_label(i))
    for arc in arcs:
        ends = (places[arc.place], transitions[arc.transition])
        graph.add_edge(*(reversed(ends) if arc.kind == "post" else ends), kind=arc.kind, weight=arc.weight)
    return graph
