"""The differences between two plans: buffers by name, and bytes by pool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from forebay.view.plan_data import PlanData, ShownBuffer

Change = Literal["moved", "resized", "added", "removed"]


class ChangedBuffer(Struct, frozen=True, rename="camel"):
    """A buffer that differs; `before` and `after` are its numbers in the plans, None for none."""

    name: str
    change: Change
    before: int | None
    after: int | None


class ChangedPool(Struct, frozen=True, rename="camel"):
    """The peak of a pool in both plans, None where the plan has no such pool."""

    name: str
    before: int | None
    after: int | None


class PlanDifference(Struct, frozen=True, rename="camel"):
    """All differences, and the number of buffers that are at the same place in both plans."""

    pools: tuple[ChangedPool, ...]
    buffers: tuple[ChangedBuffer, ...]
    same: int


def plan_difference(before: PlanData, after: PlanData) -> PlanDifference:
    """Return what changed from one plan to another; buffers with one name are the same buffer.

    A buffer is moved if its pool or offset differs, and resized if its size does.
    """
    old, new = _by_name(before), _by_name(after)
    changed: list[ChangedBuffer] = []
    for name in dict.fromkeys((*old, *new)):
        change = _change(before, after, old.get(name), new.get(name))
        if change is not None:
            changed.append(ChangedBuffer(name, change, old.get(name), new.get(name)))
    peaks = [{pool.name: pool.peak for pool in plan.pools} for plan in (before, after)]
    pools = tuple(
        ChangedPool(name, peaks[0].get(name), peaks[1].get(name))
        for name in dict.fromkeys((*peaks[0], *peaks[1]))
    )
    return PlanDifference(pools, tuple(changed), len(old.keys() | new.keys()) - len(changed))


def _by_name(plan: PlanData) -> Mapping[str, int]:
    return {buffer.name: number for number, buffer in enumerate(plan.buffers)}


def _change(before: PlanData, after: PlanData, old: int | None, new: int | None) -> Change | None:
    if old is None:
        return "added"
    if new is None:
        return "removed"
    one, other = before.buffers[old], after.buffers[new]
    if one.size != other.size:
        return "resized"
    return None if _place(before, one) == _place(after, other) else "moved"


def _place(plan: PlanData, buffer: ShownBuffer) -> tuple[str, int]:
    return plan.pools[buffer.pool].name, buffer.offset
