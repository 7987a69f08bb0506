"""Derive how devices hold tensors from the layout changes that patterns insert after their calls.

%y = accel.call @accel.conv2d ...   : tensor<4x25x5x16xi8>     <- the device's layout
%t = tosa.transpose %y              : tensor<25x5x4x16xi8>
%r = tosa.reshape %t                : tensor<1x25x5x64xi8>     <- the operator's tensor
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlir import ir
from mlir.dialects import tosa

from forebay.ir.locations import ModelLocation, model_location_of
from forebay.ir.tosa_constants import shape_operand
from forebay.values.observed import Observed
from forebay.values.tensors import Elements, Layout


def device_layouts(partitioned: Observed) -> Mapping[ModelLocation, Layout]:
    """Return the layouts that the devices of a partitioned model use for tensors, by operator.

    A tensor without a layout change is left out.
    """
    origins = [tensor.origin for tensor in partitioned.tensors]
    found = zip(origins, map(_layout, partitioned.returned, origins), strict=True)
    return {origin: layout for origin, layout in found if layout is not None}


def _layout(value: ir.Value, origin: ModelLocation) -> Layout | None:
    changes: list[ir.OpView] = []
    owner: Any = value.owner
    while not isinstance(owner, ir.Block) and model_location_of(owner.location) == origin:
        op = owner.operation.opview
        if type(op) not in _CHANGES:
            break
        changes.append(op)
        value = op.operands[0]
        owner = value.owner
    if not changes:
        return None
    shape = tuple(ir.RankedTensorType(value.type).shape)
    elements = Layout.plain(shape).elements.reshape(shape)
    for op in reversed(changes):
        elements = _CHANGES[type(op)](op, elements)
    return Layout(shape, elements.reshape(-1))


def _reshape(op: tosa.ReshapeOp, elements: Elements) -> Elements:
    return elements.reshape(ir.RankedTensorType(op.output.type).shape)


def _transpose(op: tosa.TransposeOp, elements: Elements) -> Elements:
    return elements.transpose(list(op.perms))


def _slice(op: tosa.SliceOp, elements: Elements) -> Elements:
    starts = shape_operand(op.start)
    assert starts is not None  # the partitioner creates only constant starts
    sizes = ir.RankedTensorType(op.output.type).shape
    return elements[tuple(slice(b, b + n) for b, n in zip(starts, sizes, strict=True))]


_CHANGES: dict[type, Callable[[Any, Elements], Elements]] = {
    tosa.ReshapeOp: _reshape,
    tosa.SliceOp: _slice,
    tosa.TransposeOp: _transpose,
}
