"""Calls of the module's own functions."""

from __future__ import annotations

from mlir.dialects import func

from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout


@rule(func.CallOp)
def call(op: func.CallOp, scope: FrameLayout) -> Action:
    """Call a function; operands with their last use here may end inside the callee."""
    operands = [scope.slot(operand) for operand in op.operands]
    ending = [scope.slot(value) for value in scope.take_expiring()]
    results, program = scope.reference_slots(list(op.results)), scope.program
    name = op.callee.value

    def action(frame: Frame) -> None:
        callee = program.functions[name]
        inside = callee.enter([frame[slot] for slot in operands])
        for slot in ending:
            scope.machine.drop_reference(frame[slot])
        callee.finish(inside, results, frame)

    return action
