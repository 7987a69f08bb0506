"""A kernel whose result takes the buffer of its source."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.interfaces import is_view
from forebay.ir.machine.pools import candidates_of
from forebay.ir.machine.tokens import is_token
from forebay.ir.nested import defining_op
from forebay.lowering.padding.padding import SOURCE


def may_share_buffer(op: ReduceOp) -> bool:
    """Return whether nothing needs the source after an op, or the result before it.

    Both must be whole buffers of one type, in a block with the op, with one candidate pool. The op
    must write no element of the result before it has read that of the source for the last time.
    """
    source, result = defining_op(op.inputs[SOURCE]), defining_op(op.output)
    if not isinstance(source, AllocOp) or not isinstance(result, AllocOp) or source == result:
        return False
    if source.memref.type != result.memref.type or source.pinned or result.pinned:
        return False
    at = op.operation
    if len(candidates_of(source.memref.type)) != 1 or source.operation.block != at.block:
        return False
    before, behind = (
        [user for user in _users(alloc.memref, at.block) if user is None or user != at]
        for alloc in (source, result)
    )
    return all(it is not None and it.is_before_in_block(at) for it in before) and all(
        it is not None and at.is_before_in_block(it) for it in behind
    )


def share_buffer(op: ReduceOp) -> None:
    """Let the result take the buffer of the source."""
    result = defining_op(op.output)
    assert result is not None, "the result is a buffer"
    op.output.replace_all_uses_with(op.inputs[SOURCE])
    result.operation.erase()


def _users(value: ir.Value, block: ir.Block) -> Iterator[ir.Operation | None]:
    """Yield the ops of a block that use a buffer or its views; None if others may use it later."""
    for use in value.uses:
        user = use.owner.operation
        if is_view(user.opview):
            for result in user.results:
                yield from _users(result, block)
        else:
            yield _ancestor_in(user, block)


def _ancestor_in(op: ir.Operation, block: ir.Block) -> ir.Operation | None:
    """Return the op of a block that an op is in.

    None if it gives memory, which may be that of an operand, or a token: until a wait for it, the
    operation uses its operands.
    """
    if op.parent is None or any(map(_outlives, op.results)):
        return None
    return op if op.block == block else _ancestor_in(op.parent.operation, block)


def _outlives(result: ir.Value) -> bool:
    return isinstance(result.type, ir.MemRefType) or is_token(result.type)
