"""Rules of the liveness walk, one per class of op; other ops are leaves or are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.interfaces import declared_effects_of, destinations_of, viewed_by
from forebay.ir.liveness import outstanding
from forebay.ir.liveness.outstanding import OutstandingOperations
from forebay.ir.liveness.row_walk import is_walked_by_rows, walk_by_rows
from forebay.ir.liveness.schedule_step import ScheduleStep
from forebay.ir.liveness.walk import (
    BufferSetOrNone,
    ProgramWalk,
    WalkRule,
    is_memref,
    terminator,
    union,
)
from forebay.ir.machine.tokens import is_token, queue_of_start
from forebay.ir.memory.loop_counters import counter_range_of
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.nested import memory_ops_in, ops_of
from forebay.ir.refused import RefusedError

NUMBERS = (ir.IntegerType, ir.IndexType, ir.FloatType, ir.VectorType, ir.ComplexType)
"""Types whose values never refer to memory."""

_WAY_OUT = "lower it to memref, scf, linalg and func ops before planning"


def by_interfaces(walk: ProgramWalk, op: ir.OpView) -> None:
    """Apply the rule for an op without one of its own: a view, a kernel, or a leaf."""
    source = viewed_by(op)
    if source is not None:
        _view(walk, op, source)
    elif len(op.regions) and destinations_of(op) is not None:
        _kernel(walk, op)
    else:
        leaf(walk, op)


def leaf(walk: ProgramWalk, op: ir.OpView) -> None:
    """Apply the rule for other ops: it may access its operands while it runs and retains none.

    Raises `RefusedError` for an op with regions, with memory among its results, or with memory
    operands and a result that may refer to them.
    """
    if len(op.regions):
        raise RefusedError(
            op.location,
            f"'{op.operation.name}' has regions and liveness has no rule for it; {_WAY_OUT}",
        )
    if any(is_memref(result) for result in op.results):
        raise RefusedError(
            op.location,
            f"'{op.operation.name}' hands out memory and liveness has no rule that says whose; "
            f"{_WAY_OUT}",
        )
    if all(buffers is None for buffers in walk.buffers_of(op.operands)):
        return
    if not all(isinstance(result.type, NUMBERS) for result in op.results):
        raise RefusedError(
            op.location,
            f"'{op.operation.name}' takes memory and its results may lead back to it unseen; "
            f"{_WAY_OUT}",
        )
    walk.tick(op, op.operands)


def _element_access(walk: ProgramWalk, op: memref.LoadOp | memref.StoreOp) -> None:
    """Apply the rule of a leaf: most ops of a lowered program load or store one number."""
    element = op.result if isinstance(op, memref.LoadOp) else op.value
    if not isinstance(element.type, NUMBERS):
        leaf(walk, op)
    elif walk.is_bound(op.memref):
        walk.tick(op, (op.memref,))


def _kernel(walk: ProgramWalk, op: ir.OpView) -> None:
    """Treat the op as a loop nest over the operands; its body may load from memory around it."""
    with walk.clock.loop():
        walk.tick(op, op.operands)
        if memory_ops_in(op) or ops_of(op, func.CallOp, func.CallIndirectOp):
            for region in op.regions:
                walk.block(walk.body(region))


def _view(walk: ProgramWalk, op: ir.OpView, source: ir.Value) -> None:
    """Bind the results to the buffers of the source; other operands may be read."""
    read = [op.operands[e.operand] for e in declared_effects_of(op) or () if e.operand is not None]
    if read:
        walk.tick(op, read)
    buffers = walk.all_buffers_of([source])
    walk.bind(op.results, [buffers if is_memref(result) else None for result in op.results])


def _distinct_objects(walk: ProgramWalk, op: memref.DistinctObjectsOp) -> None:
    walk.bind(op.results, walk.buffers_of(op.operands))


def _select(walk: ProgramWalk, op: arith.SelectOp) -> None:
    """Bind a memref to the buffers of both values, and a token to the operations that both end."""
    values = [op.true_value, op.false_value]
    buffer_sets = walk.buffers_of(values)
    walk.bind([op.result], union(buffer_sets[:1], buffer_sets[1:]))
    if is_token(op.result.type):
        walk.outstanding = outstanding.selected(walk.outstanding, values, op.result)


def _for(walk: ProgramWalk, op: scf.ForOp) -> None:
    if is_walked_by_rows(walk, op):
        walk_by_rows(walk, op)
        return
    body = walk.body(op.region)

    def once() -> ir.OpView:
        walk.block(body)
        return terminator(body)

    carried = list(body.arguments)[1:]
    heads = walk.repeat(carried, list(op.initArgs), once)
    walk.bind(op.results, walk.buffers_of(carried))
    if any(heads):
        counter = counter_range_of(op)
        is_certain = counter is not None and counter.is_certain
        walk.outstanding = outstanding.join_outstanding(heads[1:] if is_certain else heads)
        walk.rename_tokens(carried, list(op.results))


def _while(walk: ProgramWalk, op: scf.WhileOp) -> None:
    """Walk a loop that exits from its first region."""
    before, after = walk.body(op.before), walk.body(op.after)
    forwarded = list(terminator(before).operands)[1:]
    ends: list[OutstandingOperations] = []

    def once() -> ir.OpView:
        walk.block(before)
        ends.append(outstanding.with_token_names(walk.outstanding, forwarded, list(op.results)))
        walk.bind(after.arguments, walk.buffers_of(forwarded))
        walk.rename_tokens(forwarded, list(after.arguments))
        walk.block(after)
        return terminator(after)

    walk.repeat(list(before.arguments), list(op.inits), once)
    walk.bind(op.results, walk.buffers_of(forwarded))
    walk.outstanding = outstanding.join_outstanding(ends)


def _start(walk: ProgramWalk, op: StartOp | LaunchOp) -> None:
    """Start an operation: its buffers are in use until a wait that ends it."""
    used = walk.tick(op, (operand for operand in op.operands if is_memref(operand)))
    if not walk.tokens:
        return
    queue = queue_of_start(op).sym_name.value
    beside = outstanding.buffers_beside(walk.outstanding, queue, op.after)
    walk.beside |= {(min(a, b), max(a, b)) for a in used for b in beside if a != b}
    walk.outstanding = outstanding.after_start(walk.outstanding, op, used, queue, op.after)
    walk.bind([op.token], [used])


def _wait(walk: ProgramWalk, op: WaitOp) -> None:
    """Wait: the buffers of the operations that it ends are in use until here.

    Those of an operation that an earlier wait has ended are not.
    """
    walk.outstanding, ended = outstanding.after_wait(walk.outstanding, op.tokens)
    if ended:
        walk.clock.tick(ScheduleStep(op, (), waits_for=ended), ended)


def _branches(walk: ProgramWalk, op: ir.OpView) -> None:
    """Walk regions of which at most one runs.

    Each region has its own ticks, so buffers of different regions may share bytes.
    """
    before = walk.outstanding
    buffer_sets: list[list[BufferSetOrNone]] = []
    ends: list[OutstandingOperations] = []
    for region in op.regions:
        walk.outstanding = before
        if len(region.blocks):
            buffer_sets.append(walk.branch(region))
            walk.rename_tokens(list(terminator(walk.body(region)).operands), list(op.results))
        ends.append(walk.outstanding)
    walk.outstanding = outstanding.join_outstanding(ends)
    results = buffer_sets[0]
    for other in buffer_sets[1:] if len(op.results) else ():
        results = union(results, other)
    walk.bind(op.results, results if len(op.results) else ())


def _call(walk: ProgramWalk, op: func.CallOp) -> None:
    callee = walk.functions[op.callee.value]
    if not is_private(callee):
        raise RefusedError(
            op.location,
            f"@{op.callee.value} is an entry function, whose arguments have places of their own; "
            "call a private function from both",
        )
    if any(is_memref(result) for result in op.results):
        raise RefusedError(
            op.location,
            f"@{op.callee.value} returns memory, and two calls would return one address twice; "
            "run buffer-results-to-out-params first",
        )
    if callee.is_external:
        leaf(walk, op)
    else:
        walk.rename_tokens(list(op.operands), list(callee.arguments))
        walk.call(callee, walk.buffers_of(op.operands), op.location)
        returned = list(terminator(walk.body(callee.body)).operands)
        walk.rename_tokens(returned, list(op.results))
        walk.bind(op.results, walk.buffers_of(returned))


def _local(walk: ProgramWalk, op: memref.AllocaOp) -> None:
    """Refuse a variable that is not local: one with a memory space."""
    if ir.MemRefType(op.memref.type).memory_space is not None:
        _refuse("allocates outside of the pools; run memref-pool-adopt first")(walk, op)


def _refuse(reason: str) -> WalkRule:
    def rule(walk: ProgramWalk, op: ir.OpView) -> None:
        if any(is_memref(value) for value in (*op.operands, *op.results)):
            raise RefusedError(op.location, f"'{op.operation.name}' {reason}")

    return rule


def _nothing(_: ProgramWalk, __: ir.OpView) -> None:
    """Do nothing: the rule of the parent op handles this op."""


RULES: dict[type, Callable[[ProgramWalk, Any], None]] = {
    AllocOp: ProgramWalk.alloc,
    memref.GetGlobalOp: ProgramWalk.get_global,
    memref.LoadOp: _element_access,
    memref.StoreOp: _element_access,
    memref.DistinctObjectsOp: _distinct_objects,
    arith.SelectOp: _select,
    StartOp: _start,
    LaunchOp: _start,
    WaitOp: _wait,
    scf.ForOp: _for,
    scf.WhileOp: _while,
    scf.IfOp: _branches,
    scf.IndexSwitchOp: _branches,
    scf.ExecuteRegionOp: _branches,
    scf.YieldOp: _nothing,
    scf.ConditionOp: _nothing,
    func.CallOp: _call,
    func.ReturnOp: _refuse("returns memory; run buffer-results-to-out-params first"),
    func.CallIndirectOp: _refuse("calls an unknown function; call it by its symbol"),
    memref.AllocOp: _refuse("allocates outside of the pools; run memref-pool-adopt first"),
    memref.AllocaOp: _local,
    memref.ExtractAlignedPointerAsIndexOp: _refuse(
        "turns memory into a number, and its uses cannot be seen"
    ),
}
