"""The product in the body of an `accel.reduce`: two or more elements, each plus a constant."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import defining_op


class ProductFactor(Struct, frozen=True):
    """An element in a product: the additions to it, their constant sum, and how it is widened.

    `offset` is None where something is added that is no constant.
    """

    additions: int = 0
    offset: int | None = 0
    is_signed: bool = False


def product_of(op: ReduceOp) -> tuple[ProductFactor, ...] | None:
    """Return the factor of each input of an op that adds one product per point to one sum.

    None for an op whose body does more, or something else.
    """
    body, finish = op.body.blocks[0], op.finish.blocks[0]
    arguments, counted = list(body.arguments), list(finish.arguments)
    if len(arguments) != 1 + len(op.inputs) or any(True for _ in counted[1].uses):
        return None
    *ops, yielded = list(body.operations)
    total = yielded.operation.operands[0].owner
    if not ops or total != ops[-1].operation:
        return None
    if isinstance(ops[-1], arith.AddFOp):
        return _float_factors(ops, op)
    has_product = any(isinstance(own, arith.MulIOp) for own in ops)
    return _factors(ops, op) if isinstance(ops[-1], arith.AddIOp) and has_product else None


def _factors(ops: list[ir.OpView], op: ReduceOp) -> tuple[ProductFactor, ...] | None:
    """Return the factors of a sum of integers, or None."""
    arguments = list(op.body.blocks[0].arguments)
    factors = [ProductFactor() for _ in op.inputs]
    for own in ops[:-1]:
        if isinstance(own, (arith.AddIOp, arith.ExtSIOp)):
            origin = _origin(own.operands[0], arguments[1:])
            if origin is None:
                return None
            factors[origin] = _after(own, factors[origin])
        elif not isinstance(own, (arith.ExtUIOp, arith.MulIOp, arith.ConstantOp)):
            return None
    return tuple(factors)


def _float_factors(ops: list[ir.OpView], op: ReduceOp) -> tuple[ProductFactor, ...] | None:
    """Return the factors of a sum of floats, to which nothing is added, or None."""
    *others, addition = ops
    product = defining_op(addition.operands[1])
    if len(others) != 1 or not isinstance(product, arith.MulFOp):
        return None
    sum_, *elements = list(op.body.blocks[0].arguments)
    is_single = sum_.type == ir.F32Type.get() and all(own.type == sum_.type for own in elements)
    is_product = is_single and addition.operands[0] == sum_ and {*product.operands} == {*elements}
    return tuple(ProductFactor() for _ in elements) if is_product else None


def _after(op: arith.AddIOp | arith.ExtSIOp, factor: ProductFactor) -> ProductFactor:
    if isinstance(op, arith.ExtSIOp):
        return ProductFactor(factor.additions, factor.offset, True)
    added = defining_op(op.rhs)
    offset = None
    if isinstance(added, arith.ConstantOp) and factor.offset is not None:
        offset = factor.offset + ir.IntegerAttr(added.value).value
    return ProductFactor(factor.additions + 1, offset, factor.is_signed)


def _origin(value: ir.Value, arguments: Sequence[ir.Value]) -> int | None:
    """Return the number of the argument that a value is made of, or None."""
    while value not in arguments:
        op = defining_op(value)
        if isinstance(op, arith.AddIOp):
            value = op.lhs
        elif op is None or len(op.operands) != 1:
            return None
        else:
            value = op.operands[0]
    return arguments.index(value)
