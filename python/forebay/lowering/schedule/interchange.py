"""Interchange dimensions of an `accel.reduce`; the loops over the first are outermost.

[p, c | k] by (1, 0, 2)    [c, p | k]    all pixels for one channel after the other
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.cpus.costs.blocks import share_of_borders
from forebay.dialects.accel import ReduceOp
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of, static_starts_of
from forebay.lowering.blocks.neighbours import uses_dim


def interchange(op: ReduceOp, order: Sequence[int]) -> ReduceOp:
    """Replace the op by one whose dimension `d` is `order[d]` of before; return it.

    Parallel dimensions are the first ones before and after. Returns `op` itself if the order is
    that of before. The box of the op is permuted, too. The op has no accumulators, and may take its
    points in any order.
    """
    if list(order) == list(range(len(order))):
        return op
    ins, values, count = len(op.inputs), mapped_operands_of(op), len(op.parallel)
    box, has_box = box_of(op), op.static_starts is not None
    extents = [box.extents[d] for d in order]
    starts = [box.starts[d] for d in order]
    with ir.InsertionPoint(op), op.operation.location:
        maps = [
            ir.AffineMapAttr.get(_permuted(ir.AffineMapAttr(map_).value, order)) for map_ in op.maps
        ]
        result = ReduceOp(
            [],
            values[:ins],
            values[ins:-1],
            [start for start in starts if isinstance(start, ir.Value)],
            values[-1],
            [],
            extents[:count],
            extents[count:],
            ir.ArrayAttr.get(maps),
            static_starts=static_starts_of(starts) if has_box else None,
            sizes=[box.sizes[d] for d in order] if has_box else None,
        )
    for name in op.operation.attributes:
        if name not in result.operation.attributes:
            result.operation.attributes[name] = op.operation.attributes[name]
    for source, target in zip(op.operation.regions, result.operation.regions, strict=True):
        source.blocks[0].append_to(target)
    op.operation.erase()
    return result


def factors_first(op: ReduceOp) -> list[int]:
    """Return the order in which the dimensions of the second operand are the first ones.

    In front of them are only dimensions of a box whose start varies, such as the row: these have
    one position, and what they clamp is known in all other loops.
    """
    count, starts = len(op.parallel), box_of(op).starts
    dims = range(count)
    dims = sorted(dims, key=lambda d: (isinstance(starts[d], int), not uses_dim(op, 1, d)))
    return [*dims, *range(count, count + len(op.reduction))]


def clamped_first(op: ReduceOp) -> list[int]:
    """Return the order in which loops that are clamped at most positions are the outer ones.

    So at these positions the loops inside are not clamped, and have constant numbers of steps.
    """
    nest = loop_nest_of(op)
    assert nest is not None, "an accel.reduce is a loop nest"
    count = len(op.parallel)
    reduced = range(count, count + len(op.reduction))
    return [*range(count), *sorted(reduced, key=lambda d: -share_of_borders(nest, d))]


def _permuted(map_: ir.AffineMap, order: Sequence[int]) -> ir.AffineMap:
    new = {old: ir.AffineExpr.get_dim(d) for d, old in enumerate(order)}
    dims = [new.get(d, ir.AffineExpr.get_dim(d)) for d in range(map_.n_dims)]
    by = ir.AffineMap.get(map_.n_dims, 0, dims)
    return ir.AffineMap.get(map_.n_dims, 0, [e.compose(by) for e in map_.results])
