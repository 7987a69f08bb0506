"""The facts about a network that its C project needs and that its IR does not contain."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.cascade.steps import BudgetStep
from forebay.ir.interleaved import Interleaving
from forebay.network.schedule import OperatorInfo, StepInfo
from forebay.planning import Kind
from forebay.pools import DEFAULT_ALIGNMENT, Fill, Pool, PoolKind
from forebay.support.records import keyword_record, record


class Port(Struct, frozen=True):
    """An input or output of the network.

    `dtype` is the NumPy name of the external type. A port without a pool is memory of the caller,
    an argument of `@main`; a port in a pool is a planned buffer at `offset`, without an argument.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    scale: float | None = None
    zero_point: int | None = None
    pool: str | None = None
    offset: int = 0
    by_rows: bool = False
    """The application hands in the rows of this input one by one, through a function."""

    @property
    def row_axis(self) -> int:
        """Return the dimension that indexes rows: the first one with several indices."""
        return next((axis for axis, extent in enumerate(self.shape) if extent > 1), 0)

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return self.shape[self.row_axis] if self.shape else 1

    @property
    def elements(self) -> int:
        """Return the number of elements; 1 for a scalar."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Return the size in bytes."""
        return self.elements * np.dtype(self.dtype).itemsize


class BoundInfo(Struct, frozen=True):
    """The reason why a pool needs the bytes of its lower bound.

    `buffers` are those that the argument counts, `step` the step at which they are live, if it is
    about one. `holes` are the largest unused ranges below the peak at that point.
    """

    argument: str
    buffers: tuple[str, ...]
    step: int | None
    holes: tuple[tuple[int, int], ...]


@keyword_record
class PlannedPool(Pool):
    """A pool after planning; `size` is its peak: the bytes that the application must provide.

    `alignment` is what the plan needs of the base. If the pool has a `base`, the network uses the
    bytes `[start, size)` relative to this address, which is a constant of its code: there is no
    array, and no pointer is passed.
    """

    alignment: int = DEFAULT_ALIGNMENT
    size: int
    lower_bound: int | None = None
    bound: BoundInfo | None = None
    is_host_readable: bool = True

    @property
    def is_constant(self) -> bool:
        """Return whether the network only reads it."""
        return self.kind is PoolKind.constant

    @property
    def is_rom(self) -> bool:
        """Return whether it is a constant of the C, so that the application provides nothing."""
        return self.is_constant and self.fill is Fill.rom and not self.is_mapped

    @property
    def is_outside(self) -> bool:
        """Return whether its constants are not in the C but in a file that is loaded separately."""
        return self.is_programmed or (self.is_constant and self.fill is Fill.by_host)

    @property
    def is_programmed(self) -> bool:
        """Return whether its constants are at its base before program start, as in a flash."""
        return self.is_constant and self.fill is Fill.rom and self.is_mapped


class DeviceInfo(Struct, frozen=True):
    """A device that the network issues commands to: one instance of a kind.

    `entries` are the entry functions that do so, of "main" and "reset". `handle` is set if its
    functions need a handle.
    """

    name: str
    kind: str
    entries: tuple[str, ...]
    handle: bool = False


class Quantization(Struct, frozen=True):
    """The real value of a buffer's integers: scale * (stored - zero point).

    With several scales, element `i` in row-major order uses the one at `i // stride % len(scales)`.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    stride: int


class BufferInfo(Struct, frozen=True):
    """A planned buffer, which is live in the steps [start, end).

    `quantization` is the model's if the buffer holds a tensor of the model, else None. A tensor
    whose rows live and die one by one is several buffers: each is the rows `[first, end)` of
    `part_of`, and `shape` is that of these rows.
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
    part_of: str = ""
    rows: tuple[int, int] = (0, 0)
    is_row: bool = False
    """Whether the place of the row does not follow from that of the others."""
    kind: Kind = Kind.WORKSPACE
    gaps: tuple[tuple[int, int], ...] = ()
    """The ranges of steps between `start` and `end` in which the buffer is not live."""
    alias_group: str = ""
    """The first of the buffers that one value of the program may show."""
    interleaved: Interleaving = Interleaving()
    """The order of the elements of a constant."""


class GoldenStep(Struct, frozen=True):
    """One inference of the self-test; the state is reset only before the first step."""

    inputs: tuple[NDArray[Any], ...]
    outputs: tuple[NDArray[Any], ...]


