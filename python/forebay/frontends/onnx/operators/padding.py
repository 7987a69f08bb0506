"""Pad: a border of one value, of mirrored, of repeated or of opposite elements.

A constant border is one `tosa.pad`. Others are put together along one axis after the other, so the
corners hold borders of borders, as ONNX defines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode, onnx_element, stored_elements
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator

document_onnx(
    "Pad",
    types="all; constant: int8, uint8, int32, float32",
    limits="constant sizes; no more mirrored or opposite elements than there are",
    golden="bits",
)


@onnx_operator("Pad")
def pad(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a border; a negative size cuts elements."""
    operand = node.operand(0)
    shape = operand.shape
    order = [0, *range(2, len(shape)), 1] if operand.last else list(range(len(shape)))
    amounts = _amounts(node, shape)
    pairs = [amounts[p] for p in order]
    value = _cut(node, operand.value if operand.last else operand.logical(), pairs)
    grown = [(max(0, before), max(0, after)) for before, after in pairs]
    mode = node.attribute("mode", "constant")
    if mode == "constant":
        return [LaidOut(_constant(node, value, grown), last=operand.last)]
    border = _BORDERS.get(mode)
    if border is None:
        node.refuse(f"the mode {mode}", f"constant, {', '.join(_BORDERS)} are supported")
    for axis, (before, after) in enumerate(grown):
        if before or after:
            value = border(node, value, axis, (before, after))
    return [LaidOut(value, last=operand.last)]


def _amounts(node: OnnxNode, shape: Sequence[int]) -> list[tuple[int, int]]:
    axes = node.integers(3) if node.has(3) else list(range(len(shape)))
    given = node.integers(1)
    if len(given) != 2 * len(axes):
        node.malformed(f"{len(given)} paddings of {len(axes)} axes")
    amounts = [(0, 0)] * len(shape)
    for i, axis in enumerate(axes):
        amounts[node.axis(axis, len(shape))] = (given[i], given[len(axes) + i])
    node.expect_size([max(0, d + sum(pair)) for d, pair in zip(shape, amounts, strict=True)])
    return amounts


def _cut(node: OnnxNode, value: ir.Value, pairs: Sequence[tuple[int, int]]) -> ir.Value:
    shape = emit.static_shape_of(value)
    starts = [max(0, -before) for before, _ in pairs]
    sizes = [d - s - max(0, -after) for d, s, (_, after) in zip(shape, starts, pairs, strict=True)]
    node.expect_size([max(0, size) for size in sizes])
    return emit.tosa_slice(value, starts, sizes)


def _constant(node: OnnxNode, value: ir.Value, pairs: Sequence[tuple[int, int]]) -> ir.Value:
    if not any(map(sum, pairs)):
        return value
    dtype = node.dtype(0)
    fill = node.constant(2).reshape(-1)[:1] if node.has(2) else np.zeros(1, dtype)
    element = onnx_element(dtype)
    if element is None or dtype.name not in ("float32", "int8", "uint8", "int32"):
        node.refuse(f"data of {dtype.name}", "int8, uint8, int32 and float32 are supported")
    shape = emit.static_shape_of(value)
    return tosa.PadOp(
        emit.tensor_type([d + sum(p) for d, p in zip(shape, pairs, strict=True)], element),
        value,
        emit.tosa_shape([amount for pair in pairs for amount in pair]),
        emit.tosa_constant(stored_elements(fill.astype(dtype))),
    ).result


def _reflected(node: OnnxNode, value: ir.Value, axis: int, amounts: tuple[int, int]) -> ir.Value:
    """Mirror at the first and the last element, which are not repeated."""
    size = emit.static_shape_of(value)[axis]
    _expect_elements(node, amounts, size - 1)
    before, after = amounts
    parts = [_reversed(_part(value, axis, 1, before), axis)] if before else []
    parts.append(value)
    parts += [_reversed(_part(value, axis, size - 1 - after, after), axis)] if after else []
    return emit.tosa_concat(parts, axis)


def _repeated(node: OnnxNode, value: ir.Value, axis: int, amounts: tuple[int, int]) -> ir.Value:
    """Repeat the first and the last element."""
    del node
    last = emit.static_shape_of(value)[axis] - 1
    first, end = (_part(value, axis, at, 1) for at in (0, last))
    return emit.tosa_concat([*[first] * amounts[0], value, *[end] * amounts[1]], axis)


def _wrapped(node: OnnxNode, value: ir.Value, axis: int, amounts: tuple[int, int]) -> ir.Value:
    """Go on with the elements of the other end."""
    size = emit.static_shape_of(value)[axis]
    _expect_elements(node, amounts, size)
    before, after = amounts
    parts = [_part(value, axis, size - before, before)] if before else []
    parts += [value, *([_part(value, axis, 0, after)] if after else [])]
    return emit.tosa_concat(parts, axis)


_Border = Callable[[OnnxNode, ir.Value, int, tuple[int, int]], ir.Value]
_BORDERS: dict[str, _Border] = {"edge": _repeated, "reflect": _reflected, "wrap": _wrapped}


def _expect_elements(node: OnnxNode, amounts: tuple[int, int], available: int) -> None:
    if max(amounts) > available:
        node.refuse(f"{max(amounts)} elements of a border from {available}", "pad less, twice")


def _part(value: ir.Value, axis: int, start: int, size: int) -> ir.Value:
    shape = list(emit.static_shape_of(value))
    shape[axis] = size
    return emit.tosa_slice(value, [start if i == axis else 0 for i in range(len(shape))], shape)


def _reversed(value: ir.Value, axis: int) -> ir.Value:
    return tosa.ReverseOp(value.type, value, axis).result
