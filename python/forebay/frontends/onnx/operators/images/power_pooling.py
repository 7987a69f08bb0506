"""LpPool and GlobalLpPool: the p-th root of the sum of p-th powers, of float32."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec.structs import replace

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.powers import magnitude_power, power_root
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.window import reduce_windows, window_axes
from forebay.frontends.windows import WindowAxis
from forebay.lowering.kernels.reduce import sum_kernel

document_onnx("LpPool", "GlobalLpPool", types="float32", golden="1e-6")


@onnx_operator("LpPool")
def lp_pool(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the norm of each window; padding counts as 0."""
    axes = window_axes(node, node.attribute("kernel_shape", []))
    return [_norms(node, axes)]


@onnx_operator("GlobalLpPool")
def global_lp_pool(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the norm over all spatial dimensions, which stay with size 1."""
    whole = [replace(axis, kernel=axis.size) for axis in window_axes(node, _ones(node))]
    return [_norms(node, whole)]


def _ones(node: OnnxNode) -> list[int]:
    return [1] * (len(node.shape(0)) - 2)


def _norms(node: OnnxNode, axes: Sequence[WindowAxis]) -> LaidOut:
    node.expect_floats(0)
    exponent = int(node.attribute("p", 2))
    if exponent < 1:
        node.malformed(f"p of {exponent}")
    f32 = ir.F32Type.get()
    kernel = sum_kernel(f32, lambda ins: magnitude_power(ins[0], exponent))
    sums = reduce_windows(node.operand(0).channels_last(), axes, kernel, f32)
    shape = emit.static_shape_of(sums)
    roots = map_elements([sums], shape, f32, lambda ins: power_root(ins[0], exponent))
    return LaidOut(roots, last=True)
