"""Interchange parallel dimensions of an `accel.reduce`; the loops over the first are outermost.

[p, c | k] by (1, 0)    [c, p | k]    all pixels for one channel after the other
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.structured.reduce_box import mapped_operands_of
from forebay.lowering.blocks.neighbours import uses_dim


def interchange(op: ReduceOp, order: Sequence[int]) -> ReduceOp:
    """Replace the op by one whose parallel dimension `d` is `order[d]` of before; return it.

    Returns `op` itself if the order is that of before. The op has no box and no accumulators.
    """
    count = len(op.parallel)
    if list(order) == list(range(count)):
        return op
    ins, values = len(op.inputs), mapped_operands_of(op)
    extents = list(op.parallel)
    with ir.InsertionPoint(op), op.operation.location:
        maps = [
            ir.AffineMapAttr.get(_permuted(ir.AffineMapAttr(map_).value, order)) for map_ in op.maps
        ]
        result = ReduceOp(
            [],
            values[:ins],
            values[ins:-1],
            [],
            values[-1],
            [],
            [extents[d] for d in order],
            list(op.reduction),
            ir.ArrayAttr.get(maps),
        )
    for name in op.operation.attributes:
        if name not in result.operation.attributes:
            result.operation.attributes[name] = op.operation.attributes[name]
    for source, target in zip(op.operation.regions, result.operation.regions, strict=True):
        source.blocks[0].append_to(target)
    op.operation.erase()
    return result


def factors_first(op: ReduceOp) -> list[int]:
    """Return the order in which the dimensions of the second operand are the first ones."""
    dims = range(len(op.parallel))
    return sorted(dims, key=lambda d: not uses_dim(op, 1, d))


def _permuted(map_: ir.AffineMap, order: Sequence[int]) -> ir.AffineMap:
    new = {old: ir.AffineExpr.get_dim(d) for d, old in enumerate(order)}
    dims = [new.get(d, ir.AffineExpr.get_dim(d)) for d in range(map_.n_dims)]
    by = ir.AffineMap.get(map_.n_dims, 0, dims)
    return ir.AffineMap.get(map_.n_dims, 0, [e.compose(by) for e in map_.results])
