"""Build TOSA ops: each function creates one op with its constant operands.

Ops are created at the active insertion point and location. Types are signless: a uint8 tensor has
type i8, and only RESCALE has attributes to read or write it as unsigned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

Shape = tuple[int, ...]


def tensor_type(shape: Sequence[int], element: ir.Type) -> ir.RankedTensorType:
    """Return a static tensor type."""
    return ir.RankedTensorType.get(list(shape), element)


def static_shape_of(value: ir.Value) -> Shape:
    """Return the static shape of a tensor value."""
    return tuple(ir.RankedTensorType(value.type).shape)


def element_of(value: ir.Value) -> ir.Type:
    """Return the element type of a tensor value."""
    return ir.RankedTensorType(value.type).element_type


def tosa_constant(values: NDArray[np.generic]) -> ir.Value:
    """Build `tosa.const` of an array; unsigned elements become signless ones of the same bits."""
    return tosa.ConstOp(elements_attribute(values)).result


def tosa_shape(shape: Sequence[int]) -> ir.Value:
    """Build `tosa.const_shape`."""
    return tosa.ConstShapeOp(
        ir.Type.parse(f"!tosa.shape<{len(shape)}>"), indices_attribute(shape)
    ).result


def signless(width: int) -> ir.IntegerType:
    """Return a signless integer type."""
    return ir.IntegerType.get_signless(width)


def array(values: Sequence[int]) -> ir.DenseI64ArrayAttr:
    """Return an `array<i64: ...>` attribute."""
    return ir.DenseI64ArrayAttr.get(list(values))


def tosa_zero_point(value: int, element: ir.Type) -> ir.Value:
    """Return a zero point in TOSA's form: a one-element tensor of the element type."""
    if isinstance(element, ir.FloatType):
        return tosa_constant(np.array([value], np.float32))
    return tosa_constant(np.array([value]).astype(f"i{ir.IntegerType(element).width // 8}"))


def tosa_reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Build `tosa.reshape`, or return the value if it has the shape already."""
    if static_shape_of(value) == tuple(shape):
        return value
    return tosa.ReshapeOp(value, tosa_shape(shape)).result


def clamp_integer(value: ir.Value, low: int, high: int) -> ir.Value:
    """Build `tosa.clamp` of integers."""
    element = element_of(value)
    bounds = [ir.IntegerAttr.get(element, bound) for bound in (low, high)]
    return tosa.ClampOp(value.type, value, *bounds).result


def clamp_float(value: ir.Value, low: float, high: float) -> ir.Value:
    """Build `tosa.clamp` of float32."""
    bounds = [ir.FloatAttr.get(ir.F32Type.get(), bound) for bound in (low, high)]
    return tosa.ClampOp(value.type, value, *bounds).result


def tosa_slice(value: ir.Value, start: Sequence[int], size: Sequence[int]) -> ir.Value:
    """Build `tosa.slice`, or return the value if the slice is the whole value."""
    if static_shape_of(value) == tuple(size):
        return value
    result = tensor_type(size, element_of(value))
    return tosa.SliceOp(result, value, tosa_shape(start), tosa_shape(size)).result


def tosa_cast(value: ir.Value, to: ir.Type) -> ir.Value:
    """Build `tosa.cast`."""
    return tosa.CastOp(tensor_type(static_shape_of(value), to), value).result


def tosa_reduce_sum(value: ir.Value, axis: int) -> ir.Value:
    """Build `tosa.reduce_sum`, which keeps the dimension with size 1."""
    return tosa.ReduceSumOp(value, axis).result


def tosa_table(value: ir.Value, entries: Sequence[int]) -> ir.Value:
    """Build `tosa.table` of i8: the result for an element x is entry `x + 128`."""
    return tosa.TableOp(value.type, value, tosa_constant(np.array(entries, np.int8))).result


def tosa_multiply(a: ir.Value, b: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Build `tosa.mul` without a shift, of i32 or f32."""
    no_shift = tosa_constant(np.zeros(1, np.int8))
    return tosa.MulOp(tensor_type(shape, element_of(a)), a, b, no_shift).result


def tosa_concat(values: Sequence[ir.Value], axis: int) -> ir.Value:
    """Build `tosa.concat`, or return the value if there is only one."""
    return values[0] if len(values) == 1 else tosa.ConcatOp(values, axis).result


def elements_attribute(values: NDArray[np.generic]) -> ir.DenseElementsAttr:
    """Return the elements of an array, unsigned ones as signless ones of the same bits."""
    content = np.require(values, requirements=("C", "A"))
    if content.dtype.kind == "u":
        content = content.view(f"i{content.dtype.itemsize}")
    buffer: Any = content
    return ir.DenseElementsAttr.get(buffer)


def indices_attribute(values: Sequence[int]) -> ir.DenseElementsAttr:
    """Return numbers as a vector of type index."""
    buffer: Any = np.array(values, dtype=np.int64)
    return ir.DenseIntElementsAttr.get(buffer, type=ir.IndexType.get(), shape=[len(values)])
