"""Operators that change the shape, and the order of elements only where they must.

A value with channels last stays so where ONNX's result is the same sequence of elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from onnx import helper

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut, permuted
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator

document_onnx(
    *("Dropout", "Expand", "EyeLike", "Flatten", "Identity", "Reshape", "Shape", "Size", "Squeeze"),
    *("Transpose", "Unsqueeze"),
    types="all",
    limits="constant shapes and axes",
    golden="bits",
)


@onnx_operator("Identity", "Dropout")
def identity(node: OnnxNode) -> Sequence[LaidOut | NDArray[np.generic]]:
    """Return the operand, and the mask of Dropout; inference drops nothing."""
    if node.operator.kind == "Dropout" and node.has(2) and node.constant(2).any():
        ratio = float(node.constant(1).reshape(-1)[0]) if node.has(1) else 0.5
        if ratio > 0:
            node.refuse("training_mode", "export the network for inference")
    return [node.operand(0), np.ones(node.shape(0), np.bool_)]


@onnx_operator("Shape")
def shape(node: OnnxNode) -> Sequence[NDArray[np.generic]]:
    """Return the shape, which is known."""
    shape = node.shape(0)
    start, end = node.attribute("start", 0), node.attribute("end", len(shape))
    return [np.array(shape[start:end], np.int64)]


@onnx_operator("Size")
def size(node: OnnxNode) -> Sequence[NDArray[np.generic]]:
    """Return the number of elements, which is known."""
    return [np.array(math.prod(node.shape(0)), np.int64)]


@onnx_operator("EyeLike")
def eye_like(node: OnnxNode) -> Sequence[NDArray[np.generic]]:
    """Return ones on a diagonal and zeros elsewhere, which are known."""
    shape = node.shape(0)
    if len(shape) != 2:
        node.malformed(f"an operand of shape {list(shape)}, which is no matrix")
    code = node.attribute("dtype", None)
    dtype = node.dtype(0) if code is None else helper.tensor_dtype_to_np_dtype(int(code))
    return [np.eye(*shape, int(node.attribute("k", 0)), dtype=dtype)]


@onnx_operator("Flatten")
def flatten(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower to two dimensions."""
    shape = node.shape(0)
    axis = node.attribute("axis", 1)
    axis = len(shape) if axis == len(shape) else node.axis(axis, len(shape))
    return [_reshaped(node, (math.prod(shape[:axis]), math.prod(shape[axis:])))]


@onnx_operator("Reshape")
def reshape(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower to a constant shape: 0 keeps a size, -1 takes the rest."""
    shape, wanted = node.shape(0), node.integers(1)
    if not node.attribute("allowzero", 0):
        wanted = [shape[i] if d == 0 and i < len(shape) else d for i, d in enumerate(wanted)]
    if wanted.count(-1) == 1:
        known = math.prod(d for d in wanted if d != -1)
        wanted = [math.prod(shape) // max(1, known) if d == -1 else d for d in wanted]
    if math.prod(wanted) != math.prod(shape) or min([1, *wanted]) < 0:
        node.malformed(f"{list(shape)} does not reshape to {wanted}")
    return [_reshaped(node, tuple(wanted))]


@onnx_operator("Squeeze")
def squeeze(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the removal of sizes of 1."""
    shape = node.shape(0)
    axes = node.axes(1)
    removed = (
        {i for i, d in enumerate(shape) if d == 1}
        if axes is None
        else {node.axis(a, len(shape)) for a in axes}
    )
    if any(shape[a] != 1 for a in removed):
        node.malformed(f"the axes {sorted(removed)} of {list(shape)} are not all of size 1")
    return [_reshaped(node, tuple(d for i, d in enumerate(shape) if i not in removed))]


@onnx_operator("Unsqueeze")
def unsqueeze(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the insertion of sizes of 1."""
    shape, axes = list(node.shape(0)), node.axes(1) or []
    rank = len(shape) + len(axes)
    added = {node.axis(a, rank) for a in axes}
    rest = iter(shape)
    return [_reshaped(node, tuple(1 if i in added else next(rest) for i in range(rank)))]


@onnx_operator("Transpose")
def transpose(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a permutation; where the elements have the wanted order already, nothing moves."""
    operand = node.operand(0)
    shape = operand.shape
    rank = len(shape)
    order = [node.axis(p, rank) for p in node.attribute("perm", list(range(rank))[::-1])]
    if sorted(order) != list(range(rank)):
        node.malformed(f"{order} is no permutation of {rank} dimensions")
    if rank < 3:
        return [LaidOut(permuted(operand.logical(), order))]
    if operand.last:
        # Dimension p of ONNX is dimension `at[p]` of the value.
        at = [0, rank - 1, *range(1, rank - 1)]
        return [LaidOut(permuted(operand.value, [at[p] for p in order]))]
    if order == [0, rank - 1, *range(1, rank - 1)]:
        return [LaidOut(operand.logical(), last=True)]
    return [LaidOut(permuted(operand.logical(), order))]


@onnx_operator("Expand")
def expand(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower repetition along dimensions of size 1."""
    shape, wanted = node.shape(0), node.integers(1)
    try:
        result = np.broadcast_shapes(shape, tuple(wanted))
    except ValueError:
        node.malformed(f"{list(shape)} does not expand to {wanted}")
    value = emit.tosa_reshape(node.value(0), (1,) * (len(result) - len(shape)) + shape)
    for axis, (have, want) in enumerate(zip(emit.static_shape_of(value), result, strict=True)):
        if have != want:
            value = emit.tosa_concat([value] * want, axis)
    return [LaidOut(value)]


def _reshaped(node: OnnxNode, result: emit.Shape) -> LaidOut:
    """Return the operand in another shape; channels stay last where the sequence allows it."""
    operand = node.operand(0)
    shape = operand.shape
    if operand.last and len(result) == 2 and result == (shape[0], math.prod(shape[1:])):
        if math.prod(shape[2:]) == 1:
            return LaidOut(emit.tosa_reshape(operand.value, result))
        return LaidOut(emit.tosa_reshape(operand.value, result), packed=shape[1:])
    if operand.last and len(result) > 2 and result[:2] == shape[:2]:
        # Spatial dimensions may be joined or split after the channels.
        value = emit.tosa_reshape(operand.value, (shape[0], *result[2:], shape[1]))
        return LaidOut(value, last=True)
    return LaidOut(emit.tosa_reshape(operand.logical(), result))
