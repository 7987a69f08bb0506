"""First fit: each item is placed in the lowest hole that is large enough.

The rule is that of the "greedy by size" memory planner of Pisarchyk & Lee, "Efficient Memory
Management for Deep Neural Net Inference" (2020).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forebay.planning.core.library import available, load_core
from forebay.planning.model.errors import ProblemError
from forebay.planning.search.stack import NO_PIN, Ints, Stack
from forebay.pools import Pool

NO_LIMIT = 2**62


def lowest_hole(pool: Pool, taken: Sequence[tuple[int, int]], size: int, alignment: int) -> int:
    """Return the lowest aligned offset at which `size` bytes overlap no range of `taken`.

    `taken` must be sorted. The gap below the first range also counts as a hole.
    """
    offset = pool.align(pool.start, alignment)
    for start, end in taken:
        if offset + size <= start:
            break
        if end > offset:
            offset = pool.align(end, alignment)
    return offset


def smallest_hole(pool: Pool, taken: Sequence[tuple[int, int]], size: int, alignment: int) -> int:
    """Return the aligned offset of the smallest hole that has space for `size` bytes.

    If no hole is large enough, the offset is above all ranges of `taken`, which must be sorted.
    """
    offset, best = pool.align(pool.start, alignment), None
    for start, end in taken:
        if offset + size <= start and (best is None or start - offset < best[0]):
            best = start - offset, offset
        if end > offset:
            offset = pool.align(end, alignment)
    return offset if best is None else best[1]


def first_fit(stack: Stack, order: Sequence[int] | Ints) -> Ints:
    """Return the offsets of first fit in an order of positions; pinned items are placed first."""
    if stack.linear and available():
        return _compiled(stack, np.asarray(order, np.int32))
    return _interpreted(stack, order)


def _interpreted(stack: Stack, order: Sequence[int] | Ints) -> Ints:
    sizes, alignments = stack.sizes.tolist(), stack.alignments.tolist()
    reserved = [(int(start), int(end)) for start, end in stack.reserved]
    placed: dict[int, int] = {}
    for position in sorted(map(int, order), key=lambda p: bool(stack.pins[p] == NO_PIN)):
        if stack.pins[position] != NO_PIN:
            placed[position] = int(stack.pins[position])
            continue
        meets = [p for p in stack.conflicts[position].tolist() if p in placed]
        taken = sorted([*reserved, *((placed[p], placed[p] + sizes[p]) for p in meets)])
        placed[position] = lowest_hole(stack.pool, taken, sizes[position], alignments[position])
    return np.array([placed[p] for p in range(len(placed))], np.int64)


def _compiled(stack: Stack, order: NDArray[np.int32]) -> Ints:
    pieces = stack.pieces
    offsets = np.zeros(len(order), np.int64)
    arrays = (
        *(stack.sizes, stack.alignments, stack.pins, pieces.first, pieces.low, pieces.high),
        *(pieces.begin, pieces.end),
    )
    end = load_core().forebay_first_fit(
        ctypes.c_int32(len(order)),
        *(ctypes.c_void_p(array.ctypes.data) for array in arrays),
        ctypes.c_int32(len(stack.reserved)),
        ctypes.c_void_p(stack.reserved.ctypes.data),
        ctypes.c_int64(stack.pool.start),
        ctypes.c_int64(stack.pool.base_bytes),
        ctypes.c_void_p(order.ctypes.data),
        ctypes.c_int64(NO_LIMIT),
        ctypes.c_void_p(offsets.ctypes.data),
    )
    if end < 0:
        name = stack.pool.name
        raise ProblemError(f"pool '{name}': its numbers are too large for first fit", pools=[name])
    return offsets
