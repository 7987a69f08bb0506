"""Planning problems as IR: reads a `Problem` from `memref_pool.problem` and writes the plan back.

`planning_problem_writer` is the other direction. `problem` extracts the problem of a module's own
buffers.
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from forebay.dialects.memref_pool import (
    BufferKind,
    BufferOp,
    ConflictOp,
    PlacementAttr,
    PoolOp,
    ProblemOp,
    SeparateOp,
)
from forebay.ir.machine.pools import pool_of
from forebay.ir.nested import ops_of
from forebay.ir.problem.certificates import certificate_attribute
from forebay.planning import (
    Buffer,
    Interval,
    Kind,
    Plan,
    Problem,
    Separation,
    certify,
)


def problems_in(module: ir.Operation) -> list[ProblemOp]:
    """Return the planning problems of a module, in their order."""
    return ops_of(module, ProblemOp)


def problem_of_op(op: ProblemOp) -> Problem:
    """Return the problem that the IR states; it is not checked here."""
    ops = list(op.body.blocks[0].operations)
    return Problem(
        pools=tuple(pool_of(each) for each in ops if isinstance(each, PoolOp)),
        buffers=tuple(_buffer(each) for each in ops if isinstance(each, BufferOp)),
        conflicts=tuple(
            (each.first.value, each.second.value) for each in ops if isinstance(each, ConflictOp)
        ),
        separations=tuple(_separation(each) for each in ops if isinstance(each, SeparateOp)),
        steps=_texts(op.steps),
        name=op.sym_name.value,
    )


def annotate_plan(op: ProblemOp, found: Plan) -> None:
    """Set the placement of each buffer and the certificate of each pool.

    The op must hold the plan's problem, with its buffers and pools in the same order.
    """
    ops = list(op.body.blocks[0].operations)
    buffers = [each for each in ops if isinstance(each, BufferOp)]
    pools = [each for each in ops if isinstance(each, PoolOp)]
    for each, buffer in zip(buffers, found.problem.buffers, strict=True):
        each.placement = PlacementAttr.get(*found.placements[buffer.name])
    for each, certificate in zip(pools, certify(found), strict=True):
        each.certificate = certificate_attribute(found.planner, certificate)


def _buffer(op: BufferOp) -> Buffer:
    return Buffer(
        op.sym_name.value,
        op.size.value,
        tuple(Interval(start, end) for start, end in _pairs(op.lifetime)),
        tuple(ir.FlatSymbolRefAttr(name).value for name in op.candidates),
        _number(op.alignment),
        Kind(BufferKind(op.kind.value).name),
        None if op.pinned_pool is None else op.pinned_pool.value,
        _number(op.pinned_offset),
        _texts(op.pinned_by),
        None if op.alias is None else op.alias.value,
        None if op.costs is None else tuple(op.costs),
        "" if op.origin is None else op.origin.value,
        None if op.block_name is None else op.block_name.value,
        _number(op.block_offset) or 0,
    )


def _separation(op: SeparateOp) -> Separation:
    return Separation(
        op.first.value, op.second.value, _number(op.shared_byte) or 0, _number(op.same_bank) or 0
    )


def _number(attribute: ir.IntegerAttr | None) -> int | None:
    return None if attribute is None else attribute.value


def _texts(names: ir.ArrayAttr | None) -> tuple[str, ...]:
    return () if names is None else tuple(ir.StringAttr(name).value for name in names)


def _pairs(bounds: Iterable[int] | None) -> list[tuple[int, int]]:
    flat = list(bounds or ())
    return list(zip(flat[::2], flat[1::2], strict=True))
