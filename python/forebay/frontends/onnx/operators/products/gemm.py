"""Gemm, and MatMul by a constant matrix, as a convolution of 1x1, because TOSA has no such op."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut, packed_columns
from forebay.frontends.onnx.lowering.node import OnnxNode, stored_elements
from forebay.frontends.onnx.lowering.products import (
    Bias,
    finished_sums,
    multiply_rows,
    onnx_bias,
    stored_zero_points,
)
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.operators.products.matmul import multiply_activations

document_onnx(
    "Gemm",
    "QGemm",
    types="int8, uint8, float32",
    limits="integers: constant weights, a bias for each column",
    golden="exact sums and factors, halves to even",
)
document_onnx(
    "MatMul",
    "QLinearMatMul",
    types="int8, uint8, float32",
    golden="bits of QLinearMatMul; QDQ: exact sums and factors, halves to even",
)


@onnx_operator("Gemm")
def gemm(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a layer of vectors."""
    if node.target is None:
        node.expect_floats(0, 1, 2)
    matrix = node.constant(1)
    if matrix.ndim != 2 or len(node.shape(0)) != 2:
        node.malformed(f"operands of shapes {list(node.shape(0))} and {list(matrix.shape)}")
    rows = matrix if node.attribute("transB", 0) else matrix.T
    alpha, beta = float(node.attribute("alpha", 1.0)), float(node.attribute("beta", 1.0))
    channels = len(rows)
    bias = onnx_bias(node, channels)
    if node.target is None:
        rows, bias = rows * np.float32(alpha), bias * np.float32(beta)
    return [LaidOut(_multiplied(node, rows, bias))]


@onnx_operator("MatMul")
def matmul(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a product, of two activations, or by a constant matrix."""
    if node.target is None:
        node.expect_floats(0, 1)
    matrix = node.known(1)
    if matrix is None or matrix.ndim != 2 or len(node.shape(0)) < 2:
        if node.target is not None and not node.source(1).is_per_tensor:
            node.refuse("a scale per channel on weights that are no matrix", "use one scale")
        return [LaidOut(multiply_activations(node))]
    dtype = np.float32 if node.target is None else np.int32
    return [LaidOut(_multiplied(node, matrix.T, np.zeros(matrix.shape[1], dtype)))]


def _multiplied(node: OnnxNode, rows: NDArray[np.generic], bias: Bias) -> ir.Value:
    """Build `x * rows^T + bias` of the last dimension."""
    channels, depth = rows.shape
    operand = node.operand(0)
    shape = operand.shape
    if shape[-1] != depth:
        node.malformed(f"operands of shapes {list(shape)} and {list(rows.T.shape)}")
    count = math.prod(shape[:-1])
    source = operand.value if operand.packed else operand.logical()
    value = emit.tosa_reshape(source, (count, 1, 1, depth))
    columns = packed_columns(stored_elements(np.ascontiguousarray(rows)), operand.packed)
    sums = multiply_rows(value, columns, bias, stored_zero_points(node))
    return emit.tosa_reshape(finished_sums(node, sums, rows, bias), (*shape[:-1], channels))
