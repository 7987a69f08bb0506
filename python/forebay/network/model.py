"""What a C project needs to know about a network that its IR does not say."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

PoolKind = Literal["workspace", "constant", "state"]

Fill = Literal["rom", "at_init", "by_host"]
"""Who puts the bytes of a constant pool there: the linker, a generated function, the application.
"""


@dataclass(frozen=True)
class Port:
    """An input or output of the network.

    `dtype` is the NumPy name of the external type. A port without a pool is memory of the caller,
    an argument of `@main`; one in a pool is a planned buffer at `offset`, without an argument.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: float | None = None
    zero_point: int | None = None
    pool: str | None = None
    offset: int = 0

    @property
    def elements(self) -> int:
        """Number of elements; 1 for a scalar."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.elements * np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class PoolInfo:
    """A pool after planning; `size` is its peak: the bytes that the application must provide.

    Of a pool with a `base` the network takes the bytes `[start, size)` behind this address, which
    is a constant of its code: there is no array, and nothing is handed over. Addresses inside a
    device count `unit` bytes.
    """

    name: str
    kind: PoolKind
    size: int
    alignment: int = 16
    lower_bound: int | None = None
    capacity: int | None = None
    section: str | None = None
    fill: Fill = "rom"
    base: int | None = None
    start: int = 0
    unit: int = 1
    is_host_readable: bool = True

    @property
    def is_mapped(self) -> bool:
        """Whether the host addresses it at a constant base."""
        return self.base is not None

    @property
    def is_constant(self) -> bool:
        """Whether the network only reads it."""
        return self.kind == "constant"

    @property
    def is_rom(self) -> bool:
        """Whether it is a constant of the C, where the application has nothing to provide."""
        return self.is_constant and self.fill == "rom" and not self.is_mapped

    @property
    def is_outside(self) -> bool:
        """Whether its constants are no part of the C: a file that is put there by somebody else."""
        return self.is_programmed or (self.is_constant and self.fill == "by_host")

    @property
    def is_programmed(self) -> bool:
        """Whether its constants are at its base before the program begins, as in a flash."""
        return self.is_constant and self.fill == "rom" and self.is_mapped


@dataclass(frozen=True)
class DeviceInfo:
    """A device that the network tells something: one instance of a kind.

    `entries` are the functions that do, of "main" and "reset"; `handle` says that they need one.
    """

    name: str
    kind: str
    entries: tuple[str, ...]
    handle: bool = False


@dataclass(frozen=True)
class Quantization:
    """What a buffer's integers stand for: scale * (stored - zero point).

    With several scales, element `i` in row-major order has the one at `i // stride % len(scales)`.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    stride: int


@dataclass(frozen=True)
class BufferInfo:
    """A planned buffer; it lives in steps [start, end).

    `quantization` is the model's, of what is a tensor of the model.
    """

    name: str
    pool: str
    offset: int
    size: int
    start: int
    end: int
    dtype: str
    shape: tuple[int, ...]
    quantization: Quantization | None = None


@dataclass(frozen=True)
class GoldenStep:
    """One inference of the self-test; state is reset before the first step only."""

    inputs: tuple[NDArray[Any], ...]
    outputs: tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class ModelInfo:
    """A network as its C project presents it.

    Ports are told apart by their places in `inputs` and `outputs`; their names differ, too.
    `inputs` and `outputs` that belong to the caller are `@main`'s last arguments, in this order.
    `source_hash` is a hex digest of the model file; `tolerance` is for floating-point goldens.
    With `internal_pools` the C has its memory inside of it, and its functions take no pools.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    pools: tuple[PoolInfo, ...]
    source_hash: str
    buffers: tuple[BufferInfo, ...] = ()
    golden: tuple[GoldenStep, ...] = ()
    golden_origin: str = ""
    """Where the outputs of these steps come from, for people."""
    tolerance: float = 0.0
    internal_pools: bool = False
    inside: tuple[PoolInfo, ...] = ()
    """Pools inside of devices, of which the C knows nothing but addresses."""
    steps: tuple[str, ...] = ()
    """What runs at each step of the clock on which buffers live."""
    devices: tuple[DeviceInfo, ...] = ()
    """Devices that the network tells something, so that they may answer with an error."""

    def __post_init__(self) -> None:
        names = [port.name for port in self.ports]
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two ports of '{self.name}' are called '{repeated}'")

    def devices_commanded_by(self, entry: str) -> tuple[DeviceInfo, ...]:
        """Devices that "main" or "reset" tells something."""
        return tuple(device for device in self.devices if entry in device.entries)

    @property
    def handles(self) -> tuple[DeviceInfo, ...]:
        """Devices whose handles the caller hands over."""
        return tuple(device for device in self.devices if device.handle)

    def handed_to(self, entry: str) -> tuple[DeviceInfo, ...]:
        """Devices whose handles "main" or "reset" needs."""
        return tuple(device for device in self.devices_commanded_by(entry) if device.handle)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, then outputs."""
        return self.inputs + self.outputs

    @property
    def caller_ports(self) -> tuple[Port, ...]:
        """Ports that are arguments, in the order of `@main`."""
        return tuple(port for port in self.ports if port.pool is None)

    @property
    def provided_pools(self) -> tuple[PoolInfo, ...]:
        """Pools for which the application provides memory, wherever it likes."""
        return tuple(pool for pool in self.pools if not pool.is_rom and not pool.is_mapped)

    @property
    def mapped_pools(self) -> tuple[PoolInfo, ...]:
        """Pools that the network addresses at constant bases."""
        return tuple(pool for pool in self.pools if pool.is_mapped)

    @property
    def handed_pools(self) -> tuple[PoolInfo, ...]:
        """Pools that the application hands over in a structure."""
        return () if self.internal_pools else self.provided_pools

    @property
    def constant_pools(self) -> tuple[PoolInfo, ...]:
        """Pools that the network only reads, wherever their bytes come from."""
        return tuple(pool for pool in self.pools if pool.is_constant)

    @property
    def image_pools(self) -> tuple[PoolInfo, ...]:
        """Pools of constants whose bytes are part of the C."""
        return tuple(pool for pool in self.constant_pools if not pool.is_outside)

    @property
    def outside_pools(self) -> tuple[PoolInfo, ...]:
        """Pools of constants that are files."""
        return tuple(pool for pool in self.constant_pools if pool.is_outside)

    def filled(self, fill: Fill) -> tuple[PoolInfo, ...]:
        """Pools of constants that are filled in this way."""
        return tuple(pool for pool in self.constant_pools if pool.fill == fill)

    @property
    def needs_init(self) -> bool:
        """Whether something is done once, before the first inference, by a generated function."""
        return bool(self.state_pools or self.filled("at_init"))

    @property
    def state_pools(self) -> tuple[PoolInfo, ...]:
        """Pools that `reset` initialises and that live across inferences."""
        return tuple(pool for pool in self.pools if pool.kind == "state")

    def pool(self, name: str) -> PoolInfo:
        """Return the pool of this name; KeyError where there is none."""
        known = {pool.name: pool for pool in self.pools}
        if name not in known:
            raise KeyError(f"no pool '{name}'; known: {', '.join(sorted(known))}")
        return known[name]
