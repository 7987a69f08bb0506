"""MEAN over constant axes.

    int8, int16: [reshape] -> rescale (i32: x - zero point) -> reduce_sum -> rescale -> [reshape]
    float32:     [reshape] -> reduce_sum -> mul by 1/n -> [reshape]

The first reshape merges adjacent reduced dimensions, so that [1, 7, 7, c] over height and width
needs one reduce_sum: [1, 49, c] -> [1, 1, c]. Axes that are not adjacent need one reduce_sum each.
The multiplier includes 1/n as in TFLite: it is shifted left by log2(n) and divided by n.
Source: TFLite `reference/reduce.h`, `QuantizedMeanOrSum`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from mlir import ir

from forebay.frontends.tflite.file.options import OperatorOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.quantize import IDENTITY, Multiplier
from forebay.frontends.tflite.lowering.registry import document, operator


class ReducerOptions(OperatorOptions, frozen=True):
    """MEAN."""

    keep_dims: bool


_I8, _F32, _I32 = ElementType.INT8, ElementType.FLOAT32, ElementType.INT32
_I16 = ElementType.INT16

document(
    "MEAN",
    types="int8, int16, float32",
    limits="constant axes",
    becomes="[`reshape`], `rescale`, `reduce_sum`, `rescale`, [`reshape`]",
    exact="int8, int16",
)


@operator("MEAN", newest_version=3)
def mean(node: Node) -> Sequence[ir.Value]:
    """Lower the mean over the axes of operand 1."""
    node.expect_operands(2)
    node.expect_types((_I8, _I32, _I8), (_I16, _I32, _I16), (_F32, _I32, _F32))
    if node.output.type is not _F32:
        return [quantised_sum(node, is_mean=True)]
    shape, merged, axes, reduced = _merged(node)
    value = _reduce(emit.tosa_reshape(node.value(0), merged), reduced)
    value = _scale_float(value, math.prod(shape[a] for a in axes))
    return [emit.tosa_reshape(value, _result(node, shape, axes))]


def quantised_sum(node: Node, *, is_mean: bool) -> ir.Value:
    """Build the rescaled sum of int8 or int16 over the axes, or the mean."""
    node.expect_operands(2)
    node.expect_types((_I8, _I32, _I8), (_I16, _I32, _I16))
    shape, merged, axes, reduced = _merged(node)
    count = math.prod(shape[a] for a in axes)
    value = emit.tosa_reshape(node.value(0), merged)
    source, target = node.quantization(node.input(0)), node.quantization(node.output)
    wide = emit.tosa_rescale(value, emit.signless(32), [IDENTITY], input_zp=source.zero_point)
    real = source.scale / target.scale
    factor = _divide(node.multiplier(real), count) if is_mean else node.multiplier(real)
    largest = DIFFERENCE if node.output.type is _I8 else 1 << 15
    node.expect_reach(factor, largest * count, real)
    value = emit.tosa_rescale(
        _reduce(wide, reduced),
        emit.mlir_type_of(node.output.type),
        [factor],
        output_zp=target.zero_point,
    )
    return emit.tosa_reshape(value, _result(node, shape, axes))


def _merged(node: Node) -> tuple[emit.Shape, list[int], set[int], list[int]]:
    """Return the shape, it with runs of reduced dimensions merged, and the axes of both."""
    shape = node.shape(0)
    axes = _axes(node, len(shape))
    merged, reduced = _merge(shape, axes)
    return shape, merged, axes, reduced


def _result(node: Node, shape: emit.Shape, axes: set[int]) -> list[int]:
    keep = node.options(ReducerOptions).keep_dims
    return [1 if i in axes else d for i, d in enumerate(shape) if keep or i not in axes]


def _axes(node: Node, rank: int) -> set[int]:
    axes = node.integers(1)
    if not axes or any(not -rank <= a < rank for a in axes):
        node.malformed(f"the axes {axes} are not those of a tensor of rank {rank}")
    return {a % rank for a in axes}


def _merge(shape: Sequence[int], axes: set[int]) -> tuple[list[int], list[int]]:
    """Return the shape with runs of reduced dimensions merged, and the reduced dimensions in it."""
    merged: list[int] = []
    reduced: list[int] = []
    for is_reduced, run in itertools.groupby(range(len(shape)), lambda i: i in axes):
        sizes = [shape[i] for i in run]
        if is_reduced:
            reduced.append(len(merged))
            merged.append(math.prod(sizes))
        else:
            merged.extend(sizes)
    return merged, reduced


def _reduce(value: ir.Value, axes: list[int]) -> ir.Value:
    for axis in axes:
        value = emit.tosa_reduce_sum(value, axis)
    return value


def _divide(multiplier: Multiplier, count: int) -> Multiplier:
    shift = min(count.bit_length() - 1, 32, 31 + multiplier.exponent)
    return Multiplier((multiplier.significand << shift) // count, multiplier.exponent - shift)


def _scale_float(value: ir.Value, count: int) -> ir.Value:
    shape = emit.static_shape_of(value)
    factor = emit.tosa_constant(np.full((1,) * len(shape), 1.0 / count, np.float32))
    return emit.tosa_multiply(value, factor, shape)
