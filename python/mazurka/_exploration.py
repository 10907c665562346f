"""Exploring: one run of each Mazurkiewicz trace."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional

from ._answer import Witness
from ._library import Limits, ffi, lib, made, options, text, visible
from ._prefix import ENDINGS

if TYPE_CHECKING:
    from ._net import Net

LEAVES = {lib.MZ_LEAF_MAXIMAL: "maximal", lib.MZ_LEAF_CUTOFF: "cutoff", lib.MZ_LEAF_BLOCKED: "blocked",
          lib.MZ_LEAF_BOUND: "bound", lib.MZ_LEAF_AGAIN: "again", lib.MZ_LEAF_WAITING: "waiting",
          lib.MZ_LEAF_STUCK: "stuck"}


class Exploration:
    """What an exploration found."""

    def __init__(self, net: Net, handle: Any):
        self.net, self._handle = net, handle

    @property
    def complete(self) -> bool:
        """Every maximal configuration (with cutoffs: every dead marking) was met."""
        return lib.mz_exploration_complete(self._handle)

    @property
    def ending(self) -> str:
        """"complete", "ended_by_time" and so on, as of a Prefix."""
        return ENDINGS[lib.mz_exploration_ending(self._handle)]

    @property
    def reason(self) -> Optional[str]:
        """Why it is not complete, in words; "" when it is."""
        return text(lib.mz_exploration_reason(self._handle))

    @property
    def leaves(self) -> dict[str, int]:
        """How many of each kind: maximal, cutoff, blocked, bound, and with await_ waiting and stuck."""
        return {name: lib.mz_exploration_leaves(self._handle, kind) for kind, name in LEAVES.items() if name != "again"}

    @property
    def traces(self) -> int:
        """Maximal configurations."""
        return lib.mz_exploration_leaves(self._handle, lib.MZ_LEAF_MAXIMAL)

    @property
    def events(self) -> int:
        """Events met; counted again when forgotten and met again."""
        return lib.mz_exploration_events(self._handle)

    def _runs(self, first: int, n: int) -> list[Witness]:
        length, runs = ffi.new("size_t *"), []
        for i in range(first, first + n):
            run = lib.mz_exploration_run(self._handle, i, length)
            runs.append(Witness(self.net, list(run[0:length[0]])))
        return runs

    @property
    def deadlocks(self) -> list[Witness]:
        """A run to each dead marking at which the net may not end."""
        return self._runs(0, lib.mz_exploration_deadlocks(self._handle))

    @property
    def ends(self) -> list[Witness]:
        """A run to each dead marking at which it may."""
        return self._runs(lib.mz_exploration_deadlocks(self._handle), lib.mz_exploration_ends(self._handle))

    def __repr__(self) -> str:
        return "<exploration of %s: %d traces, %d deadlocks%s>" % (
            visible(self.net.name), self.traces, lib.mz_exploration_deadlocks(self._handle),
            "" if self.complete else ", " + (self.reason or "incomplete"))


def explore(net: Net, given: Mapping[str, Any], on_leaf: Optional[Callable[[str, list[int]], Any]],
            limits: Limits) -> Exploration:
    """What Net.explore() does."""
    listed, leaf = options(given), ffi.NULL
    if on_leaf is not None:
        tell = on_leaf
        leaf = ffi.callback("mz_leaf_function", lambda kind, run, n, _: tell(LEAVES[kind], list(run[0:n])) is not False,
                            error=False, onerror=limits.fail)
    return Exploration(net, made(lib.mz_explore, limits, lib.mz_exploration_free, net.handle, listed.pointer,
                                 limits.pointer, leaf, ffi.NULL))
