"""COND_IF and WHILE_LOOP."""

from __future__ import annotations

from mlir.dialects import tosa

from forebay.reference.control import assign
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule


@rule(tosa.IfOp)
def cond_if(op: tosa.IfOp, scope: Scope) -> Action:
    """Run the branch that the condition, a tensor of one element, selects."""
    condition, *inputs = scope.slots(op.operands)
    bodies = [scope.body(region) for region in op.operation.regions]
    results = scope.slots(op.results)

    def action(frame: Frame) -> None:
        body = bodies[0] if frame[condition].flat[0] else bodies[1]
        values = [frame[slot] for slot in inputs] if body.arguments else []
        assign(frame, results, body.run(frame, values))

    return action


@rule(tosa.WhileOp)
def while_(op: tosa.WhileOp, scope: Scope) -> Action:
    """Run the body while the condition yields true."""
    condition, body = (scope.body(region) for region in op.operation.regions)
    inputs, results = scope.slots(op.operands), scope.slots(op.results)

    def action(frame: Frame) -> None:
        values = [frame[slot] for slot in inputs]
        while condition.run(frame, values)[0].flat[0]:
            scope.program.spend(op, body)
            values = body.run(frame, values)
        assign(frame, results, values)

    return action
