"""The lowest placement of a stack by the compiled search; exact if the work limit suffices."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from forebay.planning.core.library import load_core
from forebay.planning.core.threads import threads
from forebay.planning.model.errors import ProblemError
from forebay.planning.search.sections import sections
from forebay.planning.search.stack import NO_PIN, Ints, Stack
from forebay.support.arrays import Array


class Packed(Struct, frozen=True):
    """The result of the search: no plan ends below `proved`; without a plan, `offsets` is None."""

    offsets: Ints | None
    proved: int
    work: int


class _Rows(Struct, frozen=True):
    """A list of lists in compressed form: row `i` is `data[first[i]:first[i + 1]]`."""

    first: Ints
    data: Array


def pack(stack: Stack, lower: int, upper: int, work: int, seed: int = 11) -> Packed:
    """Search for offsets that end below `upper`, in bytes, and for a proved lower bound.

    `lower` is a proved bound or a height that is low enough; the search stops when it reaches it.
    `work` limits the search in steps, so the answer is the same on every machine and for any
    number of threads. Raises `CoreMissingError` without the compiled core and `ProblemError` for
    numbers near 2^63.
    """
    free = np.flatnonzero(stack.pins == NO_PIN)
    number = np.full(len(stack.members), -1, np.int64)
    number[free] = np.arange(len(free))
    cliques = sections(stack)
    free_cliques = [[int(number[p]) for p in c if number[p] >= 0] for c in cliques]
    kept = [i for i, clique in enumerate(free_cliques) if clique]
    members: list[list[int]] = [[] for _ in free]
    for section, i in enumerate(kept):
        for position in free_cliques[i]:
            members[position].append(section)
    positions: list[int] = free.tolist()
    conflicts = [number[stack.conflicts[p]] for p in positions]
    rows = (
        _rows([c[c >= 0] for c in conflicts], np.int32),
        _rows([free_cliques[i] for i in kept], np.int32),
        _rows(members, np.int32),
        _rows([_obstacles(stack, stack.conflicts[p].tolist()) for p in positions], np.int64, 2),
        _rows([_obstacles(stack, cliques[i]) for i in kept], np.int64, 2),
    )
    arrays = (
        stack.sizes[free],
        stack.alignments[free],
        stack.spans[free],
        *(array for row in rows for array in (row.first, row.data)),
    )
    found = _searched(
        (len(free), len(kept), int(stack.linear)),
        tuple(np.ascontiguousarray(array).tobytes() for array in arrays),
        (stack.pool.start, stack.pool.base_bytes, lower, upper, work, seed),
    )
    if found.status < 0:
        name = stack.pool.name
        raise ProblemError(f"pool '{name}': its numbers are too large for the search", pools=[name])
    all_offsets = stack.pins.copy()
    all_offsets[free] = found.offsets
    return Packed(all_offsets if found.status else None, found.proved, found.work)


class _Found(Struct, frozen=True):
    """What the compiled search returns; `status` is 1 with a placement, below 0 for an error."""

    offsets: Ints
    proved: int
    work: int
    status: int


@lru_cache(maxsize=16)
def _searched(
    counts: tuple[int, int, int], arrays: tuple[bytes, ...], limits: tuple[int, ...]
) -> _Found:
    """Run the compiled search; the arrays of the same problem are searched once.

    A budget is met by planning a pool alone, which the planner then does again.
    """
    items, sections_, linear = counts
    offsets, result = np.zeros(items, np.int64), np.zeros(4, np.int64)
    conflicts = 5  # arrays before the number of sections: of the items, and their conflicts
    load_core().forebay_pack(
        ctypes.c_int32(items),
        *arrays[:conflicts],
        ctypes.c_int32(sections_),
        *arrays[conflicts:],
        ctypes.c_int32(linear),
        *map(ctypes.c_int64, limits),
        ctypes.c_int32(threads()),
        ctypes.c_void_p(offsets.ctypes.data),
        ctypes.c_void_p(result.ctypes.data),
    )
    _, proved, spent, status = result.tolist()
    return _Found(offsets, proved, spent, status)


def _obstacles(stack: Stack, positions: Sequence[int]) -> list[list[int]]:
    """Return the reserved ranges and the pinned items of `positions`, ascending and disjoint."""
    pins = [p for p in positions if stack.pins[p] != NO_PIN]
    ranges = [[int(stack.pins[p]), int(stack.pins[p] + stack.sizes[p])] for p in pins]
    merged: list[list[int]] = []
    for start, end in sorted([*ranges, *stack.reserved.tolist()]):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def _rows(rows: Sequence[Sequence[object] | Ints], kind: type, width: int = 1) -> _Rows:
    first = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=first[1:])
    flat = [np.asarray(row, kind).reshape(-1, width) for row in rows if len(row)]
    data = np.concatenate(flat) if flat else np.zeros((0, width), kind)
    return _Rows(first, np.ascontiguousarray(data))
