"""Verdicts and runs."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Optional, overload

from ._library import drawn, encoded, ffi, lib, raise_error, taken, text, visible

if TYPE_CHECKING:
    from ._net import Net

VERDICTS = {lib.MZ_UNKNOWN: "unknown", lib.MZ_HOLDS: "holds", lib.MZ_VIOLATED: "violated"}


class Witness:
    """A firing sequence of a net: a sequence of transition ids, which draws itself as a partial order."""

    def __init__(self, net: Net, run: list[int], start: Optional[dict[str, int]] = None):
        self.net, self.numbers = net, run
        #: where it begins, when that is not the initial marking
        self.start = start

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, i: int) -> str: ...

    @overload
    def __getitem__(self, i: slice) -> list[str]: ...

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self.net.transition_id(t) for t in self.numbers[i]]
        return self.net.transition_id(self.numbers[i])

    def __iter__(self) -> Iterator[str]:
        return (self.net.transition_id(t) for t in self.numbers)

    @property
    def marking(self) -> dict[str, int]:
        """Where it leads."""
        return self.net.fire(self.numbers, self.start)

    def write(self, format: str = "run", relation: Optional[str] = None) -> str:
        """"run" (a file for mazurka-replay(1)), "dot" or "svg"."""
        slot, size = ffi.new("mz_error **"), ffi.new("size_t *")
        out = lib.mz_net_write_run(self.net.handle, ffi.new("uint32_t[]", self.numbers or [0]), len(self.numbers),
                                   encoded(relation) if relation is not None else ffi.NULL, encoded(format), size, slot)
        if out == ffi.NULL:
            raise_error(slot)
        return taken(out, size[0]).decode("utf-8", "replace")

    def _repr_svg_(self) -> Optional[str]:
        return drawn(self.write)

    def __repr__(self) -> str:
        shown = ", ".join(visible(self.net.transition_id(t)) for t in self.numbers[:8])
        return "<run of %d: %s%s>" % (len(self), shown, ", ..." if len(self) > 8 else "")


class Verdict:
    """The answer to a question: ``holds``, ``violated`` or ``unknown``, with what shows it."""

    def __init__(self, net: Net, handle: Any, owner: Any = None):
        self.net, self._handle, self._owner = net, handle, owner

    @property
    def verdict(self) -> str:
        """"holds", "violated" or "unknown"."""
        return VERDICTS[lib.mz_answer_verdict(self._handle)]

    @property
    def holds(self) -> bool:
        """It holds, and that is proved."""
        return self.verdict == "holds"

    @property
    def violated(self) -> bool:
        """It does not, and that is proved or shown by a run."""
        return self.verdict == "violated"

    @property
    def unknown(self) -> bool:
        """The limits ended it, or no engine could tell: ``reason`` says which."""
        return self.verdict == "unknown"

    @property
    def question(self) -> str:
        """The property as asked; of a part its name or id."""
        return text(lib.mz_answer_property(self._handle)) or ""

    @property
    def engine(self) -> Optional[str]:
        """What decided."""
        return text(lib.mz_answer_engine(self._handle))

    @property
    def reason(self) -> Optional[str]:
        """Why it is unknown, or what the proof rests on."""
        return text(lib.mz_answer_reason(self._handle))

    @property
    def witness(self) -> Optional[Witness]:
        """The run that shows it, fired again on the net before anybody hears of it."""
        length = ffi.new("size_t *")
        run = lib.mz_answer_run(self._handle, length)
        if run == ffi.NULL:
            return None
        return Witness(self.net, list(run[0:length[0]]), self.net.marking(lib.mz_answer_start(self._handle)))

    @property
    def certificate(self) -> Optional[bytes]:
        """The proof for mazurka-verify(1), when ``certificate=True`` asked for one and it was found."""
        size = ffi.new("size_t *")
        data = lib.mz_answer_certificate(self._handle, size)
        return None if data == ffi.NULL else bytes(ffi.buffer(data, size[0]))

    @property
    def unwritten(self) -> Optional[str]:
        """Why there is no certificate although one was asked for."""
        return text(lib.mz_answer_unwritten(self._handle))

    @property
    def bound(self) -> Optional[str]:
        """Of an upper bound in a file of properties: "12" or "+inf"."""
        return text(lib.mz_answer_bound(self._handle))

    @property
    def subject(self) -> Optional[str]:
        """What it is about: the transition that is lost, the place without bound."""
        return text(lib.mz_answer_subject(self._handle))

    @property
    def transitions(self) -> list[str]:
        """Of soundness: transitions that can never fire, or lie on no run to the end."""
        count = ffi.new("size_t *")
        listed = lib.mz_answer_transitions(self._handle, count)
        return [self.net.transition_id(listed[i]) for i in range(count[0])]

    @property
    def markings(self) -> int:
        """How many were visited; 0 when none were."""
        return lib.mz_answer_markings(self._handle)

    @property
    def parts(self) -> dict[str, Verdict]:
        """Of "sound" and of files: answers of their own, by name."""
        parts = (lib.mz_answer_part(self._handle, i) for i in range(lib.mz_answer_parts(self._handle)))
        return {part.question: part for part in (Verdict(self.net, p, self._handle) for p in parts)}

    def __bool__(self) -> bool:
        """True when it holds. Unknown is no answer: an exception, so that nobody takes it for one."""
        if self.unknown:
            raise ValueError("it is not known whether %s holds: %s" % (self.question, self.reason))
        return self.holds

    def __repr__(self) -> str:
        why = self.engine if not self.unknown else self.reason
        return visible("<%s: %s%s>" % (self.question, self.verdict, " (%s)" % why if why else ""))

    def _repr_svg_(self) -> Optional[str]:
        witness = self.witness
        return witness._repr_svg_() if witness is not None and len(witness) else None
