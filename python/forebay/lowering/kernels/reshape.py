"""Views of tensors in TOSA, before the lowering to tensor ops makes them free of cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.ir.fused import shape_of


def reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """`tosa.reshape`, or the value itself where the shape is already that."""
    if shape_of(value) == tuple(shape):
        return value
    values: Any = np.array(shape, np.int64)
    sizes = ir.DenseIntElementsAttr.get(values, type=ir.IndexType.get(), shape=[len(shape)])
    dimensions = tosa.ConstShapeOp(ir.Type.parse(f"!tosa.shape<{len(shape)}>"), sizes).result
    return tosa.ReshapeOp(value, dimensions).result
