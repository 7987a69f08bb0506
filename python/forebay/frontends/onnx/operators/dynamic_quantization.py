"""DynamicQuantizeLinear: a scale and a zero point from the largest and smallest element.

Two reductions, one `linalg.generic` each for scale and zero point, and one for the elements, in
float32 and in the order of ONNX's reference, so the bits are the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tosa
from mlir.dialects import math as mathlib

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import HALF, OnnxNode
from forebay.frontends.onnx.lowering.quantised_layout import quantised_elements
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

document_onnx("DynamicQuantizeLinear", types="float32 to uint8", golden="bits")

_STEPS = 255.0


@onnx_operator("DynamicQuantizeLinear")
def dynamic_quantize_linear(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower `saturate(round(x / scale) + zero point)`, and return both besides."""
    node.expect_floats(0)
    operand = node.operand(0)
    flat = emit.tosa_reshape(operand.value, (math.prod(operand.shape),))
    limits = [op(flat, 0).result for op in (tosa.ReduceMaxOp, tosa.ReduceMinOp)]
    f32, i8 = ir.F32Type.get(), emit.signless(8)
    scale = map_elements(limits, (1,), f32, _scale)
    zero_point = map_elements([limits[1], scale], (1,), i8, _zero_point)
    stored = quantised_elements(node, _quantised, [scale, zero_point])
    scalars = (LaidOut(emit.tosa_reshape(value, ())) for value in (scale, zero_point))
    return [stored, *scalars]


def _scale(ins: Sequence[ir.Value]) -> ir.Value:
    """Return the 255th part of the range with 0, and of 1 where all elements are 0."""
    zero, one = _f32(0.0), _f32(1.0)
    largest, smallest = arith.MaximumFOp(ins[0], zero).result, arith.MinimumFOp(ins[1], zero).result
    extent = scalar.subtract(largest, smallest)
    is_empty = arith.CmpFOp(arith.CmpFPredicate.OEQ, largest, smallest).result
    return scalar.divide(arith.SelectOp(is_empty, one, extent).result, _f32(_STEPS))


def _zero_point(ins: Sequence[ir.Value]) -> ir.Value:
    """Return the stored integer for the number 0."""
    smallest = arith.MinimumFOp(ins[0], _f32(0.0)).result
    initial = scalar.subtract(_f32(0.0), scalar.divide(smallest, ins[1]))
    return _stored(mathlib.RoundEvenOp(scalar.clamp(initial, 0.0, _STEPS, ignores_nan=True)).result)


def _quantised(ins: Sequence[ir.Value]) -> ir.Value:
    x, scale, stored_zero = ins
    f32 = ir.F32Type.get()
    wide = scalar.add_constant(scalar.widen(stored_zero), HALF)
    zero_point = arith.SIToFPOp(f32, wide).result
    rounded = mathlib.RoundEvenOp(scalar.divide(x, scale)).result
    return _stored(scalar.clamp(scalar.add(rounded, zero_point), 0.0, _STEPS, ignores_nan=True))


def _stored(number: ir.Value) -> ir.Value:
    integer = arith.FPToSIOp(scalar.i32(), number).result
    return scalar.narrow(scalar.add_constant(integer, -HALF), emit.signless(8))


def _f32(value: float) -> ir.Value:
    return scalar.scalar_constant(value, ir.F32Type.get())
