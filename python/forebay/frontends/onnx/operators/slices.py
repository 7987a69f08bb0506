"""Slice, Split, Concat and Tile: parts of tensors, and tensors put together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements, map_indexed
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode, stored_elements
from forebay.frontends.onnx.lowering.part import axis_with_channels_last, part_of
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

document_onnx(
    *("Concat", "QLinearConcat", "Slice", "Split", "Tile", "Trilu"),
    types="all",
    limits="constant positions and sizes",
    golden="bits",
)


@onnx_operator("Concat")
def concat(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower tensors one after the other along an axis."""
    known = [node.known(i) for i in range(node.arity)]
    operands = [node.operand(i) for i, data in enumerate(known) if data is None or data.size]
    shapes = [o.shape for o in operands]
    rank = len(shapes[0])
    axis = node.axis(int(node.attribute("axis", 0)), rank)
    others = {(*s[:axis], *s[axis + 1 :]) for s in shapes}
    if len(others) != 1 or any(len(s) != rank for s in shapes):
        node.malformed(f"operands of shapes {', '.join(str(list(s)) for s in shapes)}")
    if rank > 2 and any(o.last for o in operands):
        values = [o.channels_last() for o in operands]
        return [LaidOut(emit.tosa_concat(values, axis_with_channels_last(axis, rank)), last=True)]
    return [LaidOut(emit.tosa_concat([o.logical() for o in operands], axis))]


@onnx_operator("Split")
def split(node: OnnxNode) -> Sequence[LaidOut | NDArray[np.generic]]:
    """Lower consecutive parts along an axis."""
    shape = node.shape(0)
    axis = node.axis(int(node.attribute("axis", 0)), len(shape))
    count = len(node.operator.outputs)
    if node.has(1):
        sizes = node.integers(1)
    elif "split" in node.operator.attributes:
        sizes = list(node.attribute("split", []))
    else:
        size = -(-shape[axis] // count)
        sizes = [min(size, shape[axis] - i * size) for i in range(count)]
    if sum(sizes) != shape[axis] or len(sizes) != count or min(sizes) < 0:
        node.malformed(f"parts of {sizes} of {shape[axis]} elements")
    starts = [sum(sizes[:i]) for i in range(count)]
    return [
        part_of(node.operand(0), {axis: (start, size)})
        if size
        else np.zeros([0 if i == axis else d for i, d in enumerate(shape)], node.dtype(0))
        for start, size in zip(starts, sizes, strict=True)
    ]


@onnx_operator("Slice")
def slice_(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a range of each axis; steps other than 1 take single elements."""
    shape = node.shape(0)
    starts, ends = node.integers(1), node.integers(2)
    axes = node.integers(3) if node.has(3) else list(range(len(starts)))
    steps = node.integers(4) if node.has(4) else [1] * len(starts)
    parts: dict[int, range] = {}
    for given, start, end, step in zip(axes, starts, ends, steps, strict=True):
        axis = node.axis(given, len(shape))
        if step == 0:
            node.malformed("a step of 0")
        parts[axis] = range(*slice(start, _end(end, step), step).indices(shape[axis]))
    node.expect_size([len(parts.get(i, range(d))) for i, d in enumerate(shape)])
    simple = {axis: (r.start, len(r)) for axis, r in parts.items() if r.step == 1}
    value = part_of(node.operand(0), simple)
    stepped = {axis: r for axis, r in parts.items() if r.step != 1}
    return [_strided(value, stepped) if stepped else value]


def _end(end: int, step: int) -> int | None:
    """Return the end for Python, where -1 is the last element and none is before the first."""
    return None if step < 0 and end < -(1 << 30) else end


def _strided(operand: LaidOut, parts: dict[int, range]) -> LaidOut:
    value = operand.logical()
    shape = emit.static_shape_of(value)
    result = [len(parts[i]) if i in parts else d for i, d in enumerate(shape)]
    index = [
        ir.AffineExpr.get_dim(i) * parts[i].step + parts[i].start
        if i in parts
        else ir.AffineExpr.get_dim(i)
        for i in range(len(shape))
    ]
    if any(r.step < 0 for r in parts.values()):
        return LaidOut(_backwards(value, parts, result))
    # linalg infers extents from plain dimensions: the rows that are read, and no others.
    moved = map_indexed(
        [(_covered(value, parts), _steps(index, parts))],
        result,
        emit.element_of(value),
        lambda ins: ins[0],
    )
    return LaidOut(moved)


def _covered(value: ir.Value, parts: dict[int, range]) -> ir.Value:
    shape = emit.static_shape_of(value)
    starts = [parts[i].start if i in parts else 0 for i in range(len(shape))]
    ends = [parts[i][-1] + 1 if i in parts else d for i, d in enumerate(shape)]
    return emit.tosa_slice(value, starts, [e - s for s, e in zip(starts, ends, strict=True)])


def _steps(index: Sequence[ir.AffineExpr], parts: dict[int, range]) -> list[ir.AffineExpr]:
    return [
        ir.AffineExpr.get_dim(i) * parts[i].step if i in parts else expression
        for i, expression in enumerate(index)
    ]


def _backwards(value: ir.Value, parts: dict[int, range], result: Sequence[int]) -> ir.Value:
    """Reverse the rows that are read, then take every n-th."""
    forwards: dict[int, range] = {}
    for axis, r in parts.items():
        if r.step > 0:
            forwards[axis] = r
            continue
        value = tosa.ReverseOp(value.type, value, axis).result
        last = emit.static_shape_of(value)[axis] - 1
        forwards[axis] = range(last - r.start, last - r[-1] + 1, -r.step)
    strided = {a: r for a, r in forwards.items() if r.step != 1}
    simple = {a: (r.start, len(r)) for a, r in forwards.items() if r.step == 1}
    part = part_of(LaidOut(value), simple)
    return (_strided(part, strided) if strided else part).value


@onnx_operator("Trilu")
def trilu(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower matrices whose elements below or above a diagonal become 0."""
    value = node.value(0)
    shape = emit.static_shape_of(value)
    if len(shape) < 2:
        node.malformed(f"an operand of shape {list(shape)}, which is no matrix")
    diagonal = node.integers(1)[0] if node.has(1) else 0
    ones = np.ones(shape[-2:], np.bool_)
    kept = np.triu(ones, diagonal) if node.attribute("upper", 1) else np.tril(ones, diagonal)
    element = emit.element_of(value)
    fill = int(stored_elements(np.zeros(1, node.dtype(0)))[0])

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        return arith.SelectOp(ins[1], ins[0], scalar.scalar_constant(fill, element)).result

    mask = emit.tosa_constant(kept)
    return [LaidOut(map_elements([value, mask], shape, element, compute))]


@onnx_operator("Tile")
def tile(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower repetition along each axis."""
    value, counts = node.value(0), node.integers(1)
    shape = emit.static_shape_of(value)
    if len(counts) != len(shape) or min([1, *counts]) < 1:
        node.malformed(f"{counts} repetitions of {list(shape)}")
    result = [d * n for d, n in zip(shape, counts, strict=True)]
    kind = emit.tensor_type(result, emit.element_of(value))
    return [LaidOut(tosa.TileOp(kind, value, emit.tosa_shape(counts)).result)]
