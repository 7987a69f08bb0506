"""`tensor`: tensors are values, so an op that changes one returns a new one."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tensor

from forebay.reference.errors import UnsupportedError
from forebay.reference.program import Scope
from forebay.reference.registry import (
    Action,
    Frame,
    Function,
    function,
    rule,
)
from forebay.reference.slices import Slice
from forebay.reference.types import Array, dtype_of, shape_of


@rule(tensor.EmptyOp)
def empty(op: tensor.EmptyOp, scope: Scope) -> Action:
    """Return a tensor with unspecified elements."""
    type_ = op.results[0].type
    sizes, result, dtype = scope.slots(op.operands), scope.slot(op.results[0]), dtype_of(type_, op)
    shape = shape_of(type_)

    def action(frame: Frame) -> None:
        dynamic = iter([int(frame[slot]) for slot in sizes])
        known = (
            next(dynamic) if ir.ShapedType.is_dynamic_size(extent) else extent for extent in shape
        )
        frame[result] = np.zeros(tuple(known), dtype)

    return action


@rule(tensor.ExtractSliceOp)
def extract_slice(op: tensor.ExtractSliceOp, scope: Scope) -> Action:
    """Return the block in the shape of the result."""
    source, result, part = scope.slot(op.source), scope.slot(op.results[0]), Slice.of(op, scope)
    kept = part.kept(op.results[0].type)

    def action(frame: Frame) -> None:
        block = frame[source][part.index(frame, frame[source].shape)]
        frame[result] = np.ascontiguousarray(block.reshape([block.shape[axis] for axis in kept]))

    return action


@rule(tensor.InsertSliceOp, tensor.ParallelInsertSliceOp)
def insert_slice(op: Any, scope: Scope) -> Action:
    """Return a copy of the destination with the block inserted."""
    source, dest, result = scope.slot(op.source), scope.slot(op.dest), scope.slot(op.results[0])
    part = Slice.of(op, scope)

    def action(frame: Frame) -> None:
        whole = frame[dest].copy()
        index = part.index(frame, whole.shape)
        whole[index] = frame[source].reshape(whole[index].shape)
        frame[result] = whole

    return action


@function(tensor.ExtractOp)
def extract(op: tensor.ExtractOp) -> Function:
    """Return one element; arrays of indices give an array."""

    def element(whole: Array, *indices: Any) -> Any:
        return _at(op, whole, indices)

    return element


def _at(op: Any, whole: Array, indices: tuple[Any, ...]) -> Any:
    for index, extent in zip(indices, whole.shape, strict=True):
        if np.any(np.less(index, 0) | np.greater_equal(index, extent)):
            raise UnsupportedError(op, "reads an element outside of its operand")
    return whole[indices]


@function(tensor.InsertOp)
def insert(op: tensor.InsertOp) -> Function:
    """Return a copy with one element replaced."""

    def inserted(value: Any, whole: Array, *indices: Any) -> Array:
        result = whole.copy()
        result[tuple(int(index) for index in indices)] = value
        return result

    return inserted


@function(tensor.ExpandShapeOp, tensor.CollapseShapeOp)
def reshape(op: Any) -> Function:
    """Return the same elements in order."""
    shape = shape_of(op.results[0].type)
    if any(map(ir.ShapedType.is_dynamic_size, shape)):
        raise UnsupportedError(op, "has a dynamic shape")

    def view(whole: Array, *sizes: Any) -> Array:
        return whole.reshape(shape)

    return view


@function(tensor.CastOp)
def cast(op: tensor.CastOp) -> Function:
    """Return the same tensor."""
    return lambda whole: whole


@function(tensor.DimOp)
def dim(op: tensor.DimOp) -> Function:
    """Return the size of an axis."""
    return lambda whole, axis: np.int64(whole.shape[int(axis)])


@function(tensor.SplatOp)
def splat(op: tensor.SplatOp) -> Function:
    """Return a tensor filled with one value."""
    type_ = op.results[0].type

    def full(value: Any, *sizes: Any) -> Array:
        return np.full(shape_of(type_), value, dtype_of(type_, op))

    return full


@function(tensor.FromElementsOp)
def from_elements(op: tensor.FromElementsOp) -> Function:
    """Return a tensor of the operands in order."""
    type_ = op.results[0].type

    def listed(*values: Any) -> Array:
        return np.array(values, dtype_of(type_, op)).reshape(shape_of(type_))

    return listed


@function(tensor.ConcatOp)
def concat(op: tensor.ConcatOp) -> Function:
    """Concatenate tensors along an axis."""
    axis = ir.IntegerAttr(op.operation.attributes["dim"]).value

    def joined(*parts: Any) -> Array:
        return np.concatenate(parts, axis)

    return joined


@function(tensor.BitcastOp)
def bitcast(op: tensor.BitcastOp) -> Function:
    """Reinterpret the bits as another type."""
    dtype = dtype_of(op.results[0].type, op)
    return lambda whole: whole.view(dtype)


@rule(tensor.GenerateOp)
def generate(op: tensor.GenerateOp, scope: Scope) -> Action:
    """Run the body for all indices at once."""
    type_ = op.results[0].type
    shape, dtype, result = shape_of(type_), dtype_of(type_, op), scope.slot(op.results[0])
    if any(map(ir.ShapedType.is_dynamic_size, shape)):
        raise UnsupportedError(op, "has a dynamic shape")
    body = scope.body(op.operation.regions[0])

    def action(frame: Frame) -> None:
        (value,) = body.run(frame, list(np.indices(shape, sparse=True)))
        frame[result] = np.broadcast_to(value, shape).astype(dtype)

    return action


@rule(tensor.PadOp)
def pad(op: tensor.PadOp, scope: Scope) -> Action:
    """Add a border whose elements the body computes from their indices."""
    type_, source, result = op.results[0].type, scope.slot(op.source), scope.slot(op.results[0])
    shape, dtype = shape_of(type_), dtype_of(type_, op)
    low = list(op.operation.attributes["static_low"])
    if any(map(ir.ShapedType.is_dynamic_size, (*shape, *low))):
        raise UnsupportedError(op, "has a dynamic shape")
    body = scope.body(op.operation.regions[0])

    def action(frame: Frame) -> None:
        (value,) = body.run(frame, list(np.indices(shape, sparse=True)))
        whole = np.broadcast_to(value, shape).astype(dtype)
        inner = frame[source]
        whole[tuple(slice(a, a + n) for a, n in zip(low, inner.shape, strict=True))] = inner
        frame[result] = whole

    return action
