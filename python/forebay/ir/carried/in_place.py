"""The values that are computed in the buffer that a loop carries, so that no store is needed.

A chain of operations that overwrite their destination leads from the carried tensor to the value:

    %1 = tensor.insert %a into %carried[%i]
    %2 = linalg.add ins(%x, %y) outs(%1)          %2 is in place

The chain is broken where the tensor before an operation is needed after it. In that case
bufferization allocates separate memory for the operation.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import scf

from forebay.ir.assign.origins import StorageOrigin, held_by, storage_origin_of
from forebay.ir.memory.storage import alias_constraints_of


def is_in_place(value: ir.Value, carried: ir.Value) -> bool:
    """Return whether `value` is `carried` after operations that overwrite it in place."""
    chain: list[tuple[ir.Operation, int]] = []
    while value != carried:
        destination = None if isinstance(value.owner, ir.Block) else _destination_of(value)
        if destination is None:
            return False
        writer = value.owner.operation
        chain.append((writer, destination))
        value = writer.operands[destination]
    return not any(_is_needed_after(writer, destination) for writer, destination in chain)


def _destination_of(result: ir.Value) -> int | None:
    """Return the index of the operand whose storage the result certainly takes over, or None."""
    op = result.owner.opview
    if isinstance(op, scf.ForOp):
        return len(op.operands) - len(op.results) + list(op.results).index(result)
    if isinstance(op, scf.WhileOp):
        index = list(op.results).index(result)
        same = index < len(op.operands) and op.operands[index].type == result.type
        return index if same else None
    for tie in alias_constraints_of(op):
        if tie.value == result and tie.op == op and not tie.view:
            return tie.operand
    return None


def is_handed_over(loop: ir.OpView, operand: int) -> bool:
    """Return whether a loop may overwrite an operand: nothing needs it after the loop begins.

    True for storage that the program must not overwrite (constants, inputs, most variables): the
    assignment copies it in any case.
    """
    value = loop.operands[operand]
    origin = storage_origin_of(value)
    if origin in (StorageOrigin.CONSTANT, StorageOrigin.INPUT):
        return True
    if origin is StorageOrigin.HELD and not held_by(value).writable:
        return True
    home = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    # A value from outside the block would be overwritten each time the block runs.
    here = home == loop.operation.block
    return here and not _is_needed_after(loop.operation, operand, by_itself=True)


def _is_needed_after(writer: ir.Operation, destination: int, *, by_itself: bool = False) -> bool:
    """Return whether an op reads the destination, or a view of it, while or after the writer runs.

    Other operands of the writer itself count only with `by_itself`.
    """
    for user, operand in _uses_of(writer.operands[destination]):
        if user == writer and operand == destination:
            continue
        if user == writer and not by_itself:
            continue  # bufferization decides this case better
        at = _in_block(user, writer.block)
        if at == writer or not at.is_before_in_block(writer):
            return True
    return False


def _uses_of(tensor: ir.Value) -> Iterator[tuple[ir.Operation, int]]:
    waiting = [tensor]
    while waiting:
        for use in waiting.pop().uses:
            yield use.owner.operation, use.operand_number
            waiting += [
                tie.value
                for tie in alias_constraints_of(use.owner)
                if tie.view and tie.operand == use.operand_number
            ]


def _in_block(op: ir.Operation, block: ir.Block) -> ir.Operation:
    """Return the ancestor of the operation (or itself) that is in the block."""
    while op.block != block:
        assert op.parent is not None
        op = op.parent
    return op
