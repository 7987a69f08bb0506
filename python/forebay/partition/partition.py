"""Replace operators that devices run by calls of intrinsics, and report what runs where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.ir import fused
from forebay.ir.nested import ops_nested_in
from forebay.ir.refused import RefusedError
from forebay.partition.choice import DeviceChoice, choose_devices
from forebay.partition.operators import operators_in
from forebay.partition.placement_requests import PlacementRequests
from forebay.reports.offload import OffloadReport, OperatorOffload
from forebay.targets import Pattern, Target
from forebay.targets.description.emit import Emit, Layouts
from forebay.targets.description.mistakes import run_user_code


def partition(
    module: ModuleOp,
    target: Target,
    *,
    place: Iterable[tuple[str, str]] = (),
    placement: Path | None = None,
) -> OffloadReport:
    """Move operators to the devices whose patterns take them, and return the report.

    The requests of the user, `place` and `placement`, override the choice by patterns. Raises
    `RefusedError` at an operator that cannot run where the user placed it, `PlacementRequestError`
    for an unknown operator or device, and `TargetError` for mistakes in a pattern.
    """
    classes = {it: None for pattern in target.patterns for it in pattern.op_classes}
    operators = operators_in(module, tuple(classes))
    devices = [device.name for device in target.devices]
    choices = choose_devices(
        operators, target, PlacementRequests.from_arguments(operators, devices, place, placement)
    )
    report = OffloadReport(target.name, tuple(devices), tuple(map(_row, choices)))
    _apply(module, target, choices)
    return report


def _row(choice: DeviceChoice) -> OperatorOffload:
    operator = choice.operator
    return OperatorOffload(
        index=operator.index,
        kind=operator.kind,
        name=operator.name,
        device=choice.device,
        pattern=None if choice.pattern is None else choice.pattern.name,
        reasons=choice.reasons,
        macs=operator.macs,
        bytes=operator.bytes,
    )


def _apply(module: ModuleOp, target: Target, choices: Sequence[DeviceChoice]) -> None:
    """Replace in the order of the last ops, so that each new value dominates its uses."""
    order = {op: number for number, op in enumerate(ops_nested_in(module))}
    placed = [
        (order[choice.operator.views[0].ops[-1]], _root(choice), choice.pattern)
        for choice in choices
        if choice.pattern is not None
    ]
    before = set(order)
    devices = {device.name: device for device in target.devices}
    layouts = Layouts()
    for _, root, pattern in sorted(placed, key=lambda entry: entry[0]):
        # Match again: earlier replacements have changed the operands.
        view = _view(root)
        assert view is not None
        last = view.ops[-1]
        emit = Emit(devices[pattern.device], layouts, last.operation.block)
        with ir.InsertionPoint(last), _location(root, last):
            _replace(view, pattern, emit)
    _erase_unused(module, before)


def _root(choice: DeviceChoice) -> ir.OpView:
    """Return the root op of the operator's only view."""
    return next(root for root in choice.operator.roots if _view(root) is not None)


def _view(root: ir.OpView) -> fused.Fused | None:
    return fused.match(root) if fused.is_root(root) else fused.single_op(root)


def _replace(view: fused.Fused, pattern: Pattern, emit: Emit) -> None:
    value = run_user_code(pattern.name, pattern, lambda: pattern.build(view, emit))
    if value.type != view.result.type:
        raise RefusedError(
            view.result.location,
            f"pattern '{pattern.name}' of '{pattern.device}' gives {value.type} for an operator "
            f"of {view.result.type}",
        )
    view.result.replace_all_uses_with(value)
    for op in reversed(view.ops):
        op.operation.erase()


def _location(root: ir.OpView, last: ir.OpView) -> ir.Location:
    locations = [root.operation.location, last.operation.location]
    return locations[0] if locations[0] == locations[1] else ir.Location.fused(locations)


def _erase_unused(module: ModuleOp, before: set[ir.OpView]) -> None:
    """Erase layouts that were not used, and constants that only replaced operators used."""
    for op in reversed(ops_nested_in(module)):
        is_ours = op not in before or op.operation.name in ("tosa.const", "tosa.const_shape")
        results = op.operation.results
        if is_ours and len(results) and not any(list(result.uses) for result in results):
            op.operation.erase()
