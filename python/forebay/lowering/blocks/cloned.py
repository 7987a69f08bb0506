"""Copy the ops of a region's block to a place where the values of its arguments are known."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir


def cloned(block: ir.Block, arguments: Sequence[ir.Value | None]) -> list[ir.Value]:
    """Copy the ops to the current insertion point and return the terminator's operands.

    The ops have no regions. An argument without uses may be None.
    """
    known: dict[ir.Value, ir.Value] = {
        argument: value
        for argument, value in zip(list(block.arguments), arguments, strict=True)
        if value is not None
    }
    *ops, terminator = list(block.operations)
    for op in ops:
        copy = op.operation.clone()
        for number, operand in enumerate(list(copy.operands)):
            if operand in known:
                copy.operands[number] = known[operand]
        known.update(zip(op.operation.results, copy.results, strict=True))
    return [known.get(operand, operand) for operand in terminator.operation.operands]
