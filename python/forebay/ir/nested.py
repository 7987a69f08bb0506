"""The ops inside an op."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import IntrinsicOp


def ops_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """Return the op itself, then all ops nested in it."""
    return [op.operation.opview, *ops_nested_in(op)]


def ops_nested_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """Return the ops in the regions of an op, at any depth, each before the ops inside it.

    The reference of an `accel.intrinsic` is not part of the program and is left out.

    The result is a list, so the caller may raise exceptions and erase ops. MLIR's own walk allows
    neither.
    """
    found: list[ir.OpView] = []
    skip, advance = ir.WalkResult.SKIP, ir.WalkResult.ADVANCE

    def visit(inner: ir.Operation) -> ir.WalkResult:
        op = inner.opview
        found.append(op)
        return skip if isinstance(op, IntrinsicOp) and len(found) > 1 else advance

    op.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found[1:]
