"""A program point of the liveness walk: an op in one context, and the buffers of its operands."""

from __future__ import annotations

from typing import NamedTuple

from mlir import ir

from forebay.ir.liveness.index_values import PerTrip

BufferSet = frozenset[int]
"""Numbers of the buffers that a value may be a view of; empty for memory of the caller."""

NO_BUFFERS: BufferSet = frozenset()


class OperandBuffers(NamedTuple):
    """The buffers that an operand of `op` may show; `rows` are None for all of their rows.

    `op` is the op of the program point, or one inside of it. `rows` has a column per iteration.
    """

    op: ir.OpView
    value: ir.Value
    buffers: BufferSet
    rows: PerTrip | None = None


class ScheduleStep(NamedTuple):
    """An op that accesses buffers, in one context.

    `iteration` is a column of the rows of its operands. `waits_for` are the buffers of operations
    in flight that end here.
    """

    op: ir.OpView
    operands: tuple[OperandBuffers, ...]
    iteration: int = 0
    waits_for: BufferSet = NO_BUFFERS
