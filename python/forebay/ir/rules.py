"""What the liveness walk does at an op: one rule per class; other ops are leaves or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from forebay.dialects.accel import LaunchOp, ReduceOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.op_classes import STRUCTURED_OPS
from forebay.ir.refused import RefusedError
from forebay.ir.roots import is_private
from forebay.ir.walk import NO_ROOTS, Held, Rule, Walk, is_memref, terminator, union

NUMBERS = (ir.IntegerType, ir.IndexType, ir.FloatType, ir.VectorType, ir.ComplexType)
"""Types whose values are never a way to memory."""

_WAY_OUT = "lower it to memref, scf, linalg and func ops before planning"


def leaf(walk: Walk, op: ir.OpView) -> None:
    """Any op without a rule: it may touch its operands while it runs, and keeps none of them."""
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
    held = [roots for roots in walk.held(op.operands) if roots is not None]
    if not held:
        return
    if not all(isinstance(result.type, NUMBERS) for result in op.results):
        raise RefusedError(
            op.location,
            f"'{op.operation.name}' takes memory and its results may lead back to it unseen; "
            f"{_WAY_OUT}",
        )
    walk.clock.tick(op, NO_ROOTS.union(*held))


def _kernel(walk: Walk, op: ir.OpView) -> None:
    """One nest of loops over the operands, whose body may load from memory around it."""
    with walk.clock.loop():
        walk.clock.tick(op, walk.touched(op.operands))
        for region in op.regions:
            walk.block(walk.body(region))


def _view(walk: Walk, op: ir.OpView) -> None:
    """The results are the first operand, seen differently."""
    held = walk.touched([op.operands[0]])
    walk.bind(op.results, [held if is_memref(result) else None for result in op.results])


def _reshape(walk: Walk, op: memref.ReshapeOp) -> None:
    """A view of the first operand; the second holds the shape and is read."""
    walk.clock.tick(op, walk.touched([op.shape]))
    _view(walk, op)


def _distinct_objects(walk: Walk, op: memref.DistinctObjectsOp) -> None:
    walk.bind(op.results, walk.held(op.operands))


def _select(walk: Walk, op: arith.SelectOp) -> None:
    """Of two memrefs, either; of two numbers, nothing to see."""
    held = walk.held([op.true_value, op.false_value])
    walk.bind([op.result], union(held[:1], held[1:]))


def _for(walk: Walk, op: scf.ForOp) -> None:
    body = walk.body(op.region)

    def once() -> ir.OpView:
        walk.block(body)
        return terminator(body)

    carried = list(body.arguments)[1:]
    walk.repeat(carried, walk.held(op.initArgs), once)
    walk.bind(op.results, walk.held(carried))


def _while(walk: Walk, op: scf.WhileOp) -> None:
    before, after = walk.body(op.before), walk.body(op.after)

    def once() -> ir.OpView:
        walk.block(before)
        walk.bind(after.arguments, _forwarded(walk, op))
        walk.block(after)
        return terminator(after)

    walk.repeat(list(before.arguments), walk.held(op.inits), once)
    walk.bind(op.results, _forwarded(walk, op))


def _forwarded(walk: Walk, op: scf.WhileOp) -> list[Held]:
    """What the condition of a loop hands to its second region and to its results."""
    return walk.held(list(terminator(walk.body(op.before)).operands)[1:])


def _start(walk: Walk, op: StartOp | LaunchOp) -> None:
    """Begins now; the buffers are in use until a wait for the token, or for one after it."""
    walk.clock.tick(op, walk.touched(op.operands))
    if not walk.tokens:
        return
    if not any(True for _ in op.token.uses):
        raise RefusedError(
            op.location,
            f"nobody waits for the token of this '{op.operation.name}', so its buffers would be in "
            "use for good; add an accel.wait",
        )
    walk.bind([op.token], [walk.touched(op.operands)])


def _wait(walk: Walk, op: WaitOp) -> None:
    held = walk.touched(op.tokens)
    if held:
        walk.clock.tick(op, held)


def _branches(walk: Walk, op: ir.OpView) -> None:
    """At most one region runs. Each has ticks of its own, so they may share bytes."""
    held = [walk.branch(region) for region in op.regions if len(region.blocks)]
    results = held[0]
    for other in held[1:] if len(op.results) else ():
        results = union(results, other)
    walk.bind(op.results, results if len(op.results) else ())


def _call(walk: Walk, op: func.CallOp) -> None:
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
        walk.call(callee, walk.held(op.operands), op.location)


def _refuse(reason: str) -> Rule:
    def rule(walk: Walk, op: ir.OpView) -> None:
        if any(is_memref(value) for value in (*op.operands, *op.results)):
            raise RefusedError(op.location, f"'{op.operation.name}' {reason}")

    return rule


def _nothing(_: Walk, __: ir.OpView) -> None:
    """The op around this one has seen to it."""


_VIEWS = (
    memref.AssumeAlignmentOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ExtractStridedMetadataOp,
    memref.MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubViewOp,
    memref.TransposeOp,
    memref.ViewOp,
)

RULES: dict[type, Callable[[Walk, Any], None]] = {
    **dict.fromkeys(STRUCTURED_OPS, _kernel),
    **dict.fromkeys(_VIEWS, _view),
    ReduceOp: _kernel,
    AllocOp: Walk.alloc,
    memref.GetGlobalOp: Walk.get_global,
    memref.ReshapeOp: _reshape,
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
    func.CallIndirectOp: _refuse("calls a function that nobody knows; call it by its symbol"),
    memref.AllocOp: _refuse("allocates outside of the pools; run memref-pool-adopt first"),
    memref.AllocaOp: _refuse("allocates outside of the pools; run memref-pool-adopt first"),
    memref.ExtractAlignedPointerAsIndexOp: _refuse(
        "turns memory into a number, and its uses cannot be seen"
    ),
}
