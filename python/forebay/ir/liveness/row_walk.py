"""Walk of a loop that computes tensors row by row: each iteration has program points of its own.

The loop has constant bounds, and its ops are guarded by conditions on the induction variable. All
iterations are evaluated at once; an op takes one program point in each iteration that runs it::

    iteration        0       1       2          %a[0] is written at 0 and read at 3
    %a[t] = ...      0       1       4          %b[0] is written at 2
    %b[t - 1] = ...          2       5
    use %a[t - 1]            3       6

A loop with an op for which no rule says what it accesses in which iteration is walked as any other
loop, in which its buffers are live from its beginning to its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from mlir import ir
from mlir.dialects import func, memref, scf

from forebay.dialects.accel import CallOp, LaunchOp, ReduceOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AllocOp, CopyOp, RowOp
from forebay.ir.interfaces import viewed_by
from forebay.ir.liveness.accessed_rows import (
    NO_ROW,
    row_count,
    rows_of_element,
    rows_of_reduce,
    rows_of_view,
)
from forebay.ir.liveness.clock import RowTicks
from forebay.ir.liveness.index_values import IndexValues, PerTrip
from forebay.ir.liveness.schedule_step import OperandBuffers, ScheduleStep
from forebay.ir.liveness.walk import ProgramWalk, is_memref
from forebay.ir.memory.loop_counters import counter_range_of
from forebay.ir.nested import ops_nested_in, ops_of
from forebay.ir.rows.layout import is_rows
from forebay.ir.rows.row_offsets import BY_ROWS
from forebay.ir.structured.reduce_box import box_of

_UNKNOWN = (
    scf.ForOp,
    scf.WhileOp,
    scf.IndexSwitchOp,
    scf.ExecuteRegionOp,
    StartOp,
    LaunchOp,
    WaitOp,
    func.CallIndirectOp,
    memref.AllocOp,
    memref.AllocaOp,
    memref.ExtractAlignedPointerAsIndexOp,
    memref.DistinctObjectsOp,
)

_RESHAPES = (memref.CollapseShapeOp, memref.ExpandShapeOp)

_Mask = npt.NDArray[np.bool_]


class _Event(NamedTuple):
    """An op that takes a program point in the iterations of `runs`."""

    op: ir.OpView
    runs: _Mask
    operands: tuple[OperandBuffers, ...]


def is_walked_by_rows(walk: ProgramWalk, loop: scf.ForOp) -> bool:
    """Return whether rows are accessed in the loop, and the rules of this module suffice."""
    return _has_rows(loop) and _trips(loop) is not None and not _has_unknown_op(walk, loop)


def walk_by_rows(walk: ProgramWalk, loop: scf.ForOp) -> None:
    """Walk all iterations of a loop that `is_walked_by_rows`."""
    counter = counter_range_of(loop)
    assert counter is not None and counter.low is not None and counter.step is not None
    trips = np.arange(counter.trips or 0, dtype=np.int64)
    found = _Iterations(
        walk, IndexValues(loop.induction_variable, counter.low + counter.step * trips)
    )
    found.block(walk.body(loop.region), np.ones(len(trips), np.bool_))
    found.record()


def _has_rows(loop: scf.ForOp) -> bool:
    if BY_ROWS in loop.attributes:
        return True
    accesses = ops_of(loop, RowOp, ReduceOp, CallOp, CopyOp)
    return any(is_rows(operand.type) for op in accesses for operand in op.operands)


def _trips(loop: scf.ForOp) -> int | None:
    counter = counter_range_of(loop)
    return None if counter is None or len(loop.initArgs) else counter.trips


def _has_unknown_op(walk: ProgramWalk, loop: scf.ForOp) -> bool:
    """Return whether an op of the loop has no rule here, which is never so inside of a kernel."""

    def is_unknown(op: ir.OpView) -> bool:
        if isinstance(op, scf.IfOp):
            return any(map(is_memref, op.results))
        if isinstance(op, func.CallOp):
            return not walk.functions[op.callee.value].is_external
        views = [result for result in op.results if is_memref(result)]
        known = isinstance(op, (AllocOp, memref.GetGlobalOp)) or viewed_by(op) is not None
        return isinstance(op, _UNKNOWN) or (bool(views) and not known)

    return any(map(is_unknown, _guarded_ops(loop.region)))


def _guarded_ops(region: ir.Region) -> list[ir.OpView]:
    """Return the ops of a region, and of the branches in it."""
    found: list[ir.OpView] = []
    for block in region.blocks:
        for op in block.operations:
            found.append(op)
            if isinstance(op, scf.IfOp):
                found += [inner for branch in op.regions for inner in _guarded_ops(branch)]
    return found


def _reshaped(value: ir.Value) -> ir.Value:
    """Return the memref whose elements a memref has in the same order, in another shape."""
    owner = value.owner
    while not isinstance(owner, ir.Block) and isinstance(owner.opview, _RESHAPES):
        value = owner.operands[0]
        owner = value.owner
    return value


class _Iterations:
    """The accesses of a loop body in all iterations."""

    def __init__(self, walk: ProgramWalk, values: IndexValues) -> None:
        self._walk = walk
        self._values = values
        self._events: list[_Event] = []
        self._shown: dict[ir.Value, PerTrip] = {}
        """The rows of those views that do not show all rows."""
        self._own: set[int] = set()
        """Buffers that each iteration allocates."""

    def block(self, block: ir.Block, runs: _Mask) -> None:
        """Find the accesses of a block that runs in the iterations of `runs`."""
        for op in block.operations:
            if isinstance(op, scf.IfOp):
                self._branch(op, runs)
            elif isinstance(op, AllocOp):
                self._own.add(self._walk.declare(op))
            elif isinstance(op, memref.GetGlobalOp):
                self._walk.get_global(op)
            elif viewed_by(op) is not None:
                self._view(op)
            else:
                self._access(op, runs)

    def _branch(self, op: scf.IfOp, runs: _Mask) -> None:
        """Find the accesses of both branches; data may decide for either of them."""
        condition = self._values.of(op.condition)
        then = runs if condition is None else runs & (condition != 0)
        otherwise = runs if condition is None else runs & (condition == 0)
        for region, taken in zip(op.regions, (then, otherwise), strict=True):
            if len(region.blocks):
                self.block(self._walk.body(region), taken)

    def _view(self, op: ir.OpView) -> None:
        source = viewed_by(op)
        assert source is not None
        buffers = self._walk.all_buffers_of([source])
        self._walk.bind(op.results, [buffers if is_memref(r) else None for r in op.results])
        rows = self._shown.get(source)
        if rows is None and not self._is_view(source):
            rows = rows_of_view(op, self._values)
        if rows is not None:
            self._shown.update((result, rows) for result in op.results)

    def _is_view(self, value: ir.Value) -> bool:
        """Return whether a value has other dimensions than the buffer that it shows."""
        owner = value.owner
        return not isinstance(owner, ir.Block) and viewed_by(owner) is not None

    def _access(self, op: ir.OpView, runs: _Mask) -> None:
        used = list(dict.fromkeys(value for value in op.operands if is_memref(value)))
        inner = dict.fromkeys((o, v) for o in ops_nested_in(op) for v in o.operands if is_memref(v))
        accesses = [self._shows(op, value, self._rows(op, value)) for value in used]
        accesses += [self._shows(user, value, self._shown.get(value)) for user, value in inner]
        if isinstance(op, ReduceOp) and op.accumulators:
            accesses = [self._in_last_boxes(op, access) for access in accesses]
        if accesses:
            self._events.append(_Event(op, runs, tuple(accesses)))

    def _in_last_boxes(self, op: ReduceOp, access: OperandBuffers) -> OperandBuffers:
        """Return the access to the output: only the last box of a reduction that is cut has one."""
        conditions = box_of(op).last
        if access.value != op.output or not conditions or len(access.buffers) != 1:
            return access
        starts = [(self._values.of(start), number) for start, number in conditions]
        is_last = np.ones(self._values.trips, np.bool_)
        for start, number in starts:
            is_last &= True if start is None else start == number
        if is_last.all():
            return access
        (buffer,) = access.buffers
        count = row_count(self._walk.table.buffers[buffer].type)
        rows = np.arange(count)[:, np.newaxis] if access.rows is None else access.rows
        return access._replace(rows=np.where(is_last, rows, NO_ROW))

    def _shows(self, op: ir.OpView, value: ir.Value, rows: PerTrip | None) -> OperandBuffers:
        return OperandBuffers(op, value, self._walk.all_buffers_of([value]), rows)

    def _rows(self, op: ir.OpView, value: ir.Value) -> PerTrip | None:
        if value in self._shown:
            return self._shown[value]
        buffer = _reshaped(value)
        if self._is_view(buffer):
            return None
        if isinstance(op, ReduceOp) and value not in op.accumulators:
            return rows_of_reduce(op, value, ir.MemRefType(buffer.type), self._values)
        if buffer != value:
            return None
        if isinstance(op, (memref.LoadOp, memref.StoreOp)):
            return rows_of_element(op.indices, ir.MemRefType(value.type), self._values)
        return None

    def record(self) -> None:
        """Give a program point to each op in each iteration that runs it, and extend lifetimes."""
        clock = self._walk.clock
        runs = np.array([event.runs for event in self._events], np.bool_)
        runs = runs.reshape(len(self._events), self._values.trips)
        ticks = (clock.now - 1 + np.cumsum(runs.T)).reshape(runs.T.shape).T
        trips, order = (axis.tolist() for axis in np.nonzero(runs.T))
        events = ((self._events[n], trip) for n, trip in zip(order, trips, strict=True))
        clock.advance(ScheduleStep(event.op, event.operands, trip) for event, trip in events)
        own: dict[int, list[tuple[PerTrip, PerTrip]]] = {number: [] for number in self._own}
        for event, at in zip(self._events, ticks, strict=True):
            when = np.nonzero(event.runs)[0]
            for access in event.operands if len(when) else ():
                for buffer in access.buffers:
                    if buffer in own:
                        own[buffer].append((when, at[when]))
                    else:
                        self._cover(buffer, access.rows, when, at[when])
        for buffer, accesses in own.items():
            self._cover_instances(buffer, accesses)

    def _cover(self, buffer: int, rows: PerTrip | None, when: PerTrip, ticks: PerTrip) -> None:
        clock = self._walk.clock
        count = row_count(self._walk.table.buffers[buffer].type)
        if rows is None or self._walk.table.buffers[buffer].always_live:
            clock.cover(buffer, int(ticks[0]), int(ticks[-1]) + 1)
            return
        lines = np.broadcast_to(rows, (len(rows), self._values.trips))[:, when]
        at = np.broadcast_to(ticks, lines.shape)[lines >= 0]
        if count > 1:
            found = RowTicks(count)
            found.access(lines[lines >= 0], at)
            clock.cover_rows(buffer, found)
        elif len(at):
            clock.cover(buffer, int(at.min()), int(at.max()) + 1)

    def _cover_instances(self, buffer: int, accesses: list[tuple[PerTrip, PerTrip]]) -> None:
        """Record one instance for each iteration that accesses the buffer."""
        clock = self._walk.clock
        spans = RowTicks(self._values.trips)
        for when, ticks in accesses:
            spans.access(when, ticks)
        used = np.nonzero(spans.ends >= 0)[0].tolist()
        for iteration in used:
            clock.allocated(buffer)
            clock.cover(buffer, int(spans.starts[iteration]), int(spans.ends[iteration]))
        if not used:
            clock.allocated(buffer)
