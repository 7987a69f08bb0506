"""View ops: they reinterpret bytes and do not access memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir
from mlir.dialects import memref

from forebay.dialects.memref_pool import RowOp
from forebay.emulator.interpreter.body import bind
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.rows_view import RowsView
from forebay.emulator.memory.types import dtype_of
from forebay.emulator.memory.view import MemoryView, row_major
from forebay.ir.interfaces import FoldResult
from forebay.ir.rows.indices import indices_of
from forebay.ir.views.layouts import DYNAMIC
from forebay.ir.views.queries import layout_rule_of
from forebay.ir.views.strided import StridedLayout, ViewNumbers

_Numbers = Callable[[Frame], tuple[int, ...]]


def _viewing(op: Any, scope: FrameLayout, see: Callable[[Any, Frame], MemoryView]) -> Action:
    """Return an action that binds the result to `see` of the source's view."""
    source, result = scope.slot(op.operands[0]), scope.reference_slot(op.results[0])
    machine = scope.machine

    def action(frame: Frame) -> None:
        bind(machine, (result,), (see(frame[source], frame),), frame)

    return action


def _mixed(scope: FrameLayout, numbers: Sequence[FoldResult]) -> _Numbers:
    """Return a function that reads numbers in a frame: constants, and the values of operands."""
    constants = tuple(n for n in numbers if isinstance(n, int))
    if len(constants) == len(numbers):
        return lambda _: constants
    mixed = [(n, False) if isinstance(n, int) else (scope.slot(n), True) for n in numbers]
    return lambda frame: tuple([frame[n] if is_slot else n for n, is_slot in mixed])


@rule(ir.OpView)
def strided_view(op: ir.OpView, scope: FrameLayout) -> Action:
    """Return a view by its layout, for all views without a function of their own."""
    rule_ = layout_rule_of(op)
    if rule_ is None:
        raise NotEmulatedError(op, "makes a view whose layout is in no rule and not in its type")
    layout = rule_.layout
    offsets, sizes, strides = (
        _mixed(scope, numbers)
        for numbers in (rule_.numbers.offsets, rule_.numbers.sizes, rule_.numbers.strides)
    )

    def see(view: MemoryView, frame: Frame) -> MemoryView:
        source = StridedLayout(view.at, view.shape, view.strides, view.base, view.dtype.itemsize)
        seen = layout(source, ViewNumbers(offsets(frame), sizes(frame), strides(frame)))
        return replace(view, at=seen.start, shape=seen.sizes, strides=seen.strides)

    return _viewing(op, scope, see)


@rule(memref.ViewOp)
def view_of_bytes(op: memref.ViewOp, scope: FrameLayout) -> Action:
    """Return a view of elements of another type in a buffer of bytes."""
    type_ = ir.MemRefType(op.result.type)
    dtype, shift = dtype_of(type_.element_type, op), scope.slot(op.byte_shift)
    dynamic = iter(op.sizes)
    sizes = _mixed(scope, [next(dynamic) if n == DYNAMIC else n for n in type_.shape])

    def see(view: MemoryView, frame: Frame) -> MemoryView:
        at, shape = view.at + frame[shift], sizes(frame)
        strides = row_major(shape, dtype.itemsize)
        return MemoryView(view.buffer, at, shape, strides, dtype, at)

    return _viewing(op, scope, see)


@rule(RowOp)
def row(op: RowOp, scope: FrameLayout) -> Action:
    """Return one row; refuses an index that is out of range."""
    indices, machine, point = _mixed(scope, indices_of(op)), scope.machine, scope.point(op)

    def see(view: RowsView, frame: Frame) -> MemoryView:
        wanted = indices(frame)
        number = view.number(wanted)
        if number is None:
            machine.refuse_index(view, f"row {list(wanted)}", point)
            number = 0
        return view.rows[number]

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
