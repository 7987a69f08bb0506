"""Groups of upstream op classes with common behaviour."""

from mlir import ir
from mlir.dialects import memref

from forebay.dialects import linalg

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
"""Ops whose result is a view of a memref in another shape or layout; they access no bytes."""

ALIASING_OPS = (
    *VIEW_OPS,
    memref.AssumeAlignmentOp,
    memref.ExtractStridedMetadataOp,
    memref.MemorySpaceCastOp,
    memref.ReshapeOp,
    memref.ViewOp,
)
"""Ops whose result is the memory of their first operand, whatever other operands they have."""
