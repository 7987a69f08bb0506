"""When a value is used for the last time: with its last value, a buffer dies.

A view does not touch memory, so it counts as the uses of what it gives, and for nothing where
nobody uses that::

    %a = memref_pool.alloc
    kernel outs(%a)
    %v = memref.subview %a
    kernel ins(%v)              <- the last touch of %a, and of %v
    %w = memref.cast %a         <- no touch: %w has no uses
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith, memref

ALIASES = (
    arith.SelectOp,
    memref.AssumeAlignmentOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ExtractStridedMetadataOp,
    memref.MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubViewOp,
    memref.TransposeOp,
    memref.ViewOp,
)
"""Ops whose result leads to the memory of an operand, and that do not touch it."""


class LastTouches:
    """Answers for blocks, remembering the way from each op to the blocks around it."""

    def __init__(self) -> None:
        self._paths: dict[ir.Value, list[dict[ir.Block, int]]] = {}
        self._positions: dict[ir.Block, dict[ir.OpView, int]] = {}

    def position(self, value: ir.Value, block: ir.Block) -> int | None:
        """Index of the op in the block that touches the value last, or in which that happens."""
        if value not in self._paths:
            self._paths[value] = [self._path(op) for op in _touches(value)]
        return max((path[block] for path in self._paths[value] if block in path), default=None)

    def _path(self, op: ir.OpView) -> dict[ir.Block, int]:
        path: dict[ir.Block, int] = {}
        current = op
        while (parent := current.operation.parent) is not None:
            block = current.operation.block
            path[block] = self._in(block)[current]
            current = parent.opview
        return path

    def _in(self, block: ir.Block) -> dict[ir.OpView, int]:
        if block not in self._positions:
            self._positions[block] = {op: number for number, op in enumerate(block.operations)}
        return self._positions[block]


def _touches(value: ir.Value) -> Iterator[ir.OpView]:
    for use in value.uses:
        owner = use.owner.operation.opview
        if isinstance(owner, ALIASES):
            for result in owner.results:
                if isinstance(result.type, ir.MemRefType):
                    yield from _touches(result)
        else:
            yield owner
