"""Loads and stores of single elements, and globals."""

from __future__ import annotations

from mlir.dialects import memref

from forebay.emulator.interpreter.body import bind
from forebay.emulator.interpreter.elements import element, loader, storer
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout


@rule(memref.GetGlobalOp)
def get_global(op: memref.GetGlobalOp, scope: FrameLayout) -> Action:
    """Return the view of a constant or of a state variable."""
    result, machine = scope.reference_slot(op.result), scope.machine
    view = scope.program.globals[op.name.value]

    def action(frame: Frame) -> None:
        bind(machine, (result,), (view,), frame)

    return action


@rule(memref.LoadOp)
def load(op: memref.LoadOp, scope: FrameLayout) -> Action:
    """Load one element."""
    source, indices = scope.slot(op.memref), [scope.slot(index) for index in op.indices]
    result, read = scope.slot(op.result), loader(op.result.type, scope.machine)
    point, machine = scope.point(op), scope.machine

    def action(frame: Frame) -> None:
        view, offset = element(frame[source], [frame[index] for index in indices], machine, point)
        frame[result] = read(view, offset, point)

    return action


@rule(memref.StoreOp)
def store(op: memref.StoreOp, scope: FrameLayout) -> Action:
    """Store one element."""
    target, indices = scope.slot(op.memref), [scope.slot(index) for index in op.indices]
    value, write = scope.slot(op.value), storer(scope.machine)
    point, machine = scope.point(op), scope.machine

    def action(frame: Frame) -> None:
        view, offset = element(frame[target], [frame[index] for index in indices], machine, point)
        write(view, offset, frame[value], point)

    return action
