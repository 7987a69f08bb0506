"""QuantizeLinear, DequantizeLinear and tables of one stored integer.

QuantizeLinear     one `linalg.generic`: divide in float32, round halves to even, saturate
DequantizeLinear   one `linalg.generic`: subtract the zero point, multiply in float32
Table              `tosa.table`
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import HALF, OnnxNode, stored_elements
from forebay.frontends.onnx.lowering.quantised_layout import quantised_elements
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.rescale import quantised_real
from forebay.frontends.onnx.model.graph import quantised_type
from forebay.lowering.kernels import scalar

document_onnx(
    "QuantizeLinear",
    "DequantizeLinear",
    types="float32 with int8, uint8, int16; DequantizeLinear of int32",
    limits="constant scales, one per tensor for activations",
    golden="bits",
)


@onnx_operator("QuantizeLinear")
def quantize_linear(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `saturate(round(x / scale) + zero point)`."""
    node.expect_floats(0)
    if node.operator.has_single_factor:
        node.refuse("these operands", "quantise weights symmetrically, with constant scales")
    scale, zero_point = _parameters(node)
    if zero_point.dtype.name not in ("int8", "uint8", "int16"):
        node.refuse(f"a result of {zero_point.dtype.name}", "quantise to int8, uint8 or int16")
    bits = 8 * zero_point.dtype.itemsize
    stored = int(stored_elements(zero_point)[0])

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        return quantised_real(scalar.divide(ins[0], _f32(scale)), stored, bits)

    return [quantised_elements(node, compute, bits=bits)]


@onnx_operator("DequantizeLinear")
def dequantize_linear(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `(x - zero point) * scale`."""
    scale, zero_point = _parameters(node)
    dtype = node.dtype(0)
    if dtype.name not in ("int8", "uint8", "int16", "int32"):
        node.refuse(f"an operand of {dtype.name}", "int8, uint8, int16 and int32 are supported")
    offset = int(zero_point[0]) - (HALF if dtype == np.uint8 else 0)
    operand = node.operand(0)
    shape = emit.static_shape_of(operand.value)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        centred = scalar.add_constant(scalar.widen(ins[0]), -offset)
        real = arith.SIToFPOp(ir.F32Type.get(), centred).result
        return scalar.multiply(real, _f32(scale))

    value = map_elements([operand.value], shape, ir.F32Type.get(), compute)
    return [operand.with_value(value)]


@onnx_operator("Table")
def table(node: OnnxNode) -> Sequence[LaidOut]:
    """Look up each element; entry 0 is for the lowest integer."""
    operand = node.operand(0)
    entries = [int(x) for x in stored_elements(node.constant(1))]
    return [operand.with_value(emit.tosa_table(operand.value, entries))]


def _parameters(node: OnnxNode) -> tuple[float, NDArray[np.generic]]:
    scale = node.constant(1).reshape(-1)
    if node.has(2):
        zero_point = node.constant(2).reshape(-1)
    else:
        dequantises = node.operator.kind == "DequantizeLinear"
        kind = node.dtype(0) if dequantises else quantised_type(node.operator)
        zero_point = np.zeros(1, kind)
    if scale.size != 1 or zero_point.size != 1 or scale.dtype != np.float32:
        node.refuse("an activation with several scales", "quantise activations per tensor")
    if not 0 < float(scale[0]) < float("inf"):
        node.malformed(f"a scale of {float(scale[0])}")
    return float(scale[0]), zero_point


def _f32(value: float) -> ir.Value:
    return scalar.scalar_constant(value, ir.F32Type.get())
