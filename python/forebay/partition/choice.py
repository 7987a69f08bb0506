"""Choose the pattern for each operator, and record why the other patterns do not apply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from msgspec import Struct

from forebay.ir.fused import Fused
from forebay.ir.refused import RefusedError
from forebay.partition.operators import Operator
from forebay.partition.placement_requests import PlacementRequests
from forebay.targets import Pattern, Target
from forebay.targets.description.mistakes import run_user_code


class DeviceChoice(Struct, frozen=True, eq=False):
    """The device that runs an operator; `pattern` is None on the host.

    `reasons` has the failed condition of each pattern that was tried before, of another device than
    the one that runs the operator.
    """

    operator: Operator
    device: str
    pattern: Pattern | None
    reasons: tuple[str, ...]


def choose_devices(
    operators: Sequence[Operator], target: Target, requests: PlacementRequests
) -> list[DeviceChoice]:
    """Choose a device for every operator.

    Raises `RefusedError` at an operator that the user placed on a device which does not take it.
    """
    taken: dict[ir.OpView, Operator] = {}
    choices: list[DeviceChoice] = []
    for number, operator in enumerate(operators):
        choice = _choose(operator, target, requests.devices.get(number), taken)
        if choice.pattern is not None:
            taken.update(dict.fromkeys(operator.views[0].ops, operator))
        choices.append(choice)
    return choices


def _choose(
    operator: Operator, target: Target, wanted: str | None, taken: dict[ir.OpView, Operator]
) -> DeviceChoice:
    host = target.host.name
    devices = [d.name for d in target.devices if not d.host and wanted in (None, host, d.name)]
    pattern, reasons = _fitting(operator, target.patterns, devices, taken)
    if pattern is None and wanted not in (None, host):
        raise RefusedError(
            operator.location,
            f"{operator.kind} '{operator.name}' is placed on '{wanted}', which does not take it: "
            f"{'; '.join(reasons)}",
        )
    if pattern is not None and wanted == host:
        return DeviceChoice(operator, host, None, (f"placed on '{host}' by the user",))
    return DeviceChoice(
        operator, host if pattern is None else pattern.device, pattern, tuple(reasons)
    )


def _fitting(
    operator: Operator,
    patterns: Sequence[Pattern],
    devices: Sequence[str],
    taken: dict[ir.OpView, Operator],
) -> tuple[Pattern | None, list[str]]:
    """Return the pattern that takes the operator, or None, and why other devices do not."""
    fault = _unfit(operator, taken)
    if fault is not None:
        return None, [f"{device} {fault}" for device in devices]
    view = operator.views[0]
    reasons: list[tuple[str, str]] = []
    for pattern in _tried(patterns, view, devices):
        failed = run_user_code(pattern.name, pattern, lambda p=pattern: p.failed_condition(view))
        if failed is None:
            return pattern, [words for device, words in reasons if device != pattern.device]
        reasons.append((pattern.device, f"{pattern.device}.{pattern.name} needs {failed}"))
    for device in devices:
        if not any(p.device == device and p.is_of(view) for p in patterns):
            reasons.append((device, f"{device} has no pattern for {operator.kind}"))
    return None, [words for _, words in reasons]


def _unfit(operator: Operator, taken: dict[ir.OpView, Operator]) -> str | None:
    """Return why no device can take the operator, whatever its patterns; None if one may."""
    if operator.unmatched is not None:
        return f"sees no operator: {operator.unmatched}"
    if len(operator.views) > 1:
        return f"has no pattern for the {len(operator.views)} operations of {operator.kind} at once"
    ops = [op for view in operator.views for op in view.ops]
    if not ops:
        return f"has no pattern for {operator.kind}"
    others = {str(taken[op]) for op in ops if op in taken}
    if others:
        return f"cannot take what went in part with {', '.join(sorted(others))}"
    return None


def _tried(patterns: Iterable[Pattern], view: Fused, devices: Sequence[str]) -> list[Pattern]:
    """Return the patterns for the view: highest priority first, then in the target's order."""
    fitting = [p for p in patterns if p.is_of(view) and p.device in devices]
    return sorted(fitting, key=lambda pattern: -pattern.priority)
