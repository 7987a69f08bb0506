"""Sparse constants, which the reader expands.

The dimensions of a tensor, and after them those of its blocks, are levels in the order of the
traversal. A dense level holds an entry for each index. A sparse one holds, for each entry of the
level before it, a segment of a list of indices. The last level's entries are the stored elements:

    levels    dense rows, sparse columns          [[0, 5, 0],     segments 0 1 3
    stored    5 7 9                                [7, 0, 9]]     indices  1 0 2
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel
from forebay.frontends.tflite.file import fields
from forebay.frontends.tflite.file.flatbuffer import Field, Table

_SPARSE = 1
_KINDS = {1: fields.INT32_VALUES, 2: fields.UINT16_VALUES, 3: fields.UINT8_VALUES}


class _Entries(Struct, frozen=True, eq=False):
    """The entries of the levels so far: their numbers, and their indices by expanded dimension."""

    numbers: NDArray[np.int64]
    indices: dict[int, NDArray[np.int64]]


def dense_elements(
    name: str, sparsity: Table, stored: NDArray[np.generic], shape: Sequence[int]
) -> NDArray[np.generic]:
    """Return all elements of a sparse tensor; those that are not stored are zero."""
    order = sparsity.integers(fields.TRAVERSAL_ORDER)
    blocked = sparsity.integers(fields.BLOCK_MAP)
    levels = sparsity.tables(fields.DIM_METADATA)
    rank = len(shape)
    is_order = sorted(order) == list(range(rank + len(blocked)))
    is_order &= all(size > 0 for size in shape)
    if not is_order or len(levels) != len(order) or any(not 0 <= d < rank for d in blocked):
        raise MalformedModel(f"tensor '{name}' has no order of its {rank} dimensions and blocks")
    entries, sizes = _Entries(np.zeros(1, np.int64), {}), dict[int, int]()
    for level, dimension in zip(levels, order, strict=True):
        sizes[dimension] = level.integer(fields.DENSE_SIZE)
        entries = _of_level(name, entries, level, dimension, math.prod(shape))
    if len(stored) != len(entries.numbers):
        raise MalformedModel(
            f"tensor '{name}' has {len(entries.numbers):,} stored elements, "
            f"but its buffer has {len(stored):,}"
        )
    position = [entries.indices[d] for d in range(rank)]
    for block, dimension in enumerate(blocked):
        position[dimension] = position[dimension] * sizes[rank + block]
        position[dimension] = position[dimension] + entries.indices[rank + block]
    placed = zip(position, shape, strict=True)
    if any(len(at) and not 0 <= at.min() <= at.max() < n for at, n in placed):
        raise MalformedModel(f"tensor '{name}' has a stored element outside of its shape")
    elements = np.zeros(shape, stored.dtype)
    elements[tuple(position)] = stored[entries.numbers]
    return elements


def _of_level(name: str, entries: _Entries, level: Table, dimension: int, most: int) -> _Entries:
    if level.integer(fields.DIMENSION_FORMAT) != _SPARSE:
        size = level.integer(fields.DENSE_SIZE)
        if not 0 <= size * len(entries.numbers) <= most:
            raise MalformedModel(f"tensor '{name}' has a level of {size} indices")
        numbers = (entries.numbers[:, None] * size + np.arange(size)).reshape(-1)
        repeated = {d: np.repeat(at, size) for d, at in entries.indices.items()}
        own = np.tile(np.arange(size), len(entries.numbers))
        return _Entries(numbers, {**repeated, dimension: own})
    segments = _vector(name, level, fields.SEGMENTS_TYPE, fields.SEGMENTS)
    indices = _vector(name, level, fields.INDICES_TYPE, fields.INDICES)
    ends = entries.numbers + 1
    counts = np.diff(segments)
    is_ordered = len(segments) > 0 and segments[0] >= 0 and bool((counts >= 0).all())
    if not is_ordered or ends.max(initial=0) >= len(segments) or segments[-1] > len(indices):
        raise MalformedModel(f"tensor '{name}' has segments that do not fit its indices")
    counts = counts[entries.numbers]
    if counts.sum() > most:
        raise MalformedModel(f"tensor '{name}' has more stored elements than elements")
    begins = np.cumsum(counts) - counts
    first = np.repeat(segments[entries.numbers] - begins, counts)
    numbers = first + np.arange(counts.sum())
    repeated = {d: np.repeat(at, counts) for d, at in entries.indices.items()}
    return _Entries(numbers, {**repeated, dimension: indices[numbers]})


def _vector(name: str, level: Table, kind: Field, field: Field) -> NDArray[np.int64]:
    table, values = level.table(field), _KINDS.get(level.integer(kind))
    if table is None or values is None:
        raise MalformedModel(f"tensor '{name}' has a sparse level without '{field.name}'")
    return np.array(table.integers(values), np.int64)
