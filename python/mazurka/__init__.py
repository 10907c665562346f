"""Petri nets unfolded, explored and checked, by libmazurka.

    >>> import mazurka
    >>> net = mazurka.Net.read("philosophers-3.pnml")
    >>> net.check("deadlock")
    <deadlock: violated (walk)>

A Net reads, builds, fires and draws; Net.check() gives a Verdict with a Witness or a certificate; Net.unfold() a Prefix
of events and conditions; Net.explore() one run of each trace; compare() a table of relations and orders. Calls take
``time`` (seconds), ``memory`` (MiB), ``threads`` and ``progress`` (a function that is told lines); Ctrl-C ends them.
"""
from ._answer import Verdict, Witness
from ._comparison import COLUMNS, Table, compare
from ._exploration import Exploration
from ._library import Error, FileError, InputError, LimitError, UnsupportedError, UsageError, ffi as _ffi, lib as _lib
from ._net import Arc, Invariant, Net, NetBuilder
from ._prefix import ARRAYS, Condition, Event, Prefix

__all__ = ["ARRAYS", "Arc", "COLUMNS", "Condition", "Error", "Event", "Exploration", "FileError", "InputError",
           "Invariant", "LimitError",
           "Net", "NetBuilder", "Prefix", "Table", "UnsupportedError", "UsageError", "Verdict", "Witness", "compare"]
__version__: str = _ffi.string(_lib.mz_version()).decode()
