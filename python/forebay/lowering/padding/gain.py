"""Whether a kernel takes fewer instructions on a padded copy of its source, by the cost model."""

from __future__ import annotations

import math

from mlir import ir

from forebay.cpus.costs.block_costs import BlockCost
from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.lowering.padding.folded import Folding, set_offset
from forebay.lowering.padding.padded_op import read_padded
from forebay.lowering.padding.padding import SOURCE, SourcePadding
from forebay.lowering.schedule.alone import copied_alone
from forebay.lowering.schedule.schedule import least_cost

_PRICE = 4
"""How much more an instruction of code counts than in the choice of blocks.

A padded kernel has one loop nest instead of one for each kind of border, so it is also compiled in
a part of the time, by Forebay and by the C compiler.
"""


def gain_of(op: ReduceOp, padding: SourcePadding, folding: Folding | None, cpu: Cpu) -> float:
    """Return the instructions that the padding saves per inference, less those of the copy.

    Instructions of code have a price. The result is negative if there are more with padding.
    """
    now, positions = _cost(op, cpu), math.prod(op.parallel)
    then = None if now is None else _cost(op, cpu, padding, folding)
    if now is None or then is None:
        return 0.0
    executed, code = now.executed - then.executed, now.code - then.code
    return positions * executed + _PRICE * cpu.code * code - cpu.copy * padding.elements


def _cost(
    op: ReduceOp, cpu: Cpu, padding: SourcePadding | None = None, folding: Folding | None = None
) -> BlockCost | None:
    """Return the cost of the schedule of a copy of an op, which may be padded."""
    with op.operation.location:
        module = ir.Module.create()
    copy = copied_alone(op, module, cpu)
    if padding is not None:
        element = ir.MemRefType(op.inputs[SOURCE].type).element_type
        padded = copy.operation.block.add_argument(padding.type_of(element, None), op.location)
        read_padded(copy, padding, padded)
        if folding is not None:
            set_offset(copy, folding.offset)
    return least_cost(copy, cpu)
