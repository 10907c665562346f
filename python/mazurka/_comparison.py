"""The same nets under several relations and orders, as a table."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional, Union

from ._library import Limits, Texts, encoded, ffi, lib, made, text, visible
from ._prefix import ENDINGS

if TYPE_CHECKING:
    from ._net import Net

_NUMBERS = ("events", "cutoffs", "conditions", "markings", "occurrences", "independent", "depth", "width", "seconds",
            "ratio")
#: The columns of a Table.
COLUMNS = ("net", "relation", "order", "ending", "note") + _NUMBERS


class Table:
    """Rows as dicts; pandas.DataFrame(table.rows) takes them, and notebooks show them."""

    def __init__(self, rows: list[dict[str, Any]]):
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> dict[str, Any]:
        return self.rows[i]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def _cells(self) -> list[list[str]]:
        shown = ("net", "relation", "order", "events", "conditions", "cutoffs", "ratio", "ending")
        lines = [list(shown)]
        for row in self.rows:
            lines.append(["-" if row[c] is None else "%.3f" % row[c] if c == "ratio" else visible(str(row[c]))
                          for c in shown])
        return lines

    def __repr__(self) -> str:
        cells = self._cells()
        widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
        return "\n".join("  ".join(cell.rjust(w) if i > 2 else cell.ljust(w)
                                   for i, (cell, w) in enumerate(zip(line, widths))).rstrip() for line in cells)

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        def line(cells: list[str], tag: str) -> str:
            return "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (tag, html.escape(c), tag) for c in cells)
        return "<table>%s%s</table>" % (line(head, "th"), "".join(line(cells, "td") for cells in body))


def _listed(names: Union[None, str, Iterable[str]]) -> Any:
    if names is None:
        return ffi.NULL
    return encoded(names if isinstance(names, str) else ",".join(names))


def compare(nets: Union[Net, Iterable[Net]], relations: Union[None, str, Iterable[str]] = None,
            orders: Union[None, str, Iterable[str]] = None, cutoffs: bool = True, **limits: Any) -> Table:
    """Unfolds each net under each relation and order. ``time`` is the limit of each row."""
    from ._net import Net

    listed = [nets] if isinstance(nets, Net) else list(nets)
    within, options = Limits(**limits), Texts([] if cutoffs else ["cutoffs=off"])
    handles = ffi.new("const mz_net *[]", [net.handle for net in listed] or [ffi.NULL])
    made_rows = made(lib.mz_compare, within, lib.mz_comparison_free, handles, len(listed), _listed(relations),
                     _listed(orders), options.pointer, within.pointer)
    rows = []
    for i in range(lib.mz_comparison_rows(made_rows)):
        row = lib.mz_comparison_row(made_rows, i)
        values: dict[str, Any] = {"net": listed[row.net].name, "relation": text(row.relation), "order": text(row.order),
                                  "ending": ENDINGS[row.ending], "note": text(row.note)}
        values.update({name: getattr(row, name) for name in _NUMBERS})
        for name in ("conditions", "markings"):
            values[name] = None if values[name] < 0 else values[name]
        values["ratio"] = values["ratio"] or None
        rows.append(values)
    return Table(rows)
