"""Allocate buffers at the placements of a plan."""

from __future__ import annotations

import math

from mlir import ir

from forebay.dialects.memref_pool import PlacementAttr, SpaceAttr
from forebay.emulator.machine.buffer_placement import BufferPlacement
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import NotEmulatedError, Where, WrongPool
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.types import dtype_of
from forebay.emulator.memory.view import MemoryView, row_major


def placement_of(
    place: BufferPlacement, op: ir.OpView, machine: Machine, point: ProgramPoint
) -> MemoryView:
    """Return a new buffer at its placement.

    Raises `NotEmulatedError` for a buffer that was not planned, `Fault` for a placement that its
    pool does not have.
    """
    placement = place.placement
    if not isinstance(placement, PlacementAttr):
        raise NotEmulatedError(op, f"has no place for '{place.name}'; run memref-pool-plan first")
    dtype = dtype_of(place.type.element_type, op)
    shape = tuple(place.type.shape)
    memory = _memory(place, placement, machine, point)
    own = memory.rules.alignment if place.alignment is None else place.alignment
    row = memory.rules.unit
    buffer = machine.add_buffer(
        memory,
        place.name,
        (placement.offset, placement.offset + math.prod(shape) * dtype.itemsize),
        point,
        alignment=math.lcm(max(own, dtype.itemsize), row),
        lasting=place.lasting,
    )
    strides = row_major(shape, dtype.itemsize)
    return MemoryView(buffer, buffer.start, shape, strides, dtype, buffer.start)


def _memory(
    place: BufferPlacement, placement: PlacementAttr, machine: Machine, point: ProgramPoint
) -> EmulatedMemory:
    space = place.type.memory_space
    pools = space.pools if isinstance(space, SpaceAttr) else ()
    if placement.pool not in pools:
        known = ", ".join(f"@{pool}" for pool in pools) or "none"
        machine.refuse(_wrong_pool(place, placement, point, f"its candidates are: {known}"))
    name = f"@{placement.pool}"
    if name not in machine.named:
        raise _wrong_pool(place, placement, point, f"the pools are: {', '.join(machine.named)}")
    return machine.named[name]


def _wrong_pool(
    place: BufferPlacement, placement: PlacementAttr, point: ProgramPoint, why: str
) -> WrongPool:
    pool = f"@{placement.pool}"
    where = Where(point.what, point.location, pool, placement.offset, place.name)
    return WrongPool(where, f"places buffer '{place.name}' in {pool}; {why}")
