"""Loops and branches."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import scf

from forebay.emulator.interpreter.body import Body, FrameSlot, bind
from forebay.emulator.interpreter.integers import unsigned
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout

_Slots = tuple[int, ...]


def _ends(op: ir.OpView, scope: FrameLayout) -> tuple[_Slots, _Slots]:
    """Return the values that end with a loop: unused by its regions, and used by them."""
    expiring = scope.take_expiring()
    inside = [value for value in expiring if scope.is_used_in(value, op)]
    first = [value for value in expiring if value not in inside]
    return tuple(map(scope.slot, first)), tuple(map(scope.slot, inside))


def _drop(scope: FrameLayout, frame: Frame, slots: _Slots) -> None:
    for slot in slots:
        scope.machine.drop_reference(frame[slot])


@rule(scf.ForOp)
def for_(op: scf.ForOp, scope: FrameLayout) -> Action:
    """Run a loop: each iteration passes its values to the next, the last one to the results."""
    begin, end, step, *inits = (scope.slot(operand) for operand in op.operands)
    first, inside = _ends(op, scope)
    body = scope.body(op.region)
    counter, *carried = body.arguments
    results, read = scope.reference_slots(list(op.results)), _as_read(op)

    def action(frame: Frame) -> None:
        values = [frame[slot] for slot in inits]
        points = range(read(frame[begin]), read(frame[end]), read(frame[step]))
        bind(scope.machine, carried if points else results, values, frame)
        _drop(scope, frame, first)
        scope.machine.iterates(max(0, -(-(points.stop - points.start) // points.step)))
        for point in points:
            frame[counter.number] = point
            body.run(frame)
            body.pass_values(frame, results if point == points[-1] else carried, frame)
        _drop(scope, frame, inside)

    return action


def _as_read(op: scf.ForOp) -> Any:
    is_unsigned = "unsignedCmp" in op.attributes
    return unsigned(op.lowerBound.type) if is_unsigned else int


@rule(scf.WhileOp)
def while_(op: scf.WhileOp, scope: FrameLayout) -> Action:
    """Run a loop; the region of the condition runs once more than the body."""
    inits = [scope.slot(operand) for operand in op.operands]
    first, inside = _ends(op, scope)
    before, after = scope.body(op.before), scope.body(op.after)
    results = scope.reference_slots(list(op.results))

    def action(frame: Frame) -> None:
        bind(scope.machine, before.arguments, [frame[slot] for slot in inits], frame)
        _drop(scope, frame, first)
        while _continues(before, frame, after.arguments, results):
            scope.machine.iterates()
            after.run(frame)
            after.pass_values(frame, before.arguments, frame)
        _drop(scope, frame, inside)

    return action


def _continues(
    before: Body, frame: Frame, onward: tuple[FrameSlot, ...], results: tuple[FrameSlot, ...]
) -> bool:
    before.run(frame)
    continues = bool(frame[before.yields[0]])
    before.pass_values(frame, onward if continues else results, frame, skip=1)
    return continues


@rule(scf.IfOp)
def if_(op: scf.IfOp, scope: FrameLayout) -> Action:
    """Run one of two regions; the second may be missing."""
    condition = scope.slot(op.operands[0])
    run = _one_of(op, scope)

    def action(frame: Frame) -> None:
        run(frame, 0 if frame[condition] else 1)

    return action


@rule(scf.IndexSwitchOp)
def index_switch(op: scf.IndexSwitchOp, scope: FrameLayout) -> Action:
    """Run the region of the matching case, else the first region, which is the default."""
    number, cases = scope.slot(op.operands[0]), list(op.cases)
    run = _one_of(op, scope)

    def action(frame: Frame) -> None:
        value = frame[number]
        run(frame, 1 + cases.index(value) if value in cases else 0)

    return action


@rule(scf.ExecuteRegionOp)
def execute_region(op: scf.ExecuteRegionOp, scope: FrameLayout) -> Action:
    """Run the only region."""
    run = _one_of(op, scope)
    return lambda frame: run(frame, 0)


def _one_of(op: Any, scope: FrameLayout) -> Any:
    """Return a function that runs a region by number; values that end with the op end in it."""
    handed = scope.take_expiring()
    bodies = [scope.body(region, handed) if len(region.blocks) else None for region in op.regions]
    results = scope.reference_slots(list(op.results))
    slots = tuple(map(scope.slot, handed))

    def run(frame: Frame, number: int) -> None:
        body = bodies[number]
        if body is None:
            _drop(scope, frame, slots)
            return
        body.run(frame)
        body.pass_values(frame, results, frame)

    return run
