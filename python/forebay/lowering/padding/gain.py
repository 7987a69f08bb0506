"""Whether a kernel takes fewer instructions on a padded copy of its source, by the cost model."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.cpus.costs.block_costs import BlockCost
from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.machine.pools import element_bytes
from forebay.lowering.padding.folded import Folding, set_offset
from forebay.lowering.padding.padded_op import read_padded
from forebay.lowering.padding.padding import SOURCE, SourcePadding
from forebay.lowering.padding.widened import Widening, widen_windows
from forebay.lowering.schedule.isolated import isolated_copy
from forebay.lowering.schedule.order import cheapest_order_of
from forebay.lowering.schedule.schedule import least_cost

_PRICE = 4
"""How much more an instruction of code counts than in the choice of blocks.

A padded kernel has one loop nest instead of one for each kind of border, so it is also compiled in
a part of the time, by Forebay and by the C compiler.
"""


_RUN = 20
"""Instructions of a copy of one run, without those that move its bytes: a call in most cases."""


class PaddingChange(Struct, frozen=True, eq=False):
    """A padded source, what else changes with it: the zero point, and the windows."""

    padding: SourcePadding
    folding: Folding | None = None
    widening: Widening | None = None

    def apply(self, copy: ReduceOp) -> None:
        """Let a copy of the op alone read a padded source, and weights of that shape."""
        block, source = copy.operation.block, ir.MemRefType(copy.inputs[SOURCE].type)
        padded = block.add_argument(
            self.padding.type_of(source.element_type, source.memory_space), copy.location
        )
        read_padded(copy, self.padding, padded)
        if self.folding is not None:
            set_offset(copy, self.folding.offset)
        if self.widening is not None:
            type_ = self.widening.type_of(copy.inputs[SOURCE + 1])
            widen_windows(copy, self.widening, block.add_argument(type_, copy.location))


class PaddingGains(Struct, frozen=True):
    """The instructions of a kernel per inference, and those that each change saves.

    Those of the copy are not saved, and instructions of code have a price. A number is negative if
    there are more with padding.
    """

    executed: float
    saved: tuple[float, ...]


def gains_of(op: ReduceOp, changes: Sequence[PaddingChange], cpu: Cpu) -> PaddingGains:
    """Return what each change of a kernel saves on a processor."""
    now = _cost(op, cpu, None)
    if now is None:
        return PaddingGains(0.0, (0.0,) * len(changes))
    executed = math.prod(op.parallel) * now.executed
    return PaddingGains(executed, tuple(_saved(op, change, cpu, now) for change in changes))


def _saved(op: ReduceOp, change: PaddingChange, cpu: Cpu, now: BlockCost) -> float:
    then = _cost(op, cpu, change)
    if then is None:
        return 0.0
    executed, code = now.executed - then.executed, now.code - then.code
    saved = math.prod(op.parallel) * executed + _PRICE * cpu.code * code
    size = change.padding.elements * bytes_of_source_element(op)
    return saved - cost_of_copy(size, change.padding.runs, cpu)


def bytes_of_source_element(op: ReduceOp) -> int:
    """Return the bytes of an element of the source of a kernel."""
    return element_bytes(ir.MemRefType(op.inputs[SOURCE].type).element_type)


def cost_of_copy(size: int, runs: int, cpu: Cpu) -> float:
    """Return the instructions that copy so many bytes, which are so many runs of memory."""
    return cpu.copy * size + _RUN * runs


def _depends_on_order(op: ReduceOp, cpu: Cpu) -> bool:
    """Return whether the order of the weights in memory decides the cost of a kernel."""
    is_float = isinstance(ir.MemRefType(op.inputs[SOURCE].type).element_type, ir.FloatType)
    if is_float:
        return cpu.floats is not None and bool(cpu.floats.sums)
    return any(unit.dot_length > 1 for unit in cpu.sums)


def _cost(op: ReduceOp, cpu: Cpu, change: PaddingChange | None) -> BlockCost | None:
    """Return the cost of the schedule of a copy of an op, which may be changed."""

    def changed(module: ir.Module) -> ReduceOp:
        copy = isolated_copy(op, module, cpu)
        if change is not None:
            change.apply(copy)
        return copy

    if _depends_on_order(op, cpu):
        _, cost = cheapest_order_of(changed, op.location, cpu)
        return cost
    with op.operation.location:
        module = ir.Module.create()
    return least_cost(changed(module), cpu)
