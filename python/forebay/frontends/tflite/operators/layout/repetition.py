"""BROADCAST_TO, TILE, FILL, REVERSE_V2 and MIRROR_PAD: elements again, or in another order.

BROADCAST_TO, MIRROR_PAD  linalg.generic | slice, reverse, concat
TILE, REVERSE_V2          tile | reverse
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator


class MirrorPadOptions(OperatorOptions, frozen=True):
    """MIRROR_PAD."""

    mode: SchemaInt8


_REFLECT = 0

document(
    "BROADCAST_TO",
    "TILE",
    "FILL",
    "REVERSE_V2",
    "MIRROR_PAD",
    types="all below",
    limits="constant shapes, axes and paddings",
    becomes="`linalg.generic`, `tile`, a constant, `reverse`, or `slice`s, `reverse`s, `concat`",
    exact="yes",
    golden="TFLite Micro; TILE: LiteRT",
)


@operator("BROADCAST_TO", newest_version=3)
def broadcast_to(node: Node) -> Sequence[ir.Value]:
    """Repeat dimensions of size 1 up to the shape of operand 1."""
    node.expect_operands(2)
    _check(node)
    shape = tuple(node.integers(1))
    own = node.shape(0)
    try:
        fits = np.broadcast_shapes(own, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        node.malformed(f"{list(own)} does not broadcast to {list(shape)}")
    node.expect_size(shape)
    value = node.value(0)
    return [map_elements([value], shape, emit.element_of(value), lambda ins: ins[0])]


@operator("TILE", newest_version=3)
def tile(node: Node) -> Sequence[ir.Value]:
    """Repeat the tensor along each dimension."""
    node.expect_operands(2)
    _check(node)
    shape, multiples = node.shape(0), node.integers(1)
    if len(multiples) != len(shape) or any(n < 1 for n in multiples):
        node.malformed(f"multiples {multiples} of {list(shape)}")
    result = [d * n for d, n in zip(shape, multiples, strict=True)]
    node.expect_size(result)
    value = node.value(0)
    kind = emit.tensor_type(result, emit.element_of(value))
    return [tosa.TileOp(kind, value, emit.tosa_shape(multiples)).result]


@operator("FILL", newest_version=4)
def fill(node: Node) -> Sequence[ir.Value | NDArray[np.generic]]:
    """Repeat a number; a constant one gives a constant."""
    node.expect_operands(2)
    node.expect_same_types(1)
    shape = tuple(node.integers(0))
    node.expect_size(shape)
    value = emit.tosa_reshape(node.value(1), (1,) * len(shape))
    return [map_elements([value], shape, emit.element_of(value), lambda ins: ins[0])]


@operator("REVERSE_V2", newest_version=3)
def reverse_v2(node: Node) -> Sequence[ir.Value]:
    """Reverse the order along axes."""
    node.expect_operands(2)
    _check(node)
    value = node.value(0)
    for axis in node.integers(1):
        value = _reversed(value, node.axis(axis, len(node.shape(0))))
    return [value]


@operator("MIRROR_PAD", newest_version=3)
def mirror_pad(node: Node) -> Sequence[ir.Value]:
    """Pad with the elements inside of the border in reverse order, with the border or without."""
    node.expect_operands(2)
    _check(node)
    paddings = np.asarray(node.constant(1), np.int64)
    shape = node.shape(0)
    skipped = 1 if node.options(MirrorPadOptions).mode == _REFLECT else 0
    most = np.array(shape)[:, None] - skipped
    if paddings.shape != (len(shape), 2) or (paddings < 0).any() or (paddings > most).any():
        node.malformed(f"the paddings {paddings.tolist()} do not fit the shape {list(shape)}")
    value = node.value(0)
    for axis, (before, after) in enumerate(paddings.tolist()):
        size = shape[axis]
        parts = [
            *([_reversed(_part(value, axis, skipped, before), axis)] if before else []),
            value,
            *(
                [_reversed(_part(value, axis, size - skipped - after, after), axis)]
                if after
                else []
            ),
        ]
        value = emit.tosa_concat(parts, axis)
    return [value]


def _check(node: Node) -> None:
    node.expect_same_types()
    node.expect_same_quantization()


def _part(value: ir.Value, axis: int, start: int, size: int) -> ir.Value:
    shape = emit.static_shape_of(value)
    starts = [start if i == axis else 0 for i in range(len(shape))]
    return emit.tosa_slice(value, starts, [size if i == axis else d for i, d in enumerate(shape)])


def _reversed(value: ir.Value, axis: int) -> ir.Value:
    if emit.static_shape_of(value)[axis] == 1:
        return value
    return tosa.ReverseOp(value.type, value, axis).result
