"""Constants and selects."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, index

from forebay.emulator.interpreter.body import bind
from forebay.emulator.interpreter.floats import float_of
from forebay.emulator.interpreter.integers import wrapping
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.memory.faults import NotEmulatedError


@rule(arith.ConstantOp)
def constant(op: arith.ConstantOp, scope: FrameLayout) -> Action:
    """Set the result to a number."""
    attribute, type_ = op.value, op.result.type
    if isinstance(attribute, ir.FloatAttr):
        value = float_of(type_)(attribute.value)
    elif isinstance(attribute, ir.IntegerAttr | ir.BoolAttr):
        value = wrapping(type_)(int(attribute.value))
    else:
        raise NotEmulatedError(op, f"is a constant of {type_}; memref.global holds such constants")
    return _set(scope.slot(op.result), value)


@rule(index.ConstantOp)
def index_constant(op: index.ConstantOp, scope: FrameLayout) -> Action:
    """Set the result to a number."""
    return _set(scope.slot(op.result), op.value.value)


@rule(arith.SelectOp)
def select(op: arith.SelectOp, scope: FrameLayout) -> Action:
    """Select one of two numbers, or of two memrefs."""
    condition, yes, no = (scope.slot(operand) for operand in op.operands)
    result, machine = scope.reference_slot(op.result), scope.machine

    def action(frame: Frame) -> None:
        bind(machine, (result,), (frame[yes] if frame[condition] else frame[no],), frame)

    return action


def _set(slot: int, value: object) -> Action:
    def action(frame: Frame) -> None:
        frame[slot] = value

    return action
