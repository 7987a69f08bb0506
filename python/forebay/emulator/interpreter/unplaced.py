"""Buffers without a placement: each in memory of its own, whatever its pool.

A planned module has such buffers, too: its local variables, which are in no pool.

So a module can run between `memref-pool-adopt` and `memref-pool-plan`, and it computes its defined
result: no two buffers share a byte, and every byte that is dead or unwritten is poison. Access
rights, capacities and addresses depend on a plan and are not checked. The rows of a pool are
checked, because a buffer begins at a row wherever the plan places it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref

from forebay.emulator.interpreter.placements import placement_of, rows_in
from forebay.emulator.machine.buffer_placement import Allocate, BufferPlacement
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.memory import MemoryRules
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.rows_view import AnyView
from forebay.emulator.memory.types import dtype_of
from forebay.emulator.memory.view import MemoryView, Sizes, row_major
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.rows.layout import rows_of
from forebay.pools import PoolKind


@dataclass(frozen=True, eq=False)
class _Kind:
    """The facts that all allocations of one buffer share."""

    name: str
    dtype: np.dtype[Any]
    shape: Sizes
    size: int
    rules: MemoryRules


def planned_memory(module: ir.Operation) -> Allocate:
    """Return a function that allocates buffers at their placements, but not local variables."""
    memory = own_memory(module)

    def allocate(
        place: BufferPlacement, op: ir.OpView, machine: Machine, point: ProgramPoint
    ) -> AnyView:
        chosen = memory if isinstance(op, memref.AllocaOp) else placement_of
        return chosen(place, op, machine, point)

    return allocate


def own_memory(module: ir.Operation) -> Allocate:
    """Return a function that allocates memory of its own for each buffer of the module."""
    pools = pools_in(module)
    known: dict[BufferPlacement, _Kind] = {}

    def kind_of(place: BufferPlacement, op: ir.OpView) -> _Kind:
        dtype, shape = dtype_of(place.type.element_type, op), tuple(place.type.shape)
        names = candidates_of(place.type)
        candidates = [pools[name] for name in names if name in pools]
        units = {pool.unit for pool in candidates}
        rules = MemoryRules(
            unit=units.pop() if len(units) == 1 else 1,
            is_read_only=bool(candidates) and all(p.kind is PoolKind.constant for p in candidates),
            is_unplaced=True,
        )
        name = " or ".join(f"@{pool}" for pool in names) or "memory without a pool"
        return _Kind(name, dtype, shape, math.prod(shape) * dtype.itemsize, rules)

    def allocate(
        place: BufferPlacement, op: ir.OpView, machine: Machine, point: ProgramPoint
    ) -> AnyView:
        kind = known.get(place) or known.setdefault(place, kind_of(place, op))
        memory = machine.memory_of_one_buffer(kind.name, kind.size, kind.rules)
        rows = rows_of(place.type)
        if rows is not None:
            offsets = [row * rows.row_bytes for row in range(rows.count)]
            unaligned = replace(place, alignment=1)
            return rows_in(memory, unaligned, offsets, op, machine=machine, point=point)
        span = 0, kind.size
        buffer = machine.add_buffer(
            memory, place.name, span, point, alignment=1, lasting=place.lasting
        )
        strides = row_major(kind.shape, kind.dtype.itemsize)
        return MemoryView(buffer, 0, kind.shape, strides, kind.dtype, 0)

    return allocate
