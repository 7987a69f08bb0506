"""Allocate buffers at the placements of a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir

from forebay.dialects.memref_pool import PlacementAttr, RowPlacementAttr, SpaceAttr
from forebay.emulator.machine.buffer_placement import BufferPlacement
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import NotEmulatedError, Where, WrongPool
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.rows_view import AnyView, RowsView
from forebay.emulator.memory.types import dtype_of
from forebay.emulator.memory.view import MemoryView, row_major
from forebay.ir.rows.layout import rows_of


def placement_of(
    place: BufferPlacement, op: ir.OpView, machine: Machine, point: ProgramPoint
) -> AnyView:
    """Return a new buffer at its placement, or one for each row.

    Raises `NotEmulatedError` for a buffer that was not planned, `Fault` for a placement that its
    pool does not have.
    """
    placement = place.placement
    if isinstance(placement, RowPlacementAttr):
        memory = _memory(place, placement.pool, placement.offsets[0], machine, point)
        return rows_in(memory, place, placement.offsets, op, machine=machine, point=point)
    if not isinstance(placement, PlacementAttr):
        raise NotEmulatedError(op, f"has no place for '{place.name}'; run memref-pool-plan first")
    dtype = dtype_of(place.type.element_type, op)
    shape = tuple(place.type.shape)
    memory = _memory(place, placement.pool, placement.offset, machine, point)
    alignment = memory.rules.alignment if place.alignment is None else place.alignment
    row = memory.rules.unit
    buffer = machine.add_buffer(
        memory,
        place.name,
        (placement.offset, placement.offset + math.prod(shape) * dtype.itemsize),
        point,
        alignment=math.lcm(max(alignment, dtype.itemsize), row),
        lasting=place.lasting,
        by_rows=place.by_rows,
    )
    strides = row_major(shape, dtype.itemsize)
    return MemoryView(buffer, buffer.start, shape, strides, dtype, buffer.start)


def rows_in(
    memory: EmulatedMemory,
    place: BufferPlacement,
    offsets: Sequence[int],
    op: ir.OpView,
    *,
    machine: Machine,
    point: ProgramPoint,
) -> RowsView:
    """Return a new buffer for each row, at these offsets of a memory."""
    dtype, shape = dtype_of(place.type.element_type, op), tuple(place.type.shape)
    rows = rows_of(place.type)
    assert rows is not None, "only a buffer of rows has a placement of rows"
    alignment = math.lcm(max(place.alignment or 1, dtype.itemsize), memory.rules.unit)
    strides = row_major(rows.row_shape, dtype.itemsize)
    views: list[MemoryView] = []
    for number, offset in enumerate(offsets):
        name = f"{place.name}[{number}]"
        span = (offset, offset + rows.row_bytes)
        row = machine.add_buffer(memory, name, span, point, alignment=alignment, by_rows=True)
        views.append(MemoryView(row, offset, rows.row_shape, strides, dtype, offset))
    whole = machine.buffers.allocate(place.name, memory.number, 0, 0, lasting=False, by_rows=True)
    packed = np.zeros(rows.count * rows.row_bytes, np.uint8)
    steps = row_major(shape, dtype.itemsize)
    return RowsView(whole, tuple(views), rows.extents, shape, steps, dtype, packed)


def _memory(
    place: BufferPlacement, pool: str, offset: int, machine: Machine, point: ProgramPoint
) -> EmulatedMemory:
    space = place.type.memory_space
    pools = space.pools if isinstance(space, SpaceAttr) else ()
    where = Where(point.what, point.location, f"@{pool}", offset, place.name)
    wrong = f"places buffer '{place.name}' in @{pool}"
    if pool not in pools:
        known = ", ".join(f"@{each}" for each in pools) or "none"
        machine.refuse(WrongPool(where, f"{wrong}; its candidates are: {known}"))
    name = f"@{pool}"
    if name not in machine.named:
        raise WrongPool(where, f"{wrong}; the pools are: {', '.join(machine.named)}")
    return machine.named[name]
