"""Products of float32 rows with int8 weights: the rows are quantised at run time.

    out = sum((stored - zero) * weights) * (factor * scale), and what follows

A row is the same in every batch, because it has its own factor (`quantised_rows.py`).
Source: LiteRT `fully_connected.cc` (`EvalHybridImpl`), `portable_tensor_utils.cc`
(`PortableMatrixBatchVectorMultiplyAccumulate`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.tflite.kernels.quantised_rows import QuantisedRows, quantised_rows
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.weights import bias_elements
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


class HybridProduct(Struct, frozen=True, eq=False):
    """Rows and weights over a domain, whose only reduction dimension is the last one."""

    domain: KernelDomain
    rows: QuantisedRows
    row: tuple[ir.AffineExpr, ...]
    weights: ReduceOperand
    scales: ReduceOperand
    out: tuple[ir.AffineExpr, ...]


def lower_hybrid_rows(
    node: Node, value: ir.Value, weights: NDArray[np.generic], *, is_asymmetric: bool
) -> ir.Value:
    """Build `[rows, channels]` from `[rows, depth]` and weights `[channels, depth]`."""
    rows, depth = emit.static_shape_of(value)
    channels = len(weights)
    quantised = quantised_rows(value, is_asymmetric=is_asymmetric)
    with node.constant_location(1):
        filters = emit.tosa_constant(weights)
    n, c, k = affine_dimensions(3)
    product = HybridProduct(
        KernelDomain((rows, channels), (depth,)),
        quantised,
        (n,),
        ReduceOperand(filters, (c, k)),
        _scales(node, channels, c),
        (n, c),
    )
    bias = bias_elements(node, channels)
    if bias is None:
        return hybrid_sum(product, (rows, channels))
    added = [ReduceOperand(emit.tosa_constant(bias), (c,))]
    return hybrid_sum(product, (rows, channels), added, lambda x, ins: scalar.add(ins[0], x))


def hybrid_sum(
    product: HybridProduct,
    shape: Sequence[int],
    params: Sequence[ReduceOperand] = (),
    then: Callable[[ir.Value, Scalars], ir.Value] | None = None,
) -> ir.Value:
    """Build the sum of products in float32; `then` gets it with an element of each param."""
    rows = product.rows
    last = affine_dimensions(len(product.domain.extents))[-1]
    ins = [ReduceOperand(rows.stored, (*product.row, last)), product.weights]
    if rows.zeros is not None:
        ins.append(ReduceOperand(rows.zeros, product.row))

    def finish(sums: Scalars, _: ir.Value, given: Scalars) -> ir.Value:
        factor, scale, *others = given
        total = arith.SIToFPOp(ir.F32Type.get(), sums[0]).result
        value = scalar.multiply(total, scalar.multiply(factor, scale))
        return then(value, others) if then else value

    return build_reduce(
        product.domain,
        ReduceKernel(start_at_zero, add_product, finish),
        ins=ins,
        params=[ReduceOperand(rows.factors, product.row), product.scales, *params],
        out=product.out,
        result=emit.tensor_type(shape, ir.F32Type.get()),
    )


def one_scale(scale: float) -> ReduceOperand:
    """Return the scale of all weights."""
    return ReduceOperand(emit.tosa_constant(np.array([scale], np.float32)), (zero(),))


def check_symmetric(node: Node, operands: Sequence[int]) -> None:
    """Check that int8 weights have one scale, and no zero point."""
    for index in operands:
        if node.quantization(node.input(index)).zero_point:
            node.refuse(
                f"int8 weights ('{node.input(index).name}') with a zero point",
                "quantise them symmetrically",
            )


def start_at_zero(_: Scalars) -> Scalars:
    """Start a sum of integers."""
    return [scalar.scalar_constant(0, scalar.i32())]


def add_product(sums: Scalars, ins: Scalars) -> Scalars:
    """Add the product of a stored element, less its zero point if there is one, and a weight."""
    stored, weight, *zeros = (scalar.widen(x) for x in ins)
    data = scalar.subtract(stored, zeros[0]) if zeros else stored
    return [scalar.add(sums[0], scalar.multiply(data, weight))]


def _scales(node: Node, channels: int, channel: ir.AffineExpr) -> ReduceOperand:
    quantization = node.input(1).quantization
    scales = quantization.scales if quantization else ()
    if len(scales) not in (1, channels):
        node.malformed(f"the weights have {len(scales)} scales")
    index = channel if len(scales) > 1 else zero()
    return ReduceOperand(emit.tosa_constant(np.array(scales, np.float32)), (index,))
