"""Resize, DepthToSpace and SpaceToDepth: images of other sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut, permuted
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator

document_onnx(
    "Resize",
    types="int8, uint8, float32",
    limits="height and width, constant sizes; no region of interest, no antialiasing",
    golden="nearest, and linear of integers: bits; linear of floats: 1e-6",
)
document_onnx("DepthToSpace", "SpaceToDepth", types="all", golden="bits")

_ROUNDINGS: dict[str, Callable[[float], int]] = {
    "round_prefer_floor": lambda x: math.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
}


@onnx_operator("Resize")
def resize(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower rows and columns that are copied, or mixed from two."""
    mode = node.attribute("mode", "nearest")
    if mode not in ("nearest", "linear") or node.attribute("antialias", 0):
        node.refuse(f"the mode {mode}", "nearest and linear are supported, without antialias")
    own = node.shape(0)
    scales, sizes = _sizes(node, own)
    if len(own) != 4 or sizes[:2] != list(own[:2]):
        node.refuse(f"a resizing of {list(own)} to {sizes}", "only height and width change")
    value = node.operand(0).channels_last()
    stored = emit.element_of(value)
    if mode == "linear":
        value = _converted(node, value, ir.F32Type.get())
    for axis in (2, 3):
        positions = [
            _position(node, o, own[axis], sizes[axis], scales[axis]) for o in range(sizes[axis])
        ]
        at = axis - 1
        value = (_nearest if mode == "nearest" else _linear)(node, value, at, positions)
    return [LaidOut(_converted(node, value, stored), last=True)]


def _converted(node: OnnxNode, value: ir.Value, element: ir.Type) -> ir.Value:
    """Return the elements as another type: integers are rounded to the nearest, ties to even."""
    if emit.element_of(value) == element:
        return value
    if node.dtype(0).name not in ("int8", "uint8"):
        node.refuse(f"operand 0 of type {node.dtype(0).name}", "int8, uint8 and float32 are")
    return tosa.CastOp(emit.tensor_type(emit.static_shape_of(value), element), value).result


def _sizes(node: OnnxNode, own: Sequence[int]) -> tuple[list[float], list[int]]:
    axes = [node.axis(int(a), len(own)) for a in node.attribute("axes", range(len(own)))]
    scales, sizes = [1.0] * len(own), list(own)
    if node.has(3):
        for axis, size in _along(node, axes, node.integers(3)):
            sizes[axis], scales[axis] = int(size), size / own[axis]
    else:
        for axis, scale in _along(node, axes, node.constant(2).reshape(-1).tolist()):
            sizes[axis], scales[axis] = math.floor(own[axis] * scale), scale
    return scales, sizes


def _along(node: OnnxNode, axes: Sequence[int], values: Sequence[float]) -> list[tuple[int, float]]:
    """Return the values with the axes that they are for."""
    if len(axes) != len(values) or not all(v > 0 for v in values):
        node.malformed(f"scales or sizes {list(values)} for the axes {list(axes)}")
    return list(zip(axes, values, strict=True))


def _position(node: OnnxNode, output: int, size: int, result: int, scale: float) -> float:
    """Return the position in the input, in elements, that an output position reads."""
    mode = node.attribute("coordinate_transformation_mode", "half_pixel")
    if mode == "asymmetric":
        return output / scale
    if mode == "align_corners":
        return 0.0 if result == 1 else output * (size - 1) / (result - 1)
    if mode == "pytorch_half_pixel" and result == 1:
        return 0.0
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (output + 0.5) / scale - 0.5
    node.refuse(f"the coordinates {mode}", "half_pixel, asymmetric and align_corners are")


def _nearest(node: OnnxNode, value: ir.Value, axis: int, positions: Sequence[float]) -> ir.Value:
    rounding = _ROUNDINGS.get(node.attribute("nearest_mode", "round_prefer_floor"))
    if rounding is None:
        node.malformed("its nearest_mode is unknown")
    size = emit.static_shape_of(value)[axis]
    return _rows(value, axis, [max(0, min(size - 1, int(rounding(p)))) for p in positions])


def _linear(node: OnnxNode, value: ir.Value, axis: int, positions: Sequence[float]) -> ir.Value:
    shape = emit.static_shape_of(value)
    size = shape[axis]
    limited = [max(0.0, min(size - 1.0, p)) for p in positions]
    lower = [min(size - 1, math.floor(p)) for p in limited]
    upper = [min(size - 1, low + 1) for low in lower]
    shares = np.array([p - low for p, low in zip(limited, lower, strict=True)], np.float32)
    along = [len(positions) if i == axis else 1 for i in range(len(shape))]
    result = [len(positions) if i == axis else d for i, d in enumerate(shape)]
    parts = [
        emit.tosa_multiply(
            _rows(value, axis, rows), emit.tosa_constant(share.reshape(along)), result
        )
        for rows, share in ((lower, 1 - shares), (upper, shares))
    ]
    return tosa.AddOp(parts[0].type, *parts).result


def _rows(value: ir.Value, axis: int, rows: Sequence[int]) -> ir.Value:
    """Return these rows along an axis: runs of consecutive and of equal ones, put together."""
    shape = emit.static_shape_of(value)
    if list(rows) == list(range(shape[axis])):
        return value
    factor = len(rows) // shape[axis]
    if list(rows) == [i // factor for i in range(shape[axis] * factor)] and factor:
        split = (*shape[: axis + 1], 1, *shape[axis + 1 :])
        repeated = emit.tosa_concat([emit.tosa_reshape(value, split)] * factor, axis + 1)
        return emit.tosa_reshape(
            repeated, (*shape[:axis], shape[axis] * factor, *shape[axis + 1 :])
        )
    size = [1 if i == axis else d for i, d in enumerate(shape)]
    parts = [
        emit.tosa_slice(value, [r if i == axis else 0 for i in range(len(shape))], size)
        for r in rows
    ]
    return emit.tosa_concat(parts, axis)


@onnx_operator("DepthToSpace")
def depth_to_space(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower channels that become blocks of pixels."""
    block = int(node.attribute("blocksize", 1))
    value = node.operand(0).channels_last()
    n, h, w, c = emit.static_shape_of(value)
    rest = c // (block * block)
    if rest * block * block != c:
        node.malformed(f"{c} channels in blocks of {block}")
    if node.attribute("mode", "DCR") == "DCR":
        split = emit.tosa_reshape(value, (n, h, w, block, block, rest))
        moved = permuted(split, [0, 1, 3, 2, 4, 5])
    else:
        split = emit.tosa_reshape(value, (n, h, w, rest, block, block))
        moved = permuted(split, [0, 1, 4, 2, 5, 3])
    return [LaidOut(emit.tosa_reshape(moved, (n, h * block, w * block, rest)), last=True)]


@onnx_operator("SpaceToDepth")
def space_to_depth(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower blocks of pixels that become channels."""
    block = int(node.attribute("blocksize", 1))
    value = node.operand(0).channels_last()
    n, h, w, c = emit.static_shape_of(value)
    if h % block or w % block:
        node.malformed(f"an image of {h} x {w} in blocks of {block}")
    split = emit.tosa_reshape(value, (n, h // block, block, w // block, block, c))
    moved = permuted(split, [0, 1, 3, 2, 4, 5])
    shape = (n, h // block, w // block, c * block * block)
    return [LaidOut(emit.tosa_reshape(moved, shape), last=True)]
