"""Changes of layout on the host, as TOSA operations that the host lowering fuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.ir.fused import element_type, shape_of


def host_constant(elements: NDArray[np.generic], location: ir.Location | None = None) -> ir.Value:
    """Build a `tosa.const`."""
    array: Any = np.ascontiguousarray(elements)
    return tosa.ConstOp(ir.DenseElementsAttr.get(array), loc=location).result


def host_reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Build a `tosa.reshape`, or return the value if it has the shape already."""
    if shape_of(value) == tuple(shape):
        return value
    return tosa.ReshapeOp(value, _shape(shape)).result


def host_transpose(value: ir.Value, order: Sequence[int]) -> ir.Value:
    """Build a `tosa.transpose`, or a `tosa.reshape` if only dimensions of size 1 move."""
    shape = shape_of(value)
    result = [shape[i] for i in order]
    moving = [i for i in order if shape[i] != 1]
    if moving == sorted(moving):
        return host_reshape(value, result)
    type_ = ir.RankedTensorType.get(result, element_type(value))
    return tosa.TransposeOp(type_, value, ir.DenseI32ArrayAttr.get(list(order))).result


def host_pad(value: ir.Value, before: Sequence[int], after: Sequence[int], fill: int) -> ir.Value:
    """Build `tosa.slice` and `tosa.pad` as needed; `fill` has the element type of the value."""
    value = _cut(value, [max(0, -n) for n in before], [max(0, -n) for n in after])
    amounts = [(max(0, b), max(0, a)) for b, a in zip(before, after, strict=True)]
    if not any(b or a for b, a in amounts):
        return value
    shape = [n + b + a for n, (b, a) in zip(shape_of(value), amounts, strict=True)]
    element = element_type(value)
    border = tosa.ConstOp(
        ir.DenseElementsAttr.get_splat(
            ir.RankedTensorType.get([1], element), ir.IntegerAttr.get(element, fill)
        )
    ).result
    sizes = _shape([n for pair in amounts for n in pair])
    return tosa.PadOp(ir.RankedTensorType.get(shape, element), value, sizes, border).result


def _cut(value: ir.Value, before: Sequence[int], after: Sequence[int]) -> ir.Value:
    if not any(before) and not any(after):
        return value
    sizes = [n - b - a for n, b, a in zip(shape_of(value), before, after, strict=True)]
    type_ = ir.RankedTensorType.get(sizes, element_type(value))
    return tosa.SliceOp(type_, value, _shape(before), _shape(sizes)).result


def _shape(sizes: Sequence[int]) -> ir.Value:
    values: Any = np.array(sizes, np.int64)
    elements = ir.DenseIntElementsAttr.get(values, type=ir.IndexType.get(), shape=[len(sizes)])
    return tosa.ConstShapeOp(ir.Type.parse(f"!tosa.shape<{len(sizes)}>"), elements).result
