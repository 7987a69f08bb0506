"""Buffers: arrays that are written in place, and views that share their memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref

from forebay.dialects import memref_pool
from forebay.reference.attributes import elements_of
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


@rule(memref.AllocOp, memref.AllocaOp, memref_pool.AllocOp)
def allocate(op: Any, scope: Scope) -> Action:
    """Return a new buffer with unspecified elements."""
    type_ = op.results[0].type
    sizes, result, dtype = scope.slots(op.operands), scope.slot(op.results[0]), dtype_of(type_, op)
    shape = shape_of(type_)

    def action(frame: Frame) -> None:
        dynamic = iter([int(frame[slot]) for slot in sizes])
        known = (next(dynamic) if ir.ShapedType.is_dynamic_size(n) else n for n in shape)
        frame[result] = np.zeros(tuple(known), dtype)

    return action


@rule(memref.DeallocOp)
def deallocate(op: memref.DeallocOp, scope: Scope) -> Action:
    """Do nothing: an array is freed when nothing refers to it."""
    return lambda frame: None


@rule(memref.GetGlobalOp)
def global_(op: memref.GetGlobalOp, scope: Scope) -> Action:
    """Return the buffer of a symbol; a program that verifies does not write a constant one."""
    name, result, program = op.name.value, scope.slot(op.results[0]), scope.program
    declared = program.symbols[name]
    value = declared.attributes.get("initial_value", None)
    type_ = op.results[0].type
    if isinstance(value, ir.DenseElementsAttr):
        initial = elements_of(value, type_, op)
    else:
        initial = np.zeros(shape_of(type_), dtype_of(type_, op))

    def action(frame: Frame) -> None:
        if name not in program.variables:
            program.variables[name] = initial.copy()
        frame[result] = program.variables[name]

    return action


@rule(memref.CopyOp, memref_pool.CopyOp)
def copy(op: Any, scope: Scope) -> Action:
    """Copy the elements of one buffer to the other; on tensors, return the source's elements."""
    source, target = scope.slots(op.operands)
    results = scope.slots(op.results)

    def action(frame: Frame) -> None:
        if results:
            frame[results[0]] = frame[source].reshape(frame[target].shape)
        else:
            np.copyto(frame[target], frame[source])

    return action


@rule(memref.SubViewOp)
def subview(op: memref.SubViewOp, scope: Scope) -> Action:
    """Return a block of a buffer."""
    source, result, part = scope.slot(op.source), scope.slot(op.results[0]), Slice.of(op, scope)
    kept = part.kept(op.results[0].type)

    def action(frame: Frame) -> None:
        block = frame[source][part.index(frame, frame[source].shape)]
        dropped = tuple(axis for axis in range(block.ndim) if axis not in kept)
        frame[result] = block.squeeze(dropped)

    return action


@function(memref.ExpandShapeOp, memref.CollapseShapeOp)
def reshape(op: Any) -> Function:
    """Return a view of the same elements in order, never a copy."""
    shape = shape_of(op.results[0].type)

    def view(buffer: Array, *sizes: Any) -> Array:
        found = buffer.reshape(shape)
        if not np.shares_memory(found, buffer):
            raise UnsupportedError(op, "joins dimensions with gaps between them")
        return found

    return view


@function(memref.TransposeOp)
def transpose(op: memref.TransposeOp) -> Function:
    """Return a view with permuted axes."""
    map_ = ir.AffineMapAttr(op.operation.attributes["permutation"])
    affine_map: Any = map_.value
    order = [ir.AffineDimExpr(expr).position for expr in affine_map.results]
    return lambda buffer: buffer.transpose(order)


@function(memref.CastOp, memref.MemorySpaceCastOp, memref.AssumeAlignmentOp)
def cast(op: Any) -> Function:
    """Return the same buffer."""
    return lambda buffer: buffer


@function(memref.DimOp)
def dim(op: memref.DimOp) -> Function:
    """Return the size of an axis."""
    return lambda buffer, axis: np.int64(buffer.shape[int(axis)])
