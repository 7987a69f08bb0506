"""The order of the elements of a value: ONNX has channels first, TOSA has them last.

    logical    N C H W             a tensor as ONNX sees it
    last       N H W C             what convolutions and pools give, without a copy
    packed     N (H W C)           a flattened tensor of that order: N (C H W) in ONNX

An operator takes its operands in the order that it needs; only then elements are moved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends import tosa as emit


class LaidOut(Struct, frozen=True, eq=False):
    """A value, and the order of its elements."""

    value: ir.Value
    last: bool = False
    """Whether dimension 1 of ONNX is the last one of the value."""
    packed: tuple[int, ...] = ()
    """The sizes of C, H, W, ... of ONNX that are flattened into the last dimension."""

    @property
    def shape(self) -> emit.Shape:
        """The shape in ONNX."""
        shape = emit.static_shape_of(self.value)
        return (shape[0], shape[-1], *shape[1:-1]) if self.last else shape

    def with_value(self, value: ir.Value) -> LaidOut:
        """Return another value of the same order."""
        return LaidOut(value, self.last, self.packed)

    def logical(self) -> ir.Value:
        """Return the value in ONNX's order."""
        shape = emit.static_shape_of(self.value)
        if self.last:
            rank = len(shape)
            return permuted(self.value, [0, rank - 1, *range(1, rank - 1)])
        if self.packed:
            channels, *spatial = self.packed
            split = emit.tosa_reshape(self.value, (shape[0], *spatial, channels))
            return emit.tosa_reshape(LaidOut(split, last=True).logical(), shape)
        return self.value

    def channels_last(self) -> ir.Value:
        """Return the value with dimension 1 of ONNX moved to the end."""
        if self.last:
            return self.value
        value = self.logical()
        rank = len(emit.static_shape_of(value))
        return permuted(value, [0, *range(2, rank), 1])


def permuted(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """Return the value with dimension `order[i]` as dimension `i`; free if only ones move."""
    shape = emit.static_shape_of(value)
    result = [shape[p] for p in order]
    moved = [p for p in order if shape[p] != 1]
    if moved == sorted(moved):
        return emit.tosa_reshape(value, result)
    kind = emit.tensor_type(result, emit.element_of(value))
    return tosa.TransposeOp(kind, value, ir.DenseI32ArrayAttr.get(list(order))).result


def packed_columns(matrix: NDArray[np.generic], packed: Sequence[int]) -> NDArray[np.generic]:
    """Return a matrix whose columns are in the order of a packed value."""
    if not packed or math.prod(packed[1:]) == 1:
        return matrix
    columns = np.moveaxis(matrix.reshape(len(matrix), *packed), 1, -1)
    return np.ascontiguousarray(columns.reshape(len(matrix), -1))
