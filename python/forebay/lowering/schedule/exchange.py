"""Exchange the factors of an `accel.reduce`, so that the one with a zero point comes first.

Instructions on words add a constant to the first factors only:

    acc += x[p, k] * (w[c, k] + 39)    acc += (w[c, k] + 39) * x[p, k]
"""

from __future__ import annotations

from mlir import ir

from forebay.cpus.costs.borders import borders_of
from forebay.dialects.accel import ReduceOp
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.ir.structured.reduce_box import mapped_operands_of
from forebay.lowering.blocks.words import offsets_of_factors

_FACTORS = 2


def exchange_factors(op: ReduceOp) -> ReduceOp:
    """Replace an op by one with its factors exchanged, if only the second one has a constant added.

    Returns the new op, or `op` itself if it stays as it is: with other factors, or with first ones
    that may be outside of their operand, which reads in words fill as if the constant were theirs.
    """
    offsets = offsets_of_factors(op)
    if offsets is None or offsets[0] != 0 or offsets[1] == 0:
        return op
    nest = loop_nest_of(op)
    if nest is None or any(borders_of(nest, dim) for dim in range(len(op.parallel))):
        return op
    return _exchanged(op)


def _exchanged(op: ReduceOp) -> ReduceOp:
    values, maps = mapped_operands_of(op), list(op.maps)
    with ir.InsertionPoint(op), op.operation.location:
        result = ReduceOp(
            [],
            [op.inputs[1], op.inputs[0]],
            values[_FACTORS:-1],
            list(op.starts),
            values[-1],
            [],
            list(op.parallel),
            list(op.reduction),
            ir.ArrayAttr.get([maps[1], maps[0], *maps[_FACTORS:]]),
            static_starts=op.static_starts,
            sizes=op.sizes,
        )
    for name in op.operation.attributes:
        if name not in result.operation.attributes:
            result.operation.attributes[name] = op.operation.attributes[name]
    for source, target in zip(op.operation.regions, result.operation.regions, strict=True):
        source.blocks[0].append_to(target)
    body = result.body.blocks[0]
    _, one, other = body.arguments
    exchanged = {one: other, other: one}
    for own in body.operations:
        for number, operand in enumerate(own.operands):
            if operand in exchanged:
                own.operation.operands[number] = exchanged[operand]
    op.operation.erase()
    return result
