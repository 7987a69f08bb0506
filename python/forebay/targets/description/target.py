"""Checked targets."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.targets.description.check import check_target
from forebay.targets.description.parts import TargetParts


@dataclass(frozen=True)
class Target(TargetParts):
    """A target: devices, pools (those of one kind in order of preference), and patterns.

    `emissions` are the forms in which `forebay compile --emit NAME` can write a network.

    Raises `TargetError`, at the line of the part, for an invalid part: duplicate or unknown names,
    no host or two, an operand that no pool could hold, a reference whose parameters are not those
    of its intrinsic.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_target(self)
