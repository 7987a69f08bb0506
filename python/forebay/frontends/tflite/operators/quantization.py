"""QUANTIZE and DEQUANTIZE.

    QUANTIZE between integers: one rescale, which reads or writes uint8 as unsigned
    QUANTIZE of float32:       one linalg.generic, see `float_quantize.py`
    DEQUANTIZE of int8:        cast -> f32, [sub zero point], mul scale

DEQUANTIZE is exact. TFLite computes `scale * (x - zero point)` in double and rounds it once to
float32. Here the difference is exact, so the product in float32 is rounded once, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType, TfliteQuantization
from forebay.frontends.tflite.kernels.float_quantize import quantize_floats
from forebay.frontends.tflite.kernels.scaled import centred, rescaled, saturated
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.registry import document, operator

_I8, _U8, _F32 = ElementType.INT8, ElementType.UINT8, ElementType.FLOAT32
_I16, _I32 = ElementType.INT16, ElementType.INT32
_INTEGERS = (
    *((_I8, _I8), (_I8, _U8), (_U8, _I8), (_I8, _I16), (_I8, _I32)),
    *((_I16, _I8), (_I16, _I16), (_I16, _I32), (_I32, _I8), (_I32, _I16)),
)
_REACHES = {_I8: DIFFERENCE, _U8: DIFFERENCE, _I16: 1 << 15, _I32: 1 << 30}
"""The largest magnitudes; int32 is never shifted left, as 2**31 times a factor below 1 fits."""

document(
    "DEQUANTIZE",
    types="int8, int16 to float32; constants of float16",
    becomes="`cast`, [`sub`], `mul`",
    exact="yes",
)

document(
    "QUANTIZE",
    types="int8, uint8 and back; int8, int16, int32 to others; float32 to int8, int16",
    becomes="`rescale`; `linalg.generic` for float32",
    exact="yes",
)


@operator("QUANTIZE", newest_version=4)
def quantize(node: Node) -> Sequence[ir.Value]:
    """Lower a conversion from float32, or from one scale and zero point to another."""
    node.expect_operands(1)
    node.expect_types(*_INTEGERS, (_F32, _I8), (_F32, _I16))
    target = node.quantization(node.output, symmetric=False)
    if node.input(0).type is _F32:
        return [quantize_floats(node.value(0), target, node.output.type)]
    source = node.quantization(node.input(0), symmetric=False)
    if _is_asymmetric_int16(node):
        return [_requantised(node, source, target)]
    reach = _REACHES[node.input(0).type]
    return [
        emit.tosa_rescale(
            node.value(0),
            emit.mlir_type_of(node.output.type),
            [node.multiplier(source.scale / target.scale, reach=reach)],
            input_zp=source.zero_point,
            output_zp=target.zero_point,
            input_unsigned=node.input(0).type is _U8,
            output_unsigned=node.output.type is _U8,
        )
    ]


def _is_asymmetric_int16(node: Node) -> bool:
    """Return whether a tensor of int16 has a zero point, which TOSA does not allow."""
    tensors = (node.input(0), node.output)
    return any(
        t.type is _I16 and t.quantization is not None and t.quantization.zero_point for t in tensors
    )


def _requantised(node: Node, source: TfliteQuantization, target: TfliteQuantization) -> ir.Value:
    if node.input(0).type is _I32:
        node.refuse("INT32 to INT16 with a zero point", "quantise INT16 symmetrically")
    factor = node.multiplier(source.scale / target.scale, reach=1 << 16)
    element = node.output.type

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        scaled = rescaled(centred(ins[0], source.zero_point), factor)
        return saturated(scaled, target.zero_point, element)

    return map_elements([node.value(0)], node.shape(0), emit.mlir_type_of(element), compute)


@operator("DEQUANTIZE", newest_version=6)
def dequantize(node: Node) -> Sequence[ir.Value | NDArray[np.generic]]:
    """Lower a conversion to float32; constants of float16 become constants of float32."""
    node.expect_operands(1)
    data = node.input(0).data
    if node.input(0).type is ElementType.FLOAT16 and data is not None:
        return [data.astype(np.float32)]
    node.expect_types((_I8, _F32), (_I16, _F32))
    source = node.quantization(node.input(0))
    value = emit.tosa_cast(node.value(0), ir.F32Type.get())
    shape = emit.static_shape_of(value)
    ones = (1,) * len(shape)
    if source.zero_point != 0:
        zero = emit.tosa_constant(np.full(ones, source.zero_point, np.float32))
        value = tosa.SubOp(value.type, value, zero).result
    scale = emit.tosa_constant(np.full(ones, source.scale, np.float32))
    return [emit.tosa_multiply(value, scale, shape)]
