"""Targets: parts that fit together."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.targets.description.check import check
from forebay.targets.description.parts import TargetParts


@dataclass(frozen=True)
class Target(TargetParts):
    """Devices and pools, the pools of one kind in order of preference, and patterns.

    Raises `TargetError`, at the line that describes it, for whatever cannot be: names that are
    doubled or unknown, no host or two, an operand that no pool could hold, a reference that does
    not take what its intrinsic takes.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self)
