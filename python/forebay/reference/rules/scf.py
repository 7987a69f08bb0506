"""Loops and branches."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir.dialects import scf

from forebay.reference.control import assign
from forebay.reference.program import Scope
from forebay.reference.registry import Action, Frame, rule


@rule(scf.ForOp)
def for_(op: scf.ForOp, scope: Scope) -> Action:
    """Run the body once per value of the counter, in order."""
    first, last, step, *initial = scope.slots(op.operands)
    body, results = scope.body(op.operation.regions[0]), scope.slots(op.results)
    program = scope.program

    def action(frame: Frame) -> None:
        values: list[Any] = [frame[slot] for slot in initial]
        counter = np.asarray(frame[first])
        for number in range(int(counter), int(frame[last]), int(frame[step])):
            program.spend(op, body)
            values = body.run(frame, [counter.dtype.type(number), *values])
        assign(frame, results, values)

    return action


@rule(scf.IfOp)
def if_(op: scf.IfOp, scope: Scope) -> Action:
    """Run the branch that the condition selects; a missing else branch does nothing."""
    condition, results = scope.slot(op.operands[0]), scope.slots(op.results)
    bodies = [scope.body(region) if region.blocks else None for region in op.operation.regions]

    def action(frame: Frame) -> None:
        body = bodies[0] if frame[condition] else bodies[1]
        if body is not None:
            assign(frame, results, body.run(frame, []))

    return action


@rule(scf.WhileOp)
def while_(op: scf.WhileOp, scope: Scope) -> Action:
    """Run a loop; the first region yields whether to continue, and the values to pass on."""
    before, after = (scope.body(region) for region in op.operation.regions)
    inputs, results = scope.slots(op.operands), scope.slots(op.results)
    program = scope.program

    def action(frame: Frame) -> None:
        continues, *values = before.run(frame, [frame[slot] for slot in inputs])
        while continues:
            program.spend(op, after)
            continues, *values = before.run(frame, after.run(frame, values))
        assign(frame, results, values)

    return action


@rule(scf.IndexSwitchOp)
def index_switch(op: scf.IndexSwitchOp, scope: Scope) -> Action:
    """Run the region of the matching case, else the first region, which is the default."""
    argument, results = scope.slot(op.operands[0]), scope.slots(op.results)
    default, *others = (scope.body(region) for region in op.operation.regions)
    cases = dict(zip(list(op.operation.attributes["cases"]), others, strict=True))

    def action(frame: Frame) -> None:
        body = cases.get(int(frame[argument]), default)
        assign(frame, results, body.run(frame, []))

    return action


@rule(scf.ExecuteRegionOp)
def execute_region(op: scf.ExecuteRegionOp, scope: Scope) -> Action:
    """Run the only block."""
    body, results = scope.body(op.operation.regions[0]), scope.slots(op.results)

    def action(frame: Frame) -> None:
        assign(frame, results, body.run(frame, []))

    return action
