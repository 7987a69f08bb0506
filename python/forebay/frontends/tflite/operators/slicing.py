"""SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK: `tosa.slice`; a reshape removes dimensions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from mlir import ir

from forebay.frontends.elementwise import moved
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt32
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Result, document, operator


class SplitOptions(OperatorOptions, frozen=True):
    """SPLIT."""

    num_splits: SchemaInt32


class StridedSliceOptions(OperatorOptions, frozen=True):
    """STRIDED_SLICE."""

    begin_mask: SchemaInt32
    end_mask: SchemaInt32
    ellipsis_mask: SchemaInt32
    new_axis_mask: SchemaInt32
    shrink_axis_mask: SchemaInt32
    offset: bool


class UnpackOptions(OperatorOptions, frozen=True):
    """UNPACK."""

    num: SchemaInt32
    axis: SchemaInt32


document(
    "SLICE",
    "STRIDED_SLICE",
    "SPLIT",
    "SPLIT_V",
    "UNPACK",
    types="all below",
    limits="constant bounds; no ellipsis, no new axis",
    becomes="`slice`s, [`linalg.generic` for strides], [`reshape`]",
    exact="yes",
)


@operator("SLICE", newest_version=6)
def slice_(node: Node) -> Sequence[Result]:
    """Take `size` elements from `begin` on; a size of -1 takes all that are left.

    A slice without elements is a constant, which CONCATENATION leaves out.
    """
    node.expect_operands(3)
    _check(node)
    shape = node.shape(0)
    begin, size = node.integers(1), node.integers(2)
    if len(begin) != len(shape) or len(size) != len(shape):
        node.malformed(f"begin {begin} and size {size} do not fit the shape {list(shape)}")
    size = [d - b if s == -1 else s for b, s, d in zip(begin, size, shape, strict=True)]
    _check_inside(node, begin, size)
    if 0 in size:
        return [np.zeros(size, node.output.type.value)]
    return [emit.tosa_slice(node.value(0), begin, size)]


@operator("STRIDED_SLICE", newest_version=8)
def strided_slice(node: Node) -> Sequence[Result]:
    """Slice as Python does; a bit of `shrink_axis_mask` takes one element."""
    node.expect_operands(4)
    _check(node)
    options = node.options(StridedSliceOptions)
    if options.ellipsis_mask or options.new_axis_mask or options.offset:
        node.refuse("an ellipsis, a new axis or an offset", "slice with begin and end alone")
    shape = node.shape(0)
    begin, end, strides = node.integers(1), node.integers(2), node.integers(3)
    if len({len(begin), len(end), len(strides)}) > 1 or len(begin) > len(shape):
        node.malformed(f"begin, end and strides do not fit the shape {list(shape)}")
    if any(s == 0 for s in strides):
        node.malformed("it has a stride of 0")
    starts, spans, steps, kept = [0] * len(shape), list(shape), [1] * len(shape), list(shape)
    for i in range(len(begin)):
        if options.shrink_axis_mask >> i & 1 and not -shape[i] <= begin[i] < shape[i]:
            node.malformed(f"index {begin[i]} is outside dimension {i} of {list(shape)}")
        taken = slice(
            None if options.begin_mask >> i & 1 else begin[i],
            None if options.end_mask >> i & 1 else end[i],
            strides[i],
        )
        start, stop, step = taken.indices(shape[i])
        if options.shrink_axis_mask >> i & 1:
            start, stop, step = begin[i] % shape[i], begin[i] % shape[i] + 1, 1
        lowest, highest = (start, stop) if step > 0 else (stop + 1, start + 1)
        starts[i], spans[i], steps[i] = lowest, highest - lowest, step
        kept[i] = len(range(start, stop, step))
    shrunk = [options.shrink_axis_mask >> i & 1 for i in range(len(shape))]
    left = [s for i, s in enumerate(kept) if not shrunk[i]]
    if 0 in kept:
        return [np.zeros(left, node.output.type.value)]
    _check_inside(node, starts, spans)
    cut = _every(emit.tosa_slice(node.value(0), starts, spans), steps)
    return [emit.tosa_reshape(cut, left)]


def _every(value: ir.Value, steps: Sequence[int]) -> ir.Value:
    """Return every element at a multiple of the steps, by one map; steps of 1 build no op.

    A negative step begins at the last element.
    """
    shape = emit.static_shape_of(value)
    if all(step == 1 for step in steps):
        return value
    result = [-(-d // abs(step)) for d, step in zip(shape, steps, strict=True)]
    dimensions = [ir.AffineExpr.get_dim(i) for i in range(len(shape))]
    index = [
        d * step + (0 if step > 0 else size - 1)
        for d, step, size in zip(dimensions, steps, shape, strict=True)
    ]
    return moved(value, index, result)


@operator("SPLIT", newest_version=4)
def split(node: Node) -> Sequence[ir.Value]:
    """Split into equal parts along the axis of operand 0."""
    parts = node.options(SplitOptions).num_splits
    node.expect_operands(2, results=parts)
    if parts < 1:
        node.malformed(f"it has {parts} results")
    _check(node, data=1)
    shape = node.shape(1)
    axis = node.axis(node.integer(0), len(shape))
    if shape[axis] % parts != 0:
        node.malformed(f"{shape[axis]} elements do not split into {parts} equal parts")
    return _parts(node, 1, axis, shape[axis] // parts)


@operator("SPLIT_V", newest_version=2)
def split_v(node: Node) -> Sequence[ir.Value]:
    """Split into parts of the sizes in operand 1 along the axis of operand 2; -1 is the rest."""
    node.expect_operands(3, results=max(1, len(node.outputs)))
    _check(node)
    shape = node.shape(0)
    axis = node.axis(node.integer(2), len(shape))
    sizes = node.integers(1)
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = shape[axis] - sum(s for s in sizes if s != -1)
    if len(sizes) != len(node.outputs) or min(sizes, default=0) < 1 or sum(sizes) != shape[axis]:
        node.malformed(f"{shape[axis]} elements do not split into parts of {sizes}")
    starts = [0, *itertools.accumulate(sizes)]
    return [_part(node, 0, axis, start, s) for start, s in zip(starts, sizes, strict=False)]


@operator("UNPACK", newest_version=4)
def unpack(node: Node) -> Sequence[ir.Value]:
    """Return every element along an axis, without that axis."""
    options = node.options(UnpackOptions)
    node.expect_operands(1, results=options.num)
    if options.num < 1:
        node.malformed(f"it has {options.num} results")
    _check(node)
    shape = node.shape(0)
    axis = node.axis(options.axis, len(shape))
    if shape[axis] != options.num:
        node.malformed(f"{shape[axis]} elements do not unpack into {options.num}")
    rest = (*shape[:axis], *shape[axis + 1 :])
    return [emit.tosa_reshape(part, rest) for part in _parts(node, 0, axis, 1)]


def _check(node: Node, data: int = 0) -> None:
    node.expect_same_types(data)
    node.expect_same_quantization()


def _check_inside(node: Node, start: Sequence[int], size: Sequence[int]) -> None:
    shape = node.shape(0)
    inside = all(
        b >= 0 and s >= 0 and b + s <= d for b, s, d in zip(start, size, shape, strict=True)
    )
    if not inside:
        node.malformed(f"the slice at {list(start)} of {list(size)} is not inside {list(shape)}")


def _parts(node: Node, index: int, axis: int, size: int) -> list[ir.Value]:
    starts = range(0, node.shape(index)[axis], size)
    return [_part(node, index, axis, start, size) for start in starts]


def _part(node: Node, index: int, axis: int, start: int, size: int) -> ir.Value:
    shape = node.shape(index)
    sizes = [size if i == axis else d for i, d in enumerate(shape)]
    starts = [start if i == axis else 0 for i in range(len(shape))]
    return emit.tosa_slice(node.value(index), starts, sizes)
