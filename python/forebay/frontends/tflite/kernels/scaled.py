"""TFLite's fixed-point arithmetic on scalars, for the regions of `linalg.generic`."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, tosa

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.lowering.kernels import scalar


def centred(x: ir.Value, zero_point: int) -> ir.Value:
    """Return an element minus its zero point, in 32 bits."""
    return scalar.add_constant(scalar.widen(x), -zero_point)


def rescaled(value: ir.Value, by: Multiplier) -> ir.Value:
    """Return TFLite's `MultiplyByQuantizedMultiplier` of an i32, which rounds twice."""
    significand = scalar.scalar_constant(by.significand, scalar.i32())
    shift = scalar.scalar_constant(by.shift, emit.signless(8))
    rounding = ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>")
    return tosa.ApplyScaleOp(scalar.i32(), value, significand, shift, rounding).result


def saturated(value: ir.Value, zero_point: int, element: ElementType) -> ir.Value:
    """Return the value plus the zero point, saturated to the element type."""
    shifted = scalar.add_constant(value, zero_point)
    return scalar.narrow(scalar.clamp(shifted, *element.range), emit.mlir_type_of(element))


def is_negative(value: ir.Value) -> ir.Value:
    """Return whether an integer or a float is below zero."""
    zero = scalar.scalar_constant(0, value.type)
    if isinstance(value.type, ir.FloatType):
        return arith.CmpFOp(arith.CmpFPredicate.OLT, value, zero).result
    return arith.CmpIOp(arith.CmpIPredicate.slt, value, zero).result
