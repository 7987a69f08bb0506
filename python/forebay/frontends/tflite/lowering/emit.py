"""TOSA ops by what they mean: a function creates one op, with its constant operands.

Ops are created at the insertion point and location that are active; types are signless, so a
uint8 tensor is one of i8 and only RESCALE says that it reads or writes it unsigned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering.quantize import Multiplier

Shape = tuple[int, ...]


def element_type(element: ElementType) -> ir.Type:
    """The MLIR type of an element."""
    if element is ElementType.FLOAT32:
        return ir.F32Type.get()
    if element is ElementType.BOOL:
        return bits(1)
    return bits(8 * element.bytes)


def tensor_type(shape: Sequence[int], element: ir.Type) -> ir.RankedTensorType:
    """A static tensor type."""
    return ir.RankedTensorType.get(list(shape), element)


def shape_of(value: ir.Value) -> Shape:
    """The static shape of a tensor value."""
    return tuple(ir.RankedTensorType(value.type).shape)


def element_of(value: ir.Value) -> ir.Type:
    """The element type of a tensor value."""
    return ir.RankedTensorType(value.type).element_type


def constant(values: NDArray[np.generic]) -> ir.Value:
    """`tosa.const` of an array; unsigned elements become signless ones of the same bits."""
    return tosa.ConstOp(_elements(values)).result


def variable(name: str, initial: NDArray[np.generic]) -> None:
    """`tosa.variable` of that name and initial value."""
    elements = _elements(initial)
    kind = ir.RankedTensorType(elements.type)
    element = ir.TypeAttr.get(kind.element_type)
    tosa.VariableOp(name, _indices(kind.shape), element, initial_value=elements)


def dimensions(shape: Sequence[int]) -> ir.Value:
    """`tosa.const_shape`."""
    return tosa.ConstShapeOp(ir.Type.parse(f"!tosa.shape<{len(shape)}>"), _indices(shape)).result


def bits(width: int) -> ir.IntegerType:
    """A signless integer type."""
    return ir.IntegerType.get_signless(width)


def array(values: Sequence[int]) -> ir.DenseI64ArrayAttr:
    """An `array<i64: ...>` attribute."""
    return ir.DenseI64ArrayAttr.get(list(values))


def zero_point(value: int, element: ir.Type) -> ir.Value:
    """A zero point as TOSA wants it: a tensor of one element of the type it belongs to."""
    if isinstance(element, ir.FloatType):
        return constant(np.array([value], np.float32))
    return constant(np.array([value]).astype(f"i{ir.IntegerType(element).width // 8}"))


def reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """`tosa.reshape`, or the value itself where the shape is already that."""
    if shape_of(value) == tuple(shape):
        return value
    return tosa.ReshapeOp(value, dimensions(shape)).result


def rescale(
    value: ir.Value,
    to: ir.Type,
    multipliers: Sequence[Multiplier],
    *,
    input_zp: int = 0,
    output_zp: int = 0,
    input_unsigned: bool = False,
    output_unsigned: bool = False,
) -> ir.Value:
    """`tosa.rescale` with double rounding: one multiplier, or one per channel (last)."""
    return tosa.RescaleOp(
        tensor_type(shape_of(value), to),
        value,
        constant(np.array([m.significand for m in multipliers], np.int32)),
        constant(np.array([m.shift for m in multipliers], np.int8)),
        zero_point(input_zp, element_of(value)),
        zero_point(output_zp, to),
        True,
        ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>"),
        len(multipliers) > 1,
        input_unsigned,
        output_unsigned,
    ).result


def clamp_integer(value: ir.Value, low: int, high: int) -> ir.Value:
    """`tosa.clamp` of integers."""
    element = element_of(value)
    bounds = [ir.IntegerAttr.get(element, bound) for bound in (low, high)]
    return tosa.ClampOp(value.type, value, *bounds).result


def clamp_float(value: ir.Value, low: float, high: float) -> ir.Value:
    """`tosa.clamp` of float32."""
    bounds = [ir.FloatAttr.get(ir.F32Type.get(), bound) for bound in (low, high)]
    return tosa.ClampOp(value.type, value, *bounds).result


def slice_of(value: ir.Value, start: Sequence[int], size: Sequence[int]) -> ir.Value:
    """`tosa.slice`, or the value itself where it is taken whole."""
    if shape_of(value) == tuple(size):
        return value
    result = tensor_type(size, element_of(value))
    return tosa.SliceOp(result, value, dimensions(start), dimensions(size)).result


def cast(value: ir.Value, to: ir.Type) -> ir.Value:
    """`tosa.cast`."""
    return tosa.CastOp(tensor_type(shape_of(value), to), value).result


def reduce_sum(value: ir.Value, axis: int) -> ir.Value:
    """`tosa.reduce_sum`, which keeps the dimension with size 1."""
    return tosa.ReduceSumOp(value, axis).result


def table(value: ir.Value, entries: Sequence[int]) -> ir.Value:
    """`tosa.table` of i8: entry `x + 128` for each element x."""
    return tosa.TableOp(value.type, value, constant(np.array(entries, np.int8))).result


def multiply(a: ir.Value, b: ir.Value, shape: Sequence[int]) -> ir.Value:
    """`tosa.mul` without a shift, of i32 or f32."""
    no_shift = constant(np.zeros(1, np.int8))
    return tosa.MulOp(tensor_type(shape, element_of(a)), a, b, no_shift).result


def concatenate(values: Sequence[ir.Value], axis: int) -> ir.Value:
    """`tosa.concat`, or the value itself where there is only one."""
    return values[0] if len(values) == 1 else tosa.ConcatOp(values, axis).result


def _elements(values: NDArray[np.generic]) -> ir.DenseElementsAttr:
    content = np.require(values, requirements=("C", "A"))
    if content.dtype.kind == "u":
        content = content.view(f"i{content.dtype.itemsize}")
    buffer: Any = content
    return ir.DenseElementsAttr.get(buffer)


def _indices(values: Sequence[int]) -> ir.DenseElementsAttr:
    buffer: Any = np.array(values, dtype=np.int64)
    return ir.DenseIntElementsAttr.get(buffer, type=ir.IndexType.get(), shape=[len(values)])
