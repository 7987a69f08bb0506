"""The parts of a target, before the check that they fit together."""

from __future__ import annotations

from forebay.emissions import Emission
from forebay.support.records import record
from forebay.targets.description.device import Device
from forebay.targets.description.pattern import Pattern
from forebay.targets.description.pool import Pool
from forebay.targets.description.source_location import DescribedObject


@record
class TargetParts(DescribedObject):
    """The parts of a target, not yet checked."""

    name: str
    devices: tuple[Device, ...]
    pools: tuple[Pool, ...]
    patterns: tuple[Pattern, ...] = ()
    emissions: tuple[Emission, ...] = ()

    @property
    def memories(self) -> tuple[Pool, ...]:
        """The pools, and the registers of the devices as pools."""
        own = (r.pool(device.name) for device in self.devices for r in device.registers)
        return (*self.pools, *own)

    @property
    def host(self) -> Device:
        """The device that runs the operators that no other device runs."""
        return next(device for device in self.devices if device.host)
