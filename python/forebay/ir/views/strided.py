"""Strided layouts of memrefs, in numbers of any kind.

The emulator calculates with integers, the C printer with expressions. A rule for a view op is
written once for both, because it only adds, multiplies and compares with 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from msgspec import Struct

from forebay.ir.interfaces import FoldResult, Slice

N = TypeVar("N")


class StridedLayout(Struct, Generic[N], frozen=True):
    """Element `(i0, ...)` is at `start + i0 * strides[0] + ...`.

    ::

        base            start
        |---------------|..#..#..#    `unit`: the distance of two neighbouring elements
                         0  1  2      of the buffer

    Distances have the unit of the caller, for example bytes. The offset in a memref type counts
    elements from `base`.
    """

    start: N
    sizes: tuple[N, ...]
    strides: tuple[N, ...]
    base: N
    unit: N


class ViewNumbers(Struct, Generic[N], frozen=True):
    """The values of the constants and operands that a rule uses."""

    offsets: tuple[N, ...]
    sizes: tuple[N, ...]
    strides: tuple[N, ...]


class LayoutRule(Struct, frozen=True):
    """The rule by which the layout of a view follows from that of its source.

    `layout` is called with the layout of the source and the values of `numbers`, which are
    constants and operands of the op.
    """

    numbers: Slice
    layout: Callable[[StridedLayout[Any], ViewNumbers[Any]], StridedLayout[Any]]

    def values(
        self,
        offset: Callable[[FoldResult], N],
        size: Callable[[FoldResult], N],
        stride: Callable[[FoldResult], N],
    ) -> ViewNumbers[N]:
        """Return the values of the numbers."""
        return ViewNumbers(
            tuple(map(offset, self.numbers.offsets)),
            tuple(map(size, self.numbers.sizes)),
            tuple(map(stride, self.numbers.strides)),
        )
