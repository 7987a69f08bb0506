"""Checked targets."""

from __future__ import annotations

from forebay.support.records import record
from forebay.targets.description.check import check_target
from forebay.targets.description.device import Device
from forebay.targets.description.parts import TargetParts
from forebay.targets.description.pattern import Pattern


@record
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
        intrinsics = (intrinsic for device in self.devices for intrinsic in device.intrinsics)
        if not any(intrinsic.computes is not None for intrinsic in intrinsics):
            check_target(self)
            return
        from forebay.targets.declared import expand  # noqa: PLC0415  (few declare)

        self._set(*expand.without_derived(self.devices, self.patterns))
        check_target(self)
        devices, patterns = expand.with_declared(self.devices, self.pools)
        self._set(devices, (*self.patterns, *patterns))

    def _set(self, devices: tuple[Device, ...], patterns: tuple[Pattern, ...]) -> None:
        object.__setattr__(self, "devices", devices)
        object.__setattr__(self, "patterns", patterns)
