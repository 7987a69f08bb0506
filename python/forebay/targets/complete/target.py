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
    of its intrinsic. For declared intrinsics it gets patterns, after its own, and the calls of
    whole operators.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_target(self)
        intrinsics = (intrinsic for device in self.devices for intrinsic in device.intrinsics)
        if any(intrinsic.computes is not None for intrinsic in intrinsics):
            self._derive()

    def _derive(self) -> None:
        from forebay.targets.declared.expand import with_declared  # noqa: PLC0415  (few declare)

        devices, patterns = with_declared(self.devices, self.pools)
        object.__setattr__(self, "devices", devices)
        object.__setattr__(self, "patterns", (*self.patterns, *patterns))
