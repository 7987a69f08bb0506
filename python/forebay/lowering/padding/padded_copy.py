"""The padded copy of a source: an `accel.reduce` without a reduction.

An element outside of the source has no part in the sum, so the result is what `init` yields::

    accel.reduce [1, 6, 6, 4 | ] ins(%source : memref<1x4x4x4xi8>)
      outs(%padded : memref<1x6x6x4xi8>)
      maps [(n, y, x, c) -> (n, y - 1, x - 1, c), (n, y, x, c) -> (n, y, x, c)]
      init { yield -128 } body { (sum, element): yield element } finish { (sum, count): yield sum }

It is one op with a loop nest, so it can also run row by row. `accel-lower-padded-copies` makes
fills and copies of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith

from forebay.dialects.accel import ReduceOp, YieldOp
from forebay.ir.attributes import integers_of
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.nested import defining_op
from forebay.lowering.kernels import scalar
from forebay.lowering.padding.padding import SourcePadding


def make_padded_copy(source: ir.Value, padded: ir.Value, padding: SourcePadding) -> ReduceOp:
    """Create the op that fills a buffer of the padded shape, at the insertion point."""
    rank = len(padding.shape)
    dims = [ir.AffineExpr.get_dim(axis) for axis in range(rank)]
    moved = [dim - before for dim, before in zip(dims, padding.before, strict=True)]
    maps = [ir.AffineMapAttr.get(ir.AffineMap.get(rank, 0, index)) for index in (moved, dims)]
    extents = list(padding.padded)
    op = ReduceOp([], [source], [], [], padded, [], extents, [], ir.ArrayAttr.get(maps))
    element = ir.MemRefType(source.type).element_type
    with ir.InsertionPoint(op.init.blocks.append()):
        YieldOp([scalar.scalar_constant(padding.value, element)])
    body = op.body.blocks.append(element, element)
    with ir.InsertionPoint(body):
        YieldOp([body.arguments[1]])
    finish = op.finish.blocks.append(element, scalar.i32())
    with ir.InsertionPoint(finish):
        YieldOp([finish.arguments[0]])
    return op


def padded_copy_of(op: ReduceOp) -> SourcePadding | None:
    """Return what an op puts around its source, or None if it is no padded copy."""
    if len(op.inputs) != 1 or op.params or op.accumulators or integers_of(op.reduction):
        return None
    value = _copied_around(op)
    if value is None:
        return None
    shape, padded = (tuple(ir.MemRefType(value.type).shape) for value in (op.inputs[0], op.output))
    before = tuple(_before(op)) if integers_of(op.parallel) == padded else ()
    if len(before) != len(padded):
        return None
    after = tuple(p - n - b for p, n, b in zip(padded, shape, before, strict=True))
    return SourcePadding(shape, before, after, value) if min(after, default=-1) >= 0 else None


def _copied_around(op: ReduceOp) -> int | None:
    """Return the number around the elements if the regions only copy them."""
    init, body, finish = (region.blocks[0] for region in (op.init, op.body, op.finish))
    first, kept, last = (list(list(it.operations)[-1].operands) for it in (init, body, finish))
    if len(first) != 1 or kept != [body.arguments[1]] or last != [finish.arguments[0]]:
        return None
    constant = defining_op(first[0])
    if not isinstance(constant, arith.ConstantOp):
        return None
    if isinstance(constant.type, ir.IntegerType):
        return ir.IntegerAttr(constant.value).value
    is_zero = constant.value == ir.FloatAttr.get(constant.type, 0.0)
    return 0 if is_zero else None


def _before(op: ReduceOp) -> Iterator[int]:
    """Yield how many elements are before those of the source, along each axis that is moved."""
    ins, out = (linear_of_map(ir.AffineMapAttr(map_).value) for map_ in op.maps)
    for axis, (source, result) in enumerate(zip(ins, out, strict=True)):
        if source is None or source.terms != {axis: 1} or result != Linear.of(axis):
            return
        if source.constant > 0:
            return
        yield -source.constant
