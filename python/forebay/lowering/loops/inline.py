"""Move the ops of a region's block to a place where the values of its arguments are known."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir


def inline(block: ir.Block, arguments: Sequence[ir.Value | None]) -> list[ir.Value]:
    """Move the ops to the current insertion point and return the terminator's operands.

    An argument without uses may be None.
    """
    for argument, value in zip(list(block.arguments), arguments, strict=True):
        if value is not None:
            argument.replace_all_uses_with(value)
    *ops, terminator = list(block.operations)
    point = ir.InsertionPoint.current
    for op in ops:
        point.insert(op.operation.detach_from_parent())
    return list(terminator.operation.operands)
