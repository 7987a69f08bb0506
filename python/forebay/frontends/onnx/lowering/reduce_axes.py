"""Reductions over axes of ONNX, of values with their channels first or last."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode

Build = Callable[[ir.Value, list[int]], ir.Value]
"""Reduces dimensions of a value, which stay with size 1."""


def reduced_axes(node: OnnxNode) -> list[int]:
    """Return the axes of a reduction, all where none are given; operand 1 or an attribute."""
    rank = len(node.shape(0))
    given = node.axes(1)
    if not given and node.attribute("noop_with_empty_axes", 0):
        return []
    return sorted({node.axis(a, rank) for a in given or range(rank)})


def reduce_axes(node: OnnxNode, axes: list[int], build: Build) -> LaidOut:
    """Return operand 0 reduced over axes of ONNX."""
    operand = node.operand(0)
    shape = operand.shape
    rank = len(shape)
    keeps = bool(node.attribute("keepdims", 1))
    result = [1 if i in axes else d for i, d in enumerate(shape) if keeps or i not in axes]
    if operand.last:
        # What is left without the channels, or the channels alone, has one order.
        value = build(operand.value, sorted(_last_axis(a, rank) for a in axes))
        if keeps:
            return LaidOut(value, last=True)
        if 1 in axes or set(range(2, rank)) <= set(axes):
            return LaidOut(emit.tosa_reshape(value, result))
    return LaidOut(emit.tosa_reshape(build(operand.logical(), axes), result))


def _last_axis(axis: int, rank: int) -> int:
    """Return the dimension of a value with channels last."""
    return rank - 1 if axis == 1 else max(0, axis - 1)
