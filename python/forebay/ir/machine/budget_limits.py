"""Budgets as capacities of pools, and the bytes that the memories of these pools have.

::

    memref_pool.pool @sram workspace capacity 24576 {memref_pool.memory = 65536 : i64}
    memref_pool.pool @dram workspace capacity 24576 {memref_pool.memory}      # unlimited
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mlir import ir

from forebay.dialects.memref_pool import PoolOp
from forebay.ir.machine.pools import pool_ops, pools_in
from forebay.pools import Pool

_MEMORY = "memref_pool.memory"


def limit_to_budget(op: PoolOp, bytes_: int) -> None:
    """Set the capacity of a pool to a budget; the bytes of its memory stay known."""
    attributes = op.operation.attributes
    if _MEMORY not in attributes:
        attributes[_MEMORY] = ir.UnitAttr.get() if op.capacity is None else op.capacity
    attributes["capacity"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), bytes_)


def memories_in(module: ir.Operation) -> Mapping[str, Pool]:
    """Return the pools of a module by name, with the capacities of their memories."""
    found = dict(pools_in(module))
    for op in pool_ops(module):
        if _MEMORY in op.operation.attributes:
            memory = op.operation.attributes[_MEMORY]
            capacity = memory.value if isinstance(memory, ir.IntegerAttr) else None
            found[op.sym_name.value] = replace(found[op.sym_name.value], capacity=capacity)
    return found
