"""Addresses of memrefs inside devices, which are numbers that the compiler knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlir import ir
from msgspec import Struct

from forebay.dialects.memref_pool import AddressOp, PoolOp
from forebay.ir.locations import name_hint, operator_of, shortened
from forebay.ir.machine.pools import element_bytes, pool_of, pools_in
from forebay.ir.module import module_around, symbol_around
from forebay.ir.nested import defining_op
from forebay.ir.refused import RefusedError
from forebay.ir.views.layouts import offset_of
from forebay.ir.views.queries import source_in_buffer
from forebay.pools import Pool


class Address(Struct, frozen=True):
    """The first byte of a memref inside a device: `number` in the device's own address space."""

    pool: str
    number: int
    name: str
    flags: int = 0

    @property
    def word(self) -> int:
        """Return the number that a C function gets: the address with its flags."""
        return self.number | self.flags

    @property
    def text(self) -> str:
        """Return a description for a comment."""
        return f"{self.pool}: {self.name}" if self.name else self.pool


def buffer_inside(value: ir.Value) -> AddressOp | None:
    """Return the buffer inside a device that a memref is a view of, or None for other memory."""
    while (source := source_in_buffer(value)) is not None:
        value = source
    op = defining_op(value)
    if not isinstance(op, AddressOp):
        return None
    pool = symbol_around(op, op.placement.pool)
    return op if isinstance(pool, PoolOp) and pool.local else None


def address_of(value: ir.Value, pools: Mapping[str, Pool], flags: int = 0) -> Address | None:
    """Return the address of a memref inside a device, or None for memory of the host.

    Raises `RefusedError` for an address that is unknown before the program runs, that is not at the
    beginning of a row, or that has bits of the `flags`.
    """
    buffer = buffer_inside(value)
    if buffer is None:
        return None
    type_, place = ir.MemRefType(value.type), buffer.placement
    pool, elements = pools[place.pool], offset_of(type_)
    if elements is None:
        raise RefusedError(
            value.location,
            f"a memref in pool @{place.pool} has an offset known only at run time, but addresses "
            "inside a device are numbers of the program; unroll the loop around it",
        )
    offset = place.offset + elements * element_bytes(type_.element_type)
    if offset % pool.unit:
        raise RefusedError(
            value.location,
            f"a memref begins at byte {offset:,} of pool @{place.pool}, between two rows of "
            f"{pool.unit} bytes",
        )
    number = pool.address(offset)
    if number & flags:
        raise RefusedError(
            value.location,
            f"a memref in pool @{place.pool} has the address {number:#x}, and its operand the "
            f"flags {flags:#x}, with which it would be another address; give the pool a capacity "
            "or a base without these bits",
        )
    return Address(place.pool, number, _name(buffer.location), flags)


def pools_around(op: ir.OpView) -> Mapping[str, Pool]:
    """Return the pools of the module around an op, each read from IR when it is first looked up."""
    return _PoolsByName(module_around(op))


class _PoolsByName(Mapping[str, Pool]):
    def __init__(self, module: ir.Operation) -> None:
        self._module = module
        self._known: dict[str, Pool] = {}

    def __getitem__(self, name: str) -> Pool:
        if name not in self._known:
            found = symbol_around(self._module, name)
            if not isinstance(found, PoolOp):
                raise KeyError(name)
            self._known[name] = pool_of(found)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(pools_in(self._module))

    def __len__(self) -> int:
        return len(pools_in(self._module))


def _name(location: ir.Location) -> str:
    operator = operator_of(location)
    return shortened(name_hint(location) or ("" if operator is None else operator.tensor))
