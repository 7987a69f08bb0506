"""MATMUL, batch by batch."""

from __future__ import annotations

from mlir.dialects import tosa

from forebay.reference.products import centred, matrix_product
from forebay.reference.registry import Function, function
from forebay.reference.types import (
    Array,
    dtype_of,
    is_float,
    wrapped,
)


@function(tosa.MatMulOp)
def matmul(op: tosa.MatMulOp) -> Function:
    """Multiply `[batch, rows, depth]` by `[batch, depth, columns]`, each minus its zero point."""
    type_ = op.results[0].type

    def product(a: Array, b: Array, a_zero: Array, b_zero: Array) -> Array:
        sums = matrix_product(centred(a, a_zero), centred(b, b_zero))
        return sums.astype(dtype_of(type_, op)) if is_float(type_) else wrapped(sums, type_, op)

    return product
