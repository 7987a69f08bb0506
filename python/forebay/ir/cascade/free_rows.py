"""The buffers that become rows which lie anywhere: those that are only ever accessed row by row.

All others stay contiguous. Their rows live and die one by one, too, but at fixed places relative to
each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlir import ir
from mlir.dialects import memref

from forebay.cascade.graph import RowAccess
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.cascade.row_graph import IrRowGraph
from forebay.ir.cascade.rows import buffer_rows_of
from forebay.ir.identity import identity_of
from forebay.ir.interfaces import is_view, slice_of
from forebay.ir.rows.layout import with_rows


def free_rows(found: IrRowGraph, by_rows: set[int]) -> list[AllocOp]:
    """Return the allocations whose accesses are all in steps of the operators `by_rows`.

    An `accel.reduce` must access the buffer itself; any other op also a slice of each row, and one
    row in each step.
    """
    numbers = {identity_of(row_op.op): n for n, row_op in enumerate(found.ops)}
    chosen: list[AllocOp] = []
    used = {access.tensor for op in found.graph.operators for access in (*op.reads, *op.writes)}
    for number, base in enumerate(found.bases):
        if number not in used or isinstance(base, str) or isinstance(base.owner, ir.Block):
            continue
        alloc = base.owner.opview
        if not isinstance(alloc, AllocOp) or alloc.pinned is not None:
            continue
        if buffer_rows_of(ir.MemRefType(alloc.memref.type)).count > 1 and all(
            _is_row_access(found, numbers, by_rows, number, user, is_whole=is_whole)
            for user, is_whole in _users(alloc.memref)
        ):
            chosen.append(alloc)
    return chosen


def make_free(alloc: AllocOp) -> None:
    """Replace an allocation by one whose rows lie anywhere."""
    type_ = ir.MemRefType(alloc.memref.type)
    dimension = buffer_rows_of(type_).dimension
    assert dimension is not None
    with ir.InsertionPoint(alloc), alloc.location:
        made = AllocOp(with_rows(type_, dimension + 1))
    alloc.memref.replace_all_uses_with(made.memref)
    alloc.operation.erase()


def _users(value: ir.Value) -> Iterator[tuple[ir.OpView, bool]]:
    """Yield the ops that access a buffer, and whether they do so through no view."""
    pending = [(value, True)]
    while pending:
        shown, is_whole = pending.pop()
        for use in shown.uses:
            user = use.owner.opview
            if not is_view(user):
                yield user, is_whole
            elif is_whole and _is_slice_of_rows(user):
                pending.append((user.results[0], False))
            else:
                yield user, False


def _is_slice_of_rows(op: ir.OpView) -> bool:
    """Return whether a view is a slice at fixed offsets, without gaps."""
    part = slice_of(op)
    return (
        isinstance(op, memref.SubViewOp)
        and part is not None
        and all(isinstance(n, int) for n in (*part.offsets, *part.sizes))
        and all(stride == 1 for stride in part.strides)
        and ir.MemRefType(op.result.type).rank == ir.MemRefType(op.source.type).rank
    )


def _is_row_access(
    found: IrRowGraph,
    numbers: Mapping[int, int],
    by_rows: set[int],
    tensor: int,
    user: ir.OpView,
    *,
    is_whole: bool,
) -> bool:
    number = numbers.get(identity_of(user))
    if number is None or number not in by_rows or found.ops[number].split is None:
        return False
    if isinstance(user, ReduceOp):
        return is_whole
    operator = found.graph.operators[number]
    return all(_one_row(a) for a in (*operator.reads, *operator.writes) if a.tensor == tensor)


def _one_row(access: RowAccess) -> bool:
    return all(span.size == 1 for span in access.spans)
