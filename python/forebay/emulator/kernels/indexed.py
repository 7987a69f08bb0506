"""The elements that a kernel reads and writes: affine maps over a domain, evaluated exactly.

Dimensions that share no index are independent. So the set of an operand's elements is a product of
small sets. For a convolution these are the rows of (y, ky), the columns of (x, kx), the channels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.emulator.kernels.affine import dims_of, evaluator
from forebay.emulator.memory.footprint import Footprint, require_points

_Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Indexed:
    """The indices of an operand: one affine expression per axis.

    `limits` is the shape of an operand. A point of the domain counts only if the indices of all
    operands with `limits` are inside them.
    """

    map: ir.AffineMap
    limits: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class _Part:
    """Dimensions that depend on each other, and the number of their points that count.

    `axes` are, for each operand, the values of the indices that these dimensions determine.
    """

    points: int
    axes: tuple[dict[int, _Numbers], ...]


class IndexedElements:
    """The elements that a set of operands accesses over a domain, or over a box of it.

    The positions in dimension `d` are `[starts[d], starts[d] + extents[d])`; the starts are 0 by
    default.
    """

    def __init__(
        self, extents: Sequence[int], operands: Sequence[Indexed], starts: Sequence[int] = ()
    ) -> None:
        self._starts = starts or [0] * len(extents)
        self._operands = [list(operand.map.results) for operand in operands]
        self._limits = [operand.limits for operand in operands]
        self._parts = [
            self._part(group, extents) for group in _groups(len(extents), self._operands)
        ]

    @property
    def points(self) -> int:
        """Return the number of points of the domain that count."""
        total = 1
        for part in self._parts:
            total *= part.points
        return total

    def footprint(self, operand: int, strides: Sequence[int], width: int) -> Footprint:
        """Return the bytes of the elements of one operand, whose strides are in bytes."""
        sums = (self._offsets(part, operand, strides) for part in self._parts)
        return Footprint.of(sums, width)

    @staticmethod
    def _offsets(part: _Part, operand: int, strides: Sequence[int]) -> _Numbers:
        total = np.zeros(min(part.points, 1), np.int64)
        for axis, index in part.axes[operand].items():
            total = total + index * strides[axis]
        return total

    def _part(self, group: frozenset[int], extents: Sequence[int]) -> _Part:
        """Return the part of a group; group -1 stands for the indices without dimensions."""
        dims = sorted(group - {-1})
        sizes = [extents[dim] for dim in dims]
        require_points(math.prod(sizes))
        grid = np.indices(sizes, np.int64).reshape(len(dims), math.prod(sizes))
        values: dict[int, _Numbers] = {
            dim: positions + self._starts[dim] for dim, positions in zip(dims, grid, strict=True)
        }
        axes = [
            {
                axis: np.broadcast_to(evaluator(expr)(values), grid.shape[1:])
                for axis, expr in enumerate(exprs)
                if (dims_of(expr) or {-1}) <= group
            }
            for exprs in self._operands
        ]
        counts = np.ones(grid.shape[1], np.bool_)
        for indices, limits in zip(axes, self._limits, strict=True):
            if limits is None:
                continue
            for axis, index in indices.items():
                counts &= (index >= 0) & (index < limits[axis])
        kept = [{axis: index[counts] for axis, index in indices.items()} for indices in axes]
        return _Part(int(counts.sum()), tuple(kept))


def _groups(dims: int, operands: Sequence[Sequence[ir.AffineExpr]]) -> list[frozenset[int]]:
    """Return sets of dimensions that share an index; {-1} for indices without dimensions."""
    groups = [frozenset({dim}) for dim in range(-1, dims)]
    for exprs in operands:
        for expr in exprs:
            used = dims_of(expr)
            joined = [group for group in groups if group & used]
            if len(joined) > 1:
                groups = [group for group in groups if not group & used]
                groups.append(frozenset().union(*joined))
    return groups
