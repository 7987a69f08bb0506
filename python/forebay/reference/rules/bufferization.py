"""Tensors of buffers, and tensors that bufferization will give a buffer."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import bufferization

from forebay.reference.errors import UnsupportedError
from forebay.reference.program import Scope
from forebay.reference.registry import (
    Action,
    Frame,
    Function,
    function,
    rule,
)
from forebay.reference.types import Array, dtype_of, shape_of


@function(bufferization.ToTensorOp)
def to_tensor(op: bufferization.ToTensorOp) -> Function:
    """Return a copy of the buffer's current elements."""
    return lambda buffer: buffer.copy()


@function(bufferization.AllocTensorOp)
def alloc_tensor(op: bufferization.AllocTensorOp) -> Function:
    """Return the tensor to copy, or a tensor with unspecified elements."""
    type_ = op.results[0].type
    if any(map(ir.ShapedType.is_dynamic_size, shape_of(type_))):
        raise UnsupportedError(op, "has a dynamic shape")
    has_copy = op.copy is not None

    def made(*operands: Any) -> Array:
        return operands[-1] if has_copy else np.zeros(shape_of(type_), dtype_of(type_, op))

    return made


@rule(bufferization.MaterializeInDestinationOp)
def materialize(op: bufferization.MaterializeInDestinationOp, scope: Scope) -> Action:
    """Return the tensor, or copy it to the destination if that is a buffer."""
    source, dest = scope.slot(op.source), scope.slot(op.dest)
    results = scope.slots(op.results)

    def action(frame: Frame) -> None:
        if results:
            frame[results[0]] = frame[source]
        else:
            np.copyto(frame[dest], frame[source])

    return action
