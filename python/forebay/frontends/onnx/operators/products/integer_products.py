"""MatMulInteger and ConvInteger: exact sums of products, whose zero points may be results.

The usual product, by a constant matrix with one zero point, is a convolution of 1x1 of the stored
integers; the zero point of the activation follows by the sums of the columns:

    sum((a - za) * (b - zb)) = sum(a * (b - zb)) - za * sum(b - zb)

All others are one `accel.reduce` that reads the zero points beside the elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut, packed_columns
from forebay.frontends.onnx.lowering.node import HALF, OnnxNode, stored_elements
from forebay.frontends.onnx.lowering.products import multiply_rows
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.window import covered_image, window_of
from forebay.frontends.onnx.operators.products.matmul import matrix_product
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    affine_dimensions,
    build_reduce,
    sum_kernel,
    zero,
)

document_onnx(
    *("ConvInteger", "MatMulInteger"),
    types="int8, uint8 to int32",
    limits="ConvInteger: constant weights, one or two spatial dimensions; sums below 2^31",
    golden="bits",
)

_LARGEST = 255 * 255


@onnx_operator("MatMulInteger")
def matmul_integer(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a product of integers less their zero points."""
    _check_types(node)
    own, matrix = node.shape(0), node.known(1)
    _check_reach(node, own[-1] if own else 1)
    offset = _uniform_zero_point(node)
    if matrix is None or matrix.ndim != 2 or len(own) < 2 or offset is None:
        return [LaidOut(_general_product(node))]
    if own[-1] != len(matrix):
        node.malformed(f"operands of shapes {list(own)} and {list(matrix.shape)} do not multiply")
    operand = node.operand(0)
    source = operand.value if operand.packed else operand.logical()
    rows = np.ascontiguousarray(matrix.T)
    columns = packed_columns(stored_elements(rows), operand.packed)
    count, shape = math.prod(own[:-1]), (*own[:-1], len(rows))
    sums = multiply_rows(
        emit.tosa_reshape(source, (count, 1, 1, own[-1])),
        columns,
        np.zeros(len(rows), np.int32),
        (0, offset),
    )
    totals = columns.astype(np.int32).sum(1, dtype=np.int32) - np.int32(offset * own[-1])
    return [LaidOut(_less_zero_point(node, emit.tosa_reshape(sums, shape), totals))]


def _less_zero_point(node: OnnxNode, sums: ir.Value, totals: NDArray[np.int32]) -> ir.Value:
    """Build `sums - zero point * totals`, where the zero point is of all rows or of each."""
    zero_point = _zero_points(node, 2, 0, is_row=True)
    i32 = emit.signless(32)
    return map_elements(
        [sums, zero_point, emit.tosa_constant(totals)],
        emit.static_shape_of(sums),
        i32,
        lambda ins: scalar.subtract(ins[0], scalar.multiply(scalar.widen(ins[1]), ins[2])),
    )


def _general_product(node: OnnxNode) -> ir.Value:
    offsets = [_zero_points(node, 2, 0, is_row=True), _zero_points(node, 3, 1, is_row=False)]
    return matrix_product(node, _differences(), scalar.i32(), offsets)


def _zero_points(node: OnnxNode, index: int, of: int, *, is_row: bool) -> ir.Value:
    """Return stored zero points that broadcast against the operand, or the result's rows."""
    if not node.has(index):
        return emit.tosa_constant(np.array([[_stored_zero(node, of)]], np.int8))
    if node.dtype(index) != node.dtype(of):
        wanted, given = node.dtype(of).name, node.dtype(index).name
        node.malformed(f"operand {of} is {wanted}, and its zero point {given}")
    value, shape = node.value(index), node.shape(index)
    if math.prod(shape) == 1:
        return emit.tosa_reshape(value, (1, 1))
    if len(shape) == 1:
        shape = (*shape, 1) if is_row else (1, *shape)
    own = node.shape(of)
    if len(own) == 1:
        own = (1, *own) if is_row else (*own, 1)
    wanted = (*own[:-1], 1) if is_row else (*own[:-2], 1, own[-1])
    if shape != wanted[-len(shape) :]:
        node.malformed(f"zero points of shape {list(shape)} for operand {of}, {list(own)}")
    return emit.tosa_reshape(value, shape)


