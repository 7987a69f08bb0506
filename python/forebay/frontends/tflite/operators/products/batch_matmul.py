"""BATCH_MATMUL: one accel.reduce, whose access maps transpose and broadcast without a copy.

    out[batch, m, n] = sum(a[batch, m, k] * b[batch, k, n])

`adj_x` swaps the last two dimensions of `a`, `adj_y` those of `b`. If `a` is float32 and `b` is
int8, the rows of `a` are quantised at run time (`hybrid.py`). For asymmetric rows and a `b` of four
dimensions, LiteRT's results are not those of its other shapes; here all shapes have one rule.
Sources: TFLite Micro `batch_matmul.cc`, `reference/batch_matmul.h`; LiteRT `batch_matmul.cc`
(`EvalHybrid`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from msgspec.structs import replace

from forebay.frontends.elementwise import moved
from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.accumulate import Product, sum_of_products
from forebay.frontends.tflite.kernels.hybrid import (
    HybridProduct,
    check_symmetric,
    hybrid_sum,
    one_scale,
)
from forebay.frontends.tflite.kernels.quantised_rows import quantised_rows
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceOperand,
    affine_dimensions,
    zero,
)


class BatchMatMulOptions(OperatorOptions, frozen=True):
    """BATCH_MATMUL."""

    adj_x: bool
    adj_y: bool
    asymmetric_quantize_inputs: bool


_TYPES = (ElementType.FLOAT32, ElementType.INT8, ElementType.INT16)
_HYBRID = (ElementType.FLOAT32, ElementType.INT8, ElementType.FLOAT32)

document(
    "BATCH_MATMUL",
    types="int8, int16, float32; float32 with an int8 operand 1",
    limits="broadcasting of batches; float32 with int8: zero point 0",
    becomes="`accel.reduce`",
    exact="int8, int16",
    golden="TFLite Micro; float32 with int8: LiteRT",
)


@operator("BATCH_MATMUL", newest_version=4)
def batch_matmul(node: Node) -> Sequence[ir.Value]:
    """Lower products of matrices, the last two dimensions."""
    node.expect_operands(2)
    node.expect_types(*((t,) * 3 for t in _TYPES), _HYBRID)
    options = node.options(BatchMatMulOptions)
    a, b = node.shape(0), node.shape(1)
    if min(len(a), len(b)) < 2:
        node.malformed(f"operands of shapes {list(a)} and {list(b)} are no matrices")
    height, depth = a[-2:][::-1] if options.adj_x else a[-2:]
    other, width = b[-2:][::-1] if options.adj_y else b[-2:]
    try:
        batch = np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        batch = None
    if batch is None or depth != other:
        node.malformed(f"operands of shapes {list(a)} and {list(b)} do not multiply")
    dims = affine_dimensions(len(batch) + 3)
    outer, (m, n, k) = dims[: len(batch)], dims[len(batch) :]
    rhs = ReduceOperand(node.value(1), _index(b, outer, (k, n), swapped=options.adj_y))
    shape, out = (*batch, height, width), (*outer, m, n)
    domain = KernelDomain(shape, (depth,))
    if node.input(1).type is not node.input(0).type:
        return [hybrid_sum(_hybrid(node, domain, rhs, out), shape)]
    lhs = ReduceOperand(node.value(0), _index(a, outer, (m, k), swapped=options.adj_x))
    product = _quantised(node, Product(domain, lhs, rhs, zero(), out), depth)
    return [sum_of_products(node, product, shape)]


def _hybrid(
    node: Node, domain: KernelDomain, rhs: ReduceOperand, out: tuple[ir.AffineExpr, ...]
) -> HybridProduct:
    """Return the product with rows of `a` that are quantised at run time."""
    options = node.options(BatchMatMulOptions)
    check_symmetric(node, [1])
    shape, value = node.shape(0), node.value(0)
    if options.adj_x:
        dims = affine_dimensions(len(shape))
        shape = (*shape[:-2], shape[-1], shape[-2])
        value = moved(value, [*dims[:-2], dims[-1], dims[-2]], shape)
    rows = quantised_rows(value, is_asymmetric=options.asymmetric_quantize_inputs)
    outer, (m, _) = out[:-2], out[-2:]
    scale = one_scale(node.quantization(node.input(1)).scale)
    index = _index(shape, outer, (m, zero()), swapped=False)[:-1]
    return HybridProduct(domain, rows, index, rhs, scale, out)


def _index(
    shape: emit.Shape,
    outer: Sequence[ir.AffineExpr],
    inner: tuple[ir.AffineExpr, ir.AffineExpr],
    *,
    swapped: bool,
) -> tuple[ir.AffineExpr, ...]:
    batch = shape[:-2]
    batch_index = outer[len(outer) - len(batch) :]
    matrix = inner[::-1] if swapped else inner
    return (*(zero() if d == 1 else e for d, e in zip(batch, batch_index, strict=True)), *matrix)


def _quantised(node: Node, product: Product, depth: int) -> Product:
    """Return the product with zero points and factor, if the operator has any."""
    if node.output.type is ElementType.FLOAT32:
        return product
    qa, qb = (node.quantization(t) for t in node.inputs())
    real = qa.scale * qb.scale / node.quantization(node.output).scale
    wide = node.output.type is ElementType.INT16
    reach = depth * (1 << 30 if wide else DIFFERENCE**2)
    factor = node.wide_multiplier(real, reach) if wide else node.multiplier(real, reach=reach)
    zero_points = (qa.zero_point, qb.zero_point)
    return replace(product, zero_points=zero_points, factors=[factor], wide=wide, reach=reach)
