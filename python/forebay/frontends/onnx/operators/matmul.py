"""Products of two activations: one `accel.reduce`, whose access maps broadcast without a copy."""

from __future__ import annotations

import numpy as np
from mlir import ir

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.products import accumulator_of, products_kernel
from forebay.frontends.onnx.lowering.rescale import product_factors, rescaled_to_target
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
    zero,
)

_DIFFERENCE = 255


def multiply_activations(node: OnnxNode) -> ir.Value:
    """Build `out[batch, m, n] = sum(a[batch, m, k] * b[batch, k, n])`."""
    own = [node.shape(0), node.shape(1)]
    if not own[0] or not own[1]:
        node.malformed("an operand is a scalar")
    # A vector in front is a row, one behind is a column; that dimension is no part of the result.
    a = own[0] if len(own[0]) > 1 else (1, *own[0])
    b = own[1] if len(own[1]) > 1 else (*own[1], 1)
    try:
        batch = np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        batch = None
    if batch is None or a[-1] != b[-2]:
        node.malformed(f"operands of shapes {list(own[0])} and {list(own[1])} do not multiply")
    dims = affine_dimensions(len(batch) + 3)
    outer, (m, n, k) = dims[: len(batch)], dims[len(batch) :]
    operands = [
        ReduceOperand(
            emit.tosa_reshape(node.value(i), shape),
            (*_batch_index(shape[:-2], outer), *matrix),
        )
        for i, (shape, matrix) in enumerate([(a, (m, k)), (b, (k, n))])
    ]
    shape = (*batch, a[-2], b[-1])
    domain = KernelDomain(shape, (a[-1],))
    value = build_reduce(
        domain,
        products_kernel(node),
        ins=operands,
        params=[],
        out=(*outer, m, n),
        result=emit.tensor_type(shape, accumulator_of(node)),
    )
    if node.target is not None:
        reach = a[-1] * _DIFFERENCE**2
        value = rescaled_to_target(node, value, product_factors(node), [reach])
    result = [*batch]
    result += [a[-2]] if len(own[0]) > 1 else []
    result += [b[-1]] if len(own[1]) > 1 else []
    return emit.tosa_reshape(value, result)


def _batch_index(shape: emit.Shape, outer: list[ir.AffineExpr]) -> list[ir.AffineExpr]:
    own = outer[len(outer) - len(shape) :]
    return [zero() if d == 1 else e for d, e in zip(shape, own, strict=True)]
