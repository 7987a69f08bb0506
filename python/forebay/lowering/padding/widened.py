"""Windows with zero weights after their columns, so that their rows are whole words.

    [y, x, c | ky: 3, kx: 3, k: 3]   rows of 9 elements
    [y, x, c | ky: 3, kx: 4, k: 3]   rows of 12 elements, three words of 4; weights[.., 3, ..] = 0

The source of the wider windows has more columns after them, whose values do not matter.
"""

from __future__ import annotations

import math

import numpy as np
from mlir import ir
from msgspec import Struct
from numpy.typing import NDArray

from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.lowering.blocks.words import offset_of_words

_WEIGHTS = 1


class Widening(Struct, frozen=True):
    """The reduction domain with wider windows, and the shape of their weights."""

    reduction: tuple[int, ...]
    shape: tuple[int, ...]

    def type_of(self, weights: ir.Value) -> ir.MemRefType:
        """Return the type of the weights with zeros."""
        type_ = ir.MemRefType(weights.type)
        return ir.MemRefType.get(
            list(self.shape), type_.element_type, memory_space=type_.memory_space
        )

    def values_of(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the values of the weights, with zeros after them."""
        found = np.zeros(self.shape, weights.dtype)
        found[tuple(map(slice, weights.shape))] = weights
        return found


def widening_of(op: ReduceOp, word: int) -> Widening | None:
    """Return the narrowest wider windows whose rows are whole words, or None.

    The last axes of both operands are those of the columns, which are neighbours in the source, and
    of the elements of a column, of which a window has all; a single one has no dimension. None if
    rows are whole words, or where words cannot be: if a constant is added to weights, those that
    are 0 have products, too.
    """
    count, reduction = len(op.parallel), list(op.reduction)
    column = _column_of(op)
    if column is None or offset_of_words(op) is None:
        return None
    elements = math.prod(reduction[column - count + 1 :])
    columns = old = reduction[column - count]
    while columns * elements % word:
        columns += 1
    if columns == old:
        return None
    reduction[column - count] = columns
    shape = list(ir.MemRefType(op.inputs[_WEIGHTS].type).shape)
    return Widening(tuple(reduction), (*shape[:-2], columns, shape[-1]))


def _column_of(op: ReduceOp) -> int | None:
    """Return the reduction dimension of the columns of a window, or None."""
    maps = [ir.AffineMapAttr(op.maps[number]).value for number in range(len(op.inputs))]
    ends = [linear_of_map(map_)[-2:] for map_ in maps]
    if [len(end) for end in ends] != [2, 2]:
        return None
    (x, of_source), (y, of_weights) = ends
    extents, (source, weights) = [*op.parallel, *op.reduction], map(_shape_of, op.inputs)
    is_single = weights[-1] == 1
    last = len(extents) - 1
    column = last if is_single else last - 1
    element: Linear[int] = Linear() if is_single else Linear.of(last)
    is_row = x is not None and x.factor(column) == 1 and y == Linear.of(column)
    has_all = of_source == of_weights == element and source[-1] == weights[-1]
    sizes = extents[column : last + 1]
    is_window = column >= len(op.parallel) and [*weights[-2:]] == [*sizes, 1][:2]
    return column if is_row and has_all and is_window else None


def _shape_of(value: ir.Value) -> list[int]:
    return ir.MemRefType(value.type).shape


def widen_windows(op: ReduceOp, widening: Widening, weights: ir.Value) -> None:
    """Let an op have wider windows, with these weights."""
    op.operation.operands[_WEIGHTS] = weights
    op.attributes["reduction"] = ir.DenseI64ArrayAttr.get(list(widening.reduction))
