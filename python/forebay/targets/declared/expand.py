"""Add to a target what follows from its declared intrinsics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forebay.targets.declared.group import groups_of
from forebay.targets.declared.operator_call import operator_intrinsic
from forebay.targets.declared.pattern import pattern_of
from forebay.targets.declared.stage import DeclaredStage
from forebay.targets.description.device import Device
from forebay.targets.description.pattern import Pattern
from forebay.targets.description.pool import Pool


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
    extended = replace(
        device,
        intrinsics=(*device.intrinsics, *whole),
        stage=stage.lower,
        reserve=stage.reserved,
    )
    object.__setattr__(extended, "place", device.place)
    return extended, [pattern_of(g, w, pools) for g, w in zip(groups, whole, strict=True)]
