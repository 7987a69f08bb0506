"""A kernel that reads a padded copy of its source."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.lowering.kernels.named import named
from forebay.lowering.padding.padded_copy import make_padded_copy
from forebay.lowering.padding.padding import SOURCE, SourcePadding


def pad_source(op: ReduceOp, padding: SourcePadding, space: ir.Attribute | None) -> ReduceOp:
    """Let an op read a padded copy of its source, which is in a memory space; return the copy."""
    source = op.inputs[SOURCE]
    element = ir.MemRefType(source.type).element_type
    with ir.InsertionPoint(op), op.operation.location:
        with named("padded"):
            padded = AllocOp(padding.type_of(element, space)).memref
        copy = make_padded_copy(source, padded, padding)
    read_padded(op, padding, padded)
    return copy


def read_padded(op: ReduceOp, padding: SourcePadding, padded: ir.Value) -> None:
    """Let an op read a padded copy of its source."""
    op.operation.operands[SOURCE] = padded
    first, *others = op.maps
    map_ = ir.AffineMapAttr(first).value
    moved = [result + n for result, n in zip(map_.results, padding.before, strict=True)]
    map_ = ir.AffineMap.get(map_.n_dims, 0, moved)
    op.attributes["maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(map_), *others])