@record
class ModelInfo:
    """A network as its C project presents it.

    Ports are identified by their positions in `inputs` and `outputs`; their names are unique, too.
    The ports that belong to the caller are arguments of `@main`, inputs first, after the pools and
    before the handles.
    `source_hash` is a hex digest of the model file; `tolerance` is for floating-point goldens.
    With `internal_pools` the memory is defined in the C, and its functions take no pools.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    pools: tuple[PlannedPool, ...]
    source_hash: str
    buffers: tuple[BufferInfo, ...] = ()
    golden: tuple[GoldenStep, ...] = ()
    golden_origin: str = ""
    """The origin of the outputs of these steps, as text for people."""
    tolerance: float = 0.0
    internal_pools: bool = False
    inside: tuple[PlannedPool, ...] = ()
    """Pools inside devices, of which the C uses only addresses."""
    steps: tuple[StepInfo, ...] = ()
    """The schedule; buffer lifetimes are ranges of these steps."""
    operators: tuple[OperatorInfo, ...] = ()
    """The operators of the model, in their order."""
    target: str = ""
    """Name of the target; empty if the module declares its devices."""
    host: str = "host"
    """Name of the device that runs the C."""
    planner: str = ""
    """Name of the planner."""
    budget_steps: tuple[BudgetStep, ...] = ()
    """The search steps that led to the budgets, if there are any."""
    devices: tuple[DeviceInfo, ...] = ()
    """Devices that the network issues commands to, which may therefore return errors."""
    ends_loops_by_data: bool = False
    """A loop runs until a condition on data is false."""
    operator_hooks: bool = False
    """The C has macros around each operator, by which an application measures it."""
    made_with: str = ""
    """The options of the compilation that are not the defaults, as the command spells them."""

    def __post_init__(self) -> None:
        names = [port.name for port in self.ports]
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two ports of '{self.name}' are called '{repeated}'")

    def devices_commanded_by(self, entry: str) -> tuple[DeviceInfo, ...]:
        """Return the devices that "main" or "reset" issues commands to."""
        return tuple(device for device in self.devices if entry in device.entries)

    @property
    def tensors_as_rows(self) -> dict[str, int]:
        """Return the tensors of which each row has a place of its own, with the number of rows."""
        return dict(Counter(buffer.part_of for buffer in self.buffers if buffer.is_row))

    @property
    def handles(self) -> tuple[DeviceInfo, ...]:
        """Return the devices whose handles the caller passes."""
        return tuple(device for device in self.devices if device.handle)

    def handed_to(self, entry: str) -> tuple[DeviceInfo, ...]:
        """Return the devices whose handles "main" or "reset" needs."""
        return tuple(device for device in self.devices_commanded_by(entry) if device.handle)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Return the inputs, then the outputs."""
        return self.inputs + self.outputs

    @property
    def row_inputs(self) -> tuple[Port, ...]:
        """Return the inputs whose rows the application hands in one by one."""
        return tuple(port for port in self.inputs if port.by_rows)

    @property
    def caller_ports(self) -> tuple[Port, ...]:
        """Return the ports that are arguments, in the order of `@main`."""
        return tuple(port for port in self.ports if port.pool is None)

    @property
    def provided_pools(self) -> tuple[PlannedPool, ...]:
        """Return the pools for which the application provides memory at an address it chooses."""
        return tuple(pool for pool in self.pools if not pool.is_rom and not pool.is_mapped)

    @property
    def mapped_pools(self) -> tuple[PlannedPool, ...]:
        """Return the pools that the network addresses at fixed bases."""
        return tuple(pool for pool in self.pools if pool.is_mapped)

    @property
    def handed_pools(self) -> tuple[PlannedPool, ...]:
        """Return the pools that the application passes in a structure."""
        return () if self.internal_pools else self.provided_pools

    @property
    def constant_pools(self) -> tuple[PlannedPool, ...]:
        """Return the pools that the network only reads, however they are filled."""
        return tuple(pool for pool in self.pools if pool.is_constant)

    @property
    def image_pools(self) -> tuple[PlannedPool, ...]:
        """Return the constant pools whose bytes are part of the C."""
        return tuple(pool for pool in self.constant_pools if not pool.is_outside)

    @property
    def outside_pools(self) -> tuple[PlannedPool, ...]:
        """Return the constant pools whose bytes are in files."""
        return tuple(pool for pool in self.constant_pools if pool.is_outside)

    @property
    def at_init_pools(self) -> tuple[PlannedPool, ...]:
        """Return the constant pools that a generated function fills before the first run."""
        return tuple(pool for pool in self.constant_pools if pool.fill is Fill.at_init)

    @property
    def by_host_pools(self) -> tuple[PlannedPool, ...]:
        """Return the constant pools that the application fills."""
        return tuple(pool for pool in self.constant_pools if pool.fill is Fill.by_host)

    @property
    def needs_init(self) -> bool:
        """Return whether a generated function must run once, before the first inference."""
        return bool(self.state_pools or self.at_init_pools)

    @property
    def state_pools(self) -> tuple[PlannedPool, ...]:
        """Return the pools that `reset` initialises and that persist across inferences."""
        return tuple(pool for pool in self.pools if pool.kind is PoolKind.state)

    def pool(self, name: str) -> PlannedPool:
        """Return the pool of this name; raise KeyError if there is none."""
        known = {pool.name: pool for pool in self.pools}
        if name not in known:
            raise KeyError(f"no pool '{name}'; known: {', '.join(sorted(known))}")
        return known[name]
