"""Expand vectors of 8-bit integers to their elements, for a compiler that vectorises itself."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir
from mlir.dialects import arith, memref, vector

from forebay.dialects.accel import DotOp
from forebay.lowering.kernels import scalar


def expand_vectors(ops: Iterable[ir.OpView]) -> None:
    """Replace each load of a vector, and each `accel.dot` of loaded vectors."""
    found = list(ops)
    loaded = {op.result: _elements(op) for op in found if isinstance(op, vector.LoadOp)}
    for op in found:
        if isinstance(op, DotOp):
            op.result.replace_all_uses_with(_sum(op, loaded[op.lhs], loaded[op.rhs]))
            op.operation.erase()
    for op in found:
        if isinstance(op, vector.LoadOp):
            op.operation.erase()


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
