"""Buffers that no plan has placed: each in memory of its own, whatever its pool.

So a module can run between `memref-pool-adopt` and `memref-pool-plan`, and what it computes is
what it means: no buffer shares a byte with another, and every byte that is dead or was never
written is poison. Rights, capacities and addresses are a plan's matter and are not asked about;
rows of a pool are, since a buffer begins at a row wherever it comes to lie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir

from forebay.dialects.memref_pool import PoolKind
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.place import Allocate, BufferPlacement
from forebay.emulator.memory.memory import MemoryRules
from forebay.emulator.memory.site import ProgramPoint
from forebay.emulator.memory.types import dtype_of
from forebay.emulator.memory.view import MemoryView, Sizes, row_major
from forebay.ir.machine.pools import candidates_of, pools_in


@dataclass(frozen=True, eq=False)
class _Kind:
    """All that the births of one buffer have in common."""

    name: str
    dtype: np.dtype[Any]
    shape: Sizes
    size: int
    rules: MemoryRules


def own_memory(module: ir.Operation) -> Allocate:
    """Gives each buffer of the module memory that nothing else is in."""
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
        place: BufferPlacement, op: ir.OpView, machine: Machine, site: ProgramPoint
    ) -> MemoryView:
        kind = known.get(place) or known.setdefault(place, kind_of(place, op))
        memory = machine.spare_memory(kind.name, kind.size, kind.rules)
        span = 0, kind.size
        buffer = machine.add_buffer(
            memory, place.name, span, site, alignment=1, lasting=place.lasting
        )
        strides = row_major(kind.shape, kind.dtype.itemsize)
        return MemoryView(buffer, 0, kind.shape, strides, kind.dtype, 0)

    return allocate
