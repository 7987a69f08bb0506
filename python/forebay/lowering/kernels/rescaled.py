"""The requantisation of a 32-bit integer to 8 bits in the body of a kernel.

%scaled = tosa.apply_scale %sum, %multiplier, %shift {DOUBLE_ROUND}
%moved = arith.addi %scaled, %zero_point
trunci(minsi(maxsi(%moved, %low), %high))
"""

from __future__ import annotations

from typing import TypeGuard

from mlir import ir
from mlir.dialects import arith, tosa
from msgspec import Struct

from forebay.ir.nested import defining_op
from forebay.ir.tosa_constants import matches

_DOUBLE_ROUND = "#tosa.rounding_mode<DOUBLE_ROUND>"


class Rescaled(Struct, frozen=True):
    """A value of 8 bits: a scaled one, plus a zero point, limited to a range of 8 bits."""

    scale: tosa.ApplyScaleOp
    zero_point: int
    low: int
    high: int


def rescaled_of(value: ir.Value) -> Rescaled | None:
    """Return how a value of 8 bits is requantised with double rounding, or None."""
    narrowed = defining_op(value)
    if not isinstance(narrowed, arith.TruncIOp):
        return None
    high, value = _constant_operand(narrowed.in_, arith.MinSIOp)
    low, value = _constant_operand(value, arith.MaxSIOp)
    zero_point, value = _constant_operand(value, arith.AddIOp)
    scale = defining_op(value)
    if not rounds_twice(scale) or high is None or low is None:
        return None
    if not -128 <= low <= high <= 127 or not -128 <= (zero_point or 0) <= 127:
        return None
    return Rescaled(scale, zero_point or 0, low, high)


def rounds_twice(op: object) -> TypeGuard[tosa.ApplyScaleOp]:
    """Return whether an op is a requantisation with double rounding."""
    return isinstance(op, tosa.ApplyScaleOp) and matches(op.rounding_mode, _DOUBLE_ROUND)


def constant_of(value: ir.Value) -> int | None:
    """Return the value of an integer constant, None for any other value."""
    op = defining_op(value)
    if not isinstance(op, arith.ConstantOp) or not isinstance(op.result.type, ir.IntegerType):
        return None
    return ir.IntegerAttr(op.value).value


def _constant_operand(value: ir.Value, class_: type[ir.OpView]) -> tuple[int | None, ir.Value]:
    """Return the constant right operand of a value's op and the left one, if it is of a class."""
    op = defining_op(value)
    if not isinstance(op, class_):
        return None, value
    constant = constant_of(op.operands[1])
    return (None, value) if constant is None else (constant, op.operands[0])
