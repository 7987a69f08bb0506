"""Integer arithmetic of the dialects arith and index."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from mlir.dialects import arith, index

from forebay.emulator.interpreter.integers import (
    Wrap,
    divide_toward_zero,
    signed,
    unsigned,
    wrapping,
)
from forebay.emulator.interpreter.registry import Binary, Unary, scalar


def _binary(compute: Binary, view: Callable[[Any], Wrap]) -> Callable[[Any], Binary]:
    """Return a rule that reads operands by `view`, computes exactly, and wraps the result."""

    def prepare(op: Any) -> Binary:
        type_ = op.results[0].type
        cut, read = wrapping(type_), view(type_)
        return lambda left, right: cut(compute(read(left), read(right)))

    return prepare


def _ceil_divide(left: int, right: int) -> int:
    return -(-left // right)


def _remainder(left: int, right: int) -> int:
    return left - divide_toward_zero(left, right) * right


_SIGNED: dict[Binary, tuple[type[Any], ...]] = {
    operator.add: (arith.AddIOp, index.AddOp),
    operator.sub: (arith.SubIOp, index.SubOp),
    operator.mul: (arith.MulIOp, index.MulOp),
    operator.and_: (arith.AndIOp, index.AndOp),
    operator.or_: (arith.OrIOp, index.OrOp),
    operator.xor: (arith.XOrIOp, index.XOrOp),
    operator.lshift: (arith.ShLIOp, index.ShlOp),
    operator.rshift: (arith.ShRSIOp, index.ShrSOp),
    divide_toward_zero: (arith.DivSIOp, index.DivSOp),
    _remainder: (arith.RemSIOp, index.RemSOp),
    _ceil_divide: (arith.CeilDivSIOp, index.CeilDivSOp),
    operator.floordiv: (arith.FloorDivSIOp, index.FloorDivSOp),
    max: (arith.MaxSIOp, index.MaxSOp),
    min: (arith.MinSIOp, index.MinSOp),
}
_UNSIGNED: dict[Binary, tuple[type[Any], ...]] = {
    operator.rshift: (arith.ShRUIOp, index.ShrUOp),
    operator.floordiv: (arith.DivUIOp, index.DivUOp),
    operator.mod: (arith.RemUIOp, index.RemUOp),
    _ceil_divide: (arith.CeilDivUIOp, index.CeilDivUOp),
    max: (arith.MaxUIOp, index.MaxUOp),
    min: (arith.MinUIOp, index.MinUOp),
}
for _compute, _classes in _SIGNED.items():
    scalar(*_classes)(_binary(_compute, signed))
for _compute, _classes in _UNSIGNED.items():
    scalar(*_classes)(_binary(_compute, unsigned))


@scalar(arith.ExtSIOp, arith.IndexCastOp, index.CastSOp)
def extend_signed(op: Any) -> Unary:
    """Convert to another width: sign-extend, or keep the low bits."""
    cut, read = wrapping(op.results[0].type), signed(op.operands[0].type)
    return lambda value: cut(read(value))


@scalar(arith.ExtUIOp, arith.IndexCastUIOp, index.CastUOp, arith.TruncIOp)
def extend_unsigned(op: Any) -> Unary:
    """Convert to another width: zero-extend, or keep the low bits."""
    cut, read = wrapping(op.results[0].type), unsigned(op.operands[0].type)
    return lambda value: cut(read(value))


_PREDICATES: tuple[tuple[Binary, Callable[[Any], Wrap]], ...] = (
    (operator.eq, signed),
    (operator.ne, signed),
    (operator.lt, signed),
    (operator.le, signed),
    (operator.gt, signed),
    (operator.ge, signed),
    (operator.lt, unsigned),
    (operator.le, unsigned),
    (operator.gt, unsigned),
    (operator.ge, unsigned),
)
"""The predicates of `arith.cmpi` in order: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge."""


@scalar(arith.CmpIOp)
def compare(op: arith.CmpIOp) -> Binary:
    """Compute a boolean."""
    holds, view = _PREDICATES[op.predicate.value]
    read = view(op.lhs.type)
    return lambda left, right: int(holds(read(left), read(right)))