@onnx_operator("ConvInteger")
def conv_integer(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a convolution of integers less their zero points; padding is the zero point."""
    _check_types(node)
    weights, own = node.constant(1), node.shape(0)
    groups = int(node.attribute("group", 1))
    if weights.ndim < 3 or len(own) != weights.ndim:
        node.malformed(f"weights of shape {list(weights.shape)} on {list(own)}")
    channels, depth = weights.shape[:2]
    if groups < 1 or depth * groups != own[1] or channels % groups:
        node.malformed(f"weights of shape {list(weights.shape)} in {groups} groups")
    _check_reach(node, math.prod(weights.shape[1:]))
    windows = window_of(node, weights.shape[2:])
    image = covered_image(node, windows)
    members = channels // groups
    n, y, x, g, m, ky, kx, k = affine_dimensions(8)
    rows, columns = windows.y.position(y, ky), windows.x.position(x, kx)
    channel = g * members + m
    shape = (own[0], windows.y.output, windows.x.output)
    ohwi = np.moveaxis(stored_elements(weights), 1, -1).reshape(channels, *windows.kernel, depth)
    offsets, at = _channel_zero_points(node, channels, channel)
    sums = build_reduce(
        KernelDomain((*shape, groups, members), (*windows.kernel, depth)),
        _differences(),
        ins=[
            ReduceOperand(image, (n, rows, columns, g * depth + k)),
            ReduceOperand(emit.tosa_constant(np.ascontiguousarray(ohwi)), (channel, ky, kx, k)),
            ReduceOperand(_image_zero_point(node), (zero(),)),
            ReduceOperand(offsets, (at,)),
        ],
        params=[],
        out=(n, y, x, channel),
        result=emit.tensor_type((*shape, channels), scalar.i32()),
    )
    sizes = (*shape, channels) if len(own) == 4 else (own[0], shape[2], channels)
    return [LaidOut(emit.tosa_reshape(sums, sizes), last=True)]


def _image_zero_point(node: OnnxNode) -> ir.Value:
    value = _zero_points(node, 2, 0, is_row=True)
    if math.prod(emit.static_shape_of(value)) != 1:
        node.malformed("several zero points for operand 0")
    return emit.tosa_reshape(value, (1,))


def _channel_zero_points(
    node: OnnxNode, channels: int, channel: ir.AffineExpr
) -> tuple[ir.Value, ir.AffineExpr]:
    """Return the zero points of the weights, and the index of that of a channel."""
    data = node.constant(3) if node.has(3) else np.zeros((), node.dtype(1))
    if data.size not in (1, channels) or data.dtype != node.dtype(1):
        node.malformed(f"zero points of shape {list(data.shape)} for {channels} channels")
    stored = emit.tosa_constant(stored_elements(data.reshape(-1)))
    return stored, channel if data.size > 1 else zero()


def _differences() -> ReduceKernel:
    """Return the kernel that sums `(a - za) * (b - zb)`."""

    def term(ins: Scalars) -> ir.Value:
        a, b, za, zb = (scalar.widen(value) for value in ins)
        return scalar.multiply(scalar.subtract(a, za), scalar.subtract(b, zb))

    return sum_kernel(scalar.i32(), term)


def _uniform_zero_point(node: OnnxNode) -> int | None:
    """Return the stored zero point of operand 1, None if it has several or computes it."""
    if not node.has(3):
        return _stored_zero(node, 1)
    data = node.known(3)
    if data is None or data.dtype != node.dtype(1) or len(set(data.reshape(-1).tolist())) != 1:
        return None
    return int(stored_elements(data).reshape(-1)[0])


def _stored_zero(node: OnnxNode, index: int) -> int:
    return -HALF if node.dtype(index) == np.uint8 else 0


def _check_types(node: OnnxNode) -> None:
    for index in (0, 1):
        if node.dtype(index).name not in ("int8", "uint8"):
            node.malformed(f"operand {index} is {node.dtype(index).name}, not int8 or uint8")


def _check_reach(node: OnnxNode, count: int) -> None:
    if count * _LARGEST >= 1 << 31:
        node.refuse(f"sums of {count:,} products, which leave 32 bits", "use smaller products")
