"""Kernels that a later pass merges into one function, whose memory is in the same pools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence

from mlir import ir
from msgspec.structs import replace

from forebay.dialects.accel import ReduceOp
from forebay.ir.state.buffers import buffer_behind
from forebay.ir.state.windows import AnyWindow, LargerWindow


def keep_twins(windows: Sequence[AnyWindow], block: ir.Block) -> list[AnyWindow]:
    """Return the windows of a block without pieces that would part kernels of equal structure.

    Such kernels share a function if all of them write pieces that begin at offset 0 of a memref in
    the same pools, or none. In the second case, a copy costs less than another function.
    """
    alike: dict[Hashable, list[ReduceOp]] = defaultdict(list)
    for op in block.operations:
        if isinstance(op, ReduceOp):
            alike[_structure_of(op)].append(op)
    pieces = [p.alloc.memref for w in windows if isinstance(w, LargerWindow) for p in w.pieces]
    kept = [
        buffer_behind(op.output)
        for twins in alike.values()
        if len(twins) > 1 and not all(_may_follow(op, pieces) for op in twins)
        for op in twins
    ]
    return [
        replace(window, pieces=tuple(p for p in window.pieces if p.alloc.memref not in kept))
        if isinstance(window, LargerWindow)
        else window
        for window in windows
    ]


def _may_follow(op: ReduceOp, pieces: Collection[ir.Value]) -> bool:
    """Return whether the op writes a piece that will begin at offset 0 of a memref."""
    byte = ir.IntegerType.get_signless(8)
    is_byte = ir.MemRefType(op.output.type).element_type == byte
    return is_byte and buffer_behind(op.output) in pieces


def _structure_of(op: ReduceOp) -> Hashable:
    """Return a key that kernels share which differ in the places and the values of operands."""
    types = [value.type for value in op.operation.operands]
    memrefs = [ir.MemRefType(type_) for type_ in types if isinstance(type_, ir.MemRefType)]
    shapes = tuple((tuple(type_.shape), type_.element_type) for type_ in memrefs)
    return shapes, frozenset(op.operation.attributes.items())
