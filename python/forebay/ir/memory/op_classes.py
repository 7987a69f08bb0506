"""Upstream's op classes by what they have in common."""

from mlir import ir
from mlir.dialects import linalg, memref

STRUCTURED_OPS: tuple[type[ir.OpView], ...] = tuple(
    value
    for value in vars(linalg).values()
    if isinstance(value, type)
    and issubclass(value, ir.OpView)
    and value not in {ir.OpView, linalg.YieldOp, linalg.IndexOp}
)
"""All of linalg's structured ops, named and generic."""

VIEW_OPS = (
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.SubViewOp,
    memref.TransposeOp,
)
"""What sees the memory of a memref in another shape or layout, and does not touch it."""

ALIASING_OPS = (
    *VIEW_OPS,
    memref.AssumeAlignmentOp,
    memref.ExtractStridedMetadataOp,
    memref.MemorySpaceCastOp,
    memref.ReshapeOp,
    memref.ViewOp,
)
"""What gives the memory of its first operand, whatever else it takes."""
