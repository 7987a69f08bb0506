"""Insertion points of copies: late, so that the copy has a short lifetime, but outside of loops."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func

from forebay.ir.assign.uses import Use
from forebay.ir.interfaces import is_control_flow, is_loop


def insertion_point(
    value: ir.Value, uses: Sequence[Use], *, hoist: bool
) -> tuple[Use, ir.InsertionPoint]:
    """Return the first use, and the point just before it in the nearest block around all uses.

    The point is never inside an operator that computes elements. With `hoist`, it is also outside
    of every loop in which the value does not change.
    """
    chains = [_around(use.op) for use in uses]
    blocks = [[op.operation.block for op in chain] for chain in chains]
    block = next(b for b in blocks[0] if _can_hold(b) and all(b in other for other in blocks))
    home = _block_of(value)
    while hoist and block != home and is_loop(block.owner):
        block = block.owner.operation.block
    anchors = [chain[known.index(block)] for chain, known in zip(chains, blocks, strict=True)]
    first = 0
    for number, anchor in enumerate(anchors):
        if anchor.operation.is_before_in_block(anchors[first].operation):
            first = number
    return uses[first], ir.InsertionPoint(anchors[first])


def _around(op: ir.OpView) -> list[ir.OpView]:
    """Return the op and all ops around it up to its function's body, inner ones first."""
    found: list[ir.OpView] = []
    while not isinstance(op, func.FuncOp):
        found.append(op)
        assert op.operation.parent is not None
        op = op.operation.parent.opview
    return found


def _can_hold(block: ir.Block) -> bool:
    owner = block.owner.opview
    return isinstance(owner, func.FuncOp) or is_control_flow(owner)


def _block_of(value: ir.Value) -> ir.Block:
    owner = value.owner
    return owner if isinstance(owner, ir.Block) else owner.operation.block
