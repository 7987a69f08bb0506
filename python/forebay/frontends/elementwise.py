"""One `linalg.generic` over the elements of a result, for what TOSA cannot express exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import tensor

from forebay.dialects import linalg
from forebay.frontends import tosa as emit

_Scalars = Sequence[ir.Value]
Compute = Callable[[_Scalars], ir.Value]
"""Emits scalar ops at the insertion point: from an element per operand to one of the result."""


def map_elements(
    operands: Sequence[ir.Value], shape: Sequence[int], element: ir.Type, compute: Compute
) -> ir.Value:
    """Compute each element of the result from those at its position in the operands.

    An operand is broadcast as NumPy does: dimensions in front of it, or of size 1 in it, repeat it.
    """
    rank = len(shape)
    maps = [_broadcast(emit.static_shape_of(value), rank) for value in operands]
    return map_indexed(list(zip(operands, maps, strict=True)), shape, element, compute)


def map_indexed(
    operands: Sequence[tuple[ir.Value, Sequence[ir.AffineExpr]]],
    shape: Sequence[int],
    element: ir.Type,
    compute: Compute,
) -> ir.Value:
    """Compute each element of the result from one of each operand, at its own index."""
    rank = len(shape)
    init = tensor.EmptyOp(list(shape), element).result
    maps = [ir.AffineMap.get(rank, 0, list(index)) for _, index in operands]
    maps.append(ir.AffineMap.get_identity(rank))
    op = linalg.GenericOp(
        [init.type],
        [value for value, _ in operands],
        [init],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
        ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * rank),
    )
    types = [*(emit.element_of(value) for value, _ in operands), element]
    locations = [ir.Location.current] * len(types)
    block = op.regions[0].blocks.append(*types, arg_locs=locations)
    with ir.InsertionPoint(block):
        linalg.YieldOp([compute(list(block.arguments)[:-1])])
    return op.results[0]


def position_along(dimension: int) -> ir.Value:
    """Return the position of the computed element along a dimension, in the op's body."""
    return linalg.IndexOp(ir.IntegerAttr.get(emit.signless(64), dimension)).result


def map_in_place(
    target: ir.Value,
    operands: Sequence[ir.Value],
    compute: Callable[[_Scalars, ir.Value], ir.Value],
) -> ir.Value:
    """Compute each element of `target` anew, from those at its position in operands of its shape.

    `compute` gets the elements of the operands and the old one. If nothing reads the old tensor
    after this op, the new one is in its buffer.
    """
    shape = emit.static_shape_of(target)
    maps = [ir.AffineMap.get_identity(len(shape))] * (len(operands) + 1)
    op = linalg.GenericOp(
        [target.type],
        list(operands),
        [target],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
        ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * len(shape)),
    )
    types = [emit.element_of(value) for value in (*operands, target)]
    block = op.regions[0].blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
    with ir.InsertionPoint(block):
        *ins, old = block.arguments
        linalg.YieldOp([compute(ins, old)])
    return op.results[0]


def moved(value: ir.Value, index: Sequence[ir.AffineExpr], shape: Sequence[int]) -> ir.Value:
    """Return the tensor of that shape whose elements are those of `value` at `index`."""
    return map_indexed([(value, index)], shape, emit.element_of(value), lambda ins: ins[0])


def single_result(op: ir.OpView) -> ir.Value:
    """Return the only result of an op."""
    return op.operation.results[0]


def _broadcast(shape: Sequence[int], rank: int) -> list[ir.AffineExpr]:
    missing = rank - len(shape)
    zero = ir.AffineExpr.get_constant(0)
    return [zero if d == 1 else ir.AffineExpr.get_dim(missing + i) for i, d in enumerate(shape)]
