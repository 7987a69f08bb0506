"""Add to a target what follows from its declared intrinsics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forebay.device_stages import Reserve, Stage
from forebay.targets.declared.group import groups_of
from forebay.targets.declared.operator_call import OperatorIntrinsic, operator_intrinsic
from forebay.targets.declared.pattern import DerivedPattern, pattern_of
from forebay.targets.declared.stage import DeclaredStage, derived_stage_of
from forebay.targets.description.device import Device
from forebay.targets.description.intrinsic import Intrinsic
from forebay.targets.description.pattern import Pattern
from forebay.targets.description.pool import Pool


def without_derived(
    devices: Sequence[Device], patterns: Sequence[Pattern]
) -> tuple[tuple[Device, ...], tuple[Pattern, ...]]:
    """Return the parts as they were described, if `with_declared` has added to them before.

    So a target can be made of parts of a complete one, with other pools or emissions.
    """
    written = (pattern for pattern in patterns if not isinstance(pattern, DerivedPattern))
    return tuple(map(_described, devices)), tuple(written)


def with_declared(
    devices: Sequence[Device], pools: Sequence[Pool]
) -> tuple[tuple[Device, ...], tuple[Pattern, ...]]:
    """Return the devices with calls of whole operators and their stage, and the patterns.

    Raises `TargetError` at a declared intrinsic that does not fit to the others of its device.
    """
    found = [_declared(device, pools) for device in devices]
    return tuple(d for d, _ in found), tuple(p for _, patterns in found for p in patterns)


def _declared(device: Device, pools: Sequence[Pool]) -> tuple[Device, list[Pattern]]:
    groups = list(groups_of(device))
    if not groups:
        return device, []
    whole = [operator_intrinsic(group, pools) for group in groups]
    by_name = {w.name: (g, w) for g, w in zip(groups, whole, strict=True)}
    stage = DeclaredStage(by_name, pools, device.stage, device.reserve)
    intrinsics = (*device.intrinsics, *whole)
    extended = _replaced(device, intrinsics, stage.lower, stage.reserved)
    return extended, [pattern_of(g, w, pools) for g, w in zip(groups, whole, strict=True)]


def _described(device: Device) -> Device:
    lower, reserve = derived_stage_of(device.stage), derived_stage_of(device.reserve)
    kept = tuple(it for it in device.intrinsics if not isinstance(it, OperatorIntrinsic))
    if lower is None and reserve is None and len(kept) == len(device.intrinsics):
        return device
    return _replaced(
        device,
        kept,
        device.stage if lower is None else lower.stage,
        device.reserve if reserve is None else reserve.reserve,
    )


def _replaced(
    device: Device, intrinsics: tuple[Intrinsic, ...], stage: Stage | None, reserve: Reserve | None
) -> Device:
    """Return a device that keeps the line that describes it."""
    result = replace(device, intrinsics=intrinsics, stage=stage, reserve=reserve)
    object.__setattr__(result, "place", device.place)
    return result
