"""View ops: they reinterpret bytes and do not access memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir
from mlir.dialects import memref

from forebay.emulator.interpreter.body import bind
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.types import dtype_of
from forebay.emulator.memory.view import MemoryView, row_major
from forebay.ir.interfaces import FoldResult
from forebay.ir.memory.views import view_layout_of

_Numbers = Callable[[Frame], list[int]]


def _viewing(op: Any, scope: FrameLayout, see: Callable[[MemoryView, Frame], MemoryView]) -> Action:
    """Return an action that binds the result to `see` of the source's view."""
    source, result = scope.slot(op.operands[0]), scope.reference_slot(op.results[0])
    machine = scope.machine

    def action(frame: Frame) -> None:
        bind(machine, (result,), (see(frame[source], frame),), frame)

    return action


def _numbers(scope: FrameLayout, static: Sequence[int], dynamic: Sequence[ir.Value]) -> _Numbers:
    """Return sizes, offsets or strides: static ones from the op, dynamic ones from operands."""
    values = iter(dynamic)
    return _mixed(scope, [next(values) if _is_dynamic(n) else n for n in static])


def _mixed(scope: FrameLayout, numbers: Sequence[FoldResult]) -> _Numbers:
    mixed = [(n, False) if isinstance(n, int) else (scope.slot(n), True) for n in numbers]
    return lambda frame: [frame[n] if is_slot else n for n, is_slot in mixed]


def _is_dynamic(number: int) -> bool:
    return number == ir.ShapedType.get_dynamic_size()


@rule(memref.CastOp, memref.MemorySpaceCastOp)
def cast(op: Any, scope: FrameLayout) -> Action:
    """Return the same view; it already has its exact shape and strides."""
    return _viewing(op, scope, lambda view, _: view)


@rule(memref.SubViewOp)
def subview(op: memref.SubViewOp, scope: FrameLayout) -> Action:
    """Return a strided part; the result's type determines which axes of size 1 are dropped."""
    offsets = _numbers(scope, op.static_offsets, op.offsets)
    sizes = _numbers(scope, op.static_sizes, op.sizes)
    strides = _numbers(scope, op.static_strides, op.strides)
    kept = _kept_axes(list(op.static_sizes), list(ir.MemRefType(op.result.type).shape))

    def see(view: MemoryView, frame: Frame) -> MemoryView:
        steps = view.strides
        shift = sum(o * step for o, step in zip(offsets(frame), steps, strict=True))
        wide = [s * step for s, step in zip(strides(frame), steps, strict=True)]
        shape = sizes(frame)
        return replace(
            view,
            at=view.at + shift,
            shape=tuple(shape[axis] for axis in kept),
            strides=tuple(wide[axis] for axis in kept),
        )

    return _viewing(op, scope, see)


def _kept_axes(sizes: list[int], shape: list[int]) -> list[int]:
    """Return the axes that a smaller shape keeps, in order; the dropped ones have size 1."""
    kept: list[int] = []
    for axis, size in enumerate(sizes):
        left = len(sizes) - axis
        missing = len(shape) - len(kept)
        if missing and (left == missing or size != 1 or shape[len(kept)] == 1):
            kept.append(axis)
    return kept


@rule(memref.CollapseShapeOp)
def collapse_shape(op: memref.CollapseShapeOp, scope: FrameLayout) -> Action:
    """Merge neighbouring axes; the stride is that of the last axis whose size is not 1."""
    groups = _groups(op.reassociation)

    def see(view: MemoryView, _: Frame) -> MemoryView:
        last = [[axis for axis in axes if view.shape[axis] != 1] or axes for axes in groups]
        return replace(
            view,
            shape=tuple(math.prod(view.shape[axis] for axis in axes) for axes in groups),
            strides=tuple(view.strides[axes[-1]] for axes in last),
        )

    return _viewing(op, scope, see)


@rule(memref.ExpandShapeOp)
def expand_shape(op: memref.ExpandShapeOp, scope: FrameLayout) -> Action:
    """Split axes: the last part keeps the stride, each other part steps over all inner ones."""
    groups = _groups(op.reassociation)
    sizes = _numbers(scope, op.static_output_shape, op.output_shape)

    def see(view: MemoryView, frame: Frame) -> MemoryView:
        shape = tuple(sizes(frame))
        pairs = zip(groups, view.strides, strict=True)
        strides = [row_major([shape[axis] for axis in axes], step) for axes, step in pairs]
        return replace(view, shape=shape, strides=tuple(s for group in strides for s in group))

    return _viewing(op, scope, see)


def _groups(reassociation: ir.ArrayAttr) -> list[list[int]]:
    """Return the axes of the larger rank that each axis of the smaller rank stands for."""
    return [[ir.IntegerAttr(axis).value for axis in ir.ArrayAttr(axes)] for axes in reassociation]


@rule(ir.OpView)
def strided_view(op: ir.OpView, scope: FrameLayout) -> Action:
    """Return a view by its offset from the base, its shape and its strides, for any other view."""
    layout = view_layout_of(op)
    if layout is None:
        raise NotEmulatedError(op, "makes a view whose layout is in no rule and not in its type")
    offset = _mixed(scope, [layout.offset])
    sizes, strides = _mixed(scope, layout.sizes), _mixed(scope, layout.strides)

    def see(view: MemoryView, frame: Frame) -> MemoryView:
        item = view.dtype.itemsize
        return replace(
            view,
            at=view.base + offset(frame)[0] * item,
            shape=tuple(sizes(frame)),
            strides=tuple(stride * item for stride in strides(frame)),
        )

    return _viewing(op, scope, see)


@rule(memref.ViewOp)
def view_of_bytes(op: memref.ViewOp, scope: FrameLayout) -> Action:
    """Return a view of elements of another type in a buffer of bytes."""
    type_ = ir.MemRefType(op.result.type)
    dtype, shift = dtype_of(type_.element_type, op), scope.slot(op.byte_shift)
    sizes = _numbers(scope, type_.shape, op.sizes)

    def see(view: MemoryView, frame: Frame) -> MemoryView:
        at, shape = view.at + frame[shift], tuple(sizes(frame))
        strides = row_major(shape, dtype.itemsize)
        return MemoryView(view.buffer, at, shape, strides, dtype, at)

    return _viewing(op, scope, see)


@rule(memref.TransposeOp)
def transpose(op: memref.TransposeOp, scope: FrameLayout) -> Action:
    """Return a view with the axes in another order."""
    order = [expr.position for expr in op.permutation.value.results]

    def see(view: MemoryView, _: Frame) -> MemoryView:
        shape = tuple(view.shape[axis] for axis in order)
        return replace(view, shape=shape, strides=tuple(view.strides[axis] for axis in order))

    return _viewing(op, scope, see)


@rule(memref.AssumeAlignmentOp)
def assume_alignment(op: memref.AssumeAlignmentOp, scope: FrameLayout) -> Action:
    """Check the alignment that the program assumes."""
    point, alignment, machine = scope.point(op), op.alignment.value, scope.machine

    def see(view: MemoryView, _: Frame) -> MemoryView:
        machine.aligned(view, alignment, point, "its operand")
        return view

    return _viewing(op, scope, see)


@rule(memref.DimOp)
def dim(op: memref.DimOp, scope: FrameLayout) -> Action:
    """Return the size of an axis."""
    source, axis, result = scope.slot(op.source), scope.slot(op.index), scope.slot(op.result)

    def action(frame: Frame) -> None:
        frame[result] = frame[source].shape[frame[axis]]

    return action
