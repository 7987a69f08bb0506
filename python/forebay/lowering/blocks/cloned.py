"""Copy the ops of a region's block to a place where the values of its arguments are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, vector

from forebay.ir.float_limits import is_limit

_LIMITS = (arith.MaximumFOp, arith.MinimumFOp)
_ON_VECTORS = (arith.AddFOp, arith.MulFOp, *_LIMITS)
"""Ops on floats that have a form on vectors; limits must be constants."""


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


def has_vectors(block: ir.Block) -> bool:
    """Return whether the ops of a block on floats have forms on vectors."""
    *ops, _ = list(block.operations)
    return all(isinstance(op, _ON_VECTORS) and _has_limit(op) for op in ops)


def _has_limit(op: ir.OpView) -> bool:
    """Return whether one comparison with a constant tells an extremum, as `is_limit` says."""
    return not isinstance(op, _LIMITS) or is_limit(op)


def cloned_on_vectors(
    block: ir.Block,
    arguments: Sequence[ir.Value | None],
    type_: ir.VectorType,
    results: Mapping[ir.Value, ir.Value] | None = None,
) -> list[ir.Value]:
    """Copy the ops of a block to the insertion point, with all values of one type of vectors.

    The ops must have a form on vectors. Arguments are vectors. Ops with `results` are not copied:
    these are their values. Return the terminator's operands.
    """
    known: dict[ir.Value, ir.Value] = {
        argument: value
        for argument, value in zip(list(block.arguments), arguments, strict=True)
        if value is not None
    }
    known.update(results or {})

    def of_lanes(value: ir.Value) -> ir.Value:
        return known[value] if value in known else vector.BroadcastOp(type_, value).result

    *ops, terminator = list(block.operations)
    for op in ops:
        if op.operation.results[0] in known:
            continue
        if isinstance(op, arith.ConstantOp):
            known[op.result] = of_lanes(op.operation.clone().results[0])
            continue
        operands = [of_lanes(operand) for operand in op.operation.operands]
        made = ir.Operation.create(op.operation.name, [type_], operands, loc=op.location)
        known[op.operation.results[0]] = made.results[0]
    return [of_lanes(operand) for operand in terminator.operation.operands]
