"""Bit counts and absolute values of integers."""

from __future__ import annotations

from typing import Any

from mlir.dialects import math

from forebay.emulator.interpreter.integers import (
    signed,
    unsigned,
    width_of,
    wrapping,
)
from forebay.emulator.interpreter.registry import Unary, scalar


@scalar(math.CountLeadingZerosOp)
def leading_zeros(op: Any) -> Unary:
    """Count leading zeros; the result for 0 is the width."""
    type_ = op.operands[0].type
    width, read = width_of(type_), unsigned(type_)
    return lambda value: width - read(value).bit_length()


@scalar(math.CountTrailingZerosOp)
def trailing_zeros(op: Any) -> Unary:
    """Count trailing zeros; the result for 0 is the width."""
    type_ = op.operands[0].type
    width, read = width_of(type_), unsigned(type_)
    return lambda value: (read(value) & -read(value)).bit_length() - 1 if value else width


@scalar(math.CtPopOp)
def ones(op: Any) -> Unary:
    """Count the bits that are set."""
    read = unsigned(op.operands[0].type)
    return lambda value: bin(read(value)).count("1")


@scalar(math.AbsIOp)
def magnitude(op: Any) -> Unary:
    """Return the absolute value; that of the lowest number is the number itself."""
    cut, read = wrapping(op.operands[0].type), signed(op.operands[0].type)
    return lambda value: cut(abs(read(value)))
