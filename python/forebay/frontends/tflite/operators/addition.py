"""ADD and SUB.

    int8, int16: rescale (a) -> i32, rescale (b) -> i32, add | sub, rescale -> i8 | i16, [clamp]
    float32:     add | sub, [clamp]
    int32, int64: linalg.generic

TFLite shifts both operands left by 20 bits (int16: 15), scales them to twice the larger scale with
double rounding, adds them, and rescales the sum. The operand with the larger scale (a factor of
exactly 1/2) needs one RESCALE. The other operand needs two, for the shift and for the factor,
because a single RESCALE would round only once.
Source: TFLite Micro `add_common.cc`, `sub_common.cc`, `reference/integer_ops/add.h`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tosa
from msgspec import Struct

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.integers import INTEGERS, lower_integers
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import NONE, activate
from forebay.frontends.tflite.lowering.broadcast import broadcast_operands
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.registry import document, operator


class AddOptions(OperatorOptions, frozen=True):
    """ADD."""

    fused_activation_function: SchemaInt8


class SubOptions(OperatorOptions, frozen=True):
    """SUB."""

    fused_activation_function: SchemaInt8


_LEFT_SHIFTS = {ElementType.INT8: 20, ElementType.INT16: 15}
_TYPES = tuple(
    (element,) * 3
    for element in (ElementType.INT8, ElementType.INT16, ElementType.FLOAT32, *INTEGERS)
)


class _Factors(Struct, frozen=True):
    """The factors of the operands and of their sum."""

    a: float
    b: float
    total: float


document(
    "ADD",
    "SUB",
    types="int8, int16, int32, int64, float32",
    limits="broadcasting",
    becomes="`rescale` ×2–3, `add` | `sub`, `rescale`, [`clamp`]; int32, int64: `linalg.generic`",
    exact="yes",
)


@operator("ADD", newest_version=5)
def add(node: Node) -> Sequence[ir.Value]:
    """Lower the sum of two tensors of one shape, or broadcast to one."""
    _check(node)
    activation = node.options(AddOptions).fused_activation_function
    if node.output.type is ElementType.INT32:
        activation = NONE  # TFLite Micro ignores it
    if node.output.type in INTEGERS:
        return [lower_integers(node, arith.AddIOp, activation)]
    return [activate(node, _combine(node, tosa.AddOp), activation)]


@operator("SUB", newest_version=5)
def sub(node: Node) -> Sequence[ir.Value]:
    """Lower the difference of two tensors of one shape, or broadcast to one."""
    _check(node)
    activation = node.options(SubOptions).fused_activation_function
    if node.output.type in INTEGERS:
        return [lower_integers(node, arith.SubIOp, activation)]
    return [activate(node, _combine(node, tosa.SubOp), activation)]


def _check(node: Node) -> None:
    node.expect_operands(2)
    node.expect_types(*_TYPES)


def _combine(node: Node, op: type[tosa.AddOp] | type[tosa.SubOp]) -> ir.Value:
    a, b, shape = broadcast_operands(node)
    if node.output.type is ElementType.FLOAT32:
        return op(emit.tensor_type(shape, ir.F32Type.get()), a, b).result
    factors = _factors(node)
    total = op(
        emit.tensor_type(shape, emit.signless(32)),
        _widen(node, 0, a, factors.a),
        _widen(node, 1, b, factors.b),
    ).result
    return emit.tosa_rescale(
        total,
        emit.mlir_type_of(node.output.type),
        [_total(node, factors.total)],
        output_zp=node.quantization(node.output).zero_point,
    )


def _factors(node: Node) -> _Factors:
    a, b, target = (node.quantization(t).scale for t in (*node.inputs(), node.output))
    twice = 2.0 * max(a, b)
    return _Factors(a / twice, b / twice, twice / ((1 << _left_shift(node)) * target))


def _total(node: Node, real: float) -> Multiplier:
    """Return the multiplier of the sum; TFLite aborts unless the factor is below one."""
    found = node.multiplier(real)
    if found.exponent > 0:
        largest = _left_shift(node) - 1
        node.refuse(
            f"a sum rescaled by {real:g}, which TFLite takes below 1 only",
            f"the larger operand's scale must be below 2^{largest} times the result's",
        )
    return found


def _widen(node: Node, index: int, value: ir.Value, real_factor: float) -> ir.Value:
    zero_point = node.quantization(node.input(index)).zero_point
    factor = node.multiplier(real_factor)
    shift = _left_shift(node)
    if factor.exponent == 0:
        combined = Multiplier(factor.significand, shift)
        return emit.tosa_rescale(value, emit.signless(32), [combined], input_zp=zero_point)
    shifted = emit.tosa_rescale(
        value, emit.signless(32), [Multiplier(1 << 30, shift + 1)], input_zp=zero_point
    )
    return emit.tosa_rescale(shifted, emit.signless(32), [factor])


def _left_shift(node: Node) -> int:
    return _LEFT_SHIFTS[node.output.type]
