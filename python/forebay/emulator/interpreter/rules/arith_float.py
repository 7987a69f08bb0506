"""Float arithmetic, and conversions from and to integers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.emulator.interpreter.floats import float_of, is_float
from forebay.emulator.interpreter.integers import (
    signed,
    unsigned,
    width_of,
    wrapping,
)
from forebay.emulator.interpreter.registry import (
    Binary,
    Function,
    Unary,
    scalar,
)


def _quiet(compute: Callable[..., Any]) -> Callable[[Any], Function]:
    """Return a rule that computes IEEE results without NumPy's warnings."""

    def silent(*operands: Any) -> Any:
        with np.errstate(all="ignore"):
            return compute(*operands)

    return lambda _: silent


def _nan_is_absent(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def chosen(left: Any, right: Any) -> Any:
        if np.isnan(left):
            return right
        return left if np.isnan(right) else choose(left, right)

    return chosen


def _larger(left: Any, right: Any) -> Any:
    if np.isnan(left) or np.isnan(right):
        return left if np.isnan(left) else right
    if left == right:
        return right if np.signbit(left) else left
    return max(left, right)


def _smaller(left: Any, right: Any) -> Any:
    return -_larger(-left, -right)


_COMPUTED: dict[type[Any], Callable[..., Any]] = {
    arith.AddFOp: operator.add,
    arith.SubFOp: operator.sub,
    arith.MulFOp: operator.mul,
    arith.DivFOp: operator.truediv,
    arith.RemFOp: np.fmod,
    arith.NegFOp: operator.neg,
    arith.MaximumFOp: _larger,
    arith.MinimumFOp: _smaller,
    arith.MaxNumFOp: _nan_is_absent(_larger),
    arith.MinNumFOp: _nan_is_absent(_smaller),
}
for _class, _compute in _COMPUTED.items():
    scalar(_class)(_quiet(_compute))


@scalar(arith.ExtFOp, arith.TruncFOp)
def convert(op: Any) -> Function:
    """Round to the nearest number of the other width."""
    kind = float_of(op.results[0].type)
    return _quiet(kind)(op)


@scalar(arith.SIToFPOp, arith.UIToFPOp)
def from_integer(op: Any) -> Unary:
    """Convert to the nearest float."""
    kind = float_of(op.results[0].type)
    view = signed if isinstance(op, arith.SIToFPOp) else unsigned
    read = view(op.operands[0].type)
    return lambda value: kind(read(value))


@scalar(arith.FPToSIOp, arith.FPToUIOp)
def to_integer(op: Any) -> Function:
    """Round toward zero; a number out of range, undefined in MLIR, becomes the lowest number."""
    cut, width = wrapping(op.results[0].type), width_of(op.results[0].type)
    low, high = (-(1 << width - 1), 1 << width - 1)
    if isinstance(op, arith.FPToUIOp):
        low, high = 0, 1 << width

    def compute(value: Any) -> int:
        whole = math.trunc(value) if np.isfinite(value) else low
        return cut(whole if low <= whole < high else low)

    return compute


@scalar(arith.BitcastOp)
def reinterpret(op: arith.BitcastOp) -> Unary:
    """Keep the bits and change the type."""
    source, target = _layout(op.in_.type), _layout(op.out.type)
    finish = target if is_float(op.out.type) else int
    return lambda value: finish(source(value).view(target))


def _layout(type_: ir.Type) -> Any:
    return float_of(type_) if is_float(type_) else getattr(np, f"int{width_of(type_)}")


_ORDERED: tuple[Callable[[Any, Any], bool], ...] = (
    operator.eq,
    operator.gt,
    operator.ge,
    operator.lt,
    operator.le,
    operator.ne,
    lambda _a, _b: True,
)
"""The predicates oeq, ogt, oge, olt, ole, one, ord; the unordered ones follow in this order."""


@scalar(arith.CmpFOp)
def compare(op: arith.CmpFOp) -> Binary:
    """Compute a boolean; predicate 0 is always false, 15 always true."""
    number = op.predicate.value
    if number in (0, 15):
        return lambda _left, _right: int(number == 15)
    holds, if_unordered = _predicate(number)

    def compute(left: Any, right: Any) -> int:
        if np.isnan(left) or np.isnan(right):
            return int(if_unordered)
        return int(holds(left, right))

    return compute


def _predicate(number: int) -> tuple[Callable[[Any, Any], bool], bool]:
    """Return the comparison of ordered numbers, and the result if an operand is NaN.

    Predicates 1 to 7 are the ordered ones, 8 to 13 the unordered ones, 14 is "an operand is NaN".
    """
    if number <= 7:
        return _ORDERED[number - 1], False
    if number == 14:
        return lambda _a, _b: False, True
    return _ORDERED[number - 8], True
