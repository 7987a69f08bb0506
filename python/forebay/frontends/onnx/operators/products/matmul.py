"""Products of two activations: one `accel.reduce`, whose access maps broadcast without a copy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.products import accumulator_of, products_kernel
from forebay.frontends.onnx.lowering.rescale import product_factors, rescaled_to_target
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
    zero,
)

_DIFFERENCE = 255


def multiply_activations(node: OnnxNode) -> ir.Value:
    """Build the product of operands 0 and 1, rescaled if they are integers."""
    value = matrix_product(node, products_kernel(node), accumulator_of(node))
    if node.target is None:
        return value
    reach = node.shape(0)[-1] * _DIFFERENCE**2
    return rescaled_to_target(node, value, product_factors(node), [reach])


def matrix_product(
    node: OnnxNode,
    kernel: ReduceKernel,
    element: ir.Type,
    offsets: Sequence[ir.Value] = (),
) -> ir.Value:
    """Build `out[batch, m, n] = sum(a[batch, m, k] * b[batch, k, n])`.

    The kernel also reads `offsets`, which broadcast against the rows of a and the columns of b.
    """
    shapes = [node.shape(0), node.shape(1)]
    if not shapes[0] or not shapes[1]:
        node.malformed("an operand is a scalar")
    # A vector in front is a row, one after is a column; that dimension is no part of the result.
    a = shapes[0] if len(shapes[0]) > 1 else (1, *shapes[0])
    b = shapes[1] if len(shapes[1]) > 1 else (*shapes[1], 1)
    try:
        batch = np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        batch = None
    if batch is None or a[-1] != b[-2]:
        node.malformed(
            f"operands of shapes {list(shapes[0])} and {list(shapes[1])} do not multiply"
        )
    dims = affine_dimensions(len(batch) + 3)
    outer, (m, n, k) = dims[: len(batch)], dims[len(batch) :]
    operands = [
        _operand(emit.tosa_reshape(node.value(i), shape), (*outer, *matrix))
        for i, (shape, matrix) in enumerate([(a, (m, k)), (b, (k, n))])
    ]
    operands += [_operand(value, (*outer, m, n)) for value in offsets]
    shape = (*batch, a[-2], b[-1])
    domain = KernelDomain(shape, (a[-1],))
    value = build_reduce(
        domain,
        kernel,
        ins=operands,
        params=[],
        out=(*outer, m, n),
        result=emit.tensor_type(shape, element),
    )
    result = [*batch]
    result += [a[-2]] if len(shapes[0]) > 1 else []
    result += [b[-1]] if len(shapes[1]) > 1 else []
    return emit.tosa_reshape(value, result)


def _operand(value: ir.Value, index: Sequence[ir.AffineExpr]) -> ReduceOperand:
    """Return an operand that repeats along its dimensions of size 1."""
    shape = emit.static_shape_of(value)
    batch_index = index[len(index) - len(shape) :]
    return ReduceOperand(
        value, tuple(zero() if d == 1 else e for d, e in zip(shape, batch_index, strict=True))
    )
