"""The requantisation of a 32-bit integer to 8 bits in the body of a kernel.

%scaled = tosa.apply_scale %sum, %multiplier, %shift {DOUBLE_ROUND}
%moved = arith.addi %scaled, %zero_point
trunci(minsi(maxsi(%moved, %low), %high))
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, tosa
from msgspec import Struct

_DOUBLE_ROUND = "#tosa.rounding_mode<DOUBLE_ROUND>"


class Rescaled(Struct, frozen=True):
    """A value of 8 bits: a scaled one, plus a zero point, limited to a range of 8 bits."""

    scale: tosa.ApplyScaleOp
    zero_point: int
    low: int
    high: int


def rescaled_of(value: ir.Value) -> Rescaled | None:
    """Return how a value of 8 bits is requantised with double rounding, or None."""
    narrowed = defining(value)
    if not isinstance(narrowed, arith.TruncIOp):
        return None
    high, value = _constant_operand(narrowed.in_, arith.MinSIOp)
    low, value = _constant_operand(value, arith.MaxSIOp)
    zero_point, value = _constant_operand(value, arith.AddIOp)
    scale = defining(value)
    if not rounds_twice(scale) or high is None or low is None:
        return None
    if not -128 <= low <= high <= 127 or not -128 <= (zero_point or 0) <= 127:
        return None
    return Rescaled(scale, zero_point or 0, low, high)


def rounds_twice(op: Any) -> bool:
    """Return whether an op is a requantisation with double rounding."""
    is_scale = isinstance(op, tosa.ApplyScaleOp)
    return is_scale and op.rounding_mode == ir.Attribute.parse(_DOUBLE_ROUND)


def constant_of(value: ir.Value) -> int | None:
    """Return the value of an integer constant, None for any other value."""
    op = defining(value)
    is_integer = isinstance(op, arith.ConstantOp) and isinstance(op.result.type, ir.IntegerType)
    return ir.IntegerAttr(op.value).value if is_integer else None


def defining(value: ir.Value) -> Any:
    """Return the op that computes a value, None for an argument of a block."""
    return None if isinstance(value.owner, ir.Block) else value.owner.opview


def _constant_operand(value: ir.Value, class_: type[ir.OpView]) -> tuple[int | None, ir.Value]:
    """Return the constant right operand of a value's op and the left one, if it is of a class."""
    op = defining(value)
    if not isinstance(op, class_):
        return None, value
    constant = constant_of(op.operands[1])
    return (None, value) if constant is None else (constant, op.operands[0])
