"""All ops inside of an op."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import IntrinsicOp


def ops_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """The op itself, then all ops nested in it."""
    return [op.operation.opview, *ops_nested_in(op)]


def ops_nested_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """The ops in the regions of an op, at any depth, each before what is inside of it.

    The reference of an `accel.intrinsic` is no part of the program, so it is left out.

    A list, so that the caller may raise and may erase ops: neither is possible in MLIR's own walk.
    """
    found: list[ir.OpView] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.append(inner.opview)
        outside = isinstance(inner.opview, IntrinsicOp) and len(found) > 1
        return ir.WalkResult.SKIP if outside else ir.WalkResult.ADVANCE

    op.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]
