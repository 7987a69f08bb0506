"""Expand vectors of 8-bit integers to their elements, for a compiler that vectorises itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from mlir import ir
from mlir.dialects import arith, memref, vector

from forebay.dialects.accel import DotOp
from forebay.lowering.kernels import scalar


def expand_vectors(ops: Iterable[ir.OpView]) -> None:
    """Replace each load of a vector, and each `accel.dot` of loaded vectors."""
    found = list(ops)
    loaded = {op.result: _elements(op) for op in found if isinstance(op, vector.LoadOp)}
    constants = [op for op in found if _is_splat(op)]
    loaded |= {op.result: _repeated(op) for op in constants}
    for op in found:
        if isinstance(op, DotOp):
            op.result.replace_all_uses_with(_sum(op, loaded[op.lhs], loaded[op.rhs]))
            op.operation.erase()
    for op in found:
        if isinstance(op, vector.LoadOp):
            op.operation.erase()
    for op in constants:
        op.operation.erase()


def _is_splat(op: ir.OpView) -> TypeGuard[arith.ConstantOp]:
    is_constant = isinstance(op, arith.ConstantOp) and isinstance(op.result.type, ir.VectorType)
    return is_constant and any(isinstance(use.owner.opview, DotOp) for use in op.result.uses)


def _repeated(op: arith.ConstantOp) -> list[ir.Value]:
    """Make a constant for each element of a vector with equal elements."""
    type_ = ir.VectorType(op.result.type)
    value = ir.IntegerAttr(ir.DenseElementsAttr(op.value).get_splat_value()).value
    with ir.InsertionPoint(op), op.location:
        return [scalar.scalar_constant(value, type_.element_type)] * type_.shape[0]


def _elements(op: vector.LoadOp) -> list[ir.Value]:
    """Load the elements of a vector in front of the op."""
    *outer, last = op.indices
    with ir.InsertionPoint(op), op.location:
        return [
            memref.LoadOp(op.base, [*outer, scalar.add_constant(last, lane)]).result
            for lane in range(ir.VectorType(op.result.type).shape[0])
        ]


def _sum(op: DotOp, lhs: list[ir.Value], rhs: list[ir.Value]) -> ir.Value:
    lanes = range(len(lhs)) if op.lane is None else [op.lane.value]
    total = op.sum
    with ir.InsertionPoint(op), op.location:
        for lane in lanes:
            one = scalar.add_constant(scalar.widen(lhs[lane]), op.offset.value)
            product = scalar.multiply(one, scalar.widen(rhs[lane]))
            total = arith.AddIOp(total, product).result
    return total
