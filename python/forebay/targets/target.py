"""What a target is made of: devices, and the pools that they read and write."""

from dataclasses import dataclass
from typing import Literal

from forebay.errors import Error

PoolKind = Literal["workspace", "constant", "state"]


class TargetError(Error):
    """A target that cannot be, or that nobody knows."""


@dataclass(frozen=True)
class Device:
    """One instance of a kind of device; the host is one too."""

    name: str
    kind: str


@dataclass(frozen=True)
class Pool:
    """A named memory. Sizes and offsets are in bytes.

    `alignment` is the base's and the default of every buffer in the pool; `reserved` lists
    half-open ranges that no buffer may touch; `readers` and `writers` name devices, `None` meaning
    all.
    """

    name: str
    kind: PoolKind
    capacity: int | None = None
    alignment: int = 16
    reserved: tuple[tuple[int, int], ...] = ()
    section: str | None = None
    readers: tuple[str, ...] | None = None
    writers: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Target:
    """Devices and pools, the pools of one kind in order of preference.

    Raises `TargetError` when a name is doubled or a pool names a device that is not there.
    """

    name: str
    devices: tuple[Device, ...]
    pools: tuple[Pool, ...]

    def __post_init__(self) -> None:
        devices = [device.name for device in self.devices]
        for name in (*devices, *(pool.name for pool in self.pools)):
            symbols = [*devices, *(pool.name for pool in self.pools)]
            if symbols.count(name) > 1:
                raise TargetError(f"target '{self.name}' has the name '{name}' twice")
        for pool in self.pools:
            for device in (*(pool.readers or ()), *(pool.writers or ())):
                if device not in devices:
                    raise TargetError(
                        f"pool '{pool.name}' of target '{self.name}' gives rights to '{device}', "
                        f"which is none of its devices: {', '.join(devices)}"
                    )
