"""The parts of root buffers that planning places: each row that has a lifetime of its own.

::

    memref of rows          one part per row, each anywhere in the pool
    contiguous, by rows     neighbouring rows with one lifetime are a part; all are a rigid block
    any other buffer        one part
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from forebay.ir.liveness.liveness import Liveness
from forebay.ir.rows.layout import is_rows
from forebay.planning import Lifetime
from forebay.pools import Pool


class BufferPart(Struct, frozen=True):
    """All of the root buffer with the number `root`, or `count` of its rows from `first` on."""

    root: int
    lifetime: Lifetime
    first: int | None = None
    count: int = 1

    @property
    def suffix(self) -> str:
        """Return what follows the name of the buffer in the name of the part."""
        if self.first is None:
            return ""
        end = f":{self.first + self.count}" if self.count > 1 else ""
        return f"[{self.first}{end}]"


def buffer_parts_of(liveness: Liveness, pools: Mapping[str, Pool]) -> tuple[BufferPart, ...]:
    """Return the parts of all buffers, in the order of the buffers and of their rows.

    A contiguous buffer that may be in a pool of rows of its own (`unit`) is one part.
    """
    found: list[BufferPart] = []
    for number, root in enumerate(liveness.buffers):
        rows = liveness.row_lifetimes.get(number)
        if not is_rows(root.type) and any(pools[name].unit > 1 for name in root.candidates):
            rows = None
        if rows is None:
            found.append(BufferPart(number, liveness.lifetimes[number]))
        else:
            found += _rows(number, rows, is_merged=not is_rows(root.type))
    return tuple(found)


def whole_buffers_of(liveness: Liveness) -> tuple[BufferPart, ...]:
    """Return one part for each buffer, which has the bytes of all its rows."""
    lifetimes = enumerate(liveness.lifetimes)
    return tuple(BufferPart(number, lifetime) for number, lifetime in lifetimes)


def _rows(number: int, rows: Sequence[Lifetime], *, is_merged: bool) -> Iterator[BufferPart]:
    first = 0
    keys = rows if is_merged else range(len(rows))
    for _, group in groupby(range(len(rows)), key=keys.__getitem__):
        count = len(list(group))
        yield BufferPart(number, rows[first], first, count)
        first += count
