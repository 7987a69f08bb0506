"""Products of two activations: one `accel.reduce`, whose access maps broadcast without a copy."""

from __future__ import annotations

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.products import stored_zero_points
from forebay.frontends.onnx.lowering.rescale import product_factors, rescaled_to_target
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
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
    value = _sums(node, domain, operands, (*outer, m, n))
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


def _sums(
    node: OnnxNode,
    domain: KernelDomain,
    operands: list[ReduceOperand],
    out: tuple[ir.AffineExpr, ...],
) -> ir.Value:
    zero_points = stored_zero_points(node)
    accumulator = ir.F32Type.get() if node.target is None else emit.signless(32)

    def centred(value: ir.Value, zero_point: int) -> ir.Value:
        if node.target is None:
            return value
        return scalar.add_constant(arith.ExtSIOp(accumulator, value).result, -zero_point)

    def body(sums: Scalars, ins: Scalars) -> Scalars:
        terms = [centred(x, z) for x, z in zip(ins, zero_points, strict=True)]
        return [scalar.add(sums[0], scalar.multiply(*terms))]

    return build_reduce(
        domain,
        ReduceKernel(
            lambda _: [scalar.scalar_constant(0, accumulator)],
            body,
            lambda sums, _, __: sums[0],
        ),
        ins=operands,
        params=[],
        out=out,
        result=emit.tensor_type(domain.parallel, accumulator),
    )
