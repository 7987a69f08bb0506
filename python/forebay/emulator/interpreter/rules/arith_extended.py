"""Integer arithmetic with two results: the low bits and the high bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir.dialects import arith

from forebay.emulator.interpreter.integers import (
    Wrap,
    signed,
    unsigned,
    width_of,
    wrapping,
)
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout


@rule(arith.MulSIExtendedOp)
def multiply_signed(op: arith.MulSIExtendedOp, scope: FrameLayout) -> Action:
    """Compute the low and the high half of the product."""
    return _split(op, scope, signed, lambda left, right: left * right)


@rule(arith.MulUIExtendedOp)
def multiply_unsigned(op: arith.MulUIExtendedOp, scope: FrameLayout) -> Action:
    """Compute the low and the high half of the product."""
    return _split(op, scope, unsigned, lambda left, right: left * right)


@rule(arith.AddUIExtendedOp)
def add_unsigned(op: arith.AddUIExtendedOp, scope: FrameLayout) -> Action:
    """Compute the sum and its carry."""
    return _split(op, scope, unsigned, lambda left, right: left + right)


def _split(
    op: Any, scope: FrameLayout, view: Callable[[Any], Wrap], compute: Callable[[int, int], int]
) -> Action:
    left, right = (scope.slot(operand) for operand in op.operands)
    low, high = (scope.slot(result) for result in op.results)
    low_cut, high_cut = (wrapping(result.type) for result in op.results)
    width, read = width_of(op.operands[0].type), view(op.operands[0].type)

    def action(frame: Frame) -> None:
        whole = compute(read(frame[left]), read(frame[right]))
        frame[low], frame[high] = low_cut(whole), high_cut(whole >> width)

    return action
