"""Reshapes in TOSA; the lowering to tensor ops turns them into views without cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.ir.fused import shape_of


def lower_reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """Build a `tosa.reshape`, or return the value if it has the shape already."""
    if shape_of(value) == tuple(shape):
        return value
    values: Any = np.array(shape, np.int64)
    sizes = ir.DenseIntElementsAttr.get(values, type=ir.IndexType.get(), shape=[len(shape)])
    dimensions = tosa.ConstShapeOp(ir.Type.parse(f"!tosa.shape<{len(shape)}>"), sizes).result
    return tosa.ReshapeOp(value, dimensions).result
