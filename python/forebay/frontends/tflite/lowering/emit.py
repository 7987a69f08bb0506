"""Build the ops of TFLite's operators: what all front ends build, and what TFLite's scales need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tosa import (
    Shape,
    array,
    clamp_float,
    clamp_integer,
    element_of,
    elements_attribute,
    indices_attribute,
    signless,
    static_shape_of,
    tensor_type,
    tosa_cast,
    tosa_concat,
    tosa_constant,
    tosa_multiply,
    tosa_reduce_sum,
    tosa_reshape,
    tosa_shape,
    tosa_slice,
    tosa_table,
    tosa_zero_point,
)

__all__ = [
    "Shape",
    "array",
    "clamp_float",
    "clamp_integer",
    "element_of",
    "mlir_type_of",
    "signless",
    "static_shape_of",
    "tensor_type",
    "tosa_cast",
    "tosa_concat",
    "tosa_constant",
    "tosa_multiply",
    "tosa_reduce_sum",
    "tosa_rescale",
    "tosa_reshape",
    "tosa_shape",
    "tosa_slice",
    "tosa_table",
    "tosa_zero_point",
    "variable",
]


def mlir_type_of(element: ElementType) -> ir.Type:
    """Return the MLIR type of an element."""
    if element is ElementType.FLOAT32:
        return ir.F32Type.get()
    if element is ElementType.BOOL:
        return signless(1)
    return signless(8 * element.bytes)


def variable(name: str, initial: NDArray[np.generic]) -> None:
    """Build `tosa.variable` of that name and initial value."""
    elements = elements_attribute(initial)
    kind = ir.RankedTensorType(elements.type)
    element = ir.TypeAttr.get(kind.element_type)
    tosa.VariableOp(name, indices_attribute(kind.shape), element, initial_value=elements)


def tosa_rescale(
    value: ir.Value,
    to: ir.Type,
    multipliers: Sequence[Multiplier],
    *,
    input_zp: int = 0,
    output_zp: int = 0,
    input_unsigned: bool = False,
    output_unsigned: bool = False,
) -> ir.Value:
    """Build `tosa.rescale` with double rounding: one multiplier, or one per channel (last)."""
    return tosa.RescaleOp(
        tensor_type(static_shape_of(value), to),
        value,
        tosa_constant(np.array([m.significand for m in multipliers], np.int32)),
        tosa_constant(np.array([m.shift for m in multipliers], np.int8)),
        tosa_zero_point(input_zp, element_of(value)),
        tosa_zero_point(output_zp, to),
        True,
        ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>"),
        len(multipliers) > 1,
        input_unsigned,
        output_unsigned,
    ).result
