"""What holds in a part of a blocked nest: positions, block sizes and clamps of its loops."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from forebay.ir.memory.linear import Linear
from forebay.lowering.loops.window_bounds import Bounds, find_bounds

_Axes = Sequence[tuple[Linear[int], int]]


class Mode:
    """The positions of each dimension, the blocks of each, and the clamps that these need.

    A clamped loop takes single steps. The positions of the dimensions in `varying` are known at run
    time only.
    """

    def __init__(
        self,
        axes: _Axes,
        counters: Sequence[range],
        wanted: Sequence[int],
        parallel: int,
        varying: Collection[int],
    ) -> None:
        self._axes, self._wanted, self._parallel = axes, tuple(wanted), parallel
        self._varying = varying
        self.counters = tuple(counters)
        self.bounds: Bounds = find_bounds(axes, counters, parallel, varying)
        clamped = {clamp.dim for clamp in self.bounds.clamps}
        self.blocks = tuple(1 if d in clamped else block for d, block in enumerate(wanted))

    def splits(self, dim: int) -> bool:
        """Return whether the inside of a parallel dimension has other loops than its borders."""
        clamps = [clamp for clamp in self.bounds.clamps if clamp.base.factor(dim)]
        return self.blocks[dim] > 1 or any(self._wanted[clamp.dim] > 1 for clamp in clamps)

    def inside(self, dim: int, positions: range) -> Mode:
        """Return the mode for some positions of a parallel dimension, in blocks."""
        counters = [*self.counters[:dim], positions, *self.counters[dim + 1 :]]
        return Mode(self._axes, counters, self._wanted, self._parallel, self._varying)

    def one_by_one(self, dim: int) -> Mode:
        """Return the mode for single positions of a dimension, whose windows may be clamped."""
        wanted = [1 if d == dim else block for d, block in enumerate(self._wanted)]
        clamped = {clamp.dim for clamp in self.bounds.clamps}
        wanted = [1 if d in clamped else block for d, block in enumerate(wanted)]
        return Mode(self._axes, self.counters, wanted, self._parallel, self._varying)
