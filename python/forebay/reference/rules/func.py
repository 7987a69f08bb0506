"""Calls of the module's own functions."""

from __future__ import annotations

from mlir.dialects import func

from forebay.reference.control import assign
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule


@rule(func.CallOp)
def call(op: func.CallOp, scope: Scope) -> Action:
    """Return the callee's results for these operands."""
    callee = scope.program.function(op.callee.value, op)
    operands, results = scope.slots(op.operands), scope.slots(op.results)

    def action(frame: Frame) -> None:
        assign(frame, results, callee.call([frame[slot] for slot in operands]))

    return action
