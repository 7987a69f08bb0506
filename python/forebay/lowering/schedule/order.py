"""The order of the weights in memory with which a kernel costs least."""

from __future__ import annotations

import math
from collections.abc import Callable

from mlir import ir

from forebay.cpus.costs.block_costs import BlockCost
from forebay.cpus.cpu import Cpu, LaneUnit
from forebay.dialects.accel import ReduceOp
from forebay.ir.interleaved import Interleaving
from forebay.lowering.schedule.interleave import channels_of, interleave_channels
from forebay.lowering.schedule.isolated import isolated_copy
from forebay.lowering.schedule.schedule import least_cost

KernelCopy = Callable[[ir.Module], ReduceOp]
"""Makes a copy of a kernel in a module, as long as which it lives."""


def cheapest_order(op: ReduceOp, cpu: Cpu) -> Interleaving:
    """Return the order of the weights with which a kernel costs least."""
    order, _ = cheapest_order_of(lambda module: isolated_copy(op, module, cpu), op.location, cpu)
    return order


def cheapest_order_of(
    copy: KernelCopy, location: ir.Location, cpu: Cpu
) -> tuple[Interleaving, BlockCost | None]:
    """Return the cheapest order for what `copy` makes, and its cost, or None without a schedule."""
    with location:
        module = ir.Module.create()
    kernel = copy(module)
    channels, points = channels_of(kernel), math.prod(kernel.reduction)
    extent = 0 if channels is None else kernel.parallel[channels]
    units = units_of_sums(kernel, cpu) if extent else ()
    best, least = Interleaving(), least_cost(kernel, cpu)
    for unit in units:
        if least is None or extent % unit.sums:
            continue
        if least.priced <= _bound(unit, points):
            continue
        order = Interleaving(unit.sums, unit.dot_length)
        with location:
            module = ir.Module.create()
        ordered = interleave_channels(copy(module), order)
        cost = None if ordered is None else least_cost(ordered, cpu)
        if cost is not None and cost.priced < least.priced:
            best, least = order, cost
    return best, least


def units_of_sums(op: ReduceOp, cpu: Cpu) -> tuple[LaneUnit, ...]:
    """Return the units of a processor that have the sums of an op in vectors."""
    if isinstance(op.body.blocks[0].arguments[0].type, ir.FloatType):
        return () if cpu.floats is None else cpu.floats.sums
    return cpu.sums if cpu.lanes is None else (cpu.lanes, *cpu.sums)


def _bound(unit: LaneUnit, points: int) -> float:
    """Return the least instructions per result that any schedule with a unit takes."""
    return points * unit.add / (unit.sums * unit.dot_length) + unit.store
