"""Exact sets of bytes as strided ranges, relative to the first byte of a view.

Rows 0, 2 and 4 of a 5x8 buffer, columns 2 to 5, are three ranges of four bytes::

    first = 2, axes = ((3, 16),), width = 4        . . # # # # . .
                                                   . . . . . . . .
                                                   . . # # # # . .
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.emulator.memory.faults import TooLargeError

MOST_POINTS = 1 << 27
"""The largest number of elements that are enumerated; each takes eight bytes or more."""

Offsets = NDArray[np.int64]
_Shadow = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Footprint:
    """Bytes `first + i0 * step0 + i1 * step1 + ... + j`, `i` in `[0, count)`, `j` in `[0, width)`.

    `axes` are pairs of count and step, outermost first, without overlap. A set of bytes that has no
    such form is `scattered`: the ascending offsets of its pieces of `width` bytes, with no axes.
    """

    first: int
    axes: tuple[tuple[int, int], ...]
    width: int
    scattered: Offsets | None = None

    @staticmethod
    def of(parts: Iterable[Offsets], width: int) -> Footprint:
        """Return all sums of one offset from each part; each sum is the start of `width` bytes.

        An empty part makes an empty footprint.
        """
        sets = [np.unique(part) for part in parts]
        if any(len(part) == 0 for part in sets):
            return Footprint(0, (), 0)
        first = sum(int(part[0]) for part in sets)
        axes = sorted((_progression(p) for p in sets if len(p) > 1), key=lambda axis: -axis[1])
        if all(step for _, step in axes) and not _overlaps(axes, width):
            merged, wide = _merged(axes, width)
            return Footprint(first, merged, wide)
        total = np.zeros(1, np.int64)
        for part in sets:
            total = (total[:, None] + part).ravel()
        return Footprint(0, (), width, np.unique(total))

    @staticmethod
    def of_axes(axes: Sequence[tuple[int, int]], width: int) -> Footprint:
        """Return all sums of `index * step` over axes of count and step.

        Each sum is the start of `width` bytes. Enumerates the elements only if the sums overlap;
        raises `TooLargeError` if these are too many.
        """
        if any(count == 0 for count, _ in axes):
            return Footprint(0, (), 0)
        first = sum((count - 1) * step for count, step in axes if step < 0)
        moving = [(count, abs(step)) for count, step in axes if count > 1 and step]
        moving.sort(key=lambda axis: -axis[1])
        if not _overlaps(moving, width):
            merged, wide = _merged(moving, width)
            return Footprint(first, merged, wide)
        require_points(math.prod(count for count, _ in moving))
        return Footprint.of((np.arange(count) * step for count, step in moving), width).moved(first)

    def moved(self, by: int) -> Footprint:
        """Return the same bytes, shifted by a number of bytes."""
        if self.scattered is not None:
            return replace(self, scattered=self.scattered + by)
        return replace(self, first=self.first + by)

    @cached_property
    def size(self) -> int:
        """Return the number of bytes."""
        if self.scattered is not None:
            return len(self.scattered) * self.width
        return int(np.prod([count for count, _ in self.axes], dtype=np.int64)) * self.width

    @cached_property
    def span(self) -> tuple[int, int]:
        """Return the first byte and the end, one past the last byte."""
        if self.scattered is not None:
            return int(self.scattered[0]), int(self.scattered[-1]) + self.width
        last = self.first + sum((count - 1) * step for count, step in self.axes)
        return self.first, last + self.width

    def take(self, array: _Shadow, at: int) -> _Shadow:
        """Return the elements of a flat array, one per byte, with the view's first byte at `at`."""
        if self.scattered is not None:
            return array[self._indices(at)]
        return self._window(array, at)

    def put(self, array: _Shadow, at: int, value: int) -> None:
        """Set the elements of a flat array, one per byte, with the view's first byte at `at`."""
        if self.scattered is not None:
            array[self._indices(at)] = value
        else:
            self._window(array, at)[...] = value

    def offset_of(self, position: int) -> int:
        """Return the offset of the byte at a flat position in the result of `take`."""
        if self.scattered is not None:
            return int(self.scattered[position // self.width]) + position % self.width
        shape = (*(count for count, _ in self.axes), self.width)
        *outer, inner = np.unravel_index(position, shape)
        steps = zip(outer, self.axes, strict=True)
        return self.first + int(inner) + sum(int(i) * step for i, (_, step) in steps)

    def _window(self, array: _Shadow, at: int) -> _Shadow:
        start, item = at + self.first, array.itemsize
        if not self.axes:
            return array[start : start + self.width]
        return np.ndarray(
            (*(count for count, _ in self.axes), self.width),
            array.dtype,
            array,
            start * item,
            (*(step * item for _, step in self.axes), item),
        )

    def _indices(self, at: int) -> Offsets:
        assert self.scattered is not None
        return at + self.scattered[:, None] + np.arange(self.width)


def require_points(count: int) -> None:
    """Raise `TooLargeError` when there are more elements than can be enumerated."""
    if count > MOST_POINTS:
        raise TooLargeError(
            f"an access to {count:,} elements is more than the {MOST_POINTS:,} that the emulator "
            "looks at one by one"
        )


def _progression(part: Offsets) -> tuple[int, int]:
    """Return count and step; the step is 0 if the offsets have no common step."""
    steps = np.diff(part)
    return len(part), int(steps[0]) if (steps == steps[0]).all() else 0


def _overlaps(axes: list[tuple[int, int]], width: int) -> bool:
    """Return whether two sums may be the same byte: a step is shorter than its inner extent."""
    inside = width
    for count, step in reversed(axes):
        if step < inside:
            return True
        inside += (count - 1) * step
    return False


def _merged(axes: list[tuple[int, int]], width: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the same bytes with fewer axes: neighbours without a gap are merged."""
    merged: list[tuple[int, int]] = []
    for count, step in reversed(axes):
        if not merged and step == width:
            width *= count
        elif merged and step == merged[-1][0] * merged[-1][1]:
            merged[-1] = (count * merged[-1][0], merged[-1][1])
        else:
            merged.append((count, step))
    return tuple(reversed(merged)), width
